//! Sessions: which model and profile a message asks for, and what a turn leaves in the entry.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::chain::{self, ChainQuery};
use super::ids::{ModelRef, ProfileId, ProviderId, trim};
use super::notice;
use super::order::{self, OrderQuery};
use super::rules::{RuleSet, RunRules};
use super::run::{Pin, World};
use super::usage;
use super::view::{AgentEntry, EngineConfig};
use crate::base::time::Millis;

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

impl<'a> Place<'a> {
    fn agent_entry(&self) -> Option<&'a AgentEntry> {
        self.config.agent(self.agent)
    }

    /// The primary of the agent, else of the defaults, else the built-in one.
    #[must_use]
    pub fn primary(&self) -> ModelRef {
        self.known.primary.clone()
    }

    fn chain(&self, requested: &ModelRef, own_list: Option<Vec<String>>) -> Arc<[ModelRef]> {
        let key = (requested.clone(), own_list);
        if let Some(chain) = self.known.chains.borrow().get(&key) {
            return Arc::clone(chain);
        }
        let query = ChainQuery {
            provider: requested.provider.as_str(),
            model: requested.model.as_str(),
            agent: Some(self.agent),
            fallbacks_override: key.1.as_deref(),
        };
        let chain: Arc<[ModelRef]> = chain::candidates(self.rules, self.config, query).into();
        self.known.chains.borrow_mut().insert(key, Arc::clone(&chain));
        chain
    }

    /// The agent's own fallbacks: none inherits, an empty list is strict.
    fn agent_fallbacks(&self) -> Option<Vec<String>> {
        let listed = self.agent_entry()?.own.model.as_ref()?.fallbacks.is_some();
        let own = chain::agent_fallbacks(self.config, self.agent);
        own.filter(|_| listed || self.run.pins.agent_model_is_strict).map(<[String]>::to_vec)
    }

    fn default_fallbacks(&self) -> Vec<String> {
        self.config.defaults.model.as_ref().and_then(|model| model.fallbacks.clone()).unwrap_or_default()
    }

    fn configured_fallbacks(&self) -> Vec<String> {
        self.agent_fallbacks().unwrap_or_else(|| self.default_fallbacks())
    }

    fn is_allowed(&self, model: &ModelRef) -> bool {
        chain::is_allowed(self.rules, self.config, Some(self.agent), model)
    }

    /// What a pick outside of the allow list is answered with.
    fn not_allowed(&self, model: &ModelRef) -> String {
        let list = chain::allow_list(self.rules, self.config, Some(self.agent));
        notice::not_allowed(model, list.map_or("the allow list", |(place, _)| place.path()))
    }

    /// `provider/model`, an alias, or a bare model of the primary's provider.
    fn parse(&self, raw: &str) -> Option<ModelRef> {
        chain::parse_ref(self.rules, self.config, Some(self.agent), raw)
    }

    fn model_ref(&self, provider: Option<&str>, model: &str) -> ModelRef {
        let provider =
            provider.map_or_else(|| self.primary().provider, |provider| self.rules.providers.id(provider));
        ModelRef { provider, model: model.into() }
    }

    /// Reads the override, after dropping one that the release drops.
    fn read_override(&self, entry: &mut Entry) -> Option<Override> {
        if self.run.pins.stores_default_pick && text(entry, "modelOverrideSource") == Some("default") {
            return None;
        }
        let provider = text(entry, "providerOverride").map(str::to_string);
        let model = text(entry, "modelOverride").map(str::to_string)?;
        let origin = text(entry, "modelOverrideFallbackOriginProvider")
            .zip(text(entry, "modelOverrideFallbackOriginModel"))
            .map(|(provider, model)| self.model_ref(Some(provider), model));
        let source = match text(entry, "modelOverrideSource") {
            Some("auto") => OverrideSource::Auto,
            None if origin.is_some() && self.run.pins.origin_means_auto => OverrideSource::Auto,
            _ => OverrideSource::User,
        };
        if source == OverrideSource::Auto && origin.is_none() && self.run.pins.drops_auto_without_origin {
            drop_keys(entry, OVERRIDE_KEYS);
            notice::forget(entry);
            return None;
        }
        let model = self.model_ref(provider.as_deref(), &model);
        if source == OverrideSource::User && !self.is_allowed(&model) {
            drop_keys(entry, OVERRIDE_KEYS);
            return None;
        }
        Some(Override { model, source, origin })
    }

    /// What is run for a message; the entry loses what the release clears on the way.
    pub fn select(&self, world: &World, entry: &mut Entry, message: Message<'_>) -> Selection {
        let primary = self.primary();
        if message.image {
            return self.select_image(primary);
        }
        if message.source == Source::Heartbeat && message.heartbeat_model.is_none() {
            self.drop_stale_auto(entry, &primary);
        }
        let stored = self.read_override(entry);
        let mut selection = Selection {
            requested: primary.clone(),
            selected: primary.clone(),
            primary,
            label: message.source.as_str(),
            candidates: Arc::default(),
            fallbacks_configured: false,
            pin: None,
            origin_probe: false,
            refused: None,
        };
        let own_model = match message.source {
            Source::Heartbeat => message.heartbeat_model.or_else(|| self.heartbeat_model()),
            _ => message.model,
        };
        let explicit = own_model.and_then(|raw| self.parse(split_profile(raw).0));
        let own_list = match (&explicit, &stored) {
            (Some(model), _) => self.select_one_off(&mut selection, model, message),
            (None, Some(stored)) => self.select_stored(&mut selection, stored, world),
            (None, None) => {
                if selection.label == "default" && self.has_own_model() {
                    selection.label = "agent";
                }
                self.agent_fallbacks()
            }
        };
        let own_list = message.fallbacks.map(<[String]>::to_vec).or(own_list);
        selection.fallbacks_configured = match &own_list {
            Some(list) if !self.run.fallbacks_from_config => !list.is_empty(),
            _ => !self.configured_fallbacks().is_empty(),
        };
        selection.candidates = self.chain(&selection.requested, own_list);
        if let Some(first) = selection.candidates.first() {
            selection.requested = first.clone();
        }
        selection.pin = self.pin(world, entry, &selection, explicit.is_some(), message, own_model);
        selection
    }

    fn has_own_model(&self) -> bool {
        self.agent_entry()
            .is_some_and(|agent| agent.own.model.as_ref().is_some_and(|model| model.primary.is_some()))
    }

    fn heartbeat_model(&self) -> Option<&'a str> {
        self.agent_entry().and_then(|agent| agent.own.heartbeat_model.as_deref()).or(self
            .config
            .defaults
            .heartbeat_model
            .as_deref())
    }

    fn select_image(&self, primary: ModelRef) -> Selection {
        let own = self.agent_entry().and_then(|agent| agent.own.image_model.as_ref());
        let choice = own.or(self.config.defaults.image_model.as_ref());
        let refs = choice.into_iter().flat_map(|choice| {
            choice.primary.iter().chain(choice.fallbacks.iter().flatten()).filter_map(|raw| self.parse(raw))
        });
        let mut candidates: Vec<ModelRef> = Vec::new();
        for model in refs {
            if !candidates.contains(&model) {
                candidates.push(model);
            }
        }
        let refused = candidates.is_empty().then(|| {
            "No image model configured. Set agents.defaults.imageModel.primary or agents.defaults.imageModel.fallbacks."
                .to_string()
        });
        let requested = candidates.first().cloned().unwrap_or_else(|| primary.clone());
        Selection {
            selected: requested.clone(),
            requested,
            primary,
            label: "image",
            fallbacks_configured: candidates.len() > 1,
            candidates: candidates.into(),
            pin: None,
            origin_probe: false,
            refused,
        }
    }

    /// A model for this message only. Returns the run's own fallbacks.
    fn select_one_off(
        &self,
        selection: &mut Selection,
        model: &ModelRef,
        message: Message<'_>,
    ) -> Option<Vec<String>> {
        if !self.is_allowed(model) {
            selection.refused = Some(self.not_allowed(model));
        }
        selection.requested = model.clone();
        selection.selected = model.clone();
        match message.source {
            Source::Cron if self.run.pins.cron_keeps_primary => self.agent_fallbacks(),
            Source::Hook if self.run.pins.hook_keeps_primary => self.agent_fallbacks(),
            Source::Cron | Source::Hook => Some(self.configured_fallbacks()),
            Source::Heartbeat => self.agent_fallbacks(),
            _ if self.run.pins.user_model_is_strict => Some(Vec::new()),
            _ => Some(self.configured_fallbacks()),
        }
    }

    /// The session's override. Returns the run's own fallbacks.
    fn select_stored(
        &self,
        selection: &mut Selection,
        stored: &Override,
        world: &World,
    ) -> Option<Vec<String>> {
        selection.requested = stored.model.clone();
        selection.selected = stored.model.clone();
        if stored.source == OverrideSource::User {
            if selection.label == "default" {
                selection.label = "user";
            }
            let strict = self.run.pins.user_model_is_strict;
            return Some(if strict { Vec::new() } else { self.configured_fallbacks() });
        }
        if selection.label == "default" {
            selection.label = "auto";
        }
        if let Some(origin) = &stored.origin {
            selection.selected = origin.clone();
            if self.origin_is_due(world, stored, origin, &selection.primary) {
                selection.requested = origin.clone();
                selection.origin_probe = true;
            }
        }
        Some(self.configured_fallbacks())
    }

    fn origin_is_due(&self, world: &World, stored: &Override, origin: &ModelRef, primary: &ModelRef) -> bool {
        let Some(interval) = self.run.probes.origin_interval else { return false };
        if origin != primary || *origin == stored.model {
            return false;
        }
        let last = world.memory.origin_probes.get(&self.origin_key(origin));
        last.is_none_or(|last| (world.now - *last).0 >= interval.0)
    }

    /// Under which key the last try of an origin is remembered.
    #[must_use]
    pub fn origin_key(&self, origin: &ModelRef) -> String {
        format!("{} {origin}", self.session)
    }

    /// A heartbeat without its own model ends an auto override whose origin is no longer the primary.
    fn drop_stale_auto(&self, entry: &mut Entry, primary: &ModelRef) {
        if text(entry, "modelOverrideSource") != Some("auto") {
            return;
        }
        let origin = text(entry, "modelOverrideFallbackOriginProvider")
            .zip(text(entry, "modelOverrideFallbackOriginModel"))
            .map(|(provider, model)| self.model_ref(Some(provider), model));
        if origin.is_some_and(|origin| origin != *primary) {
            clear_auto_override(entry);
        }
    }

    /// The profile of the run, after clearing a pin that can't hold.
    fn pin(
        &self,
        world: &World,
        entry: &mut Entry,
        selection: &Selection,
        explicit: bool,
        message: Message<'_>,
        own_model: Option<&str>,
    ) -> Option<Pin> {
        let provider = &selection.requested.provider;
        let of_send = message.profile.or_else(|| own_model.and_then(|raw| split_profile(raw).1));
        if let Some(profile) = of_send.filter(|profile| self.is_of(world, profile, provider)) {
            return Some(Pin { profile: profile.into(), by_user: true, provider: provider.clone() });
        }
        if message.channel {
            self.bind_profile(world, entry, provider, message.new_session);
        }
        let profile = ProfileId::from(text(entry, "authProfileOverride")?);
        if selection.origin_probe && text(entry, "authProfileOverrideSource") != Some("user") {
            return None;
        }
        if !self.is_of(world, profile.as_str(), provider) {
            // A pin of another provider stays for the run that returns to it.
            if !explicit && !selection.origin_probe {
                drop_keys(entry, PROFILE_KEYS);
            }
            return None;
        }
        let by_user = text(entry, "authProfileOverrideSource") == Some("user");
        Some(Pin { profile, by_user, provider: provider.clone() })
    }

    fn is_of(&self, world: &World, profile: &str, provider: &ProviderId) -> bool {
        let names = &self.rules.providers;
        world.auth.profiles.get(profile).is_some_and(|facts| {
            names.for_credentials(&facts.provider) == names.for_credentials(provider.as_str())
        })
    }

    /// Binds a session to a profile as a gateway does before each message of a channel.
    fn bind_profile(&self, world: &World, entry: &mut Entry, provider: &ProviderId, new_session: bool) {
        let pins = &self.run.pins;
        let now = world.now;
        let query = OrderQuery { provider: provider.as_str(), now, preferred: None, model: None };
        let resolved = order::resolve(self.rules, self.config, &world.auth, query);
        let cooling = |id: &ProfileId| usage::is_in_cooldown(self.rules, &world.auth, id.as_str(), now, None);
        let compactions = entry.get("compactionCount").and_then(Value::as_i64).unwrap_or(0);
        let bound_at = entry.get("authProfileOverrideCompactionCount").and_then(Value::as_i64);
        let mut current = text(entry, "authProfileOverride").map(ProfileId::from);
        let by_user = match text(entry, "authProfileOverrideSource") {
            Some(source) => source == "user",
            None => bound_at.is_none() && current.is_some(),
        };
        let gone = current.as_ref().is_some_and(|id| {
            !self.is_of(world, id.as_str(), provider)
                || (!by_user && !resolved.ids.is_empty() && !resolved.ids.contains(id))
        });
        if gone {
            drop_keys(entry, PROFILE_KEYS);
            current = None;
        }
        if by_user && current.is_some() && !pins.user_profile_ends_with_session {
            return;
        }
        if resolved.ids.is_empty() {
            return;
        }
        let next_after = |active: Option<&ProfileId>| {
            let start = active.and_then(|active| resolved.ids.iter().position(|id| id == active));
            let from = start.map_or(0, |start| start + 1);
            let count = resolved.ids.len();
            (0..count)
                .map(|offset| &resolved.ids[(from + offset) % count])
                .find(|id| !cooling(id))
                .or_else(|| resolved.ids.get(start.unwrap_or(0)))
                .cloned()
        };
        let unusable = current.as_ref().is_some_and(&cooling);
        let next = if pins.rotates_on_compaction {
            let replacement = current
                .as_ref()
                .filter(|_| unusable)
                .and_then(|active| resolved.ids.iter().find(|id| *id != active && !cooling(id)).cloned());
            if by_user && current.is_some() && replacement.is_none() && !new_session {
                return;
            }
            let compacted = bound_at.is_some_and(|bound_at| compactions > bound_at);
            match (&replacement, &current) {
                (Some(_), _) => replacement,
                (None, Some(active)) if new_session || compacted => next_after(Some(active)),
                (None, Some(active)) if !unusable => Some(active.clone()),
                _ => next_after(None),
            }
        } else {
            if resolved.ids.iter().all(&cooling) {
                drop_keys(entry, PROFILE_KEYS);
                return;
            }
            let earlier = current
                .as_ref()
                .filter(|_| !unusable && resolved.source.is_explicit() && pins.returns_to_earlier);
            let earlier = earlier.and_then(|active| {
                let place = resolved.ids.iter().position(|id| id == active)?;
                resolved.ids[..place].iter().find(|id| was_rate_limited(world, id) && !cooling(id)).cloned()
            });
            match (&earlier, &current) {
                (Some(_), _) => earlier,
                (None, None) => next_after(None),
                (None, Some(_)) if unusable => next_after(None),
                (None, Some(active)) if new_session => next_after(Some(active)),
                (None, Some(active)) => Some(active.clone()),
            }
        };
        if let Some(next) = next {
            entry.insert("authProfileOverride".into(), next.as_str().into());
            entry.insert("authProfileOverrideSource".into(), "auto".into());
            entry.insert("authProfileOverrideCompactionCount".into(), compactions.into());
        }
    }

    /// What an answered turn leaves in the entry.
    pub fn after_answer(
        &self,
        entry: &mut Entry,
        selection: &Selection,
        answered: &ModelRef,
        message: Message<'_>,
    ) {
        if message.image {
            return;
        }
        if selection.origin_probe && *answered == selection.requested {
            clear_auto_override(entry);
        } else if *answered != selection.requested
            && message.channel
            && self.run.pins.stores_fallback
            && matches!(selection.label, "default" | "agent" | "auto" | "heartbeat")
        {
            self.store_fallback(entry, selection, answered);
        }
        let one_off = message.model.is_some();
        if *answered == selection.requested || (self.run.pins.stores_fallback && !one_off) {
            entry.insert("modelProvider".into(), answered.provider.as_str().into());
            entry.insert("model".into(), answered.model.as_str().into());
        }
    }

    /// Writes the fallback that answered as an auto override. A profile stays only where the run was
    /// bound to one of the same provider.
    fn store_fallback(&self, entry: &mut Entry, selection: &Selection, answered: &ModelRef) {
        drop_keys(entry, OVERRIDE_KEYS);
        drop_keys(entry, PROFILE_KEYS);
        entry.insert("providerOverride".into(), answered.provider.as_str().into());
        entry.insert("modelOverride".into(), answered.model.as_str().into());
        entry.insert("modelOverrideSource".into(), "auto".into());
        if self.run.pins.stores_origin {
            let origin = &selection.selected;
            entry.insert("modelOverrideFallbackOriginProvider".into(), origin.provider.as_str().into());
            entry.insert("modelOverrideFallbackOriginModel".into(), origin.model.as_str().into());
        }
        if let Some(pin) = selection.pin.as_ref().filter(|pin| pin.provider == answered.provider) {
            entry.insert("authProfileOverride".into(), pin.profile.as_str().into());
            let source = if pin.by_user { "user" } else { "auto" };
            entry.insert("authProfileOverrideSource".into(), source.into());
        }
    }

    /// The user picks a model: `provider/model`, `provider/model@profile` or `default`.
    ///
    /// # Errors
    /// What the user is told when the model is outside of the allow list or can't be read.
    pub fn pick(&self, world: &World, entry: &mut Entry, raw: &str) -> Result<(), String> {
        let (name, profile) = split_profile(raw);
        let primary = self.primary();
        let is_default = trim(name) == "default";
        let model = if is_default {
            primary.clone()
        } else {
            self.parse(name).ok_or_else(|| format!("\"{name}\" is no model: write provider/model"))?
        };
        if !is_default && !self.is_allowed(&model) {
            return Err(self.not_allowed(&model));
        }
        if let Some(profile) = profile
            && !self.is_of(world, profile, &model.provider)
        {
            return Err(format!("Auth profile \"{profile}\" is not configured for {}.", model.provider));
        }
        drop_keys(entry, OVERRIDE_KEYS);
        notice::forget(entry);
        if model == primary {
            if self.run.pins.stores_default_pick {
                entry.insert("modelOverrideSource".into(), "default".into());
            }
        } else {
            entry.insert("providerOverride".into(), model.provider.as_str().into());
            entry.insert("modelOverride".into(), model.model.as_str().into());
            entry.insert("modelOverrideSource".into(), "user".into());
        }
        if let Some(profile) = profile {
            drop_keys(entry, PROFILE_KEYS);
            entry.insert("authProfileOverride".into(), profile.into());
            entry.insert("authProfileOverrideSource".into(), "user".into());
        } else {
            let kept =
                text(entry, "authProfileOverride").is_some_and(|id| self.is_of(world, id, &model.provider));
            let auto = text(entry, "authProfileOverrideSource") != Some("user");
            if !kept || auto {
                drop_keys(entry, PROFILE_KEYS);
            }
        }
        Ok(())
    }

    /// `/reset`: ends auto overrides and, to 2026.7, the user's profile.
    pub fn reset(&self, entry: &mut Entry) {
        if text(entry, "modelOverrideSource") == Some("auto") {
            drop_keys(entry, OVERRIDE_KEYS);
        }
        notice::forget(entry);
        drop_keys(entry, &["model", "modelProvider", "compactionCount"]);
        if entry.contains_key("authProfileOverrideCompactionCount") {
            entry.insert("authProfileOverrideCompactionCount".into(), 0.into());
        }
        if self.run.pins.user_profile_ends_with_session
            && text(entry, "authProfileOverrideSource") == Some("user")
        {
            drop_keys(entry, PROFILE_KEYS);
        }
    }

    /// The user's override that differs from the configured primary.
    #[must_use]
    pub fn pinned_off(&self, entry: &Entry) -> Option<(ModelRef, ModelRef)> {
        text(entry, "modelOverride")?;
        let mut copy = entry.clone();
        let stored = self.read_override(&mut copy)?;
        let primary = self.primary();
        (stored.source == OverrideSource::User && stored.model != primary).then_some((stored.model, primary))
    }
}

fn was_rate_limited(world: &World, id: &ProfileId) -> bool {
    use super::types::Reason;
    let counts = world.auth.usage.get(id).and_then(|stats| stats.failure_counts.as_ref());
    counts.and_then(|counts| counts.known.get(&Reason::RateLimit)).is_some_and(|count| count.get() > 0.0)
}

fn clear_auto_override(entry: &mut Entry) {
    drop_keys(entry, OVERRIDE_KEYS);
    if text(entry, "authProfileOverrideSource") != Some("user") {
        drop_keys(entry, PROFILE_KEYS);
    }
    notice::forget(entry);
}

/// A compaction of the session.
pub fn compact(entry: &mut Entry) {
    let count = entry.get("compactionCount").and_then(Value::as_i64).unwrap_or(0);
    entry.insert("compactionCount".into(), (count + 1).into());
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

/// Marks that the origin of an auto override was tried.
pub fn remember_origin(world: &mut World, key: String, at: Millis) {
    world.memory.origin_probes.insert(key, at);
}
