//! a time in usageStats is in seconds where ms belong.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "window-unit",
    severity: Severity::Warning,
    looks_at: LooksAt::Usage,
    summary: "a time in usageStats is in seconds where ms belong",
    explanation: "Such a time lies in January 1970 for every release: the window never holds, the counters look ancient. The fix multiplies it by 1000.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (id, entry, members) in agent.usage() {
        for (field, value) in &members {
            let Some(seconds) =
                value.as_i64().filter(|value| TIMES.contains(&field.as_str()) && are_seconds(*value))
            else {
                continue;
            };
            let path = ["usageStats", id.as_str(), field];
            found.push(
                RULE.finding(format!("{field} of {id} is {seconds}: seconds, where ms belong"))
                    .in_source(&entry.source, agent.id())
                    .json_path(&path)
                    .of_profile(id.as_str())
                    .next(agent.command(&["doctor", "--only", RULE.id, "--fix"]))
                    .fixed_by(Fix::safe(
                        format!("set {field} of {id} to {}", seconds * 1000),
                        agent.id(),
                        [set(&entry.source, &path, &Value::from(seconds * 1000))],
                    )),
            );
        }
    }
}
