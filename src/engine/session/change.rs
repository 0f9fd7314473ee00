//! What a turn, a pick, a reset or a compaction leaves in a session's entry.

use serde_json::Value;

use super::{
    Entry, Message, OVERRIDE_KEYS, OverrideSource, PROFILE_KEYS, Place, Selection, drop_keys, split_profile,
    text,
};
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, trim};
use crate::engine::notice;
use crate::engine::run::World;

impl Place<'_> {
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

pub(super) fn clear_auto_override(entry: &mut Entry) {
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

/// Marks that the origin of an auto override was tried.
pub fn remember_origin(world: &mut World, key: String, at: Millis) {
    world.memory.origin_probes.insert(key, at);
}
