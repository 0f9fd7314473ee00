//! a token has ended, or its end is no usable time.

use super::prelude::*;
use crate::base::text;
use crate::output::when;
use crate::store::CredentialType;

pub(super) static RULE: Rule = Rule {
    id: "token-expired",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "a token has ended, or its end is no usable time",
    explanation: "Releases leave such a token out of the order. Get a new one from the provider.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let credential = &status.profile.credential;
        if *credential.kind() != CredentialType::Token || !credential.has_expires() {
            continue;
        }
        let id = status.profile.id.as_str();
        let what = match credential.expires() {
            Some(expires) if are_seconds(expires.0) => continue,
            Some(expires) if expires <= agent.now() => {
                format!("the token {id} ended {}", when::relative(expires, agent.now()))
            }
            Some(_) => continue,
            None => format!("the end of the token {id} is no usable time"),
        };
        let paste =
            format!("openclaw models auth paste-token --provider {}", text::shell_word(&status.provider));
        found.push(
            RULE.finding(format!("{what}: it is never used"))
                .in_source(&status.profile.source, agent.id())
                .of_profile(id)
                .json_path(&["profiles", id, "expires"])
                .next(paste),
        );
    }
}
