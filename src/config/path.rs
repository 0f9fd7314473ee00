//! Paths into a JSON document, as `auth.order.openai[0]`.

use std::fmt;

/// One step of a [`JsonPath`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of an array, from 0.
    Index(usize),
}

/// A path into a JSON document. The empty path is the document itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsonPath(pub Vec<Step>);

impl JsonPath {
    /// The path of the whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// A path of keys alone.
    pub fn of_keys<K: Into<String>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self(keys.into_iter().map(|key| Step::Key(key.into())).collect())
    }

    /// This path with a key after it.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.with(Step::Key(key.into()))
    }

    /// This path with an index after it.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Self(steps)
    }

    /// Adds a step in place.
    pub fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    /// Takes the last step off.
    pub fn pop(&mut self) -> Option<Step> {
        self.0.pop()
    }

    /// The path without its last step; `None` for the document itself.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }

    /// The last step, if it is a key.
    #[must_use]
    pub fn last_key(&self) -> Option<&str> {
        match self.0.last()? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    /// True for the document itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this path is `other` or lies inside it.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// OpenClaw's own spelling, everything joined by dots: `models.providers.local.models.0`.
    #[must_use]
    pub fn dotted(&self) -> String {
        let steps: Vec<String> = self
            .0
            .iter()
            .map(|step| match step {
                Step::Key(key) => key.clone(),
                Step::Index(index) => index.to_string(),
            })
            .collect();
        steps.join(".")
    }

    /// Reads `agents.list[0].model`, `agents.list.0.model` and `auth.profiles["a.b"].mode`.
    /// A number after a dot is an index or a key, as the document has it: [`super::Node::get`]
    /// takes either.
    ///
    /// # Errors
    /// Says what is wrong and at which character (from 1).
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        let whole = rest;
        let at = |rest: &str| whole[..whole.len() - rest.len()].chars().count() + 1;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let quote = inside.chars().next().filter(|first| matches!(first, '"' | '\''));
                if let Some(quote) = quote {
                    let (key, after) = quoted(&inside[1..], quote)
                        .ok_or_else(|| format!("the quoted key at character {} has no end", at(inside)))?;
                    steps.push(Step::Key(key));
                    rest = after
                        .strip_prefix(']')
                        .ok_or_else(|| format!("\"]\" is missing at character {}", at(after)))?;
                } else {
                    let (number, after) = inside
                        .split_once(']')
                        .ok_or_else(|| format!("\"]\" is missing after character {}", at(inside)))?;
                    let index = number.trim().parse().map_err(|_| {
                        format!("\"{number}\" at character {} is no index; put keys in quotes", at(inside))
                    })?;
                    steps.push(Step::Index(index));
                    rest = after;
                }
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                if end == 0 {
                    return Err(format!("a key is missing at character {}", at(rest)));
                }
                steps.push(Step::Key(rest[..end].to_owned()));
                rest = &rest[end..];
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err(format!("a key is missing at character {}", at(after)));
                }
                rest = after;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err(format!("\".\" or \"[\" is expected at character {}", at(rest)));
            }
        }
        Ok(Self(steps))
    }
}

/// The text up to `quote`, with `\x` standing for `x`, and what follows.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((key, &text[at + c.len_utf8()..]));
        }
        key.push(if c == '\\' { chars.next()?.1 } else { c });
    }
    None
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && !key
            .chars()
            .any(|c| matches!(c, '.' | '[' | ']' | '"' | '\'') || c.is_whitespace() || c.is_control())
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if is_plain(key) => {
                    write!(f, "{}{key}", if position > 0 { "." } else { "" })?;
                }
                Step::Key(key) => {
                    write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_and_read_back() {
        let path =
            JsonPath::of_keys(["auth", "profiles", "a:me@example.com", "say \"x\""]).index(2).key("mode");
        assert_eq!(path.to_string(), r#"auth.profiles["a:me@example.com"]["say \"x\""][2].mode"#);
        assert_eq!(JsonPath::parse(&path.to_string()), Ok(path));
        let dotted = JsonPath::of_keys(["models", "providers"]).index(0).dotted();
        assert_eq!(dotted, "models.providers.0");
        assert_eq!(JsonPath::parse(""), Ok(JsonPath::root()));
    }

    #[test]
    fn wrong_paths_say_where() {
        for (text, part) in [
            ("a..b", "character 3"),
            ("a.", "character 3"),
            ("a[x]", "no index"),
            ("a[\"x", "has no end"),
            ("a[0", "\"]\" is missing"),
            ("a[0]b", "character 5"),
        ] {
            let error = JsonPath::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
