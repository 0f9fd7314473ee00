//! `classify`: the failover reason of one error signal. `overflow` isn't compared.

use clawctl::engine::RuleSet;
use clawctl::engine::classify::{Classifier, Signal};
use serde_json::{Value, json};

/// The engine's answer, or none when the operation isn't this module's.
pub fn answer(release: &str, case: &Value) -> Option<Value> {
    if case["op"] != "classify" {
        return None;
    }
    let family = RuleSet::for_release(release).ok()?.family;
    let signal = Signal {
        status: case["status"].as_i64(),
        code: case["code"].as_str(),
        error_type: case["errorType"].as_str(),
        message: case["message"].as_str(),
        provider: case["provider"].as_str(),
        ..Signal::default()
    };
    let verdict = Classifier::for_family(family).classify(&signal);
    Some(json!({
        "reason": verdict.reason,
        "overflow": verdict.overflow,
        "rule": verdict.rule,
    }))
}
