//! JUnit XML: a suite for each file, a case for each check.

use std::io::{self, Write};
use std::path::Path;

use super::{Diagnostic, Report};

/// Writes the document.
///
/// # Errors
/// The stream failed.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let fails = |found: &Diagnostic<'_>| report.fails_from.is_some_and(|from| found.severity >= from);
    let failures = |suite: &[&Diagnostic<'_>]| {
        report
            .checks
            .iter()
            .filter(|check| suite.iter().any(|found| found.id == check.id && fails(found)))
            .count()
    };
    let suites: Vec<(String, Vec<&Diagnostic<'_>>)> = suites(report);
    let tests = suites.len() * report.checks.len();
    let failed: usize = suites.iter().map(|(_, suite)| failures(suite)).sum();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites name="clawctl {}" tests="{tests}" failures="{failed}">"#,
        xml(report.command)
    )?;
    for (name, suite) in &suites {
        let name = xml(name);
        let (tests, failed) = (report.checks.len(), failures(suite));
        writeln!(out, r#"  <testsuite name="{name}" tests="{tests}" failures="{failed}">"#)?;
        for check in report.checks {
            let case = format!(r#"    <testcase classname="{name}" name="{}""#, xml(check.id));
            let here: Vec<&&Diagnostic<'_>> = suite.iter().filter(|found| found.id == check.id).collect();
            let Some(first) = here.first() else {
                writeln!(out, "{case}/>")?;
                continue;
            };
            let lines: Vec<String> = here.iter().map(|found| line(report, found)).collect();
            let text = xml(&lines.join("\n"));
            writeln!(out, "{case}>")?;
            // What doesn't fail the run must not turn the case red.
            if here.iter().any(|found| fails(found)) {
                let (kind, message) = (first.severity.name(), xml(&first.message));
                writeln!(out, r#"      <failure type="{kind}" message="{message}">{text}</failure>"#)?;
            } else {
                writeln!(out, "      <system-out>{text}</system-out>")?;
            }
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// The findings of each file; those without one belong to the first.
fn suites<'a>(report: &'a Report<'a>) -> Vec<(String, Vec<&'a Diagnostic<'a>>)> {
    let mut suites: Vec<(&Path, Vec<&Diagnostic<'_>>)> =
        report.files.iter().map(|file| (file.as_path(), Vec::new())).collect();
    if suites.is_empty() {
        suites.push((Path::new(report.command), Vec::new()));
    }
    for found in report.diagnostics {
        let file = found.file.or_else(|| found.place.as_ref().map(|place| place.path));
        let at = suites.iter().position(|(known, _)| Some(*known) == file).unwrap_or(0);
        suites[at].1.push(found);
    }
    suites.into_iter().map(|(file, suite)| (report.shown(file), suite)).collect()
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
