//! Which settings hold secrets.

/// Parts of names of settings that hold a secret.
const WORDS: [&str; 10] = [
    "token",
    "apikey",
    "api_key",
    "secret",
    "password",
    "passphrase",
    "passwd",
    "credential",
    "privatekey",
    "authorization",
];

/// Names that hold such a word and no secret.
const HARMLESS: [&str; 4] = ["secrets", "credentials", "secretinput", "tokenlimit"];

/// Whether a setting of this name holds a secret.
#[must_use]
pub fn is_secret_key(key: &str) -> bool {
    let key = key.trim().to_lowercase();
    let word = WORDS.iter().any(|word| key.contains(word)) || key == "key" || key.ends_with("_key");
    // `maxTokens`, `contextTokens`: counts. `tokenFile`: where, not what.
    let other = ["tokens", "file", "path", "source", "provider", "ref", "env", "url", "mode"];
    word && !HARMLESS.contains(&key.as_str()) && !other.iter().any(|end| key.ends_with(end))
}

/// A secret as it may be shown.
#[must_use]
pub fn masked(text: &str) -> String {
    format!("[hidden, {} chars]", text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for key in [
            "apiKey",
            "botToken",
            "token",
            "signingSecret",
            "password",
            "OPENAI_API_KEY",
            "key",
            "Authorization",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "maxTokens",
            "secrets",
            "tokenFile",
            "keyRef",
            "model",
            "keyboard",
            "passwordFile",
            "secretProvider",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }
}
