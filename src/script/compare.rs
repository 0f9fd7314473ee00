//! Two results of one script side by side: the turns on which they differ, and why.

use serde::Serialize;
use serde_json::Value;

use super::expect::attempt_words;
use super::result::{ReplayResult, Turn};

/// A turn on which two results differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The turn, from 0.
    pub turn: usize,
    /// Its step, from 0.
    pub step: usize,
    /// Its session.
    pub session: String,
    /// The first field that differs, the weightiest first: chosen, outcome, attempts, requests, waits,
    /// windows, skipped, candidates, notices, summary.
    pub field: String,
    /// The first side.
    pub left: Value,
    /// The second side.
    pub right: Value,
    /// Both in one sentence.
    pub why: String,
}

/// The turns on which two results of one script differ.
#[must_use]
pub fn compare(left: &ReplayResult, right: &ReplayResult) -> Vec<Difference> {
    let (left_rules, right_rules) = (&left.rules.id, &right.rules.id);
    left.turns
        .iter()
        .zip(&right.turns)
        .enumerate()
        .filter_map(|(index, (one, other))| {
            let (field, left, right) = first_difference(one, other)?;
            let why = sentence(field, one, other, left_rules, right_rules);
            Some(Difference {
                turn: index,
                step: one.step,
                session: one.session.clone(),
                field: field.to_string(),
                left,
                right,
                why,
            })
        })
        .collect()
}

fn first_difference(left: &Turn, right: &Turn) -> Option<(&'static str, Value, Value)> {
    type Look = fn(&Turn) -> Value;
    let fields: [(&'static str, Look); 10] = [
        ("chosen", |turn| value(&turn.chosen)),
        ("outcome", |turn| value(&turn.outcome)),
        ("attempts", |turn| value(&attempt_words(turn))),
        ("requests", |turn| turn.attempts.iter().map(|line| Value::from(line.requests)).collect()),
        ("windows", |turn| turn.attempts.iter().map(|line| window(line, turn.at)).collect()),
        ("waits", |turn| turn.attempts.iter().map(|line| Value::from(line.wait_ms)).collect()),
        ("skipped", |turn| value(&turn.skipped)),
        ("candidates", |turn| value(&turn.candidates)),
        ("notices", |turn| value(&turn.notices)),
        ("summary", |turn| value(&turn.summary.as_ref().map(|summary| &summary.text))),
    ];
    fields.into_iter().find_map(|(name, look)| {
        let (one, other) = (look(left), look(right));
        (one != other).then_some((name, one, other))
    })
}

fn value<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or(Value::Null)
}

fn window(line: &super::result::AttemptLine, at: i64) -> Value {
    line.window.as_ref().map_or(Value::Null, |window| {
        serde_json::json!({"kind": window.kind, "model": window.model, "ends in": window.until - at})
    })
}

fn sentence(field: &str, left: &Turn, right: &Turn, left_rules: &str, right_rules: &str) -> String {
    let answered = |turn: &Turn| match &turn.chosen {
        Some(chosen) => match &chosen.profile {
            Some(profile) => format!("{}/{} answers ({profile})", chosen.provider, chosen.model),
            None => format!("{}/{} answers", chosen.provider, chosen.model),
        },
        None => match turn.attempts.last() {
            Some(last) => format!(
                "the run {} at {}/{} ({})",
                if turn.outcome.as_str() == "failed" { "fails" } else { "stops" },
                last.provider,
                last.model,
                last.reason.as_deref().unwrap_or("no reason")
            ),
            None => "nothing is called".to_string(),
        },
    };
    match field {
        "chosen" | "outcome" => {
            format!("with {left_rules} {}, with {right_rules} {}", answered(left), answered(right))
        }
        "attempts" => {
            let (one, other) = (attempt_words(left), attempt_words(right));
            let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
            let at = |words: &[String]| words.get(same).cloned().unwrap_or_else(|| "nothing more".into());
            format!(
                "call {} is {} with {left_rules} and {} with {right_rules}",
                same + 1,
                at(&one),
                at(&other)
            )
        }
        "requests" => {
            let sum = |turn: &Turn| turn.attempts.iter().map(|line| line.requests).sum::<u32>();
            format!("{left_rules} sends {} requests, {right_rules} {}", sum(left), sum(right))
        }
        "waits" => {
            let sum = |turn: &Turn| turn.attempts.iter().map(|line| line.wait_ms).sum::<i64>();
            format!("{left_rules} waits {} ms, {right_rules} {} ms", sum(left), sum(right))
        }
        "windows" => format!("the failures leave other windows with {left_rules} than with {right_rules}"),
        other => format!("the {other} differ between {left_rules} and {right_rules}"),
    }
}
