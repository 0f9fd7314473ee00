//! A JSON5 reader that knows where everything stands.
//!
//! OpenClaw reads its config with the JavaScript package `json5`. The `json5` crate gives no
//! positions and overflows the stack on deep nesting; `jsonc-parser` gives positions but has no
//! `Infinity`, `.5`, `\x41`, line continuations or JSON5's blanks. So this reads the grammar of
//! <https://spec.json5.org> itself, bounded in depth, and goes on after an error where the rest
//! still makes sense.

use std::collections::HashMap;

use super::finding::{Finding, Severity};
use super::node::{Kind, Member, Node};
use super::source::{FileId, Source, Span};

/// Arrays and objects inside each other, at most. Real configs stay below 20, and OpenClaw itself
/// ends with a stack overflow somewhere above a thousand; the bound keeps every walk over the tree
/// within the stack.
pub const MAX_DEPTH: usize = 500;

/// Syntax errors reported per file.
const MAX_ERRORS: usize = 10;

/// What a file holds.
#[derive(Debug)]
pub struct Parsed {
    /// The value, with what could be read after errors; `None` if nothing could.
    pub node: Option<Node>,
    /// Errors and warnings.
    pub findings: Vec<Finding>,
}

impl Parsed {
    /// Whether OpenClaw reads the file too.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.node.is_some() && !self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Reads a JSON5 document.
#[must_use]
pub fn parse(source: &Source, file: FileId) -> Parsed {
    let mut parser = Parser { text: &source.text, at: 0, file, findings: Vec::new(), errors: 0, depth: 0 };
    let node = parser.document();
    Parsed { node, findings: parser.findings }
}

/// Reading of this part can't go on; the error is recorded.
struct Stop;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    file: FileId,
    findings: Vec<Finding>,
    errors: usize,
    depth: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Option<Node> {
        self.blanks();
        if self.at == self.text.len() {
            if self.errors == 0 {
                self.error(0, 0, "the file is empty", &["write at least {}"]);
            }
            return None;
        }
        let node = self.value().ok();
        if node.is_some() && self.errors < MAX_ERRORS {
            self.blanks();
            if let Some(c) = self.peek() {
                let message = format!("{} after the end of the document", show(c));
                self.error(self.at, self.at + c.len_utf8(), &message, &[]);
            }
        }
        node
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn peek_is(&self, c: char) -> bool {
        self.peek() == Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek_is(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn span(&self, start: usize, end: usize) -> Span {
        // The loader refuses files of 4 GiB and more long before.
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: self.file, start: byte(start), end: byte(end) }
    }

    fn error(&mut self, start: usize, end: usize, message: &str, hints: &[&str]) {
        self.errors += 1;
        let mut finding = Finding::new("syntax", Severity::Error, message).at(self.span(start, end));
        finding.hints = hints.iter().map(|hint| (*hint).to_owned()).collect();
        self.findings.push(finding);
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return };
            if is_blank(c) {
                self.at += c.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find(is_line_end).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                if let Some(end) = comment.find("*/") {
                    self.at += end + 4;
                } else {
                    self.error(self.at, self.at + 2, "this comment has no end", &["close it with */"]);
                    self.at = self.text.len();
                }
            } else {
                return;
            }
        }
    }

    /// Reads the value that starts here.
    fn value(&mut self) -> Result<Node, Stop> {
        let start = self.at;
        let Some(c) = self.peek() else {
            self.error(start, start, "a value is missing before the end of the file", &[]);
            return Err(Stop);
        };
        let kind = match c {
            '{' | '[' => {
                if self.depth == MAX_DEPTH {
                    self.error(
                        start,
                        start + 1,
                        &format!("more than {MAX_DEPTH} arrays and objects inside each other"),
                        &[],
                    );
                    self.errors = MAX_ERRORS;
                    return Err(Stop);
                }
                self.at += 1;
                self.depth += 1;
                let kind = if c == '{' { self.object(start) } else { self.array(start) };
                self.depth -= 1;
                kind
            }
            '"' | '\'' => Kind::String(self.string(c)?),
            '+' | '-' | '.' | '0'..='9' | 'I' | 'N' => Kind::Number(self.number()?),
            _ => {
                let word_end = self.word_end();
                match &self.text[start..word_end] {
                    "null" => self.word(word_end, Kind::Null),
                    "true" => self.word(word_end, Kind::Bool(true)),
                    "false" => self.word(word_end, Kind::Bool(false)),
                    "" => {
                        let message = format!("a value is expected, found {}", show(c));
                        self.error(start, start + c.len_utf8(), &message, &[]);
                        return Err(Stop);
                    }
                    "None" | "True" | "False" | "undefined" => {
                        let message = format!("{} is no JSON5 value", &self.text[start..word_end]);
                        self.error(start, word_end, &message, &["write null, true or false"]);
                        self.at = word_end;
                        return Err(Stop);
                    }
                    _ => {
                        self.error(start, word_end, "text needs quotes", &[]);
                        self.at = word_end;
                        return Err(Stop);
                    }
                }
            }
        };
        Ok(Node { span: self.span(start, self.at), kind })
    }

    fn word(&mut self, end: usize, kind: Kind) -> Kind {
        self.at = end;
        kind
    }

    /// The end of the run of word characters that starts here.
    fn word_end(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.find(|c| !is_word_part(c)).unwrap_or(rest.len())
    }

    fn array(&mut self, open: usize) -> Kind {
        let mut elements = Vec::new();
        loop {
            self.blanks();
            if self.eat(']') || self.ends(open, '[') {
                break;
            }
            match self.value() {
                Ok(element) => elements.push(element),
                Err(Stop) => self.skip_item(),
            }
            if !self.next_item(']') {
                break;
            }
        }
        Kind::Array(elements)
    }

    fn object(&mut self, open: usize) -> Kind {
        let mut members: Vec<Member> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        loop {
            self.blanks();
            if self.eat('}') || self.ends(open, '{') {
                break;
            }
            match self.member() {
                Ok(member) => self.add(&mut members, &mut places, member),
                Err(Stop) => self.skip_item(),
            }
            if !self.next_item('}') {
                break;
            }
        }
        Kind::Object(members)
    }

    /// As in JavaScript, the last of two equal keys counts, at the place of the first.
    fn add(&mut self, members: &mut Vec<Member>, places: &mut HashMap<String, usize>, member: Member) {
        if let Some(&place) = places.get(&member.key) {
            let message = format!("the key \"{}\" stands here twice; only this one counts", member.key);
            self.findings.push(
                Finding::new("duplicate-key", Severity::Warning, message)
                    .at(member.key_span)
                    .label(members[place].key_span, "this one is ignored")
                    .hint("remove the one that isn't meant"),
            );
            members[place] = member;
        } else {
            places.insert(member.key.clone(), members.len());
            members.push(member);
        }
    }

    fn member(&mut self) -> Result<Member, Stop> {
        let start = self.at;
        let key = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.string(quote)?,
            _ => self.identifier()?,
        };
        let key_span = self.span(start, self.at);
        self.blanks();
        if !self.eat(':') {
            if self.peek_is('=') {
                self.error(self.at, self.at + 1, "\":\" is expected after a key, found \"=\"", &[]);
                self.at += 1;
            } else {
                self.error(
                    start,
                    self.at.min(self.text.len()),
                    "\":\" and a value are missing after this key",
                    &[],
                );
                return Err(Stop);
            }
        }
        self.blanks();
        if matches!(self.peek(), Some(',' | '}')) {
            self.error(self.at, self.at + 1, &format!("the value of \"{key}\" is missing"), &[]);
            return Err(Stop);
        }
        let value = self.value()?;
        Ok(Member { key, key_span, value })
    }

    /// Goes to the next item; false at the end of the array or object.
    fn next_item(&mut self, close: char) -> bool {
        if self.errors >= MAX_ERRORS {
            self.at = self.text.len();
            return false;
        }
        let end_of_last = self.at;
        self.blanks();
        if self.eat(',') {
            return true;
        }
        match self.peek() {
            None => true,
            Some(c) if c == close => {
                self.at += 1;
                false
            }
            Some(c @ (']' | '}')) => {
                let message = format!("\"{close}\" is expected, found \"{c}\"");
                self.error(self.at, self.at + 1, &message, &[]);
                self.at += 1;
                false
            }
            Some(c) => {
                let on_new_line = self.text[end_of_last..self.at].contains(is_line_end);
                if on_new_line && (is_word_start(c) || matches!(c, '"' | '\'' | '{' | '[')) {
                    self.error(end_of_last, end_of_last, "\",\" is missing after this", &[]);
                } else {
                    let message = format!("\",\" or \"{close}\" is expected, found {}", show(c));
                    self.error(self.at, self.at + c.len_utf8(), &message, &[]);
                    self.skip_item();
                    self.blanks();
                    return self.next_item_after_skip(close);
                }
                true
            }
        }
    }

    fn next_item_after_skip(&mut self, close: char) -> bool {
        if self.eat(',') {
            return true;
        }
        if self.eat(close) {
            return false;
        }
        if matches!(self.peek(), Some(']' | '}')) {
            self.at += 1;
            return false;
        }
        true
    }

    /// Reports an array or object without an end.
    fn ends(&mut self, open: usize, bracket: char) -> bool {
        if self.at < self.text.len() {
            return false;
        }
        if self.errors < MAX_ERRORS {
            let close = if bracket == '{' { '}' } else { ']' };
            let message = format!("this \"{bracket}\" has no \"{close}\"");
            self.error(open, open + 1, &message, &[]);
            // Those around it lack theirs for the same reason.
            self.errors = MAX_ERRORS;
        }
        true
    }

    /// After an error: goes to the comma or bracket that ends this item, past nested ones.
    fn skip_item(&mut self) {
        let mut depth = 0usize;
        while let Some(c) = self.peek() {
            match c {
                ',' if depth == 0 => return,
                ']' | '}' if depth == 0 => return,
                '[' | '{' => depth += 1,
                ']' | '}' => depth -= 1,
                '"' | '\'' => {
                    self.skip_string(c);
                    continue;
                }
                '/' => {
                    let before = self.at;
                    self.blanks();
                    if self.at > before {
                        continue;
                    }
                }
                _ => {}
            }
            self.at += c.len_utf8();
        }
    }

    /// Skips a string, or the rest of the line if it has no end there.
    fn skip_string(&mut self, quote: char) {
        self.at += 1;
        while let Some(c) = self.peek() {
            if is_line_end(c) {
                return;
            }
            self.at += c.len_utf8();
            if c == quote {
                return;
            }
            if c == '\\'
                && let Some(next) = self.peek()
            {
                self.at += next.len_utf8();
            }
        }
    }

    fn string(&mut self, quote: char) -> Result<String, Stop> {
        let open = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let run = rest.find([quote, '\\', '\n', '\r']).unwrap_or(rest.len());
            text.push_str(&rest[..run]);
            self.at += run;
            match self.peek() {
                Some(c) if c == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => self.escape(&mut text),
                _ => {
                    let message = format!("this text has no closing {quote} on its line");
                    self.error(open, self.at, &message, &[]);
                    return Err(Stop);
                }
            }
        }
    }

    /// Reads an escape; the text goes on after a wrong one.
    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.peek() else { return };
        self.at += c.len_utf8();
        match c {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'v' => text.push('\u{b}'),
            '\r' => {
                self.eat('\n');
            }
            '\n' | '\u{2028}' | '\u{2029}' => {}
            '0' if !matches!(self.peek(), Some('0'..='9')) => text.push('\0'),
            '0'..='9' => {
                self.error(start, self.at, "a digit can't be escaped", &["write \\xHH or \\uHHHH"]);
            }
            'x' => {
                let code = self.hex(start, 2).unwrap_or(u32::from(char::REPLACEMENT_CHARACTER));
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            'u' => {
                let c = self.unicode(start).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.push(c);
            }
            other => text.push(other),
        }
    }

    /// The character of `\uHHHH`, or of the pair of them that stands for one character.
    /// Half a pair, which JavaScript keeps, becomes U+FFFD.
    fn unicode(&mut self, start: usize) -> Result<char, Stop> {
        let first = self.hex(start, 4)?;
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.hex(back, 4)?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self, start: usize, digits: usize) -> Result<u32, Stop> {
        let found = self.text[self.at..].chars().take(digits).take_while(char::is_ascii_hexdigit).count();
        let end = self.at + found;
        if found < digits {
            let message = format!("this escape needs {digits} hexadecimal digits");
            self.error(start, end, &message, &[]);
            return Err(Stop);
        }
        let code = u32::from_str_radix(&self.text[self.at..end], 16).unwrap_or_default();
        self.at = end;
        Ok(code)
    }

    fn number(&mut self) -> Result<f64, Stop> {
        let start = self.at;
        let negative = self.peek_is('-');
        if negative || self.peek_is('+') {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let (value, length) = if rest.starts_with("Infinity") {
            (f64::INFINITY, "Infinity".len())
        } else if rest.starts_with("NaN") {
            (f64::NAN, "NaN".len())
        } else if rest.starts_with("0x") || rest.starts_with("0X") {
            let digits = rest[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
            let value = rest[2..2 + digits]
                .chars()
                .filter_map(|c| c.to_digit(16))
                .fold(0.0, |value, digit| value * 16.0 + f64::from(digit));
            (value, if digits == 0 { 0 } else { digits + 2 })
        } else {
            let length = decimal_length(rest);
            (rest[..length].parse().unwrap_or(f64::NAN), length)
        };
        self.at += length;
        let end = self.word_end();
        if length == 0 || end > self.at {
            let what = if end > start { &self.text[start..end] } else { "" };
            let hints: &[&str] = match what {
                _ if what.starts_with('0') && length == 1 => &["numbers have no leading zeros"],
                _ if what.starts_with(|c: char| c.is_ascii_digit()) => &["text needs quotes"],
                _ => &[],
            };
            self.error(start, end.max(start + 1).min(self.text.len()), "this is no number", hints);
            self.at = end;
            return Err(Stop);
        }
        Ok(if negative { -value } else { value })
    }

    fn identifier(&mut self) -> Result<String, Stop> {
        let start = self.at;
        let mut key = String::new();
        while let Some(c) = self.peek() {
            let c = if c == '\\' {
                let escape = self.at;
                self.at += 1;
                if !self.eat('u') {
                    self.error(escape, self.at, "a key without quotes can only hold \\uHHHH escapes", &[]);
                    return Err(Stop);
                }
                self.unicode(escape)?
            } else if is_word_part(c) {
                self.at += c.len_utf8();
                c
            } else {
                break;
            };
            if key.is_empty() && !is_word_start(c) {
                self.at = self.word_end();
                self.error(start, self.at, "a key that starts with a digit needs quotes", &[]);
                return Err(Stop);
            }
            key.push(c);
        }
        if key.is_empty() {
            let shown = self.peek().map_or_else(|| "the end of the file".to_owned(), show);
            let end = self.at + self.peek().map_or(0, char::len_utf8);
            self.error(start, end, &format!("a key is expected, found {shown}"), &[]);
            return Err(Stop);
        }
        if matches!(self.peek(), Some('-' | '.' | '/' | '@')) {
            let rest = &self.text[self.at..];
            let more =
                rest.find(|c| !(is_word_part(c) || matches!(c, '-' | '.' | '/' | '@'))).unwrap_or(rest.len());
            self.at += more;
            self.error(start, self.at, "this key needs quotes", &[]);
            return Err(Stop);
        }
        Ok(key)
    }
}

/// The length of the decimal number at the start, 0 if there is none. `5.` and `.5` are numbers,
/// `01` isn't.
fn decimal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut whole = digits(0);
    if whole > 1 && bytes[0] == b'0' {
        whole = 1;
    }
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    }
    if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '$' | '_')
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '$' | '_' | '\u{200c}' | '\u{200d}')
}

/// What stands at a place, in words: a message quotes no text of the file, which may be a secret whose
/// quotes are missing.
fn show(c: char) -> String {
    match c {
        '{' | '}' | '[' | ']' | ',' | ':' | '"' | '\'' => format!("\"{c}\""),
        _ if c.is_control() || is_blank(c) => format!("U+{:04X}", u32::from(c)),
        _ => "other text".to_owned(),
    }
}

#[cfg(test)]
mod tests;
