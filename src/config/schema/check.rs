//! Compares a config with a schema: one issue per cause.
//!
//! A general JSON Schema validator reports every branch of a union; here the branch that was
//! meant is picked, and issues keep the node they are about, so that they can point into a file.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use fancy_regex::Regex;
use serde_json::Value;

use super::pool::{Additional, Id, Pool, Schema};
use crate::config::node::{Kind, Node};
use crate::config::path::{JsonPath, Step};

/// What is wrong with a part of the config.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Issue {
    pub(super) path: JsonPath,
    pub(super) problem: Problem,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Problem {
    /// The last step of the path is a key that isn't known here.
    UnknownKey { known: Vec<String> },
    /// This key is missing in the object at the path.
    MissingKey(String),
    /// Types that fit, and the one found.
    Type { expected: Vec<String>, found: &'static str },
    /// Values that fit, and other types that fit too.
    Value { allowed: Vec<Value>, types: Vec<String> },
    /// Anything else, in words: "must be at least 1".
    Bound(String),
}

pub(super) struct Checker<'a> {
    pub(super) pool: &'a Pool,
}

impl Checker<'_> {
    /// Every issue of this part of the config.
    pub(super) fn check(&self, id: Id, node: &Node, path: &mut JsonPath) -> Vec<Issue> {
        let mut issues = Vec::new();
        self.node(id, node, path, &mut issues);
        issues
    }

    fn node(&self, id: Id, node: &Node, path: &mut JsonPath, issues: &mut Vec<Issue>) {
        let schema = self.pool.schema(id);
        let mut report = |problem| issues.push(Issue { path: path.clone(), problem });
        if let Some(types) = &schema.r#type
            && !types.as_slice().iter().any(|name| has_type(node, name))
        {
            let types = types.as_slice();
            let whole = types.iter().all(|name| name == "integer")
                && matches!(node.kind, Kind::Number(n) if n.is_finite());
            report(if whole {
                Problem::Bound("must be a whole number".to_owned())
            } else {
                Problem::Type { expected: types.to_vec(), found: node.type_name() }
            });
            return;
        }
        if let Some(value) = &schema.r#const
            && !equals(node, value)
        {
            report(Problem::Value { allowed: vec![value.clone()], types: Vec::new() });
            return;
        }
        if !schema.r#enum.is_empty() && !schema.r#enum.iter().any(|value| equals(node, value)) {
            report(Problem::Value { allowed: schema.r#enum.clone(), types: Vec::new() });
            return;
        }
        match &node.kind {
            Kind::Number(number) => bounds(schema, *number).into_iter().for_each(report),
            Kind::String(text) => text_bounds(schema, text).into_iter().for_each(report),
            Kind::Array(elements) => self.array(schema, elements, path, issues),
            Kind::Object(_) => self.object(schema, node, path, issues),
            Kind::Null | Kind::Bool(_) => {}
        }
        for &part in &schema.all_of {
            self.node(part, node, path, issues);
        }
        if let Some(not) = schema.not
            && self.check(not, node, path).is_empty()
        {
            issues.push(Issue {
                path: path.clone(),
                problem: Problem::Bound("holds settings that don't go together".to_owned()),
            });
        }
        if let Some(condition) = schema.r#if {
            let holds = self.check(condition, node, path).is_empty();
            if let Some(part) = if holds { schema.then } else { schema.r#else } {
                self.node(part, node, path, issues);
            }
        }
        for branches in [&schema.any_of, &schema.one_of] {
            if !branches.is_empty() {
                self.union(branches, node, path, issues);
            }
        }
    }

    fn array(&self, schema: &Schema, elements: &[Node], path: &mut JsonPath, issues: &mut Vec<Issue>) {
        let mut bound =
            |text: String| issues.push(Issue { path: path.clone(), problem: Problem::Bound(text) });
        let length = elements.len();
        if let Some(tuple) = &schema.prefix_items
            && tuple.len() != length
        {
            bound(format!("must have exactly {}", count(tuple.len(), "element")));
        } else if schema.min_items.is_some_and(|least| length < least) {
            bound(format!("must have at least {}", count(schema.min_items.unwrap_or_default(), "element")));
        } else if schema.max_items.is_some_and(|most| length > most) {
            bound(format!("must have at most {}", count(schema.max_items.unwrap_or_default(), "element")));
        }
        if schema.unique_items {
            let values: Vec<Value> = elements.iter().map(Node::to_value).collect();
            if (1..length).any(|at| values[..at].contains(&values[at])) {
                bound("holds the same element twice".to_owned());
            }
        }
        for (index, element) in elements.iter().enumerate() {
            let id = schema.prefix_items.as_ref().map_or(schema.items, |tuple| tuple.get(index).copied());
            if let Some(id) = id {
                self.at(Step::Index(index), id, element, path, issues);
            }
        }
    }

    fn object(&self, schema: &Schema, node: &Node, path: &mut JsonPath, issues: &mut Vec<Issue>) {
        let members = node.members();
        for key in schema.required.iter().filter(|key| node.member(key).is_none()) {
            issues.push(Issue { path: path.clone(), problem: Problem::MissingKey(key.clone()) });
        }
        if schema.min_properties.is_some_and(|least| members.len() < least) {
            let least = count(schema.min_properties.unwrap_or_default(), "key");
            issues.push(Issue {
                path: path.clone(),
                problem: Problem::Bound(format!("must have at least {least}")),
            });
        }
        if schema.max_properties.is_some_and(|most| members.len() > most) {
            let most = count(schema.max_properties.unwrap_or_default(), "key");
            issues.push(Issue {
                path: path.clone(),
                problem: Problem::Bound(format!("must have at most {most}")),
            });
        }
        for member in members {
            if let Some(&id) = schema.properties.get(&member.key) {
                self.at(Step::Key(member.key.clone()), id, &member.value, path, issues);
                continue;
            }
            if let Some(names) = schema.property_names
                && let Some(issue) = self.key_issue(names, member.key_span, &member.key)
            {
                issues.push(Issue { path: path.key(&member.key), problem: issue });
                continue;
            }
            match schema.additional_properties {
                Some(Additional::Allowed(false)) => issues.push(Issue {
                    path: path.key(&member.key),
                    problem: Problem::UnknownKey { known: schema.properties.keys().cloned().collect() },
                }),
                Some(Additional::Like(id)) => {
                    self.at(Step::Key(member.key.clone()), id, &member.value, path, issues);
                }
                Some(Additional::Allowed(true)) | None => {}
            }
        }
    }

    fn at(&self, step: Step, id: Id, node: &Node, path: &mut JsonPath, issues: &mut Vec<Issue>) {
        path.push(step);
        self.node(id, node, path, issues);
        path.pop();
    }

    fn key_issue(&self, names: Id, span: crate::config::Span, key: &str) -> Option<Problem> {
        let node = Node { span, kind: Kind::String(key.to_owned()) };
        let issue = self.check(names, &node, &mut JsonPath::root()).into_iter().next()?;
        Some(match issue.problem {
            Problem::Bound(text) => Problem::Bound(format!("as a key {text}")),
            Problem::Value { allowed, .. } => Problem::UnknownKey {
                known: allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            },
            other => other,
        })
    }

    /// The issues of a union that no branch of fits: those of the branch that was meant, or one
    /// that names what would fit.
    fn union(&self, branches: &[Id], node: &Node, path: &mut JsonPath, issues: &mut Vec<Issue>) {
        let mut ids = Vec::new();
        self.flatten(branches, &mut ids);
        let mut results = Vec::with_capacity(ids.len());
        for id in ids {
            let found = self.check(id, node, path);
            if found.is_empty() {
                return;
            }
            results.push(found);
        }
        let is_outside = |issue: &Issue| {
            issue.path == *path && matches!(issue.problem, Problem::Type { .. } | Problem::Value { .. })
        };
        let (outside, inside): (Vec<_>, Vec<_>) =
            results.into_iter().partition(|found| found.iter().any(is_outside));
        if inside.is_empty() {
            issues.push(combined(path, node, outside.iter().flatten()));
            return;
        }
        if let Some(issue) = discriminator(path, &inside) {
            issues.push(issue);
            return;
        }
        let wrong_value = |issue: &&Issue| matches!(issue.problem, Problem::Value { .. });
        let cost = |found: &Vec<Issue>| (found.iter().filter(wrong_value).count(), found.len());
        issues.extend(inside.into_iter().min_by_key(cost).unwrap_or_default());
    }

    fn flatten(&self, branches: &[Id], ids: &mut Vec<Id>) {
        for &id in branches {
            let schema = self.pool.schema(id);
            let nested = if schema.any_of.is_empty() { &schema.one_of } else { &schema.any_of };
            if nested.is_empty() || schema.r#type.is_some() {
                ids.push(id);
            } else {
                self.flatten(nested, ids);
            }
        }
    }
}

/// One issue for branches that all fail at the value itself.
fn combined<'a>(path: &JsonPath, node: &Node, issues: impl Iterator<Item = &'a Issue>) -> Issue {
    let mut values: Vec<Value> = Vec::new();
    let mut types: Vec<String> = Vec::new();
    for issue in issues {
        match &issue.problem {
            Problem::Value { allowed, .. } => {
                values.extend(
                    allowed.iter().filter(|value| !values.contains(value)).cloned().collect::<Vec<_>>(),
                );
            }
            Problem::Type { expected, .. } => {
                types.extend(
                    expected.iter().filter(|name| !types.contains(name)).cloned().collect::<Vec<_>>(),
                );
            }
            _ => {}
        }
    }
    let problem = if values.is_empty() {
        Problem::Type { expected: types, found: node.type_name() }
    } else {
        // The type of a literal says nothing that the literal doesn't.
        types.retain(|name| !values.iter().any(|value| type_of(value) == name));
        Problem::Value { allowed: values, types }
    };
    Issue { path: path.clone(), problem }
}

/// When the branches tell themselves apart by a key (`source: "env"`), and none of them has the
/// value found there: the values of that key.
fn discriminator(path: &JsonPath, branches: &[Vec<Issue>]) -> Option<Issue> {
    let depth = path.0.len() + 1;
    let key = |found: &Vec<Issue>| {
        found
            .iter()
            .find(|issue| issue.path.0.len() == depth && matches!(issue.problem, Problem::Value { .. }))
            .cloned()
    };
    let mut all = branches.iter().map(key).collect::<Option<Vec<Issue>>>()?.into_iter();
    let mut first = all.next()?;
    for issue in all {
        let Problem::Value { allowed: more, .. } = issue.problem else { return None };
        let Problem::Value { allowed, .. } = &mut first.problem else { return None };
        if issue.path != first.path {
            return None;
        }
        allowed.extend(more.into_iter().filter(|value| !allowed.contains(value)).collect::<Vec<_>>());
    }
    (branches.len() > 1).then_some(first)
}

fn has_type(node: &Node, name: &str) -> bool {
    match (&node.kind, name) {
        (Kind::Number(number), "number") => number.is_finite(),
        (Kind::Number(number), "integer") => number.is_finite() && number.fract() == 0.0,
        _ => node.type_name() == name,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn equals(node: &Node, value: &Value) -> bool {
    match (&node.kind, value) {
        (Kind::String(text), Value::String(other)) => text == other,
        (Kind::Number(number), Value::Number(other)) => other.as_f64() == Some(*number),
        (Kind::Bool(flag), Value::Bool(other)) => flag == other,
        (Kind::Null, Value::Null) => true,
        (Kind::Array(_), Value::Array(_)) | (Kind::Object(_), Value::Object(_)) => node.to_value() == *value,
        _ => false,
    }
}

fn bounds(schema: &Schema, number: f64) -> Option<Problem> {
    let text = if schema.minimum.is_some_and(|least| number < least) {
        format!("must be at least {}", schema.minimum.unwrap_or_default())
    } else if schema.exclusive_minimum.is_some_and(|least| number <= least) {
        format!("must be greater than {}", schema.exclusive_minimum.unwrap_or_default())
    } else if schema.maximum.is_some_and(|most| number > most) {
        format!("must be at most {}", schema.maximum.unwrap_or_default())
    } else if schema.exclusive_maximum.is_some_and(|most| number >= most) {
        format!("must be less than {}", schema.exclusive_maximum.unwrap_or_default())
    } else {
        return None;
    };
    Some(Problem::Bound(text))
}

/// Lengths count UTF-16 units, as JavaScript does.
fn text_bounds(schema: &Schema, text: &str) -> Option<Problem> {
    let length = || text.encode_utf16().count();
    let message = if schema.min_length.is_some_and(|least| length() < least) {
        match schema.min_length {
            Some(1) => "must not be empty".to_owned(),
            least => format!("must have at least {}", count(least.unwrap_or_default(), "character")),
        }
    } else if schema.max_length.is_some_and(|most| length() > most) {
        format!("must have at most {}", count(schema.max_length.unwrap_or_default(), "character"))
    } else if let Some(pattern) = schema.pattern.as_deref().filter(|pattern| !matches(pattern, text)) {
        format!("must match {pattern}")
    } else {
        match schema.format.as_deref() {
            Some("uri") if !is_uri(text) => "must be a URL such as https://example.com".to_owned(),
            Some("email") if !text.contains('@') => "must be a mail address".to_owned(),
            Some("date-time") if chrono::DateTime::parse_from_rfc3339(text).is_err() => {
                "must be a time such as 2026-07-04T12:00:00Z".to_owned()
            }
            _ => return None,
        }
    };
    Some(Problem::Bound(message))
}

/// What JavaScript's `new URL(text)` takes, near enough: a scheme, and for the web's schemes a host.
fn is_uri(text: &str) -> bool {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let web = ["http", "https", "ws", "wss", "ftp"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    if !web {
        return named;
    }
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host, ""),
    };
    let port_fits =
        port.is_empty() || (port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok());
    let forbidden =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '^' | '|' | '%' | '"');
    !name.is_empty() && port_fits && !name.contains(forbidden)
}

/// Whether a JavaScript pattern is found in the text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    static COMPILED: OnceLock<Mutex<HashMap<String, Option<Regex>>>> = OnceLock::new();
    let Ok(mut compiled) = COMPILED.get_or_init(Mutex::default).lock() else { return true };
    let regex = compiled.entry(pattern.to_owned()).or_insert_with(|| Regex::new(&to_rust(pattern)).ok());
    regex.as_ref().is_none_or(|regex| regex.is_match(text).unwrap_or(true))
}

/// JavaScript's spelling of a pattern in Rust's: `\d` is ASCII only, `\0` is a zero byte, and no
/// text holds half a surrogate pair (`\p{Cs}`).
fn to_rust(pattern: &str) -> String {
    let pattern = pattern.replace(r"[^\p{Cs}]", r"[\s\S]").replace(r"\p{Cs}", "");
    let mut result = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') if in_class => result.push_str("0-9"),
                Some('d') => result.push_str("[0-9]"),
                Some('0') => result.push_str(r"\x00"),
                Some('/') => result.push('/'),
                next => {
                    result.push(c);
                    result.extend(next);
                }
            },
            '[' if in_class => result.push_str(r"\["),
            _ => {
                in_class = if in_class { c != ']' } else { c == '[' };
                result.push(c);
            }
        }
    }
    result
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_pool_compiles() {
        for pattern in Pool::get().unwrap().patterns() {
            assert!(Regex::new(&to_rust(pattern)).is_ok(), "{pattern} as {}", to_rust(pattern));
        }
    }

    #[test]
    fn javascript_patterns() {
        for (pattern, text, expected) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\d-]+$", "1-2", true),
            (r"^https?:\/\/", "http://x", true),
            (r"^\/(?!\/)[^\0]*[^/\0]$", "/a\0b", false),
            (r"^\/(?!\/)[^\0]*[^/\0]$", "/a/b", true),
            (r"^(?!\s)[^\p{Cs}]{1,4}$", "abc", true),
            (r"^(?!\s)[^\p{Cs}]{1,4}$", " abc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text:?}");
        }
    }

    /// Asked from Node 26 with `new URL(text)`.
    #[test]
    fn urls() {
        for (text, expected) in [
            ("https://example.com", true),
            ("http:example.com", true),
            ("https://", false),
            ("https://a:99999", false),
            ("https://[::1]:80/x", true),
            ("mailto:x", true),
            ("x", false),
            ("1a:b", false),
            ("https://a b", false),
            ("", false),
        ] {
            assert_eq!(is_uri(text), expected, "{text}");
        }
    }
}
