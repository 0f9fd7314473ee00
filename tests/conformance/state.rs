//! Recorded answers to questions about state: order, eligible, fail, expire, cooldown, chain, coerce.

use clawctl::base::time::Millis;
use clawctl::engine::chain::{self, ChainQuery};
use clawctl::engine::order::{self, OrderQuery};
use clawctl::engine::stored;
use clawctl::engine::usage::{self, CooldownSettings, Failure};
use clawctl::engine::{AuthState, EngineConfig, RuleSet, UsageStats};
use serde_json::{Value, json};

/// The engine's answer to a case, without its id; `None` when the case isn't one of these.
pub fn answer(release: &str, case: &Value) -> Option<Value> {
    let rules = RuleSet::for_release(release).ok()?;
    let config = EngineConfig::from_json(&case["config"]);
    let state = AuthState::from_json(&case["store"]);
    let text = |key: &str| case[key].as_str();
    let now = Millis(case["now"].as_i64().unwrap_or_default());
    match text("op")? {
        "order" => {
            let query = OrderQuery {
                provider: text("provider")?,
                now,
                preferred: text("preferred"),
                model: text("model"),
            };
            let resolved = order::resolve(&rules, &config, &state, query);
            let ids: Vec<_> = resolved.ids.iter().map(|id| id.as_str()).collect();
            let fast = order::ids(&rules, &config, &state, query);
            assert!(fast.iter().map(|id| id.as_str()).eq(ids.iter().copied()), "{case}");
            Some(json!({ "order": ids }))
        }
        "eligible" => {
            let found = order::eligibility(&rules, &config, &state, text("provider")?, text("profile")?, now);
            Some(json!({ "eligible": found.eligible, "reasonCode": found.reason_code.as_str() }))
        }
        "fail" => {
            let settings = CooldownSettings::new(&rules, &config.auth.cooldowns, text("provider")?);
            let mut stats = case["stats"].as_object().map(UsageStats::from_json).unwrap_or_default();
            let reason = text("reason")?.parse().ok()?;
            usage::fail(&rules, &settings, &mut stats, Failure { now, reason, model: text("model") });
            Some(json!({ "stats": stats }))
        }
        "expire" => {
            let mut state = state;
            let mutated = usage::expire_all(&rules, &mut state.usage, now);
            let usage =
                if case["store"]["usageStats"].is_object() { state.usage_json() } else { Value::Null };
            Some(json!({ "mutated": mutated, "usageStats": usage }))
        }
        "cooldown" => {
            let profile = text("profile")?;
            let listed = case["profiles"].as_array();
            let profiles: Vec<&str> =
                listed.map_or_else(|| vec![profile], |ids| ids.iter().filter_map(Value::as_str).collect());
            let model = text("model");
            let soonest = usage::soonest_end(&rules, &state, profiles.iter().copied(), now, model);
            let why = usage::unavailable_reason(&rules, &state, profiles.iter().copied(), now);
            Some(json!({
                "inCooldown": usage::is_in_cooldown(&rules, &state, profile, now, model),
                "soonest": soonest.map(Value::from),
                "why": why,
            }))
        }
        "chain" => {
            let given = case.get("fallbacksOverride").and_then(Value::as_array);
            let given: Option<Vec<String>> =
                given.map(|raw| raw.iter().filter_map(Value::as_str).map(str::to_owned).collect());
            // Without a config there is no primary to append either.
            let given = given.or_else(|| case["config"].is_null().then(Vec::new));
            let query = ChainQuery {
                provider: text("provider").unwrap_or_default(),
                model: text("model").unwrap_or_default(),
                agent: text("agentId"),
                fallbacks_override: given.as_deref(),
            };
            let chain = chain::candidates(&rules, &config, query);
            Some(json!({ "candidates": chain.iter().map(ToString::to_string).collect::<Vec<_>>() }))
        }
        "coerce" => Some(json!({ "store": stored::store(&rules, &case["raw"]) })),
        _ => None,
    }
}
