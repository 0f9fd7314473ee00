//! Gateway logs: reading never panics.
#![no_main]

use clawctl::engine::{Family, RuleSet};
use clawctl::script::from_log;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = from_log(text, "fuzz", &RuleSet::of_family(Family::R2026_9), &["openai:a"]);
});
