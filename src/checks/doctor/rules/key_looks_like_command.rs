//! a key or token is a command line.

use super::prelude::*;
use crate::base::text;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "key-looks-like-command",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "a key or token is a command line",
    explanation: "Somebody pasted the command instead of the key (report 59629). From 2026.7 on a pasted onboard command is left out of the order; before, it is sent to the provider. Paste the key itself.",
    check: Check::Agent(check),
};

const PROGRAMS: [&str; 9] = ["openclaw", "clawdbot", "export", "curl", "npx", "npm", "node", "claude", "set"];

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        for kind in [SecretKind::ApiKey, SecretKind::Token] {
            let Some(secret) = status.profile.credential.secret(kind) else { continue };
            let mut words = secret.expose().split_whitespace();
            let first = words.next().unwrap_or_default();
            if words.next().is_none() || !PROGRAMS.contains(&first.to_lowercase().as_str()) {
                continue;
            }
            let id = status.profile.id.as_str();
            let paste = format!(
                "openclaw models auth paste-api-key --provider {}",
                text::shell_word(&status.provider)
            );
            found.push(
                RULE.finding(format!("the secret of {id} is a command line, not a key ({})", secret.mask()))
                    .in_source(&status.profile.source, agent.id())
                    .of_profile(id)
                    .json_path(&["profiles", id])
                    .next(format!("paste the key: {paste}")),
            );
        }
    }
}
