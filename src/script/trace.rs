//! A result as a story: what `simulate --trace` prints, as data.

use super::result::{ReplayResult, Turn};

/// A turn, told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// What came in: `12:00:00 s1 asks for openai/gpt-x`.
    pub head: String,
    /// What happened, in order.
    pub lines: Vec<StoryLine>,
    /// How it ended.
    pub end: String,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryLine {
    /// `ok`, `error`, `skip` or `note`; for colours and marks.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
}

/// Tells a result, one story a turn.
#[must_use]
pub fn story(result: &ReplayResult) -> Vec<Story> {
    result.turns.iter().map(tell).collect()
}

fn tell(turn: &Turn) -> Story {
    let time = turn.at_iso.clone().unwrap_or_else(|| turn.at.to_string());
    let head = format!("{time} {} asks for {} ({})", turn.session, turn.requested, turn.source);
    let mut lines = Vec::new();
    let mut skips = turn.skipped.iter().peekable();
    let place =
        |name: &str| turn.candidates.iter().position(|candidate| candidate == name).unwrap_or(usize::MAX);
    for attempt in &turn.attempts {
        let name = format!("{}/{}", attempt.provider, attempt.model);
        while let Some(skip) = skips.next_if(|skip| place(&skip.candidate) < place(&name)) {
            lines.push(skip_line(skip));
        }
        let profile = attempt.profile.as_deref().unwrap_or("without a profile");
        let requests =
            if attempt.requests == 1 { String::new() } else { format!(", {} requests", attempt.requests) };
        let waited = if attempt.wait_ms == 0 {
            String::new()
        } else {
            format!(", waited {} s (jitter: mean)", seconds(attempt.wait_ms))
        };
        if attempt.result == "ok" {
            lines.push(StoryLine {
                kind: "ok",
                text: format!("{name} {profile}: answered{requests}{waited}"),
            });
            continue;
        }
        let reason = attempt.reason.as_deref().unwrap_or("no reason to fail over");
        let message =
            attempt.message.as_deref().map_or_else(String::new, |message| format!(" \"{message}\""));
        let then = match &*attempt.then {
            "rotate_profile" => "; next profile",
            "next_model" => "; next model",
            "switch_model" => "; the user switched models",
            "stop" => "; the run stops here",
            "fail" => "; nothing is left",
            _ => "",
        };
        lines.push(StoryLine {
            kind: "error",
            text: format!("{name} {profile}: {reason}{message}{requests}{waited}{then}"),
        });
        if let Some(window) = &attempt.window {
            let until = window.until_iso.clone().unwrap_or_else(|| window.until.to_string());
            let scope =
                window.model.as_deref().map_or_else(String::new, |model| format!(" for {model} alone"));
            let text = format!("{profile}: {} until {until}{scope}", window.kind);
            lines.push(StoryLine { kind: "note", text });
        }
    }
    lines.extend(skips.map(skip_line));
    lines.extend(
        turn.notices
            .iter()
            .map(|notice| StoryLine { kind: "note", text: format!("the user reads: {notice}") }),
    );
    let end = match (&turn.chosen, &turn.summary) {
        (Some(chosen), _) => format!("answered by {}/{}", chosen.provider, chosen.model),
        (None, Some(summary)) => format!("{}: {}", turn.outcome.as_str(), summary.text),
        (None, None) => turn.outcome.as_str().to_string(),
    };
    Story { head, lines, end }
}

fn skip_line(skip: &super::result::Skipped) -> StoryLine {
    StoryLine { kind: "skip", text: format!("{} skipped: {}", skip.candidate, skip.why) }
}

fn seconds(ms: i64) -> String {
    if ms % 1_000 == 0 { (ms / 1_000).to_string() } else { format!("{}.{:03}", ms / 1_000, ms % 1_000) }
}
