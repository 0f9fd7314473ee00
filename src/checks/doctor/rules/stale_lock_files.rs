//! A lock file whose process is gone.

use super::prelude::*;
use crate::base::text;
use crate::checks::doctor::fix::Action;
use crate::store::{Agent, lock};

pub(super) static RULE: Rule = Rule {
    id: "stale-lock-files",
    severity: Severity::Warning,
    looks_at: LooksAt::Files,
    summary: "a lock file whose process is gone",
    explanation: "Releases that take these locks wait for it, and break it themselves after 30 s. The fix removes it, unless a process holds it again.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let places = &scan.machine.installation.places;
    let mut folders = vec![agent.dir.clone()];
    if agent.id.is_main() {
        folders.push(places.legacy_agent_dir.clone());
        folders.extend(places.oauth_file.parent().map(std::path::Path::to_path_buf));
    }
    for path in folders.iter().flat_map(|folder| files_in(folder)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(".clawctl-") && name.ends_with(".tmp") && is_old(&path) {
            let action = Action::RemoveTemporary { path: path.clone() };
            found.push(
                RULE.finding(format!("{name} was left by a write that was interrupted"))
                    .at(&path)
                    .of_agent(&agent.id)
                    .next(format!("rm {}", text::shell_word(&path.display().to_string())))
                    .fixed_by(Fix::action(format!("remove {name}"), &agent.id, action)),
            );
        }
        let Some(why) = name.ends_with(".lock").then(|| lock::abandoned(&path)).flatten() else { continue };
        found.push(
            RULE.finding(format!("the lock {name} is abandoned: {why}"))
                .at(&path)
                .of_agent(&agent.id)
                .next(format!("rm {}", text::shell_word(&path.display().to_string())))
                .fixed_by(Fix::action(
                    format!("remove {name}"),
                    &agent.id,
                    Action::RemoveLock { path: path.clone() },
                )),
        );
    }
}

/// No write takes that long.
fn is_old(path: &std::path::Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let age = modified.and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > std::time::Duration::from_secs(60))
}
