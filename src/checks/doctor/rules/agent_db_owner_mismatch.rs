//! An agent's database belongs to another agent.

use super::prelude::*;
use crate::base::text;
use crate::store::NoteKind;

pub(super) static RULE: Rule = Rule {
    id: "agent-db-owner-mismatch",
    severity: Severity::Error,
    looks_at: LooksAt::Databases,
    summary: "an agent's database belongs to another agent",
    explanation: "Its stamp (schema_meta.agent_id) names another agent: a folder was copied or renamed. Newer releases refuse it; clawctl reads it and never writes it.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for note in agent.notes(NoteKind::OwnerMismatch) {
        let path = text::shell_word(&note.path.display().to_string()).into_owned();
        found.push(
            note_finding(&RULE, agent, note)
                .next(format!("move it to its own agent's folder, or away: mv {path} {path}.foreign")),
        );
    }
}
