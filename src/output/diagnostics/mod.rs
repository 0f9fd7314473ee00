//! Findings in the layouts that people and CI systems read: one list of [`Diagnostic`], many
//! renderers.

pub mod github;
pub mod human;
pub mod json;
pub mod junit;
mod mask;
pub mod sarif;

use std::ops::Range;
use std::path::{Path, PathBuf};

pub use crate::config::Severity;
pub use mask::mask;

/// One finding, ready to be printed. Texts are as they are; renderers escape them.
#[derive(Debug, Clone)]
pub struct Diagnostic<'a> {
    /// Which check found it.
    pub id: &'a str,
    /// How bad.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// The file that was asked for, which may include the one of `place`.
    pub file: Option<&'a Path>,
    /// Where.
    pub place: Option<Place<'a>>,
    /// Path inside the document, or whose it is: `auth.order.openai[0]`, `agent main`.
    pub subject: Option<String>,
    /// Further places.
    pub labels: Vec<(Place<'a>, String)>,
    /// What to do next.
    pub hints: Vec<String>,
    /// The command that repairs it and what it does, if there is one.
    pub fix: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its text and the bytes that are meant; none for files that aren't text.
    pub text: Option<(&'a str, Range<usize>)>,
}

/// A check, for formats that list them all.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// Kebab-case name.
    pub id: &'a str,
    /// One line.
    pub summary: &'a str,
    /// What it is about, and what to do.
    pub help: &'a str,
    /// Its usual severity.
    pub severity: Severity,
}

/// What was looked at, for what, and what was found.
#[derive(Debug)]
pub struct Report<'a> {
    /// The command, as `config validate`.
    pub command: &'a str,
    /// Every file that was looked at.
    pub files: &'a [PathBuf],
    /// Every check that ran.
    pub checks: &'a [Check<'a>],
    /// What was found.
    pub diagnostics: &'a [Diagnostic<'a>],
    /// Paths are shown as seen from here.
    pub current_dir: &'a Path,
    /// The severity from which a finding fails the run; none: nothing does.
    pub fails_from: Option<Severity>,
    /// Whether lines of the files may be shown.
    pub excerpts: bool,
}

impl Report<'_> {
    /// A path as seen from the working folder, with `/`.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.current_dir).unwrap_or(path).display().to_string()
    }

    /// How many of each severity: errors, warnings, infos.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let of = |severity| self.diagnostics.iter().filter(|found| found.severity == severity).count();
        (of(Severity::Error), of(Severity::Warning), of(Severity::Info))
    }
}

/// Lines and columns from 1, in characters; the end is the position after the last character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// First line.
    pub line: usize,
    /// First column.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column after the last character.
    pub end_column: usize,
}

impl Place<'_> {
    /// Lines and columns.
    #[must_use]
    pub fn region(&self) -> Option<Region> {
        let (text, span) = self.text.as_ref()?;
        let (line, column) = line_column(text, span.start);
        let (end_line, end_column) = line_column(text, span.end.max(span.start));
        Some(Region { line, column, end_line, end_column })
    }
}

fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let shown = if line == 1 { before.trim_start_matches('\u{feff}') } else { &before[start..] };
    (line, shown.chars().count() + 1)
}

/// `1 error`, `2 warnings`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
