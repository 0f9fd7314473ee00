//! a login and a key of one provider, and no order.

use super::prelude::*;
use crate::engine::order::OrderSource;
use crate::installation::status::ProfileStatus;
use crate::store::CredentialType;

pub(super) static RULE: Rule = Rule {
    id: "mixed-types-without-order",
    severity: Severity::Warning,
    looks_at: LooksAt::Credentials,
    summary: "a login and a key of one provider, and no order",
    explanation: "Nothing says which of them pays: they are ranked by type and last use, so after a cooldown the key may be billed where the subscription was meant. Set an order.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for status in &agent.profiles {
        let provider = status.provider.as_str();
        if seen.contains(&provider) {
            continue;
        }
        seen.push(provider);
        let result = agent.order(provider);
        if result.source.is_explicit() || matches!(result.source, OrderSource::Fallback(_)) {
            continue;
        }
        let ranked: Vec<&ProfileStatus<'_>> =
            result.ids.iter().filter_map(|id| agent.profile(id.as_str())).collect();
        let has =
            |kind: &CredentialType| ranked.iter().find(|status| status.profile.credential.kind() == kind);
        let (Some(login), Some(key)) = (has(&CredentialType::OAuth), has(&CredentialType::ApiKey)) else {
            continue;
        };
        if ![login, key].iter().any(|status| agent.reports(&status.profile.source))
            || agent.is_pinned(provider)
        {
            continue;
        }
        let (login_id, key_id) = (login.profile.id.as_str(), key.profile.id.as_str());
        let order = ranked.iter().map(|status| status.profile.id.as_str());
        let words = ["auth", "order", "set", "--provider", provider];
        found.push(
            RULE.finding(format!(
                "{provider} has a login ({login_id}) and a key ({key_id}) but no order: they may alternate"
            ))
            .in_source(&login.profile.source, agent.id())
            .of_profile(login_id)
            .mentions([key_id])
            .json_path(&["profiles", login_id])
            .next(agent.command(&words.into_iter().chain(order).collect::<Vec<_>>())),
        );
    }
}
