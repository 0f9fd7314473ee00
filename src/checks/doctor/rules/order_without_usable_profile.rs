//! an order names no profile that can be used, though others could.

use super::prelude::*;
use crate::engine::order::OrderSource;

pub(super) static RULE: Rule = Rule {
    id: "order-without-usable-profile",
    severity: Severity::Error,
    looks_at: LooksAt::Order,
    summary: "an order names no profile that can be used, though others could",
    explanation: "Up to 2026.5 the provider is dead then: nothing of it is tried. From 2026.7 on a stored order whose profiles are all gone gives way to the stored profiles, so it is a warning there (reports 65844, 135140). The fix writes an order of the profiles that can be used.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let stored = agent.view.store.state.order.iter().map(|(key, order)| (key, Some(&order.source)));
    let configured = agent.scan.machine.engine_config.auth.order.keys().map(|key| (key, None));
    for (key, source) in stored.chain(configured) {
        let result = agent.order(key);
        let (given, fell_back) = match &result.source {
            OrderSource::Fallback(given) => (given.as_ref(), true),
            given => (given, false),
        };
        let in_force = match (given, source) {
            (OrderSource::Stored(used), Some(source)) => used == key && agent.reports(source),
            (OrderSource::ConfigOrder(used), None) => used == key && agent.is_first(),
            _ => false,
        };
        let usable: Vec<&str> = if fell_back {
            result.ids.iter().map(|id| id.as_str()).collect()
        } else {
            let left_out = result.entries.iter().filter(|entry| !entry.listed && entry.eligibility.eligible);
            left_out.map(|entry| entry.id.as_str()).collect()
        };
        let is_dead = fell_back || result.ids.is_empty();
        if !in_force || !is_dead || usable.is_empty() {
            continue;
        }
        let listed: Vec<&str> =
            result.entries.iter().filter(|entry| entry.listed).map(|entry| entry.id.as_str()).collect();
        let reasons: Vec<String> = result
            .entries
            .iter()
            .filter(|entry| entry.listed)
            .map(|entry| format!("{} {}", entry.id, entry.eligibility.reason_code))
            .collect();
        let provider = agent.rules().providers.for_credentials(key);
        let effect = if fell_back {
            format!("{} takes the stored profiles instead", agent.rules().id)
        } else {
            format!("{} tries no profile of it", agent.rules().id)
        };
        let mut finding = RULE
            .finding(format!(
                "no profile in the order of {key} can be used ({}), though {} could; {effect}",
                reasons.join(", "),
                usable.join(", ")
            ))
            .severity(if fell_back { Severity::Warning } else { Severity::Error })
            .mentions(listed.into_iter().chain(usable.iter().copied()))
            .next(
                agent.command(
                    &["auth", "order", "set", "--provider", &provider]
                        .into_iter()
                        .chain(usable.iter().copied())
                        .collect::<Vec<_>>(),
                ),
            );
        finding = match source {
            Some(source) => {
                let title = format!("set the order of {key} to {}", usable.join(", "));
                let change = set(source, &["order", key], &Value::from(usable));
                finding.in_source(source, agent.id()).json_path(&["order", key]).fixed_by(Fix::safe(
                    title,
                    agent.id(),
                    [change],
                ))
            }
            None => finding.at(agent.config_path()).json_path(&["auth", "order", key]),
        };
        found.push(finding);
    }
}
