//! the last good profile of a provider isn't there.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "last-good-unknown",
    severity: Severity::Info,
    looks_at: LooksAt::Order,
    summary: "the last good profile of a provider isn't there",
    explanation: "Releases fall back to the order then; the entry is of no use. The fix removes it.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (key, last) in agent.last_good() {
        let id = last.value.as_str();
        if agent.knows(id) {
            continue;
        }
        let path = ["lastGood", key.as_str()];
        found.push(
            RULE.finding(format!("the last good profile of {key} is {id}, which no stored profile is"))
                .in_source(&last.source, agent.id())
                .json_path(&path)
                .mentions([id])
                .next(agent.command(&["doctor", "--only", RULE.id, "--fix=all"]))
                .fixed_by(Fix::dropping(
                    format!("remove the last good profile of {key}"),
                    agent.id(),
                    [remove(&last.source, &path)],
                )),
        );
    }
}
