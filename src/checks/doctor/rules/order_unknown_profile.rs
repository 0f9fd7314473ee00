//! a stored order names a profile that isn't there.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "order-unknown-profile",
    severity: Severity::Warning,
    looks_at: LooksAt::Order,
    summary: "a stored order names a profile that isn't there",
    explanation: "The id is skipped at every turn; often it is a profile that was renamed or removed, or one that an import hasn't brought over yet. The fix takes it out of the order.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (key, order) in agent.orders() {
        let (known, gone): (Vec<&str>, Vec<&str>) =
            order.value.iter().map(ProfileId::as_str).partition(|id| agent.knows(id));
        let replaced = known.is_empty() && !agent.order(key).ids.is_empty();
        if gone.is_empty() || replaced || (known.is_empty() && agent.has_profile_of(key)) {
            continue;
        }
        let path = ["order", key.as_str()];
        let change = if known.is_empty() {
            remove(&order.source, &path)
        } else {
            set(&order.source, &path, &Value::from(known.clone()))
        };
        let title = format!("take {} out of the order of {key}", gone.join(", "));
        let command = agent.rewrite_order(&RULE, &order.source, key, &known);
        found.push(
            RULE.finding(format!("the order of {key} names {}, which no stored profile is", gone.join(", ")))
                .in_source(&order.source, agent.id())
                .json_path(&path)
                .mentions(gone.iter().copied())
                .next(command)
                .fixed_by(Fix::dropping(title, agent.id(), [change])),
        );
    }
}
