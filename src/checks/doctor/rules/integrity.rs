//! A database or a stored document is damaged.

use super::prelude::*;
use std::path::Path;

use crate::base::error::ErrorKind;
use crate::store::Agent;
use crate::store::db::rows::has_table;
use crate::store::db::sqlite;
use crate::store::document::AUTH_ROWS;
use crate::store::files::AGENT_DATABASE;

pub(super) static RULE: Rule = Rule {
    id: "integrity",
    severity: Severity::Error,
    looks_at: LooksAt::Databases,
    summary: "a database or a stored document is damaged",
    explanation: "SQLite's own check of the auth tables fails, or the text of a row or file is no JSON. clawctl writes nothing to it; restore a backup.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    found.extend(damage(scan, &agent.dir.join(AGENT_DATABASE)).map(|finding| finding.of_agent(&agent.id)));
    if scan.agents.first().is_some_and(|first| first.id == agent.id) {
        found.extend(damage(scan, &scan.machine.installation.places.state_database()));
    }
}

/// What SQLite says about the auth tables of a database, if it is one.
fn damage(scan: &Scan<'_>, path: &Path) -> Option<Finding> {
    if !path.exists() || !has_database_header(path) {
        return None;
    }
    let checked = sqlite::read(path, |connection| {
        let mut complaints: Vec<String> = Vec::new();
        for table in auth_tables() {
            if has_table(connection, table)? {
                let mut query = connection.prepare(&format!("PRAGMA integrity_check({table})"))?;
                let rows = query
                    .query_map([], |row| row.get::<_, String>(0))?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                complaints.extend(rows.into_iter().filter(|row| row != "ok"));
            }
        }
        Ok(complaints)
    });
    match checked {
        Ok(complaints) => {
            let first = complaints.first()?;
            // Of a row SQLite names table and number, never a value.
            Some(finding(scan, path, &format!("the database is damaged: {first}")))
        }
        Err(error) if error.kind == ErrorKind::Damaged => Some(finding(scan, path, &error.message)),
        Err(_) => None,
    }
}

fn auth_tables() -> Vec<&'static str> {
    let mut tables: Vec<&str> = AUTH_ROWS.iter().map(|row| row.table).chain(["schema_meta"]).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// The finding for a damaged store.
pub(super) fn finding(scan: &Scan<'_>, path: &Path, message: &str) -> Finding {
    RULE.finding(message).at(path).next(scan.command(None, &["backup", "list"]))
}
