//! Rule sets: what differs between releases, as data. The engine has one implementation that reads
//! these numbers and switches.

mod builtin;
mod constants;
mod models;
mod names;
pub mod run;

use std::collections::BTreeMap;

pub use constants::{Constant, ConstantValue, Unit};
pub use models::{ModelNames, ModelSpelling};
pub use names::ProviderNames;
pub use run::RunRules;

use crate::base::time::Millis;
use crate::openclaw::release::{Numbers, Release};

use super::facts::RefForm;
use super::types::{Family, Reason};

/// A set of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReasonSet(u32);

impl ReasonSet {
    /// A set of these reasons.
    #[must_use]
    pub const fn of(reasons: &[Reason]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < reasons.len() {
            bits |= 1 << reasons[index] as u32;
            index += 1;
        }
        Self(bits)
    }

    /// Whether the reason is in the set.
    #[must_use]
    pub const fn contains(self, reason: Reason) -> bool {
        self.0 & (1 << reason as u32) != 0
    }

    /// The reasons of the set, in the sequence of [`Reason::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Reason> {
        Reason::ALL.into_iter().filter(move |reason| self.contains(*reason))
    }
}

impl FromIterator<Reason> for ReasonSet {
    fn from_iter<I: IntoIterator<Item = Reason>>(reasons: I) -> Self {
        Self(reasons.into_iter().fold(0, |bits, reason| bits | 1 << reason as u32))
    }
}

/// A window that doubles with every failure of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    /// The first window, ms.
    pub base: Millis,
    /// No window is longer, ms (but never shorter than `base`).
    pub max: Millis,
}

/// What a release does with `blockedUntil`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockedUse {
    /// Neither read nor cleared (up to 2026.5).
    Ignored,
    /// Read as a window of the whole profile (2026.7).
    Read,
    /// Read, scoped to a model where `blockedScope` says so; a rate limit inside it changes nothing
    /// (2026.9).
    ReadScoped,
}

/// A member of `auth.cooldowns` in the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CooldownKey {
    /// `billingBackoffHours`
    BillingBackoffHours,
    /// `billingBackoffHoursByProvider`
    BillingBackoffHoursByProvider,
    /// `billingMaxHours`
    BillingMaxHours,
    /// `failureWindowHours`
    FailureWindowHours,
    /// `authPermanentBackoffMinutes`
    AuthPermanentBackoffMinutes,
    /// `authPermanentMaxMinutes`
    AuthPermanentMaxMinutes,
    /// `overloadedProfileRotations`
    OverloadedProfileRotations,
    /// `overloadedBackoffMs`
    OverloadedBackoffMs,
    /// `rateLimitedProfileRotations`
    RateLimitedProfileRotations,
}

impl CooldownKey {
    /// Every key.
    pub const ALL: [Self; 9] = [
        Self::BillingBackoffHours,
        Self::BillingBackoffHoursByProvider,
        Self::BillingMaxHours,
        Self::FailureWindowHours,
        Self::AuthPermanentBackoffMinutes,
        Self::AuthPermanentMaxMinutes,
        Self::OverloadedProfileRotations,
        Self::OverloadedBackoffMs,
        Self::RateLimitedProfileRotations,
    ];

    /// As the config spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BillingBackoffHours => "billingBackoffHours",
            Self::BillingBackoffHoursByProvider => "billingBackoffHoursByProvider",
            Self::BillingMaxHours => "billingMaxHours",
            Self::FailureWindowHours => "failureWindowHours",
            Self::AuthPermanentBackoffMinutes => "authPermanentBackoffMinutes",
            Self::AuthPermanentMaxMinutes => "authPermanentMaxMinutes",
            Self::OverloadedProfileRotations => "overloadedProfileRotations",
            Self::OverloadedBackoffMs => "overloadedBackoffMs",
            Self::RateLimitedProfileRotations => "rateLimitedProfileRotations",
        }
    }
}

/// Windows that failures set.
#[derive(Debug, Clone, PartialEq)]
pub struct CooldownRules {
    /// Cooldown by `errorCount`: the first failure sets the first, the last repeats; ms.
    pub regular_ladder: Vec<Millis>,
    /// Cooldown of a rate limit by `failureCounts.rate_limit`; `None`: as regular.
    pub rate_limit: Option<Backoff>,
    /// Disabled window of billing failures, by `failureCounts.billing`.
    pub billing: Backoff,
    /// Disabled window of permanent auth failures, by `failureCounts.auth_permanent`.
    pub auth_permanent: Backoff,
    /// Permanent auth failures take the billing window, with its config keys (2026.3).
    pub auth_permanent_as_billing: bool,
    /// Counters restart when the last failure is older, ms.
    pub failure_window: Millis,
    /// Backoffs stop doubling after this many times.
    pub max_doublings: u32,
    /// Backoffs below this are raised to it, ms.
    pub min_backoff: Millis,
    /// Ends of windows are cut to whole ms (2026.7 on); before, fractions of config keys stay.
    pub whole_millis: bool,
    /// An end above this is none, ms since 1970 (2026.7 on).
    pub max_until: Option<Millis>,
    /// Reasons whose cooldown holds for the failing model alone.
    pub model_scoped: ReasonSet,
    /// `cooldownReason` and `cooldownModel` are written and cleared (2026.5 on).
    pub records_reason: bool,
    /// The rate-limit count outlives its window and the other counters (2026.9).
    pub keeps_rate_limit_count: bool,
    /// An active cooldown's recorded reason outweighs the counts (2026.9).
    pub cooldown_reason_outweighs: bool,
    /// What `blockedUntil` does.
    pub blocked: BlockedUse,
    /// Providers that never count as in cooldown.
    pub exempt_providers: Vec<String>,
    /// Reasons that a provider's state can be put down to, likeliest first among equals.
    pub reason_priority: Vec<Reason>,
    /// Keys of `auth.cooldowns` that the release reads.
    pub config_keys: Vec<CooldownKey>,
}

/// Which profile comes first.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderRules {
    /// An OAuth profile with a live access token goes before an expired one (2026.9).
    pub live_oauth_first: bool,
    /// An order stands under the provider whose credentials are used, too (2026.5 on).
    pub order_key_by_owner: bool,
    /// A stored order whose ids are all gone falls back to the stored profiles (2026.7 on).
    pub gone_stored_order_falls_back: bool,
    /// Cooldowns are judged for the requested model (2026.9), else for the whole profile.
    pub cooldown_by_model: bool,
    /// A profile that only the config names, with mode `aws-sdk`, is eligible where its provider
    /// says `auth: "aws-sdk"` (2026.7 on).
    pub aws_sdk_profiles: bool,
    /// A pasted `openclaw onboard` command is no key (2026.7 on).
    pub rejects_onboard_command: bool,
    /// An OAuth profile whose secrets are in a sidecar is `unresolved_ref` (2026.7 on), else
    /// `missing_credential`.
    pub names_oauth_ref: bool,
    /// `setup.replacement` and refresh fences make a profile ineligible (2026.9).
    pub honours_setup: bool,
    /// An `expires` above this is invalid, ms (2026.7 on).
    pub max_expires: Option<Millis>,
    /// Spellings of refs that count as a credential.
    pub ref_forms: Vec<RefForm>,
}

/// How stored documents are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoerceRules {
    /// Only known members are taken, normalized (2026.7 on); before, entries stay as they are.
    pub canonical: bool,
    /// The type `apiKey` stands for `api_key` (2026.6.1 on; 2026.5.28 drops such an entry).
    pub reads_api_key_type: bool,
    /// A ref that stands in `key` or `token` counts as `keyRef` or `tokenRef` (2026.5 on).
    pub reads_refs_in_values: bool,
    /// An order in which nothing is left is still an order (2026.3).
    pub keeps_empty_order: bool,
    /// `setup` is taken (2026.9).
    pub keeps_setup: bool,
    /// `lastProbeAt`, `blockedScope` and `cooldownClassification` are taken (2026.9).
    pub newest_usage_members: bool,
    /// Members of an OAuth credential that are taken.
    pub oauth_members: &'static [&'static str],
}

/// What an alias of `agents.defaults.models` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AliasUse {
    /// A fallback or primary without a slash (2026.3).
    Bare,
    /// Any ref, the requested model too (2026.5).
    Any,
    /// Any ref, also behind its provider: `openai/fast` (2026.7).
    WithProvider,
    /// The same, but a model has one alias, the last (2026.9).
    OnePerModel,
}

impl AliasUse {
    /// The name in lists and operator's files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Any => "any",
            Self::WithProvider => "with-provider",
            Self::OnePerModel => "one-per-model",
        }
    }
}

/// Which models are tried.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainRules {
    /// What an alias stands for.
    pub alias_use: AliasUse,
    /// Providers of `models.providers` give bare ids their provider and keep their own name (2026.5
    /// on); so do `openrouter:auto` and `openrouter:free`, and a date or quantization behind `@`.
    pub knows_configured_providers: bool,
    /// The same for fallbacks and the requested model (2026.7 on).
    pub fallbacks_know_config: bool,
    /// `provider/*` in `models` is no model (2026.7 on).
    pub wildcards: bool,
    /// An agent's own model, fallbacks and aliases shape its chain (2026.9); before, the caller
    /// handed them over.
    pub agent_settings: bool,
    /// The model at the end of every chain without a configured primary, as `provider/model`.
    pub default_model: String,
    /// With a requested provider other than the primary's, and a requested model that is none of
    /// the fallbacks, the fallbacks are left out (up to 2026.5).
    pub foreign_provider_drops_fallbacks: bool,
    /// The allow list is `modelPolicy.allow` (2026.9), else the keys of `agents.defaults.models`.
    pub allow_list_is_policy: bool,
}

impl ChainRules {
    /// Whether `provider/alias` counts.
    #[must_use]
    pub fn alias_with_provider(&self) -> bool {
        self.alias_use >= AliasUse::WithProvider
    }
}

/// Everything that one release does differently from another.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleSet {
    /// One of [`RuleSet::IDS`], or what an operator's file is called.
    pub id: String,
    /// Where classification and runs belong.
    pub family: Family,
    /// The release that the set was checked against.
    pub checked_release: &'static str,
    /// One line on where the set comes from.
    pub about: &'static str,
    /// Windows.
    pub cooldown: CooldownRules,
    /// Profile order.
    pub order: OrderRules,
    /// Candidate chain.
    pub chain: ChainRules,
    /// Reading of stored documents.
    pub coerce: CoerceRules,
    /// Runs and sessions.
    pub run: RunRules,
    /// How providers are spelled.
    pub providers: ProviderNames,
    /// How models are spelled.
    pub models: ModelNames,
    /// Keys that an operator's file changed, with the value before.
    pub overridden: BTreeMap<String, ConstantValue>,
}

/// A rule set or a constant that doesn't exist, or a value that doesn't fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// No rule set of that id.
    #[error("no rule set is called \"{id}\"{}", near(.nearest))]
    UnknownRuleSet {
        /// What was asked for.
        id: String,
        /// The id most like it.
        nearest: Option<String>,
    },
    /// A text that is no [`Release`].
    #[error("\"{release}\" is no release: write it like 2026.7.1")]
    UnknownRelease {
        /// What was asked for.
        release: String,
    },
    /// No constant of that key path.
    #[error("no constant is called \"{key}\"{}", near(.nearest))]
    UnknownConstant {
        /// The key path that was given.
        key: String,
        /// The key path most like it.
        nearest: Option<String>,
    },
    /// The value doesn't fit the constant.
    #[error("\"{key}\" takes {expected}, not {found}")]
    WrongValue {
        /// The key path.
        key: String,
        /// What it takes.
        expected: String,
        /// What was given, as JSON.
        found: String,
    },
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!(", did you mean \"{nearest}\"?"))
}

/// The candidate most like `text`, if one is near.
pub(crate) fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&text.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}

impl RuleSet {
    /// Ids of the built-in rule sets, oldest first.
    pub const IDS: [&'static str; 11] = [
        "2026.3",
        "2026.3.31",
        "2026.4.15",
        "2026.5",
        "2026.5.19",
        "2026.5.28",
        "2026.7",
        "2026.8",
        "2026.9.4",
        "2026.9",
        "documented",
    ];

    /// A built-in rule set.
    ///
    /// # Errors
    /// There is none of that id; the error names the nearest.
    pub fn builtin(id: &str) -> Result<Self, RulesError> {
        if id == "documented" {
            return Ok(builtin::documented());
        }
        FROM.iter()
            .map(|(_, build)| build())
            .find(|set| set.id == id)
            .ok_or_else(|| RulesError::UnknownRuleSet { id: id.to_owned(), nearest: nearest(id, Self::IDS) })
    }

    /// The built-in rule set of a family.
    #[must_use]
    pub fn of_family(family: Family) -> Self {
        match family {
            Family::R2026_3 => builtin::r2026_3(),
            Family::R2026_5 => builtin::r2026_5(),
            Family::R2026_7 => builtin::r2026_7(),
            Family::R2026_9 => builtin::r2026_9(),
        }
    }

    /// The rule set of a release such as `2026.7.1`, `v2026.9.0-beta.2`: the last of [`FROM`] that isn't
    /// newer.
    ///
    /// # Errors
    /// The text is no release.
    pub fn for_release(release: &str) -> Result<Self, RulesError> {
        let parsed: Release =
            release.parse().map_err(|_| RulesError::UnknownRelease { release: release.to_owned() })?;
        let version = parsed.numbers();
        let of = |&&(first, _): &&(Numbers, _)| first <= version;
        let build = FROM.iter().rev().find(of).map_or(builtin::r2026_3 as fn() -> Self, |&(_, build)| build);
        Ok(build())
    }
}

/// The first release of each rule set. Boundaries between asked releases are the nearest asked one's
/// (2026.3.22 answers as 2026.3.13, 2026.3.28 as 2026.3.31, 2026.4.29 as 2026.5.7, 2026.5.12 as
/// 2026.5.19); 2026.4.1 to 2026.4.14 and 2026.5.20 to 2026.5.27 were not asked.
const FROM: [(Numbers, fn() -> RuleSet); 10] = [
    ((0, 0, 0), builtin::r2026_3),
    ((2026, 3, 28), builtin::r2026_3_31),
    ((2026, 4, 0), builtin::r2026_4_15),
    ((2026, 4, 29), builtin::r2026_5),
    ((2026, 5, 12), builtin::r2026_5_19),
    ((2026, 5, 20), builtin::r2026_5_28),
    ((2026, 6, 0), builtin::r2026_7),
    ((2026, 8, 0), builtin::r2026_8),
    ((2026, 9, 2), builtin::r2026_9_4),
    ((2026, 9, 5), builtin::r2026_9),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_map_to_rule_sets() {
        for (release, id) in [
            ("2026.1.5", "2026.3"),
            ("2026.3.13", "2026.3"),
            ("2026.3.22", "2026.3"),
            ("2026.3.28", "2026.3.31"),
            ("2026.3.31", "2026.3.31"),
            ("2026.4.2", "2026.4.15"),
            ("2026.4.29", "2026.5"),
            ("2026.5.7", "2026.5"),
            ("2026.5.12", "2026.5.19"),
            ("2026.5", "2026.5.28"),
            ("2026.6.0", "2026.7"),
            ("2026.7.1", "2026.7"),
            ("v2026.8.0-beta.2", "2026.8"),
            ("2026.9.1", "2026.8"),
            ("2026.9.4", "2026.9.4"),
            ("2026.9.6", "2026.9"),
            ("2027.1", "2026.9"),
        ] {
            assert_eq!(RuleSet::for_release(release).map(|rules| rules.id).as_deref(), Ok(id), "{release}");
        }
        for release in ["", "latest", "2026", "2026.13.1", "2026.x"] {
            let error = RulesError::UnknownRelease { release: release.to_owned() };
            assert_eq!(RuleSet::for_release(release).map(|rules| rules.id), Err(error));
        }
    }

    #[test]
    fn unknown_rule_sets_name_the_nearest() {
        let error = RuleSet::builtin("2026.70").expect_err("unknown");
        assert_eq!(error.to_string(), "no rule set is called \"2026.70\", did you mean \"2026.7\"?");
        assert_eq!(
            RuleSet::builtin("fantasy").expect_err("unknown").to_string(),
            "no rule set is called \"fantasy\""
        );
    }
}
