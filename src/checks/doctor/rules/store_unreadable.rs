//! A store can't be opened.

use super::prelude::*;
use std::path::Path;

use crate::base::error::Error;

pub(super) static RULE: Rule = Rule {
    id: "store-unreadable",
    severity: Severity::Error,
    looks_at: LooksAt::Files,
    summary: "a store can't be opened",
    explanation: "Mostly a matter of permissions: run clawctl as the user who owns the state folder.",
    check: Check::Reading,
};

/// The finding for a store that can't be opened.
pub(super) fn finding(path: &Path, error: &Error) -> Finding {
    let cause = error.source.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
    let next =
        error.hints.first().cloned().unwrap_or_else(|| "look at the file's owner and mode: ls -l".to_owned());
    RULE.finding(format!("{}{cause}", error.message)).at(path).next(next)
}
