//! The candidates of a turn in order: which are called, and which are passed over.

use super::candidate::CandidateEnd;
use super::{AnswerKind, Attempt, Event, RunEnd, Runner, Skip, SkipMark, SkipWhy, Then};
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, ProfileId, ProviderId};
use crate::engine::types::Reason;
use crate::engine::usage;

/// What to do with a candidate whose profiles are all in a window.
enum Gate {
    Call { probe: bool, transient: bool, reason: Option<Reason> },
    Skip(Option<Reason>, SkipWhy),
}

impl Runner<'_> {
    pub(super) fn chain(&mut self) -> (RunEnd, usize) {
        let candidates = self.request.candidates;
        let mut probed: Vec<&ProviderId> = Vec::new();
        let mut bad_certificates: Vec<&ProviderId> = Vec::new();
        let mut index = 0;
        while index < candidates.len() {
            let candidate = &candidates[index];
            if bad_certificates.contains(&&candidate.provider) {
                self.skip(index, Some(Reason::TlsCertificate), SkipWhy::Certificate);
                index += 1;
                continue;
            }
            if let Some(mark) = self.remembered(index) {
                self.skip(index, Some(mark.reason), SkipWhy::Remembered(mark.until));
                index += 1;
                continue;
            }
            let (probe, transient) = match self.gate(index, &probed) {
                Gate::Skip(reason, why) => {
                    self.skip(index, reason, why);
                    index += 1;
                    continue;
                }
                Gate::Call { probe, transient, reason } => {
                    if probe {
                        self.events.push(Event::Probed(index, reason));
                    }
                    (probe, transient)
                }
            };
            match self.candidate(index, probe) {
                CandidateEnd::Answered(profile) => {
                    self.events.push(Event::Succeeded(index));
                    return (RunEnd::Answered(index, profile), index + 1);
                }
                CandidateEnd::Aborted => return (RunEnd::Aborted, index + 1),
                CandidateEnd::Stopped => return (RunEnd::Stopped, index + 1),
                CandidateEnd::Surfaced => return (RunEnd::Failed, index + 1),
                CandidateEnd::Switched(target) => {
                    let later = candidates[index + 1..].iter().position(|candidate| *candidate == target);
                    self.switched = Some(target);
                    if let Some(offset) = later {
                        index += offset + 1;
                        continue;
                    }
                    self.events.push(Event::Failed(index, Some(Reason::Unknown), "live model switch".into()));
                }
                CandidateEnd::Skipped(reason, why) => {
                    // Decided inside of the candidate, so the releases record it as failed.
                    self.remember(index, reason);
                    self.events.push(Event::Failed(index, reason, String::new()));
                    self.skips.push(Skip { candidate: index, reason, why });
                }
                CandidateEnd::Failed(reason, detail) => {
                    let keeps =
                        reason.is_some_and(|reason| self.scene.run.probes.keeps_slot.contains(reason));
                    if transient && !keeps {
                        probed.push(&candidate.provider);
                    }
                    if reason == Some(Reason::TlsCertificate) {
                        bad_certificates.push(&candidate.provider);
                    }
                    self.remember(index, reason);
                    self.events.push(Event::Failed(index, reason, detail));
                }
            }
            index += 1;
        }
        if let Some(last) = self.attempts.last_mut()
            && last.then == Then::NextModel
            && self.skips.last().is_none_or(|skip| skip.candidate <= last.candidate)
        {
            last.then = Then::Fail;
        }
        (RunEnd::Failed, candidates.len())
    }

    pub(super) fn image_chain(&mut self) -> (RunEnd, usize) {
        let candidates = self.request.candidates;
        for (index, candidate) in candidates.iter().enumerate() {
            let profile = self.order(candidate, None).into_iter().next();
            if profile.is_none() && !self.callable_without_profile(candidate) {
                self.skip(index, Some(Reason::Auth), SkipWhy::NoCredential);
                continue;
            }
            let answer = self.upstream.answer(candidate, profile.as_ref(), self.world.now);
            self.world.now = self.world.now + answer.takes;
            let ok = answer.kind == AnswerKind::Ok;
            let aborted = answer.kind == AnswerKind::Abort;
            let last = index + 1 == candidates.len();
            let then = match (ok, aborted, last) {
                (true, _, _) => Then::Answer,
                (_, true, _) => Then::Stop,
                (_, _, true) => Then::Fail,
                _ => Then::NextModel,
            };
            self.attempts.push(Attempt {
                candidate: index,
                profile: profile.clone(),
                last: answer.kind,
                requests: 1,
                waited: Millis(0),
                then,
                window: None,
                widened: false,
                probe: false,
            });
            if ok {
                self.events.push(Event::Succeeded(index));
                return (RunEnd::Answered(index, profile), index + 1);
            }
            if aborted {
                return (RunEnd::Aborted, index + 1);
            }
            let attempt = &self.attempts[self.attempts.len() - 1];
            self.events.push(Event::Failed(index, attempt.reason(), detail(&attempt.last)));
        }
        (RunEnd::Failed, candidates.len())
    }

    pub(super) fn skip(&mut self, candidate: usize, reason: Option<Reason>, why: SkipWhy) {
        self.events.push(Event::Skipped(candidate, reason));
        self.skips.push(Skip { candidate, reason, why });
    }

    fn skip_key(&self, index: usize, profile: Option<&str>) -> String {
        let candidate = &self.request.candidates[index];
        let scope =
            profile.filter(|_| self.scene.run.skip_per_profile).map_or_else(String::new, |p| format!(" {p}"));
        format!("{} {candidate}{scope}", self.request.session)
    }

    /// The profile that a skip mark of this candidate belongs to: the user's, else the first.
    fn skip_scope(&mut self, index: usize) -> Option<String> {
        if !self.scene.run.skip_per_profile {
            return None;
        }
        let candidate = &self.request.candidates[index];
        let pin = self.request.pin.filter(|pin| pin.by_user && pin.provider == candidate.provider);
        if let Some(pin) = pin {
            return Some(pin.profile.as_str().to_string());
        }
        self.with_stale(|runner| runner.order(candidate, None).into_iter().next())
            .map(|id| id.as_str().to_string())
    }

    fn remembered(&mut self, index: usize) -> Option<SkipMark> {
        if index == 0 || self.scene.settings.skip_ttl.is_none() || !self.scene.run.skip_cache {
            return None;
        }
        let scope = self.skip_scope(index);
        let mark = *self.world.memory.skips.get(&self.skip_key(index, scope.as_deref()))?;
        (self.world.now < mark.until).then_some(mark)
    }

    fn remember(&mut self, index: usize, reason: Option<Reason>) {
        let Some(ttl) = self.scene.settings.skip_ttl.filter(|_| self.scene.run.skip_cache && index > 0)
        else {
            return;
        };
        let Some(reason @ (Reason::Auth | Reason::AuthPermanent)) = reason else { return };
        let failed = self.attempts.last().filter(|attempt| attempt.candidate == index);
        let scope = match failed.and_then(|attempt| attempt.profile.clone()) {
            Some(profile) => Some(profile.as_str().to_string()),
            None => self.skip_scope(index),
        };
        let now = self.world.now;
        let key = self.skip_key(index, scope.as_deref());
        self.world.memory.skips.retain(|_, mark| now < mark.until);
        self.world.memory.skips.insert(key, SkipMark { until: now + ttl, reason });
    }

    /// Whether the candidate's provider may be called at all, decided from the store as it was when
    /// the run began.
    fn gate(&mut self, index: usize, probed: &[&ProviderId]) -> Gate {
        let candidate = &self.request.candidates[index];
        let open = Gate::Call { probe: false, transient: false, reason: None };
        let now = self.world.now;
        let (profiles, all_cooling) = self.with_stale(|runner| {
            let rules = runner.scene.rules;
            let mut usage = runner.world.auth.usage.values();
            if usage.all(|stats| usage::unusable_until(rules, stats, now, None).is_none()) {
                return (Vec::new(), false);
            }
            let mut profiles = runner.order(candidate, None);
            if !runner.scene.run.pins.user_profile_locks
                && let Some(pin) =
                    runner.request.pin.filter(|pin| pin.by_user && pin.provider == candidate.provider)
                && !profiles.contains(&pin.profile)
                && runner.eligible(candidate, &pin.profile)
            {
                profiles.insert(0, pin.profile.clone());
            }
            let all = !profiles.is_empty() && profiles.iter().all(|id| runner.cooling(id, candidate));
            (profiles, all)
        });
        if !all_cooling {
            return open;
        }
        self.with_stale(|runner| runner.cooldown_gate(index, &profiles, probed))
    }

    fn cooldown_gate(&mut self, index: usize, profiles: &[ProfileId], probed: &[&ProviderId]) -> Gate {
        let candidate = &self.request.candidates[index];
        let probes = &self.scene.run.probes;
        let now = self.world.now;
        let first = index == 0;
        let has_fallbacks = self.request.candidates.len() > 1;
        let reason = self.unavailable_reason(profiles).unwrap_or(Reason::Unknown);
        let soonest = self.soonest(profiles, candidate);
        let throttle_key = format!("{} {}", self.request.agent, candidate.provider);
        let throttle_open = self
            .world
            .memory
            .cooldown_probes
            .get(&throttle_key)
            .is_none_or(|last| (now - *last).0 >= probes.throttle.0);
        let near = soonest.is_none_or(|soonest| now.0 >= soonest.0 - probes.margin.0);
        let at_once = probes.rate_limit_at_once
            && reason == Reason::RateLimit
            && !profiles.iter().any(|id| self.known_reset(id, candidate));
        let due =
            first && throttle_open && if has_fallbacks { at_once || near } else { probes.without_fallbacks };
        if matches!(reason, Reason::Auth | Reason::AuthPermanent) {
            return Gate::Skip(Some(reason), SkipWhy::Auth(soonest));
        }
        if reason == Reason::Billing {
            let alone = first && !has_fallbacks && throttle_open;
            if !(due || alone) {
                return Gate::Skip(Some(reason), SkipWhy::Cooldown(soonest));
            }
            self.world.memory.cooldown_probes.insert(throttle_key, now);
            return Gate::Call { probe: true, transient: false, reason: Some(reason) };
        }
        let transient = probes.transient.contains(reason);
        if !(due || (!first && transient)) {
            return Gate::Skip(Some(reason), SkipWhy::Cooldown(soonest));
        }
        if due {
            self.world.memory.cooldown_probes.insert(throttle_key, now);
        }
        if !transient {
            // A probe under such a reason is announced, but no profile in a window may be called.
            return Gate::Call { probe: false, transient: false, reason: Some(reason) };
        }
        if probed.contains(&&candidate.provider) {
            return Gate::Skip(Some(reason), SkipWhy::Probed);
        }
        Gate::Call { probe: true, transient: true, reason: Some(reason) }
    }

    /// Whether a subscription limit with a known reset holds for the candidate.
    fn known_reset(&self, profile: &ProfileId, candidate: &ModelRef) -> bool {
        let Some(stats) = self.world.auth.usage.get(profile) else { return false };
        let active = stats.blocked_until.is_some_and(|until| until.millis() > self.world.now);
        active
            && stats.blocked_reason.as_deref() == Some("subscription_limit")
            && stats.blocked_source.is_some()
            && stats.blocked_model.as_deref().is_none_or(|model| model == candidate.model.as_str())
    }
}

/// The text of an answer, for records.
fn detail(kind: &AnswerKind) -> String {
    match kind {
        AnswerKind::Fault(fault) => fault.text.clone(),
        AnswerKind::Empty => "answer without content".to_string(),
        AnswerKind::Ok | AnswerKind::Abort => String::new(),
    }
}
