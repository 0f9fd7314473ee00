//! A legacy file can't be read.

use super::prelude::*;
use crate::checks::doctor::fix::{Action, Safety};
use crate::store::Agent;

pub(super) static RULE: Rule = Rule {
    id: "legacy-unparsable",
    severity: Severity::Error,
    looks_at: LooksAt::Import,
    summary: "a legacy file can't be read",
    explanation: "It is no JSON, or holds nothing that looks like a credential: nothing can be imported from it, and 2026.9 refuses to start the agent while it is there. Repair it by hand; the fix (--fix=all) moves it out of the way, as it is.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let Some(plan) = scan.import(agent) else { return };
    let Ok(plan) = &*plan else { return };
    for source in &plan.sources {
        let Err(error) = &source.file.content else { continue };
        let name = source.file.path.file_name().unwrap_or_default().to_string_lossy();
        let line = error.place.as_ref().and_then(|place| place.line_column);
        let place =
            line.map_or_else(String::new, |(line, column)| format!(" (line {line}, column {column})"));
        let action = Action::Archive { path: source.file.path.clone() };
        let mut fix = Fix::action(format!("move {name} away as it is"), &agent.id, action);
        fix.safety = Safety::Dropping;
        let finding = RULE
            .finding(format!("{name} {}{place}", error.message))
            .at(&source.file.path)
            .of_agent(&agent.id)
            .next("repair it by hand, then run clawctl doctor again");
        found.push(if source.file.symlink { finding } else { finding.fixed_by(fix) });
    }
}
