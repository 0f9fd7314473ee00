//! A database is of a newer schema than this tool knows.

use super::prelude::*;
use crate::store::NoteKind;

pub(super) static RULE: Rule = Rule {
    id: "schema-newer",
    severity: Severity::Warning,
    looks_at: LooksAt::Databases,
    summary: "a database is of a newer schema than this tool knows",
    explanation: "clawctl reads it as far as it can and never writes it (report 154628). A newer clawctl, or OpenClaw itself, can.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for note in agent.notes(NoteKind::NewerSchema) {
        found.push(note_finding(&RULE, agent, note).next("use a newer clawctl, or OpenClaw's own commands"));
    }
}
