//! windows and counters of a profile that isn't there.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "orphan-usage-stats",
    severity: Severity::Info,
    looks_at: LooksAt::Usage,
    summary: "windows and counters of a profile that isn't there",
    explanation: "Left behind by a profile that was removed. Rows of keys in the config (inline-api-key:PROVIDER) are never orphans (report 135835). The fix removes them.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (id, entry, _) in agent.usage() {
        if id.inline_provider().is_some() || agent.knows(id.as_str()) || !agent.is_complete_for(&entry.source)
        {
            continue;
        }
        let path = ["usageStats", id.as_str()];
        found.push(
            RULE.finding(format!("there are windows or counters of {id}, which no stored profile is"))
                .in_source(&entry.source, agent.id())
                .json_path(&path)
                .of_profile(id.as_str())
                .next(agent.command(&["doctor", "--only", RULE.id, "--fix=all"]))
                .fixed_by(Fix::dropping(
                    format!("remove the usageStats of {id}"),
                    agent.id(),
                    [remove(&entry.source, &path)],
                )),
        );
    }
}
