//! A file with secrets that other users can read or write.

use super::prelude::*;
use std::path::{Path, PathBuf};

use crate::store::Agent;
use crate::store::db::sqlite;
use crate::store::files::{AGENT_DATABASE, PROFILES_FILE, STATE_FILE};

pub(super) static RULE: Rule = Rule {
    id: "file-permissions",
    severity: Severity::Warning,
    looks_at: LooksAt::Files,
    summary: "a file with secrets that other users can read or write",
    explanation: "OpenClaw makes its stores readable by their owner alone. The fix takes the permissions of group and others away.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let places = &scan.machine.installation.places;
    let mut files: Vec<PathBuf> =
        files_in(&agent.dir).into_iter().filter(|path| holds_secrets(path)).collect();
    let own = files.len();
    if scan.agents.first().is_some_and(|first| first.id == agent.id) {
        let state = places.state_database();
        files.extend(["", "-wal", "-shm"].map(|suffix| sqlite::beside(&state, suffix)));
        files.push(places.oauth_file.clone());
        files.push(places.state_dir.join(".env"));
        files.extend(files_in(&places.legacy_agent_dir).into_iter().filter(|path| holds_secrets(path)));
    }
    for (index, path) in files.iter().enumerate() {
        if let Some(finding) = looseness(&RULE, path, &agent.id) {
            found.push(if index < own { finding.of_agent(&agent.id) } else { finding });
        }
    }
}

fn holds_secrets(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [AGENT_DATABASE, PROFILES_FILE, STATE_FILE, "auth.json"].iter().any(|stem| name.starts_with(stem))
        && !name.ends_with(".lock")
}
