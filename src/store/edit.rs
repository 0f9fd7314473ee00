//! JSON text seen as spans: reads members without copying, changes some and keeps every other byte.
//!
//! Numbers keep their spelling, strings their escapes, objects their order and white space. Text is
//! checked with `serde_json` first; the scanner below then only has to find its way in valid JSON.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::base::error::{Error, Result};

const BOM: char = '\u{feff}';

/// A member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    pub key: Cow<'a, str>,
    /// From the key's first quote to the value's end.
    pub whole: Range<usize>,
    pub value: Range<usize>,
}

/// A parser's complaint without any text of the document (which may be a secret).
pub(crate) fn shape_error(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// Checked JSON text, without a byte order mark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    text: &'a str,
}

impl<'a> Document<'a> {
    /// Checks the text.
    ///
    /// # Errors
    /// `Damaged`, with line and column, when it is no JSON.
    pub(crate) fn parse(text: &'a str) -> Result<Self> {
        let text = text.strip_prefix(BOM).unwrap_or(text);
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(IgnoredAny) => Ok(Self { text }),
            Err(error) => {
                let what = if error.is_eof() { "ends too early" } else { "isn't valid JSON" };
                Err(Error::damaged(what).at_line(error.line(), error.column()))
            }
        }
    }

    /// The span of the whole value.
    pub(crate) fn root(&self) -> Range<usize> {
        let start = skip_space(self.text, 0);
        start..skip_value(self.text, start)
    }

    /// The text of a span.
    pub(crate) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }

    /// The members of the object at this span, doubled keys included; `None` when it is no object.
    pub(crate) fn members(&self, span: Range<usize>) -> Option<Vec<Member<'a>>> {
        let text = self.text;
        if text.as_bytes().get(span.start) != Some(&b'{') {
            return None;
        }
        let mut members = Vec::new();
        let mut at = skip_space(text, span.start + 1);
        while text.as_bytes().get(at) == Some(&b'"') {
            let key_end = skip_value(text, at);
            let colon = skip_space(text, key_end);
            let value_start = skip_space(text, colon + 1);
            let value_end = skip_value(text, value_start);
            members.push(Member {
                key: unescape(text.get(at..key_end).unwrap_or_default()),
                whole: at..value_end,
                value: value_start..value_end,
            });
            at = skip_space(text, value_end);
            if text.as_bytes().get(at) == Some(&b',') {
                at = skip_space(text, at + 1);
            }
        }
        Some(members)
    }

    /// The value of a member of the object at this span; of doubled keys the last, as JSON.parse.
    pub(crate) fn member(&self, span: Range<usize>, key: &str) -> Option<Range<usize>> {
        self.members(span)?.into_iter().rev().find(|member| member.key == key).map(|member| member.value)
    }

    /// The value at a path of keys from the root.
    pub(crate) fn get(&self, path: &[&str]) -> Option<&'a str> {
        let mut span = self.root();
        for key in path {
            span = self.member(span, key)?;
        }
        Some(self.slice(span))
    }

    /// Line and column of a position, both from 1.
    pub(crate) fn line_column(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
    }
}

/// What a member is set to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum New<'a> {
    /// Laid out as the document is.
    Value(&'a serde_json::Value),
    /// JSON text, as it stands.
    Raw(&'a str),
}

/// Sets the member at a path, making the objects on the way, and returns the new text.
///
/// # Errors
/// `Damaged` when the text is no JSON, when something on the way is no object, or when a key on the
/// way is doubled (which of them counts would depend on the reader).
pub(crate) fn set(text: &str, path: &[&str], new: New<'_>) -> Result<String> {
    let document = Document::parse(text)?;
    let offset = text.len() - document.text.len();
    let style = Style::of(&document);
    let mut span = document.root();
    for (depth, key) in path.iter().enumerate() {
        let members = editable_members(&document, span.clone(), path, depth)?;
        if let Some(member) = members.iter().find(|member| member.key == *key) {
            span = member.value.clone();
            continue;
        }
        let member = style.chain(&path[depth..], new, depth + 1);
        let (at, new) = match members.last() {
            Some(last) => (last.whole.end, style.after_comma(&document, &members, depth + 1) + &member),
            None => {
                let close = style.closing_break(&document, &span, depth);
                (span.start + 1, style.line_break(depth + 1) + &member + &close)
            }
        };
        return Ok(splice(text, at + offset..at + offset, &new));
    }
    let new = style.text(new, path.len());
    Ok(splice(text, span.start + offset..span.end + offset, &new))
}

/// Removes the member at a path and returns the new text; a path that isn't there changes nothing.
///
/// # Errors
/// As [`set`].
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String> {
    let document = Document::parse(text)?;
    let offset = text.len() - document.text.len();
    let mut span = document.root();
    for (depth, key) in path.iter().enumerate() {
        let members = editable_members(&document, span.clone(), path, depth)?;
        let Some(index) = members.iter().position(|member| member.key == *key) else {
            return Ok(text.to_owned());
        };
        if depth + 1 < path.len() {
            span = members[index].value.clone();
            continue;
        }
        // With its comma: the one before it, or for the first member the one after it.
        let cut = if index > 0 {
            members[index - 1].whole.end..members[index].whole.end
        } else if let Some(next) = members.get(1) {
            members[0].whole.start..next.whole.start
        } else {
            span.start + 1..span.end - 1
        };
        return Ok(splice(text, cut.start + offset..cut.end + offset, ""));
    }
    Ok(text.to_owned())
}

fn editable_members<'a>(
    document: &Document<'a>,
    span: Range<usize>,
    path: &[&str],
    depth: usize,
) -> Result<Vec<Member<'a>>> {
    let place = |error: Error, at: usize, path: &[&str]| {
        let (line, column) = document.line_column(at);
        let error = error.at_line(line, column);
        if path.is_empty() { error } else { error.at_json_path(path.join(".")) }
    };
    let Some(members) = document.members(span.clone()) else {
        return Err(place(Error::damaged("isn't an object"), span.start, &path[..depth]));
    };
    let mut same = members.iter().filter(|member| member.key == path[depth]);
    same.next();
    if let Some(second) = same.next() {
        return Err(place(
            Error::damaged("this key stands there twice, and which one counts depends on the reader")
                .hint("remove one of the two by hand"),
            second.whole.start,
            &path[..=depth],
        ));
    }
    Ok(members)
}

fn splice(text: &str, span: Range<usize>, new: &str) -> String {
    let mut result = String::with_capacity(text.len() + new.len());
    result.push_str(text.get(..span.start).unwrap_or_default());
    result.push_str(new);
    result.push_str(text.get(span.end..).unwrap_or_default());
    result
}

/// How new members are laid out: on one line, or indented as the document is.
struct Style<'a> {
    unit: Option<&'a str>,
}

impl<'a> Style<'a> {
    fn of(document: &Document<'a>) -> Self {
        let members = document.members(document.root()).unwrap_or_default();
        let unit = members.first().and_then(|member| {
            let space = document.slice(document.root().start + 1..member.whole.start);
            space.rfind('\n').map(|newline| &space[newline + 1..])
        });
        Self { unit }
    }

    fn line_break(&self, depth: usize) -> String {
        self.unit.map_or_else(String::new, |unit| format!("\n{}", unit.repeat(depth)))
    }

    /// What stands before the closing brace of an object that was empty.
    fn closing_break(&self, document: &Document<'_>, span: &Range<usize>, depth: usize) -> String {
        if document.slice(span.start + 1..span.end - 1).contains('\n') {
            String::new()
        } else {
            self.line_break(depth)
        }
    }

    /// The comma and the white space that the members of this object stand apart with.
    fn after_comma(&self, document: &Document<'_>, members: &[Member<'_>], depth: usize) -> String {
        match members {
            [.., before, last] => document.slice(before.whole.end..last.whole.start).to_owned(),
            _ => format!(",{}", self.line_break(depth)),
        }
    }

    fn key(&self, key: &str) -> String {
        let colon = if self.unit.is_some() { ": " } else { ":" };
        format!("{}{colon}", serde_json::Value::from(key))
    }

    fn member(&self, key: &str, value: &serde_json::Value, depth: usize) -> String {
        self.key(key) + &self.value(value, depth)
    }

    /// The first key with, inside of it, the objects of the others, and the value in the innermost.
    fn chain(&self, keys: &[&str], new: New<'_>, depth: usize) -> String {
        let [first, rest @ ..] = keys else { return String::new() };
        if rest.is_empty() {
            return self.key(first) + &self.text(new, depth);
        }
        let inner = self.chain(rest, new, depth + 1);
        format!("{}{{{}{inner}{}}}", self.key(first), self.line_break(depth + 1), self.line_break(depth))
    }

    fn text(&self, new: New<'_>, depth: usize) -> String {
        match new {
            New::Value(value) => self.value(value, depth),
            New::Raw(raw) => raw.to_owned(),
        }
    }

    fn value(&self, value: &serde_json::Value, depth: usize) -> String {
        use serde_json::Value;
        let Some(unit) = self.unit else { return value.to_string() };
        let join = |parts: Vec<String>, open: char, close: char| {
            let inner = format!("\n{}", unit.repeat(depth + 1));
            let outer = format!("\n{}", unit.repeat(depth));
            format!("{open}{inner}{}{outer}{close}", parts.join(&format!(",{inner}")))
        };
        match value {
            Value::Array(items) if !items.is_empty() => {
                join(items.iter().map(|item| self.value(item, depth + 1)).collect(), '[', ']')
            }
            Value::Object(map) if !map.is_empty() => {
                join(map.iter().map(|(key, item)| self.member(key, item, depth + 1)).collect(), '{', '}')
            }
            other => other.to_string(),
        }
    }
}

fn skip_space(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// The end of the value that starts here.
fn skip_value(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(inner) = bytes.get(at) {
                    match inner {
                        b'\\' => at += 1,
                        b'"' => break,
                        _ => {}
                    }
                    at += 1;
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            return at;
        }
    }
    at
}

/// The text of a JSON string; one that no Unicode text can hold (half a surrogate pair) keeps its
/// escapes.
pub(crate) fn unescape(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if inner.contains('\\') {
        serde_json::from_str::<String>(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn untouched_members_keep_their_bytes() {
        let text = "\u{feff}{ \"big\": 1e3, \"n\":12345678901234567890.10, \"e\":\"\\u0041\\/\",\n\t\"order\":{\"openai\":[\"a\"]} , \"x\" : null}\n";
        let new = set(text, &["order", "openai"], New::Value(&json!(["b", "a"]))).unwrap();
        assert_eq!(new, text.replace("[\"a\"]", "[\"b\",\"a\"]"));
        let new = set(text, &["order", "z"], New::Value(&json!(["c"]))).unwrap();
        assert_eq!(new, text.replace("[\"a\"]}", "[\"a\"],\"z\":[\"c\"]}"));
        assert_eq!(
            remove(text, &["order"]).unwrap(),
            text.replace(",\n\t\"order\":{\"openai\":[\"a\"]}", "")
        );
        assert_eq!(remove(text, &["order", "openai"]).unwrap(), text.replace("\"openai\":[\"a\"]", ""));
        assert_eq!(remove(text, &["big"]).unwrap(), text.replace("\"big\": 1e3, ", ""));
        assert_eq!(remove(text, &["nothing", "here"]).unwrap(), text);
    }

    #[test]
    fn new_members_follow_the_layout() {
        let pretty = "{\n  \"version\": 1,\n  \"profiles\": {}\n}\n";
        assert_eq!(
            set(pretty, &["order", "openai"], New::Value(&json!(["a", "b"]))).unwrap(),
            "{\n  \"version\": 1,\n  \"profiles\": {},\n  \"order\": {\n    \"openai\": [\n      \"a\",\n      \"b\"\n    ]\n  }\n}\n"
        );
        assert_eq!(
            set(pretty, &["profiles", "p"], New::Value(&json!({}))).unwrap(),
            "{\n  \"version\": 1,\n  \"profiles\": {\n    \"p\": {}\n  }\n}\n"
        );
        assert_eq!(
            set("{}", &["order", "openai"], New::Value(&json!([]))).unwrap(),
            "{\"order\":{\"openai\":[]}}"
        );
    }

    #[test]
    fn doubled_keys_and_foreign_shapes_are_refused() {
        let twice = "{\"order\":{\"a\":[]},\n \"order\":{}}";
        let error = set(twice, &["order", "a"], New::Value(&json!([]))).unwrap_err();
        assert_eq!(error.place.unwrap().line_column, Some((2, 2)));
        assert_eq!(Document::parse(twice).unwrap().get(&["order"]), Some("{}"), "the last one counts");
        let error = remove("{\"order\":[1]}", &["order", "a"]).unwrap_err();
        assert_eq!(error.place.unwrap().json_path.as_deref(), Some("order"));
        let raw = set("{\n  \"a\": {}\n}", &["u", "p"], New::Raw("{\"n\":1e3}")).unwrap();
        assert_eq!(raw, "{\n  \"a\": {},\n  \"u\": {\n    \"p\": {\"n\":1e3}\n  }\n}");
        for broken in ["", "{", "{\"a\":1,}", "nonsense", "{\"a\" 1}", "{} x"] {
            assert!(Document::parse(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn errors_hold_no_text_of_the_document() {
        let text = "{\"key\":\"sk-made-up-secret\" oops}";
        let error = Document::parse(text).unwrap_err();
        assert!(!format!("{error:?} {error}").contains("made-up"));
    }

    fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            "\\PC{0,6}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[a-c\"\\\\]{1,2}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// An edit means what the same change of the parsed value means.
        #[test]
        fn edits_agree_with_values(
            root in prop::collection::btree_map("[a-c\"\\\\]{1,2}", value(), 0..4),
            path in prop::collection::vec("[a-c\"\\\\]{1,2}", 1..4),
            new in value(),
            pretty in any::<bool>(),
        ) {
            let root = serde_json::Value::Object(root.into_iter().collect());
            let text = if pretty { serde_json::to_string_pretty(&root).unwrap() } else { root.to_string() };
            let path: Vec<&str> = path.iter().map(String::as_str).collect();

            let mut expected = Some(root.clone());
            if let Some(mut at) = expected.as_mut() {
                let mut blocked = false;
                for key in &path {
                    if !at.is_object() { blocked = true; break; }
                    at = at.as_object_mut().unwrap().entry(*key).or_insert_with(|| json!({}));
                }
                if blocked { expected = None } else { *at = new.clone() }
            }
            let edited = set(&text, &path, New::Value(&new)).ok().map(|text| serde_json::from_str(&text).unwrap());
            prop_assert_eq!(edited, expected);

            if let Ok(removed) = remove(&text, &path) {
                let removed: serde_json::Value = serde_json::from_str(&removed).unwrap();
                let mut expected = root;
                let mut at = Some(&mut expected);
                for key in &path[..path.len() - 1] {
                    at = at.and_then(|value| value.as_object_mut()).and_then(|map| map.get_mut(*key));
                }
                if let Some(map) = at.and_then(|value| value.as_object_mut()) {
                    map.shift_remove(path[path.len() - 1]);
                }
                prop_assert_eq!(removed, expected);
            }
        }
    }
}
