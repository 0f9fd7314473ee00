//! Windows: what a failure sets, what a success clears, and what holds at a given time.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::time::Millis;

use super::ids::ProfileId;
use super::js;
use super::rules::{Backoff, BlockedUse, CooldownKey, RuleSet};
use super::state::{AuthState, FailureCounts, Num, UsageMap, UsageStats, number};
use super::types::Reason;
use super::view::CooldownConfig;

/// The windows of a rule set after `auth.cooldowns` was read. In ms, perhaps with fractions where the
/// config has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CooldownSettings {
    billing: Doubling,
    auth_permanent: Doubling,
    failure_window: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Doubling {
    base: f64,
    max: f64,
}

impl Doubling {
    fn of(backoff: Backoff) -> Self {
        Self { base: backoff.base.0 as f64, max: backoff.max.0 as f64 }
    }

    fn with(self, base: Option<f64>, max: Option<f64>) -> Self {
        Self { base: base.unwrap_or(self.base), max: max.unwrap_or(self.max) }
    }

    /// The window of the `count`th failure, in ms; none for a count that is no number.
    fn window(self, rules: &RuleSet, count: f64) -> f64 {
        if count.is_nan() {
            return f64::NAN;
        }
        let base = self.base.max(rules.cooldown.min_backoff.0 as f64);
        let max = self.max.max(base);
        let doublings = (count.max(1.0) - 1.0).min(f64::from(rules.cooldown.max_doublings));
        (base * doublings.exp2()).min(max)
    }
}

impl CooldownSettings {
    /// The settings for a provider, given as [`super::rules::ProviderNames::normalize`] spells it.
    /// Values that are no positive numbers count as absent.
    #[must_use]
    pub fn new(rules: &RuleSet, config: &CooldownConfig, provider: &str) -> Self {
        let cooldown = &rules.cooldown;
        let positive = |key: CooldownKey, value: Option<f64>| {
            value.filter(|value| *value > 0.0 && cooldown.config_keys.contains(&key))
        };
        let scaled = |key: CooldownKey, factor: &[f64]| {
            let value = positive(key, config.get(key))?;
            Some(factor.iter().fold(value, |value, factor| value * factor))
        };
        const HOURS: [f64; 3] = [60.0, 60.0, 1000.0];
        const MINUTES: [f64; 2] = [60.0, 1000.0];

        let of_provider = config
            .billing_hours_by_provider
            .iter()
            .find(|(key, _)| *rules.providers.normalize(key) == *provider)
            .filter(|_| cooldown.config_keys.contains(&CooldownKey::BillingBackoffHoursByProvider));
        let billing_base = match of_provider {
            Some((_, hours)) => positive(CooldownKey::BillingBackoffHoursByProvider, *hours)
                .map(|hours| HOURS.iter().fold(hours, |value, factor| value * factor)),
            None => scaled(CooldownKey::BillingBackoffHours, &HOURS),
        };
        let billing =
            Doubling::of(cooldown.billing).with(billing_base, scaled(CooldownKey::BillingMaxHours, &HOURS));
        let auth_permanent = if cooldown.auth_permanent_as_billing {
            billing
        } else {
            Doubling::of(cooldown.auth_permanent).with(
                scaled(CooldownKey::AuthPermanentBackoffMinutes, &MINUTES),
                scaled(CooldownKey::AuthPermanentMaxMinutes, &MINUTES),
            )
        };
        let failure_window =
            scaled(CooldownKey::FailureWindowHours, &HOURS).unwrap_or(cooldown.failure_window.0 as f64);
        Self { billing, auth_permanent, failure_window }
    }

    /// The longest window of a kind that can come about, ms. For a cooldown that is at least a day:
    /// a provider's usage report sets such ones outside of the ladder. A subscription's limit
    /// resets within a month at the latest.
    #[must_use]
    pub fn longest(&self, rules: &RuleSet, kind: WindowKind) -> Millis {
        const DAY: Millis = Millis::from_hours(24);
        let most = f64::from(rules.cooldown.max_doublings) + 1.0;
        match kind {
            WindowKind::Cooldown => {
                let ladder = rules.cooldown.regular_ladder.iter().copied().max();
                let rate_limit = rules.cooldown.rate_limit.map(|backoff| backoff.max.max(backoff.base));
                [ladder, rate_limit].into_iter().flatten().fold(DAY, Millis::max)
            }
            WindowKind::Disabled => {
                let window = |doubling: Doubling| Millis(doubling.window(rules, most).ceil() as i64);
                window(self.billing).max(window(self.auth_permanent))
            }
            WindowKind::Blocked => Millis(35 * DAY.0),
        }
    }
}

/// The kind of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WindowKind {
    /// `cooldownUntil`: passes by itself soon.
    Cooldown,
    /// `disabledUntil`: billing or permanent auth.
    Disabled,
    /// `blockedUntil`: a subscription limit with a known reset.
    Blocked,
}

impl WindowKind {
    /// The word in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cooldown => "cooldown",
            Self::Disabled => "disabled",
            Self::Blocked => "blocked",
        }
    }
}

/// A time during which a profile isn't used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its kind.
    pub kind: WindowKind,
    /// Why, as the store says: a failure reason or `subscription_limit`.
    pub reason: Option<Arc<str>>,
    /// The only model that it holds for; `None`: the whole profile.
    pub model: Option<Arc<str>>,
    /// Its end, ms since 1970.
    pub until: Millis,
    /// Who reported a limit: `codex_rate_limits`, `wham`.
    pub source: Option<Arc<str>>,
}

/// A failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure<'a> {
    /// When, ms since 1970.
    pub now: Millis,
    /// Why.
    pub reason: Reason,
    /// The model that was called.
    pub model: Option<&'a str>,
}

/// The end as a number, when it is one that counts.
fn end(rules: &RuleSet, until: Option<Num>) -> Option<f64> {
    until.map(Num::get).filter(|until| *until > 0.0 && is_possible(rules, *until))
}

fn is_possible(rules: &RuleSet, until: f64) -> bool {
    rules.cooldown.max_until.is_none_or(|max| until <= max.0 as f64)
}

fn is_active(rules: &RuleSet, until: Option<Num>, now: f64) -> bool {
    end(rules, until).is_some_and(|until| now < until)
}

fn filled(text: &Option<Arc<str>>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

/// The model that the cooldown is limited to.
fn cooldown_scope<'a>(rules: &RuleSet, stats: &'a UsageStats) -> Option<&'a str> {
    let scoped = stats.cooldown_reason.is_some_and(|reason| rules.cooldown.model_scoped.contains(reason));
    filled(&stats.cooldown_model).filter(|_| scoped)
}

/// The model that the block is limited to.
fn blocked_scope<'a>(rules: &RuleSet, stats: &'a UsageStats) -> Option<&'a str> {
    let scoped =
        rules.cooldown.blocked == BlockedUse::ReadScoped && stats.blocked_scope.as_deref() == Some("model");
    filled(&stats.blocked_model).filter(|_| scoped)
}

/// The block's end where the rule set reads it and it holds for the model (any, when `None`).
fn blocked_end(rules: &RuleSet, stats: &UsageStats, model: Option<&str>) -> Option<f64> {
    if rules.cooldown.blocked == BlockedUse::Ignored {
        return None;
    }
    match (blocked_scope(rules, stats), model) {
        (Some(scope), Some(model)) if scope != model => None,
        _ => end(rules, stats.blocked_until),
    }
}

fn is_blocked(rules: &RuleSet, stats: &UsageStats, now: f64, model: Option<&str>) -> bool {
    blocked_end(rules, stats, model).is_some_and(|until| now < until)
}

/// The latest end of the profile's windows for a model, past ones too.
fn latest_end(rules: &RuleSet, stats: &UsageStats, model: Option<&str>) -> Option<f64> {
    [blocked_end(rules, stats, model), end(rules, stats.cooldown_until), end(rules, stats.disabled_until)]
        .into_iter()
        .flatten()
        .reduce(f64::max)
}

/// Whether nothing but a cooldown of another model is in the way.
fn only_other_model(rules: &RuleSet, stats: &UsageStats, now: f64, model: Option<&str>) -> bool {
    let Some((model, scope)) = model.zip(cooldown_scope(rules, stats)) else { return false };
    scope != model
        && !is_blocked(rules, stats, now, Some(model))
        && !is_active(rules, stats.disabled_until, now)
}

/// A model as the releases test it: an empty one is none.
fn asked(model: Option<&str>) -> Option<&str> {
    model.filter(|model| !model.is_empty())
}

/// The end of the windows that keep the profile from the model now; `None` when it can be used. Says
/// nothing about exempt providers: see [`is_in_cooldown`].
#[must_use]
pub fn unusable_until(
    rules: &RuleSet,
    stats: &UsageStats,
    now: Millis,
    model: Option<&str>,
) -> Option<Millis> {
    let (now, model) = (now.0 as f64, asked(model));
    if only_other_model(rules, stats, now, model) {
        return None;
    }
    let until = latest_end(rules, stats, model)?;
    (now < until).then(|| Millis(until.ceil() as i64))
}

/// Whether a provider never counts as in cooldown (openrouter, kilocode).
#[must_use]
pub fn is_exempt(rules: &RuleSet, provider: &str) -> bool {
    let provider = rules.providers.normalize(provider);
    rules.cooldown.exempt_providers.iter().any(|exempt| *exempt == *provider)
}

/// Whether the profile is in any window now, for the model (any, when `None`).
#[must_use]
pub fn is_in_cooldown(
    rules: &RuleSet,
    state: &AuthState,
    profile: &str,
    now: Millis,
    model: Option<&str>,
) -> bool {
    let Some(stats) = state.usage.get(profile) else { return false };
    let exempt = state.profiles.get(profile).is_some_and(|facts| is_exempt(rules, &facts.provider));
    !exempt && unusable_until(rules, stats, now, model).is_some()
}

/// The windows of an entry that are active now, as far as the rule set reads them.
#[must_use]
pub fn windows(rules: &RuleSet, stats: &UsageStats, now: Millis) -> Vec<Window> {
    let mut windows = all_windows(rules, stats);
    windows.retain(|window| now < window.until);
    windows
}

/// The windows of an entry, past ones too, as far as the rule set reads them.
#[must_use]
pub fn all_windows(rules: &RuleSet, stats: &UsageStats) -> Vec<Window> {
    let until = |end: f64| Millis(end.ceil() as i64);
    let word = |reason: Option<Reason>| reason.map(|reason| Arc::from(reason.as_str()));
    let mut windows = Vec::new();
    if let Some(end) = end(rules, stats.cooldown_until) {
        windows.push(Window {
            kind: WindowKind::Cooldown,
            reason: word(stats.cooldown_reason),
            model: cooldown_scope(rules, stats).map(Arc::from),
            until: until(end),
            source: None,
        });
    }
    if let Some(end) = end(rules, stats.disabled_until) {
        windows.push(Window {
            kind: WindowKind::Disabled,
            reason: word(stats.disabled_reason),
            model: None,
            until: until(end),
            source: None,
        });
    }
    if let Some(end) = blocked_end(rules, stats, None) {
        windows.push(Window {
            kind: WindowKind::Blocked,
            reason: stats.blocked_reason.clone(),
            model: blocked_scope(rules, stats).map(Arc::from),
            until: until(end),
            source: stats.blocked_source.clone(),
        });
    }
    windows
}

/// The soonest end among the profiles, for a model, in whole ms; may lie in the past. Windows of other
/// models are left out; rate limits of this very model count with their latest end.
#[must_use]
pub fn soonest<'a>(
    rules: &RuleSet,
    state: &AuthState,
    profiles: impl IntoIterator<Item = &'a str>,
    now: Millis,
    model: Option<&str>,
) -> Option<Millis> {
    soonest_end(rules, state, profiles, now, model).map(Num::millis)
}

/// [`soonest`] as the store has it: up to 2026.5 an end can have a fraction.
#[must_use]
pub fn soonest_end<'a>(
    rules: &RuleSet,
    state: &AuthState,
    profiles: impl IntoIterator<Item = &'a str>,
    now: Millis,
    model: Option<&str>,
) -> Option<Num> {
    let (now, model) = (now.0 as f64, asked(model));
    let mut soonest: Option<f64> = None;
    let mut latest_of_model: Option<f64> = None;
    for stats in profiles.into_iter().filter_map(|id| state.usage.get(id)) {
        if only_other_model(rules, stats, now, model) {
            continue;
        }
        let Some(until) = latest_end(rules, stats, model) else { continue };
        let own_rate_limit = model.is_some()
            && stats.cooldown_reason == Some(Reason::RateLimit)
            && cooldown_scope(rules, stats) == model
            && !is_blocked(rules, stats, now, model)
            && !is_active(rules, stats.disabled_until, now);
        let (slot, pick): (_, fn(f64, f64) -> f64) =
            if own_rate_limit { (&mut latest_of_model, f64::max) } else { (&mut soonest, f64::min) };
        *slot = Some(slot.map_or(until, |before| pick(before, until)));
    }
    let until = match (soonest, latest_of_model) {
        (Some(soonest), Some(latest)) => Some(soonest.min(latest)),
        (one, other) => one.or(other),
    };
    until.and_then(Num::new)
}

/// What the profiles' state is put down to when none of them can be used.
#[must_use]
pub fn unavailable_reason<'a>(
    rules: &RuleSet,
    state: &AuthState,
    profiles: impl IntoIterator<Item = &'a str>,
    now: Millis,
) -> Option<Reason> {
    /// An active window with a reason of its own outweighs any count.
    const CERTAIN: f64 = 1000.0;
    let now = now.0 as f64;
    let cooldown = &rules.cooldown;
    let listed = |reason: &Reason| cooldown.reason_priority.contains(reason);
    let mut scores = [0.0_f64; Reason::ALL.len()];
    let mut add = |reason: Reason, score: f64| scores[reason as usize] += score;

    for stats in profiles.into_iter().filter_map(|id| state.usage.get(id)) {
        let disabled =
            stats.disabled_reason.filter(listed).filter(|_| is_active(rules, stats.disabled_until, now));
        if let Some(reason) = disabled {
            add(reason, CERTAIN);
        } else if cooldown.blocked != BlockedUse::Ignored && is_active(rules, stats.blocked_until, now) {
            add(Reason::RateLimit, CERTAIN);
        } else if is_active(rules, stats.cooldown_until, now) {
            let certain = stats.cooldown_reason.filter(listed).filter(|_| cooldown.cooldown_reason_outweighs);
            if let Some(reason) = certain {
                add(reason, CERTAIN);
                continue;
            }
            let counts = stats.failure_counts.iter().flat_map(|counts| &counts.known);
            let mut counted = false;
            for (reason, count) in counts.filter(|(reason, count)| listed(reason) && count.get() > 0.0) {
                add(*reason, count.get());
                counted = true;
            }
            if !counted {
                add(Reason::Unknown, 1.0);
            }
        }
    }
    let mut best: Option<(Reason, f64)> = None;
    for reason in &cooldown.reason_priority {
        let score = scores[*reason as usize];
        if score > best.map_or(0.0, |(_, best)| best) {
            best = Some((*reason, score));
        }
    }
    best.map(|(reason, _)| reason)
}

/// Writes a failure into an entry, as the rule set's release does.
pub fn fail(rules: &RuleSet, settings: &CooldownSettings, stats: &mut UsageStats, failure: Failure<'_>) {
    let cooldown = &rules.cooldown;
    let Failure { now: at, reason, model } = failure;
    let now = at.0 as f64;
    let held_by_limit = cooldown.blocked == BlockedUse::ReadScoped
        && reason == Reason::RateLimit
        && stats.blocked_reason.as_deref() == Some("subscription_limit");
    if held_by_limit && limit_holds_for(rules, stats, now, model) {
        return;
    }
    let count = count_failure(rules, settings, stats, at, reason);
    if cooldown.keeps_rate_limit_count {
        stats.cooldown_classification = None;
        stats.forget_odd(&["cooldownClassification"]);
    }
    match reason {
        Reason::Billing | Reason::AuthPermanent => {
            let doubling = if reason == Reason::Billing { settings.billing } else { settings.auth_permanent };
            if stats.disabled_until.is_none_or(|until| until.get() <= now) {
                let lasts = doubling.window(rules, count.of_reason);
                stats.disabled_until = Some(window_end(rules, now, lasts));
            }
            stats.disabled_reason = Some(reason);
            stats.forget_odd(&["disabledUntil", "disabledReason"]);
        }
        _ => {
            let active = stats.cooldown_until.is_some_and(|until| until.get() > now);
            if !active {
                let lasts = match cooldown.rate_limit {
                    Some(backoff) if reason == Reason::RateLimit => {
                        Doubling::of(backoff).window(rules, count.of_reason)
                    }
                    _ => regular_window(rules, count.errors),
                };
                stats.cooldown_until = Some(window_end(rules, now, lasts));
                stats.forget_odd(&["cooldownUntil"]);
            }
            if cooldown.records_reason {
                scope_cooldown(rules, stats, active, reason, model);
            }
        }
    }
}

/// A limit scoped to a model holds for that model alone, not for a failure that names none.
fn limit_holds_for(rules: &RuleSet, stats: &UsageStats, now: f64, model: Option<&str>) -> bool {
    let other = blocked_scope(rules, stats)
        .is_some_and(|scope| model.is_none_or(|model| !model.is_empty() && model != scope));
    !other && is_active(rules, stats.blocked_until, now)
}

struct Counts {
    errors: f64,
    of_reason: f64,
}

fn count_failure(
    rules: &RuleSet,
    settings: &CooldownSettings,
    stats: &mut UsageStats,
    at: Millis,
    reason: Reason,
) -> Counts {
    let now = at.0 as f64;
    let failed_long_ago = stats
        .last_failure_at
        .map(Num::get)
        .is_some_and(|last| last > 0.0 && now - last > settings.failure_window);
    let window_passed = latest_end(rules, stats, None).is_some_and(|until| now >= until);
    if failed_long_ago || window_passed {
        restart_counters(rules, stats);
        stats.error_count = None;
        stats.forget_odd(&["errorCount"]);
    }
    stats.last_failure_at = Some(at.into());
    stats.extra.shift_remove("lastFailureAt");
    let errors = count_up(&mut stats.error_count, &mut stats.extra, "errorCount");
    let odd_counts = stats.extra.shift_remove("failureCounts");
    let counts = stats.failure_counts.get_or_insert_default();
    if let Some(odd) = odd_counts {
        counts.extra.extend(js::spread(&odd));
    }
    let mut known = counts.known.remove(&reason);
    let of_reason = count_up(&mut known, &mut counts.extra, reason.as_str());
    counts.known.extend(known.map(|count| (reason, count)));
    Counts { errors, of_reason }
}

/// Adds one to a count and says what it is now. A count that is no number is counted the way JavaScript
/// does, and stays among the odd members while it is a text.
fn count_up(count: &mut Option<Num>, odd: &mut Map<String, Value>, key: &str) -> f64 {
    let next = match odd.shift_remove(key) {
        Some(value) => js::plus_one(&value),
        None => js::plus_one(&count.map_or(Value::Null, Value::from)),
    };
    *count = number(&next);
    let value = js::to_number(&next);
    if count.is_none() {
        odd.insert(key.to_owned(), next);
    }
    value
}

/// Forgets the counts by reason, but for those that outlive their window.
fn restart_counters(rules: &RuleSet, stats: &mut UsageStats) {
    stats.forget_odd(&["failureCounts"]);
    let Some(mut counts) = stats.failure_counts.take().filter(|_| rules.cooldown.keeps_rate_limit_count)
    else {
        return;
    };
    let mut kept = FailureCounts::default();
    let known = counts.known.remove(&Reason::RateLimit).filter(|count| count.get() != 0.0);
    kept.known.extend(known.map(|count| (Reason::RateLimit, count)));
    let key = Reason::RateLimit.as_str();
    if let Some(odd) = counts.extra.shift_remove(key).filter(js::is_truthy) {
        kept.extra.insert(key.to_owned(), odd);
    }
    stats.failure_counts = Some(kept).filter(|kept| *kept != FailureCounts::default());
}

fn regular_window(rules: &RuleSet, errors: f64) -> f64 {
    let ladder = &rules.cooldown.regular_ladder;
    // A count that is no number passes every rung, as in the releases.
    let rung = if errors.is_nan() { usize::MAX } else { errors.max(1.0).ceil() as usize - 1 };
    ladder.get(rung).or(ladder.last()).map_or(0.0, |step| step.0 as f64)
}

fn window_end(rules: &RuleSet, now: f64, lasts: f64) -> Num {
    let whole = rules.cooldown.whole_millis && !lasts.is_nan();
    let until = now + if whole { lasts.floor().max(1.0) } else { lasts };
    Num::new(until).filter(|_| is_possible(rules, until)).unwrap_or(Millis(now as i64).into())
}

fn scope_cooldown(
    rules: &RuleSet,
    stats: &mut UsageStats,
    active: bool,
    reason: Reason,
    model: Option<&str>,
) {
    let scoped = rules.cooldown.model_scoped.contains(reason);
    stats.cooldown_reason = Some(reason);
    stats.forget_odd(&["cooldownReason"]);
    let odd_model = stats.extra.get("cooldownModel").is_some_and(js::is_truthy);
    if !active || !scoped || odd_model {
        stats.forget_odd(&["cooldownModel"]);
    }
    if !active {
        stats.cooldown_model = model.filter(|_| scoped).map(Arc::from);
        return;
    }
    let same_model = match (filled(&stats.cooldown_model), asked(model)) {
        (Some(before), Some(model)) => before == model,
        (Some(_), None) => false,
        (None, _) => true,
    };
    if !scoped || !same_model {
        stats.cooldown_model = None;
    }
}

/// Writes a success into an entry: every window and counter goes.
pub fn succeed(rules: &RuleSet, stats: &mut UsageStats, now: Millis) {
    clear(rules, stats);
    stats.last_used = Some(now.into());
    stats.forget_odd(&["lastUsed"]);
}

/// Clears every window and counter that the rule set's release clears on a success; keeps `lastUsed`.
pub fn clear(rules: &RuleSet, stats: &mut UsageStats) {
    let cooldown = &rules.cooldown;
    stats.error_count = Some(Num::from(0));
    stats.failure_counts = None;
    stats.cooldown_until = None;
    stats.disabled_until = None;
    stats.disabled_reason = None;
    stats.forget_odd(&["errorCount", "failureCounts", "cooldownUntil", "disabledUntil", "disabledReason"]);
    if cooldown.records_reason {
        clear_cooldown_notes(rules, stats);
    }
    if cooldown.blocked != BlockedUse::Ignored {
        clear_blocked(rules, stats);
    }
}

fn clear_cooldown_notes(rules: &RuleSet, stats: &mut UsageStats) {
    stats.cooldown_reason = None;
    stats.cooldown_model = None;
    stats.forget_odd(&["cooldownReason", "cooldownModel"]);
    if rules.cooldown.keeps_rate_limit_count {
        stats.cooldown_classification = None;
        stats.forget_odd(&["cooldownClassification"]);
    }
}

fn clear_blocked(rules: &RuleSet, stats: &mut UsageStats) {
    stats.blocked_until = None;
    stats.blocked_reason = None;
    stats.blocked_source = None;
    stats.blocked_model = None;
    stats.forget_odd(&["blockedUntil", "blockedReason", "blockedSource", "blockedModel"]);
    if rules.cooldown.blocked == BlockedUse::ReadScoped {
        stats.blocked_scope = None;
        stats.forget_odd(&["blockedScope"]);
    }
}

/// Clears windows that have passed; says whether anything changed. Counters restart with the last
/// window.
pub fn expire(rules: &RuleSet, stats: &mut UsageStats, now: Millis) -> bool {
    let now = now.0 as f64;
    let passed = |until: Option<Num>| until.map(Num::get).is_some_and(|until| until > 0.0 && now >= until);
    let mut changed = false;
    if passed(stats.cooldown_until) {
        stats.cooldown_until = None;
        if rules.cooldown.records_reason {
            clear_cooldown_notes(rules, stats);
        }
        changed = true;
    }
    if rules.cooldown.blocked != BlockedUse::Ignored && passed(stats.blocked_until) {
        clear_blocked(rules, stats);
        changed = true;
    }
    if passed(stats.disabled_until) {
        stats.disabled_until = None;
        stats.disabled_reason = None;
        stats.forget_odd(&["disabledReason"]);
        changed = true;
    }
    if changed && latest_end(rules, stats, None).is_none() {
        stats.error_count = Some(Num::from(0));
        restart_counters(rules, stats);
        stats.forget_odd(&["errorCount"]);
    }
    changed
}

/// [`expire`] for every entry of a store.
pub fn expire_all(rules: &RuleSet, usage: &mut UsageMap, now: Millis) -> bool {
    let mut changed = false;
    for stats in usage.values_mut() {
        changed |= expire(rules, stats, now);
    }
    changed
}

/// The window that a failure right after the current ones' end would set, for the same reason and
/// model; `None` when no window is active. Its length is `until - end`.
#[must_use]
pub fn next_step(
    rules: &RuleSet,
    settings: &CooldownSettings,
    stats: &UsageStats,
    now: Millis,
) -> Option<NextStep> {
    let last = windows(rules, stats, now).into_iter().max_by_key(|window| window.until)?;
    let reason = match last.kind {
        WindowKind::Cooldown => stats.cooldown_reason.unwrap_or(Reason::Unknown),
        WindowKind::Disabled => stats.disabled_reason.unwrap_or(Reason::Billing),
        WindowKind::Blocked => Reason::RateLimit,
    };
    let end = last.until;
    let mut after = stats.clone();
    expire(rules, &mut after, end);
    fail(rules, settings, &mut after, Failure { now: end, reason, model: last.model.as_deref() });
    let window = windows(rules, &after, end).into_iter().max_by_key(|window| window.until)?;
    Some(NextStep { after: end, lasts: window.until - end, window })
}

/// What [`next_step`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// The end of the current windows, ms since 1970: when that failure would happen.
    pub after: Millis,
    /// How long the next window would last, ms.
    pub lasts: Millis,
    /// The next window.
    pub window: Window,
}

/// Sets a subscription limit with a known reset, in place of the regular cooldown.
pub fn block(stats: &mut UsageStats, until: Millis, source: &str, model: Option<&str>) {
    stats.blocked_until = Some(until.into());
    stats.blocked_reason = Some(Arc::from("subscription_limit"));
    stats.blocked_source = Some(Arc::from(source));
    stats.blocked_model = model.map(Arc::from);
    stats.blocked_scope = model.map(|_| Arc::from("model"));
    stats.cooldown_until = None;
    stats.cooldown_reason = None;
    stats.cooldown_model = None;
}

/// The usage entry of a key that stands in the config: `inline-api-key:<provider>`.
#[must_use]
pub fn inline_key_id(rules: &RuleSet, provider: &str) -> ProfileId {
    format!("inline-api-key:{}", rules.providers.normalize(provider)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: i64 = 1_783_166_400_000;

    fn rules(id: &str) -> RuleSet {
        RuleSet::builtin(id).expect("built in")
    }

    fn stats(value: Value) -> UsageStats {
        serde_json::from_value(value).expect("an object")
    }

    fn failed(rules: &RuleSet, stats: &mut UsageStats, offset: i64, reason: Reason, model: &str) {
        let settings = CooldownSettings::new(rules, &CooldownConfig::default(), "openai");
        fail(rules, &settings, stats, Failure { now: Millis(NOW + offset), reason, model: Some(model) });
    }

    /// Report 23516: a failure inside a window leaves its end.
    #[test]
    fn a_second_failure_keeps_the_end() {
        for id in ["2026.5", "2026.7", "2026.9"] {
            let rules = rules(id);
            let mut stats = UsageStats::default();
            failed(&rules, &mut stats, 0, Reason::Overloaded, "m1");
            failed(&rules, &mut stats, 10_000, Reason::Overloaded, "m1");
            assert_eq!(stats.cooldown_until.map(Num::millis), Some(Millis(NOW + 30_000)), "{id}");
        }
    }

    /// Report 141257: B's failure inside A's window widens it to C.
    #[test]
    fn another_model_widens_a_scoped_window() {
        let rules = rules("2026.9");
        let mut stats = UsageStats::default();
        let blocks = |stats: &UsageStats, model: &str| {
            unusable_until(&rules, stats, Millis(NOW + 2_000), Some(model)).is_some()
        };
        failed(&rules, &mut stats, 0, Reason::ModelNotFound, "a");
        assert!(blocks(&stats, "a") && !blocks(&stats, "c"));
        failed(&rules, &mut stats, 1_000, Reason::ModelNotFound, "b");
        assert!(blocks(&stats, "c"));
        assert_eq!(windows(&rules, &stats, Millis(NOW + 2_000))[0].model, None);
    }

    /// Report 3604: a window that has passed is none, and openrouter has none at all.
    #[test]
    fn past_windows_and_exempt_providers_dont_count() {
        let past = json!({"cooldownUntil": NOW - 1_274_000, "errorCount": 3});
        let ahead = json!({"cooldownUntil": NOW + 60_000, "errorCount": 3});
        let state = AuthState::from_json(&json!({
            "profiles": {
                "google:default": {"type": "api_key", "provider": "google", "key": "made-up"},
                "openrouter:default": {"type": "api_key", "provider": "openrouter", "key": "made-up"}
            },
            "usageStats": {"google:default": past, "openrouter:default": ahead}
        }));
        for id in RuleSet::IDS {
            let rules = rules(id);
            for profile in ["google:default", "openrouter:default"] {
                assert!(!is_in_cooldown(&rules, &state, profile, Millis(NOW), None), "{id} {profile}");
            }
            let past = &state.usage["google:default"];
            assert_eq!(all_windows(&rules, past).len(), 1);
            assert_eq!(windows(&rules, past, Millis(NOW)), vec![]);
        }
    }

    /// Reports 90702 and 114834: a subscription limit is a window of its own kind, from 2026.7 on.
    #[test]
    fn a_subscription_limit_is_a_block() {
        let until = NOW + 6 * 86_400_000;
        let entry =
            json!({"blockedUntil": until, "blockedReason": "subscription_limit", "blockedSource": "wham"});
        let entry = stats(entry);
        assert_eq!(windows(&rules("2026.5"), &entry, Millis(NOW)), vec![]);
        let expected = Window {
            kind: WindowKind::Blocked,
            reason: Some("subscription_limit".into()),
            model: None,
            until: Millis(until),
            source: Some("wham".into()),
        };
        assert_eq!(windows(&rules("2026.7"), &entry, Millis(NOW)), vec![expected.clone()]);
        assert_eq!(windows(&rules("2026.9"), &entry, Millis(NOW)), vec![expected]);
    }

    /// Reports 21574 and 19211: clearing leaves no window and no counter, and keeps `lastUsed`.
    #[test]
    fn clearing_is_complete() {
        let mut entry = stats(json!({
            "lastUsed": 5, "errorCount": 4, "failureCounts": {"billing": 4}, "lastFailureAt": NOW,
            "disabledUntil": NOW + 1, "disabledReason": "billing", "cooldownUntil": NOW + 1,
            "cooldownReason": "timeout", "cooldownModel": "m1", "cooldownClassification": "wham_token_expired",
            "blockedUntil": NOW + 1, "blockedReason": "subscription_limit", "blockedSource": "wham",
            "blockedModel": "m1", "blockedScope": "model"
        }));
        clear(&rules("2026.9"), &mut entry);
        assert_eq!(entry, stats(json!({"lastUsed": 5, "errorCount": 0, "lastFailureAt": NOW})));
    }

    /// 2026.9's rate-limit count outlives its window, so the next one is longer; other counters restart.
    #[test]
    fn the_next_step_counts_what_outlives_the_window() {
        let next = |id: &str, entry: Value| {
            let rules = rules(id);
            let settings = CooldownSettings::new(&rules, &CooldownConfig::default(), "openai");
            next_step(&rules, &settings, &stats(entry), Millis(NOW)).map(|next| (next.after, next.lasts))
        };
        let end = NOW + 120_000;
        let limited = json!({"errorCount": 3, "failureCounts": {"rate_limit": 3}, "lastFailureAt": NOW,
            "cooldownUntil": end, "cooldownReason": "rate_limit", "cooldownModel": "m1"});
        assert_eq!(next("2026.9", limited.clone()), Some((Millis(end), Millis::from_mins(4))));
        assert_eq!(next("2026.7", limited), Some((Millis(end), Millis::from_secs(30))));
        let unpaid = json!({"errorCount": 2, "failureCounts": {"billing": 2}, "lastFailureAt": NOW,
            "disabledUntil": end, "disabledReason": "billing"});
        assert_eq!(next("2026.5", unpaid.clone()), Some((Millis(end), Millis::from_hours(5))));
        assert_eq!(next("2026.9", unpaid), Some((Millis(end), Millis::from_mins(10))));
        assert_eq!(next("2026.9", json!({"cooldownUntil": NOW})), None);
    }
}
