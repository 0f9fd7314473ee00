//! the end of a credential is in seconds where ms belong.

use super::prelude::*;
use crate::store::CredentialType;

pub(super) static RULE: Rule = Rule {
    id: "expires-in-seconds",
    severity: Severity::Warning,
    looks_at: LooksAt::Credentials,
    summary: "the end of a credential is in seconds where ms belong",
    explanation: "Ten digits are seconds; read as ms they lie in January 1970, so a token counts as ended and a login as expired. The fix multiplies it by 1000.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let credential = &status.profile.credential;
        let Some(seconds) =
            credential.expires().map(|expires| expires.0).filter(|expires| are_seconds(*expires))
        else {
            continue;
        };
        let id = status.profile.id.as_str();
        let unused = *credential.kind() == CredentialType::Token;
        let path = ["profiles", id, "expires"];
        found.push(
            RULE.finding(format!("expires of {id} is {seconds}: seconds, where ms belong"))
                .severity(if unused { Severity::Error } else { Severity::Warning })
                .in_source(&status.profile.source, agent.id())
                .of_profile(id)
                .json_path(&path)
                .next(agent.command(&["doctor", "--only", RULE.id, "--fix"]))
                .fixed_by(Fix::safe(
                    format!("set expires of {id} to {}", seconds * 1000),
                    agent.id(),
                    [set(&status.profile.source, &path, &Value::from(seconds * 1000))],
                )),
        );
    }
}
