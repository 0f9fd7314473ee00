//! The config as a tree that knows where each part came from.

use serde_json::{Map, Number, Value};

use super::path::{JsonPath, Step};
use super::source::Span;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where the value stands.
    pub span: Span,
    /// The value.
    pub kind: Kind,
}

/// The value of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number, as JavaScript reads it; also infinite or not a number.
    Number(f64),
    /// Text; it may be a secret.
    String(String),
    /// `[...]`
    Array(Vec<Node>),
    /// `{...}`, each key once.
    Object(Vec<Member>),
}

/// `key: value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key, escapes resolved.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The members of an object; empty for anything else.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; empty for anything else.
    #[must_use]
    pub fn elements(&self) -> &[Node] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The member of this key.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// `null`, `boolean`, `number`, `string`, `array`, `object`.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "boolean",
            Kind::Number(_) => "number",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
        }
    }

    /// The value at a path. Keys made of digits also index arrays.
    #[must_use]
    pub fn get(&self, path: &JsonPath) -> Option<&Self> {
        path.0.iter().try_fold(self, |node, step| node.step(step))
    }

    fn step(&self, step: &Step) -> Option<&Self> {
        match (&self.kind, step) {
            (Kind::Object(_), Step::Key(key)) => self.member(key).map(|member| &member.value),
            (Kind::Object(_), Step::Index(index)) => {
                self.member(&index.to_string()).map(|member| &member.value)
            }
            (Kind::Array(elements), Step::Index(index)) => elements.get(*index),
            (Kind::Array(elements), Step::Key(key)) => elements.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Where the key of the last step stands; for an element or the document, the value.
    #[must_use]
    pub fn key_span(&self, path: &JsonPath) -> Option<Span> {
        let Some((last, before)) = path.0.split_last() else { return Some(self.span) };
        let parent = before.iter().try_fold(self, |node, step| node.step(step))?;
        match last {
            Step::Key(key) if matches!(parent.kind, Kind::Object(_)) => {
                parent.member(key).map(|member| member.key_span)
            }
            step => parent.step(step).map(|node| node.span),
        }
    }

    /// The place of the deepest part of the path that exists.
    #[must_use]
    pub fn nearest_span(&self, path: &JsonPath) -> Span {
        let mut node = self;
        for step in &path.0 {
            match node.step(step) {
                Some(next) => node = next,
                None => break,
            }
        }
        node.span
    }

    /// The plain value. Numbers are as JavaScript sees them (`1.0` is `1`); infinite ones and NaN,
    /// which JSON lacks, become null.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => number(*value),
            Kind::String(text) => Value::String(text.clone()),
            Kind::Array(elements) => Value::Array(elements.iter().map(Self::to_value).collect()),
            Kind::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.clone(), member.value.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Integers that a double holds exactly stay integers.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
