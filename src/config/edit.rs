//! Repairs as edits of exact bytes: nothing else in the file changes.

use std::ops::Range;

use super::finding::Edit;
use super::load::Loaded;
use super::node::{Member, Node};
use super::source::{Source, Span};

/// Takes one element out of an array, with its comma and, if it stands alone there, its line.
/// `None` when that can't be done safely: it came from a variable, or the file isn't UTF-8.
#[must_use]
pub fn remove_element(loaded: &Loaded, elements: &[Node], index: usize) -> Option<Vec<Edit>> {
    let spans: Vec<Span> = elements.iter().map(|element| element.span).collect();
    remove(loaded, &spans, index)
}

/// Takes one member out of an object.
#[must_use]
pub fn remove_member(loaded: &Loaded, members: &[Member], index: usize) -> Option<Vec<Edit>> {
    let whole = |member: &Member| {
        let same = member.key_span.file == member.value.span.file;
        same.then_some(Span { end: member.value.span.end, ..member.key_span })
    };
    let spans: Vec<Span> = members.iter().map(whole).collect::<Option<_>>()?;
    remove(loaded, &spans, index)
}

/// Gives a key another name, quoted as it was.
#[must_use]
pub fn rename_key(loaded: &Loaded, key_span: Span, name: &str) -> Option<Edit> {
    let source = editable(loaded, key_span)?;
    let text = match source.slice(key_span).chars().next()? {
        '\'' => format!("'{name}'"),
        '"' => format!("\"{name}\""),
        _ => name.to_owned(),
    };
    Some(Edit { span: key_span, text })
}

fn editable(loaded: &Loaded, span: Span) -> Option<&Source> {
    let source = loaded.source(span.file);
    (!source.lossy && (span.end as usize) <= source.text.len()).then_some(source)
}

fn remove(loaded: &Loaded, spans: &[Span], index: usize) -> Option<Vec<Edit>> {
    let span = *spans.get(index)?;
    let source = editable(loaded, span)?;
    let text = source.text.as_str();
    if source.slice(span).contains("${") {
        return None;
    }
    let (start, end) = (span.start as usize, span.end as usize);
    let mut cuts: Vec<Range<usize>> = Vec::with_capacity(2);
    cuts.push(start..end);
    if let Some(comma) = comma_after(text, end) {
        // With nothing but blanks before it, the comma goes in one cut.
        if text[end..comma].trim().is_empty() {
            cuts[0].end = comma + 1;
        } else {
            cuts.push(comma..comma + 1);
        }
    } else {
        let before =
            spans[..index].iter().rev().find(|other| other.file == span.file && other.end <= span.start);
        if let Some(before) = before {
            let comma = comma_after(text, before.end as usize)?;
            if text[comma + 1..start].trim().is_empty() {
                cuts[0].start = comma;
            } else {
                cuts.insert(0, comma..comma + 1);
            }
        }
    }
    if let Some(first) = cuts.iter_mut().find(|cut| cut.start == start) {
        *first = with_blanks(text, first.clone());
    }
    let byte = |at: usize| u32::try_from(at).ok();
    cuts.into_iter()
        .map(|cut| {
            let span = Span { file: span.file, start: byte(cut.start)?, end: byte(cut.end)? };
            Some(Edit { span, text: String::new() })
        })
        .collect()
}

/// The comma that follows, past blanks and comments.
fn comma_after(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        if c == ',' {
            return Some(at);
        } else if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return None;
        }
    }
}

/// Widens a cut to its line when nothing else stands there, else over the blanks after it.
fn with_blanks(text: &str, cut: Range<usize>) -> Range<usize> {
    let line_start = text[..cut.start].rfind('\n').map_or(0, |at| at + 1);
    let after = &text[cut.end..];
    let to_line_end = after.find('\n').map_or(after.len(), |at| at + 1);
    let alone = text[line_start..cut.start].trim().is_empty() && after[..to_line_end].trim().is_empty();
    if alone && line_start > 0 && after.contains('\n') {
        return line_start..cut.end + to_line_end;
    }
    let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
    // A blank that separates what remains stays.
    let opens = text[..cut.start].ends_with(['[', '{', ' ', '\t', '\n']);
    cut.start..cut.end + if opens { blanks } else { 0 }
}

/// The text with the edits made. Edits that overlap an earlier one are left out.
#[must_use]
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        if start < at || end > text.len() {
            continue;
        }
        out.push_str(&text[at..start]);
        out.push_str(&edit.text);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::env::Env;
    use crate::config::{JsonPath, LoadOptions, load_bytes};

    fn without(text: &str, path: &str, index: usize) -> Option<String> {
        let env = Env::new([("A", "x")], "/");
        let loaded = load_bytes("t".as_ref(), text.as_bytes().to_vec(), &env, &LoadOptions::default());
        let node = loaded.tree()?.get(&JsonPath::parse(path).ok()?)?;
        let edits = if node.elements().is_empty() {
            remove_member(&loaded, node.members(), index)?
        } else {
            remove_element(&loaded, node.elements(), index)?
        };
        Some(apply(text, &edits))
    }

    #[test]
    fn elements_go_with_their_comma() {
        for (text, path, index, expected) in [
            ("{a: [1, 2, 3]}", "a", 0, "{a: [2, 3]}"),
            ("{a: [1, 2, 3]}", "a", 1, "{a: [1, 3]}"),
            ("{a: [1, 2, 3]}", "a", 2, "{a: [1, 2]}"),
            ("{a: [1, 2, 3,]}", "a", 2, "{a: [1, 2, ]}"),
            ("{a: [1]}", "a", 0, "{a: []}"),
            ("{a: [\n  1, // one\n  2, // two\n]}", "a", 1, "{a: [\n  1, // one\n  // two\n]}"),
            ("{a: [\n  1,\n  2\n]}", "a", 1, "{a: [\n  1\n]}"),
            ("{a: [\n  1,\n  2,\n  3\n]}", "a", 1, "{a: [\n  1,\n  3\n]}"),
            ("{a: [1 /* x */, 2]}", "a", 0, "{a: [/* x */ 2]}"),
            ("{x: 1, y: 2}", "", 0, "{y: 2}"),
            ("{x: 1, 'y': 2}", "", 1, "{x: 1}"),
        ] {
            assert_eq!(without(text, path, index).as_deref(), Some(expected), "{text} {index}");
        }
        assert_eq!(without("{a: ['${A}', 2]}", "a", 0), None);
    }
}
