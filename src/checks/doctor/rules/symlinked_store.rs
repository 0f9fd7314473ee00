//! A store file or legacy file is a symlink.

use super::prelude::*;
use crate::base::text;
use crate::store::files::{AGENT_DATABASE, PROFILES_FILE, STATE_FILE};
use crate::store::{Agent, legacy};

pub(super) static RULE: Rule = Rule {
    id: "symlinked-store",
    severity: Severity::Warning,
    looks_at: LooksAt::Files,
    summary: "a store file or legacy file is a symlink",
    explanation: "clawctl reads through it and never writes, renames or imports it: what it points at may be shared or read-only. Put the file itself in its place.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let mut paths: Vec<std::path::PathBuf> =
        [AGENT_DATABASE, PROFILES_FILE, STATE_FILE].map(|name| agent.dir.join(name)).to_vec();
    for (path, _) in legacy::sources(&scan.machine.installation, agent) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
            continue;
        }
        let target = std::fs::read_link(&path).map(|target| target.display().to_string()).unwrap_or_default();
        let shown = text::shell_word(&path.display().to_string()).into_owned();
        found.push(
            RULE.finding(format!("{name} is a symlink to {target}"))
                .at(&path)
                .of_agent(&agent.id)
                .next(format!("cp --remove-destination \"$(readlink -f {shown})\" {shown}")),
        );
    }
}
