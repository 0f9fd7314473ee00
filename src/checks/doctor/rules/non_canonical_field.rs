//! a credential has fields of an older or foreign spelling.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "non-canonical-field",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "a credential has fields of an older or foreign spelling",
    explanation: "mode for type, apiKey or api_key for key, a ref where the key belongs, a provider that is missing: some releases read such an entry, others ignore it (reports 57389, 26916). The fix writes the fields as every release spells them; values and unknown fields stay.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let (id, source) = (status.profile.id.as_str(), &status.profile.source);
        let Some(canonical) = canonical(&status.profile.credential, id) else { continue };
        let path = ["profiles", id];
        found.push(
            RULE.finding(format!(
                "the credential {id} isn't spelled as releases spell it: {}",
                canonical.changes.join(", ")
            ))
            .in_source(source, agent.id())
            .json_path(&path)
            .of_profile(id)
            .next(agent.command(&["doctor", "--only", RULE.id, "--fix"]))
            .fixed_by(Fix::safe(
                format!("respell {id}"),
                agent.id(),
                [set_raw(source, &path, &canonical.text)],
            )),
        );
    }
}
