//! a stored order names a profile twice.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "order-duplicate",
    severity: Severity::Warning,
    looks_at: LooksAt::Order,
    summary: "a stored order names a profile twice",
    explanation: "Only the first mention counts. The fix keeps that one.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (key, order) in agent.orders() {
        let mut kept: Vec<&str> = Vec::with_capacity(order.value.len());
        let mut twice: Vec<&str> = Vec::new();
        for id in order.value.iter().map(ProfileId::as_str) {
            if !kept.contains(&id) {
                kept.push(id);
            } else if !twice.contains(&id) {
                twice.push(id);
            }
        }
        if twice.is_empty() {
            continue;
        }
        let path = ["order", key.as_str()];
        let change = set(&order.source, &path, &Value::from(kept.clone()));
        let title = format!("keep the first {} in the order of {key}", twice.join(", "));
        found.push(
            RULE.finding(format!("the order of {key} names {} more than once", twice.join(", ")))
                .in_source(&order.source, agent.id())
                .json_path(&path)
                .mentions(twice.iter().copied())
                .next(agent.rewrite_order(&RULE, &order.source, key, &kept))
                .fixed_by(Fix::safe(title, agent.id(), [change])),
        );
    }
}
