//! The checks that a script brings along.

use serde_json::{Value, json};

use super::model::{Expect, ExpectWindow};
use super::result::{ExpectationFailure, Turn};
use crate::base::time::Millis;
use crate::engine::rules::RuleSet;
use crate::engine::run::{SetBy, World};
use crate::engine::state::Num;
use crate::engine::usage::{self, Window};

/// Checks item `index` right after its send.
pub(super) fn check(
    index: usize,
    expect: &Expect,
    turn: &Turn,
    world: &World,
    rules: &RuleSet,
) -> Vec<ExpectationFailure> {
    let mut checks = Checks { item: index, step: turn.step, failed: Vec::new() };
    let chosen = turn.chosen.as_ref();
    if let Some(wanted) = &expect.chosen {
        let got = chosen.map(|chosen| format!("{}/{}", chosen.provider, chosen.model));
        checks.equal("chosen", json!(wanted), json!(got));
    }
    if let Some(wanted) = &expect.profile {
        let got = chosen.map(|chosen| chosen.profile.clone().unwrap_or_else(|| "-".into()));
        checks.equal("profile", json!(wanted), json!(got));
    }
    if let Some(wanted) = &expect.outcome {
        checks.equal("outcome", json!(wanted), json!(turn.outcome.as_str()));
    }
    if let Some(wanted) = &expect.attempts {
        let wanted: Vec<String> =
            wanted.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        checks.equal("attempts", json!(wanted), json!(attempt_words(turn)));
    }
    match &expect.notice {
        Some(Some(part)) if !turn.notices.iter().any(|notice| notice.contains(part.as_str())) => {
            checks.fail("notice", json!(part), json!(turn.notices));
        }
        Some(None) if !turn.notices.is_empty() => checks.fail("notice", Value::Null, json!(turn.notices)),
        _ => {}
    }
    for wanted in &expect.cooldowns {
        let stats = world.auth.usage.get(wanted.profile.as_str());
        let windows = stats.map(|stats| usage::windows(rules, stats, world.now)).unwrap_or_default();
        let failed_at = stats.and_then(|stats| stats.last_failure_at);
        let set_by = world.set_by.get(wanted.profile.as_str()).copied();
        checks.window(&wanted.profile, wanted.window.as_ref(), &windows, failed_at, set_by);
    }
    checks.failed
}

/// `provider/model profile result` of each attempt.
pub(super) fn attempt_words(turn: &Turn) -> Vec<String> {
    turn.attempts
        .iter()
        .map(|line| {
            let result = if line.result == "ok" { "ok" } else { line.reason.as_deref().unwrap_or("error") };
            format!("{}/{} {} {result}", line.provider, line.model, line.profile.as_deref().unwrap_or("-"))
        })
        .collect()
}

struct Checks {
    item: usize,
    step: usize,
    failed: Vec<ExpectationFailure>,
}

impl Checks {
    fn equal(&mut self, key: &str, expected: Value, got: Value) {
        if expected != got {
            self.fail(key, expected, got);
        }
    }

    fn fail(&mut self, key: &str, expected: Value, got: Value) {
        let diff = diff(&expected, &got);
        self.failed.push(ExpectationFailure {
            item: self.item,
            step: self.step,
            key: key.to_string(),
            expected,
            got,
            diff,
        });
    }

    fn window(
        &mut self,
        profile: &str,
        wanted: Option<&ExpectWindow>,
        windows: &[Window],
        failed_at: Option<Num>,
        set_by: Option<SetBy>,
    ) {
        let key = format!("cooldowns.{profile}");
        let setter = |window: &Window| set_by.filter(|set_by| set_by.until == window.until);
        let lasts = |window: &Window| {
            let at = setter(window).map(|set_by| set_by.at).or(failed_at.map(Num::millis))?;
            Some(window.until - at)
        };
        // 2026.3 doesn't store the reason of a cooldown.
        let reason = |window: &Window| {
            let stored = window.reason.as_deref().map(str::to_string);
            stored.or(setter(window).map(|set_by| set_by.reason.to_string()))
        };
        let describe = |window: &Window| {
            json!({
                "kind": window.kind.as_str(),
                "reason": reason(window),
                "model": window.model.as_deref(),
                "lasts": lasts(window).map(length),
            })
        };
        let got = || windows.iter().map(describe).collect::<Value>();
        let Some(wanted) = wanted else {
            if !windows.is_empty() {
                self.fail(&key, Value::Null, got());
            }
            return;
        };
        let kind_fits =
            |window: &&Window| wanted.kind.as_deref().is_none_or(|kind| kind == window.kind.as_str());
        let Some(window) = windows.iter().find(kind_fits) else {
            let kind = wanted.kind.as_deref().unwrap_or("any window");
            self.fail(&key, json!(kind), got());
            return;
        };
        if let Some(wanted) = &wanted.reason {
            self.equal(&format!("{key}.reason"), json!(wanted), json!(reason(window)));
        }
        if let Some(model) = &wanted.model {
            self.equal(&format!("{key}.model"), json!(model), json!(window.model.as_deref()));
        }
        if let Some(wanted) = wanted.lasts {
            let got = lasts(window);
            if got != Some(wanted) {
                self.fail(&format!("{key}.lasts"), json!(length(wanted)), json!(got.map(length)));
            }
        }
    }
}

/// A duration as scripts write it: `10m`, `1h 30m`.
fn length(length: Millis) -> String {
    let unsigned = u64::try_from(length.0).unwrap_or_default();
    humantime::format_duration(std::time::Duration::from_millis(unsigned)).to_string()
}

/// Both sides line by line, `-` what the script wants and `+` what happened; equal lines once.
fn diff(expected: &Value, got: &Value) -> String {
    let (expected, got) = (lines(expected), lines(got));
    let start = expected.iter().zip(&got).take_while(|(left, right)| left == right).count();
    let end = expected[start..]
        .iter()
        .rev()
        .zip(got[start..].iter().rev())
        .take_while(|(left, right)| left == right)
        .count();
    let mut out = Vec::new();
    out.extend(expected[..start].iter().map(|line| format!("  {line}")));
    out.extend(expected[start..expected.len() - end].iter().map(|line| format!("- {line}")));
    out.extend(got[start..got.len() - end].iter().map(|line| format!("+ {line}")));
    out.extend(expected[expected.len() - end..].iter().map(|line| format!("  {line}")));
    out.join("\n")
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) if items.is_empty() => vec!["(none)".into()],
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Null => vec!["(none)".into()],
        other => vec![plain(other)],
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_keeps_equal_lines_once() {
        let text = diff(&json!(["a", "b", "c"]), &json!(["a", "x", "y", "c"]));
        assert_eq!(text, "  a\n- b\n+ x\n+ y\n  c");
        assert_eq!(diff(&json!("a"), &Value::Null), "- a\n+ (none)");
    }
}
