//! a session is pinned to a profile that isn't there.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "session-pin-gone",
    severity: Severity::Error,
    looks_at: LooksAt::Sessions,
    summary: "a session is pinned to a profile that isn't there",
    explanation: "Pinned by the user, such a session fails or silently uses another account (report 149502): unpin it. A pin that OpenClaw set by itself is replaced at the next turn, so that is only mentioned.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (key, entry) in agent.sessions() {
        let Some(pinned) = entry["authProfileOverride"].as_str().map(str::trim).filter(|id| !id.is_empty())
        else {
            continue;
        };
        if agent.knows(pinned) {
            continue;
        }
        let by_openclaw = entry["authProfileOverrideSource"].as_str() == Some("auto");
        let who = if by_openclaw { "OpenClaw" } else { "the user" };
        found.push(
            RULE.finding(format!(
                "the session {key} is pinned by {who} to {pinned}, which no stored profile is"
            ))
            .severity(if by_openclaw { Severity::Info } else { Severity::Error })
            .of_agent(agent.id())
            .of_profile(pinned)
            .mentions([key.as_str()])
            .json_path(&[key, "authProfileOverride"])
            .next("send /new in that session: it then takes the profiles in their order"),
        );
    }
}
