//! From a gateway's log, or a list of an incident's errors, to a script that replays it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use indexmap::IndexMap;
use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::model::{Origin, Reply, ReplyKind, ReplyRule, Script, Send, Step};
use crate::base::error::Error;
use crate::base::time::{Millis, parse_time};
use crate::engine::rules::RuleSet;
use crate::engine::types::Reason;

/// `embedded run failover decision: runId=... decision=... reason=... from=provider/model profile=...`
static ATTEMPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"embedded run failover decision: runId=(?<run>\S+) .*?\breason=(?<reason>\S+)(?: .*?)? (?:from|provider)=(?<provider>[^/\s]+)/(?<model>\S+)(?: profile=(?<profile>\S+))?(?: rawError=(?<error>.*))?$",
    )
    .ok()
});
/// `model fallback decision: decision=... requested=... candidate=... reason=... next=... detail=...`
static CANDIDATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"model fallback decision: decision=(?<decision>\S+) requested=(?<requested>\S+) candidate=(?<provider>[^/\s]+)/(?<model>\S+) reason=(?<reason>\S+) next=(?<next>\S+)(?: detail=(?<error>.*))?$",
    )
    .ok()
});
static COLOUR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;]*m").ok());
static TIME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)").ok());

/// Builds a script from console lines or JSONL of a gateway's log, or from JSONL objects with
/// `provider`, `status` / `message` / `reason` and optionally `time`, `profile`, `model`, `session`.
///
/// Each run in the log becomes a send, the time between runs an `advance`, each logged error a reply of
/// its profile and model. An error that the release repeats before it logs it is given as often, so that
/// the replay with `rules` meets the next one where the log has it. Logs name profiles by a digest; those
/// of `profiles` are found again, others are left open. Config and store stay the machine's.
///
/// # Errors
/// Nothing in the text speaks of a failed call.
pub fn from_log(text: &str, label: &str, rules: &RuleSet, profiles: &[&str]) -> Result<Script, Box<Error>> {
    let mut log =
        Log { rules, names: profiles.iter().map(|id| (digest(id), *id)).collect(), ..Log::new(rules) };
    for line in text.trim_start_matches('\u{feff}').lines() {
        log.read(line);
    }
    if log.replies.is_empty() {
        return Err(Box::new(
            Error::usage("nothing in this log speaks of a failed call").at(label).hint(
                "expected lines with \"model fallback decision\" or \"embedded run failover decision\", or JSONL with provider and status",
            ),
        ));
    }
    Ok(log.into_script(label))
}

/// How OpenClaw writes a profile's id into a log.
fn digest(id: &str) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(id.as_bytes()).iter().take(6) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

type Caller = (String, Option<String>, Option<String>);

struct Log<'a> {
    rules: &'a RuleSet,
    names: IndexMap<String, &'a str>,
    start: Option<Millis>,
    last: Option<Millis>,
    steps: Vec<Step>,
    replies: IndexMap<Caller, Vec<Reply>>,
    /// The run that is being told, and whether its end was logged.
    run: Option<String>,
    closed: bool,
}

/// What one line says.
struct Failure<'t> {
    provider: &'t str,
    model: Option<&'t str>,
    profile: Option<&'t str>,
    reason: Option<Reason>,
    error: Option<&'t str>,
}

impl<'a> Log<'a> {
    fn new(rules: &'a RuleSet) -> Self {
        Self {
            rules,
            names: IndexMap::new(),
            start: None,
            last: None,
            steps: Vec::new(),
            replies: IndexMap::new(),
            run: None,
            closed: true,
        }
    }

    fn read(&mut self, line: &str) {
        let json: Option<Value> =
            line.trim_start().starts_with('{').then(|| serde_json::from_str(line).ok()).flatten();
        let words = json.as_ref().map_or_else(|| line.to_string(), flatten);
        let plain =
            COLOUR.as_ref().map_or_else(|| words.as_str().into(), |colour| colour.replace_all(&words, ""));
        let time = json
            .as_ref()
            .and_then(|json| {
                ["time", "timestamp", "ts", "at", "date"].iter().find_map(|key| time_of(json.get(*key)?))
            })
            .or_else(|| TIME.as_ref()?.find(&plain).and_then(|found| parse_time(found.as_str()).ok()));
        for part in plain.lines() {
            self.read_text(part.trim(), time);
        }
        if let Some(json) = &json {
            self.read_object(json, time);
        }
    }

    fn read_text(&mut self, text: &str, time: Option<Millis>) {
        let reason = |word: &str| word.parse::<Reason>().ok();
        if let Some(found) = ATTEMPT.as_ref().and_then(|pattern| pattern.captures(text)) {
            let part = |name: &str| found.name(name).map(|part| part.as_str());
            self.open(part("run"), time);
            self.failed(Failure {
                provider: part("provider").unwrap_or_default(),
                model: part("model"),
                profile: part("profile"),
                reason: part("reason").and_then(reason),
                error: part("error"),
            });
        } else if let Some(found) = CANDIDATE.as_ref().and_then(|pattern| pattern.captures(text)) {
            let part = |name: &str| found.name(name).map(|part| part.as_str());
            let candidate = format!("{}/{}", &found["provider"], &found["model"]);
            let first = part("requested") == Some(&candidate);
            if self.closed || (first && self.steps.is_empty()) {
                self.open(None, time);
            }
            let answered = part("decision") == Some("candidate_succeeded");
            self.closed = answered || part("next") == Some("none");
            let caller = (found["provider"].to_string(), None, Some(found["model"].to_string()));
            if answered {
                self.replies.entry(caller).or_default();
            }
        }
    }

    fn read_object(&mut self, json: &Value, time: Option<Millis>) {
        let text = |key: &str| json.get(key).and_then(Value::as_str);
        let Some(provider) = text("provider").filter(|_| text("event").is_none()) else { return };
        let (provider, model) = match provider.split_once('/') {
            Some((provider, model)) => (provider, Some(model)),
            None => (provider, text("model")),
        };
        let status = json.get("status").and_then(Value::as_i64);
        let message = text("message").or_else(|| text("error"));
        let reason = text("reason").and_then(|word| word.parse().ok());
        if status.is_none() && message.is_none() && reason.is_none() {
            return;
        }
        let run = text("run").or_else(|| text("runId")).or_else(|| text("session"));
        self.open(run, time);
        let error = match (status, message) {
            (Some(status), Some(message)) => Some(format!("{status} {message}")),
            (Some(status), None) => Some(status.to_string()),
            (None, message) => message.map(str::to_string),
        };
        let profile = text("profile").or_else(|| text("profileId"));
        self.failed(Failure { provider, model, profile, reason, error: error.as_deref() });
    }

    /// Begins a send unless the line belongs to the run that is being told.
    fn open(&mut self, run: Option<&str>, time: Option<Millis>) {
        let same = !self.closed && (run.is_none() || self.run.is_none() || self.run.as_deref() == run);
        if same {
            self.run = run.map(str::to_string).or(self.run.take());
            self.last = time.or(self.last);
            return;
        }
        if let (Some(before), Some(now)) = (self.last, time)
            && now > before
        {
            self.steps.push(Step::Advance(now - before));
        }
        self.start = self.start.or(time);
        self.last = time.or(self.last);
        self.run = run.map(str::to_string);
        self.closed = false;
        self.steps.push(Step::Send(Send::default()));
    }

    fn failed(&mut self, failure: Failure<'_>) {
        let profile = failure.profile.and_then(|name| match self.names.get(name) {
            Some(known) => Some((*known).to_string()),
            None => (!name.starts_with("sha256:") && name != "-").then(|| name.to_string()),
        });
        let reply = reply_of(failure.reason, failure.error);
        let times = self.requests(&reply, failure.reason);
        let caller = (failure.provider.to_string(), profile, failure.model.map(str::to_string));
        let replies = self.replies.entry(caller).or_default();
        replies.extend(std::iter::repeat_n(reply, times));
    }

    /// How many requests the release makes of such an error before it logs it.
    fn requests(&self, reply: &Reply, reason: Option<Reason>) -> usize {
        let run = &self.rules.run;
        let transient = reply.status.is_some_and(|status| matches!(status, 408 | 409 | 429) || status >= 500);
        let count = match reason {
            Some(Reason::RateLimit) if run.same_model.rate_limit_retries > 0 => {
                1 + run.same_model.rate_limit_retries
            }
            Some(Reason::Overloaded | Reason::ServerError | Reason::Timeout)
                if run.same_model.transient_retries > 0 =>
            {
                run.same_model.transient_retries - 1
            }
            _ if reply.status == Some(429) && run.transport.client_skips_plain_429 => 1,
            _ if transient => run.transport.client_attempts * run.transport.outer_attempts,
            _ => 1,
        };
        count as usize
    }

    fn into_script(self, label: &str) -> Script {
        let replies = self.replies.into_iter().filter(|(_, then)| !then.is_empty()).map(
            |((provider, profile, model), mut then)| {
                // What the log doesn't show was answered.
                then.push(Reply::default());
                ReplyRule { provider: Some(provider), profile, model, then }
            },
        );
        Script {
            origin: Origin { label: label.to_string(), line: None },
            name: Some(format!("from {label}")),
            start: self.start,
            replies: replies.collect(),
            steps: self.steps,
            ..Script::default()
        }
    }
}

fn time_of(value: &Value) -> Option<Millis> {
    value.as_i64().map(Millis).or_else(|| parse_time(value.as_str()?).ok())
}

/// Every text of a log entry, a line each.
fn flatten(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flatten).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.values().map(flatten).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// A reply that the classifier gives the logged reason; the logged text where there is one.
fn reply_of(reason: Option<Reason>, error: Option<&str>) -> Reply {
    let text = error.map(str::trim).filter(|text| !text.is_empty());
    if text.is_none() && reason == Some(Reason::Timeout) {
        return Reply { kind: ReplyKind::Timeout, ..Reply::default() };
    }
    let (leading, rest) = text.map_or((None, None), |text| {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word.parse::<i64>() {
            Ok(status) if (100..=999).contains(&status) => {
                (Some(status), Some(rest.trim()).filter(|rest| !rest.is_empty()))
            }
            _ => (None, Some(text)),
        }
    });
    let (status, words) = match reason {
        Some(Reason::Auth) => (Some(401), "Incorrect API key provided"),
        Some(Reason::AuthPermanent) => (Some(401), "This API key has been revoked: api_key_revoked"),
        Some(Reason::Billing) => (Some(402), "Insufficient credits"),
        Some(Reason::RateLimit) => (Some(429), "Rate limit reached"),
        Some(Reason::Overloaded) => (Some(529), "Overloaded"),
        Some(Reason::ServerError) => (Some(500), "Internal server error"),
        Some(Reason::ModelNotFound) => (Some(404), "The model does not exist"),
        Some(Reason::Format) => (Some(400), "Invalid request"),
        _ => (None, "error"),
    };
    Reply {
        kind: ReplyKind::Error,
        status: leading.or(status.filter(|_| text.is_none())),
        message: rest.map(str::to_string).or_else(|| text.is_none().then(|| words.to_string())),
        ..Reply::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> RuleSet {
        RuleSet::builtin("2026.7").expect("a rule set")
    }

    #[test]
    fn a_console_log_becomes_sends_advances_and_replies() {
        let text = "\
2026-07-04T12:00:00.000Z \u{1b}[33m[agent/embedded]\u{1b}[39m embedded run failover decision: runId=r1 stage=assistant decision=rotate_profile reason=billing from=openai/gpt-x profile=sha256:2565bc2621aa rawError=402 Insufficient credits\u{1b}[39m
2026-07-04T12:00:01.000Z [agent/embedded] embedded run failover decision: runId=r1 stage=assistant decision=fallback_model reason=rate_limit from=openai/gpt-x profile=sha256:000000000000 rawError=429 Rate limit reached
2026-07-04T12:00:01.000Z [model-fallback/decision] model fallback decision: decision=candidate_failed requested=openai/gpt-x candidate=openai/gpt-x reason=rate_limit next=anthropic/claude-x detail=429 Rate limit reached
2026-07-04T12:00:02.000Z [model-fallback/decision] model fallback decision: decision=candidate_succeeded requested=openai/gpt-x candidate=anthropic/claude-x reason=unknown next=none
2026-07-04T12:05:02.000Z [model-fallback/decision] model fallback decision: decision=skip_candidate requested=openai/gpt-x candidate=openai/gpt-x reason=billing next=anthropic/claude-x detail=Provider openai is in cooldown
";
        let script = from_log(text, "gateway.log", &rules(), &["mocka:k1"]).expect("a script");
        assert_eq!(script.start, Some(Millis(1_783_166_400_000)));
        let steps: Vec<&str> = script
            .steps
            .iter()
            .map(|step| if matches!(step, Step::Send(_)) { "send" } else { "advance" })
            .collect();
        assert_eq!(steps, ["send", "advance", "send"]);
        assert_eq!(script.steps[1], Step::Advance(Millis(301_000)));
        // The digest that the real log has for this made-up profile.
        assert_eq!(script.replies[0].profile.as_deref(), Some("mocka:k1"));
        assert_eq!(script.replies[0].then[0].status, Some(402));
        assert_eq!(script.replies[0].then[0].message.as_deref(), Some("Insufficient credits"));
        assert_eq!(script.replies[1].profile, None);
    }

    #[test]
    fn json_lines_and_incidents_are_read() {
        let log = r#"{"0":"{\"subsystem\":\"agent/embedded\"}","2":"embedded run failover decision: runId=s1 stage=assistant decision=rotate_profile reason=auth provider=openai/gpt-x profile=sha256:2565bc2621aa","time":"2026-07-04T12:00:00Z"}"#;
        let script = from_log(log, "-", &rules(), &["mocka:k1"]).expect("a script");
        assert_eq!(script.replies[0].then[0].status, Some(401));
        let incident = r#"{"time": 1783166400000, "provider": "openai", "profile": "openai:a", "model": "gpt-x", "status": 503, "message": "Service temporarily unavailable"}"#;
        let script = from_log(incident, "-", &rules(), &[]).expect("a script");
        assert_eq!(script.replies[0].profile.as_deref(), Some("openai:a"));
        assert_eq!(script.replies[0].then.len(), 4, "three requests and the answer after them");
    }

    #[test]
    fn a_log_without_failures_is_refused() {
        let error = from_log("all is well\n", "gateway.log", &rules(), &[]).expect_err("nothing to replay");
        assert_eq!(error.to_string(), "nothing in this log speaks of a failed call (gateway.log)");
    }
}
