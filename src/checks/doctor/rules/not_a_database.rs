//! A file that should be a database is none.

use super::prelude::*;
use std::path::Path;

use crate::base::text;

pub(super) static RULE: Rule = Rule {
    id: "not-a-database",
    severity: Severity::Error,
    looks_at: LooksAt::Databases,
    summary: "a file that should be a database is none",
    explanation: "No release can open it (report 120549): its first bytes aren't SQLite's. clawctl writes nothing to it. Move it away and restore a backup.",
    check: Check::Reading,
};

/// The finding for a store with foreign first bytes.
pub(super) fn finding(scan: &Scan<'_>, path: &Path) -> Finding {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let shown = text::shell_word(&path.display().to_string()).into_owned();
    RULE.finding(format!("{name} is not a database"))
        .at(path)
        .next(format!("mv {shown} {shown}.damaged, then {}", scan.command(None, &["backup", "list"])))
}
