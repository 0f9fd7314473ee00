//! A folder with secrets that other users can enter.

use super::prelude::*;
use crate::store::Agent;

pub(super) static RULE: Rule = Rule {
    id: "folder-permissions",
    severity: Severity::Warning,
    looks_at: LooksAt::Files,
    summary: "a folder with secrets that other users can enter",
    explanation: "OpenClaw makes the state folder and the agents' folders for their owner alone. The fix takes the permissions of group and others away.",
    check: Check::Folder(check),
};

fn check(scan: &Scan<'_>, agent: &Agent, found: &mut Vec<Finding>) {
    let places = &scan.machine.installation.places;
    found.extend(looseness(&RULE, &agent.dir, &agent.id).map(|finding| finding.of_agent(&agent.id)));
    if scan.agents.first().is_some_and(|first| first.id == agent.id) {
        let credentials = places.oauth_file.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
        for folder in
            [places.state_dir.clone(), places.state_dir.join("state"), credentials, places.backups_dir()]
        {
            found.extend(looseness(&RULE, &folder, &agent.id));
        }
    }
}
