//! A file of an older release holds credentials or state that aren't used.

use super::prelude::*;
use crate::checks::doctor::fix::Action;
use crate::store::Agent;
use crate::store::legacy::LegacyKind;

pub(super) static RULE: Rule = Rule {
    id: "legacy-not-imported",
    severity: Severity::Error,
    looks_at: LooksAt::Import,
    summary: "a file of an older release holds credentials or state that aren't used",
    explanation: "Releases with databases don't read such files, and 2026.9 refuses to start an agent while one is there (reports 98099, 100067). The fix imports what the store doesn't have, reads it back, and moves the file to NAME.migrated-TIME-ID in its folder. What the store has wins.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let Some(plan) = scan.import(agent) else { return };
    let command = scan.command(Some(&agent.id), &["doctor", "--fix", "--only", RULE.id]);
    let plan = match &*plan {
        Ok(plan) => plan,
        Err(error) => {
            let path = error
                .place
                .as_ref()
                .and_then(|place| place.path.clone())
                .unwrap_or_else(|| agent.dir.clone());
            found.push(
                RULE.finding(format!(
                    "there are legacy files, but they can't be imported: {}",
                    error.message
                ))
                .at(path)
                .of_agent(&agent.id)
                .next(error.hints.first().cloned().unwrap_or(command)),
            );
            return;
        }
    };
    for source in &plan.sources {
        if source.file.content.is_err() || source.file.symlink {
            continue;
        }
        let name = source.file.path.file_name().unwrap_or_default().to_string_lossy();
        let ids: Vec<&str> = source.adds.iter().map(ProfileId::as_str).collect();
        let (severity, message) = match (ids.len(), source.adds_state.len()) {
            (0, 0) if source.archived => {
                (Severity::Warning, format!("{name} is still there, though the store has everything in it"))
            }
            (0, 0) => continue,
            (0, count) => {
                let plural = if count == 1 { "entry" } else { "entries" };
                (
                    Severity::Warning,
                    format!("{name} holds {count} {plural} of state that the store doesn't have"),
                )
            }
            (count, _) => {
                let plural = if count == 1 { "" } else { "s" };
                let list = ids.join(", ");
                (
                    Severity::Error,
                    format!("{name} holds {count} profile{plural} that the store doesn't have: {list}"),
                )
            }
        };
        let is_config = source.file.kind == LegacyKind::Config;
        let title = if is_config {
            format!("copy what {name} holds into the store; the config stays as it is")
        } else if source.adds.is_empty() && source.adds_state.is_empty() {
            format!("move {name} away")
        } else if source.archived {
            format!("import {name} and move it away")
        } else {
            format!("import what is certain of {name}")
        };
        let finding = RULE.finding(message);
        let finding = if is_config { finding.json_path(&["auth", "profiles"]) } else { finding };
        found.push(
            finding
                .severity(severity)
                .at(&source.file.path)
                .of_agent(&agent.id)
                .mentions(ids)
                .next(command.clone())
                .fixed_by(Fix::action(title, &agent.id, Action::Import)),
        );
    }
}
