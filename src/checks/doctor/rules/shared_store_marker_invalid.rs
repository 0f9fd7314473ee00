//! The marker of the shared store names no known place.

use super::prelude::*;
use crate::store::NoteKind;

pub(super) static RULE: Rule = Rule {
    id: "shared-store-marker-invalid",
    severity: Severity::Error,
    looks_at: LooksAt::Databases,
    summary: "the marker of the shared store names no known place",
    explanation: "Row auth.sharedStore of the state database says where the shared credentials live: state-db or legacy-main. With another value 2026.9 refuses every store. clawctl never guesses it.",
    check: Check::Before(check),
};

fn check(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for note in scan.machine.installation.shared_notes() {
        if note.kind != NoteKind::Damaged {
            continue;
        }
        found.push(if !has_database_header(&note.path) {
            super::not_a_database::finding(scan, &note.path)
        } else if note.text.contains("auth.sharedStore") {
            RULE.finding(note.text.clone())
                .at(&note.path)
                .json_path(&["auth.sharedStore"])
                .next("openclaw doctor --fix")
        } else {
            super::integrity::finding(scan, &note.path, &note.text)
        });
    }
}
