//! `config fix`: the repairs of findings, file by file.

use super::edit;
use super::finding::{Edit, Finding};
use super::load::Loaded;
use super::source::FileId;

/// What a repair makes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedFile {
    /// The file.
    pub file: FileId,
    /// Its new text.
    pub text: String,
    /// What was done, each with the index of its finding.
    pub done: Vec<(usize, String)>,
}

/// The repairs of one file while they are collected.
struct Collected {
    file: FileId,
    edits: Vec<Edit>,
    done: Vec<(usize, String)>,
}

/// Makes the repairs of these findings, apart from those that touch the same bytes as an earlier
/// one: a second run makes them. Nothing is written.
#[must_use]
pub fn fix(loaded: &Loaded, findings: &[Finding]) -> Vec<FixedFile> {
    let mut files: Vec<Collected> = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        let Some(fix) = &finding.fix else { continue };
        let Some(file) = fix.edits.first().map(|edit| edit.span.file) else { continue };
        // A repair that spans files can't be made in one step.
        if fix.edits.iter().any(|edit| edit.span.file != file) {
            continue;
        }
        let at = files.iter().position(|known| known.file == file).unwrap_or_else(|| {
            files.push(Collected { file, edits: Vec::new(), done: Vec::new() });
            files.len() - 1
        });
        let collected = &mut files[at];
        let collides = |edit: &Edit| {
            let overlaps =
                |other: &Edit| edit.span.start < other.span.end && other.span.start < edit.span.end;
            collected.edits.iter().any(overlaps)
        };
        if !fix.edits.iter().any(collides) {
            collected.edits.extend(fix.edits.iter().cloned());
            collected.done.push((index, fix.title.clone()));
        }
    }
    files
        .into_iter()
        .map(|Collected { file, edits, done }| FixedFile {
            file,
            text: edit::apply(&loaded.source(file).text, &edits),
            done,
        })
        .collect()
}
