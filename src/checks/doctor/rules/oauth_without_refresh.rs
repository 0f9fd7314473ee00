//! a login has no refresh token.

use super::prelude::*;
use crate::base::text;
use crate::output::when;
use crate::store::{CredentialType, SecretKind};

pub(super) static RULE: Rule = Rule {
    id: "oauth-without-refresh",
    severity: Severity::Warning,
    looks_at: LooksAt::Credentials,
    summary: "a login has no refresh token",
    explanation: "It ends with its access token. Once that has ended every release still tries it, and fails (an error then). Log in again.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let credential = &status.profile.credential;
        let is_login = *credential.kind() == CredentialType::OAuth;
        let access = credential.secret(SecretKind::AccessToken).is_some();
        if !is_login || !access || credential.secret(SecretKind::RefreshToken).is_some() {
            continue;
        }
        let id = status.profile.id.as_str();
        let (severity, what) = match expired_login(agent, status) {
            Some(expires) => (
                Severity::Error,
                format!("{id} ended {} and has no refresh token", when::relative(expires, agent.now())),
            ),
            None => (Severity::Info, format!("{id} has no refresh token: it ends with its access token")),
        };
        let login = format!("openclaw models auth login --provider {}", text::shell_word(&status.provider));
        found.push(
            RULE.finding(what)
                .severity(severity)
                .in_source(&status.profile.source, agent.id())
                .of_profile(id)
                .json_path(&["profiles", id, "refresh"])
                .next(login),
        );
    }
}
