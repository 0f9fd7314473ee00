//! something happened in the future.

use super::prelude::*;
use crate::output::when;
use crate::store::Source;

pub(super) static RULE: Rule = Rule {
    id: "clock-skew",
    severity: Severity::Warning,
    looks_at: LooksAt::Usage,
    summary: "something happened in the future",
    explanation: "A last use, failure or write later than now: the clock of this machine is wrong now, or was wrong then. Windows are compared with the clock, so they hold too long or not at all.",
    check: Check::Agent(check),
};

/// Clocks of two machines may differ a little.
const SLACK: Millis = Millis::from_mins(5);

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let latest = agent.now() + SLACK;
    for (id, entry, members) in agent.usage() {
        for field in ["lastUsed", "lastFailureAt", "lastProbeAt"] {
            let Some(time) =
                members.get(field).and_then(Value::as_f64).filter(|time| *time > latest.0 as f64)
            else {
                continue;
            };
            let ahead = Millis(time as i64) - agent.now();
            found.push(
                RULE.finding(format!("{field} of {id} lies {} in the future", when::duration(ahead)))
                    .in_source(&entry.source, agent.id())
                    .json_path(&["usageStats", id.as_str(), field])
                    .of_profile(id.as_str())
                    .next(format!(
                        "compare the clock (date -u) with a good one; then: {}",
                        agent.command(&["cooldowns", "clear", id.as_str()])
                    )),
            );
        }
    }
    let mut seen: Vec<&Source> = Vec::new();
    let store = &agent.view.store;
    let sources = store.profiles.values().map(|profile| &*profile.source);
    let sources = sources.chain(store.state.usage.values().map(|entry| &*entry.source));
    for source in sources.filter(|source| agent.reports(source)) {
        let Some(written) = source.updated_at.filter(|written| *written > latest) else { continue };
        if seen.contains(&source) {
            continue;
        }
        seen.push(source);
        found.push(
            RULE.finding(format!(
                "the row was written {} in the future",
                when::duration(written - agent.now())
            ))
            .in_source(source, agent.id())
            .next("compare the clock (date -u) with a good one"),
        );
    }
}
