//! Store and legacy file hold different secrets under one id.

use super::prelude::*;
use crate::checks::doctor::fix::Action;
use crate::store::Agent;
use crate::store::import::Side;

pub(super) static RULE: Rule = Rule {
    id: "legacy-conflict",
    severity: Severity::Error,
    looks_at: LooksAt::Import,
    summary: "store and legacy file hold different secrets under one id",
    explanation: "Which of them works can't be told without asking the provider, so both are kept until you decide: --prefer store or --prefer file (or for one profile: --prefer ID=file), or at a prompt of doctor --fix. The one that goes stays in the backup, and in the file that is moved.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let Some(plan) = scan.import(agent) else { return };
    let Ok(plan) = &*plan else { return };
    for conflict in &plan.conflicts {
        let id = conflict.id.as_str();
        let names: Vec<&str> = conflict.fields.iter().map(|field| field.name.as_str()).collect();
        let verb = if names.len() == 1 { "differs" } else { "differ" };
        let sides: Vec<String> = conflict
            .fields
            .iter()
            .map(|field| {
                let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
                format!(
                    "{} in the store: {}; in the file: {}",
                    field.name,
                    side(&field.store),
                    side(&field.file)
                )
            })
            .collect();
        let finding = RULE
            .finding(format!("{id}: {} {verb} ({})", names.join(", "), sides.join("; ")))
            .at(&conflict.path)
            .of_agent(&agent.id)
            .of_profile(id)
            .json_path(&["profiles", id]);
        found.push(match scan.prefer.of(&conflict.id) {
            Some(side) => {
                let word = if side == Side::Store { "the store's" } else { "the file's" };
                finding.fixed_by(Fix::action(format!("keep {word} {id}"), &agent.id, Action::Import))
            }
            None => {
                let choose = |side: &str| {
                    scan.command(Some(&agent.id), &["doctor", "--fix", "--prefer", &format!("{id}={side}")])
                };
                finding.next(format!("{}, or {}", choose("store"), choose("file")))
            }
        });
    }
}
