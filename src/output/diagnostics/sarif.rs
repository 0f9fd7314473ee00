//! SARIF 2.1.0, for code scanning.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Place, Report, Severity};

/// Writes the log.
///
/// # Errors
/// The stream failed.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(report)).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// The log: one run with the checks as rules and the findings as results.
#[must_use]
pub fn log(report: &Report<'_>) -> Value {
    let rules: Vec<Value> = report
        .checks
        .iter()
        .map(|check| {
            json!({
                "id": check.id,
                "shortDescription": { "text": check.summary },
                "fullDescription": { "text": check.help },
                "help": { "text": check.help },
                "defaultConfiguration": { "level": level(check.severity) },
            })
        })
        .collect();
    let results: Vec<Value> = report
        .diagnostics
        .iter()
        .map(|found| {
            let subject = found.subject.as_ref().map(|subject| format!("{subject}: ")).unwrap_or_default();
            let mut text = format!("{subject}{}.", found.message);
            for hint in &found.hints {
                text.push_str(&format!(" {hint}."));
            }
            let mut result = json!({
                "ruleId": found.id,
                "level": level(found.severity),
                "message": { "text": text },
                "locations": found.place.iter().map(|place| location(report, place, found.subject.as_deref())).collect::<Vec<_>>(),
                "partialFingerprints": { "clawctl/v1": fingerprint(report, found) },
            });
            if let Some(index) = report.checks.iter().position(|check| check.id == found.id) {
                result["ruleIndex"] = json!(index);
            }
            if !found.labels.is_empty() {
                let related = found.labels.iter().enumerate().map(|(id, (place, text))| {
                    let mut location = location(report, place, None);
                    location["id"] = json!(id + 1);
                    location["message"] = json!({ "text": text });
                    location
                });
                result["relatedLocations"] = related.collect();
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "clawctl",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "artifacts": report.files.iter().map(|file| json!({ "location": artifact(report, file) })).collect::<Vec<_>>(),
            "results": results,
        }],
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn location(report: &Report<'_>, place: &Place<'_>, subject: Option<&str>) -> Value {
    let mut physical = json!({ "artifactLocation": artifact(report, place.path) });
    if let Some(region) = place.region() {
        physical["region"] = json!({
            "startLine": region.line,
            "startColumn": region.column,
            "endLine": region.end_line,
            "endColumn": region.end_column,
        });
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(subject) = subject {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": subject }]);
    }
    location
}

/// A URI: relative to the working folder, or absolute with `file://`.
fn artifact(report: &Report<'_>, path: &std::path::Path) -> Value {
    let shown = report.shown(path);
    let encoded: String = shown
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    if shown.starts_with('/') {
        json!({ "uri": format!("file://{encoded}") })
    } else {
        json!({ "uri": encoded })
    }
}

/// The same finding keeps it when lines move.
fn fingerprint(report: &Report<'_>, found: &super::Diagnostic<'_>) -> String {
    use sha2::{Digest, Sha256};
    let path = found.place.as_ref().map(|place| report.shown(place.path)).unwrap_or_default();
    let key = [found.id, &path, found.subject.as_deref().unwrap_or_default(), &found.message].join("\0");
    Sha256::digest(key.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
