//! the config names a profile that no store has.

use super::prelude::*;
use crate::base::text;

pub(super) static RULE: Rule = Rule {
    id: "profile-only-in-config",
    severity: Severity::Warning,
    looks_at: LooksAt::Config,
    summary: "the config names a profile that no store has",
    explanation: "auth.profiles only describes profiles, it holds no secret: without a stored credential the entry does nothing, and while it is there stored profiles that it doesn't name may be left out.",
    check: Check::After(check),
};

fn check(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let machine = scan.machine;
    // With some agents left out, the profile may be theirs.
    if scan.agents.len() < machine.installation.agents().len() {
        return;
    }
    let collected = scan.collected.borrow();
    for (id, configured) in &machine.engine_config.auth.profiles {
        if configured.mode == "aws-sdk" || collected.ids.contains(id.as_str()) {
            continue;
        }
        let login =
            format!("openclaw models auth login --provider {}", text::shell_word(&configured.provider));
        found.push(
            RULE.finding(format!("the config names {id}, but no store has a credential of that id"))
                .at(&machine.installation.places.config)
                .of_profile(id.as_str())
                .json_path(&["auth", "profiles", id.as_str()])
                .next(format!("remove the entry, or: {login}")),
        );
    }
}
