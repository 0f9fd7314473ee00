//! What is run for a message: the model, the chain, the source of the selection.

use std::sync::Arc;

use super::change::clear_auto_override;
use super::{
    Entry, Message, OVERRIDE_KEYS, Override, OverrideSource, Place, Selection, Source, drop_keys,
    split_profile, text,
};
use crate::engine::chain::{self, ChainQuery};
use crate::engine::ids::ModelRef;
use crate::engine::notice;
use crate::engine::run::World;
use crate::engine::view::AgentEntry;

impl<'a> Place<'a> {
    fn agent_entry(&self) -> Option<&'a AgentEntry> {
        self.config.agent(self.agent)
    }

    /// The primary of the agent, else of the defaults, else the built-in one.
    #[must_use]
    pub fn primary(&self) -> ModelRef {
        self.known.primary.clone()
    }

    pub(super) fn chain(&self, requested: &ModelRef, own_list: Option<Vec<String>>) -> Arc<[ModelRef]> {
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

    pub(super) fn is_allowed(&self, model: &ModelRef) -> bool {
        chain::is_allowed(self.rules, self.config, Some(self.agent), model)
    }

    /// What a pick outside of the allow list is answered with.
    pub(super) fn not_allowed(&self, model: &ModelRef) -> String {
        let list = chain::allow_list(self.rules, self.config, Some(self.agent));
        notice::not_allowed(model, list.map_or("the allow list", |(place, _)| place.path()))
    }

    /// `provider/model`, an alias, or a bare model of the primary's provider.
    pub(super) fn parse(&self, raw: &str) -> Option<ModelRef> {
        chain::parse_ref(self.rules, self.config, Some(self.agent), raw)
    }

    fn model_ref(&self, provider: Option<&str>, model: &str) -> ModelRef {
        let provider =
            provider.map_or_else(|| self.primary().provider, |provider| self.rules.providers.id(provider));
        ModelRef { provider, model: model.into() }
    }

    /// Reads the override, after dropping one that the release drops.
    pub(super) fn read_override(&self, entry: &mut Entry) -> Option<Override> {
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

    pub(super) fn heartbeat_model(&self) -> Option<&'a str> {
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
}
