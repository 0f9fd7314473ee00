//! What a store says about profiles at run time, without any secret: who there is (`ProfileFacts`),
//! the stored orders, and the usage statistics that hold the windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::base::time::Millis;

use super::facts::ProfileFacts;
use super::ids::ProfileId;
use super::js;
use super::types::Reason;

/// A number as a store holds it. OpenClaw computes with doubles, so a damaged or very old store may
/// hold fractions of a millisecond; they are compared as they are.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Num(f64);

impl Num {
    /// A number; `None` unless it is finite, since JSON has no other.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The number as a point in time or a duration in whole ms, rounded up: a window that ends
    /// within a millisecond is still there at its start.
    #[must_use]
    pub const fn millis(self) -> Millis {
        Millis(self.0.ceil() as i64)
    }
}

impl From<Millis> for Num {
    fn from(millis: Millis) -> Self {
        Self(millis.0 as f64)
    }
}

impl From<u32> for Num {
    fn from(count: u32) -> Self {
        Self(f64::from(count))
    }
}

impl From<Num> for Value {
    fn from(num: Num) -> Self {
        const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
        if num.0.fract() != 0.0 {
            Number::from_f64(num.0).map_or(Self::Null, Self::Number)
        } else if num.0.abs() <= MAX_SAFE {
            Self::from(num.0 as i64)
        } else {
            // The shortest digits that mean this double, as JavaScript writes it.
            let digits = num.0.to_string().parse::<i64>();
            digits.map_or_else(|_| Number::from_f64(num.0).map_or(Self::Null, Self::Number), Self::from)
        }
    }
}

/// How often a profile failed, by reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailureCounts {
    /// The counts of known reasons.
    pub known: BTreeMap<Reason, Num>,
    /// Other members, and counts that are no numbers, as they stand.
    pub extra: Map<String, Value>,
}

impl FailureCounts {
    fn from_json(members: &Map<String, Value>) -> Self {
        let mut counts = Self::default();
        for (key, value) in members {
            match (key.parse::<Reason>(), number(value)) {
                (Ok(reason), Some(count)) => {
                    counts.known.insert(reason, count);
                }
                _ => {
                    counts.extra.insert(key.clone(), value.clone());
                }
            }
        }
        counts
    }

    fn to_json(&self) -> Value {
        let known = self.known.iter().map(|(reason, count)| (reason.as_str().to_owned(), (*count).into()));
        Value::Object(known.chain(self.extra.clone()).collect())
    }
}

/// One entry of `usageStats`. Times are ms since 1970. A member of an unexpected type (a text where
/// a number belongs, a reason nobody knows) is kept under its name in `extra` and counts as absent
/// wherever the releases ignore it too; it is written back as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageStats {
    /// When the profile last answered.
    pub last_used: Option<Num>,
    /// When a cooling profile was last probed.
    pub last_probe_at: Option<Num>,
    /// Failures since the last success, as the release counts them.
    pub error_count: Option<Num>,
    /// When the profile last failed.
    pub last_failure_at: Option<Num>,
    /// The same failures by reason.
    pub failure_counts: Option<FailureCounts>,
    /// End of the regular cooldown.
    pub cooldown_until: Option<Num>,
    /// What set the cooldown (2026.5 on).
    pub cooldown_reason: Option<Reason>,
    /// The only model that the cooldown holds for (2026.5 on).
    pub cooldown_model: Option<Arc<str>>,
    /// How 2026.9 classified the failure behind the cooldown.
    pub cooldown_classification: Option<Arc<str>>,
    /// End of a billing or permanent-auth window.
    pub disabled_until: Option<Num>,
    /// What disabled the profile.
    pub disabled_reason: Option<Reason>,
    /// End of a subscription limit with a known reset.
    pub blocked_until: Option<Num>,
    /// What blocked the profile: `subscription_limit`.
    pub blocked_reason: Option<Arc<str>>,
    /// Who said so: `codex_rate_limits` or `wham`.
    pub blocked_source: Option<Arc<str>>,
    /// The model that met the limit.
    pub blocked_model: Option<Arc<str>>,
    /// `model` when the limit holds for that model alone (2026.9).
    pub blocked_scope: Option<Arc<str>>,
    /// Every other member, as it stands.
    pub extra: Map<String, Value>,
}

impl UsageStats {
    /// Reads an entry; unexpected members go to `extra`.
    #[must_use]
    pub fn from_json(members: &Map<String, Value>) -> Self {
        let mut stats = Self::default();
        for (key, value) in members {
            if !stats.take(key, value) {
                stats.extra.insert(key.clone(), value.clone());
            }
        }
        stats
    }

    fn take(&mut self, key: &str, value: &Value) -> bool {
        fn put<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
            *slot = value;
            slot.is_some()
        }
        match key {
            "lastUsed" => put(&mut self.last_used, number(value)),
            "lastProbeAt" => put(&mut self.last_probe_at, number(value)),
            "errorCount" => put(&mut self.error_count, number(value)),
            "lastFailureAt" => put(&mut self.last_failure_at, number(value)),
            "failureCounts" => put(&mut self.failure_counts, value.as_object().map(FailureCounts::from_json)),
            "cooldownUntil" => put(&mut self.cooldown_until, number(value)),
            "cooldownReason" => put(&mut self.cooldown_reason, reason(value)),
            "cooldownModel" => put(&mut self.cooldown_model, text(value)),
            "cooldownClassification" => put(&mut self.cooldown_classification, text(value)),
            "disabledUntil" => put(&mut self.disabled_until, number(value)),
            "disabledReason" => put(&mut self.disabled_reason, reason(value)),
            "blockedUntil" => put(&mut self.blocked_until, number(value)),
            "blockedReason" => put(&mut self.blocked_reason, text(value)),
            "blockedSource" => put(&mut self.blocked_source, text(value)),
            "blockedModel" => put(&mut self.blocked_model, text(value)),
            "blockedScope" => put(&mut self.blocked_scope, text(value)),
            _ => false,
        }
    }

    /// When the profile last answered, ms since 1970; 0 for never. A text with a number counts, as it
    /// does when the releases sort.
    #[must_use]
    pub fn last_used_or_never(&self) -> Millis {
        let odd = || self.extra.get("lastUsed").map(js::to_number).and_then(Num::new);
        self.last_used.or_else(odd).map_or(Millis(0), Num::millis)
    }

    /// Forgets members that were kept in `extra` since their type was unexpected: the release has
    /// written or cleared them.
    pub(super) fn forget_odd(&mut self, keys: &[&str]) {
        if !self.extra.is_empty() {
            self.extra.retain(|key, _| !keys.contains(&key.as_str()));
        }
    }

    /// The entry as a store holds it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let num = |value: Option<Num>| value.map(Value::from);
        let word = |value: Option<Reason>| value.map(|reason| Value::from(reason.as_str()));
        let text = |value: &Option<Arc<str>>| value.as_deref().map(Value::from);
        let members = [
            ("lastUsed", num(self.last_used)),
            ("lastProbeAt", num(self.last_probe_at)),
            ("errorCount", num(self.error_count)),
            ("lastFailureAt", num(self.last_failure_at)),
            ("failureCounts", self.failure_counts.as_ref().map(FailureCounts::to_json)),
            ("cooldownUntil", num(self.cooldown_until)),
            ("cooldownReason", word(self.cooldown_reason)),
            ("cooldownModel", text(&self.cooldown_model)),
            ("cooldownClassification", text(&self.cooldown_classification)),
            ("disabledUntil", num(self.disabled_until)),
            ("disabledReason", word(self.disabled_reason)),
            ("blockedUntil", num(self.blocked_until)),
            ("blockedReason", text(&self.blocked_reason)),
            ("blockedSource", text(&self.blocked_source)),
            ("blockedModel", text(&self.blocked_model)),
            ("blockedScope", text(&self.blocked_scope)),
        ];
        let known = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Value::Object(known.chain(self.extra.clone()).collect())
    }
}

impl Serialize for UsageStats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UsageStats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(|members| Self::from_json(&members))
    }
}

/// A number, as JavaScript's `typeof` sees it.
pub(crate) fn number(value: &Value) -> Option<Num> {
    value.as_f64().and_then(Num::new)
}

fn text(value: &Value) -> Option<Arc<str>> {
    value.as_str().map(Arc::from)
}

fn reason(value: &Value) -> Option<Reason> {
    value.as_str()?.parse().ok()
}

/// `usageStats` of a store, by profile id (or `inline-api-key:<provider>`), in the store's sequence.
pub type UsageMap = IndexMap<ProfileId, UsageStats>;

/// Everything that the engine reads of a store, free of secrets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthState {
    /// The profiles, in the store's sequence.
    pub profiles: IndexMap<ProfileId, ProfileFacts>,
    /// Stored orders, by provider as the store spells it.
    pub order: IndexMap<String, Vec<ProfileId>>,
    /// The profile that last answered, by provider as the store spells it.
    pub last_good: IndexMap<String, ProfileId>,
    /// Usage statistics.
    pub usage: UsageMap,
    /// Members of `usageStats` that are no objects, as they stand.
    pub odd_usage: Map<String, Value>,
}

impl AuthState {
    /// Reads `{profiles, order, lastGood, usageStats}`, in one document or put together from the
    /// two of later generations. Lenient: what has the wrong shape is left out.
    #[must_use]
    pub fn from_json(store: &Value) -> Self {
        let members = |key: &str| store.get(key).and_then(Value::as_object).into_iter().flatten();
        let mut usage = UsageMap::new();
        let mut odd_usage = Map::new();
        for (id, entry) in members("usageStats") {
            match entry {
                Value::Object(entry) => {
                    usage.insert(id.as_str().into(), UsageStats::from_json(entry));
                }
                other => {
                    odd_usage.insert(id.clone(), other.clone());
                }
            }
        }
        Self {
            profiles: members("profiles")
                .filter_map(|(id, profile)| Some((id.as_str().into(), ProfileFacts::from_json(profile)?)))
                .collect(),
            order: members("order")
                .filter_map(|(provider, ids)| Some((provider.clone(), profile_ids(ids)?)))
                .collect(),
            last_good: members("lastGood")
                .filter_map(|(provider, id)| Some((provider.clone(), id.as_str()?.into())))
                .collect(),
            usage,
            odd_usage,
        }
    }

    /// `usageStats` as a store holds it.
    #[must_use]
    pub fn usage_json(&self) -> Value {
        let entries = self.usage.iter().map(|(id, stats)| (id.as_str().to_owned(), stats.to_json()));
        Value::Object(entries.chain(self.odd_usage.clone()).collect())
    }
}

/// The texts of a list; `None` when it is no list.
pub(crate) fn profile_ids(value: &Value) -> Option<Vec<ProfileId>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(ProfileId::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn usage_entries_round_trip_with_odd_members() {
        let entry = json!({
            "lastUsed": 5, "errorCount": "3", "cooldownUntil": 1_783_166_400_000.5, "cooldownReason": "weird",
            "failureCounts": {"rate_limit": 2, "other": 1, "auth": null}, "blockedScope": 7, "mine": {"a": []},
            "disabledReason": "billing", "cooldownModel": "", "lastFailureAt": null
        });
        let stats: UsageStats = serde_json::from_value(entry.clone()).expect("an object");
        assert_eq!(stats.error_count, None);
        assert_eq!(stats.disabled_reason, Some(Reason::Billing));
        assert_eq!(stats.cooldown_until.map(Num::millis), Some(Millis(1_783_166_400_001)));
        assert_eq!(serde_json::to_value(&stats).expect("serializable"), entry);
    }
}
