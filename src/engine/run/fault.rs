//! A failed call, as the release sees it: its text, what the classifier says, and the few facts
//! that the runner reads besides.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::super::classify::{Classifier, Signal, body_details};
use super::super::types::{Family, Reason};
use crate::base::time::Millis;

/// What a provider answered, before anybody judged it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawError {
    /// The HTTP status.
    pub status: Option<i64>,
    /// A message; wins over the one in the body.
    pub message: Option<String>,
    /// A code; wins over the one in the body.
    pub code: Option<String>,
    /// A type; wins over the one in the body.
    pub error_type: Option<String>,
    /// The raw body: text, or JSON.
    pub body: Option<Value>,
    /// How long the provider asks to wait (ms).
    pub retry_after: Option<Millis>,
    /// Why the answer ended, when it ended badly.
    pub stop_reason: Option<String>,
    /// The category of a final refusal.
    pub refusal: Option<String>,
    /// No answer came in time.
    pub timed_out: bool,
}

/// A failed call.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The HTTP status.
    pub status: Option<i64>,
    /// The provider's code.
    pub code: Option<String>,
    /// The text that the release works with: `429 Rate limit reached`.
    pub text: String,
    /// Why it failed; none: no rule matched, or the status alone isn't one.
    pub reason: Option<Reason>,
    /// The classifier's row.
    pub rule: String,
    /// The conversation is too long for the model.
    pub overflow: bool,
    /// The answer has a status and, for the release's client, no body.
    pub bare: bool,
    /// The request is larger than the provider's per-minute ceiling, which waiting doesn't help.
    pub ceiling: bool,
    /// No answer came in time.
    pub timed_out: bool,
    /// The provider refuses for good; its category.
    pub refusal: Option<String>,
    /// How long the provider asks to wait (ms).
    pub retry_after: Option<Millis>,
    /// A short per-minute limit, by its text (2026.7), with the wait that the text asks for (ms).
    pub short_limit: Option<Option<Millis>>,
    /// A daily, weekly, monthly or subscription limit, by its text.
    pub long_limit: bool,
    /// Looks transient to the layer above the HTTP client (to 2026.5).
    pub looks_transient: bool,
    /// A format error by its text (a refused tool-call id, a refused prefill): the transcript is
    /// repaired and the next profile tries again, also from 2026.7 on.
    pub repairable_format: bool,
}

static LONG_LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"\b(?:daily|weekly|monthly|tokens per day|requests per day|usage limit|subscription|insufficient[_ -]?quota|current quota|quota[_ -]?exceeded|quota exceeded)\b",
    )
});
static PER_MINUTE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b(?:requests per minute|tokens per minute|per-minute|rpm|tpm)\b"));
static SHORT_LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"\b(?:requests per minute|tokens per minute|per-minute|rpm|tpm|model_cooldown)\b|请求过于频繁|调用频率|频率限制",
    )
});
static RETRY_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"\bretry[- ]after\b\s*:?\s*(?:in\s*)?(?:(\d+(?:\.\d+)?)(?:\s*(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m))?\b)?",
    )
});
static TRANSIENT_2026_3: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"overloaded|rate.?limit|too many requests|429|500|502|503|504|service.?unavailable|server.?error|internal.?error|connection.?error|connection.?refused|other side closed|fetch failed|upstream.?connect|reset before headers|terminated|retry delay",
    )
});
static TRANSIENT_2026_5: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"overloaded|provider.?returned.?error|rate.?limit|too many requests|429|500|502|503|504|service.?unavailable|server.?error|internal.?error|network.?error|connection.?error|connection.?refused|connection.?lost|websocket.?closed|websocket.?error|other side closed|fetch failed|upstream.?connect|reset before headers|socket hang up|ended without|http2 request did not get a response|timed? out|timeout|terminated|retry delay",
    )
});
static REPAIRABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"string should match pattern|tool_use\.id|tool_use_id|invalid request format|tool call id was.*must be|does not support assistant message prefill|conversation must end with a user message",
    )
});
static CEILING: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\blimit:?\s*([\d,]+)\s*,\s*requested:?\s*([\d,]+)"));

fn pattern(source: &str) -> Option<Regex> {
    regex::RegexBuilder::new(source).case_insensitive(true).build().ok()
}

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

impl Fault {
    /// Judges a provider's error as this release does.
    #[must_use]
    pub fn judge(classifier: &Classifier, provider: &str, raw: &RawError) -> Self {
        let family = classifier.family();
        let body = raw.body.as_ref().map(|body| Body::read(family, body));
        let body = body.as_ref();
        let code = raw.code.clone().or_else(|| body?.member("code"));
        let error_type = raw.error_type.clone().or_else(|| body?.member("type"));
        let message = raw.message.clone().or_else(|| body?.message());
        let mut text = match (raw.status, &message, &raw.stop_reason) {
            (Some(status), Some(message), _) => format!("{status} {message}"),
            (Some(status), None, _) => format!("{status} {NO_BODY}"),
            (None, Some(message), _) => message.clone(),
            (None, None, Some(stop)) => format!("Unhandled stop reason: {stop}"),
            (None, None, None) if raw.timed_out => "LLM request timed out.".to_string(),
            (None, None, None) => String::new(),
        };
        if let Some(inner) = body.and_then(Body::forwarded) {
            text.push('\n');
            text.push_str(&inner);
        }
        // To 2026.5 the runner sees nothing but the text.
        let text_alone = matches!(family, Family::R2026_3 | Family::R2026_5) && !text.is_empty();
        let details = body.filter(|_| !text_alone).map(|body| body.details(family)).unwrap_or_default();
        let verdict = classifier.classify(&Signal {
            status: None,
            code: code.as_deref().filter(|_| !text_alone),
            error_type: error_type.as_deref().filter(|_| !text_alone),
            message: Some(&text),
            provider: Some(provider),
            details: &details,
        });
        let (mut reason, mut rule) = (verdict.reason, verdict.rule.to_string());
        if raw.timed_out && reason.is_none() {
            (reason, rule) = (Some(Reason::Timeout), "no-answer-in-time".to_string());
        }
        let looks_transient = match family {
            Family::R2026_3 => matches(&TRANSIENT_2026_3, &text),
            _ => matches(&TRANSIENT_2026_5, &text),
        };
        Self {
            status: raw.status,
            code,
            reason: reason.filter(|reason| *reason != Reason::ContextOverflow),
            rule,
            overflow: verdict.overflow || reason == Some(Reason::ContextOverflow),
            bare: raw.status.is_some() && message.is_none(),
            ceiling: above_ceiling(&text),
            timed_out: raw.timed_out,
            refusal: raw.refusal.clone(),
            retry_after: raw.retry_after,
            short_limit: short_limit(&text),
            long_limit: matches(&LONG_LIMIT, &text) && !matches(&PER_MINUTE, &text),
            looks_transient,
            repairable_format: reason == Some(Reason::Format) && matches(&REPAIRABLE, &text),
            text,
        }
    }
}

/// What the HTTP client says of an answer in which it finds no error.
const NO_BODY: &str = "status code (no body)";

/// A response body as the OpenAI client of the releases reads it.
enum Body<'a> {
    /// Not JSON: the text itself is the message.
    Text(&'a str),
    /// JSON: what its `error` holds; from 2026.9 on, an object without one is the error itself.
    Error(Option<Value>),
}

impl<'a> Body<'a> {
    fn read(family: Family, body: &'a Value) -> Self {
        let error = |body: &Value| match body.get("error") {
            None | Some(Value::Null) if family == Family::R2026_9 && !body.is_string() => Some(body.clone()),
            found => found.filter(|error| is_true(error)).cloned(),
        };
        match body {
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(parsed) if is_true(&parsed) => Self::Error(error(&parsed)),
                _ => Self::Text(text.trim()),
            },
            other => Self::Error(error(other)),
        }
    }

    fn member(&self, key: &str) -> Option<String> {
        let Self::Error(Some(error)) = self else { return None };
        let value = error.get(key)?;
        value.as_str().map(str::to_string).or_else(|| value.as_number().map(ToString::to_string))
    }

    fn message(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(*text).filter(|text| !text.is_empty()).map(str::to_string),
            Self::Error(error) => {
                let error = error.as_ref()?;
                Some(match error.get("message").filter(|message| is_true(message)) {
                    Some(Value::String(message)) => message.clone(),
                    Some(message) => message.to_string(),
                    None => error.to_string(),
                })
            }
        }
    }

    /// What an upstream of the provider said, as OpenRouter hands it on; it follows the message.
    fn forwarded(&self) -> Option<String> {
        let Self::Error(Some(error)) = self else { return None };
        let raw = error.get("metadata")?.get("raw").filter(|raw| is_true(raw))?;
        Some(raw.as_str().map_or_else(|| raw.to_string(), str::to_string))
    }

    /// The strings of the body that are judged beside the message, from 2026.7 on.
    fn details(&self, family: Family) -> Vec<String> {
        const LONGEST: usize = 500;
        let Self::Error(Some(error @ Value::Object(_))) = self else { return Vec::new() };
        let mut text = if family == Family::R2026_9 { sorted(error).to_string() } else { error.to_string() };
        if text.encode_utf16().count() > LONGEST {
            let mut units = 0;
            let end = text.char_indices().find(|(_, c)| {
                units += c.len_utf16();
                units > LONGEST
            });
            text.truncate(end.map_or(text.len(), |(end, _)| end));
            text.push_str("...");
        }
        body_details(&text)
    }
}

/// As JavaScript asks `if (value)`.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// The value with the members of every object in alphabetical order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<(String, Value)> =
                members.iter().map(|(key, member)| (key.clone(), self::sorted(member))).collect();
            sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

fn above_ceiling(text: &str) -> bool {
    let Some(found) = CEILING.as_ref().and_then(|pattern| pattern.captures(text)) else { return false };
    let number = |index: usize| found.get(index)?.as_str().replace(',', "").parse::<u64>().ok();
    matches!((number(1), number(2)), (Some(limit), Some(requested)) if requested > limit)
}

/// Whether the text speaks of a limit that passes within a minute, and the wait that it asks for.
fn short_limit(text: &str) -> Option<Option<Millis>> {
    const LONGEST: f64 = 60_000.0;
    let found = RETRY_AFTER.as_ref().and_then(|pattern| pattern.captures(text));
    let wait = found.as_ref().and_then(|found| {
        let number: f64 = found.get(1)?.as_str().parse().ok()?;
        let unit = found.get(2).map_or("s", |unit| unit.as_str()).to_ascii_lowercase();
        Some(match unit.as_str() {
            unit if unit == "ms" || unit.starts_with("msec") || unit.starts_with("millisecond") => number,
            unit if unit.starts_with('m') => number * 60_000.0,
            _ => number * 1_000.0,
        })
    });
    let per_minute = matches(&PER_MINUTE, text);
    if wait.is_some_and(|wait| wait > LONGEST) || (found.is_some() && wait.is_none() && !per_minute) {
        return None;
    }
    if matches(&LONG_LIMIT, text) && !per_minute && wait.is_none() {
        return None;
    }
    if !matches(&SHORT_LIMIT, text) && wait.is_none() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most a minute")]
    Some(wait.map(|wait| Millis(wait.ceil() as i64)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(family: Family, status: i64, body: Value) -> Fault {
        let raw = RawError { status: Some(status), body: Some(body), ..RawError::default() };
        Fault::judge(Classifier::for_family(family), "mocka", &raw)
    }

    #[test]
    fn the_text_is_what_the_client_makes_of_the_body() {
        // The texts that real runs logged as `rawError`.
        for (body, before, newest) in [
            (json!({"error": {"message": "Forbidden", "code": "x"}}), "403 Forbidden", "403 Forbidden"),
            (json!({"error": "Forbidden here"}), "403 \"Forbidden here\"", "403 \"Forbidden here\""),
            (json!({"detail": "no"}), "403 status code (no body)", "403 {\"detail\":\"no\"}"),
            (json!("{\"detail\":\"no\"}"), "403 status code (no body)", "403 {\"detail\":\"no\"}"),
            (json!(""), "403 status code (no body)", "403 status code (no body)"),
            (json!("plain words"), "403 plain words", "403 plain words"),
        ] {
            assert_eq!(judged(Family::R2026_7, 403, body.clone()).text, before);
            assert_eq!(judged(Family::R2026_9, 403, body).text, newest);
        }
        let forwarded =
            json!({"error": {"message": "Provider returned error", "metadata": {"raw": "too many"}}});
        assert_eq!(judged(Family::R2026_5, 403, forwarded).text, "403 Provider returned error\ntoo many");
    }

    #[test]
    fn a_code_in_the_body_counts_where_the_release_looks_at_it() {
        // Runs of 2026.7.1 and 2026.9.6: 429 with this code cools down there and is billing here.
        let body = || json!({"error": {"message": "Rate limit reached", "code": "insufficient_quota"}});
        assert_eq!(judged(Family::R2026_5, 429, body()).reason, Some(Reason::RateLimit));
        assert_eq!(judged(Family::R2026_7, 429, body()).reason, Some(Reason::RateLimit));
        assert_eq!(judged(Family::R2026_9, 429, body()).reason, Some(Reason::Billing));
        // To 2026.5 a code in the body is no reason where the text gives none.
        let coded = json!({"error": {"message": "odd thing", "code": "ECONNRESET"}});
        assert_eq!(judged(Family::R2026_3, 418, coded.clone()).reason, None);
        assert_eq!(judged(Family::R2026_5, 418, coded).reason, None);
    }

    #[test]
    fn long_bodies_are_cut_before_they_are_judged() {
        let long = json!({"error": {"message": "x".repeat(600), "code": "insufficient_quota"}});
        let body = Body::read(Family::R2026_7, &long);
        let details = body.details(Family::R2026_7);
        assert_eq!(details.len(), 1, "no JSON any more");
        assert_eq!(details[0].chars().count(), 503);
    }
}
