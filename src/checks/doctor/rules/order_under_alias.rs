//! an order stands under another spelling of its provider.

use super::prelude::*;
use crate::store::Source;

pub(super) static RULE: Rule = Rule {
    id: "order-under-alias",
    severity: Severity::Warning,
    looks_at: LooksAt::Order,
    summary: "an order stands under another spelling of its provider",
    explanation: "Providers are compared without case, blanks and aliases, so of two orders for one provider only the first that is met counts, and a changed one may do nothing (report 118730). The fix merges them under the provider's own name: what counts now stays first.",
    check: Check::Agent(check),
};

/// Orders with their keys.
type Orders<'a> = Vec<(&'a String, &'a Vec<ProfileId>)>;

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let names = &agent.rules().providers;
    // By document: an own order and an inherited one are no doubles.
    let mut groups: Vec<(String, &Source, Orders<'_>)> = Vec::new();
    for (key, order) in agent.orders() {
        let provider = names.for_credentials(key).into_owned();
        let same =
            groups.iter_mut().find(|(known, source, _)| *known == provider && *source == &*order.source);
        match same {
            Some((_, _, orders)) => orders.push((key, &order.value)),
            None => groups.push((provider, &order.source, vec![(key, &order.value)])),
        }
    }
    for (provider, source, orders) in groups {
        let odd: Vec<&str> =
            orders.iter().map(|(key, _)| key.as_str()).filter(|key| *key != names.normalize(key)).collect();
        let several = orders.len() > 1;
        if odd.is_empty() && !several {
            continue;
        }
        let mut merged: Vec<&str> = Vec::new();
        for id in orders.iter().flat_map(|(_, ids)| ids.iter()).map(ProfileId::as_str) {
            if !merged.contains(&id) {
                merged.push(id);
            }
        }
        let mut changes: Vec<Change> = orders
            .iter()
            .filter(|(key, _)| **key != provider)
            .map(|(key, _)| remove(source, &["order", key]))
            .collect();
        changes.push(set(source, &["order", &provider], &Value::from(merged.clone())));
        let keys: Vec<&str> = orders.iter().map(|(key, _)| key.as_str()).collect();
        let quoted = keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(" and ");
        let message = if several {
            format!("orders under {quoted} are all for {provider}, and only the first counts")
        } else {
            format!("the order of {provider} stands under {quoted}")
        };
        found.push(
            RULE.finding(message)
                .in_source(source, agent.id())
                .json_path(&["order", odd.first().copied().unwrap_or(keys[0])])
                .next(agent.rewrite_order(&RULE, source, &provider, &merged))
                .fixed_by(Fix::safe(format!("merge them under \"{provider}\""), agent.id(), changes)),
        );
    }
}
