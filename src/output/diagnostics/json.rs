//! One JSON document, version 1.

use serde::Serialize;

use super::{Place, Report, mask};

/// `{"version":1,"command":...,"files":[...],"findings":[...],"errors":n,"warnings":n,"infos":n}`
/// without the version, which the printer adds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    command: String,
    files: Vec<String>,
    findings: Vec<Finding>,
    errors: usize,
    warnings: usize,
    infos: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    id: String,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_path: Option<String>,
    #[serde(flatten)]
    location: Option<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related>,
    hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Related {
    #[serde(flatten)]
    location: Location,
    message: String,
}

fn location(place: &Place<'_>) -> Location {
    let region = place.region();
    Location {
        path: place.path.display().to_string(),
        line: region.map(|region| region.line),
        column: region.map(|region| region.column),
        end_line: region.map(|region| region.end_line),
        end_column: region.map(|region| region.end_column),
    }
}

/// The document.
#[must_use]
pub fn document(report: &Report<'_>) -> Document {
    let (errors, warnings, infos) = report.counts();
    let findings = report.diagnostics.iter().map(|found| Finding {
        id: found.id.to_owned(),
        severity: found.severity.name(),
        message: mask(&found.message),
        json_path: found.subject.clone(),
        location: found.place.as_ref().map(location),
        related: found
            .labels
            .iter()
            .map(|(place, text)| Related { location: location(place), message: text.clone() })
            .collect(),
        hints: found.hints.clone(),
        fix: found.fix.clone(),
    });
    Document {
        command: report.command.to_owned(),
        files: report.files.iter().map(|path| path.display().to_string()).collect(),
        findings: findings.collect(),
        errors,
        warnings,
        infos,
    }
}
