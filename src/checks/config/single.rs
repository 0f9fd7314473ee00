//! Chains without anything to fall back to.

use std::collections::BTreeSet;

use super::chains::{aliases, chains, provider_of};
use super::{Check, Group, Input, check};
use crate::config::EnvOrigin;
use crate::config::JsonPath;
use crate::config::{Finding, Severity};

pub(super) const WITHOUT_PROFILE: Check = check(
    "provider-without-profile",
    Group::Lint,
    Severity::Warning,
    "a model of a provider that has no profile (with --with-store)",
    "Neither the store nor models.providers has a credential of that provider, so the model is passed over, unless the environment of the gateway holds a key.",
);

pub(super) const SINGLE_PROVIDER: Check = check(
    "single-provider-chain",
    Group::Lint,
    Severity::Info,
    "a chain in which all models are of one provider",
    "When the provider is down or its account is out of money, no model of the chain works. A fallback of another provider helps.",
);

pub(super) const SINGLE_PROFILE: Check = check(
    "single-profile-provider",
    Group::Lint,
    Severity::Info,
    "a chain of one model whose provider has one profile (with --with-store)",
    "When that profile cools down, nothing is left to try. A second profile or a fallback helps.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let aliases = aliases(input.tree);
    for chain in chains(input.tree).iter().filter(|chain| chain.is_chat()) {
        let mut providers = BTreeSet::new();
        for named in chain.all() {
            let Some(provider) = provider_of(named.text, &aliases) else { continue };
            let profiles = profiles(input, &provider);
            if profiles == Some(0) && !has_key(input, &provider) {
                let message = format!("no credential of {provider} is known");
                findings.push(
                    Finding::new(WITHOUT_PROFILE.id, WITHOUT_PROFILE.severity, message)
                        .at_path(named.path.clone())
                        .at(named.node.span)
                        .hint(format!("openclaw models auth add, or take {provider} out of the chain")),
                );
            }
            providers.insert(provider);
        }
        let models = chain.all().count();
        let Some(provider) = providers.first().filter(|_| providers.len() == 1) else { continue };
        if models > 1 {
            let message = format!("every model of this chain is of {provider}");
            findings.push(
                Finding::new(SINGLE_PROVIDER.id, SINGLE_PROVIDER.severity, message)
                    .at_path(chain.path.clone())
                    .at(chain.node.span),
            );
        } else if profiles(input, provider) == Some(1) {
            let message = format!("this is the only model, and {provider} has one profile");
            findings.push(
                Finding::new(SINGLE_PROFILE.id, SINGLE_PROFILE.severity, message)
                    .at_path(chain.path.clone())
                    .at(chain.node.span),
            );
        }
    }
}

/// How many profiles of a provider the store has; `None` without a store.
fn profiles(input: &Input<'_>, provider: &str) -> Option<usize> {
    let store = input.store?;
    Some(
        store
            .profiles
            .iter()
            .filter(|profile| profile.provider.trim().eq_ignore_ascii_case(provider))
            .count(),
    )
}

/// Whether the config holds a key of the provider; one that comes from a missing variable is none.
/// A local provider may need none, which only its baseUrl tells.
fn has_key(input: &Input<'_>, provider: &str) -> bool {
    let path = JsonPath::of_keys(["models", "providers"]);
    let providers = input.tree.get(&path).map(|node| node.members()).unwrap_or_default();
    let Some(member) = providers.iter().find(|member| member.key.trim().eq_ignore_ascii_case(provider))
    else {
        return false;
    };
    let path = path.key(&member.key).key("apiKey");
    let missing = input.loaded.env_refs().iter().any(|reference| {
        reference.path == path && matches!(reference.from, EnvOrigin::Missing | EnvOrigin::Empty)
    });
    let url = member.value.member("baseUrl").and_then(|url| url.value.as_str()).unwrap_or_default();
    let local =
        ["localhost", "127.0.0.1", "[::1]", "192.168.", "//10."].iter().any(|host| url.contains(host));
    local || (member.value.member("apiKey").is_some() && !missing)
}
