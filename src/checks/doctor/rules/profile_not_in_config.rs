//! a stored profile is left out because the config names others.

use super::prelude::*;
use crate::engine::order::OrderSource;

pub(super) static RULE: Rule = Rule {
    id: "profile-not-in-config",
    severity: Severity::Warning,
    looks_at: LooksAt::Config,
    summary: "a stored profile is left out because the config names others",
    explanation: "Where auth.profiles names profiles of a provider and there is no order, only those are used. Name this one too, or set an order.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for status in &agent.profiles {
        if seen.contains(&status.provider.as_str()) {
            continue;
        }
        seen.push(&status.provider);
        let result = agent.order(&status.provider);
        if result.source != OrderSource::ConfigProfiles {
            continue;
        }
        for entry in result.entries.iter().filter(|entry| !entry.listed && entry.eligibility.eligible) {
            let id = entry.id.as_str();
            let Some(left_out) = agent.profile(id).filter(|left_out| agent.reports(&left_out.profile.source))
            else {
                continue;
            };
            let order: Vec<&str> = result.ids.iter().map(|id| id.as_str()).chain([id]).collect();
            let words = ["auth", "order", "set", "--provider", left_out.provider.as_str()];
            found.push(
                RULE.finding(format!(
                    "{id} is never used: auth.profiles of the config names other profiles of {}",
                    left_out.provider
                ))
                .in_source(&left_out.profile.source, agent.id())
                .of_profile(id)
                .json_path(&["profiles", id])
                .next(agent.command(&words.into_iter().chain(order).collect::<Vec<_>>())),
            );
        }
    }
}
