//! two logins share one refresh token.

use super::prelude::*;
use crate::store::SecretKind;

pub(super) static RULE: Rule = Rule {
    id: "duplicate-refresh-token",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "two logins share one refresh token",
    explanation: "Providers make a refresh token void once it was used: whoever refreshes first logs the other out (report 26322). Keep it in one place (agents inherit the profiles of main), or log in for each.",
    check: Check::After(check),
};

fn check(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for (place, first) in &scan.collected.borrow().again {
        if place.kind != SecretKind::RefreshToken {
            continue;
        }
        found.push(
            RULE.finding(format!(
                "{} of {} and {} of {} have the same refresh token: the first refresh logs the other out",
                place.profile,
                owner(place),
                first.profile,
                owner(first)
            ))
            .in_source(&place.source, &place.agent)
            .of_profile(place.profile.as_str())
            .mentions([first.profile.as_str()])
            .json_path(&["profiles", place.profile.as_str(), "refresh"])
            .next(scan.command(Some(&place.agent), &["auth", "remove", place.profile.as_str()])),
        );
    }
}
