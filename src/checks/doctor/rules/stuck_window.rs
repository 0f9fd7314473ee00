//! a window holds though no failure stands behind it.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "stuck-window",
    severity: Severity::Warning,
    looks_at: LooksAt::Usage,
    summary: "a window holds though no failure stands behind it",
    explanation: "A success clears every window, so one whose profile has answered since its last failure, or that has no counters beside it, was left by a partial clear (reports 19211, 21574) or a crash. The fix clears the profile's windows, and keeps lastUsed.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (id, entry, members) in agent.usage() {
        let time = |field: &str| members.get(field).and_then(Value::as_f64).filter(|time| *time > 0.0);
        // Limits that a provider reports come without a failure.
        let reported = ["blockedUntil", "blockedSource", "cooldownClassification"];
        if reported.iter().any(|field| members.contains_key(*field)) {
            continue;
        }
        let now = agent.now().0 as f64;
        let active = ["cooldownUntil", "disabledUntil"]
            .into_iter()
            .filter(|field| time(field).is_some_and(|end| end > now));
        let Some(field) = active.max_by(|a, b| time(a).unwrap_or(0.0).total_cmp(&time(b).unwrap_or(0.0)))
        else {
            continue;
        };
        let counted = has_counters(&members) || time("lastFailureAt").is_some();
        let answered =
            time("lastUsed").zip(time("lastFailureAt")).is_some_and(|(used, failed)| used > failed);
        let why = if !counted {
            "no failure is counted"
        } else if answered {
            "the profile has answered since its last failure"
        } else {
            continue;
        };
        found.push(
            RULE.finding(format!("{field} of {id} still holds, though {why}"))
                .in_source(&entry.source, agent.id())
                .json_path(&["usageStats", id.as_str(), field])
                .of_profile(id.as_str())
                .next(agent.command(&["cooldowns", "clear", id.as_str()]))
                .fixed_by(clear_windows(agent, id)),
        );
    }
}
