//! An empty store beside an archive of an earlier import that holds profiles.

use super::prelude::*;
use crate::checks::doctor::fix::Action;
use crate::store::{Origin, import, legacy};

pub(super) static RULE: Rule = Rule {
    id: "store-empty-backup-found",
    severity: Severity::Error,
    looks_at: LooksAt::Import,
    summary: "an empty store beside an archive of an earlier import that holds profiles",
    explanation: "An import that failed half-way leaves an empty store and NAME.sqlite-import.N.bak or NAME.migrated-* (reports 98099, 100067). The fix imports the newest archive; it stays where it is.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let installation = &agent.scan.machine.installation;
    let own = agent.profiles.iter().any(|status| status.profile.origin() == Origin::Own);
    if own || !import::is_target_empty(installation, agent.agent) {
        return;
    }
    for (path, kind) in legacy::archives(installation, agent.agent) {
        let Ok(file) = legacy::read(&path, kind) else { continue };
        let Ok(content) = &file.content else { continue };
        let lost: Vec<&str> =
            content.profiles.keys().map(ProfileId::as_str).filter(|id| !agent.knows(id)).collect();
        if lost.is_empty() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let plural = if lost.len() == 1 { "" } else { "s" };
        let action = Action::ImportArchive { path: path.clone() };
        found.push(
            RULE.finding(format!(
                "the store is empty, but {name} holds {} profile{plural}: {}",
                lost.len(),
                lost.join(", ")
            ))
            .at(&path)
            .of_agent(agent.id())
            .mentions(lost)
            .next(agent.command(&["doctor", "--fix", "--only", RULE.id]))
            .fixed_by(Fix::action(format!("import {name}"), agent.id(), action)),
        );
        // Older archives only matter when this one is no good.
        return;
    }
}
