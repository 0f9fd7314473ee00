//! Nothing that came from a file or a provider may steer the terminal.

use std::borrow::Cow;

/// Control characters, and the marks that reorder or hide text (bidi, zero-width, line separators).
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// The text with control and bidi characters written as `\n`, `\t`, `\u{202e}`.
#[must_use]
pub fn text(raw: &str) -> Cow<'_, str> {
    if !raw.contains(is_unsafe) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len() + 8);
    for c in raw.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => out.push_str(&c.escape_unicode().to_string()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Text of several lines (a chain of errors): like [`text`], but line ends stay.
#[must_use]
pub fn lines(raw: &str) -> String {
    raw.lines().map(text).collect::<Vec<_>>().join("\n")
}

/// The value as a word that POSIX shells read back, for the commands that messages suggest.
#[must_use]
pub fn shell_word(raw: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !raw.is_empty() && raw.chars().all(plain) {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(format!("'{}'", text(raw).replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steering_characters_are_written_out() {
        assert_eq!(text("plain ünïcode 漢字"), "plain ünïcode 漢字");
        assert_eq!(text("a\x1b[31mb\nc\u{202e}d\u{200b}"), "a\\u{1b}[31mb\\nc\\u{202e}d\\u{200b}");
    }

    #[test]
    fn words_for_the_shell() {
        assert_eq!(shell_word("openai:a@example.com"), "openai:a@example.com");
        assert_eq!(shell_word("it's me"), r"'it'\''s me'");
        assert_eq!(shell_word(""), "''");
    }
}
