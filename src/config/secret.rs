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

/// A URL without what may be a credential in it: user and password, the query, and for webhooks
/// everything behind the host. Other texts stay.
#[must_use]
pub fn without_credentials(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("[hidden]@{host}"),
        None => authority.to_owned(),
    };
    let tail = if tail.to_lowercase().contains("webhook") {
        "/[hidden]".to_owned()
    } else {
        match tail.find(['?', '#']) {
            Some(at) => format!("{}?[hidden]", &tail[..at]),
            None => tail.to_owned(),
        }
    };
    format!("{scheme}://{host}{tail}")
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
    fn urls_lose_their_credentials() {
        for (url, shown) in [
            ("https://host.example/v1", "https://host.example/v1"),
            ("https://user:made-up@host.example/v1?key=made-up", "https://[hidden]@host.example/v1?[hidden]"),
            ("https://hooks.example/webhooks/1/made-up", "https://hooks.example/[hidden]"),
            ("plain text", "plain text"),
        ] {
            assert_eq!(without_credentials(url), shown);
        }
    }

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
