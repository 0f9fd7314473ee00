//! Orders, windows and stored documents.

use clawctl::base::time::Millis;
use clawctl::engine::order::{self, OrderQuery};
use clawctl::engine::rules::RuleSet;
use clawctl::engine::types::Reason;
use clawctl::engine::usage::{self, CooldownSettings, Failure};
use clawctl::engine::{AuthState, EngineConfig, UsageStats, stored};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const NOW: i64 = 1_783_166_400_000;
const DAY: i64 = 86_400_000;
const IDS: [&str; 6] = ["openai:a", "openai:b", "openai:c", "openai:d", "xai:a", "openrouter:a"];
const MODELS: [&str; 3] = ["m1", "m2", "m3"];

fn rules() -> impl Strategy<Value = RuleSet> {
    prop::sample::select(RuleSet::IDS.to_vec()).prop_map(|id| RuleSet::builtin(id).expect("built in"))
}

fn time() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-2 * DAY..2 * DAY).prop_map(|offset| json!(NOW + offset)),
        2 => (-2_i64..3).prop_map(|offset| json!(NOW + offset)),
        1 => prop::sample::select(vec![json!(0), json!(-5), json!("soon"), json!(null), json!(1.5)]),
    ]
}

fn reason() -> impl Strategy<Value = Reason> {
    prop::sample::select(Reason::ALL.to_vec())
}

fn members(parts: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let parts: Vec<_> = parts
        .into_iter()
        .map(|(key, value)| prop::option::of(value).prop_map(move |value| value.map(|value| (key, value))))
        .collect();
    parts
        .prop_map(|parts| {
            let parts = parts.into_iter().flatten().map(|(key, value)| (key.to_owned(), value));
            Value::Object(parts.collect::<Map<_, _>>())
        })
        .boxed()
}

fn stats() -> BoxedStrategy<Value> {
    let name = || reason().prop_map(|reason| json!(reason.as_str()));
    let model = || prop::sample::select(MODELS.to_vec()).prop_map(|model| json!(model));
    let counts = prop::collection::btree_map(reason().prop_map(|reason| reason.to_string()), 0_u32..30, 0..4);
    members(vec![
        ("lastUsed", time().boxed()),
        ("errorCount", (0_u32..30).prop_map(|count| json!(count)).boxed()),
        ("lastFailureAt", time().boxed()),
        ("failureCounts", counts.prop_map(|counts| json!(counts)).boxed()),
        ("cooldownUntil", time().boxed()),
        ("cooldownReason", name().boxed()),
        ("cooldownModel", model().boxed()),
        ("disabledUntil", time().boxed()),
        ("disabledReason", name().boxed()),
        ("blockedUntil", time().boxed()),
        ("blockedReason", Just(json!("subscription_limit")).boxed()),
        ("blockedModel", model().boxed()),
        ("blockedScope", Just(json!("model")).boxed()),
        ("somethingNew", Just(json!({"a": [1]})).boxed()),
    ])
}

fn credential(provider: &'static str) -> BoxedStrategy<Value> {
    let base = move |kind: &'static str| json!({"type": kind, "provider": provider});
    let with = move |kind: &'static str, key: &'static str, value: &'static str| {
        let mut credential = base(kind);
        credential[key] = value.into();
        credential
    };
    let ended = |mut credential: Value, expires: Value| {
        credential["expires"] = expires;
        credential
    };
    prop_oneof![
        Just(with("api_key", "key", "made-up")),
        Just(with("api_key", "key", " ")),
        time().prop_map(move |expires| ended(with("token", "token", "made-up"), expires)),
        time().prop_map(move |expires| ended(with("oauth", "access", "made-up"), expires)),
        Just(base("oauth")),
    ]
    .boxed()
}

fn order() -> impl Strategy<Value = Option<Value>> {
    let ids = prop::sample::select(vec!["openai:a", "openai:b", "openai:c", "openai:gone", "xai:a"]);
    prop::option::of(prop::collection::vec(ids, 0..5).prop_map(|ids| json!({"openai": ids})))
}

fn state() -> impl Strategy<Value = AuthState> {
    let provider = |id: &'static str| id.split(':').next().unwrap_or_default();
    let entries: Vec<_> = IDS
        .iter()
        .map(|id| (prop::option::weighted(0.8, credential(provider(id))), prop::option::of(stats())))
        .collect();
    (entries, order()).prop_map(|(entries, order)| {
        let mut store = json!({"profiles": {}, "usageStats": {}});
        for (id, (credential, stats)) in IDS.iter().zip(entries) {
            if let Some(credential) = credential {
                store["profiles"][*id] = credential;
            }
            if let Some(stats) = stats {
                store["usageStats"][*id] = stats;
            }
        }
        if let Some(order) = order {
            store["order"] = order;
        }
        AuthState::from_json(&store)
    })
}

fn config() -> impl Strategy<Value = EngineConfig> {
    let named = prop::sample::subsequence(IDS.to_vec(), 0..4);
    let hours = prop::option::of(prop::sample::select(vec![0.5, 2.0, -1.0, 0.0, 100.0]));
    (order(), prop::option::of(named), hours).prop_map(|(order, named, hours)| {
        let mut auth = json!({});
        if let Some(order) = order {
            auth["order"] = order;
        }
        for id in named.into_iter().flatten() {
            let provider = id.split(':').next().unwrap_or_default();
            auth["profiles"][id] = json!({"provider": provider, "mode": "oauth"});
        }
        if let Some(hours) = hours {
            auth["cooldowns"] = json!({"billingBackoffHours": hours, "billingMaxHours": 24});
        }
        EngineConfig::from_json(&json!({"auth": auth}))
    })
}

fn model() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(MODELS.to_vec()))
}

proptest! {
    /// An order holds eligible profiles only, each once, and only those of its provider; the explained
    /// form and the plain one agree, and so do two calls.
    #[test]
    fn an_order_is_a_permutation_of_eligible_profiles(
        rules in rules(), state in state(), config in config(), model in model(),
        preferred in prop::option::of(prop::sample::select(IDS.to_vec())),
    ) {
        let query = OrderQuery { provider: "OpenAI ", now: Millis(NOW), preferred, model };
        let resolved = order::resolve(&rules, &config, &state, query);
        let mut distinct = resolved.ids.clone();
        distinct.sort();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), resolved.ids.len());
        for id in &resolved.ids {
            let found = order::eligibility(&rules, &config, &state, "openai", id.as_str(), Millis(NOW));
            prop_assert!(found.eligible, "{} {}", id, found.reason_code);
        }
        for entry in resolved.entries.iter().filter(|entry| entry.listed && entry.eligibility.eligible) {
            prop_assert!(resolved.ids.contains(&entry.id), "{} is dropped", entry.id);
        }
        let plain: Vec<_> =
            order::ids(&rules, &config, &state, query).into_iter().cloned().collect();
        prop_assert_eq!(&plain, &resolved.ids);
        prop_assert_eq!(order::resolve(&rules, &config, &state, query), resolved);
    }

    /// No usable profile stands behind a cooling one, but for the preferred one in front; cooling ones
    /// come by their end.
    #[test]
    fn usable_profiles_go_first(
        rules in rules(), state in state(), config in config(), model in model(),
        preferred in prop::option::of(prop::sample::select(IDS.to_vec())),
    ) {
        let query = OrderQuery { provider: "openai", now: Millis(NOW), preferred, model };
        let ids = order::ids(&rules, &config, &state, query);
        let scope = model.filter(|_| rules.order.cooldown_by_model);
        let rest = ids.iter().skip(usize::from(ids.first().is_some_and(|id| preferred == Some(id.as_str()))));
        let ends: Vec<Option<Millis>> = rest
            .map(|id| state.usage.get(id.as_str()))
            .map(|stats| usage::unusable_until(&rules, stats?, Millis(NOW), scope))
            .collect();
        prop_assert!(ends.is_sorted(), "{ends:?}");
    }

    /// A failure inside a window leaves its end alone, and a new window respects its cap.
    #[test]
    fn windows_keep_their_end_and_respect_caps(
        rules in rules(), stats in stats(), reason in reason(), model in model(), hours in 0.1_f64..200.0,
    ) {
        let config = EngineConfig::from_json(&json!({"auth": {"cooldowns": {"billingBackoffHours": hours}}}));
        let settings = CooldownSettings::new(&rules, &config.auth.cooldowns, "openai");
        let before = UsageStats::from_json(stats.as_object().expect("an object"));
        let mut after = before.clone();
        usage::fail(&rules, &settings, &mut after, Failure { now: Millis(NOW), reason, model });
        let ends = [
            (before.cooldown_until, after.cooldown_until, Millis(DAY)),
            (before.disabled_until, after.disabled_until, Millis((hours * 3_600_000.0) as i64 + 1).max(Millis(DAY))),
            (before.blocked_until, after.blocked_until, Millis(0)),
        ];
        for (before, after, cap) in ends {
            let until = |end: Option<clawctl::engine::state::Num>| end.map(clawctl::engine::state::Num::millis);
            match (until(before), until(after)) {
                (Some(before), after) if before > Millis(NOW) => prop_assert_eq!(after, Some(before)),
                (before, after) if before == after => {}
                (_, Some(after)) => prop_assert!(after > Millis(NOW) && after <= Millis(NOW) + cap, "{after:?}"),
                (_, None) => prop_assert!(false, "a failure cleared a window"),
            }
        }
        let mut again = before;
        usage::fail(&rules, &settings, &mut again, Failure { now: Millis(NOW), reason, model });
        prop_assert_eq!(again, after);
    }

    /// Clearing expired windows twice changes nothing more, and no active window goes.
    #[test]
    fn expiry_is_idempotent(rules in rules(), stats in stats(), later in 0..3 * DAY) {
        let now = Millis(NOW + later);
        let mut stats = UsageStats::from_json(stats.as_object().expect("an object"));
        let active = usage::windows(&rules, &stats, now);
        usage::expire(&rules, &mut stats, now);
        prop_assert_eq!(usage::all_windows(&rules, &stats), active);
        let once = stats.clone();
        prop_assert!(!usage::expire(&rules, &mut stats, now));
        prop_assert_eq!(stats, once);
    }

    /// After a success nothing is in the way, whatever was there, and the time of use is known.
    #[test]
    fn a_success_ends_every_window(rules in rules(), before in stats()) {
        let mut stats = UsageStats::from_json(before.as_object().expect("an object"));
        usage::succeed(&rules, &mut stats, Millis(NOW));
        prop_assert_eq!(usage::all_windows(&rules, &stats), vec![]);
        prop_assert_eq!(stats.last_used.map(clawctl::engine::state::Num::millis), Some(Millis(NOW)));
        let kept = before.get("somethingNew");
        prop_assert_eq!(stats.extra.get("somethingNew"), kept);
    }

    /// The next step starts when the current windows end, and is a window that the rule set could set.
    #[test]
    fn the_next_step_follows_the_last_window(rules in rules(), stats in stats()) {
        let config = EngineConfig::default();
        let settings = CooldownSettings::new(&rules, &config.auth.cooldowns, "openai");
        let stats = UsageStats::from_json(stats.as_object().expect("an object"));
        let last = usage::windows(&rules, &stats, Millis(NOW)).into_iter().map(|window| window.until).max();
        let next = usage::next_step(&rules, &settings, &stats, Millis(NOW));
        prop_assert_eq!(next.as_ref().map(|next| next.after), last);
        if let Some(next) = next {
            prop_assert!(next.lasts > Millis(0) && next.lasts <= Millis(DAY), "{next:?}");
        }
    }

    /// Usage entries are written back as they were read.
    #[test]
    fn usage_entries_round_trip(stats in stats()) {
        let read = UsageStats::from_json(stats.as_object().expect("an object"));
        prop_assert_eq!(read.to_json(), stats);
    }

    /// A document that was read once reads the same again.
    #[test]
    fn reading_a_document_is_idempotent(
        rules in rules(),
        credentials in prop::collection::vec(credential("openai"), 0..4),
        stats in stats(),
        order in order(),
    ) {
        let profiles: Map<String, Value> =
            credentials.into_iter().enumerate().map(|(index, credential)| (format!("openai:{index}"), credential)).collect();
        let mut document = json!({"version": "2", "profiles": profiles, "usageStats": {"openai:0": stats}});
        if let Some(order) = order {
            document["order"] = order;
        }
        let once = stored::store(&rules, &document).expect("a store");
        prop_assert_eq!(stored::store(&rules, &once), Some(once));
    }
}
