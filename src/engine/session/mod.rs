//! Sessions: which model and profile a message asks for, and what a turn leaves in the entry.
//!
//! [`select`] decides on model and chain, [`bind`] on the profile; [`change`] writes the entry.

mod bind;
mod change;
mod select;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use change::{compact, remember_origin};

use super::chain;
use super::ids::{ModelRef, trim};
use super::rules::{RuleSet, RunRules};
use super::run::Pin;
use super::view::EngineConfig;

/// A session's entry, as a store holds it.
pub type Entry = Map<String, Value>;

/// Where a message comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// A message; the session decides.
    #[default]
    Default,
    /// The agent's own model.
    Agent,
    /// The user picked the model for this run.
    User,
    /// A cron job; the model is its `payload.model`.
    Cron,
    /// A heartbeat.
    Heartbeat,
    /// `openclaw agent --model`.
    Cli,
    /// A hook; the model is its one-off model.
    Hook,
}

impl Source {
    /// Every source.
    pub const ALL: [Self; 7] =
        [Self::Default, Self::Agent, Self::User, Self::Cron, Self::Heartbeat, Self::Cli, Self::Hook];

    /// As scripts write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Agent => "agent",
            Self::User => "user",
            Self::Cron => "cron",
            Self::Heartbeat => "heartbeat",
            Self::Cli => "cli",
            Self::Hook => "hook",
        }
    }
}

/// What a message asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Message<'a> {
    /// Where it comes from.
    pub source: Source,
    /// A model for this message only.
    pub model: Option<&'a str>,
    /// A profile for this message only, as a user pin.
    pub profile: Option<&'a str>,
    /// The heartbeat's own model.
    pub heartbeat_model: Option<&'a str>,
    /// The caller's own fallbacks.
    pub fallbacks: Option<&'a [String]>,
    /// A run of the image model.
    pub image: bool,
    /// It comes through a channel of a gateway, which binds the session to a profile and, to 2026.7,
    /// to the fallback that answered; `openclaw agent` does neither.
    pub channel: bool,
    /// The session has just begun.
    pub new_session: bool,
}

/// What is run for a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The model that is asked for first.
    pub requested: ModelRef,
    /// The model that the user thinks of as selected: the override's origin, else `requested`.
    pub selected: ModelRef,
    /// The configured primary.
    pub primary: ModelRef,
    /// Where the selection came from: a [`Source`], `auto` or `image`.
    pub label: &'static str,
    /// The chain.
    pub candidates: Arc<[ModelRef]>,
    /// Whether the release thinks that there are fallbacks.
    pub fallbacks_configured: bool,
    /// The profile.
    pub pin: Option<Pin>,
    /// The origin of an auto override is tried again.
    pub origin_probe: bool,
    /// The message is refused before the run.
    pub refused: Option<String>,
}

/// The rules, config and agent that a session belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The release.
    pub rules: &'a RuleSet,
    /// How its runs behave.
    pub run: &'a RunRules,
    /// The config.
    pub config: &'a EngineConfig,
    /// The agent's id.
    pub agent: &'a str,
    /// The session's key.
    pub session: &'a str,
    /// What was worked out from the config before.
    pub known: &'a Known,
}

/// What follows from rules, config and agent alone, worked out once.
#[derive(Debug)]
pub struct Known {
    primary: ModelRef,
    chains: RefCell<HashMap<ChainKey, Arc<[ModelRef]>>>,
}

/// The requested model and the run's own fallbacks.
type ChainKey = (ModelRef, Option<Vec<String>>);

impl Known {
    /// For this config and agent.
    #[must_use]
    pub fn new(rules: &RuleSet, config: &EngineConfig, agent: &str) -> Self {
        Self { primary: chain::agent_primary(rules, config, Some(agent)), chains: RefCell::default() }
    }
}

/// A text member of an entry, trimmed; blank counts as missing.
#[must_use]
pub fn text<'e>(entry: &'e Entry, key: &str) -> Option<&'e str> {
    entry.get(key).and_then(Value::as_str).map(trim).filter(|text| !text.is_empty())
}

fn drop_keys(entry: &mut Entry, keys: &[&str]) {
    for key in keys {
        entry.shift_remove(*key);
    }
}

const OVERRIDE_KEYS: &[&str] = &[
    "providerOverride",
    "modelOverride",
    "modelOverrideSource",
    "modelOverrideFallbackOriginProvider",
    "modelOverrideFallbackOriginModel",
];

const PROFILE_KEYS: &[&str] =
    &["authProfileOverride", "authProfileOverrideSource", "authProfileOverrideCompactionCount"];

/// Who set a session's model override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverrideSource {
    User,
    Auto,
}

/// A session's model override.
struct Override {
    model: ModelRef,
    source: OverrideSource,
    origin: Option<ModelRef>,
}

/// `provider/model@profile`: the profile is what follows the last `@` after the last `/`.
#[must_use]
pub fn split_profile(raw: &str) -> (&str, Option<&str>) {
    let after = raw.rfind('/').map_or(0, |slash| slash + 1);
    match raw[after..].find('@') {
        Some(at) if at > 0 => {
            (&raw[..after + at], Some(&raw[after + at + 1..]).filter(|text| !text.is_empty()))
        }
        _ => (raw, None),
    }
}
