//! One candidate: its profiles, and what follows from each answer.

use std::sync::Arc;

use super::{AnswerKind, Attempt, Fault, Runner, SkipWhy, Then};
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, ProfileId};
use crate::engine::order::{self, OrderQuery};
use crate::engine::types::Reason;
use crate::engine::usage;

/// How a candidate ended.
pub(super) enum CandidateEnd {
    Answered(Option<ProfileId>),
    /// On to the next candidate.
    Failed(Option<Reason>, String),
    /// Wasn't called: on to the next candidate.
    Skipped(Option<Reason>, SkipWhy),
    /// The error is returned as it is.
    Stopped,
    /// As [`Self::Stopped`], and nothing was left anyway.
    Surfaced,
    Aborted,
    Switched(ModelRef),
}

impl Runner<'_> {
    pub(super) fn order(&self, candidate: &ModelRef, preferred: Option<&str>) -> Vec<ProfileId> {
        let query = OrderQuery {
            provider: candidate.provider.as_str(),
            now: self.world.now,
            preferred,
            model: Some(candidate.model.as_str()),
        };
        order::ids(self.scene.rules, self.scene.config, &self.world.auth, query)
            .into_iter()
            .cloned()
            .collect()
    }

    pub(super) fn cooling(&self, profile: &ProfileId, candidate: &ModelRef) -> bool {
        usage::is_in_cooldown(
            self.scene.rules,
            &self.world.auth,
            profile.as_str(),
            self.world.now,
            Some(candidate.model.as_str()),
        )
    }

    pub(super) fn unavailable_reason(&self, profiles: &[ProfileId]) -> Option<Reason> {
        let ids = profiles.iter().map(ProfileId::as_str);
        usage::unavailable_reason(self.scene.rules, &self.world.auth, ids, self.world.now)
    }

    pub(super) fn soonest(&self, profiles: &[ProfileId], candidate: &ModelRef) -> Option<Millis> {
        let ids = profiles.iter().map(ProfileId::as_str);
        let model = Some(candidate.model.as_str());
        usage::soonest(self.scene.rules, &self.world.auth, ids, self.world.now, model)
    }

    pub(super) fn eligible(&self, candidate: &ModelRef, profile: &ProfileId) -> bool {
        let scene = &self.scene;
        let provider = candidate.provider.as_str();
        order::eligibility(
            scene.rules,
            scene.config,
            &self.world.auth,
            provider,
            profile.as_str(),
            self.world.now,
        )
        .eligible
    }

    pub(super) fn callable_without_profile(&self, candidate: &ModelRef) -> bool {
        self.world.auth.profiles.is_empty() || self.scene.has_inline_key(candidate.provider.as_str())
    }

    /// The profiles to try, and whether the run is locked to the only one.
    pub(super) fn profiles(&self, candidate: &ModelRef) -> Result<(Vec<Option<ProfileId>>, bool), SkipWhy> {
        let pin = self.request.pin.filter(|pin| pin.provider == candidate.provider);
        let locks = self.scene.run.pins.user_profile_locks;
        if let Some(pin) =
            pin.filter(|pin| pin.by_user && locks && self.world.auth.profiles.contains_key(&pin.profile))
        {
            if !self.eligible(candidate, &pin.profile) {
                return Err(SkipWhy::PinUnusable(pin.profile.clone()));
            }
            return Ok((vec![Some(pin.profile.clone())], true));
        }
        let mut order = self.order(candidate, pin.map(|pin| pin.profile.as_str()));
        if let Some(pin) = pin.filter(|pin| pin.by_user && !locks)
            && !order.contains(&pin.profile)
            && self.eligible(candidate, &pin.profile)
        {
            order.insert(0, pin.profile.clone());
        }
        if order.is_empty() {
            let inline = usage::inline_key_id(self.scene.rules, candidate.provider.as_str());
            let stats = self.world.auth.usage.get(&inline).filter(|_| self.scene.run.marks_inline_keys);
            let held =
                stats.and_then(|stats| usage::unusable_until(self.scene.rules, stats, self.world.now, None));
            return if let Some(until) = held {
                Err(SkipWhy::Cooldown(Some(until)))
            } else if self.callable_without_profile(candidate) {
                Ok((vec![None], false))
            } else {
                Err(SkipWhy::NoCredential)
            };
        }
        Ok((order.into_iter().map(Some).collect(), false))
    }

    /// The first profile at or after `from` that isn't in a window; `may_probe` decides about those.
    fn usable_from(
        &self,
        candidate: &ModelRef,
        profiles: &[Option<ProfileId>],
        from: usize,
        may_probe: impl Fn(&ProfileId) -> bool,
    ) -> Option<(usize, bool)> {
        (from..profiles.len()).find_map(|index| match &profiles[index] {
            None => Some((index, false)),
            Some(id) if !self.cooling(id, candidate) => Some((index, false)),
            Some(id) => may_probe(id).then_some((index, true)),
        })
    }

    pub(super) fn candidate(&mut self, index: usize, probe: bool) -> CandidateEnd {
        let candidate = &self.request.candidates[index];
        let (profiles, locked) = match self.profiles(candidate) {
            Ok(found) => found,
            Err(why) => return CandidateEnd::Skipped(Some(Reason::Auth), why),
        };
        let start = if locked { Some((0, false)) } else { self.first_profile(candidate, &profiles, probe) };
        let Some((at, probing)) = start else {
            let ids: Vec<ProfileId> = profiles.into_iter().flatten().collect();
            let soonest = self.soonest(&ids, candidate);
            return CandidateEnd::Skipped(self.unavailable_reason(&ids), SkipWhy::Cooldown(soonest));
        };
        let mut tries = Tries { index, profiles, locked, at, ..Tries::default() };
        self.begin(&tries, probing);
        loop {
            if let Some(end) = self.step(&mut tries) {
                return end;
            }
        }
    }

    fn first_profile(
        &self,
        candidate: &ModelRef,
        profiles: &[Option<ProfileId>],
        probe: bool,
    ) -> Option<(usize, bool)> {
        let found = self.usable_from(candidate, profiles, 0, |_| false);
        if found.is_some() || !probe {
            return found;
        }
        let probes = &self.scene.run.probes;
        let ids: Vec<ProfileId> = profiles.iter().flatten().cloned().collect();
        let reason = self.unavailable_reason(&ids).unwrap_or(Reason::Unknown);
        if !probes.allowed.contains(reason) {
            return None;
        }
        self.usable_from(candidate, profiles, 0, |id| {
            let own = self.unavailable_reason(std::slice::from_ref(id)).unwrap_or(Reason::Unknown);
            !probes.per_profile || probes.transient.contains(own)
        })
    }

    fn begin(&mut self, tries: &Tries, probe: bool) {
        self.attempts.push(Attempt {
            candidate: tries.index,
            profile: tries.profiles[tries.at].clone(),
            last: AnswerKind::Ok,
            requests: 0,
            waited: Millis(0),
            then: Then::Answer,
            window: None,
            widened: false,
            probe,
        });
    }

    fn close(&mut self, then: Then) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.then = then;
        }
    }

    pub(super) fn wait(&mut self, length: Millis) {
        self.world.now = self.world.now + length;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.waited = attempt.waited + length;
        }
    }

    /// One call with everything that repeats it below the runner, and what the runner makes of it;
    /// none: go on with the next call of this candidate.
    pub(super) fn step(&mut self, tries: &mut Tries) -> Option<CandidateEnd> {
        let candidate = &self.request.candidates[tries.index];
        let profile = tries.profiles[tries.at].clone();
        let answer = self.call(candidate, profile.as_ref());
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.last = answer.kind.clone();
        }
        if let (Some(target), false) = (&answer.switch_to, answer.kind == AnswerKind::Ok) {
            self.close(Then::SwitchModel);
            return Some(CandidateEnd::Switched(target.clone()));
        }
        self.switched = answer.switch_to.or(self.switched.take());
        let fault = match answer.kind {
            AnswerKind::Ok => {
                self.close(Then::Answer);
                self.mark_success(candidate, profile.as_ref());
                return Some(CandidateEnd::Answered(profile));
            }
            AnswerKind::Abort => {
                self.close(Then::Stop);
                return Some(CandidateEnd::Aborted);
            }
            AnswerKind::Empty => return self.after_empty(tries, profile),
            AnswerKind::Fault(fault) => fault,
        };
        if fault.refusal.is_some() {
            self.close(Then::Stop);
            return Some(CandidateEnd::Stopped);
        }
        if self.overflows(&fault) && !(self.scene.run.ceiling_is_no_overflow && fault.ceiling) {
            return self.after_overflow(tries, profile, &fault);
        }
        self.after_fault(tries, profile, &fault, answer.resets_at)
    }

    /// Whether the runner takes the failure for a conversation that is too long.
    fn overflows(&self, fault: &Fault) -> bool {
        fault.overflow || (!self.scene.run.overflow.bare_compacts && self.is_bare_overflow(fault))
    }

    /// Whether an answer without a body stands for such a failure.
    fn is_bare_overflow(&self, fault: &Fault) -> bool {
        let statuses = self.scene.run.overflow.bare_statuses;
        fault.bare && fault.status.is_some_and(|status| statuses.contains(&status))
    }

    fn after_empty(&mut self, tries: &mut Tries, profile: Option<ProfileId>) -> Option<CandidateEnd> {
        let candidate = &self.request.candidates[tries.index];
        tries.empty += 1;
        if self.scene.run.empty_requests == 0 {
            self.close(Then::Answer);
            self.mark_success(candidate, profile.as_ref());
            return Some(CandidateEnd::Answered(profile));
        }
        if tries.empty < self.scene.run.empty_requests {
            return None;
        }
        self.close(Then::NextModel);
        Some(CandidateEnd::Failed(Some(Reason::EmptyResponse), "answer without content".into()))
    }

    fn after_overflow(
        &mut self,
        tries: &mut Tries,
        profile: Option<ProfileId>,
        fault: &Fault,
    ) -> Option<CandidateEnd> {
        let candidate = &self.request.candidates[tries.index];
        let overflow = self.scene.run.overflow;
        tries.overflows += 1;
        while tries.overflows < overflow.requests {
            // A compaction asks the same model; then the message is tried again.
            let compaction = self.call(candidate, profile.as_ref());
            let overflowed = match compaction.kind {
                AnswerKind::Abort => {
                    self.close(Then::Stop);
                    return Some(CandidateEnd::Aborted);
                }
                AnswerKind::Fault(fault) => self.overflows(&fault),
                AnswerKind::Ok | AnswerKind::Empty => false,
            };
            tries.overflows += u32::from(overflowed);
            if !(overflowed && overflow.repeats_compaction) && tries.overflows < overflow.requests {
                return None;
            }
        }
        if overflow.clears_windows {
            self.mark_success(candidate, profile.as_ref());
        }
        if overflow.next_model {
            self.close(Then::NextModel);
            return Some(CandidateEnd::Failed(Some(Reason::ContextOverflow), fault.text.clone()));
        }
        self.close(Then::Stop);
        Some(CandidateEnd::Stopped)
    }

    fn after_fault(
        &mut self,
        tries: &mut Tries,
        profile: Option<ProfileId>,
        fault: &Arc<Fault>,
        resets_at: Option<Millis>,
    ) -> Option<CandidateEnd> {
        let run = self.scene.run;
        let candidate = &self.request.candidates[tries.index];
        if resets_at.is_none() && self.repeats_same_model(tries, fault) {
            return None;
        }
        let vague = matches!(
            fault.reason,
            None | Some(Reason::NoErrorDetails | Reason::Unclassified | Reason::Unknown)
        ) && !fault.timed_out;
        if vague && tries.vague + 1 < run.unclassified_requests {
            tries.vague += 1;
            if run.overflow.bare_compacts
                && self.is_bare_overflow(fault)
                && self.call(candidate, profile.as_ref()).kind == AnswerKind::Abort
            {
                self.close(Then::Stop);
                return Some(CandidateEnd::Aborted);
            }
            return None;
        }
        let Some(reason) = fault.reason else {
            if run.unclassified_falls_back && self.request.fallbacks_configured {
                self.close(Then::NextModel);
                return Some(CandidateEnd::Failed(Some(Reason::Unknown), fault.text.clone()));
            }
            if run.unclassified_clears_windows {
                self.mark_success(candidate, profile.as_ref());
            }
            self.close(Then::Stop);
            return Some(CandidateEnd::Stopped);
        };
        if run.format_skips_profiles && reason == Reason::Format && !fault.repairable_format {
            self.close(Then::NextModel);
            return Some(CandidateEnd::Failed(Some(reason), fault.text.clone()));
        }
        if reason == Reason::TlsCertificate {
            self.close(Then::NextModel);
            return Some(CandidateEnd::Failed(Some(reason), fault.text.clone()));
        }
        if reason == Reason::RateLimit && self.repeats_short_limit(tries, fault) {
            return None;
        }
        let at_limit = self.at_rotation_limit(tries, reason);
        if !at_limit || reason != Reason::RateLimit || run.limit_marks_rate_limit {
            self.mark_failure(candidate, profile.as_ref(), reason, resets_at);
        }
        if !at_limit
            && !tries.locked
            && let Some((next, _)) = self.usable_from(candidate, &tries.profiles, tries.at + 1, |_| false)
        {
            self.close(Then::RotateProfile);
            if reason == Reason::Overloaded {
                self.wait(self.overloaded_pause());
            }
            tries.at = next;
            tries.rotated(reason);
            self.begin(tries, false);
            return None;
        }
        let alone = !self.request.fallbacks_configured;
        if fault.timed_out && alone && tries.idle_repeats < run.idle_retries {
            tries.idle_repeats += 1;
            return None;
        }
        if reason == Reason::Overloaded && !alone && !at_limit {
            self.wait(self.overloaded_pause());
        }
        if alone && run.last_error_clears_windows {
            self.mark_success(candidate, profile.as_ref());
            self.close(Then::Fail);
            return Some(CandidateEnd::Surfaced);
        }
        self.close(Then::NextModel);
        Some(CandidateEnd::Failed(Some(reason), fault.text.clone()))
    }
}

/// Counters of one candidate.
#[derive(Default)]
pub(super) struct Tries {
    pub(super) index: usize,
    pub(super) profiles: Vec<Option<ProfileId>>,
    pub(super) locked: bool,
    pub(super) at: usize,
    pub(super) repeats: u32,
    pub(super) repeating_since: Option<Millis>,
    pub(super) rate_limited: bool,
    pub(super) short_repeats: u32,
    pub(super) vague: u32,
    pub(super) empty: u32,
    pub(super) idle_repeats: u32,
    pub(super) overflows: u32,
    pub(super) rate_limit_rotations: u32,
    pub(super) overloaded_rotations: u32,
}

impl Tries {
    fn rotated(&mut self, reason: Reason) {
        self.short_repeats = 0;
        match reason {
            Reason::RateLimit => self.rate_limit_rotations += 1,
            Reason::Overloaded => self.overloaded_rotations += 1,
            _ => {}
        }
    }
}
