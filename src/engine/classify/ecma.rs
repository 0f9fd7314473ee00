//! Regular expressions in ECMAScript's meaning.

use std::sync::OnceLock;

use regex::Regex;

/// ECMAScript's meaning of `\s \S \d \w \b .` in the notation of the `regex` crate: blanks are
/// Unicode's and U+FEFF but not U+0085, digits, word characters and boundaries are ASCII, and a dot
/// stops at every line end.
fn ecma(source: &str) -> String {
    const BLANK: &str = r"[\s--\x{85}]\x{FEFF}";
    let mut out = String::with_capacity(source.len() * 2);
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('s') => out.extend(["[", BLANK, "]"]),
                Some('S') => out.extend(["[^", BLANK, "]"]),
                Some('d') => out.push_str("[0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('b') => out.push_str(r"(?-u:\b)"),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '.' if !in_class => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                out.push(c);
            }
        }
    }
    out
}

/// A regular expression that is compiled when it is first needed.
#[derive(Debug)]
pub(super) struct Lazy {
    pub(super) source: &'static str,
    built: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub(super) const fn new(source: &'static str) -> Self {
        Self { source, built: OnceLock::new() }
    }

    /// None only when the expression doesn't compile, which a test rules out for every table.
    pub(super) fn get(&self) -> Option<&Regex> {
        self.built.get_or_init(|| Regex::new(&format!("(?i){}", ecma(self.source))).ok()).as_ref()
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.get().is_some_and(|regex| regex.is_match(text))
    }

    /// The text without the first match, when there is one.
    pub(super) fn without_first(&self, text: &str) -> Option<String> {
        let found = self.get()?.find(text)?;
        Some([&text[..found.start()], &text[found.end()..]].concat())
    }
}
