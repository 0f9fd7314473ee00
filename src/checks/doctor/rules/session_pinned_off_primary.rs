//! a session is pinned to another model than the configured one.

use super::prelude::*;
use crate::engine::chain;

pub(super) static RULE: Rule = Rule {
    id: "session-pinned-off-primary",
    severity: Severity::Info,
    looks_at: LooksAt::Sessions,
    summary: "a session is pinned to another model than the configured one",
    explanation: "A changed primary applies to new or unpinned sessions only.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let config = &agent.scan.machine.engine_config;
    let id = Some(agent.id().as_str());
    let is_pinned = |entry: &Value| entry["modelOverride"].as_str().is_some_and(|model| !model.is_empty());
    let configured = config.defaults.model.is_some() || agent.scan.has_own_model(agent.id());
    if !configured || !agent.sessions().values().any(is_pinned) {
        return;
    }
    let primary = chain::primary(agent.rules(), config, id);
    for (key, entry) in agent.sessions() {
        let Some(model) = entry["modelOverride"].as_str().filter(|model| !model.is_empty()) else { continue };
        if matches!(entry["modelOverrideSource"].as_str(), Some("auto" | "default")) {
            continue;
        }
        let provider = entry["providerOverride"].as_str().unwrap_or(primary.provider.as_str());
        let Some(pinned) = chain::parse_ref(agent.rules(), config, id, &format!("{provider}/{model}")) else {
            continue;
        };
        if pinned == primary {
            continue;
        }
        found.push(
            RULE.finding(format!("the session {key} is pinned to {pinned}; the configured {primary} applies to new or unpinned sessions"))
                .of_agent(agent.id())
                .mentions([key.as_str()])
                .json_path(&[key, "modelOverride"])
                .next("to follow the configured primary, send /model default in that session"),
        );
    }
}
