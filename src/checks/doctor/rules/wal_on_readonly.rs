//! A database has unsaved changes in a folder that can't be written.

use super::prelude::*;
use std::path::Path;

use crate::store::Agent;
use crate::store::db::sqlite;
use crate::store::files::AGENT_DATABASE;

pub(super) static RULE: Rule = Rule {
    id: "wal-on-readonly",
    severity: Severity::Warning,
    looks_at: LooksAt::Databases,
    summary: "a database has unsaved changes in a folder that can't be written",
    explanation: "Its -wal holds the newest state, which only a reader with write access can merge: copies of the database alone are out of date, and this tool reads it from a copy of both files. Make the folder writable, or stop the process that has it open.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let state = scan.machine.installation.places.state_database();
    let first = scan.agents.first().is_some_and(|first| first.id == agent.id);
    let databases = [Some((agent.dir.join(AGENT_DATABASE), true)), first.then_some((state, false))];
    for (path, own) in databases.into_iter().flatten() {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let writable = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
        if writable || !sqlite::has_wal(&path) {
            continue;
        }
        let finding = RULE
            .finding("the database has unsaved changes in its -wal, and its folder can't be written")
            .at(&path)
            .next("chmod u+w the folder, or mount it writable; then open it once with OpenClaw");
        found.push(if own { finding.of_agent(&agent.id) } else { finding });
    }
}
