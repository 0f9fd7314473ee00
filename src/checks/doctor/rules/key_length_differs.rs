//! a key is much shorter than its sibling of the same provider.

use super::prelude::*;
use crate::installation::status::ProfileStatus;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "key-length-differs",
    severity: Severity::Info,
    looks_at: LooksAt::Credentials,
    summary: "a key is much shorter than its sibling of the same provider",
    explanation: "Keys of one provider are mostly of one length: a much shorter one may have been cut while pasting (report 59629). Lengths alone are compared and shown.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let lengths: Vec<(&ProfileStatus<'_>, usize)> = agent
        .profiles
        .iter()
        .filter_map(|status| {
            let secret = status.profile.credential.secret(SecretKind::ApiKey)?;
            Some((status, secret.expose().trim().chars().count()))
        })
        .collect();
    for (status, length) in &lengths {
        let siblings = lengths.iter().filter(|(other, _)| other.provider == status.provider);
        let Some((longest, most)) = siblings.max_by_key(|(_, length)| *length) else { continue };
        // 39 against 63 is too short; 50 against 60 may be two kinds of keys.
        let is_short = length * 10 < most * 7;
        if !is_short || !agent.reports(&status.profile.source) {
            continue;
        }
        let (id, other) = (status.profile.id.as_str(), longest.profile.id.as_str());
        found.push(
            RULE.finding(format!("the key of {id} has {length} characters, that of {other} has {most}"))
                .in_source(&status.profile.source, agent.id())
                .of_profile(id)
                .mentions([other])
                .json_path(&["profiles", id, "key"])
                .next("compare it with the provider's page; paste it again if it was cut"),
        );
    }
}
