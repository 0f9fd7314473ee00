//! From text to scripts, with every mistake named at its line, column and JSON path.

use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::model::{
    CooldownExpect, Expect, ExpectWindow, Given, Origin, Reply, ReplyKind, ReplyRule, ResetAt, Resume,
    Script, Send, Step,
};
use super::span::{Kind, Member, Node, line_column, members_to_map, parse_json5};
use super::units::duration;
use crate::base::error::Error;
use crate::base::time::{Millis, parse_time};
use crate::engine::session::Source;

/// A mistake in a script; `place` has the file, line, column and JSON path.
pub type ScriptError = Error;

/// Reads one JSON5 script, or JSONL with one script a line.
///
/// Text counts as JSONL when `label` ends with `.jsonl`, or when a second value follows the first.
/// Blank lines of JSONL are passed over. `label` names the text in errors and results.
///
/// # Errors
/// Every mistake: syntax, unknown keys (with a near match), wrong types, unreadable durations,
/// more `expect` items than sends.
pub fn parse(text: &str, label: &str) -> Result<Vec<Script>, Vec<ScriptError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let by_line = label.to_ascii_lowercase().ends_with(".jsonl");
    if !by_line {
        match parse_json5(text) {
            Ok(root) => {
                let origin = Origin { label: label.to_string(), line: None };
                return Reader::new(text, 0, origin).script(&root).map(|script| vec![script]);
            }
            Err(errors) if errors.iter().any(|error| error.more_follows) => {}
            Err(errors) => return Err(syntax_errors(text, 0, label, &errors)),
        }
    }
    let mut scripts = Vec::new();
    let mut failed = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let origin = Origin { label: label.to_string(), line: Some(index + 1) };
        match parse_json5(line) {
            Ok(root) => match Reader::new(line, index, origin).script(&root) {
                Ok(script) => scripts.push(script),
                Err(errors) => failed.extend(errors),
            },
            Err(errors) => failed.extend(syntax_errors(line, index, label, &errors)),
        }
    }
    if failed.is_empty() { Ok(scripts) } else { Err(failed) }
}

pub(super) fn syntax_errors(
    text: &str,
    lines_before: usize,
    label: &str,
    errors: &[super::span::SyntaxError],
) -> Vec<Error> {
    errors
        .iter()
        .map(|error| {
            let (line, column) = line_column(text, error.at);
            Error::usage(error.message.clone())
                .at(label)
                .at_line(line + lines_before, column)
                .hint("scripts are JSON5: keys may be bare, comments and trailing commas are fine")
        })
        .collect()
}

const SCRIPT_KEYS: &[&str] = &[
    "version", "name", "rules", "start", "agent", "config", "store", "sessions", "env", "replies", "steps",
    "expect", "resume",
];
const STORE_KEYS: &[&str] = &["version", "profiles", "order", "usageStats", "lastGood"];
const RULE_KEYS: &[&str] = &["provider", "profile", "model", "then"];
const REPLY_KEYS: &[&str] = &[
    "status",
    "message",
    "code",
    "type",
    "body",
    "headers",
    "retryAfter",
    "resetAt",
    "resetIn",
    "stopReason",
    "refusal",
    "switchTo",
    "takes",
];
const REPLY_WORDS: &[&str] = &["ok", "timeout", "abort", "empty"];
const STEP_KEYS: &[&str] = &["send", "advance", "pick", "reset", "compact", "restart", "set", "patch"];
const SEND_KEYS: &[&str] =
    &["session", "model", "profile", "source", "heartbeatModel", "fallbacks", "group", "image", "via"];
const EXPECT_KEYS: &[&str] = &["chosen", "profile", "outcome", "attempts", "notice", "cooldowns"];
const WINDOW_KEYS: &[&str] = &["kind", "reason", "model", "lasts"];
const OUTCOMES: &[&str] = &["answered", "failed", "ended", "aborted"];
const WINDOW_KINDS: &[&str] = &["cooldown", "disabled", "blocked"];

pub(super) struct Reader<'t> {
    text: &'t str,
    lines_before: usize,
    origin: Origin,
    pub(super) errors: Vec<Error>,
}

/// Members of an object whose keys were checked.
pub(super) struct Fields<'n>(&'n [Member]);

impl<'n> Fields<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.0.iter().find(|member| member.name == key).map(|member| &member.value)
    }
}

/// `path.key`, quoted where a key isn't a plain word.
pub(super) fn child(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match (plain, path.is_empty()) {
        (true, true) => key.to_string(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}

pub(super) fn item(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// The known word that somebody probably meant.
fn near<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), *candidate)
        })
        .min()
        .filter(|(distance, candidate)| *distance <= (candidate.len().max(word.len()) / 3).max(1))
        .map(|(_, candidate)| candidate)
}

fn listed(known: &[&str]) -> String {
    let mut text = String::new();
    for (index, word) in known.iter().enumerate() {
        let _ = write!(text, "{}{word}", if index == 0 { "" } else { ", " });
    }
    text
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, lines_before: usize, origin: Origin) -> Self {
        Self { text, lines_before, origin, errors: Vec::new() }
    }

    pub(super) fn error(&mut self, at: usize, path: &str, message: impl Into<String>) -> &mut Error {
        let (line, column) = line_column(self.text, at);
        let mut error =
            Error::usage(message).at(&self.origin.label).at_line(line + self.lines_before, column);
        if !path.is_empty() {
            error = error.at_json_path(path);
        }
        self.errors.push(error);
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    pub(super) fn wrong_type(&mut self, node: &Node, path: &str, wanted: &str) {
        self.error(node.at, path, format!("expected {wanted}, found {}", node.what()));
    }

    pub(super) fn fields<'n>(&mut self, node: &'n Node, path: &str, known: &[&str]) -> Option<Fields<'n>> {
        let Kind::Object(members) = &node.kind else {
            self.wrong_type(node, path, "an object");
            return None;
        };
        for member in members {
            if !known.contains(&member.name.as_str()) {
                let hint = near(&member.name, known).map_or_else(
                    || format!("known keys: {}", listed(known)),
                    |word| format!("did you mean \"{word}\"?"),
                );
                let error = self.error(
                    member.name_at,
                    &child(path, &member.name),
                    format!("unknown key {:?}", member.name),
                );
                error.hints.push(hint);
            }
        }
        Some(Fields(members))
    }

    pub(super) fn text(&mut self, node: &Node, path: &str) -> Option<String> {
        if let Kind::Text(text) = &node.kind {
            return Some(text.clone());
        }
        self.wrong_type(node, path, "a string");
        None
    }

    pub(super) fn word(&mut self, node: &Node, path: &str, known: &[&str]) -> Option<String> {
        let text = self.text(node, path)?;
        if known.contains(&text.as_str()) {
            return Some(text);
        }
        let hint = near(&text, known)
            .map_or_else(|| format!("one of {}", listed(known)), |word| format!("did you mean \"{word}\"?"));
        self.error(node.at, path, format!("{text:?} isn't known here")).hints.push(hint);
        None
    }

    fn flag(&mut self, node: &Node, path: &str) -> Option<bool> {
        if let Kind::Bool(flag) = node.kind {
            return Some(flag);
        }
        self.wrong_type(node, path, "true or false");
        None
    }

    pub(super) fn whole(&mut self, node: &Node, path: &str) -> Option<i64> {
        if let Kind::Number(number) = &node.kind
            && let Some(whole) = number.as_i64()
        {
            return Some(whole);
        }
        self.wrong_type(node, path, "a whole number");
        None
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node, path: &str) -> &'n [Node] {
        if let Kind::List(items) = &node.kind {
            return items;
        }
        self.wrong_type(node, path, "a list");
        &[]
    }

    pub(super) fn texts(&mut self, node: &Node, path: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (index, entry) in self.list(node, path).iter().enumerate() {
            texts.extend(self.text(entry, &item(path, index)));
        }
        texts
    }

    /// A duration: text with units, or a number of milliseconds.
    fn duration(&mut self, node: &Node, path: &str) -> Option<Millis> {
        match &node.kind {
            Kind::Text(text) => match duration(text) {
                Ok(length) => Some(length),
                Err(message) => {
                    self.error(node.at, path, message);
                    None
                }
            },
            Kind::Number(number)
                if number.as_i64().is_some_and(|ms| (0..=32_000_000_000_000).contains(&ms)) =>
            {
                number.as_i64().map(Millis)
            }
            _ => {
                self.wrong_type(node, path, "a duration such as \"45s\"");
                None
            }
        }
    }

    fn time(&mut self, node: &Node, path: &str) -> Option<Millis> {
        match &node.kind {
            Kind::Number(number) if number.as_i64().is_some() => number.as_i64().map(Millis),
            Kind::Text(text) => match parse_time(text) {
                Ok(time) => Some(time),
                Err(message) => {
                    self.error(node.at, path, message);
                    None
                }
            },
            _ => {
                self.wrong_type(node, path, "a time (RFC 3339 or milliseconds)");
                None
            }
        }
    }

    fn map(&mut self, node: &Node, path: &str) -> Option<Map<String, Value>> {
        if let Kind::Object(members) = &node.kind {
            return Some(members_to_map(members));
        }
        self.wrong_type(node, path, "an object");
        None
    }

    fn given(&mut self, node: &Node, path: &str) -> Option<Given> {
        match &node.kind {
            Kind::Text(file) if !file.trim().is_empty() => Some(Given::Path(file.clone())),
            Kind::Object(_) => Some(Given::Inline(node.to_value())),
            _ => {
                self.wrong_type(node, path, "a path or an object");
                None
            }
        }
    }

    fn script(mut self, root: &Node) -> Result<Script, Vec<Error>> {
        let mut script = Script { origin: self.origin.clone(), ..Script::default() };
        if let Some(fields) = self.fields(root, "", SCRIPT_KEYS) {
            if let Some(node) = fields.get("version")
                && let Some(version) = self.whole(node, "version")
                && version != 1
            {
                self.error(
                    node.at,
                    "version",
                    format!("version {version} isn't known; this clawctl reads version 1"),
                );
            }
            script.name = fields.get("name").and_then(|node| self.text(node, "name"));
            script.rules = fields.get("rules").and_then(|node| self.text(node, "rules"));
            script.start = fields.get("start").and_then(|node| self.time(node, "start"));
            script.agent = fields.get("agent").and_then(|node| self.text(node, "agent"));
            script.config = fields.get("config").and_then(|node| self.given(node, "config"));
            script.store = fields.get("store").and_then(|node| self.store(node));
            script.sessions = fields.get("sessions").and_then(|node| self.sessions(node));
            script.env = fields.get("env").map(|node| self.env(node)).unwrap_or_default();
            script.replies = fields.get("replies").map(|node| self.replies(node)).unwrap_or_default();
            let steps = fields.get("steps");
            script.steps = match steps {
                Some(node) => self.steps(node),
                None => vec![Step::Send(Send::default())],
            };
            script.expect = fields.get("expect").map(|node| self.expects(node)).unwrap_or_default();
            script.resume = fields.get("resume").and_then(|node| self.resume(node));
            let sends = script.steps.iter().filter(|step| matches!(step, Step::Send(_))).count();
            if let Some(node) = fields.get("expect")
                && script.expect.len() > sends
                && self.errors.is_empty()
            {
                let count = script.expect.len();
                self.error(
                    node.at,
                    "expect",
                    format!("{count} items, but only {sends} sends: item n is checked after send n"),
                );
            }
        }
        if self.errors.is_empty() { Ok(script) } else { Err(self.errors) }
    }

    fn store(&mut self, node: &Node) -> Option<Given> {
        if matches!(node.kind, Kind::Object(_)) {
            self.fields(node, "store", STORE_KEYS)?;
        }
        self.given(node, "store")
    }

    fn sessions(&mut self, node: &Node) -> Option<IndexMap<String, Map<String, Value>>> {
        let Kind::Object(members) = &node.kind else {
            self.wrong_type(node, "sessions", "an object of session entries by key");
            return None;
        };
        let mut sessions = IndexMap::new();
        for member in members {
            if let Some(entry) = self.map(&member.value, &child("sessions", &member.name)) {
                sessions.insert(member.name.clone(), entry);
            }
        }
        Some(sessions)
    }

    fn env(&mut self, node: &Node) -> IndexMap<String, String> {
        let mut env = IndexMap::new();
        let Kind::Object(members) = &node.kind else {
            self.wrong_type(node, "env", "an object of strings");
            return env;
        };
        for member in members {
            let path = child("env", &member.name);
            let text = match &member.value.kind {
                Kind::Number(number) => Some(number.to_string()),
                Kind::Bool(flag) => Some(flag.to_string()),
                _ => self.text(&member.value, &path),
            };
            if let Some(text) = text {
                env.insert(member.name.clone(), text);
            }
        }
        env
    }

    fn replies(&mut self, node: &Node) -> Vec<ReplyRule> {
        let mut rules = Vec::new();
        for (index, entry) in self.list(node, "replies").iter().enumerate() {
            let path = item("replies", index);
            let Some(fields) = self.fields(entry, &path, RULE_KEYS) else { continue };
            let mut text = |key: &str| fields.get(key).and_then(|node| self.text(node, &child(&path, key)));
            let (provider, profile, model) = (text("provider"), text("profile"), text("model"));
            let then_path = child(&path, "then");
            let then = match fields.get("then") {
                Some(Node { kind: Kind::List(items), .. }) if !items.is_empty() => items
                    .iter()
                    .enumerate()
                    .filter_map(|(index, reply)| self.reply(reply, &item(&then_path, index)))
                    .collect(),
                Some(single @ Node { kind: Kind::Text(_) | Kind::Object(_), .. }) => {
                    self.reply(single, &then_path).into_iter().collect()
                }
                Some(other) => {
                    self.error(other.at, &then_path, "expected a list with at least one reply");
                    Vec::new()
                }
                None => {
                    self.error(entry.at, &path, "\"then\" is missing: the list of replies");
                    Vec::new()
                }
            };
            rules.push(ReplyRule { provider, profile, model, then });
        }
        rules
    }

    fn reply(&mut self, node: &Node, path: &str) -> Option<Reply> {
        if let Kind::Text(_) = &node.kind {
            let kind = match self.word(node, path, REPLY_WORDS)?.as_str() {
                "timeout" => ReplyKind::Timeout,
                "abort" => ReplyKind::Abort,
                "empty" => ReplyKind::Empty,
                _ => ReplyKind::Ok,
            };
            return Some(Reply { kind, ..Reply::default() });
        }
        let fields = self.fields(node, path, REPLY_KEYS)?;
        let status = fields.get("status").and_then(|node| {
            let path = child(path, "status");
            let status = self.whole(node, &path)?;
            if (100..=999).contains(&status) {
                return Some(status);
            }
            self.error(node.at, &path, format!("{status} is no HTTP status"));
            None
        });
        let mut reply = Reply { status, ..Reply::default() };
        let mut text = |key: &str| {
            fields.get(key).and_then(|node| match &node.kind {
                Kind::Null => None,
                Kind::Number(number) if key == "code" => Some(number.to_string()),
                _ => self.text(node, &child(path, key)),
            })
        };
        reply.message = text("message");
        reply.code = text("code");
        reply.error_type = text("type");
        reply.stop_reason = text("stopReason");
        reply.switch_to = text("switchTo");
        reply.body = fields.get("body").map(Node::to_value);
        if let Some(node) = fields.get("headers")
            && let Some(headers) = self.map(node, &child(path, "headers"))
        {
            for (name, value) in headers {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                reply.headers.insert(name.to_ascii_lowercase(), text);
            }
        }
        reply.retry_after =
            fields.get("retryAfter").and_then(|node| self.duration(node, &child(path, "retryAfter")));
        reply.takes = fields
            .get("takes")
            .and_then(|node| self.duration(node, &child(path, "takes")))
            .unwrap_or_default();
        let reset_at = fields.get("resetAt").and_then(|node| self.reset_at(node, &child(path, "resetAt")));
        let reset_in = fields
            .get("resetIn")
            .and_then(|node| self.duration(node, &child(path, "resetIn")))
            .map(ResetAt::In);
        if let (Some(_), Some(_), Some(node)) = (&reset_at, &reset_in, fields.get("resetIn")) {
            self.error(node.at, &child(path, "resetIn"), "give resetAt or resetIn, not both");
        }
        reply.reset_at = reset_at.or(reset_in);
        if let Some(node) = fields.get("refusal") {
            let path = child(path, "refusal");
            reply.refusal = match &node.kind {
                Kind::Bool(true) => Some("refusal".into()),
                _ => self.fields(node, &path, &["category"]).map(|inner| {
                    inner
                        .get("category")
                        .and_then(|node| self.text(node, &child(&path, "category")))
                        .unwrap_or_else(|| "refusal".into())
                }),
            };
        }
        let says_error = match reply.status {
            Some(status) => status >= 400,
            None => {
                reply.message.is_some()
                    || reply.code.is_some()
                    || reply.error_type.is_some()
                    || reply.body.is_some()
                    || reply.retry_after.is_some()
                    || reply.reset_at.is_some()
            }
        };
        if says_error
            || reply.refusal.is_some()
            || reply.stop_reason.as_deref().is_some_and(stop_reason_fails)
        {
            reply.kind = ReplyKind::Error;
        }
        Some(reply)
    }

    fn reset_at(&mut self, node: &Node, path: &str) -> Option<ResetAt> {
        if let Kind::Text(text) = &node.kind
            && let Some(offset) = super::units::relative(text)
        {
            return Some(ResetAt::In(offset));
        }
        self.time(node, path).map(ResetAt::At)
    }

    fn steps(&mut self, node: &Node) -> Vec<Step> {
        let mut steps = Vec::new();
        for (index, entry) in self.list(node, "steps").iter().enumerate() {
            let path = item("steps", index);
            let Some(Fields(members)) = self.fields(entry, &path, STEP_KEYS) else { continue };
            let [member] = members else {
                self.error(entry.at, &path, format!("a step has exactly one of {}", listed(STEP_KEYS)));
                continue;
            };
            let path = child(&path, &member.name);
            let value = &member.value;
            let step = match member.name.as_str() {
                "send" => self.send(value, &path).map(Step::Send),
                "advance" => self.duration(value, &path).map(Step::Advance),
                "pick" => self.pick(value, &path),
                "reset" => self.text(value, &path).map(Step::Reset),
                "compact" => self.text(value, &path).map(Step::Compact),
                "restart" => match self.flag(value, &path) {
                    Some(true) => Some(Step::Restart),
                    Some(false) => {
                        self.error(value.at, &path, "leave the step out when there is no restart");
                        None
                    }
                    None => None,
                },
                "set" => self.map(value, &path).map(|patch| Step::Set(Value::Object(patch))),
                "patch" => self.patch(value, &path),
                _ => None,
            };
            steps.extend(step);
        }
        steps
    }

    fn send(&mut self, node: &Node, path: &str) -> Option<Send> {
        let fields = self.fields(node, path, SEND_KEYS)?;
        let mut text = |key: &str| fields.get(key).and_then(|node| self.text(node, &child(path, key)));
        let (session, model, profile, heartbeat_model) =
            (text("session"), text("model"), text("profile"), text("heartbeatModel"));
        let words: Vec<&str> = Source::ALL.iter().map(|source| source.as_str()).collect();
        let source = fields
            .get("source")
            .and_then(|node| self.word(node, &child(path, "source"), &words))
            .and_then(|word| Source::ALL.into_iter().find(|source| source.as_str() == word))
            .unwrap_or_default();
        let mut flag = |key: &str| {
            fields.get(key).and_then(|node| self.flag(node, &child(path, key))).unwrap_or_default()
        };
        let (group, image) = (flag("group"), flag("image"));
        let fallbacks = fields.get("fallbacks").map(|node| self.texts(node, &child(path, "fallbacks")));
        let channel = fields
            .get("via")
            .and_then(|node| self.word(node, &child(path, "via"), &["cli", "channel"]))
            .map(|word| word == "channel");
        Some(Send { session, model, profile, source, heartbeat_model, fallbacks, group, image, channel })
    }

    fn pick(&mut self, node: &Node, path: &str) -> Option<Step> {
        let fields = self.fields(node, path, &["session", "model"])?;
        let session = fields.get("session").and_then(|node| self.text(node, &child(path, "session")));
        let Some(model) = fields.get("model") else {
            self.error(
                node.at,
                path,
                "\"model\" is missing: provider/model, provider/model@profile or \"default\"",
            );
            return None;
        };
        self.text(model, &child(path, "model")).map(|model| Step::Pick { session, model })
    }

    fn patch(&mut self, node: &Node, path: &str) -> Option<Step> {
        let fields = self.fields(node, path, &["session", "set"])?;
        let session = fields.get("session").and_then(|node| self.text(node, &child(path, "session")));
        let Some(set) = fields.get("set") else {
            self.error(node.at, path, "\"set\" is missing: the session fields to change");
            return None;
        };
        self.map(set, &child(path, "set")).map(|set| Step::Patch { session, set })
    }

    fn expects(&mut self, node: &Node) -> Vec<Expect> {
        let mut expects = Vec::new();
        for (index, entry) in self.list(node, "expect").iter().enumerate() {
            let path = item("expect", index);
            let Some(fields) = self.fields(entry, &path, EXPECT_KEYS) else { continue };
            let mut optional = |key: &str| {
                fields.get(key).and_then(|node| match node.kind {
                    Kind::Null => Some(None),
                    _ => self.text(node, &child(&path, key)).map(Some),
                })
            };
            let (chosen, profile, notice) = (optional("chosen"), optional("profile"), optional("notice"));
            let outcome =
                fields.get("outcome").and_then(|node| self.word(node, &child(&path, "outcome"), OUTCOMES));
            let attempts = fields.get("attempts").map(|node| self.texts(node, &child(&path, "attempts")));
            let cooldowns = fields
                .get("cooldowns")
                .map(|node| self.cooldowns(node, &child(&path, "cooldowns")))
                .unwrap_or_default();
            expects.push(Expect { chosen, profile, outcome, attempts, notice, cooldowns });
        }
        expects
    }

    fn cooldowns(&mut self, node: &Node, path: &str) -> Vec<CooldownExpect> {
        let mut windows = Vec::new();
        let Kind::Object(members) = &node.kind else {
            self.wrong_type(node, path, "an object of windows by profile");
            return windows;
        };
        for member in members {
            let path = child(path, &member.name);
            let value = &member.value;
            let window = if matches!(value.kind, Kind::Null) {
                None
            } else {
                let Some(fields) = self.fields(value, &path, WINDOW_KEYS) else { continue };
                let kind =
                    fields.get("kind").and_then(|node| self.word(node, &child(&path, "kind"), WINDOW_KINDS));
                let reason = fields.get("reason").and_then(|node| self.text(node, &child(&path, "reason")));
                let model = fields.get("model").and_then(|node| match node.kind {
                    Kind::Null => Some(None),
                    _ => self.text(node, &child(&path, "model")).map(Some),
                });
                let lasts = fields.get("lasts").and_then(|node| self.duration(node, &child(&path, "lasts")));
                Some(ExpectWindow { kind, reason, model, lasts })
            };
            windows.push(CooldownExpect { profile: member.name.clone(), window });
        }
        windows
    }

    fn resume(&mut self, node: &Node) -> Option<Resume> {
        match serde_json::from_value(node.to_value()) {
            Ok(resume) => Some(resume),
            Err(error) => {
                self.error(node.at, "resume", format!("not what a result's final.resume holds: {error}"));
                None
            }
        }
    }
}

/// Stop reasons that mean a failed answer.
pub(super) fn stop_reason_fails(reason: &str) -> bool {
    let reason = reason.trim().to_ascii_lowercase();
    ["error", "abort", "network_error", "network-error", "malformed_response", "unhandled", "refusal"]
        .iter()
        .any(|word| reason.contains(word))
}
