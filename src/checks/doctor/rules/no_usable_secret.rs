//! a credential has no secret and no reference to one.

use super::prelude::*;
use crate::store::CredentialType;

pub(super) static RULE: Rule = Rule {
    id: "no-usable-secret",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "a credential has no secret and no reference to one",
    explanation: "No release uses such a profile. The fix removes it, with its order entries and counters left to their own rules.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let (id, credential) = (status.profile.id.as_str(), &status.profile.credential);
        if credential.has_secret_or_ref() || is_non_canonical(credential, id) {
            continue;
        }
        let field = match credential.kind() {
            CredentialType::ApiKey => "no key and no keyRef",
            CredentialType::Token => "no token and no tokenRef",
            CredentialType::OAuth => "no access and no refresh token",
            CredentialType::Other(_) => "a type that no release knows",
        };
        let finding = RULE
            .finding(format!("{id} has {field}: it is never used"))
            .in_source(&status.profile.source, agent.id())
            .of_profile(id)
            .json_path(&["profiles", id]);
        // What another tool stored under fields of its own may be of use to somebody.
        let is_empty = credential.secrets().iter().all(|field| field.secret.expose().trim().is_empty());
        let command = agent.command(&["auth", "remove", id]);
        found.push(if is_empty {
            let change = remove(&status.profile.source, &["profiles", id]);
            finding.next(command).fixed_by(Fix::dropping(format!("remove {id}"), agent.id(), [change]))
        } else {
            finding.next(format!("log in again, or: {command}"))
        });
    }
}
