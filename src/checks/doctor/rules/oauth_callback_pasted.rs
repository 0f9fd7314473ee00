//! a key or token is what a login's callback shows.

use super::prelude::*;
use crate::base::text;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "oauth-callback-pasted",
    severity: Severity::Warning,
    looks_at: LooksAt::Credentials,
    summary: "a key or token is what a login's callback shows",
    explanation: "code#state, or the address that the browser ended at, is an intermediate step of a login (report 59629): it is no token, and works once at most. Finish the login instead.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        for kind in [SecretKind::ApiKey, SecretKind::Token] {
            let Some(secret) = status.profile.credential.secret(kind) else { continue };
            if !is_callback(secret.expose().trim()) {
                continue;
            }
            let id = status.profile.id.as_str();
            let login =
                format!("openclaw models auth login --provider {}", text::shell_word(&status.provider));
            found.push(
                RULE.finding(format!("the secret of {id} looks like a login's callback ({})", secret.mask()))
                    .in_source(&status.profile.source, agent.id())
                    .of_profile(id)
                    .json_path(&["profiles", id])
                    .next(login),
            );
        }
    }
}

fn is_callback(text: &str) -> bool {
    let is_address =
        ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme)) && text.contains("code=");
    let code_and_state = text.split_once('#').is_some_and(|(code, state)| {
        let word = |part: &str| {
            part.len() >= 3 && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
        };
        word(code) && word(state)
    });
    is_address || code_and_state
}
