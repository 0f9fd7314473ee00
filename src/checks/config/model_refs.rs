//! Model references that can't mean anything, or probably not what was meant.

use super::chains::{aliases, chains, provider_of};
use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::has_variable;
use crate::config::schema;
use crate::config::{Finding, Severity};

pub(super) const INVALID: Check = check(
    "model-ref-invalid",
    Group::Lint,
    Severity::Warning,
    "a model reference that doesn't parse",
    "A model is named as provider/model, by an alias of agents.defaults.models, or by the bare id of a model of the default provider.",
);

pub(super) const UNKNOWN_ALIAS: Check = check(
    "model-alias-unknown",
    Group::Lint,
    Severity::Warning,
    "a bare name that is no alias",
    "OpenClaw takes a bare name that is no alias for a model of the default provider. Write provider/model, or give a model this alias in agents.defaults.models.",
);

pub(super) const UNKNOWN_PROVIDER: Check = check(
    "model-provider-unknown",
    Group::Lint,
    Severity::Warning,
    "a model of a provider that nothing describes",
    "The provider is neither bundled with OpenClaw nor in models.providers nor in auth.profiles. Configure it or correct its name.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let aliases = aliases(input.tree);
    let providers = providers(input);
    for chain in chains(input.tree) {
        for named in chain.all() {
            let text = named.text.trim();
            if has_variable(text) || (text.is_empty() && !chain.is_chat()) {
                continue;
            }
            let is_alias = aliases.iter().any(|(alias, _)| *alias == text.to_lowercase());
            let finding = if is_alias {
                continue;
            } else if text.is_empty() || text.split('/').any(|part| part.trim().is_empty()) {
                Finding::new(INVALID.id, INVALID.severity, "this names no model".to_owned())
                    .hint("write provider/model, or an alias of agents.defaults.models")
            } else if let Some(provider) = provider_of(text, &aliases) {
                if providers.contains(&provider) || schema::is_bundled_provider(&provider) {
                    continue;
                }
                let message = format!("nothing describes the provider \"{provider}\"");
                let finding = Finding::new(UNKNOWN_PROVIDER.id, UNKNOWN_PROVIDER.severity, message);
                let mut known = providers.clone();
                known.extend(schema::bundled_providers().map(str::to_owned));
                match schema::nearest(&provider, &known) {
                    Some(near) => finding.hint(format!("did you mean \"{near}\"?")),
                    None => finding.hint(format!("add models.providers.{provider}")),
                }
            } else {
                let message = format!("\"{text}\" is no alias, so it means a model of the default provider");
                let finding = Finding::new(UNKNOWN_ALIAS.id, UNKNOWN_ALIAS.severity, message);
                let known: Vec<String> = aliases.iter().map(|(alias, _)| alias.clone()).collect();
                match schema::nearest(text, &known) {
                    Some(near) => finding.hint(format!("did you mean \"{near}\"?")),
                    None => finding.hint("write provider/model"),
                }
            };
            findings.push(finding.at_path(named.path.clone()).at(named.node.span));
        }
    }
}

/// Providers that the config or the store describes, in lower case.
fn providers(input: &Input<'_>) -> Vec<String> {
    let keys = |keys: [&str; 2]| {
        let node = input.tree.get(&JsonPath::of_keys(keys));
        node.map(|node| node.members()).unwrap_or_default().iter()
    };
    let mut found: Vec<String> = keys(["models", "providers"]).map(|member| member.key.clone()).collect();
    found.extend(keys(["auth", "order"]).map(|member| member.key.clone()));
    found.extend(
        keys(["auth", "profiles"])
            .filter_map(|member| member.value.member("provider")?.value.as_str().map(str::to_owned)),
    );
    found.extend(
        input.store.into_iter().flat_map(|store| &store.profiles).map(|profile| profile.provider.clone()),
    );
    found.iter().map(|provider| provider.trim().to_lowercase()).collect()
}
