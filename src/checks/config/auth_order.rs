//! `auth.order`: the order in which a provider's profiles are tried.

use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::edit;
use crate::config::{Finding, Fix, Severity};

pub(super) const UNKNOWN: Check = check(
    "auth-order-unknown-profile",
    Group::Lint,
    Severity::Warning,
    "auth.order names a profile that isn't there",
    "A missing profile drops out of the order. With --with-store the store's profiles count, else auth.profiles does (and only if it describes that provider).",
);

pub(super) const OTHER_PROVIDER: Check = check(
    "auth-order-other-provider",
    Group::Lint,
    Severity::Warning,
    "auth.order names a profile of another provider",
    "A profile of another provider drops out of the order.",
);

pub(super) const DUPLICATE: Check = check(
    "auth-order-duplicate",
    Group::Lint,
    Severity::Warning,
    "auth.order names a profile twice",
    "The first mention counts. config fix removes the second.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let path = JsonPath::of_keys(["auth", "order"]);
    let Some(order) = input.tree.get(&path) else { return };
    let described = described(input);
    for member in order.members() {
        let provider = member.key.trim().to_lowercase();
        let elements = member.value.elements();
        for (index, element) in elements.iter().enumerate() {
            let Some(id) = element.as_str() else { continue };
            let at = path.key(&member.key).index(index);
            let earlier = elements[..index].iter().find(|other| other.as_str() == Some(id));
            let finding = if let Some(earlier) = earlier {
                let mut finding = Finding::new(
                    DUPLICATE.id,
                    DUPLICATE.severity,
                    format!("\"{id}\" stands in the order already"),
                )
                .label(earlier.span, "the one that counts")
                .hint("remove it");
                if let Some(edits) = edit::remove_element(input.loaded, elements, index) {
                    finding = finding
                        .fixed_by(Fix { title: format!("remove it from auth.order.{}", member.key), edits });
                }
                finding
            } else if let Some((_, other)) = described.iter().find(|(known, _)| known == id) {
                if *other == provider {
                    continue;
                }
                let message = format!("\"{id}\" is a profile of {other}, not of {provider}");
                Finding::new(OTHER_PROVIDER.id, OTHER_PROVIDER.severity, message)
                    .hint("remove it from this order")
            } else if id.split_once(':').is_some_and(|(prefix, _)| {
                let prefix = prefix.to_lowercase();
                prefix != provider && described.iter().any(|(_, other)| *other == prefix)
            }) {
                let message = format!("\"{id}\" looks like a profile of another provider than {provider}");
                Finding::new(OTHER_PROVIDER.id, OTHER_PROVIDER.severity, message)
                    .hint("remove it from this order")
            } else if input.store.is_some() || described.iter().any(|(_, other)| *other == provider) {
                let known: Vec<String> = described
                    .iter()
                    .filter(|(_, other)| *other == provider)
                    .map(|(id, _)| id.clone())
                    .collect();
                let finding =
                    Finding::new(UNKNOWN.id, UNKNOWN.severity, format!("there is no profile \"{id}\""));
                match crate::config::schema::nearest(id, &known) {
                    Some(near) => finding.hint(format!("did you mean \"{near}\"?")),
                    None if known.is_empty() => finding.hint(format!("no profile of {provider} is known")),
                    None => finding.hint(format!("profiles of {provider}: {}", known.join(", "))),
                }
            } else {
                continue;
            };
            findings.push(finding.at_path(at).at(element.span));
        }
    }
}

/// Profiles with their provider: the store's if it is given, else those of `auth.profiles`.
fn described(input: &Input<'_>) -> Vec<(String, String)> {
    if let Some(store) = input.store {
        return store
            .profiles
            .iter()
            .map(|profile| (profile.id.clone(), profile.provider.trim().to_lowercase()))
            .collect();
    }
    let profiles = input.tree.get(&JsonPath::of_keys(["auth", "profiles"]));
    profiles
        .map(|node| node.members())
        .unwrap_or_default()
        .iter()
        .filter_map(|member| {
            let provider = member.value.member("provider")?.value.as_str()?;
            Some((member.key.clone(), provider.trim().to_lowercase()))
        })
        .collect()
}
