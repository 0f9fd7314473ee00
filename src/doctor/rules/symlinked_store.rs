//! A store file or legacy file is a symlink.

use super::prelude::*;
use crate::output::escape;
use crate::store::Agent;
use crate::store::layer::{AGENT_DATABASE, PROFILES_FILE, STATE_FILE};

pub(super) static RULE: Rule = Rule {
    id: "symlinked-store",
    severity: Severity::Warning,
    looks_at: LooksAt::Files,
    summary: "a store file or legacy file is a symlink",
    explanation: "clawctl reads through it and never writes, renames or imports it: what it points at may be shared or read-only. Put the file itself in its place.",
    check: Check::Folder(check),
};

fn check(_: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    for name in [AGENT_DATABASE, PROFILES_FILE, STATE_FILE, "auth.json"] {
        let path = agent.dir.join(name);
        if !path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
            continue;
        }
        let target = std::fs::read_link(&path).map(|target| target.display().to_string()).unwrap_or_default();
        let shown = escape::shell_word(&path.display().to_string()).into_owned();
        found.push(
            RULE.finding(format!("{name} is a symlink to {target}"))
                .at(&path)
                .of_agent(&agent.id)
                .next(format!("cp --remove-destination \"$(readlink -f {shown})\" {shown}")),
        );
    }
}
