//! Names at the edge: agents and profiles.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// An agent id in the form that every release compares: lower case, `[a-z0-9_-]`, at most 64.
///
/// Checked against the four releases: an id that matches `[A-Za-z0-9][A-Za-z0-9_-]{0,63}` is only
/// lowercased; in any other, runs of foreign characters become one `-`, dashes at both ends go, the
/// rest is cut at 64, and nothing left means `main`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// The agent that owns what the others inherit.
    pub const MAIN: &'static str = "main";

    /// The id as the releases normalise it; blank text means `main`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        if is_plain(text.trim()) {
            return Self(lower);
        }
        let mut id = String::with_capacity(lower.len());
        let mut in_gap = false;
        for c in lower.chars() {
            let allowed = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
            if allowed {
                id.push(c);
            } else if !in_gap {
                id.push('-');
            }
            in_gap = !allowed;
        }
        let id: String = id.trim_matches('-').chars().take(64).collect();
        if id.is_empty() { Self(Self::MAIN.to_owned()) } else { Self(id) }
    }

    /// `main`.
    #[must_use]
    pub fn main() -> Self {
        Self(Self::MAIN.to_owned())
    }

    /// Whether this is the agent that the others inherit from.
    #[must_use]
    pub fn is_main(&self) -> bool {
        self.0 == Self::MAIN
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=64).contains(&bytes.len())
        && bytes[0].is_ascii_alphanumeric()
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A profile id, exactly as stored: `openai:default`, `anthropic:me@example.com`, also
/// `inline-api-key:<provider>` in usageStats.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProfileId(String);

impl ProfileId {
    /// What precedes the provider in the usageStats id of a key that stands in the config.
    pub const INLINE_PREFIX: &'static str = "inline-api-key:";

    /// This id.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The provider of an `inline-api-key:<provider>` row.
    #[must_use]
    pub fn inline_provider(&self) -> Option<&str> {
        self.0.strip_prefix(Self::INLINE_PREFIX)
    }
}

impl Borrow<str> for ProfileId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ProfileId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_ids_compare_as_the_releases_do() {
        for (given, wanted) in [
            ("Main", "main"),
            ("  work ", "work"),
            ("Side Kick", "side-kick"),
            ("a  b", "a-b"),
            ("--x--", "x"),
            ("-x", "x"),
            ("x-", "x-"),
            ("_x", "_x"),
            ("", "main"),
            ("!!!", "main"),
            ("é", "main"),
            ("a.b@c", "a-b-c"),
        ] {
            assert_eq!(AgentId::new(given).as_str(), wanted, "{given:?}");
        }
        assert_eq!(AgentId::new(&"a".repeat(80)).as_str().len(), 64);
    }
}
