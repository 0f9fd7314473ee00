//! a reference points at a variable or file that isn't there.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "unresolved-ref",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "a reference points at a variable or file that isn't there",
    explanation: "The secret of such a profile lives elsewhere: in the environment, in .env of the state folder, in env of the config, or in a file. The gateway may see variables that this shell doesn't: compare with its service file.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let Some(missing) = agent.scan.machine.unresolved(status.profile) else { continue };
        let id = status.profile.id.as_str();
        let field = status
            .profile
            .credential
            .refs()
            .into_iter()
            .next()
            .map_or_else(String::new, |reference| reference.field);
        found.push(
            RULE.finding(format!("the secret of {id} can't be found: {missing}"))
                .in_source(&status.profile.source, agent.id())
                .of_profile(id)
                .json_path(&["profiles", id, &field])
                .next("set it where the gateway runs, or put it into .env of the state folder"),
        );
    }
}
