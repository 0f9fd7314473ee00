//! What a call leaves in the store: windows, counters, the last good profile.

use super::{Runner, SetBy};
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, ProfileId};
use crate::engine::rules::BlockedUse;
use crate::engine::state::{Num, UsageStats};
use crate::engine::types::Reason;
use crate::engine::usage::{self, CooldownSettings, Failure, Window};

impl Runner<'_> {
    /// Runs `look` on the store as it was when the run began.
    pub(super) fn with_stale<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        self.swap_stale();
        let result = look(self);
        self.swap_stale();
        result
    }

    fn swap_stale(&mut self) {
        for (profile, stats) in &mut self.stale {
            if let Some(current) = self.world.auth.usage.get_mut(profile) {
                std::mem::swap(current, stats);
            }
        }
    }

    /// Keeps a profile's usage as it was when the run began, before it changes.
    fn before_change(&mut self, profile: &ProfileId) {
        if self.request.candidates.len() > 1 && self.stale.iter().all(|(known, _)| known != profile) {
            let stats = self.world.auth.usage.get(profile).cloned().unwrap_or_default();
            self.stale.push((profile.clone(), stats));
        }
    }

    pub(super) fn mark_failure(
        &mut self,
        candidate: &ModelRef,
        profile: Option<&ProfileId>,
        reason: Reason,
        resets_at: Option<Millis>,
    ) {
        let rules = self.scene.rules;
        let Some(profile) = profile.cloned().or_else(|| self.inline_key(candidate, reason)) else { return };
        if self.scene.run.unmarked.contains(reason) || usage::is_exempt(rules, candidate.provider.as_str()) {
            return;
        }
        self.before_change(&profile);
        let settings = self.settings_of(candidate.provider.as_str());
        let now = self.world.now;
        let stats = self.world.auth.usage.entry(profile.clone()).or_default();
        let ends = |stats: &UsageStats| {
            usage::windows(rules, stats, now).into_iter().max_by_key(|window| window.until)
        };
        let before = ends(stats);
        let blocks = rules.cooldown.blocked != BlockedUse::Ignored;
        if let Some(until) = resets_at.filter(|until| reason == Reason::RateLimit && blocks && *until > now) {
            usage::block(stats, until, "codex_rate_limits", None);
            stats.last_failure_at = Some(now.into());
        } else {
            let model = Some(candidate.model.as_str());
            usage::fail(rules, &settings, stats, Failure { now, reason, model });
        }
        let window = ends(stats);
        let ended = before.as_ref().map(|window| window.until);
        if let Some(until) = window.as_ref().map(|window| window.until).filter(|until| Some(*until) != ended)
        {
            self.world.set_by.insert(profile, SetBy { until, at: now, reason });
        }
        if let Some(attempt) = self.attempts.last_mut() {
            let of_model =
                |window: &Option<Window>| window.as_ref().is_some_and(|window| window.model.is_some());
            attempt.widened = of_model(&before) && window.is_some() && !of_model(&window);
            attempt.window = window;
        }
    }

    /// The usage entry of the config's own key, where the release keeps one for such a failure.
    fn inline_key(&self, candidate: &ModelRef, reason: Reason) -> Option<ProfileId> {
        let counts = matches!(reason, Reason::Auth | Reason::AuthPermanent | Reason::Billing);
        let provider = candidate.provider.as_str();
        let keyed =
            self.scene.config.providers.iter().any(|(id, entry)| {
                entry.has_api_key && *self.scene.rules.providers.normalize(id) == *provider
            });
        (counts && keyed && self.scene.run.marks_inline_keys)
            .then(|| usage::inline_key_id(self.scene.rules, provider))
    }

    fn settings_of(&mut self, provider: &str) -> CooldownSettings {
        if let Some((_, settings)) = self.cooldowns.iter().find(|(id, _)| id == provider) {
            return *settings;
        }
        let settings = CooldownSettings::new(self.scene.rules, &self.scene.config.auth.cooldowns, provider);
        self.cooldowns.push((provider.to_string(), settings));
        settings
    }

    pub(super) fn mark_success(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>) {
        // A success ends the run, so nobody looks at the store as it was.
        let Some(profile) = profile else { return };
        let now = self.world.now;
        let stats = self.world.auth.usage.entry(profile.clone()).or_default();
        if self.scene.run.success_sets_last_used {
            usage::succeed(self.scene.rules, stats, now);
            let known = self.world.auth.last_good.get(candidate.provider.as_str()) == Some(profile);
            if !known {
                self.world.auth.last_good.insert(candidate.provider.as_str().to_string(), profile.clone());
            }
        } else {
            usage::clear(self.scene.rules, stats);
            stats.last_probe_at = Some(Num::from(now));
        }
    }
}
