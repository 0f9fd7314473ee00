//! Repeats: by the HTTP client, the layer above it and the runner, and how many rotations a limit allows.

use super::candidate::Tries;
use super::{Answer, AnswerKind, Fault, Runner};
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, ProfileId};
use crate::engine::rules::CooldownKey;
use crate::engine::types::Reason;

impl Runner<'_> {
    /// Repeats by the runner (2026.9): the budget is the candidate's, whichever profile uses it up.
    pub(super) fn repeats_same_model(&mut self, tries: &mut Tries, fault: &Fault) -> bool {
        let same = self.scene.run.same_model;
        let rate_limit = match fault.reason {
            Some(Reason::RateLimit) => true,
            Some(Reason::Overloaded | Reason::ServerError | Reason::Timeout) => false,
            _ => return false,
        };
        if rate_limit && fault.long_limit {
            return false;
        }
        let asked = fault.retry_after.unwrap_or(Millis(0));
        if rate_limit && self.request.fallbacks_configured && asked > same.retry_after_cap {
            return false;
        }
        tries.rate_limited |= rate_limit;
        let budget = if rate_limit { same.rate_limit_retries } else { same.transient_retries };
        let budget = if tries.rate_limited { budget.min(same.rate_limit_retries) } else { budget };
        if tries.repeats >= budget {
            return false;
        }
        let now = self.world.now;
        let since = *tries.repeating_since.get_or_insert(now);
        // The jitter runs from half to one and a half of the wait; the mean is the wait itself.
        let doubled = same.base.0.saturating_mul(1 << tries.repeats.min(20)).min(same.max.0);
        let delay = Millis(doubled.max(asked.0));
        if !rate_limit && (delay.0 > same.transient_window.0 - (now - since).0) {
            return false;
        }
        self.wait(delay);
        tries.repeats += 1;
        true
    }

    /// Repeats after a per-minute limit (2026.7), while no profile was rotated for one.
    pub(super) fn repeats_short_limit(&mut self, tries: &mut Tries, fault: &Fault) -> bool {
        const STEP: i64 = 10_000;
        const LONGEST: i64 = 60_000;
        let Some(asked) = fault.short_limit else { return false };
        let limit = self.rotation_limit(Reason::RateLimit);
        if tries.short_repeats >= self.scene.run.short_limit_retries
            || limit.is_none_or(|limit| tries.rate_limit_rotations >= limit)
        {
            return false;
        }
        let step = (STEP * (i64::from(tries.short_repeats) + 1)).min(LONGEST);
        self.wait(Millis(step.max(asked.map_or(0, |asked| asked.0.min(LONGEST)))));
        tries.short_repeats += 1;
        true
    }

    fn rotation_limit(&self, reason: Reason) -> Option<u32> {
        use CooldownKey::{OverloadedProfileRotations, RateLimitedProfileRotations};
        let (built_in, key) = match reason {
            Reason::RateLimit => (self.scene.run.rate_limit_rotations, RateLimitedProfileRotations),
            Reason::Overloaded => (self.scene.run.overloaded_rotations, OverloadedProfileRotations),
            _ => return None,
        };
        let configured = self.configured(key).filter(|value| *value >= 0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
        built_in.map(|built_in| configured.map_or(built_in, |value| value as u32))
    }

    fn configured(&self, key: CooldownKey) -> Option<f64> {
        let read = self.scene.rules.cooldown.config_keys.contains(&key);
        self.scene.config.auth.cooldowns.get(key).filter(|_| read)
    }

    pub(super) fn overloaded_pause(&self) -> Millis {
        let configured = self.configured(CooldownKey::OverloadedBackoffMs);
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        configured.map_or(self.scene.run.overloaded_pause, |ms| Millis(ms.clamp(0.0, 1e9) as i64))
    }

    pub(super) fn at_rotation_limit(&self, tries: &Tries, reason: Reason) -> bool {
        if !self.request.fallbacks_configured {
            return false;
        }
        let used = match reason {
            Reason::RateLimit => tries.rate_limit_rotations,
            Reason::Overloaded => tries.overloaded_rotations,
            _ => return false,
        };
        self.rotation_limit(reason).is_some_and(|limit| used >= limit)
    }

    /// One request after another, as the HTTP client and the layer above it repeat them.
    pub(super) fn call(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>) -> Answer {
        let transport = self.scene.run.transport;
        let mut outer = 1;
        loop {
            let mut client = 1;
            let answer = loop {
                let answer = self.upstream.answer(candidate, profile, self.world.now);
                self.world.now = self.world.now + answer.takes;
                if let Some(attempt) = self.attempts.last_mut() {
                    attempt.requests += 1;
                }
                let AnswerKind::Fault(fault) = &answer.kind else { return answer };
                if answer.switch_to.is_some()
                    || client >= transport.client_attempts
                    || !self.client_repeats(fault)
                {
                    break answer;
                }
                let doubled = (transport.client_base.0 << (client - 1)).min(transport.client_max.0);
                // The client takes up to a quarter off its wait; the mean is an eighth.
                let own = Millis(doubled - doubled / 8);
                self.wait(fault.retry_after.filter(|asked| *asked <= Millis::from_secs(60)).unwrap_or(own));
                client += 1;
            };
            let AnswerKind::Fault(fault) = &answer.kind else { return answer };
            let again = fault.looks_transient && !fault.overflow && answer.switch_to.is_none();
            if outer >= transport.outer_attempts || !again {
                return answer;
            }
            self.wait(Millis(transport.outer_base.0 << (outer - 1)));
            outer += 1;
        }
    }

    fn client_repeats(&self, fault: &Fault) -> bool {
        let transport = self.scene.run.transport;
        let Some(status) = fault.status else { return false };
        if !(matches!(status, 408 | 409 | 429) || status >= 500) {
            return false;
        }
        let Some(max_wait) = self.scene.settings.max_wait.filter(|_| transport.honours_max_wait) else {
            return true;
        };
        match fault.retry_after {
            Some(asked) => asked <= max_wait,
            None => !(status == 429 && transport.client_skips_plain_429),
        }
    }
}
