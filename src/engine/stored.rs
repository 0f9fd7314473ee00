//! How a release reads a stored JSON document of credentials and state: which entries it takes, which
//! old spellings it understands, and what it drops. JSON in, JSON out; secrets pass through untouched.

use serde_json::{Map, Value, json};

use super::facts::secret_ref;
use super::ids::trim;
use super::js::to_number;
use super::rules::{CoerceRules, RuleSet};
use super::state::{Num, number};
use super::types::Reason;

type Members = Map<String, Value>;

/// `{version, profiles, order, lastGood, usageStats}` as the release reads it; `None` when it takes the
/// document for no store at all.
#[must_use]
pub fn store(rules: &RuleSet, raw: &Value) -> Option<Value> {
    let raw = raw.as_object()?;
    let profiles = raw.get("profiles").filter(|profiles| is_container(rules, profiles))?;
    let profiles: Members =
        entries(profiles).filter_map(|(id, entry)| Some((id, credential(rules, entry, None)?))).collect();
    let version = raw.get("version").filter(|version| !version.is_null()).map_or(1.0, to_number);
    let version =
        if rules.coerce.canonical && !(version > 0.0 && version.is_finite()) { 1.0 } else { version };
    let mut result = Members::new();
    result.insert("version".to_owned(), Num::new(version).map_or(Value::Null, Value::from));
    result.insert("profiles".to_owned(), Value::Object(profiles));
    result.extend(state_members(rules, raw));
    Some(Value::Object(result))
}

/// `{order, lastGood, usageStats}` of a state document, as the release reads it.
#[must_use]
pub fn state(rules: &RuleSet, raw: &Value) -> Value {
    Value::Object(raw.as_object().map(|raw| state_members(rules, raw)).unwrap_or_default())
}

/// One credential as the release reads it; `None` when it ignores the entry. `fallback_provider` is the
/// key of a flat legacy file (`{PROVIDER: credential}`).
#[must_use]
pub fn credential(rules: &RuleSet, raw: &Value, fallback_provider: Option<&str>) -> Option<Value> {
    let raw = raw.as_object()?;
    let coerce = &rules.coerce;
    let mut entry = raw.clone();
    if !entry.contains_key("type")
        && let Some(mode) = raw.get("mode").filter(|mode| mode.is_string())
    {
        entry.insert("type".to_owned(), mode.clone());
    }
    if coerce.reads_api_key_type && entry.get("type").is_some_and(|kind| kind == "apiKey") {
        entry.insert("type".to_owned(), "api_key".into());
    }
    let has_key_ref =
        coerce.canonical && entry.get("keyRef").is_some_and(|key| resolve(rules, key).is_some());
    if !entry.contains_key("key")
        && !has_key_ref
        && let Some(key) = raw.get("apiKey").filter(|key| key.is_string())
    {
        entry.insert("key".to_owned(), key.clone());
    }
    if coerce.reads_refs_in_values {
        move_ref(rules, &mut entry, "key", "keyRef");
        move_ref(rules, &mut entry, "token", "tokenRef");
    }
    let kind = match entry.get("type").and_then(Value::as_str)? {
        kind @ ("api_key" | "oauth" | "token") => kind.to_owned(),
        _ => return None,
    };
    if coerce.canonical {
        return canonical(rules, &entry, &kind, fallback_provider);
    }
    let provider = match entry.get("provider").filter(|provider| !provider.is_null()) {
        Some(provider) => provider.as_str()?.to_owned(),
        None => fallback_provider?.to_owned(),
    };
    if trim(&provider).is_empty() {
        return None;
    }
    entry.insert("provider".to_owned(), provider.into());
    Some(Value::Object(entry))
}

/// A credential of known members only (2026.7 on).
fn canonical(rules: &RuleSet, entry: &Members, kind: &str, fallback_provider: Option<&str>) -> Option<Value> {
    let coerce = &rules.coerce;
    let own = entry.get("provider").and_then(Value::as_str).unwrap_or_default();
    let normalize = |provider: &str| rules.providers.normalize(provider).into_owned();
    let provider = Some(normalize(own))
        .filter(|own| !own.is_empty())
        .or_else(|| fallback_provider.map(normalize))
        .filter(|provider| !provider.is_empty())?;

    let mut result = Canonical { entry, result: Members::new() };
    result.put("type", Some(kind.into()));
    result.put("provider", Some(provider.into()));
    if coerce.keeps_setup {
        result.put("setup", entry.get("setup").and_then(setup));
    }
    result.put("copyToAgents", entry.get("copyToAgents").filter(|copy| copy.is_boolean()).cloned());
    result.text("email");
    result.text("displayName");
    let reference = |key: &str| entry.get(key).and_then(|value| resolve(rules, value));
    let expires = || {
        let positive = |value: &Value| value.as_f64().is_some_and(|expires| expires > 0.0);
        entry.get("expires").map(|value| if positive(value) { value.clone() } else { json!(0) })
    };
    match kind {
        "api_key" => {
            let key_ref = reference("keyRef");
            if key_ref.is_some() {
                result.put("keyRef", key_ref);
            } else {
                result.text("key");
            }
            result.put("metadata", entry.get("metadata").and_then(text_members));
        }
        "token" => {
            result.text("token");
            result.put("tokenRef", reference("tokenRef"));
            result.put("expires", expires());
        }
        _ => {
            result.put("oauthRef", entry.get("oauthRef").filter(|value| is_sidecar_ref(value)).cloned());
            for key in coerce.oauth_members {
                result.text(key);
            }
            result.put("expires", expires());
        }
    }
    Some(Value::Object(result.result))
}

struct Canonical<'a> {
    entry: &'a Members,
    result: Members,
}

impl Canonical<'_> {
    fn put(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.result.insert(key.to_owned(), value);
        }
    }

    /// Takes a member over when it is a text that isn't blank, blanks around it included.
    fn text(&mut self, key: &str) {
        self.put(key, self.entry.get(key).filter(|value| filled(value).is_some()).cloned());
    }
}

fn resolve(rules: &RuleSet, value: &Value) -> Option<Value> {
    secret_ref(value, &rules.order.ref_forms)
}

/// A ref that stands where the value belongs moves to its own member; anything else there goes.
fn move_ref(rules: &RuleSet, entry: &mut Members, value_key: &str, ref_key: &str) {
    let odd = |value: &&Value| !value.is_null() && !value.is_string();
    let Some(value) = entry.get(value_key).filter(odd) else { return };
    let found = resolve(rules, value);
    let taken = entry.get(ref_key).is_some_and(|value| resolve(rules, value).is_some());
    if let Some(found) = found.filter(|_| !taken) {
        entry.insert(ref_key.to_owned(), found);
    }
    entry.shift_remove(value_key);
}

fn setup(value: &Value) -> Option<Value> {
    let value = value.as_object()?;
    let replacement = value.get("replacement").filter(|replacement| replacement.is_boolean())?;
    let text = |key: &str| value.get(key).filter(|value| filled(value).is_some()).cloned();
    let mut result = Members::new();
    result.insert("replacement".to_owned(), replacement.clone());
    result.insert("modelRef".to_owned(), text("modelRef")?);
    result.insert("configJson".to_owned(), text("configJson")?);
    if value.get("apiKeyHeader") == Some(&Value::Bool(true)) {
        result.insert("apiKeyHeader".to_owned(), Value::Bool(true));
    }
    for key in ["agentRuntimeId", "authChoice", "pluginId"] {
        if let Some(text) = text(key) {
            result.insert(key.to_owned(), text);
        }
    }
    Some(Value::Object(result))
}

fn text_members(value: &Value) -> Option<Value> {
    let texts = value.as_object()?.iter().filter(|(_, value)| value.is_string());
    let texts: Members = texts.map(|(key, value)| (key.clone(), value.clone())).collect();
    (!texts.is_empty()).then_some(Value::Object(texts))
}

/// A ref to a sidecar file, as older releases wrote them.
fn is_sidecar_ref(value: &Value) -> bool {
    let is = |key: &str, text: &str| value.get(key).is_some_and(|value| value == text);
    let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
    value.is_object()
        && is("source", "openclaw-credentials")
        && is("provider", "openai-codex")
        && id.len() == 32
        && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn state_members(rules: &RuleSet, raw: &Members) -> Members {
    let canonical = rules.coerce.canonical;
    let part = |key: &str| {
        let value = raw.get(key).filter(|value| is_container(rules, value))?;
        match key {
            "order" => order(rules, value),
            "lastGood" if canonical => Some(last_good(rules, value)),
            "usageStats" if canonical => Some(usage(&rules.coerce, value)),
            _ => return Some((key.to_owned(), value.clone())),
        }
        .filter(|part| !canonical || !part.is_empty())
        .map(|part| (key.to_owned(), Value::Object(part)))
    };
    ["order", "lastGood", "usageStats"].into_iter().filter_map(part).collect()
}

fn order(rules: &RuleSet, value: &Value) -> Option<Members> {
    let coerce = &rules.coerce;
    let mut result = Members::new();
    for (provider, ids) in entries(value) {
        let Some(ids) = ids.as_array() else { continue };
        let ids: Vec<Value> = ids.iter().filter_map(filled).map(|id| Value::from(trim(id))).collect();
        let key = if coerce.canonical { rules.providers.normalize(&provider).into_owned() } else { provider };
        let nameless = coerce.canonical && key.is_empty();
        if !ids.is_empty() && !nameless {
            result.insert(key, Value::Array(ids));
        }
    }
    (coerce.keeps_empty_order || !result.is_empty()).then_some(result)
}

fn last_good(rules: &RuleSet, value: &Value) -> Members {
    entries(value)
        .filter_map(|(provider, id)| {
            let key = rules.providers.normalize(&provider).into_owned();
            let id = trim(filled(id)?);
            (!key.is_empty()).then(|| (key, id.into()))
        })
        .collect()
}

fn usage(coerce: &CoerceRules, value: &Value) -> Members {
    entries(value)
        .filter_map(|(id, entry)| {
            let stats = usage_entry(coerce, entry.as_object()?);
            let id = trim(&id);
            (!id.is_empty() && !stats.is_empty()).then(|| (id.to_owned(), Value::Object(stats)))
        })
        .collect()
}

fn usage_entry(coerce: &CoerceRules, raw: &Members) -> Members {
    let num = |key: &str| raw.get(key).filter(|value| number(value).is_some()).cloned();
    let one_of = |key: &str, allowed: &[&str]| {
        raw.get(key).filter(|value| value.as_str().is_some_and(|text| allowed.contains(&text))).cloned()
    };
    let text = |key: &str| raw.get(key).and_then(filled).map(|text| Value::from(trim(text)));
    let reason = |key: &str| raw.get(key).filter(|value| stored_reason(value).is_some()).cloned();
    let mut members = vec![
        ("lastUsed", num("lastUsed")),
        ("blockedUntil", num("blockedUntil")),
        ("blockedReason", one_of("blockedReason", &["subscription_limit"])),
        ("blockedSource", one_of("blockedSource", &["codex_rate_limits", "wham"])),
        ("blockedModel", text("blockedModel")),
        ("cooldownUntil", num("cooldownUntil")),
        ("cooldownReason", reason("cooldownReason")),
        ("cooldownModel", text("cooldownModel")),
        ("disabledUntil", num("disabledUntil")),
        ("disabledReason", reason("disabledReason")),
        ("errorCount", num("errorCount")),
        ("failureCounts", raw.get("failureCounts").and_then(failure_counts)),
        ("lastFailureAt", num("lastFailureAt")),
    ];
    if coerce.newest_usage_members {
        let classification = match raw.get("cooldownReason").and_then(stored_reason) {
            Some(Reason::Auth) => one_of("cooldownClassification", &["wham_token_expired"]),
            Some(Reason::AuthPermanent) => one_of("cooldownClassification", &["wham_account_dead"]),
            _ => None,
        };
        members.push(("blockedScope", one_of("blockedScope", &["model"])));
        members.push(("cooldownClassification", classification));
        members.push(("lastProbeAt", num("lastProbeAt")));
    }
    members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// The reasons that a stored entry may name.
fn stored_reason(value: &Value) -> Option<Reason> {
    let reason = value.as_str()?.parse().ok()?;
    let never = matches!(reason, Reason::ServerError | Reason::TlsCertificate | Reason::ContextOverflow);
    (!never).then_some(reason)
}

fn failure_counts(value: &Value) -> Option<Value> {
    let mut counts = Members::new();
    for (reason, count) in value.as_object()? {
        let known = stored_reason(&Value::from(reason.as_str())).is_some();
        let count = number(count).map(Num::get).filter(|count| known && *count > 0.0);
        if let Some(count) = count.and_then(|count| Num::new(count.trunc())) {
            counts.insert(reason.clone(), count.into());
        }
    }
    (!counts.is_empty()).then_some(Value::Object(counts))
}

/// The text, unless it is blank.
fn filled(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !trim(text).is_empty())
}

/// Whether a value can hold entries: up to 2026.5 a list can, by index.
fn is_container(rules: &RuleSet, value: &Value) -> bool {
    value.is_object() || (value.is_array() && !rules.coerce.canonical)
}

fn entries(value: &Value) -> Box<dyn Iterator<Item = (String, &Value)> + '_> {
    match value {
        Value::Object(members) => Box::new(members.iter().map(|(key, value)| (key.clone(), value))),
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(|(index, value)| (index.to_string(), value)))
        }
        _ => Box::new(std::iter::empty()),
    }
}
