//! The part of a resolved `openclaw.json` that order, chain and run need. Reading is lenient: a member
//! of the wrong shape counts as absent, as it does for the releases; `config validate` reports it.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::ids::{AgentId, ProfileId, normalize_agent_id};
use super::rules::CooldownKey;
use super::state::profile_ids;

/// A profile that `auth.profiles` names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfiguredProfile {
    /// Its provider, as the config spells it.
    pub provider: String,
    /// `oauth`, `token`, `api_key` or `aws-sdk`; empty when missing.
    pub mode: String,
}

/// `auth.cooldowns`, as numbers; a value that is no number counts as absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CooldownConfig {
    /// The plain keys.
    pub values: IndexMap<CooldownKey, f64>,
    /// `billingBackoffHoursByProvider`: by provider as the config spells it, `None` where the value is
    /// no number (it still hides `billingBackoffHours`).
    pub billing_hours_by_provider: IndexMap<String, Option<f64>>,
}

impl CooldownConfig {
    /// The number under a key.
    #[must_use]
    pub fn get(&self, key: CooldownKey) -> Option<f64> {
        self.values.get(&key).copied()
    }
}

/// `auth`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthConfig {
    /// `auth.profiles`, in the config's sequence.
    pub profiles: IndexMap<ProfileId, ConfiguredProfile>,
    /// `auth.order`, by provider as the config spells it.
    pub order: IndexMap<String, Vec<ProfileId>>,
    /// `auth.cooldowns`.
    pub cooldowns: CooldownConfig,
}

/// A `model` member: a string, or primary and fallbacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// The model, as the config spells it.
    pub primary: Option<String>,
    /// The fallbacks; `None` when the member doesn't name any.
    pub fallbacks: Option<Vec<String>>,
    /// It was a bare string, which leaves no room for fallbacks.
    pub is_string: bool,
    /// There is a `fallbacks` member, perhaps no list.
    pub has_fallbacks: bool,
}

impl ModelChoice {
    fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => {
                Some(Self { primary: Some(text.clone()), is_string: true, ..Self::default() })
            }
            Value::Object(members) => Some(Self {
                primary: members.get("primary").and_then(Value::as_str).map(str::to_owned),
                fallbacks: members.get("fallbacks").and_then(texts),
                is_string: false,
                has_fallbacks: members.contains_key("fallbacks"),
            }),
            _ => None,
        }
    }
}

/// An entry of `models`, keyed by model ref.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// Another name for the model; empty where `alias` is there but no text.
    pub alias: Option<String>,
}

/// `agents.defaults`, or an agent's own settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentModels {
    /// `model`.
    pub model: Option<ModelChoice>,
    /// `imageModel`.
    pub image_model: Option<ModelChoice>,
    /// `models`, by model ref as the config spells it.
    pub models: IndexMap<String, ModelEntry>,
    /// `modelPolicy.allow` (2026.9); `None` when it isn't there.
    pub allow: Option<Vec<String>>,
    /// There is a `modelPolicy`, perhaps without `allow`.
    pub has_model_policy: bool,
    /// `heartbeat.model`.
    pub heartbeat_model: Option<String>,
}

impl AgentModels {
    fn from_json(members: &Map<String, Value>) -> Self {
        let choice = |key: &str| members.get(key).and_then(ModelChoice::from_json);
        let models = members.get("models").and_then(Value::as_object).into_iter().flatten();
        Self {
            model: choice("model"),
            image_model: choice("imageModel"),
            models: models
                .map(|(key, entry)| {
                    let alias = entry.get("alias").map(|alias| alias.as_str().unwrap_or_default().to_owned());
                    (key.clone(), ModelEntry { alias })
                })
                .collect(),
            allow: members.get("modelPolicy").and_then(|policy| policy.get("allow")).and_then(texts),
            has_model_policy: members.get("modelPolicy").is_some_and(Value::is_object),
            heartbeat_model: members
                .get("heartbeat")
                .and_then(|heartbeat| heartbeat.get("model"))
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }
}

/// An agent of `agents.list` (to 2026.7) or `agents.entries` (2026.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    /// Its id as the config spells it.
    pub id: AgentId,
    /// `default: true`.
    pub is_default: bool,
    /// Its own model settings.
    pub own: AgentModels,
}

/// A provider of `models.providers`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfiguredProvider {
    /// `auth`: `api-key`, `oauth`, `aws-sdk` ...
    pub auth: Option<String>,
    /// `api`.
    pub api: Option<String>,
    /// `baseUrl`.
    pub base_url: Option<String>,
    /// Ids of its models, in the config's sequence; empty for one without.
    pub models: Vec<String>,
    /// It has an `apiKey` of its own.
    pub has_api_key: bool,
}

/// The engine's view of a config.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EngineConfig {
    /// `auth`.
    pub auth: AuthConfig,
    /// `agents.defaults`.
    pub defaults: AgentModels,
    /// The agents, in the config's sequence.
    pub agents: Vec<AgentEntry>,
    /// `models.providers`, by id as the config spells it.
    pub providers: IndexMap<String, ConfiguredProvider>,
    /// `meta.migrations.modelPolicyAllowlist`: 2026.9 no longer takes the keys of `models` for an allow
    /// list.
    pub allow_list_migrated: bool,
}

impl EngineConfig {
    /// Reads a config whose includes and variables are resolved.
    #[must_use]
    pub fn from_json(config: &Value) -> Self {
        let auth = &config["auth"];
        let agents = &config["agents"];
        Self {
            auth: AuthConfig {
                profiles: members(&auth["profiles"])
                    .filter_map(|(id, profile)| {
                        let profile = profile.as_object()?;
                        let text = |key: &str| profile.get(key).and_then(Value::as_str).unwrap_or_default();
                        let (provider, mode) = (text("provider").to_owned(), text("mode").to_owned());
                        Some((id.as_str().into(), ConfiguredProfile { provider, mode }))
                    })
                    .collect(),
                order: members(&auth["order"])
                    .filter_map(|(provider, ids)| Some((provider.clone(), profile_ids(ids)?)))
                    .collect(),
                cooldowns: cooldowns(&auth["cooldowns"]),
            },
            defaults: agents["defaults"].as_object().map(AgentModels::from_json).unwrap_or_default(),
            agents: agent_entries(agents),
            providers: members(&config["models"]["providers"])
                .filter_map(|(id, provider)| Some((id.clone(), configured_provider(provider.as_object()?))))
                .collect(),
            allow_list_migrated: config["meta"]["migrations"]["modelPolicyAllowlist"] == true,
        }
    }

    /// The agent of that id, compared normalized.
    #[must_use]
    pub fn agent(&self, id: &str) -> Option<&AgentEntry> {
        let wanted = normalize_agent_id(id);
        self.agents.iter().find(|agent| normalize_agent_id(agent.id.as_str()) == wanted)
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn cooldowns(value: &Value) -> CooldownConfig {
    CooldownConfig {
        values: CooldownKey::ALL
            .into_iter()
            .filter_map(|key| Some((key, value.get(key.as_str())?.as_f64()?)))
            .collect(),
        billing_hours_by_provider: members(&value[CooldownKey::BillingBackoffHoursByProvider.as_str()])
            .filter(|(_, hours)| !hours.is_null())
            .map(|(provider, hours)| (provider.clone(), hours.as_f64()))
            .collect(),
    }
}

fn agent_entries(agents: &Value) -> Vec<AgentEntry> {
    let entry = |id: &str, members: &Map<String, Value>| AgentEntry {
        id: id.into(),
        is_default: members.get("default").and_then(Value::as_bool).unwrap_or(false),
        own: AgentModels::from_json(members),
    };
    let listed = agents["list"].as_array().into_iter().flatten().filter_map(|agent| {
        let members = agent.as_object()?;
        Some(entry(members.get("id")?.as_str()?, members))
    });
    let keyed = members(&agents["entries"]).filter_map(|(id, agent)| Some(entry(id, agent.as_object()?)));
    listed.chain(keyed).collect()
}

fn configured_provider(members: &Map<String, Value>) -> ConfiguredProvider {
    let text = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned);
    let models = members.get("models").and_then(Value::as_array).into_iter().flatten();
    ConfiguredProvider {
        auth: text("auth"),
        api: text("api"),
        base_url: text("baseUrl"),
        models: models.map(|model| model["id"].as_str().unwrap_or_default().to_owned()).collect(),
        has_api_key: members.get("apiKey").is_some_and(|key| !key.is_null()),
    }
}
