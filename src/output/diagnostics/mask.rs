//! Secrets in excerpts.

use crate::config::is_secret_key;

/// The text with everything that may be a secret, and everything that could steer a terminal,
/// replaced by as many bytes, so that positions stay.
///
/// An excerpt may show a file that can't be parsed, so this goes by looks: the string after a key
/// that speaks of tokens, keys, passwords or secrets, and every long run of letters and digits.
/// It hides too much rather than too little.
#[must_use]
pub fn mask(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut hide = |start: usize, end: usize| bytes[start..end].fill(b'*');
    for (start, end) in
        after_secret_keys(text).into_iter().chain(in_environments(text)).chain(random_runs(text))
    {
        hide(start, end);
    }
    for (at, c) in text.char_indices() {
        let steering = (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if steering {
            bytes[at..at + c.len_utf8()].fill(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The strings after such keys: `"apiKey": "..."`, `token: '...'`.
fn after_secret_keys(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (colon, _) in text.match_indices(':') {
        let before = text[..colon].trim_end();
        let key_end = before.trim_end_matches(['"', '\'']);
        let key_start = key_end
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$')))
            .map_or(0, |at| at + key_end[at..].chars().next().map_or(1, char::len_utf8));
        if !is_secret_key(&key_end[key_start..]) {
            continue;
        }
        let value = text[colon + 1..].trim_start();
        let start = text.len() - value.len();
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            let end = value.find([',', '}', '\n', ' ']).unwrap_or(value.len());
            if !value.starts_with(['{', '[', 't', 'f', 'n']) {
                found.push((start, start + end));
            }
            continue;
        };
        let inner = &value[1..];
        let end = closing(inner, quote);
        if !inner[..end].starts_with("${") {
            found.push((start + 1, start + 1 + end));
        }
    }
    found
}

/// The strings in objects named `env`, `vars` or `headers`, up to their closing brace or the end.
fn in_environments(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for name in ["env", "vars", "headers"] {
        for (at, _) in text.match_indices(name) {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let rest = text[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
            if text[..at].ends_with(word) || !rest.starts_with(':') {
                continue;
            }
            let body = rest[1..].trim_start();
            if !body.starts_with('{') {
                continue;
            }
            let mut depth = 0_usize;
            let mut at = text.len() - body.len();
            while let Some(c) = text[at..].chars().next() {
                at += c.len_utf8();
                match c {
                    '{' => depth += 1,
                    '}' if depth <= 1 => break,
                    '}' => depth -= 1,
                    '"' | '\'' => {
                        let end = at + closing(&text[at..], c);
                        // A key is no secret; what a colon follows is one.
                        let is_key = text[end..].trim_start_matches(c).trim_start().starts_with(':');
                        if !is_key && !text[at..end].starts_with("${") {
                            found.push((at, end));
                        }
                        at = (end + c.len_utf8()).min(text.len());
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// Where the string ends; at the end of its line if it isn't closed.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// Runs of 20 and more characters that hold letters and digits, as keys and tokens do. Paths,
/// addresses and model names have separators that keys lack.
fn random_runs(text: &str) -> Vec<(usize, usize)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '=');
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        match (start, part(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let run = &text[from..at];
                let digits = run.bytes().filter(u8::is_ascii_digit).count();
                let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
                let known = run.starts_with("sk-") || run.starts_with("ghp_") || run.starts_with("xox");
                if (run.len() >= 20 && digits >= 3 && letters >= 3) || (known && run.len() >= 8) {
                    found.push((from, at));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_nothing_moves() {
        for (text, expected) in [
            (r#""apiKey": "short","#, r#""apiKey": "*****","#),
            ("token: 'it\\'s', b: 1", "token: '*****', b: 1"),
            ("token: \"${VAR}\"", "token: \"${VAR}\""),
            ("maxTokens: 8192", "maxTokens: 8192"),
            ("x: 'AAAAbbbb1111cccc2222'", "x: '********************'"),
            ("primary: 'anthropic/claude-opus-4-6'", "primary: 'anthropic/claude-opus-4-6'"),
            ("password: hunter2,", "password: *******,"),
            ("botToken: 12345:abc", "botToken: *********"),
            ("key: 'unclosed\nnext", "key: '********\nnext"),
            ("a \u{202e}b\u{1b}[", "a    b ["),
        ] {
            assert_eq!(mask(text), expected, "{text}");
            assert_eq!(mask(text).len(), text.len());
        }
    }
}
