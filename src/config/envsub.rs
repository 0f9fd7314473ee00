//! `${VAR}` in the strings of a config.
//!
//! As every release does it: only names of `A-Z`, `0-9` and `_` (no digit first) count, in values
//! and not in keys, after the includes are merged; `$${VAR}` stands for the text `${VAR}`; a
//! variable that is unset or empty leaves the text as it is and is a warning. Values come from the
//! process, then from `.env` files, then from the config's own `env` and `env.vars`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::finding::{Finding, Severity};
use super::node::{Kind, Node};
use super::path::{JsonPath, Step};
use super::source::Span;
use crate::base::env::Env;

/// A `${VAR}` in the config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvRef {
    /// The variable.
    pub name: String,
    /// The string that holds it.
    pub path: JsonPath,
    /// Where that string stands.
    pub span: Span,
    /// Where its value came from.
    pub from: EnvOrigin,
}

/// Where the value of a variable came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvOrigin {
    /// The environment of the process.
    Process,
    /// A `.env` file.
    File,
    /// `env` or `env.vars` of the config itself.
    Config,
    /// Set, but empty: OpenClaw treats it as missing.
    Empty,
    /// Not set anywhere.
    Missing,
    /// Not looked up (`--no-env`).
    NotAsked,
}

/// The variables that a config may name.
#[derive(Default)]
pub(super) struct Variables {
    values: BTreeMap<String, (String, EnvOrigin)>,
    /// Without the process and without files nothing can be said about a variable.
    pub(super) asked: bool,
}

impl Variables {
    pub(super) fn add_process(&mut self, env: &Env) {
        self.asked = true;
        for (name, value) in env.iter() {
            self.values.insert(name.to_owned(), (value.to_owned(), EnvOrigin::Process));
        }
    }

    /// Adds the lines of a `.env` file; what is set already stays.
    pub(super) fn add_file(&mut self, text: &str) {
        self.asked = true;
        for (name, value) in dotenv(text) {
            self.add_weak(&name, value, EnvOrigin::File);
        }
    }

    /// Adds `env.NAME` and `env.vars.NAME` of the config.
    pub(super) fn add_config(&mut self, root: &Node) {
        let Some(block) = root.member("env") else { return };
        let vars = block.value.member("vars").map(|vars| vars.value.members()).unwrap_or_default();
        let direct =
            block.value.members().iter().filter(|member| !matches!(member.key.as_str(), "vars" | "shellEnv"));
        for member in direct.chain(vars) {
            if let Some(value) = member.value.as_str()
                && !value.trim().is_empty()
                && !tokens(value).any(|token| matches!(token, Token::Variable(..)))
            {
                self.add_weak(member.key.trim(), value.to_owned(), EnvOrigin::Config);
            }
        }
    }

    fn add_weak(&mut self, name: &str, value: String, origin: EnvOrigin) {
        let taken = self.values.get(name).is_some_and(|(value, _)| !value.trim().is_empty());
        if !taken {
            self.values.insert(name.to_owned(), (value, origin));
        }
    }

    fn get(&self, name: &str) -> Result<(&str, EnvOrigin), EnvOrigin> {
        match self.values.get(name) {
            Some((value, origin)) if !value.is_empty() => Ok((value, *origin)),
            Some(_) => Err(EnvOrigin::Empty),
            None if self.asked => Err(EnvOrigin::Missing),
            None => Err(EnvOrigin::NotAsked),
        }
    }
}

/// Substitutes in place; returns every reference met.
pub(super) fn substitute(root: &mut Node, variables: &Variables) -> Vec<EnvRef> {
    let mut refs = Vec::new();
    walk(root, &mut JsonPath::root(), variables, &mut refs);
    refs
}

fn walk(node: &mut Node, path: &mut JsonPath, variables: &Variables, refs: &mut Vec<EnvRef>) {
    match &mut node.kind {
        Kind::String(text) if text.contains('$') => {
            let mut result = String::with_capacity(text.len());
            for token in tokens(text) {
                match token {
                    Token::Text(part) => result.push_str(part),
                    Token::Escaped(part) => result.push_str(part),
                    Token::Variable(name, part) => {
                        let (value, from) = match variables.get(name) {
                            Ok((value, from)) => (value, from),
                            Err(from) => (part, from),
                        };
                        result.push_str(value);
                        refs.push(EnvRef {
                            name: name.to_owned(),
                            path: path.clone(),
                            span: node.span,
                            from,
                        });
                    }
                }
            }
            *text = result;
        }
        Kind::Array(elements) => {
            for (index, element) in elements.iter_mut().enumerate() {
                path.push(Step::Index(index));
                walk(element, path, variables, refs);
                path.pop();
            }
        }
        Kind::Object(members) => {
            for member in members {
                path.push(Step::Key(member.key.clone()));
                walk(&mut member.value, path, variables, refs);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The warning about a reference that has no value (report 23143).
pub(super) fn finding(reference: &EnvRef) -> Option<Finding> {
    let what = match reference.from {
        EnvOrigin::Missing => "isn't set",
        EnvOrigin::Empty => "is empty, which OpenClaw treats as not set",
        _ => return None,
    };
    let name = &reference.name;
    Some(
        Finding::new("env-missing", Severity::Warning, format!("the variable {name} {what}"))
            .at_path(reference.path.clone())
            .at(reference.span)
            .hint(format!("set {name}, pass it with --env-file FILE, or skip variables with --no-env"))
            .hint(format!("for the text itself write $${{{name}}}")),
    )
}

enum Token<'a> {
    Text(&'a str),
    /// `${NAME}`, written with two dollars.
    Escaped(&'a str),
    /// The name, and the reference as written.
    Variable(&'a str, &'a str),
}

/// Whether the text holds a `${VAR}` that would be substituted.
#[must_use]
pub fn has_variable(text: &str) -> bool {
    tokens(text).any(|token| matches!(token, Token::Variable(..)))
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (token, length) = first_token(rest);
        rest = &rest[length..];
        Some(token)
    })
}

fn first_token(text: &str) -> (Token<'_>, usize) {
    if let Some(after) = text.strip_prefix("$${")
        && let Some(name) = name_before_brace(after)
    {
        let length = name.len() + 4;
        return (Token::Escaped(&text[1..length]), length);
    }
    if let Some(after) = text.strip_prefix("${")
        && let Some(name) = name_before_brace(after)
    {
        let length = name.len() + 3;
        return (Token::Variable(name, &text[..length]), length);
    }
    let from = usize::from(text.starts_with('$'));
    let length = text[from..].find('$').map_or(text.len(), |at| at + from);
    (Token::Text(&text[..length]), length)
}

fn name_before_brace(text: &str) -> Option<&str> {
    let name = &text[..text.find('}')?];
    let mut bytes = name.bytes();
    let first = bytes.next()?;
    let fine = (first.is_ascii_uppercase() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    fine.then_some(name)
}

/// The assignments of a `.env` file: `NAME=value`, optionally after `export`, with single, double
/// or no quotes; `#` starts a comment outside of quotes; `\n` is a line end in double quotes.
fn dotenv(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(dotenv_line).collect()
}

fn dotenv_line(line: &str) -> Option<(String, String)> {
    let line = line.trim_start_matches('\u{feff}').trim();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|inner| inner.split_once(quote)) {
            let inner = if quote == '"' { inner.replace("\\n", "\n") } else { inner.to_owned() };
            return Some((name.to_owned(), inner));
        }
    }
    let value = value.split('#').next().unwrap_or_default().trim_end();
    Some((name.to_owned(), value.to_owned()))
}

/// Names of the variables that a `.env` file sets to something; none when it can't be read.
#[must_use]
pub fn env_file_names(path: &Path) -> BTreeSet<String> {
    let text = read_file(path).unwrap_or_default();
    dotenv(&text).into_iter().filter(|(_, value)| !value.trim().is_empty()).map(|(name, _)| name).collect()
}

/// Reads a `.env` file; a missing one is no error unless it was asked for.
pub(super) fn read_file(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> String {
        let mut variables = Variables::default();
        variables.add_process(&Env::new([("A", "1"), ("B_2", "two"), ("EMPTY", "")], "/"));
        let span = Span { file: super::super::source::FileId(0), start: 0, end: 0 };
        let mut node = Node { span, kind: Kind::String(text.to_owned()) };
        substitute(&mut node, &variables);
        node.as_str().unwrap().to_owned()
    }

    /// Each pair asked from 2026.9.6 with `config get`.
    #[test]
    fn the_text_after_substitution() {
        for (text, expected) in [
            ("${A}", "1"),
            ("x${A}y${B_2}", "x1ytwo"),
            ("$${A}", "${A}"),
            ("$$${A}", "$${A}"),
            ("$A ${a} ${} ${1A} ${A", "$A ${a} ${} ${1A} ${A"),
            ("${MISSING}-${EMPTY}", "${MISSING}-${EMPTY}"),
            ("${A}}", "1}"),
            ("${${A}}", "${1}"),
            ("$é${A}", "$é1"),
        ] {
            assert_eq!(filled(text), expected, "{text}");
        }
    }

    #[test]
    fn env_files() {
        let text = "# note\nexport A=1\nB = 'x # y'\nC=\"a\\nb\" # note\nD=plain # note\nnot a line\n";
        let found = dotenv(text);
        let expected = [("A", "1"), ("B", "x # y"), ("C", "a\nb"), ("D", "plain")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
