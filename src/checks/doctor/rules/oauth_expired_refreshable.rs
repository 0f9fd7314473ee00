//! a login's access has ended, its refresh token gets a new one.

use super::prelude::*;
use crate::output::when;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "oauth-expired-refreshable",
    severity: Severity::Info,
    looks_at: LooksAt::Credentials,
    summary: "a login's access has ended, its refresh token gets a new one",
    explanation: "Nothing to do: the next use refreshes it (report 42721). If it stays so while the profile is in use, the refresh fails.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let credential = &status.profile.credential;
        let Some(expires) = expired_login(agent, status) else { continue };
        if credential.secret(SecretKind::RefreshToken).is_none() {
            continue;
        }
        let id = status.profile.id.as_str();
        found.push(
            RULE.finding(format!(
                "the access of {id} ended {}; the next use refreshes it",
                when::relative(expires, agent.now())
            ))
            .in_source(&status.profile.source, agent.id())
            .of_profile(id)
            .json_path(&["profiles", id, "expires"])
            .next(agent.command(&["auth", "show", id])),
        );
    }
}
