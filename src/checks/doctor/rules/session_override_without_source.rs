//! a session's model override doesn't say who set it.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "session-override-without-source",
    severity: Severity::Info,
    looks_at: LooksAt::Sessions,
    summary: "a session's model override doesn't say who set it",
    explanation: "Releases take it for the user's: it never heals by itself, and with most releases it leaves no fallback.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (key, entry) in agent.sessions() {
        let Some(model) = entry["modelOverride"].as_str().filter(|model| !model.is_empty()) else { continue };
        let has_origin = entry["modelOverrideFallbackOriginModel"].is_string();
        if entry["modelOverrideSource"].is_string() || has_origin {
            continue;
        }
        found.push(
            RULE.finding(format!("the session {key} has the model {model} without saying who chose it: it counts as the user's choice"))
                .of_agent(agent.id())
                .mentions([key.as_str()])
                .json_path(&[key, "modelOverride"])
                .next("if nobody chose it, send /model default in that session"),
        );
    }
}
