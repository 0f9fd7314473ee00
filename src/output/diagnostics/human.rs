//! For people: the finding, the marked excerpt, what to do.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Place, Report, Severity, mask, plural};
use crate::base::text;

/// Bytes of a line shown around the marked part, when the line is long.
const WINDOW: usize = 100;

/// Writes every finding and a summary. Colours are in the text; the stream strips them.
///
/// # Errors
/// The stream failed.
pub fn write(out: &mut dyn Write, report: &Report<'_>, width: usize) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(width.max(60));
    for diagnostic in report.diagnostics {
        writeln!(out, "{}\n", one(&renderer, report, diagnostic))?;
    }
    let (errors, warnings, infos) = report.counts();
    let files = plural(report.files.len(), "file");
    if errors + warnings + infos == 0 {
        return writeln!(out, "{files}: nothing found");
    }
    let mut parts = Vec::new();
    for (count, word) in [(errors, "error"), (warnings, "warning")] {
        if count > 0 {
            parts.push(plural(count, word));
        }
    }
    if infos > 0 {
        parts.push(format!("{infos} info"));
    }
    writeln!(out, "{files}: {}", parts.join(", "))
}

fn one(renderer: &Renderer, report: &Report<'_>, diagnostic: &Diagnostic<'_>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = match &diagnostic.subject {
        Some(subject) => format!("{}: {}", text::text(subject), text::text(&diagnostic.message)),
        None => text::text(&diagnostic.message).into_owned(),
    };
    let mut excerpts: Vec<Excerpt> = Vec::new();
    if let Some(place) = &diagnostic.place {
        add(&mut excerpts, report, place, String::new(), AnnotationKind::Primary);
    }
    for (place, text) in &diagnostic.labels {
        add(&mut excerpts, report, place, text::text(text).into_owned(), AnnotationKind::Context);
    }
    let mut group =
        level.primary_title(title).id(diagnostic.id).elements(Vec::<Snippet<'_, Annotation<'_>>>::new());
    for excerpt in &excerpts {
        let Some(text) = &excerpt.text else {
            group = group.element(Origin::path(excerpt.path.as_str()));
            continue;
        };
        let annotations = excerpt.marks.iter().map(|(kind, span, text)| {
            kind.span(span.clone()).label((!text.is_empty()).then_some(text.as_str()))
        });
        group = group.element(
            Snippet::source(text.as_str())
                .line_start(excerpt.line)
                .path(excerpt.path.as_str())
                .fold(true)
                .annotations(annotations),
        );
    }
    let hints: Vec<String> = diagnostic.hints.iter().map(|hint| text::text(hint).into_owned()).collect();
    for hint in &hints {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    let fix = diagnostic.fix.as_ref().map(|fix| text::text(fix).into_owned());
    if let Some(fix) = &fix {
        group = group.element(Level::NOTE.message(fix.as_str()));
    }
    let groups: [Group<'_>; 1] = [group];
    renderer.render(&groups)
}

/// A few lines of a file with marks in them.
struct Excerpt {
    path: String,
    /// None: only the place is shown.
    text: Option<String>,
    line: usize,
    /// Where the excerpt starts in the file.
    start: usize,
    marks: Vec<(AnnotationKind, Range<usize>, String)>,
}

/// Marks a place in the excerpt that holds it already, else in a new one.
fn add(
    excerpts: &mut Vec<Excerpt>,
    report: &Report<'_>,
    place: &Place<'_>,
    label: String,
    kind: AnnotationKind,
) {
    let path = text::text(&report.shown(place.path)).into_owned();
    let Some((text, span)) = place.text.as_ref().filter(|_| report.excerpts) else {
        let at = place.region().map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
        excerpts.push(Excerpt {
            path: format!("{path}{at}"),
            text: None,
            line: 1,
            start: 0,
            marks: Vec::new(),
        });
        return;
    };
    for excerpt in excerpts.iter_mut().filter(|excerpt| excerpt.path == path) {
        let inside = excerpt.start..excerpt.start + excerpt.text.as_ref().map_or(0, String::len);
        if inside.contains(&span.start) && span.end <= inside.end {
            excerpt.marks.push((kind, span.start - excerpt.start..span.end - excerpt.start, label));
            return;
        }
    }
    let (start, end) = window(text, span);
    let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
    // A mark over many lines would show them all; its first line says enough.
    let first_line_end = text[span.start..end].find('\n').map_or(end, |at| span.start + at);
    let mark_end = span.end.min(first_line_end).max(span.start);
    excerpts.push(Excerpt {
        path,
        text: Some(masked_window(text, start, end)),
        line,
        start,
        marks: vec![(kind, span.start - start..mark_end - start, label)],
    });
}

/// A part of the text, masked. Whether a line lies in `env` or `headers` is told by what stands before
/// it, so that is looked at too.
fn masked_window(text: &str, start: usize, end: usize) -> String {
    const BEFORE: usize = 64 * 1024;
    let mut from = start.saturating_sub(BEFORE);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    // Masking keeps every byte's place.
    mask(&text[from..end]).get(start - from..).unwrap_or_default().to_owned()
}

/// The bytes to show: the line of the mark, cut when it is very long.
fn window(text: &str, span: &Range<usize>) -> (usize, usize) {
    let mark = span.start.min(text.len());
    let mut start = text[..mark].rfind('\n').map_or(0, |at| at + 1);
    let mut end = text[mark..].find('\n').map_or(text.len(), |at| mark + at);
    if end - start > 4 * WINDOW {
        start = start.max(mark.saturating_sub(WINDOW));
        end = end.min(span.end.min(mark + WINDOW) + WINDOW);
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (start.min(mark), end.max(mark))
}
