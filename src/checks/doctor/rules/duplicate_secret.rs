//! two profiles hold the same key or token.

use super::prelude::*;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "duplicate-secret",
    severity: Severity::Warning,
    looks_at: LooksAt::Credentials,
    summary: "two profiles hold the same key or token",
    explanation: "A second profile with the same key is no second chance: a rate limit or a dead key meets both. Copies of one profile in several agents are only mentioned: agents inherit the profiles of main.",
    check: Check::After(check),
};

fn check(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for (place, first) in &scan.collected.borrow().again {
        if !matches!(place.kind, SecretKind::ApiKey | SecretKind::Token) {
            continue;
        }
        let copy = place.profile == first.profile;
        found.push(
            RULE.finding(format!(
                "{} of {} and {} of {} hold the same {}",
                place.profile,
                owner(place),
                first.profile,
                owner(first),
                place.kind.name()
            ))
            .severity(if copy { Severity::Info } else { RULE.severity })
            .in_source(&place.source, &place.agent)
            .of_profile(place.profile.as_str())
            .mentions([first.profile.as_str()])
            .json_path(&["profiles", place.profile.as_str()])
            .next(scan.command(Some(&place.agent), &["auth", "remove", place.profile.as_str()])),
        );
    }
}
