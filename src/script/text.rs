//! Texts of providers, made fit for print: control and bidi characters escaped, secrets masked.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Words that look like a key or token of a known kind.
static LOOKS_SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:\b(?:sk|rk|pk|gsk|xai|ghp|gho|hf|xox[bap]|key|tok|pplx|nvapi)[-_][A-Za-z0-9_\-]{12,}|\bAIza[A-Za-z0-9_\-]{20,}|\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-.]+|(?i:bearer)\s+[A-Za-z0-9_\-.=+/]{12,})",
    )
    .ok()
});

/// The values of a store's secrets, to be masked wherever a provider repeats them.
#[derive(Default)]
pub struct Secrets {
    values: Vec<String>,
    /// Texts that were cleaned before; a script's providers repeat themselves.
    cleaned: RefCell<HashMap<String, String>>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({} masked)", self.values.len())
    }
}

impl Secrets {
    /// Everything secret in `profiles` of a store. Short values are left out: masking them would
    /// only garble texts.
    #[must_use]
    pub fn of_store(store: &Value) -> Self {
        const SHORTEST: usize = 8;
        const KEYS: [&str; 6] = ["key", "token", "access", "refresh", "idToken", "apiKey"];
        let profiles = store.get("profiles").and_then(Value::as_object).into_iter().flatten();
        let values =
            profiles.flat_map(|(_, profile)| KEYS.iter().filter_map(move |key| profile.get(*key)?.as_str()));
        let values = values.filter(|value| value.len() >= SHORTEST).map(str::to_string).collect();
        Self { values, cleaned: RefCell::default() }
    }

    /// The text with every secret masked and every control or bidi character escaped.
    #[must_use]
    pub fn clean(&self, text: &str) -> String {
        if let Some(known) = self.cleaned.borrow().get(text) {
            return known.clone();
        }
        let clean = self.clean_anew(text);
        self.cleaned.borrow_mut().insert(text.to_string(), clean.clone());
        clean
    }

    fn clean_anew(&self, text: &str) -> String {
        let mut masked = std::borrow::Cow::Borrowed(text);
        for secret in &self.values {
            if masked.contains(secret.as_str()) {
                masked = masked.replace(secret.as_str(), "****").into();
            }
        }
        if let Some(pattern) = LOOKS_SECRET.as_ref()
            && let std::borrow::Cow::Owned(replaced) = pattern.replace_all(&masked, "****")
        {
            masked = replaced.into();
        }
        escape(&masked)
    }
}

/// Escapes control and bidi characters as `\u{..}`; a line break as `\n`.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}') =>
            {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn masks_stored_secrets_and_known_shapes() {
        let secrets = Secrets::of_store(&json!({"profiles": {"a:b": {"key": "very-secret-value"}}}));
        assert_eq!(secrets.clean("bad key very-secret-value here"), "bad key **** here");
        assert_eq!(
            secrets.clean("Incorrect API key provided: sk-abcdefghijklmnop"),
            "Incorrect API key provided: ****"
        );
        assert_eq!(secrets.clean("Incorrect API key provided"), "Incorrect API key provided");
        assert!(!format!("{secrets:?}").contains("very"));
    }

    #[test]
    fn escapes_what_could_fool_a_terminal() {
        assert_eq!(escape("a\u{1b}[31mb\u{202e}c\n"), "a\\u{1b}[31mb\\u{202e}c\\n");
    }
}
