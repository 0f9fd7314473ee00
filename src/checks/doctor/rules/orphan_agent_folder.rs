//! A folder with credentials of an agent that the config doesn't name.

use super::prelude::*;
use crate::store::Origin;

pub(super) static RULE: Rule = Rule {
    id: "orphan-agent-folder",
    severity: Severity::Info,
    looks_at: LooksAt::Files,
    summary: "a folder with credentials of an agent that the config doesn't name",
    explanation: "Left behind by an agent that was removed or renamed: its credentials are unused, and still secrets. OpenClaw reads such a folder when something names the agent.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let configured = agent.scan.machine.installation.agents().iter().any(|agent| agent.configured);
    if !configured || agent.agent.configured || agent.id().is_main() {
        return;
    }
    let own = agent.profiles.iter().filter(|status| status.profile.origin() == Origin::Own).count();
    if own == 0 {
        return;
    }
    let plural = if own == 1 { "" } else { "s" };
    found.push(
        RULE.finding(format!(
            "the config doesn't name the agent {}, whose folder holds {own} credential{plural}",
            agent.id()
        ))
        .at(&agent.agent.dir)
        .of_agent(agent.id())
        .next("name the agent in the config again, or move its folder out of the state folder"),
    );
}
