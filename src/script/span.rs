//! JSON5 text as a tree that remembers where each value stands.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::{Map, Number, Value};

/// A value and where it begins (byte offset).
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub at: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub name_at: usize,
    pub value: Node,
}

impl Node {
    /// What it is, for messages.
    pub fn what(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }

    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(flag) => Value::Bool(*flag),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Object(members) => Value::Object(members_to_map(members)),
        }
    }
}

pub(super) fn members_to_map(members: &[Member]) -> Map<String, Value> {
    members.iter().map(|member| (member.name.clone(), member.value.to_value())).collect()
}

/// A syntax error: what, and the byte offset.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub message: String,
    pub at: usize,
    /// The text goes on after a complete value, as JSONL does.
    pub more_follows: bool,
}

/// Reads JSON5. The parser bounds the nesting depth itself (512).
pub(super) fn parse_json5(text: &str) -> Result<Node, Vec<SyntaxError>> {
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    match jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => match parsed.value {
            Some(value) => {
                let mut errors = Vec::new();
                let node = convert(&value, &mut errors);
                if errors.is_empty() { Ok(node) } else { Err(errors) }
            }
            None => Err(vec![SyntaxError {
                message: "nothing here: a script is an object, at least {}".into(),
                at: 0,
                more_follows: false,
            }]),
        },
        Err(error) => Err(vec![SyntaxError {
            message: lower_first(&error.kind().to_string()),
            at: error.range().start.min(text.len()),
            more_follows: matches!(
                error.kind(),
                jsonc_parser::errors::ParseErrorKind::MultipleRootJsonValues
            ),
        }]),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn convert(value: &ast::Value<'_>, errors: &mut Vec<SyntaxError>) -> Node {
    let at = value.range().start;
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(flag) => Kind::Bool(flag.value),
        ast::Value::StringLit(text) => Kind::Text(text.value.to_string()),
        ast::Value::NumberLit(number) => match read_number(number.value) {
            Some(number) => Kind::Number(number),
            None => {
                errors.push(SyntaxError {
                    message: "this number can't be kept".into(),
                    at,
                    more_follows: false,
                });
                Kind::Null
            }
        },
        ast::Value::Array(list) => {
            Kind::List(list.elements.iter().map(|item| convert(item, errors)).collect())
        }
        ast::Value::Object(object) => {
            let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
            let mut seen = std::collections::HashSet::new();
            for property in &object.properties {
                let name = property.name.as_str().to_string();
                let name_at = property.name.range().start;
                if !seen.insert(name.clone()) {
                    errors.push(SyntaxError {
                        message: format!("the key {name:?} stands twice in this object"),
                        at: name_at,
                        more_follows: false,
                    });
                }
                members.push(Member { name, name_at, value: convert(&property.value, errors) });
            }
            Kind::Object(members)
        }
    };
    Node { at, kind }
}

fn read_number(text: &str) -> Option<Number> {
    let plain = text.strip_prefix('+').unwrap_or(text);
    let (negative, digits) = plain.strip_prefix('-').map_or((false, plain), |rest| (true, rest));
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = i64::from_str_radix(hex, 16).ok()?;
        return Some(Number::from(if negative { -value } else { value }));
    }
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(Number::from(whole));
    }
    Number::from_f64(plain.parse().ok()?)
}

/// Line and column of a byte offset, both from 1; columns count characters.
pub(super) fn line_column(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
