//! Which models are tried, in sequence, and whether a model may be picked at all.

use super::ids::{ModelRef, trim};
use super::models::{Aliases, Reader, key};
use super::rules::{AliasUse, RuleSet};
use super::view::{EngineConfig, ModelChoice};

/// What a chain is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainQuery<'a> {
    /// The requested provider; empty for the primary's.
    pub provider: &'a str,
    /// The requested model; empty for the primary.
    pub model: &'a str,
    /// The agent; only 2026.9 reads its settings here.
    pub agent: Option<&'a str>,
    /// A list in place of the configured fallbacks and primary; empty: strict.
    pub fallbacks_override: Option<&'a [String]>,
}

/// The candidates, without duplicates: the requested model, the fallbacks (not filtered by the allow
/// list), and the configured primary unless a list was given.
#[must_use]
pub fn candidates(rules: &RuleSet, config: &EngineConfig, query: ChainQuery<'_>) -> Vec<ModelRef> {
    let reader = Reader::new(rules, config, query.agent);
    let primary = reader.primary();
    let aliases = reader.aliases(primary.provider.as_str());
    let given = |text| Some(trim(text)).filter(|text| !text.is_empty());
    let provider = given(query.provider).unwrap_or(primary.provider.as_str());
    let model = given(query.model).unwrap_or(primary.model.as_str());
    let requested = requested(rules, &reader, &aliases, &primary, provider, model);

    let respell = |model: ModelRef| {
        if rules.chain.alias_use == AliasUse::WithProvider {
            reader.pair(model.provider.as_str(), model.model.as_str())
        } else {
            model
        }
    };
    let configured = own_fallbacks(rules, config, query.agent);
    let mut fallbacks: Vec<ModelRef> = query
        .fallbacks_override
        .unwrap_or(configured)
        .iter()
        .filter_map(|raw| {
            let knows_config = rules.chain.fallbacks_know_config;
            reader.resolve(raw, primary.provider.as_str(), &aliases, knows_config).map(|read| read.model)
        })
        .collect();
    let foreign = || {
        let primary = reader.pair(primary.provider.as_str(), primary.model.as_str());
        requested.provider != primary.provider && !fallbacks.contains(&requested)
    };
    if query.fallbacks_override.is_none() && rules.chain.foreign_provider_drops_fallbacks && foreign() {
        fallbacks.clear();
    }

    let mut chain = vec![requested];
    chain.extend(fallbacks.into_iter().map(respell));
    if query.fallbacks_override.is_none() {
        chain.push(respell(primary));
    }
    without_duplicates(rules, chain)
}

/// The requested model, which may be an alias.
fn requested(
    rules: &RuleSet,
    reader: &Reader<'_>,
    aliases: &Aliases<'_>,
    primary: &ModelRef,
    provider: &str,
    model: &str,
) -> ModelRef {
    let plain = reader.pair(provider, model);
    let alias_use = rules.chain.alias_use;
    let knows_config = rules.chain.fallbacks_know_config;
    let by_alias = |raw: &str, default: &str| {
        let read = reader.resolve(raw, default, aliases, knows_config)?;
        Some(read.model).filter(|_| read.by_alias)
    };
    let bare = || by_alias(model, provider);
    let full = || by_alias(&format!("{provider}/{model}"), primary.provider.as_str());
    let bare_of_provider = || {
        let normalize = |provider: &str| rules.providers.id(provider);
        bare().filter(|target| {
            normalize(target.provider.as_str()) == plain.provider
                || plain.provider == normalize(primary.provider.as_str())
        })
    };
    let respell = |target: ModelRef| reader.pair(target.provider.as_str(), target.model.as_str());
    let found = match alias_use {
        AliasUse::Bare => None,
        AliasUse::Any => bare().or_else(full).map(respell),
        AliasUse::WithProvider => full().or_else(bare_of_provider).map(respell),
        AliasUse::OnePerModel => {
            let listed = reader.lists_model(plain.provider.as_str(), plain.model.as_str());
            if listed || aliases.names_model(&plain) { None } else { full().or_else(bare_of_provider) }
        }
    };
    match found {
        Some(target) => target,
        None if matches!(alias_use, AliasUse::Any | AliasUse::WithProvider) => respell(plain),
        None => plain,
    }
}

fn without_duplicates(rules: &RuleSet, chain: Vec<ModelRef>) -> Vec<ModelRef> {
    let pairs = rules.chain.alias_use == AliasUse::OnePerModel;
    let mut distinct: Vec<ModelRef> = Vec::with_capacity(chain.len());
    for model in chain {
        let empty = model.provider.as_str().is_empty() || model.model.as_str().is_empty();
        let known = || distinct.iter().any(|other| *other == model || (!pairs && key(other) == key(&model)));
        if !empty && !known() {
            distinct.push(model);
        }
    }
    distinct
}

/// The configured fallbacks: the agent's own where the release reads them here (2026.9) and the agent
/// has a model of its own, else those of `agents.defaults.model`.
#[must_use]
pub fn own_fallbacks<'a>(rules: &RuleSet, config: &'a EngineConfig, agent: Option<&str>) -> &'a [String] {
    let named = agent.filter(|id| rules.chain.agent_settings && !id.is_empty());
    let own = named.and_then(|id| agent_fallbacks(config, id));
    own.or_else(|| config.defaults.model.as_ref()?.fallbacks.as_deref()).unwrap_or_default()
}

/// The fallbacks that an agent's own `model` brings: its list; an empty one (strict) for a bare string or
/// a primary without a list; `None` when the agent inherits.
#[must_use]
pub fn agent_fallbacks<'a>(config: &'a EngineConfig, agent: &str) -> Option<&'a [String]> {
    let choice = config.agent(agent)?.own.model.as_ref()?;
    let ModelChoice { primary, fallbacks, has_fallbacks, .. } = choice;
    let names_model = primary.as_deref().is_some_and(|primary| !trim(primary).is_empty());
    match fallbacks {
        Some(list) => Some(list),
        None if *has_fallbacks => None,
        None => names_model.then_some(&[]),
    }
}

/// The configured primary at the end of a chain: of the agent where the release reads its settings here
/// (2026.9), else of the defaults, else the built-in default.
#[must_use]
pub fn primary(rules: &RuleSet, config: &EngineConfig, agent: Option<&str>) -> ModelRef {
    Reader::new(rules, config, agent).primary()
}

/// The model that an agent's next message asks for when nothing was picked: its own `model`, else the
/// configured primary.
#[must_use]
pub fn agent_primary(rules: &RuleSet, config: &EngineConfig, agent: Option<&str>) -> ModelRef {
    let reader = Reader::new(rules, config, agent);
    let own = agent.and_then(|id| config.agent(id)?.own.model.as_ref()?.primary.as_deref());
    let own = own.map(trim).filter(|own| !own.is_empty());
    own.and_then(|own| reader.read_primary(own)).unwrap_or_else(|| reader.primary())
}

/// Reads `provider/model`, an alias or a bare model id, as a fallback of the config is read. A profile
/// behind `@` is dropped.
#[must_use]
pub fn parse_ref(rules: &RuleSet, config: &EngineConfig, agent: Option<&str>, raw: &str) -> Option<ModelRef> {
    let reader = Reader::new(rules, config, agent);
    let primary = reader.primary();
    let aliases = reader.aliases(primary.provider.as_str());
    reader.resolve(raw, primary.provider.as_str(), &aliases, true).map(|read| read.model)
}

/// Where an allow list stands in the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowListPlace {
    /// The keys of `agents.defaults.models`.
    DefaultModels,
    /// `agents.defaults.modelPolicy.allow`.
    DefaultPolicy,
    /// `agents.entries.<id>.modelPolicy.allow`.
    AgentPolicy,
}

impl AllowListPlace {
    /// The path that OpenClaw names in its refusals.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::DefaultModels => "agents.defaults.models",
            Self::DefaultPolicy => "agents.defaults.modelPolicy.allow",
            Self::AgentPolicy => "agents.entries.*.modelPolicy.allow",
        }
    }
}

/// The allow list that holds for an agent, with its place; `None` when every model may be picked.
#[must_use]
pub fn allow_list<'a>(
    rules: &RuleSet,
    config: &'a EngineConfig,
    agent: Option<&str>,
) -> Option<(AllowListPlace, Vec<&'a str>)> {
    let keys = || config.defaults.models.keys().map(String::as_str).filter(|key| !trim(key).is_empty());
    let texts = |list: &'a Vec<String>| list.iter().map(String::as_str).collect::<Vec<_>>();
    let (place, list) = if rules.chain.allow_list_is_policy {
        let own = agent.and_then(|id| config.agent(id)?.own.allow.as_ref());
        match (own, &config.defaults.allow) {
            (Some(own), _) => (AllowListPlace::AgentPolicy, texts(own)),
            (None, Some(list)) => (AllowListPlace::DefaultPolicy, texts(list)),
            (None, None) if config.defaults.has_model_policy || config.allow_list_migrated => return None,
            (None, None) => (AllowListPlace::DefaultModels, keys().collect()),
        }
    } else {
        (AllowListPlace::DefaultModels, keys().collect())
    };
    (!list.is_empty()).then_some((place, list))
}

/// Whether a model may be picked. Up to 2026.7 the configured primary and fallbacks always may.
#[must_use]
pub fn is_allowed(rules: &RuleSet, config: &EngineConfig, agent: Option<&str>, model: &ModelRef) -> bool {
    let Some((_, list)) = allow_list(rules, config, agent) else { return true };
    let wildcards = rules.chain.wildcards;
    let under_wildcard = |pattern: &str| {
        let Some(prefix) = trim(pattern).strip_suffix('*').filter(|prefix| prefix.ends_with('/')) else {
            return false;
        };
        let (provider, rest) = prefix.split_once('/').unwrap_or((prefix, ""));
        rules.providers.id(provider) == model.provider && model.model.as_str().starts_with(rest)
    };
    let same =
        |raw: &str| parse_ref(rules, config, agent, raw).is_some_and(|listed| key(&listed) == key(model));
    if list.iter().any(|raw| (wildcards && under_wildcard(raw)) || same(raw)) {
        return true;
    }
    let fallbacks = agent
        .and_then(|id| agent_fallbacks(config, id))
        .unwrap_or_else(|| own_fallbacks(rules, config, None));
    let configured =
        || key(&primary(rules, config, agent)) == key(model) || fallbacks.iter().any(|raw| same(raw));
    !rules.chain.allow_list_is_policy && configured()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn allowed(id: &str, config: &Value, agent: Option<&str>, raw: &str) -> bool {
        let rules = RuleSet::builtin(id).expect("built in");
        let config = EngineConfig::from_json(config);
        let model = parse_ref(&rules, &config, agent, raw).expect("a ref");
        is_allowed(&rules, &config, agent, &model)
    }

    #[test]
    fn the_allow_list_is_the_keys_of_models_or_a_policy() {
        let keys = json!({"agents": {"defaults": {
            "model": {"primary": "openai/gpt-x", "fallbacks": ["xai/grok-x"]},
            "models": {"google/gem-a": {}}
        }}});
        for (raw, expected) in
            [("google/gem-a", true), ("openai/gpt-x", true), ("xai/grok-x", true), ("openai/gpt-y", false)]
        {
            assert_eq!(allowed("2026.7", &keys, None, raw), expected, "{raw}");
        }
        let policy = json!({"agents": {
            "defaults": {"modelPolicy": {"allow": ["google/*", "openai/gpt-x"]}, "models": {"xai/grok-x": {}}},
            "entries": {"w": {"modelPolicy": {"allow": ["xai/grok-x"]}}, "any": {"modelPolicy": {"allow": []}}}
        }});
        for (agent, raw, expected) in [
            (None, "google/gem-a", true),
            (None, "openai/gpt-x", true),
            (None, "xai/grok-x", false),
            (Some("w"), "xai/grok-x", true),
            (Some("w"), "google/gem-a", false),
            (Some("any"), "mistral/m", true),
        ] {
            assert_eq!(allowed("2026.9", &policy, agent, raw), expected, "{agent:?} {raw}");
        }
    }

    /// Report 79369: an agent whose `model` is a bare string has no fallbacks.
    #[test]
    fn a_bare_string_makes_an_agent_strict() {
        let config = EngineConfig::from_json(&json!({"agents": {
            "defaults": {"model": {"primary": "openai/gpt-x", "fallbacks": ["xai/grok-x"]}},
            "list": [
                {"id": "strict", "model": "openai/gpt-y"},
                {"id": "inherits"},
                {"id": "own", "model": {"fallbacks": ["google/gem-a"]}}
            ]
        }}));
        assert_eq!(agent_fallbacks(&config, "strict"), Some(&[][..]));
        assert_eq!(agent_fallbacks(&config, "inherits"), None);
        assert_eq!(agent_fallbacks(&config, "own"), Some(&["google/gem-a".to_owned()][..]));
        let rules = RuleSet::builtin("2026.7").expect("built in");
        let primary = |agent| agent_primary(&rules, &config, Some(agent)).to_string();
        assert_eq!(primary("strict"), "openai/gpt-y");
        assert_eq!(primary("own"), "openai/gpt-x");
    }
}
