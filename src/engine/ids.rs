//! Names at the edge of the engine. All are shared strings: cloning one allocates nothing.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
    };
}

text_id! {
    /// The id of an auth profile, as `openai:work`; compared letter by letter.
    ProfileId
}

text_id! {
    /// A provider's id as a rule set compares it (see `rules::ProviderNames`): `openai`.
    ProviderId
}

text_id! {
    /// A model's id without its provider: `gpt-x`, `vendor/m2:free`.
    ModelId
}

text_id! {
    /// The id of an agent: `main`.
    AgentId
}

/// A model of a provider, written `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    /// The provider, as the rule set spells it.
    pub provider: ProviderId,
    /// The model, as the rule set spells it.
    pub model: ModelId,
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// Trims what JavaScript's `trim` does, which differs from Rust's in two characters: it takes the
/// byte order mark and leaves U+0085.
#[must_use]
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || (c != '\u{85}' && c.is_whitespace()))
}

/// Trimmed and in lower case, allocating only when the text isn't so already.
#[must_use]
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    let trimmed = trim(text);
    if trimmed.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(trimmed)
    } else {
        Cow::Owned(trimmed.to_lowercase())
    }
}

/// An agent's id as the releases compare it: in lower case, other characters than `a-z0-9_-` as dashes,
/// 64 characters at most; `main` where nothing is left.
#[must_use]
pub fn normalize_agent_id(id: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    let folded = fold(id);
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let plain = folded.len() <= LONGEST && !folded.starts_with(['-', '_']) && folded.chars().all(allowed);
    if plain && !folded.is_empty() {
        return folded;
    }
    let mut result = String::with_capacity(folded.len());
    for c in folded.chars() {
        if allowed(c) {
            result.push(c);
        } else if !result.ends_with('\0') {
            result.push('\0');
        }
    }
    let dashed = result.replace('\0', "-");
    let cut: String = dashed.trim_matches('-').chars().take(LONGEST).collect();
    if cut.is_empty() { Cow::Borrowed("main") } else { Cow::Owned(cut) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_ids_are_compared_normalized() {
        for (id, normalized) in [
            ("main", "main"),
            (" Two ", "two"),
            ("My Agent!", "my-agent"),
            ("--x--", "x"),
            ("_x", "_x"),
            ("x-", "x-"),
            ("a\u{e9}\u{e9}b", "a-b"),
            ("!!", "main"),
            ("", "main"),
        ] {
            assert_eq!(normalize_agent_id(id), normalized, "{id}");
        }
        assert_eq!(normalize_agent_id(&"a".repeat(70)).len(), 64);
    }

    #[test]
    fn folds_case_and_blanks() {
        assert!(matches!(fold("openai"), Cow::Borrowed("openai")));
        assert!(matches!(fold(" z.ai\n"), Cow::Borrowed("z.ai")));
        assert_eq!(fold("\u{feff}OpenAI "), "openai");
        assert_eq!(fold("\u{85}x"), "\u{85}x");
    }
}
