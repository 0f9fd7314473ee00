//! failures are counted though no window was set.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "counters-without-window",
    severity: Severity::Info,
    looks_at: LooksAt::Usage,
    summary: "failures are counted though no window was set",
    explanation: "Every failure sets a window, and its end restarts the counters: counters alone are left by a partial clear, and make the next window longer than it should be. The fix clears them, and keeps lastUsed.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (id, entry, members) in agent.usage() {
        let window = WINDOWS.iter().any(|(field, _)| members.contains_key(*field));
        // 2026.9 keeps this one count beyond its window.
        let kept = agent.rules().cooldown.keeps_rate_limit_count
            && !count(members.get("errorCount"))
            && members.get("failureCounts").and_then(Value::as_object).is_some_and(|counts| {
                counts.iter().all(|(reason, value)| reason == "rate_limit" || !count(Some(value)))
            });
        if window || kept || !has_counters(&members) {
            continue;
        }
        found.push(
            RULE.finding(format!("failures of {id} are counted, but there is no window"))
                .in_source(&entry.source, agent.id())
                .json_path(&["usageStats", id.as_str(), "errorCount"])
                .of_profile(id.as_str())
                .next(agent.command(&["cooldowns", "clear", id.as_str()]))
                .fixed_by(clear_windows(agent, id)),
        );
    }
}
