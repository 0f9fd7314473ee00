//! a credential spells its provider another way than the release.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "provider-spelling",
    severity: Severity::Info,
    looks_at: LooksAt::Credentials,
    summary: "a credential spells its provider another way than the release",
    explanation: "Releases compare providers without case, blanks and aliases, but scripts and older tools don't. The fix writes the release's spelling.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let (id, source) = (status.profile.id.as_str(), &status.profile.source);
        let Some(spelled) = status.profile.credential.provider() else { continue };
        let proper = agent.rules().providers.normalize(spelled);
        if proper == spelled || proper.is_empty() || is_non_canonical(&status.profile.credential, id) {
            continue;
        }
        let path = ["profiles", id, "provider"];
        found.push(
            RULE.finding(format!("the provider of {id} is written \"{spelled}\", not \"{proper}\""))
                .in_source(source, agent.id())
                .json_path(&path)
                .of_profile(id)
                .next(agent.command(&["doctor", "--only", RULE.id, "--fix"]))
                .fixed_by(Fix::safe(
                    format!("write the provider of {id} as \"{proper}\""),
                    agent.id(),
                    [set(source, &path, &Value::from(proper.as_ref()))],
                )),
        );
    }
}
