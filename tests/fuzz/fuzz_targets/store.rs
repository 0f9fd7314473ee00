//! Stored documents as the engine reads them: no panic, and usage entries come back as they were.
#![no_main]

use clawctl::engine::{AuthState, Family, RuleSet, stored, usage};
use clawctl::base::time::Millis;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return };
    let mut state = AuthState::from_json(&document);
    if let Some(stored @ Value::Object(_)) = document.get("usageStats") {
        assert_eq!(AuthState::from_json(&serde_json::json!({ "usageStats": state.usage_json() })).usage, state.usage);
        assert_eq!(state.usage_json().as_object().map(|map| map.len()), stored.as_object().map(|map| map.len()));
    }
    for family in Family::ALL {
        let rules = RuleSet::of_family(family);
        let _ = stored::store(&rules, &document);
        usage::expire_all(&rules, &mut state.usage, Millis(1_783_166_400_000));
    }
});
