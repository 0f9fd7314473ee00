//! `auth.profiles` beside the store.

use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::{Finding, Severity};

pub(super) const NOT_IN_STORE: Check = check(
    "auth-profile-not-in-store",
    Group::Lint,
    Severity::Warning,
    "auth.profiles names a profile that the store lacks (with --with-store)",
    "auth.profiles describes profiles; the credentials are in the store. A described profile without a credential is passed over.",
);

pub(super) const MISMATCH: Check = check(
    "auth-profile-mismatch",
    Group::Lint,
    Severity::Error,
    "auth.profiles and the store disagree on a profile (with --with-store)",
    "A profile whose provider or mode differs from the config's is passed over: the credential is unused. Mode oauth also takes a token.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(store) = input.store else { return };
    let path = JsonPath::of_keys(["auth", "profiles"]);
    let Some(profiles) = input.tree.get(&path) else { return };
    for member in profiles.members() {
        let text =
            |key: &str| member.value.member(key).and_then(|member| member.value.as_str()).map(str::trim);
        let at = path.key(&member.key);
        let Some(stored) = store.profiles.iter().find(|profile| profile.id == member.key) else {
            findings.push(
                Finding::new(
                    NOT_IN_STORE.id,
                    NOT_IN_STORE.severity,
                    "the store has no credential of this name",
                )
                .at_path(at)
                .at(member.key_span)
                .hint("see what there is: clawctl auth list"),
            );
            continue;
        };
        let provider =
            text("provider").filter(|provider| !provider.eq_ignore_ascii_case(stored.provider.trim()));
        let mode =
            text("mode").filter(|mode| *mode != stored.kind && !(*mode == "oauth" && stored.kind == "token"));
        for (key, here, there) in [("provider", provider, &stored.provider), ("mode", mode, &stored.kind)] {
            let Some(here) = here else { continue };
            let message =
                format!("the config says {here}, the store says {there}: the credential isn't used");
            let span = member.value.member(key).map_or(member.key_span, |member| member.value.span);
            findings.push(
                Finding::new(MISMATCH.id, MISMATCH.severity, message)
                    .at_path(at.key(key))
                    .at(span)
                    .hint(format!("write \"{there}\"")),
            );
        }
    }
}
