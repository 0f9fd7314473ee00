//! How a run behaves, release by release: repeats, rotation, probes, stops. Data only; the one
//! implementation is in `engine::run`. Checked against runs of the real releases.

use crate::base::time::Millis;

use super::super::types::{Family, Reason};
use super::ReasonSet;
use super::constants::Slot;

/// Requests that the HTTP client and the layer above it make before the runner hears of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    /// Requests of the client for a status that it repeats (408, 409, 429, 5xx).
    pub client_attempts: u32,
    /// The client doesn't repeat a 429 that has no `retry-after` (2026.7).
    pub client_skips_plain_429: bool,
    /// How often the layer above starts the client anew for an error that looks transient.
    pub outer_attempts: u32,
    /// First wait of the client, ms; doubles.
    pub client_base: Millis,
    /// Longest wait of the client, ms.
    pub client_max: Millis,
    /// First wait of the layer above, ms; doubles.
    pub outer_base: Millis,
    /// A `retry-after` longer than `OPENCLAW_SDK_RETRY_MAX_WAIT_SECONDS` is handed back at once.
    pub honours_max_wait: bool,
}

/// Repeats of the same model by the runner itself (2026.9); without retries there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SameModel {
    /// Repeats after a rate limit.
    pub rate_limit_retries: u32,
    /// Repeats after another transient error.
    pub transient_retries: u32,
    /// No such repeat starts later than this after the first, ms.
    pub transient_window: Millis,
    /// First wait, ms; doubles.
    pub base: Millis,
    /// Longest wait unless the provider asks for more, ms.
    pub max: Millis,
    /// With fallbacks, a rate limit that asks for more than this goes to the next profile, ms.
    pub retry_after_cap: Millis,
}

/// What a context overflow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    /// Requests in all, with those of the compactions in between.
    pub requests: u32,
    /// A compaction that overflows too is repeated before the message is (2026.5).
    pub repeats_compaction: bool,
    /// The next model is tried (2026.5); otherwise the run ends.
    pub next_model: bool,
    /// The run ends as if it had been answered, which clears the profile's windows (2026.3).
    pub clears_windows: bool,
    /// An answer of one of these statuses without a body is taken for one, as some providers say
    /// nothing more.
    pub bare_statuses: &'static [i64],
    /// Only the layer below the runner takes it for one: it compacts between the repeats of an error
    /// without reason (2026.7).
    pub bare_compacts: bool,
}

/// When a provider whose profiles are all in a window is called all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probes {
    /// The first candidate isn't probed more often than this per agent and provider, ms.
    pub throttle: Millis,
    /// The first candidate is probed this long before its soonest end, ms.
    pub margin: Millis,
    /// The first candidate is probed whenever there is no fallback (2026.7 on; before, for billing only).
    pub without_fallbacks: bool,
    /// The first candidate is probed at once for a rate limit without a known reset (2026.7 on).
    pub rate_limit_at_once: bool,
    /// Reasons that pass by themselves: later candidates are tried once per provider and run.
    pub transient: ReasonSet,
    /// Reasons under which a profile in a window may be called by a probe.
    pub allowed: ReasonSet,
    /// A probe calls only a profile whose own reason is allowed (2026.9).
    pub per_profile: bool,
    /// Failures of a probe that leave the provider's one probe of this run open.
    pub keeps_slot: ReasonSet,
    /// The origin of an auto override is tried again after this long, ms; none: never.
    pub origin_interval: Option<Millis>,
}

/// How a user's or the runner's choice binds a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pins {
    /// A user's profile is the only one tried (to 2026.7); otherwise it is the first one.
    pub user_profile_locks: bool,
    /// A user's profile ends with a new session (to 2026.7).
    pub user_profile_ends_with_session: bool,
    /// A new session or a compaction takes the next profile (to 2026.7).
    pub rotates_on_compaction: bool,
    /// With an explicit order, an earlier profile that was rate-limited is taken up again (2026.9).
    pub returns_to_earlier: bool,
    /// A user's model runs without fallbacks (2026.5 on).
    pub user_model_is_strict: bool,
    /// An agent's own bare model runs without fallbacks (2026.5 on).
    pub agent_model_is_strict: bool,
    /// An override without source but with an origin counts as auto (2026.7 on).
    pub origin_means_auto: bool,
    /// An auto override without origin is dropped (2026.7 on).
    pub drops_auto_without_origin: bool,
    /// A fallback is written to the session as an auto override (2026.5, 2026.7).
    pub stores_fallback: bool,
    /// That override carries its origin (2026.7).
    pub stores_origin: bool,
    /// Cron's `payload.model` keeps the configured primary at the chain's end (2026.3).
    pub cron_keeps_primary: bool,
    /// So does a hook's model (2026.3, 2026.5).
    pub hook_keeps_primary: bool,
    /// Picking the default stores `modelOverrideSource: "default"` (2026.9).
    pub stores_default_pick: bool,
    /// The fallback notice is one object (2026.9) instead of three fields.
    pub notice_is_object: bool,
    /// Groups and channels get no fallback notice (2026.9).
    pub no_notice_in_groups: bool,
}

/// How a run behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRules {
    /// Requests below the runner.
    pub transport: Transport,
    /// Repeats by the runner.
    pub same_model: SameModel,
    /// Repeats after a short per-minute limit, while no profile was rotated yet (2026.7).
    pub short_limit_retries: u32,
    /// Requests for an error that has no reason.
    pub unclassified_requests: u32,
    /// Such an error then goes to the next model (2026.9); otherwise it is returned as it is.
    pub unclassified_falls_back: bool,
    /// Requests for an answer without content before it counts as failed; 0: it counts as an answer.
    pub empty_requests: u32,
    /// Repeats of the same model when no answer came in time, no profile is left and there are no
    /// fallbacks (2026.5, 2026.7).
    pub idle_retries: u32,
    /// What a context overflow does.
    pub overflow: Overflow,
    /// A format error goes straight to the next model (2026.7 on).
    pub format_skips_profiles: bool,
    /// Failures that leave no window.
    pub unmarked: ReasonSet,
    /// Profile rotations after a rate limit before the next model; none: all profiles (2026.3).
    pub rate_limit_rotations: Option<u32>,
    /// The same for overloaded providers.
    pub overloaded_rotations: Option<u32>,
    /// The failure at the rotation limit sets a window too (2026.5).
    pub limit_marks_rate_limit: bool,
    /// Pause before the next try after an overloaded provider, ms.
    pub overloaded_pause: Millis,
    /// With neither profile nor configured fallback left, the error is shown like an answer, which
    /// clears the profile's windows (2026.3).
    pub last_error_clears_windows: bool,
    /// An error without reason that is returned as it is clears the profile's windows.
    pub unclassified_clears_windows: bool,
    /// Whether fallbacks are there is read from the config alone, not from the run's own list (to 2026.5).
    pub fallbacks_from_config: bool,
    /// A success writes `lastUsed` and `lastGood`; otherwise `lastProbeAt` (2026.9, shared store).
    pub success_sets_last_used: bool,
    /// `OPENCLAW_FALLBACK_SKIP_TTL_MS` counts (2026.7 on).
    pub skip_cache: bool,
    /// Its marks hold per profile too (2026.9).
    pub skip_per_profile: bool,
    /// A request above a per-minute ceiling goes to the next candidate (2026.9).
    pub ceiling_is_no_overflow: bool,
    /// A key of the config that is refused or out of credit gets a window of its own (2026.9).
    pub marks_inline_keys: bool,
    /// Probing.
    pub probes: Probes,
    /// Sessions.
    pub pins: Pins,
}

const TRANSIENT_2026_3: ReasonSet = ReasonSet::of(&[Reason::RateLimit, Reason::Overloaded, Reason::Unknown]);
const TRANSIENT: ReasonSet = ReasonSet::of(&[
    Reason::RateLimit,
    Reason::Overloaded,
    Reason::Unknown,
    Reason::EmptyResponse,
    Reason::NoErrorDetails,
    Reason::Unclassified,
    Reason::Timeout,
]);
const TRANSIENT_OR_BILLING: ReasonSet = ReasonSet::of(&[
    Reason::RateLimit,
    Reason::Overloaded,
    Reason::Unknown,
    Reason::EmptyResponse,
    Reason::NoErrorDetails,
    Reason::Unclassified,
    Reason::Timeout,
    Reason::Billing,
]);
const KEEPS_SLOT: ReasonSet = ReasonSet::of(&[
    Reason::ModelNotFound,
    Reason::Format,
    Reason::Auth,
    Reason::AuthPermanent,
    Reason::SessionExpired,
]);

impl RunRules {
    /// The rules of a family.
    #[must_use]
    pub fn of_family(family: Family) -> Self {
        match family {
            Family::R2026_3 => r2026_3(),
            Family::R2026_5 => r2026_5(),
            Family::R2026_7 => r2026_7(),
            Family::R2026_9 => r2026_9(),
        }
    }

    /// Calls `visit` with the key path and the place of every constant.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&'static str, Slot<'_>)) {
        let Self { transport, same_model, overflow, probes, pins, .. } = self;
        visit("run.transport.clientAttempts", Slot::Count(&mut transport.client_attempts));
        visit("run.transport.clientSkipsPlain429", Slot::Switch(&mut transport.client_skips_plain_429));
        visit("run.transport.outerAttempts", Slot::Count(&mut transport.outer_attempts));
        visit("run.transport.clientBase", Slot::Millis(&mut transport.client_base));
        visit("run.transport.clientMax", Slot::Millis(&mut transport.client_max));
        visit("run.transport.outerBase", Slot::Millis(&mut transport.outer_base));
        visit("run.transport.honoursMaxWait", Slot::Switch(&mut transport.honours_max_wait));
        visit("run.sameModel.rateLimitRetries", Slot::Count(&mut same_model.rate_limit_retries));
        visit("run.sameModel.transientRetries", Slot::Count(&mut same_model.transient_retries));
        visit("run.sameModel.transientWindow", Slot::Millis(&mut same_model.transient_window));
        visit("run.sameModel.base", Slot::Millis(&mut same_model.base));
        visit("run.sameModel.max", Slot::Millis(&mut same_model.max));
        visit("run.sameModel.retryAfterCap", Slot::Millis(&mut same_model.retry_after_cap));
        visit("run.shortLimitRetries", Slot::Count(&mut self.short_limit_retries));
        visit("run.unclassified.requests", Slot::Count(&mut self.unclassified_requests));
        visit("run.unclassified.fallsBack", Slot::Switch(&mut self.unclassified_falls_back));
        visit("run.unclassified.clearsWindows", Slot::Switch(&mut self.unclassified_clears_windows));
        visit("run.emptyRequests", Slot::Count(&mut self.empty_requests));
        visit("run.idleRetries", Slot::Count(&mut self.idle_retries));
        visit("run.overflow.requests", Slot::Count(&mut overflow.requests));
        visit("run.overflow.repeatsCompaction", Slot::Switch(&mut overflow.repeats_compaction));
        visit("run.overflow.nextModel", Slot::Switch(&mut overflow.next_model));
        visit("run.overflow.clearsWindows", Slot::Switch(&mut overflow.clears_windows));
        visit("run.overflow.bareCompacts", Slot::Switch(&mut overflow.bare_compacts));
        visit("run.formatSkipsProfiles", Slot::Switch(&mut self.format_skips_profiles));
        visit("run.unmarked", Slot::Reasons(&mut self.unmarked));
        visit("run.rateLimitedProfileRotations", Slot::CountLimit(&mut self.rate_limit_rotations));
        visit("run.overloadedProfileRotations", Slot::CountLimit(&mut self.overloaded_rotations));
        visit("run.limitMarksRateLimit", Slot::Switch(&mut self.limit_marks_rate_limit));
        visit("run.overloadedPause", Slot::Millis(&mut self.overloaded_pause));
        visit("run.lastErrorClearsWindows", Slot::Switch(&mut self.last_error_clears_windows));
        visit("run.fallbacksFromConfig", Slot::Switch(&mut self.fallbacks_from_config));
        visit("run.successSetsLastUsed", Slot::Switch(&mut self.success_sets_last_used));
        visit("run.skipCache", Slot::Switch(&mut self.skip_cache));
        visit("run.skipPerProfile", Slot::Switch(&mut self.skip_per_profile));
        visit("run.ceilingIsNoOverflow", Slot::Switch(&mut self.ceiling_is_no_overflow));
        visit("run.marksInlineKeys", Slot::Switch(&mut self.marks_inline_keys));
        visit("run.probes.throttle", Slot::Millis(&mut probes.throttle));
        visit("run.probes.margin", Slot::Millis(&mut probes.margin));
        visit("run.probes.withoutFallbacks", Slot::Switch(&mut probes.without_fallbacks));
        visit("run.probes.rateLimitAtOnce", Slot::Switch(&mut probes.rate_limit_at_once));
        visit("run.probes.transient", Slot::Reasons(&mut probes.transient));
        visit("run.probes.allowed", Slot::Reasons(&mut probes.allowed));
        visit("run.probes.perProfile", Slot::Switch(&mut probes.per_profile));
        visit("run.probes.keepsSlot", Slot::Reasons(&mut probes.keeps_slot));
        visit("run.probes.originInterval", Slot::Limit(&mut probes.origin_interval));
        visit("run.pins.userProfileLocks", Slot::Switch(&mut pins.user_profile_locks));
        visit("run.pins.userProfileEndsWithSession", Slot::Switch(&mut pins.user_profile_ends_with_session));
        visit("run.pins.rotatesOnCompaction", Slot::Switch(&mut pins.rotates_on_compaction));
        visit("run.pins.returnsToEarlier", Slot::Switch(&mut pins.returns_to_earlier));
        visit("run.pins.userModelIsStrict", Slot::Switch(&mut pins.user_model_is_strict));
        visit("run.pins.agentModelIsStrict", Slot::Switch(&mut pins.agent_model_is_strict));
        visit("run.pins.originMeansAuto", Slot::Switch(&mut pins.origin_means_auto));
        visit("run.pins.dropsAutoWithoutOrigin", Slot::Switch(&mut pins.drops_auto_without_origin));
        visit("run.pins.storesFallback", Slot::Switch(&mut pins.stores_fallback));
        visit("run.pins.storesOrigin", Slot::Switch(&mut pins.stores_origin));
        visit("run.pins.cronKeepsPrimary", Slot::Switch(&mut pins.cron_keeps_primary));
        visit("run.pins.hookKeepsPrimary", Slot::Switch(&mut pins.hook_keeps_primary));
        visit("run.pins.storesDefaultPick", Slot::Switch(&mut pins.stores_default_pick));
        visit("run.pins.noticeIsObject", Slot::Switch(&mut pins.notice_is_object));
        visit("run.pins.noNoticeInGroups", Slot::Switch(&mut pins.no_notice_in_groups));
    }
}

fn r2026_3() -> RunRules {
    RunRules {
        transport: Transport {
            client_attempts: 3,
            client_skips_plain_429: false,
            outer_attempts: 4,
            client_base: Millis(500),
            client_max: Millis(8_000),
            outer_base: Millis(2_000),
            honours_max_wait: false,
        },
        same_model: SameModel {
            rate_limit_retries: 0,
            transient_retries: 0,
            transient_window: Millis::from_secs(90),
            base: Millis::from_secs(1),
            max: Millis::from_secs(30),
            retry_after_cap: Millis::from_secs(60),
        },
        short_limit_retries: 0,
        unclassified_requests: 1,
        unclassified_falls_back: false,
        empty_requests: 0,
        idle_retries: 0,
        overflow: Overflow {
            requests: 1,
            repeats_compaction: false,
            next_model: false,
            clears_windows: true,
            bare_statuses: &[400, 413],
            bare_compacts: false,
        },
        format_skips_profiles: false,
        unmarked: ReasonSet::of(&[Reason::Timeout]),
        rate_limit_rotations: None,
        overloaded_rotations: None,
        limit_marks_rate_limit: true,
        overloaded_pause: Millis(250),
        last_error_clears_windows: true,
        unclassified_clears_windows: true,
        fallbacks_from_config: true,
        success_sets_last_used: true,
        skip_cache: false,
        skip_per_profile: false,
        ceiling_is_no_overflow: false,
        marks_inline_keys: false,
        probes: Probes {
            throttle: Millis::from_secs(30),
            margin: Millis::from_mins(2),
            without_fallbacks: false,
            rate_limit_at_once: false,
            transient: TRANSIENT_2026_3,
            allowed: ReasonSet::of(&[
                Reason::RateLimit,
                Reason::Overloaded,
                Reason::Unknown,
                Reason::Billing,
            ]),
            per_profile: false,
            keeps_slot: KEEPS_SLOT,
            origin_interval: None,
        },
        pins: Pins {
            user_profile_locks: true,
            user_profile_ends_with_session: true,
            rotates_on_compaction: true,
            returns_to_earlier: false,
            user_model_is_strict: false,
            agent_model_is_strict: false,
            origin_means_auto: false,
            drops_auto_without_origin: false,
            stores_fallback: false,
            stores_origin: false,
            cron_keeps_primary: true,
            hook_keeps_primary: true,
            stores_default_pick: false,
            notice_is_object: false,
            no_notice_in_groups: false,
        },
    }
}

fn r2026_5() -> RunRules {
    let before = r2026_3();
    RunRules {
        transport: Transport { honours_max_wait: true, ..before.transport },
        empty_requests: 2,
        idle_retries: 1,
        overflow: Overflow {
            requests: 5,
            repeats_compaction: true,
            next_model: true,
            clears_windows: false,
            ..before.overflow
        },
        unmarked: ReasonSet::of(&[Reason::Timeout, Reason::Format]),
        rate_limit_rotations: Some(1),
        overloaded_rotations: Some(1),
        overloaded_pause: Millis(0),
        last_error_clears_windows: false,
        probes: Probes { transient: TRANSIENT, allowed: TRANSIENT_OR_BILLING, ..before.probes },
        pins: Pins {
            user_model_is_strict: true,
            agent_model_is_strict: true,
            stores_fallback: true,
            cron_keeps_primary: false,
            ..before.pins
        },
        ..before
    }
}

fn r2026_7() -> RunRules {
    let before = r2026_5();
    RunRules {
        transport: Transport { client_skips_plain_429: true, outer_attempts: 1, ..before.transport },
        short_limit_retries: 3,
        unclassified_requests: 4,
        overflow: Overflow {
            requests: 8,
            repeats_compaction: false,
            next_model: false,
            clears_windows: false,
            bare_compacts: true,
            ..before.overflow
        },
        format_skips_profiles: true,
        unmarked: ReasonSet::of(&[
            Reason::ServerError,
            Reason::EmptyResponse,
            Reason::ContextOverflow,
            Reason::Format,
        ]),
        limit_marks_rate_limit: false,
        fallbacks_from_config: false,
        skip_cache: true,
        probes: Probes {
            without_fallbacks: true,
            rate_limit_at_once: true,
            origin_interval: Some(Millis::from_mins(5)),
            ..before.probes
        },
        pins: Pins {
            origin_means_auto: true,
            drops_auto_without_origin: true,
            stores_origin: true,
            hook_keeps_primary: false,
            ..before.pins
        },
        ..before
    }
}

fn r2026_9() -> RunRules {
    let before = r2026_7();
    RunRules {
        transport: Transport {
            client_attempts: 1,
            client_skips_plain_429: false,
            outer_attempts: 1,
            ..before.transport
        },
        same_model: SameModel { rate_limit_retries: 9, transient_retries: 8, ..before.same_model },
        short_limit_retries: 0,
        idle_retries: 0,
        unclassified_falls_back: true,
        overflow: Overflow {
            requests: 1,
            repeats_compaction: false,
            next_model: false,
            clears_windows: false,
            bare_statuses: &[413],
            bare_compacts: false,
        },
        unmarked: ReasonSet::of(&[
            Reason::Overloaded,
            Reason::ServerError,
            Reason::TlsCertificate,
            Reason::EmptyResponse,
            Reason::ContextOverflow,
            Reason::Format,
        ]),
        success_sets_last_used: false,
        skip_per_profile: true,
        ceiling_is_no_overflow: true,
        marks_inline_keys: true,
        probes: Probes {
            allowed: TRANSIENT,
            per_profile: true,
            keeps_slot: ReasonSet::of(&[
                Reason::ModelNotFound,
                Reason::Format,
                Reason::Auth,
                Reason::AuthPermanent,
                Reason::SessionExpired,
                Reason::TlsCertificate,
            ]),
            ..before.probes
        },
        pins: Pins {
            user_profile_locks: false,
            user_profile_ends_with_session: false,
            rotates_on_compaction: false,
            returns_to_earlier: true,
            stores_fallback: false,
            stores_origin: false,
            stores_default_pick: true,
            notice_is_object: true,
            no_notice_in_groups: true,
            ..before.pins
        },
        ..before
    }
}
