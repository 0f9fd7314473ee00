//! Reading statuses, prefixes and JSON bodies out of an error's text, as ECMAScript would.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::ecma::Lazy;
use crate::engine::types::Family;

/// ECMAScript's white space and line ends: Unicode's without U+0085, with U+FEFF.
pub(super) fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

fn strip_prefix_any_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.as_bytes().get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix.as_bytes()) { text.get(prefix.len()..) } else { None }
}

/// A status at the head of a text, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leading<'t> {
    pub(super) status: i64,
    pub(super) rest: &'t str,
}

/// `429`, `429 text`, `HTTP 503: text` at the very start. The colon counts from 2026.5; 2026.9
/// reads only 100 to 599 as a status.
pub(super) fn leading_status(family: Family, text: &str) -> Option<Leading<'_>> {
    let head = match strip_prefix_any_case(text, "http") {
        Some(rest) => trim_start(rest),
        None => text,
    };
    let digits = head.as_bytes().get(..3)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let status = digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    if family == Family::R2026_9 && !(100..600).contains(&status) {
        return None;
    }
    let after = &head[3..];
    if after.is_empty() {
        return Some(Leading { status, rest: "" });
    }
    let blanks_cut = trim_start(after);
    if family > Family::R2026_3
        && let Some(rest) = blanks_cut.strip_prefix(':').filter(|rest| !rest.is_empty())
    {
        return Some(Leading { status, rest: trim(rest) });
    }
    let blanks = after[..after.len() - blanks_cut.len()].chars().count();
    // At least one blank, and at least one character after it.
    let separated = blanks >= 2 || (blanks == 1 && !blanks_cut.is_empty());
    separated.then(|| Leading { status, rest: trim(blanks_cut) })
}

/// The text behind a leading `error:`.
pub(super) fn strip_error_prefix(text: &str) -> &str {
    match strip_prefix_any_case(text, "error:") {
        Some(rest) => trim(rest),
        None => trim(text),
    }
}

/// Nothing but a status: `400 status code (no body)` and its like.
pub(super) fn is_no_body(family: Family, text: &str, status: i64) -> bool {
    const NO_BODY: [&str; 4] = ["no body", "no body response", "no response body", "status code (no body)"];
    let is_marker = |rest: &str| NO_BODY.iter().any(|marker| rest.eq_ignore_ascii_case(marker));
    let trimmed = trim(text);
    let direct = leading_status(family, trimmed);
    let bare = if direct.is_some() { trimmed } else { strip_error_prefix(trimmed) };
    match direct.or_else(|| leading_status(family, bare)) {
        Some(leading) => leading.status == status && is_marker(leading.rest),
        None => is_marker(bare),
    }
}

/// A whole HTML page, behind a status or `error:` perhaps.
pub(super) fn is_html(family: Family, text: &str) -> bool {
    static HEAD: Lazy = Lazy::new(r"^\s*(?:<!doctype\s+html\b|<html\b)");
    static END: Lazy = Lazy::new("</html>");
    let trimmed = trim(text);
    let direct = leading_status(family, trimmed);
    let bare = if direct.is_some() { trimmed } else { strip_error_prefix(trimmed) };
    let body = direct.or_else(|| leading_status(family, bare)).map_or(bare, |leading| leading.rest);
    body.starts_with('<') && HEAD.is_match(body) && END.is_match(body)
}

/// What a 402 says once its own wrapper is taken off; 2026.9 ignores words inside addresses.
pub(super) fn payment_text(family: Family, text: &str) -> Cow<'_, str> {
    static WRAPPER: Lazy = Lazy::new(
        r"^(?:error[:\s-]+)?(?:(?:http\s*)?402(?:\s+payment required)?|payment required)(?:[:\s-]+|$)",
    );
    static ADDRESS: Lazy = Lazy::new(r#"\bhttps?://[^\s<>"']+"#);
    let trimmed = trim(text);
    let from = WRAPPER.get().and_then(|re| re.find(trimmed)).map_or(0, |found| found.end());
    let rest = trim(&trimmed[from..]);
    match ADDRESS.get() {
        Some(address) if family == Family::R2026_9 && rest.contains("://") => {
            Cow::Owned(trim(&address.replace_all(rest, " ")).to_owned())
        }
        _ => Cow::Borrowed(rest),
    }
}

/// Report 147644: `tokens per minute (TPM): Limit 8000, Requested 10250`.
pub(super) fn over_token_rate(text: &str) -> bool {
    static SIZES: Lazy =
        Lazy::new(r"(?:\btpm\b|tokens per minute)[^.\n]*?\blimit\s+([\d,]+)[^.\n]*?\brequested\s+([\d,]+)");
    let Some(groups) = SIZES.get().and_then(|re| re.captures(text)) else { return false };
    let number = |group: usize| {
        let digits = groups.get(group)?.as_str().replace(',', "");
        digits.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)
    };
    matches!((number(1), number(2)), (Some(limit), Some(requested)) if requested > limit)
}

/// More than one second-level heading: the text is a document that talks about errors (2026.9).
pub(super) fn is_document(text: &str) -> bool {
    static HEADING: Lazy = Lazy::new(r"(?:^|\n)##\s+\S");
    text.contains("##") && HEADING.get().is_some_and(|re| re.find_iter(text).nth(1).is_some())
}

/// Length as ECMAScript counts it, only when it can exceed the limit at all.
pub(super) fn longer_than(text: &str, limit: usize) -> bool {
    text.len() > limit && text.encode_utf16().count() > limit
}

/// What a JSON error body names as its type and code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) error_type: Option<String>,
    pub(super) code: Option<String>,
}

/// The body of a text that is JSON, behind a status and an `API error:` prefix perhaps.
pub(super) fn body(family: Family, text: &str) -> Option<Body> {
    static PREFIX: Lazy = Lazy::new(
        r"^(?:error|(?:[a-z][\w-]*\s+)?api\s*error|apierror|openai\s*error|anthropic\s*error|gateway\s*error|codex\s*error)(?:\s+\d{3})?[:\s-]+",
    );
    let trimmed = trim(text);
    if !trimmed.ends_with('}') {
        return None;
    }
    let after_status = if family == Family::R2026_9 {
        leading_status(family, trimmed).map(|leading| leading.rest)
    } else {
        // Three digits and a blank; no `HTTP`, no colon.
        trimmed
            .get(..3)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .map(|_| &trimmed[3..])
            .filter(|rest| rest.starts_with(is_blank))
            .map(trim)
    };
    let candidate = after_status.unwrap_or(trimmed);
    let json = if candidate.starts_with('{') {
        candidate
    } else {
        let from = PREFIX.get()?.find(candidate)?.end();
        trim(&candidate[from..])
    };
    if !json.starts_with('{') {
        return None;
    }
    let mut payload = match serde_json::from_str::<Value>(json) {
        Ok(Value::Object(payload)) if is_error(&payload) => payload,
        _ => return None,
    };
    if family == Family::R2026_9 {
        // A gateway that tried several upstreams tells the last one's error in `attempts`.
        for _ in 0..4 {
            let last = payload
                .get_mut("error")
                .and_then(|error| error.get_mut("attempts"))
                .and_then(|attempts| attempts.as_array_mut()?.last_mut())
                .and_then(|attempt| attempt.get_mut("details"));
            match last.map(Value::take) {
                Some(Value::Object(details)) if is_error(&details) => payload = details,
                _ => break,
            }
        }
    }
    let error = payload.get("error");
    let inner_type = member(error, "type");
    let inner_code = member(error, "code");
    let named = match error {
        Some(Value::String(name)) => Some(name.as_str()),
        _ if inner_type.is_none_or(str::is_empty) => inner_code.or(inner_type),
        _ => inner_type,
    };
    let outer = |name| payload.get(name).and_then(Value::as_str);
    Some(Body {
        error_type: named.or_else(|| outer("type")).map(str::to_owned),
        code: inner_code.or_else(|| outer("code")).map(str::to_owned),
    })
}

fn member<'v>(value: Option<&'v Value>, name: &str) -> Option<&'v str> {
    value?.get(name)?.as_str()
}

fn is_error(payload: &Map<String, Value>) -> bool {
    let text = |name| payload.get(name).and_then(Value::as_str);
    let error = payload.get("error");
    text("type") == Some("error")
        || text("request_id").is_some()
        || text("requestId").is_some()
        || ["message", "type", "code"].iter().any(|name| member(error, name).is_some())
        || (error.is_some_and(Value::is_string) && text("message").is_some())
}

/// The strings of a response body that can tell what went wrong, outermost first: the members
/// `message`, `param`, `code`, `type`, `error`, `detail` and `body`, also nested and inside strings
/// that are JSON themselves; at most 12, each cut after 1,000 UTF-16 units.
#[must_use]
pub fn body_details(body: &str) -> Vec<String> {
    let mut details = Vec::new();
    collect_details(&Value::String(body.to_owned()), &mut details);
    details
}

const MOST_DETAILS: usize = 12;

fn collect_details(value: &Value, details: &mut Vec<String>) {
    const LONGEST: usize = 1000;
    const MEMBERS: [&str; 7] = ["message", "param", "code", "type", "error", "detail", "body"];
    if details.len() >= MOST_DETAILS {
        return;
    }
    let text = match value {
        Value::String(text) => trim(text).to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Object(members) => {
            for member in MEMBERS.iter().filter_map(|name| members.get(*name)) {
                collect_details(member, details);
            }
            return;
        }
        Value::Null | Value::Array(_) => return,
    };
    let inner = match value {
        Value::String(_) if text.starts_with('{') && text.ends_with('}') => {
            serde_json::from_str::<Value>(&text).ok()
        }
        _ => None,
    };
    let mut units = 0;
    let cut: String = text
        .chars()
        .take_while(|c| {
            units += c.len_utf16();
            units <= LONGEST
        })
        .collect();
    if !cut.is_empty() && !details.contains(&cut) {
        details.push(cut);
    }
    if let Some(inner) = inner {
        collect_details(&inner, details);
    }
}
