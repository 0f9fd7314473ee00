//! Workflow commands of GitHub Actions: each finding becomes an annotation in the diff.

use std::io::{self, Write};

use super::{Report, Severity};

/// Writes one line a finding.
///
/// # Errors
/// The stream failed.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    for found in report.diagnostics {
        let command = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = &found.place {
            properties.push(format!("file={}", property(&report.shown(place.path))));
            if let Some(region) = place.region() {
                properties.push(format!("line={},endLine={}", region.line, region.end_line));
                if region.line == region.end_line {
                    properties.push(format!("col={},endColumn={}", region.column, region.end_column));
                }
            }
        }
        properties.push(format!("title={}", property(&format!("clawctl: {}", found.id))));
        let subject = found.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
        let mut text = format!("{subject}{}", found.message);
        for hint in &found.hints {
            text.push('\n');
            text.push_str(hint);
        }
        writeln!(out, "::{command} {}::{}", properties.join(","), data(&text))?;
    }
    Ok(())
}

/// What GitHub's own toolkit escapes in the text.
fn data(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    kept.replace('%', "%25").replace('\n', "%0A")
}

/// And, in values, the separators too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
