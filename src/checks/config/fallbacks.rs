//! Fallbacks that do nothing, or that go around an allow list.

use super::chains::chains;
use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::Node;
use crate::config::edit;
use crate::config::{Finding, Fix, Severity};

pub(super) const REPEATED: Check = check(
    "fallback-repeated",
    Group::Lint,
    Severity::Warning,
    "a fallback that stands in the list before",
    "A model is tried once in a run; the second mention does nothing. config fix removes it.",
);

pub(super) const EQUALS_PRIMARY: Check = check(
    "fallback-equals-primary",
    Group::Lint,
    Severity::Warning,
    "a fallback that is the primary itself",
    "A model is tried once in a run, so this fallback does nothing. config fix removes it.",
);

pub(super) const NOT_ALLOWED: Check = check(
    "fallback-not-allowed",
    Group::Lint,
    Severity::Warning,
    "a fallback outside of the allow list",
    "Fallbacks aren't filtered by the allow list (modelPolicy.allow from 2026.8 on, before that the keys of agents.defaults.models): a run can end on a model that users may not pick.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let allowed = allow_list(input);
    for chain in chains(input.tree) {
        let key = |text: &str| text.trim().to_lowercase();
        let elements =
            chain.node.member("fallbacks").map(|member| member.value.elements()).unwrap_or_default();
        for (at, fallback) in chain.fallbacks.iter().enumerate() {
            let first = chain.fallbacks[..at].iter().find(|earlier| key(earlier.text) == key(fallback.text));
            let primary = chain.primary.as_ref().filter(|primary| key(primary.text) == key(fallback.text));
            let (check, message, earlier) = match (first, primary) {
                (Some(first), _) => (REPEATED, "this fallback stands in the list already", first),
                (None, Some(primary)) => (EQUALS_PRIMARY, "this fallback is the primary itself", primary),
                (None, None) => {
                    if chain.is_chat() && !allowed.is_empty() && !is_allowed(&allowed, fallback.text) {
                        let message =
                            format!("\"{}\" isn't allowed, but runs can fall back to it", fallback.text);
                        findings.push(
                            Finding::new(NOT_ALLOWED.id, NOT_ALLOWED.severity, message)
                                .at_path(fallback.path.clone())
                                .at(fallback.node.span)
                                .hint("allow it, or take it out of the fallbacks"),
                        );
                    }
                    continue;
                }
            };
            let mut finding = Finding::new(check.id, check.severity, message)
                .at_path(fallback.path.clone())
                .at(fallback.node.span)
                .label(earlier.node.span, "the one that counts")
                .hint("remove it");
            let index = elements.iter().position(|element| std::ptr::eq(element, fallback.node));
            if let Some(edits) = index.and_then(|index| edit::remove_element(input.loaded, elements, index)) {
                finding = finding
                    .fixed_by(Fix { title: format!("remove it from {}.fallbacks", chain.path), edits });
            }
            findings.push(finding);
        }
    }
}

/// What users may pick: full refs, `provider/*` wildcards.
fn allow_list(input: &Input<'_>) -> Vec<String> {
    let at = |keys: &[&str]| input.tree.get(&JsonPath::of_keys(keys.iter().copied()));
    if input.target.version >= (2026, 8, 0) {
        let list =
            at(&["agents", "defaults", "modelPolicy", "allow"]).map(Node::elements).unwrap_or_default();
        return list.iter().filter_map(Node::as_str).map(|text| text.trim().to_lowercase()).collect();
    }
    let map = at(&["agents", "defaults", "models"]).map(Node::members).unwrap_or_default();
    map.iter().map(|member| member.key.trim().to_lowercase()).collect()
}

fn is_allowed(allowed: &[String], text: &str) -> bool {
    let text = text.trim().to_lowercase();
    // Aliases and bare ids may stand for an allowed model; what is no reference has its own lint.
    !text.contains('/')
        || text.ends_with('/')
        || text.starts_with('/')
        || allowed.iter().any(|entry| {
            *entry == text
                || entry
                    .strip_suffix('*')
                    .is_some_and(|start| start.ends_with('/') && text.starts_with(start))
        })
}
