//! The profile of a run: a pin of the session or the send, and how a gateway binds a session to one.

use serde_json::Value;

use super::{Entry, Message, PROFILE_KEYS, Place, Selection, drop_keys, split_profile, text};
use crate::engine::ids::{ProfileId, ProviderId};
use crate::engine::order::{self, OrderQuery};
use crate::engine::run::{Pin, World};
use crate::engine::types::Reason;
use crate::engine::usage;

impl Place<'_> {
    /// The profile of the run, after clearing a pin that can't hold.
    pub(super) fn pin(
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

    pub(super) fn is_of(&self, world: &World, profile: &str, provider: &ProviderId) -> bool {
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
}

fn was_rate_limited(world: &World, id: &ProfileId) -> bool {
    let counts = world.auth.usage.get(id).and_then(|stats| stats.failure_counts.as_ref());
    counts.and_then(|counts| counts.known.get(&Reason::RateLimit)).is_some_and(|count| count.get() > 0.0)
}
