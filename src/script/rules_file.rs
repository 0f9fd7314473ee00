//! A rule-set file of the operator's own: a built-in set with constants changed and classification
//! rows added. Checked with the same diagnostics as a script.
//!
//! ```json5
//! { base: "2026.9", name: "our proxy",
//!   constants: { "cooldown.billing.base": "5m" },
//!   classify: [ { id: "proxy-drained", pattern: "upstream drained", statuses: [503], reason: "overloaded" } ] }
//! ```

use crate::engine::classify::{Classifier, Row};
use crate::engine::rules::RuleSet;
use crate::engine::types::Reason;

use super::model::Origin;
use super::parse::{Reader, ScriptError, child, item, syntax_errors};
use super::span::{Kind, parse_json5};

const KEYS: &[&str] = &["version", "name", "base", "constants", "classify"];
const ROW_KEYS: &[&str] =
    &["id", "reason", "pattern", "statuses", "codes", "errorTypes", "providers", "note"];

/// A rule set with the classifier that belongs to it.
#[derive(Debug)]
pub struct RulesFile {
    /// The changed rule set; its id is the file's `name`, else `<base>+file`.
    pub set: RuleSet,
    /// The base's rows with the file's own before them.
    pub classifier: Classifier,
}

/// Reads a rule-set file. `label` names it in errors.
///
/// # Errors
/// Every mistake: syntax, unknown keys (with a near match), an unknown base, constants that don't
/// exist or don't fit, rows without condition or with a pattern that doesn't compile.
pub fn parse_rules(text: &str, label: &str) -> Result<RulesFile, Vec<ScriptError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = parse_json5(text).map_err(|errors| syntax_errors(text, 0, label, &errors))?;
    let origin = Origin { label: label.to_owned(), line: None };
    let mut reader = Reader::new(text, 0, origin);
    let Some(fields) = reader.fields(&root, "", KEYS) else { return Err(reader.errors) };
    if let Some(version) = fields.get("version")
        && reader.whole(version, "version").is_some_and(|version| version != 1)
    {
        reader.error(version.at, "version", "only version 1 is known");
    }
    let base = match fields.get("base") {
        None => {
            reader
                .error(root.at, "", "the file names no base")
                .hints
                .push(format!("add base: one of {}", RuleSet::IDS.join(", ")));
            None
        }
        Some(node) => reader.text(node, "base").and_then(|text| match find(&text) {
            Ok(set) => Some(set),
            Err(message) => {
                reader.error(node.at, "base", message);
                None
            }
        }),
    };
    let mut set = base.unwrap_or_else(|| RuleSet::of_family(crate::engine::types::Family::R2026_9));
    if let Some(node) = fields.get("constants")
        && let Kind::Object(members) = &node.kind
    {
        for member in members {
            let one = serde_json::Value::Object(
                [(member.name.clone(), member.value.to_value())].into_iter().collect(),
            );
            match set.with_overrides(&one) {
                Ok(changed) => set = changed,
                Err(error) => {
                    let path = child("constants", &member.name);
                    reader.error(member.value.at, &path, error.to_string());
                }
            }
        }
    } else if let Some(node) = fields.get("constants") {
        reader.wrong_type(node, "constants", "an object");
    }
    let rows = fields.get("classify").map(|node| rows(&mut reader, node)).unwrap_or_default();
    let name = fields.get("name").and_then(|node| reader.text(node, "name"));
    set.id = name.unwrap_or_else(|| format!("{}+file", set.id));
    // Row by row, so that a refused one is named where it stands.
    let mut checked = Vec::with_capacity(rows.len());
    for (index, (at, row)) in rows.iter().enumerate() {
        checked.push(row.clone());
        if let Err(error) = Classifier::with_rows(set.family, checked.clone()) {
            reader.error(*at, &item("classify", index), error.to_string());
            break;
        }
    }
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    match Classifier::with_rows(set.family, rows) {
        Ok(classifier) => Ok(RulesFile { set, classifier }),
        Err(error) => {
            reader.error(root.at, "classify", error.to_string());
            Err(reader.errors)
        }
    }
}

/// A built-in set by its id, or the set of a release.
///
/// # Errors
/// Neither; in words, with the near match.
pub fn find(text: &str) -> Result<RuleSet, String> {
    RuleSet::builtin(text).or_else(|unknown| RuleSet::for_release(text).map_err(|_| unknown)).map_err(
        |error| format!("{error}; there are {}, and releases like 2026.7.1", RuleSet::IDS.join(", ")),
    )
}

fn rows(reader: &mut Reader<'_>, node: &super::span::Node) -> Vec<(usize, Row)> {
    let mut rows = Vec::new();
    for (index, entry) in reader.list(node, "classify").iter().enumerate() {
        let path = item("classify", index);
        let Some(fields) = reader.fields(entry, &path, ROW_KEYS) else { continue };
        let reasons: Vec<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
        let mut row = Row::default();
        match fields.get("id") {
            Some(node) => row.id = reader.text(node, &child(&path, "id")).unwrap_or_default(),
            None => {
                reader
                    .error(entry.at, &path, "the row has no id")
                    .hints
                    .push("give it one in kebab-case".to_owned());
            }
        }
        match fields.get("reason") {
            // null: no reason to fail over.
            Some(node) if matches!(node.kind, Kind::Null) => {}
            Some(node) => {
                let reason = reader.word(node, &child(&path, "reason"), &reasons);
                row.reason = reason.and_then(|reason| reason.parse().ok());
            }
            None => {
                reader
                    .error(entry.at, &path, "the row has no reason")
                    .hints
                    .push(format!("one of {}, or null", reasons.join(", ")));
            }
        }
        row.pattern = fields.get("pattern").and_then(|node| reader.text(node, &child(&path, "pattern")));
        row.note = fields.get("note").and_then(|node| reader.text(node, &child(&path, "note")));
        if let Some(node) = fields.get("statuses") {
            let path = child(&path, "statuses");
            for (index, entry) in reader.list(node, &path).iter().enumerate() {
                row.statuses.extend(reader.whole(entry, &item(&path, index)));
            }
        }
        let mut texts = |key: &str| {
            fields.get(key).map(|node| reader.texts(node, &child(&path, key))).unwrap_or_default()
        };
        row.codes = texts("codes");
        row.error_types = texts("errorTypes");
        row.providers = texts("providers");
        rows.push((entry.at, row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Millis;
    use crate::engine::classify::Signal;

    #[test]
    fn constants_and_rows_are_taken_over() {
        let file = parse_rules(
            r#"{ base: "2026.9", name: "ours", constants: { "cooldown.billing.base": "5m" },
                 classify: [{ id: "proxy-drained", pattern: "upstream drained", statuses: [503], reason: "overloaded" }] }"#,
            "ours.json5",
        )
        .expect("a good file");
        assert_eq!(file.set.id, "ours");
        assert_eq!(file.set.cooldown.billing.base, Millis::from_mins(5));
        let signal = Signal { status: Some(503), message: Some("Upstream drained"), ..Signal::default() };
        let verdict = file.classifier.classify(&signal);
        assert_eq!((verdict.reason, verdict.rule), (Some(Reason::Overloaded), "proxy-drained"));
        let other = Signal { status: Some(500), message: Some("Upstream drained"), ..Signal::default() };
        assert_ne!(file.classifier.classify(&other).rule, "proxy-drained");
    }

    #[test]
    fn every_mistake_is_named_at_its_place() {
        let errors = parse_rules(
            "{ base: \"2026.8x\", constants: { \"cooldown.biling.base\": 1 },\n  clasify: [], classify: [{ id: \"a\", reason: \"biling\" }] }",
            "bad.json5",
        )
        .expect_err("a bad file");
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 5, "{told:#?}");
        assert!(told.iter().any(|text| text.contains("bad.json5:2:3: clasify")), "{told:#?}");
        assert!(
            told.iter().any(|text| text.contains("did you mean \"cooldown.billing.base\"?")),
            "{told:#?}"
        );
        assert!(told.iter().any(|text| text.contains("has no condition")), "{told:#?}");
    }
}
