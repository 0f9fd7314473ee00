//! Which models are tried, in sequence, and whether a model may be picked at all.

use super::ids::{ModelId, ModelRef, trim};
use super::rules::RuleSet;
use super::view::EngineConfig;

/// What a chain is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainQuery<'a> {
    /// The requested provider; empty for the primary's.
    pub provider: &'a str,
    /// The requested model; empty for the primary.
    pub model: &'a str,
    /// The agent.
    pub agent: Option<&'a str>,
    /// A list in place of the configured fallbacks and primary; empty: strict.
    pub fallbacks_override: Option<&'a [String]>,
}

/// The candidates, without duplicates, the requested model first.
#[must_use]
pub fn candidates(rules: &RuleSet, config: &EngineConfig, query: ChainQuery<'_>) -> Vec<ModelRef> {
    let primary = primary(rules, config);
    let provider = Some(trim(query.provider)).filter(|text| !text.is_empty());
    let model = Some(trim(query.model)).filter(|text| !text.is_empty());
    let requested = ModelRef {
        provider: provider.map_or_else(|| primary.provider.clone(), |provider| rules.providers.id(provider)),
        model: model.map_or_else(|| primary.model.clone(), ModelId::from),
    };
    let configured = config.defaults.model.as_ref().and_then(|model| model.fallbacks.as_deref());
    let mut chain = vec![requested];
    let fallbacks = query.fallbacks_override.or(configured).unwrap_or_default();
    chain.extend(fallbacks.iter().filter_map(|raw| parse_ref(rules, config, raw)));
    if query.fallbacks_override.is_none() {
        chain.push(primary);
    }
    let mut seen = Vec::with_capacity(chain.len());
    for candidate in chain {
        if !seen.contains(&candidate) {
            seen.push(candidate);
        }
    }
    seen
}

/// The configured primary, else the rule set's built-in default.
#[must_use]
pub fn primary(rules: &RuleSet, config: &EngineConfig) -> ModelRef {
    let configured = config.defaults.model.as_ref().and_then(|model| model.primary.as_deref());
    configured
        .and_then(|raw| parse_ref(rules, config, raw))
        .or_else(|| split(rules, &rules.chain.default_model))
        .unwrap_or_else(|| ModelRef { provider: "".into(), model: "".into() })
}

/// Reads `provider/model`, an alias or a bare model id, as the config spells it.
#[must_use]
pub fn parse_ref(rules: &RuleSet, config: &EngineConfig, raw: &str) -> Option<ModelRef> {
    let raw = trim(raw);
    let alias =
        config.defaults.models.iter().find(|(_, entry)| {
            entry.alias.as_deref().is_some_and(|alias| trim(alias).eq_ignore_ascii_case(raw))
        });
    split(rules, alias.map_or(raw, |(key, _)| key))
}

/// Whether a model may be picked; the configured one always may.
#[must_use]
pub fn is_allowed(rules: &RuleSet, config: &EngineConfig, _agent: Option<&str>, model: &ModelRef) -> bool {
    let listed: Vec<&str> = if rules.chain.allow_list_is_policy {
        config.defaults.allow.iter().flatten().map(String::as_str).collect()
    } else {
        config.defaults.models.keys().map(String::as_str).collect()
    };
    listed.is_empty() || listed.iter().any(|raw| split(rules, raw).as_ref() == Some(model))
}

fn split(rules: &RuleSet, raw: &str) -> Option<ModelRef> {
    let (provider, model) = raw.split_once('/')?;
    Some(ModelRef { provider: rules.providers.id(provider), model: trim(model).into() })
}
