//! The constants of a rule set as a flat list: for `rules show` and `rules diff`, and for an
//! operator's file that changes them by key path. One definition feeds both.

use std::fmt;

use serde_json::{Value, json};

use crate::base::time::Millis;

use super::super::types::Reason;
use super::{AliasUse, Backoff, BlockedUse, CooldownKey, ReasonSet, RuleSet, RulesError, nearest};

/// What a constant counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Millis,
    /// A whole number.
    Count,
    /// True or false.
    Switch,
    /// Names.
    Names,
    /// A word.
    Word,
}

impl Unit {
    /// The unit's name in lists; empty where the value speaks for itself.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Millis => "ms",
            Self::Count => "count",
            Self::Switch => "switch",
            Self::Names => "names",
            Self::Word => "word",
        }
    }
}

/// The value of a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConstantValue {
    /// A duration.
    Millis(Millis),
    /// Several durations.
    Ladder(Vec<Millis>),
    /// A whole number.
    Count(u32),
    /// True or false.
    Switch(bool),
    /// Names.
    Names(Vec<String>),
    /// A word.
    Word(String),
    /// The release has no such thing.
    None,
}

impl ConstantValue {
    /// As JSON: numbers for durations (ms) and counts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Millis(millis) => json!(millis.0),
            Self::Ladder(steps) => steps.iter().map(|step| step.0).collect(),
            Self::Count(count) => json!(count),
            Self::Switch(on) => json!(on),
            Self::Names(names) => json!(names),
            Self::Word(word) => json!(word),
            Self::None => Value::Null,
        }
    }
}

impl fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Millis(millis) => duration(*millis).fmt(f),
            Self::Ladder(steps) => {
                steps.iter().map(|step| duration(*step)).collect::<Vec<_>>().join(", ").fmt(f)
            }
            Self::Count(count) => count.fmt(f),
            Self::Switch(on) => on.fmt(f),
            Self::Names(names) if names.is_empty() => f.write_str("none"),
            Self::Names(names) => names.join(", ").fmt(f),
            Self::Word(word) => word.fmt(f),
            Self::None => f.write_str("none"),
        }
    }
}

fn duration(millis: Millis) -> String {
    let unsigned = u64::try_from(millis.0).unwrap_or_default();
    humantime::format_duration(std::time::Duration::from_millis(unsigned)).to_string()
}

/// One constant of a rule set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The key path: `cooldown.rateLimit.base`.
    pub key: &'static str,
    /// Its value in this rule set.
    pub value: ConstantValue,
    /// What it counts.
    pub unit: Unit,
}

/// A place in a rule set that a constant is read from and written to.
pub(super) enum Slot<'a> {
    Millis(&'a mut Millis),
    Limit(&'a mut Option<Millis>),
    Ladder(&'a mut Vec<Millis>),
    Backoff(&'a mut Option<Backoff>, BackoffPart),
    Count(&'a mut u32),
    CountLimit(&'a mut Option<u32>),
    Switch(&'a mut bool),
    Reasons(&'a mut ReasonSet),
    ReasonList(&'a mut Vec<Reason>),
    Names(&'a mut Vec<String>),
    Keys(&'a mut Vec<CooldownKey>),
    Blocked(&'a mut BlockedUse),
    Alias(&'a mut AliasUse),
    Word(&'a mut String),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum BackoffPart {
    Base,
    Max,
}

/// Calls `visit` with the key path and the place of every constant, in the sequence of lists.
pub(super) fn visit(rules: &mut RuleSet, visit: &mut dyn FnMut(&'static str, Slot<'_>)) {
    let RuleSet { cooldown, order, chain, run, .. } = rules;
    visit("cooldown.regularLadder", Slot::Ladder(&mut cooldown.regular_ladder));
    visit("cooldown.rateLimit.base", Slot::Backoff(&mut cooldown.rate_limit, BackoffPart::Base));
    visit("cooldown.rateLimit.max", Slot::Backoff(&mut cooldown.rate_limit, BackoffPart::Max));
    visit("cooldown.billing.base", Slot::Millis(&mut cooldown.billing.base));
    visit("cooldown.billing.max", Slot::Millis(&mut cooldown.billing.max));
    visit("cooldown.authPermanent.base", Slot::Millis(&mut cooldown.auth_permanent.base));
    visit("cooldown.authPermanent.max", Slot::Millis(&mut cooldown.auth_permanent.max));
    visit("cooldown.authPermanent.asBilling", Slot::Switch(&mut cooldown.auth_permanent_as_billing));
    visit("cooldown.failureWindow", Slot::Millis(&mut cooldown.failure_window));
    visit("cooldown.maxDoublings", Slot::Count(&mut cooldown.max_doublings));
    visit("cooldown.minBackoff", Slot::Millis(&mut cooldown.min_backoff));
    visit("cooldown.wholeMillis", Slot::Switch(&mut cooldown.whole_millis));
    visit("cooldown.maxUntil", Slot::Limit(&mut cooldown.max_until));
    visit("cooldown.modelScoped", Slot::Reasons(&mut cooldown.model_scoped));
    visit("cooldown.recordsReason", Slot::Switch(&mut cooldown.records_reason));
    visit("cooldown.keepsRateLimitCount", Slot::Switch(&mut cooldown.keeps_rate_limit_count));
    visit("cooldown.reasonOutweighs", Slot::Switch(&mut cooldown.cooldown_reason_outweighs));
    visit("cooldown.blocked", Slot::Blocked(&mut cooldown.blocked));
    visit("cooldown.exemptProviders", Slot::Names(&mut cooldown.exempt_providers));
    visit("cooldown.reasonPriority", Slot::ReasonList(&mut cooldown.reason_priority));
    visit("cooldown.configKeys", Slot::Keys(&mut cooldown.config_keys));
    visit("order.liveOauthFirst", Slot::Switch(&mut order.live_oauth_first));
    visit("order.orderKeyByOwner", Slot::Switch(&mut order.order_key_by_owner));
    visit("order.goneStoredOrderFallsBack", Slot::Switch(&mut order.gone_stored_order_falls_back));
    visit("order.cooldownByModel", Slot::Switch(&mut order.cooldown_by_model));
    visit("order.awsSdkProfiles", Slot::Switch(&mut order.aws_sdk_profiles));
    visit("order.rejectsOnboardCommand", Slot::Switch(&mut order.rejects_onboard_command));
    visit("order.namesOauthRef", Slot::Switch(&mut order.names_oauth_ref));
    visit("order.honoursSetup", Slot::Switch(&mut order.honours_setup));
    visit("order.maxExpires", Slot::Limit(&mut order.max_expires));
    visit("chain.defaultModel", Slot::Word(&mut chain.default_model));
    visit("chain.aliasUse", Slot::Alias(&mut chain.alias_use));
    visit("chain.knowsConfiguredProviders", Slot::Switch(&mut chain.knows_configured_providers));
    visit("chain.fallbacksKnowConfig", Slot::Switch(&mut chain.fallbacks_know_config));
    visit("chain.wildcards", Slot::Switch(&mut chain.wildcards));
    visit("chain.agentSettings", Slot::Switch(&mut chain.agent_settings));
    visit("chain.foreignProviderDropsFallbacks", Slot::Switch(&mut chain.foreign_provider_drops_fallbacks));
    visit("chain.allowListIsPolicy", Slot::Switch(&mut chain.allow_list_is_policy));
    run.visit(visit);
}

impl Slot<'_> {
    const fn unit(&self) -> Unit {
        match self {
            Self::Millis(_) | Self::Limit(_) | Self::Ladder(_) | Self::Backoff(..) => Unit::Millis,
            Self::Count(_) | Self::CountLimit(_) => Unit::Count,
            Self::Switch(_) => Unit::Switch,
            Self::Reasons(_) | Self::ReasonList(_) | Self::Names(_) | Self::Keys(_) => Unit::Names,
            Self::Blocked(_) | Self::Alias(_) | Self::Word(_) => Unit::Word,
        }
    }

    fn read(&self) -> ConstantValue {
        let maybe = |millis: Option<Millis>| millis.map_or(ConstantValue::None, ConstantValue::Millis);
        match self {
            Self::Millis(millis) => ConstantValue::Millis(**millis),
            Self::Limit(limit) => maybe(**limit),
            Self::Backoff(backoff, BackoffPart::Base) => maybe(backoff.map(|backoff| backoff.base)),
            Self::Backoff(backoff, BackoffPart::Max) => maybe(backoff.map(|backoff| backoff.max)),
            Self::Ladder(steps) => ConstantValue::Ladder(steps.to_vec()),
            Self::Count(count) => ConstantValue::Count(**count),
            Self::CountLimit(limit) => limit.map_or(ConstantValue::None, ConstantValue::Count),
            Self::Switch(on) => ConstantValue::Switch(**on),
            Self::Reasons(set) => ConstantValue::Names(set.iter().map(|reason| reason.to_string()).collect()),
            Self::ReasonList(list) => ConstantValue::Names(list.iter().map(Reason::to_string).collect()),
            Self::Names(names) => ConstantValue::Names(names.to_vec()),
            Self::Keys(keys) => {
                ConstantValue::Names(keys.iter().map(|key| key.as_str().to_owned()).collect())
            }
            Self::Blocked(blocked) => ConstantValue::Word(blocked.as_str().to_owned()),
            Self::Alias(alias_use) => ConstantValue::Word(alias_use.as_str().to_owned()),
            Self::Word(word) => ConstantValue::Word(word.to_string()),
        }
    }

    /// Writes a value; an error says what the place takes instead.
    fn write(self, value: &Value) -> Result<(), String> {
        match self {
            Self::Millis(slot) => *slot = millis(value)?,
            Self::Limit(slot) => *slot = if value.is_null() { None } else { Some(millis(value)?) },
            Self::Backoff(slot, part) => {
                let millis = millis(value)?;
                let backoff = slot.get_or_insert(Backoff { base: millis, max: millis });
                match part {
                    BackoffPart::Base => backoff.base = millis,
                    BackoffPart::Max => backoff.max = millis,
                }
            }
            Self::Ladder(slot) => {
                let steps = list(value, "a list of durations in ms", |item| millis(item).ok())?;
                if steps.is_empty() {
                    return Err("a list of at least one duration in ms".to_owned());
                }
                *slot = steps;
            }
            Self::Count(slot) => {
                let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
                *slot = count.ok_or("a whole number from 0")?;
            }
            Self::CountLimit(slot) => {
                let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
                *slot =
                    if value.is_null() { None } else { Some(count.ok_or("a whole number from 0, or null")?) };
            }
            Self::Switch(slot) => *slot = value.as_bool().ok_or("true or false")?,
            Self::Reasons(slot) => *slot = reasons(value)?.into_iter().collect(),
            Self::ReasonList(slot) => *slot = reasons(value)?,
            Self::Names(slot) => {
                *slot = list(value, "a list of names", |item| item.as_str().map(str::to_owned))?;
            }
            Self::Keys(slot) => {
                let key = |item: &Value| {
                    CooldownKey::ALL.into_iter().find(|key| Some(key.as_str()) == item.as_str())
                };
                *slot = list(value, "a list of auth.cooldowns keys", key)?;
            }
            Self::Blocked(slot) => {
                let all = [BlockedUse::Ignored, BlockedUse::Read, BlockedUse::ReadScoped];
                let found = all.into_iter().find(|blocked| Some(blocked.as_str()) == value.as_str());
                *slot = found.ok_or("\"ignored\", \"read\" or \"read-scoped\"")?;
            }
            Self::Alias(slot) => {
                let all = [AliasUse::Bare, AliasUse::Any, AliasUse::WithProvider, AliasUse::OnePerModel];
                let found = all.into_iter().find(|alias_use| Some(alias_use.as_str()) == value.as_str());
                *slot = found.ok_or("\"bare\", \"any\", \"with-provider\" or \"one-per-model\"")?;
            }
            Self::Word(slot) => *slot = value.as_str().ok_or("a text")?.to_owned(),
        }
        Ok(())
    }
}

fn millis(value: &Value) -> Result<Millis, String> {
    let duration = match value {
        Value::Number(number) => number.as_i64().filter(|millis| *millis >= 0),
        Value::String(text) => humantime::parse_duration(text.trim())
            .ok()
            .and_then(|duration| i64::try_from(duration.as_millis()).ok()),
        _ => None,
    };
    duration.map(Millis).ok_or_else(|| "a duration: whole ms, or a text like \"30s\" or \"5m\"".to_owned())
}

fn reasons(value: &Value) -> Result<Vec<Reason>, String> {
    list(value, "a list of failure reasons", |item| item.as_str()?.parse().ok())
}

fn list<T>(value: &Value, expected: &str, item: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, String> {
    let items = value.as_array().and_then(|items| items.iter().map(item).collect::<Option<Vec<T>>>());
    items.ok_or_else(|| expected.to_owned())
}

impl BlockedUse {
    /// The name in lists and operator's files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Read => "read",
            Self::ReadScoped => "read-scoped",
        }
    }
}

impl RuleSet {
    /// Every constant, in a fixed sequence that is the same for all rule sets.
    #[must_use]
    pub fn constants(&self) -> Vec<Constant> {
        let mut constants = Vec::new();
        visit(&mut self.clone(), &mut |key, slot| {
            constants.push(Constant { key, value: slot.read(), unit: slot.unit() });
        });
        constants
    }

    /// The rule set with constants changed by key path, as an operator's file gives them: either
    /// flat (`{"cooldown.billing.base": "10m"}`) or nested (`{"cooldown": {"billing": {"base": 600000}}}`).
    ///
    /// # Errors
    /// A key path that doesn't exist, with the nearest that does; a value that doesn't fit.
    pub fn with_overrides(&self, overrides: &Value) -> Result<Self, RulesError> {
        let mut changed = self.clone();
        let mut flat = Vec::new();
        flatten(overrides, String::new(), &mut flat);
        for (key, value) in flat {
            changed.set(&key, value)?;
        }
        Ok(changed)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), RulesError> {
        let mut outcome = None;
        visit(self, &mut |name, slot| {
            if name == key {
                let before = slot.read();
                outcome = Some(slot.write(value).map(|()| before));
            }
        });
        match outcome {
            Some(Ok(before)) => {
                self.overridden.entry(key.to_owned()).or_insert(before);
                Ok(())
            }
            Some(Err(expected)) => {
                Err(RulesError::WrongValue { key: key.to_owned(), expected, found: value.to_string() })
            }
            None => {
                let constants = self.constants();
                let nearest = nearest(key, constants.iter().map(|constant| constant.key));
                Err(RulesError::UnknownConstant { key: key.to_owned(), nearest })
            }
        }
    }
}

fn flatten<'a>(value: &'a Value, path: String, flat: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(value, path, flat);
            }
        }
        value => flat.push((path, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(id: &str) -> RuleSet {
        RuleSet::builtin(id).expect("built in")
    }

    #[test]
    fn every_rule_set_lists_the_same_constants() {
        let keys = |id| rules(id).constants().into_iter().map(|constant| constant.key).collect::<Vec<_>>();
        for id in RuleSet::IDS {
            assert_eq!(keys(id), keys("2026.9"));
        }
        let mut sorted = keys("2026.9");
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), keys("2026.9").len());
    }

    #[test]
    fn documented_differs_in_the_ladder_alone() {
        let (documented, checked) = (rules("documented").constants(), rules("2026.7").constants());
        let differing: Vec<_> =
            documented.iter().zip(&checked).filter(|(a, b)| a != b).map(|(a, _)| a.key).collect();
        assert_eq!(differing, ["cooldown.regularLadder"]);
    }

    #[test]
    fn every_constant_takes_its_own_value_back() {
        for id in RuleSet::IDS {
            let before = rules(id);
            for constant in before.constants() {
                if constant.value == ConstantValue::None {
                    continue;
                }
                let overrides = json!({ constant.key: constant.value.to_json() });
                let after = before.with_overrides(&overrides).expect("its own value");
                assert_eq!(after.constants(), before.constants(), "{id} {}", constant.key);
            }
        }
    }

    #[test]
    fn overrides_nest_and_remember_what_was() {
        let changed = rules("2026.9")
            .with_overrides(
                &json!({"cooldown": {"billing": {"base": "20m"}}, "cooldown.rateLimit.max": 5000}),
            )
            .expect("known keys");
        assert_eq!(changed.cooldown.billing.base, Millis::from_mins(20));
        assert_eq!(changed.cooldown.rate_limit.map(|backoff| backoff.max), Some(Millis(5000)));
        assert_eq!(
            changed.overridden.get("cooldown.billing.base"),
            Some(&ConstantValue::Millis(Millis::from_mins(10)))
        );
    }

    #[test]
    fn override_errors_name_the_key() {
        let error = rules("2026.5").with_overrides(&json!({"cooldown.billing.bas": 1})).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "no constant is called \"cooldown.billing.bas\", did you mean \"cooldown.billing.base\"?"
        );
        let error =
            rules("2026.5").with_overrides(&json!({"cooldown.regularLadder": []})).expect_err("empty");
        assert_eq!(
            error.to_string(),
            "\"cooldown.regularLadder\" takes a list of at least one duration in ms, not []"
        );
        assert!(rules("2026.5").with_overrides(&json!({"cooldown.billing.base": "soon"})).is_err());
    }
}
