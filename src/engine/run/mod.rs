//! One run: the candidates of a turn in order, the profiles of each, repeats, rotation, probes and
//! stops. `world` changes as a store, a clock and a gateway's memory would; the providers' answers
//! come from the caller.

mod fault;

use std::sync::Arc;

use indexmap::IndexMap;

pub use fault::{Fault, RawError};

use super::ids::{ModelRef, ProfileId, ProviderId};
use super::order::{self, OrderQuery};
use super::rules::{RuleSet, RunRules};
use super::state::{AuthState, Num, UsageStats};
use super::types::Reason;
use super::usage::{self, CooldownSettings, Failure, Window};
use super::view::EngineConfig;
use crate::base::time::Millis;

/// What a gateway keeps in memory; a restart forgets it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// When a cooling provider was last probed (ms since 1970), by `agent provider`.
    pub cooldown_probes: IndexMap<String, Millis>,
    /// When an override's origin was last tried (ms since 1970), by `session provider/model`.
    pub origin_probes: IndexMap<String, Millis>,
    /// Candidates passed over, by `session provider/model [profile]`.
    pub skips: IndexMap<String, SkipMark>,
}

/// A candidate passed over after an auth failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkipMark {
    /// Until then (ms since 1970).
    pub until: Millis,
    /// Why.
    pub reason: Reason,
}

/// Everything that a run changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The store.
    pub auth: AuthState,
    /// The gateway's memory.
    pub memory: Memory,
    /// The clock (ms since 1970).
    pub now: Millis,
    /// The failures that set the windows of this replay, by profile.
    pub set_by: IndexMap<ProfileId, SetBy>,
}

/// The failure that set a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetBy {
    /// The window's end (ms since 1970).
    pub until: Millis,
    /// When it failed (ms since 1970).
    pub at: Millis,
    /// Why; 2026.3 doesn't store it.
    pub reason: Reason,
}

/// Settings from the environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `OPENCLAW_FALLBACK_SKIP_TTL_MS`, clamped (ms); none: off.
    pub skip_ttl: Option<Millis>,
    /// `OPENCLAW_SDK_RETRY_MAX_WAIT_SECONDS` (ms); none: no limit.
    pub max_wait: Option<Millis>,
    /// Providers with a key in an environment variable.
    pub env_keys: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { skip_ttl: None, max_wait: Some(Millis::from_secs(60)), env_keys: Vec::new() }
    }
}

impl Settings {
    /// Reads OpenClaw's environment variables.
    #[must_use]
    pub fn from_env<'e>(get: impl Fn(&str) -> Option<&'e str>) -> Self {
        let text = |name: &str| get(name).map(str::trim).filter(|text| !text.is_empty());
        let digits = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..end].parse::<i64>().ok()
        };
        let skip_ttl = text("OPENCLAW_FALLBACK_SKIP_TTL_MS")
            .and_then(digits)
            .filter(|ttl| *ttl > 0)
            .map(|ttl| Millis(ttl.clamp(1_000, 600_000)));
        let max_wait = match text("OPENCLAW_SDK_RETRY_MAX_WAIT_SECONDS") {
            Some(off)
                if ["0", "false", "off", "none", "disabled"].contains(&off.to_ascii_lowercase().as_str()) =>
            {
                None
            }
            Some(seconds) => {
                let seconds = seconds.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
                #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
                Some(Millis((seconds.unwrap_or(60.0) * 1_000.0) as i64))
            }
            None => Some(Millis::from_secs(60)),
        };
        Self { skip_ttl, max_wait, env_keys: Vec::new() }
    }
}

/// The profile that a session or a send binds the run to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The profile.
    pub profile: ProfileId,
    /// The user chose it.
    pub by_user: bool,
    /// It holds for candidates of this provider.
    pub provider: ProviderId,
}

/// What a run is asked for.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The agent, for the probe throttle.
    pub agent: &'a str,
    /// The session, for skip marks.
    pub session: &'a str,
    /// The chain, the requested model first.
    pub candidates: &'a [ModelRef],
    /// The profile that the run is bound to.
    pub pin: Option<&'a Pin>,
    /// Whether the release thinks that there are fallbacks.
    pub fallbacks_configured: bool,
    /// A run of the image model: no cooldown is looked at, any error goes on.
    pub image: bool,
}

/// A provider's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What kind.
    pub kind: AnswerKind,
    /// How long it took (ms).
    pub takes: Millis,
    /// The user switches to this model during the call.
    pub switch_to: Option<ModelRef>,
    /// When the subscription window that the error speaks of resets (ms since 1970).
    pub resets_at: Option<Millis>,
}

/// What kind of answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerKind {
    /// A proper one.
    Ok,
    /// One without content.
    Empty,
    /// None: the user aborted.
    Abort,
    /// An error, or none in time.
    Fault(Arc<Fault>),
}

/// Whoever answers in place of the providers.
pub trait Upstream {
    /// Answers one request. `now` is when it was sent (ms since 1970).
    fn answer(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>, now: Millis) -> Answer;
}

/// What the runner did after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Handed the answer on.
    Answer,
    /// Took the next profile.
    RotateProfile,
    /// Took the next model.
    NextModel,
    /// Went to the model that the user switched to.
    SwitchModel,
    /// Ended the run with the error as it is.
    Stop,
    /// Ended the run: nothing was left.
    Fail,
}

impl Then {
    /// As JSON spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::RotateProfile => "rotate_profile",
            Self::NextModel => "next_model",
            Self::SwitchModel => "switch_model",
            Self::Stop => "stop",
            Self::Fail => "fail",
        }
    }
}

/// Calls of one profile and model in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Index in the chain.
    pub candidate: usize,
    /// The profile; none: the run has none.
    pub profile: Option<ProfileId>,
    /// The last answer.
    pub last: AnswerKind,
    /// How many requests the provider got.
    pub requests: u32,
    /// How long the runner waited between and after them (ms).
    pub waited: Millis,
    /// What came next.
    pub then: Then,
    /// The window that the failure set.
    pub window: Option<Window>,
    /// The failure widened a window that held for another model to every model (report 141257).
    pub widened: bool,
    /// The call was a probe of a cooling profile.
    pub probe: bool,
}

impl Attempt {
    /// Why it failed.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match &self.last {
            AnswerKind::Fault(fault) if fault.overflow => Some(Reason::ContextOverflow),
            AnswerKind::Fault(fault) => fault.reason,
            AnswerKind::Empty => Some(Reason::EmptyResponse),
            AnswerKind::Ok | AnswerKind::Abort => None,
        }
    }
}

/// Why a candidate wasn't called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipWhy {
    /// Its provider's credentials were refused; until then (ms since 1970).
    Auth(Option<Millis>),
    /// Every profile is in a window; the soonest end (ms since 1970).
    Cooldown(Option<Millis>),
    /// The provider was probed in this run already.
    Probed,
    /// It failed with auth in this session; passed over until then (ms since 1970).
    Remembered(Millis),
    /// There is no usable credential.
    NoCredential,
    /// The user's profile can't be used for it.
    PinUnusable(ProfileId),
    /// Its provider's certificate was refused in this run.
    Certificate,
}

/// A candidate that wasn't called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Index in the chain.
    pub candidate: usize,
    /// The failover reason.
    pub reason: Option<Reason>,
    /// Why.
    pub why: SkipWhy,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// This candidate answered, through this profile.
    Answered(usize, Option<ProfileId>),
    /// Nothing was left.
    Failed,
    /// An error at which the release stops.
    Stopped,
    /// The user aborted.
    Aborted,
}

/// What happened, in order, for decision records.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A candidate failed, with its reason and text.
    Failed(usize, Option<Reason>, String),
    /// A candidate was passed over.
    Skipped(usize, Option<Reason>),
    /// A cooling candidate is called all the same.
    Probed(usize, Option<Reason>),
    /// A candidate answered.
    Succeeded(usize),
}

/// A run, told.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What was called.
    pub attempts: Vec<Attempt>,
    /// What wasn't.
    pub skips: Vec<Skip>,
    /// The first candidate that was neither called nor skipped.
    pub reached: usize,
    /// How it ended.
    pub end: RunEnd,
    /// For decision records.
    pub events: Vec<Event>,
    /// The user switched to this model.
    pub switched: Option<ModelRef>,
}

/// The rules, config and settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The release.
    pub rules: &'a RuleSet,
    /// How its runs behave.
    pub run: &'a RunRules,
    /// The config.
    pub config: &'a EngineConfig,
    /// Settings from the environment.
    pub settings: &'a Settings,
}

impl Scene<'_> {
    /// Whether the provider can be called without a profile: it has a key in the config or the
    /// environment, or it is a server of one's own, which all releases call without any.
    #[must_use]
    pub fn has_inline_key(&self, provider: &str) -> bool {
        let same = |id: &str| *self.rules.providers.normalize(id) == *provider;
        self.config.providers.iter().any(|(id, entry)| {
            same(id) && (entry.has_api_key || entry.auth.as_deref() == Some("aws-sdk") || is_local(entry))
        }) || self.settings.env_keys.iter().any(|id| same(id))
    }
}

/// A provider of the config whose base URL points at this machine or its network.
fn is_local(provider: &super::view::ConfiguredProvider) -> bool {
    if provider.auth.as_deref().is_some_and(|auth| auth != "api-key") {
        return false;
    }
    let Some(url) = provider.base_url.as_deref() else { return false };
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let host = host.to_ascii_lowercase();
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Ok(std::net::IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".local") || host.ends_with(".localhost"),
    }
}

/// Runs one turn.
pub fn run(scene: Scene<'_>, world: &mut World, request: RunRequest<'_>, upstream: &mut dyn Upstream) -> Run {
    let mut runner = Runner {
        scene,
        world,
        request,
        upstream,
        stale: Vec::new(),
        attempts: Vec::new(),
        skips: Vec::new(),
        events: Vec::new(),
        switched: None,
        cooldowns: Vec::new(),
    };
    let (end, reached) = if request.image { runner.image_chain() } else { runner.chain() };
    Run {
        attempts: runner.attempts,
        skips: runner.skips,
        reached,
        end,
        events: runner.events,
        switched: runner.switched,
    }
}

/// How a candidate ended.
enum CandidateEnd {
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

/// What to do with a candidate whose profiles are all in a window.
enum Gate {
    Call { probe: bool, transient: bool, reason: Option<Reason> },
    Skip(Option<Reason>, SkipWhy),
}

struct Runner<'a> {
    scene: Scene<'a>,
    world: &'a mut World,
    request: RunRequest<'a>,
    upstream: &'a mut dyn Upstream,
    /// What changed since the run began, as it was then: releases decide about whole candidates from
    /// the store that they read at the start.
    stale: Vec<(ProfileId, UsageStats)>,
    attempts: Vec<Attempt>,
    skips: Vec<Skip>,
    events: Vec<Event>,
    switched: Option<ModelRef>,
    cooldowns: Vec<(String, CooldownSettings)>,
}

impl Runner<'_> {
    fn chain(&mut self) -> (RunEnd, usize) {
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

    fn image_chain(&mut self) -> (RunEnd, usize) {
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

    fn skip(&mut self, candidate: usize, reason: Option<Reason>, why: SkipWhy) {
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

    /// Runs `look` on the store as it was when the run began.
    fn with_stale<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
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

    fn order(&self, candidate: &ModelRef, preferred: Option<&str>) -> Vec<ProfileId> {
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

    fn cooling(&self, profile: &ProfileId, candidate: &ModelRef) -> bool {
        usage::is_in_cooldown(
            self.scene.rules,
            &self.world.auth,
            profile.as_str(),
            self.world.now,
            Some(candidate.model.as_str()),
        )
    }

    fn unavailable_reason(&self, profiles: &[ProfileId]) -> Option<Reason> {
        let ids = profiles.iter().map(ProfileId::as_str);
        usage::unavailable_reason(self.scene.rules, &self.world.auth, ids, self.world.now)
    }

    fn soonest(&self, profiles: &[ProfileId], candidate: &ModelRef) -> Option<Millis> {
        let ids = profiles.iter().map(ProfileId::as_str);
        let model = Some(candidate.model.as_str());
        usage::soonest(self.scene.rules, &self.world.auth, ids, self.world.now, model)
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

    fn eligible(&self, candidate: &ModelRef, profile: &ProfileId) -> bool {
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

    fn callable_without_profile(&self, candidate: &ModelRef) -> bool {
        self.world.auth.profiles.is_empty() || self.scene.has_inline_key(candidate.provider.as_str())
    }

    /// The profiles to try, and whether the run is locked to the only one.
    fn profiles(&self, candidate: &ModelRef) -> Result<(Vec<Option<ProfileId>>, bool), SkipWhy> {
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

    fn candidate(&mut self, index: usize, probe: bool) -> CandidateEnd {
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

    fn wait(&mut self, length: Millis) {
        self.world.now = self.world.now + length;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.waited = attempt.waited + length;
        }
    }

    /// One call with everything that repeats it below the runner, and what the runner makes of it;
    /// none: go on with the next call of this candidate.
    fn step(&mut self, tries: &mut Tries) -> Option<CandidateEnd> {
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

    /// Repeats by the runner (2026.9): the budget is the candidate's, whichever profile uses it up.
    fn repeats_same_model(&mut self, tries: &mut Tries, fault: &Fault) -> bool {
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
    fn repeats_short_limit(&mut self, tries: &mut Tries, fault: &Fault) -> bool {
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
        use super::rules::CooldownKey::{OverloadedProfileRotations, RateLimitedProfileRotations};
        let (built_in, key) = match reason {
            Reason::RateLimit => (self.scene.run.rate_limit_rotations, RateLimitedProfileRotations),
            Reason::Overloaded => (self.scene.run.overloaded_rotations, OverloadedProfileRotations),
            _ => return None,
        };
        let configured = self.configured(key).filter(|value| *value >= 0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
        built_in.map(|built_in| configured.map_or(built_in, |value| value as u32))
    }

    fn configured(&self, key: super::rules::CooldownKey) -> Option<f64> {
        let read = self.scene.rules.cooldown.config_keys.contains(&key);
        self.scene.config.auth.cooldowns.get(key).filter(|_| read)
    }

    fn overloaded_pause(&self) -> Millis {
        let configured = self.configured(super::rules::CooldownKey::OverloadedBackoffMs);
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        configured.map_or(self.scene.run.overloaded_pause, |ms| Millis(ms.clamp(0.0, 1e9) as i64))
    }

    fn at_rotation_limit(&self, tries: &Tries, reason: Reason) -> bool {
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
    fn call(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>) -> Answer {
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

    /// Keeps a profile's usage as it was when the run began, before it changes.
    fn before_change(&mut self, profile: &ProfileId) {
        if self.request.candidates.len() > 1 && self.stale.iter().all(|(known, _)| known != profile) {
            let stats = self.world.auth.usage.get(profile).cloned().unwrap_or_default();
            self.stale.push((profile.clone(), stats));
        }
    }

    fn mark_failure(
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
        let blocks = rules.cooldown.blocked != super::rules::BlockedUse::Ignored;
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

    fn mark_success(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>) {
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

/// Counters of one candidate.
#[derive(Default)]
struct Tries {
    index: usize,
    profiles: Vec<Option<ProfileId>>,
    locked: bool,
    at: usize,
    repeats: u32,
    repeating_since: Option<Millis>,
    rate_limited: bool,
    short_repeats: u32,
    vague: u32,
    empty: u32,
    idle_repeats: u32,
    overflows: u32,
    rate_limit_rotations: u32,
    overloaded_rotations: u32,
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

/// The text of an answer, for records.
fn detail(kind: &AnswerKind) -> String {
    match kind {
        AnswerKind::Fault(fault) => fault.text.clone(),
        AnswerKind::Empty => "answer without content".to_string(),
        AnswerKind::Ok | AnswerKind::Abort => String::new(),
    }
}
