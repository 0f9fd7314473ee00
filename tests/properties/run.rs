//! What holds for every script: a replay ends, the same input gives the same bytes, and two halves
//! over the saved state equal one replay at once.

use clawctl::engine::classify::Classifier;
use clawctl::engine::rules::RuleSet;
use clawctl::script::{Given, Machine, Origin, ReplayResult, Script, Step, parse, replay};
use proptest::prelude::*;
use serde_json::{Value, json};

const PROFILES: [&str; 5] = ["alpha:one", "alpha:two", "alpha:three", "beta:one", "gamma:one"];
const MODELS: [&str; 4] = ["alpha/a1", "alpha/a2", "beta/b1", "gamma/g1"];

fn reply() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("ok")),
        Just(json!("timeout")),
        Just(json!("empty")),
        Just(json!("abort")),
        Just(json!({"status": 401, "message": "Incorrect API key provided"})),
        Just(json!({"status": 402, "message": "Insufficient credits"})),
        Just(json!({"status": 404, "message": "The model a1 does not exist"})),
        Just(json!({"status": 400, "message": "Invalid value for parameter: messages"})),
        Just(json!({"status": 400, "message": "This model's maximum context length is 8192 tokens"})),
        Just(json!({"status": 418, "message": "teapot says no", "takes": "3s"})),
        Just(json!({"status": 429, "message": "Rate limit reached for requests"})),
        Just(json!({"status": 429, "message": "Rate limit reached", "retryAfter": "90s"})),
        Just(json!({"status": 429, "message": "usage limit reached", "resetIn": "2h"})),
        Just(json!({"status": 503, "message": "Service temporarily unavailable"})),
        Just(json!({"status": 529, "message": "Overloaded"})),
        Just(json!({"refusal": {"category": "policy"}})),
        Just(json!({"status": 500, "switchTo": "beta/b1"})),
    ]
}

fn rule() -> impl Strategy<Value = Value> {
    let provider = prop::option::of(prop::sample::select(vec!["alpha", "beta", "gamma"]));
    let profile = prop::option::weighted(0.4, prop::sample::select(PROFILES.to_vec()));
    (provider, profile, prop::collection::vec(reply(), 1..4)).prop_map(|(provider, profile, then)| {
        let mut rule = json!({"then": then});
        if let Some(profile) = profile {
            rule["profile"] = profile.into();
        } else if let Some(provider) = provider {
            rule["provider"] = provider.into();
        }
        rule
    })
}

fn step() -> impl Strategy<Value = Value> {
    let session = || prop::sample::select(vec!["main", "other"]);
    let model = || prop::sample::select(MODELS.to_vec());
    let source = prop::sample::select(vec!["default", "user", "cron", "heartbeat", "hook", "cli", "agent"]);
    let send = (session(), prop::option::weighted(0.3, model()), source, any::<bool>(), any::<bool>())
        .prop_map(|(session, model, source, channel, group)| {
            let mut send = json!({"session": session, "source": source, "group": group,
                "via": if channel { "channel" } else { "cli" }});
            if let Some(model) = model {
                send["model"] = model.into();
            }
            json!({"send": send})
        });
    prop_oneof![
        5 => send,
        2 => prop::sample::select(vec!["5s", "31s", "6m", "2h"]).prop_map(|length| json!({"advance": length})),
        1 => (session(), model()).prop_map(|(session, model)| json!({"pick": {"session": session, "model": model}})),
        1 => session().prop_map(|session| json!({"pick": {"session": session, "model": "default"}})),
        1 => session().prop_map(|session| json!({"reset": session})),
        1 => session().prop_map(|session| json!({"compact": session})),
        1 => Just(json!({"restart": true})),
        1 => (session(), prop::sample::select(PROFILES.to_vec())).prop_map(|(session, profile)| {
            json!({"patch": {"session": session, "set": {"authProfileOverride": profile, "authProfileOverrideSource": "user"}}})
        }),
    ]
}

fn script() -> impl Strategy<Value = Value> {
    let order = prop::option::of(Just(vec!["alpha:two", "alpha:one", "alpha:three"]).prop_shuffle());
    let fallbacks = prop::sample::subsequence(MODELS[1..].to_vec(), 0..=3);
    let skip = prop::bool::weighted(0.3);
    (order, fallbacks, skip, prop::collection::vec(rule(), 0..5), prop::collection::vec(step(), 1..9)).prop_map(
        |(order, fallbacks, skip, replies, steps)| {
            let profiles: Value = PROFILES
                .iter()
                .map(|id| {
                    let provider = id.split(':').next().unwrap_or_default();
                    ((*id).to_string(), json!({"type": "api_key", "provider": provider}))
                })
                .collect::<serde_json::Map<_, _>>()
                .into();
            let mut store = json!({"profiles": profiles, "usageStats": {"alpha:one": {"lastUsed": "-2h"}}});
            if let Some(order) = order {
                store["order"] = json!({"alpha": order});
            }
            let env = if skip { json!({"OPENCLAW_FALLBACK_SKIP_TTL_MS": "60000"}) } else { json!({}) };
            json!({
                "start": 1_783_166_400_000_i64, "store": store, "env": env, "replies": replies, "steps": steps,
                "config": {"agents": {"defaults": {"model": {"primary": "alpha/a1", "fallbacks": fallbacks}}}},
            })
        },
    )
}

fn read(script: &Value) -> Script {
    let mut scripts = parse(&script.to_string(), "generated").expect("a valid script");
    let mut script = scripts.remove(0);
    script.origin = Origin::default();
    script
}

fn machine() -> Machine {
    Machine { agent: "main".into(), ..Machine::default() }
}

fn run(script: &Script, rules: &str) -> ReplayResult {
    let rules = RuleSet::builtin(rules).expect("a rule set");
    replay(script, &machine(), &rules, Classifier::for_family(rules.family))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_ends_and_repeats_to_the_byte(script in script()) {
        let script = read(&script);
        for rules in RuleSet::IDS {
            let one = run(&script, rules);
            for turn in &one.turns {
                // Five profiles, at most four models, at most 12 requests before the runner moves on.
                prop_assert!(turn.attempts.len() <= 20, "{} attempts", turn.attempts.len());
                prop_assert!(turn.attempts.iter().all(|attempt| (1..=40).contains(&attempt.requests)));
                let answered = turn.outcome == clawctl::script::Outcome::Answered;
                prop_assert_eq!(answered, turn.chosen.is_some());
                prop_assert_eq!(turn.summary.is_some(), matches!(turn.outcome.as_str(), "failed" | "ended"));
            }
            let again = serde_json::to_string(&run(&script, rules)).expect("JSON");
            prop_assert_eq!(serde_json::to_string(&one).expect("JSON"), again);
        }
    }

    #[test]
    fn two_halves_equal_one(script in script(), cut in 0_usize..9) {
        let whole_script = read(&script);
        let cut = cut.min(whole_script.steps.len());
        for rules in RuleSet::IDS {
            let whole = run(&whole_script, rules);
            let mut first = whole_script.clone();
            first.steps.truncate(cut);
            let half = run(&first, rules);
            let mut second = whole_script.clone();
            second.steps.drain(..cut);
            second.start = None;
            let mut store = match &whole_script.store {
                Some(Given::Inline(store)) => store.clone(),
                other => panic!("{other:?}"),
            };
            store["usageStats"] = Value::Object(half.final_state.usage_stats.clone());
            store["lastGood"] = Value::Object(half.final_state.last_good.clone());
            second.store = Some(Given::Inline(store));
            second.sessions = Some(half.final_state.sessions.clone());
            second.resume = Some(half.final_state.resume.clone());
            let mut rest = run(&second, rules);
            for turn in &mut rest.turns {
                turn.step += cut;
            }
            let mut turns = half.turns.clone();
            turns.extend(rest.turns);
            prop_assert_eq!(&whole.turns, &turns, "rules {}", rules);
            prop_assert_eq!(&whole.final_state, &rest.final_state, "rules {}", rules);
        }
    }
}

#[test]
fn the_saved_state_reads_back_as_a_script() {
    let script = read(&json!({
        "start": 1_783_166_400_000_i64,
        "config": {"agents": {"defaults": {"model": {"primary": "alpha/a1", "fallbacks": ["beta/b1"]}}}},
        "store": {"profiles": {"alpha:one": {"type": "api_key", "provider": "alpha"}, "beta:one": {"type": "api_key", "provider": "beta"}}},
        "replies": [{"provider": "alpha", "then": [{"status": 402, "message": "Insufficient credits"}]}],
    }));
    let result = run(&script, "2026.9");
    let state = serde_json::to_value(&result.final_state).expect("JSON");
    let text = json!({"sessions": state["sessions"], "resume": state["resume"], "store": {"usageStats": state["usageStats"]}});
    let back = parse(&text.to_string(), "second").expect("a valid script");
    assert_eq!(back[0].resume.as_ref(), Some(&result.final_state.resume));
    assert!(matches!(back[0].steps.as_slice(), [Step::Send(_)]));
}
