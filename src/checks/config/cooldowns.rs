//! `auth.cooldowns` that can't have been meant. Keys that a release doesn't know are `unknown-key`.

use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::{Finding, Severity};
use crate::config::{Kind, Node};

pub(super) const CONTRADICTION: Check = check(
    "cooldowns-contradictory",
    Group::Lint,
    Severity::Warning,
    "a ceiling of auth.cooldowns below its first step",
    "The window starts at the backoff and doubles up to the maximum. A maximum below the backoff cuts the first window already.",
);

pub(super) const IMPLAUSIBLE: Check = check(
    "cooldowns-implausible",
    Group::Lint,
    Severity::Warning,
    "a value of auth.cooldowns that looks like another unit",
    "Keys ending in Hours are hours, Minutes minutes, Ms milliseconds. More than 30 days, more than ten minutes of pause, or more than 100 rotations are hardly meant.",
);

const HOURS: f64 = 24.0 * 30.0;

/// Keys with the largest value that is plausible.
const LIMITS: [(&str, f64); 8] = [
    ("billingBackoffHours", HOURS),
    ("billingMaxHours", HOURS),
    ("failureWindowHours", HOURS),
    ("authPermanentBackoffMinutes", HOURS * 60.0),
    ("authPermanentMaxMinutes", HOURS * 60.0),
    ("overloadedBackoffMs", 600_000.0),
    ("overloadedProfileRotations", 100.0),
    ("rateLimitedProfileRotations", 100.0),
];

/// What holds when a ceiling isn't written, hours and minutes.
const DEFAULT_BILLING_MAX: f64 = 24.0;
const DEFAULT_PERMANENT_MAX: f64 = 60.0;
const DEFAULT_BILLING: f64 = 5.0;
const DEFAULT_PERMANENT: f64 = 10.0;

fn number(node: &Node) -> Option<f64> {
    match node.kind {
        Kind::Number(number) => Some(number),
        _ => None,
    }
}

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let path = JsonPath::of_keys(["auth", "cooldowns"]);
    let Some(cooldowns) = input.tree.get(&path) else { return };
    // From 2026.8 on the whole block is refused.
    if input.target.version >= (2026, 8, 0) {
        return;
    }
    let value = |key: &str| cooldowns.member(key).and_then(|member| number(&member.value));
    for (key, limit) in LIMITS {
        if let (Some(member), Some(found)) = (cooldowns.member(key), value(key))
            && found > limit
        {
            findings.push(
                Finding::new(
                    IMPLAUSIBLE.id,
                    IMPLAUSIBLE.severity,
                    format!("{found} is more than {limit}: is the unit right?"),
                )
                .at_path(path.key(key))
                .at(member.value.span),
            );
        }
    }
    let mut contradiction = |key: &str, max: f64, max_key: &str, at: JsonPath, node: &Node| {
        if number(node).is_some_and(|first| first > max) {
            let message = format!("{key} is above {max_key}, which is {max}: the ceiling always holds");
            findings.push(
                Finding::new(CONTRADICTION.id, CONTRADICTION.severity, message)
                    .at_path(at)
                    .at(node.span)
                    .hint(format!("raise {max_key} or lower {key}")),
            );
        }
    };
    let billing_max = value("billingMaxHours").unwrap_or(DEFAULT_BILLING_MAX);
    let permanent_max = value("authPermanentMaxMinutes").unwrap_or(DEFAULT_PERMANENT_MAX);
    for (key, max, max_key, default) in [
        ("billingBackoffHours", billing_max, "billingMaxHours", DEFAULT_BILLING),
        ("authPermanentBackoffMinutes", permanent_max, "authPermanentMaxMinutes", DEFAULT_PERMANENT),
    ] {
        match (cooldowns.member(key), cooldowns.member(max_key)) {
            (Some(member), _) => contradiction(key, max, max_key, path.key(key), &member.value),
            (None, Some(member)) if max < default => {
                let message =
                    format!("{max_key} is below {key}, which is {default}: the ceiling always holds");
                findings.push(
                    Finding::new(CONTRADICTION.id, CONTRADICTION.severity, message)
                        .at_path(path.key(max_key))
                        .at(member.value.span)
                        .hint(format!("write {key} too")),
                );
                return;
            }
            _ => {}
        }
    }
    let own = cooldowns.member("billingBackoffHoursByProvider").map(|member| member.value.members());
    for member in own.unwrap_or_default() {
        let at = path.key("billingBackoffHoursByProvider").key(&member.key);
        if number(&member.value).is_some_and(|first| first > billing_max) {
            let message =
                format!("this is above billingMaxHours, which is {billing_max}: the ceiling always holds");
            findings.push(
                Finding::new(CONTRADICTION.id, CONTRADICTION.severity, message)
                    .at_path(at)
                    .at(member.value.span)
                    .hint("raise billingMaxHours or lower this"),
            );
        }
    }
}
