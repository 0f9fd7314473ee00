//! JUnit XML: a suite for each file, a case for each check.

use std::io::{self, Write};
use std::path::Path;

use super::{Diagnostic, Report};

/// Writes the document.
///
/// # Errors
/// The stream failed.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let found = report.diagnostics.len();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="clawctl {}" failures="{found}">"#, xml(report.command))?;
    let of_file = |file: &Path, found: &Diagnostic<'_>| match &found.place {
        Some(place) if report.files.iter().any(|known| known == place.path) => place.path == file,
        // What an included file holds belongs to the file that includes it.
        Some(_) => {
            found.labels.iter().any(|(place, _)| place.path == file)
                || report.files.first().is_some_and(|first| first == file)
        }
        None => report.files.first().is_some_and(|first| first == file),
    };
    for file in report.files {
        let name = xml(&report.shown(file));
        let all: Vec<&Diagnostic<'_>> =
            report.diagnostics.iter().filter(|found| of_file(file, found)).collect();
        let failed =
            report.checks.iter().filter(|check| all.iter().any(|found| found.id == check.id)).count();
        writeln!(out, r#"  <testsuite name="{name}" tests="{}" failures="{failed}">"#, report.checks.len())?;
        for check in report.checks {
            let case = format!(r#"    <testcase classname="{name}" name="{}""#, xml(check.id));
            let here: Vec<&&Diagnostic<'_>> = all.iter().filter(|found| found.id == check.id).collect();
            let Some(first) = here.first() else {
                writeln!(out, "{case}/>")?;
                continue;
            };
            let lines: Vec<String> = here.iter().map(|found| line(report, found)).collect();
            writeln!(out, "{case}>")?;
            writeln!(
                out,
                r#"      <failure type="{}" message="{}">{}</failure>"#,
                first.severity.name(),
                xml(&first.message),
                xml(&lines.join("\n"))
            )?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn line(report: &Report<'_>, found: &Diagnostic<'_>) -> String {
    let place = found.place.as_ref().map_or_else(String::new, |place| {
        let region = place.region().map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
        format!("{}{region}: ", report.shown(place.path))
    });
    let subject = found.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
    let mut text = format!("{place}{}: {subject}{}", found.severity.name(), found.message);
    for hint in &found.hints {
        text.push_str("\n  ");
        text.push_str(hint);
    }
    text
}

/// Escaped for text and attributes; characters that XML can't hold are left out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
