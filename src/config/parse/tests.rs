use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read(text: &str) -> Parsed {
    parse(&Source::new("test.json5".into(), text.as_bytes().to_vec()), FileId(0))
}

fn value(text: &str) -> Option<Value> {
    let parsed = read(text);
    if parsed.is_valid() { parsed.node.map(|node| node.to_value()) } else { None }
}

/// Line, column and message of each finding.
fn messages(text: &str) -> Vec<String> {
    let source = Source::new("test.json5".into(), text.as_bytes().to_vec());
    parse(&source, FileId(0))
        .findings
        .iter()
        .map(|finding| {
            let (line, column) = source.line_column(finding.span.unwrap().start);
            format!("{line}:{column} {}", finding.message)
        })
        .collect()
}

#[test]
fn json5_values() {
    for (text, expected) in [
        ("\u{feff}{a: 1}", json!({"a": 1})),
        ("{'a': 'it\\'s', \"b\": \"x\",}", json!({"a": "it's", "b": "x"})),
        ("// c\n[1, /* two */ 2,]", json!([1, 2])),
        ("[+1, -0x1F, .5, 5., 1e3, 1E-2, 0.0]", json!([1, -31, 0.5, 5, 1000, 0.01, 0])),
        ("{$a_1: null, ünï: true, \\u0061b: false}", json!({"$a_1": null, "ünï": true, "ab": false})),
        ("'a\\\n b\\\r\nc'", json!("a bc")),
        ("'\\x41\\u00e9\\ud83d\\ude00\\v\\0\\q'", json!("Aé😀\u{b}\0q")),
        ("'\\ud83d'", json!("\u{fffd}")),
        ("{a:1,a:{b:2}}", json!({"a": {"b": 2}})),
        ("'tab\tok'", json!("tab\tok")),
        ("\u{a0}\u{2003}1\u{2028}", json!(1)),
        ("Infinity", Value::Null),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
}

#[test]
fn errors_have_a_place() {
    for (text, expected) in [
        ("", vec!["1:1 the file is empty"]),
        ("{a: 1\n b: 2}", vec!["1:6 \",\" is missing after this"]),
        ("{a: 1", vec!["1:1 this \"{\" has no \"}\""]),
        ("{a: 'x\n}", vec!["1:5 this text has no closing ' on its line"]),
        ("{a b}", vec!["1:2 \":\" and a value are missing after this key"]),
        ("{a: hello}", vec!["1:5 text needs quotes"]),
        ("{a: 01}", vec!["1:5 this is no number"]),
        (
            "{a: 5h, b: [1 2]}",
            vec!["1:5 this is no number", "1:15 \",\" or \"]\" is expected, found other text"],
        ),
        ("[1,,2]", vec!["1:4 a value is expected, found \",\""]),
        ("{a: 1]", vec!["1:6 \"}\" is expected, found \"]\""]),
        ("{a-b: 1}", vec!["1:2 this key needs quotes"]),
        ("{1a: 1}", vec!["1:2 a key that starts with a digit needs quotes"]),
        ("{} x", vec!["1:4 other text after the end of the document"]),
        ("{a: '\\1'}", vec!["1:6 a digit can't be escaped"]),
        ("{a: '\\u12'}", vec!["1:6 this escape needs 4 hexadecimal digits"]),
        ("{a = 1}", vec!["1:4 \":\" is expected after a key, found \"=\""]),
        ("{a: ,}", vec!["1:5 the value of \"a\" is missing"]),
        ("/* x", vec!["1:1 this comment has no end"]),
        ("{a: 1,\n a: 2}", vec!["2:2 the key \"a\" stands here twice; only this one counts"]),
    ] {
        assert_eq!(messages(text), expected, "{text}");
    }
}

#[test]
fn what_follows_an_error_is_read() {
    let parsed = read("{a: oops, b: [1, 'x\n, 2], c: 3}");
    assert_eq!(parsed.findings.len(), 2);
    assert_eq!(parsed.node.map(|node| node.to_value()), Some(json!({"b": [1, 2], "c": 3})));
}

#[test]
fn a_megabyte_of_brackets_is_an_error() {
    for text in ["[".repeat(1_000_000), "{a:".repeat(300_000), "{'a':[".repeat(200_000)] {
        let found = messages(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("inside each other"), "{found:?}");
    }
    let deep = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert!(read(&deep).is_valid());
}

#[test]
fn spans_cover_exactly_the_value() {
    let text = "{ a: [ 'x' , 0x10 ], \"b\": null }";
    let source = Source::new("t".into(), text.as_bytes().to_vec());
    let node = parse(&source, FileId(0)).node.unwrap();
    assert_eq!(source.slice(node.span), text);
    let a = node.member("a").unwrap();
    assert_eq!(source.slice(a.value.span), "[ 'x' , 0x10 ]");
    assert_eq!(source.slice(a.value.elements()[1].span), "0x10");
    assert_eq!(source.slice(node.member("b").unwrap().key_span), "\"b\"");
}

/// Pieces that make interesting documents when thrown together.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "'", "\"", "\\", "\\u", "d83d", "//", "/*", "*/", "\n", "\r", " ", "a",
        "é", "1", "0x", ".", "-", "+", "e", "Infinity", "NaN", "null", "true", "$include", "${A}",
        "\u{feff}", "\u{2028}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let source = Source::new("t".into(), bytes);
        let parsed = parse(&source, FileId(0));
        for finding in parsed.findings {
            let span = finding.span.unwrap();
            prop_assert!(span.start <= span.end && span.end as usize <= source.text.len());
        }
    }

    #[test]
    fn never_panics_on_pieces(text in soup()) {
        let parsed = read(&text);
        prop_assert!(parsed.node.is_some() || !parsed.findings.is_empty());
    }

    /// What is valid here is valid for the json5 crate and has the same value, and the other way
    /// round, apart from what that crate reads differently from JavaScript.
    #[test]
    fn agrees_with_the_json5_crate(text in soup()) {
        let theirs = json5::from_str::<Value>(&text).ok();
        let ours = value(&text);
        prop_assert_eq!(ours.is_some(), theirs.is_some(), "{}", text);
    }
}
