//! Whatever a config holds, it is judged without a panic, and repairs leave it readable.

use std::path::Path;

use clawctl::base::env::Env;
use clawctl::checks::config::{Selection, validate};
use clawctl::config::{LoadOptions, Loaded, fix, load_bytes, schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn loaded(text: &str) -> Loaded {
    let env = Env::new([("SET", "value")], "/nowhere");
    load_bytes(Path::new("/nowhere/openclaw.json"), text.as_bytes().to_vec(), &env, &LoadOptions::default())
}

/// Values that settings get by accident.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1.5),
        json!(1e300),
        json!(""),
        json!("openai/gpt-x"),
        json!("a/b"),
        json!("fast"),
        json!("openai:a"),
        json!("${SET}"),
        json!("${NOT}"),
        json!("explicit"),
        json!("30m"),
        json!("file"),
    ]);
    leaf.prop_recursive(4, 40, 5, |inner| {
        let keys = prop::sample::select(vec![
            "agents",
            "defaults",
            "entries",
            "list",
            "id",
            "model",
            "primary",
            "fallbacks",
            "models",
            "providers",
            "auth",
            "order",
            "profiles",
            "cooldowns",
            "openai",
            "openai:a",
            "alias",
            "heartbeat",
            "every",
            "target",
            "source",
            "provider",
            "apiKey",
            "tools",
            "allow",
            "alsoAllow",
            "default",
            "ownership",
            "$include",
            "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((keys, inner), 0..6).prop_map(|members| {
                Value::Object(
                    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

fn config() -> impl Strategy<Value = Value> {
    (value(), value(), value(), value()).prop_map(|(agents, model, auth, more)| {
        json!({"agents": {"defaults": {"model": model}, "entries": agents, "list": [more.clone()]}, "auth": auth, "tools": more})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_config_is_judged(config in config()) {
        let loaded = loaded(&serde_json::to_string_pretty(&config).unwrap());
        for target in schema::releases() {
            for finding in validate(&loaded, &target, None, &Selection::default()) {
                prop_assert!(!finding.message.is_empty());
                prop_assert!(loaded.origin_of(finding.span.unwrap()).line > 0);
            }
        }
    }

    /// A repair takes its findings away and adds no error.
    #[test]
    fn repairs_leave_a_config(list in prop::collection::vec(prop::sample::select(vec!["a/b", "c/d", "A/b", "e/f"]), 0..6), primary in prop::sample::select(vec!["a/b", "x/y"]), comment in prop::sample::select(vec!["", " // note", " /* note */", "\n"])) {
        let items: Vec<String> = list.iter().map(|item| format!("      '{item}',{comment}\n")).collect();
        let text = format!("{{agents: {{defaults: {{model: {{\n  primary: '{primary}', fallbacks: [\n{}] }} }} }} }}", items.concat());
        let target = schema::newest().unwrap();
        let of = |text: &str| {
            let loaded = loaded(text);
            let findings = validate(&loaded, &target, None, &Selection::default());
            let fixed = fix::fix(&loaded, &findings).pop().map(|file| file.text);
            (findings.iter().filter(|finding| finding.fix.is_some()).count(), fixed)
        };
        let mut text = text;
        for _ in 0..8 {
            match of(&text) {
                (0, None) => break,
                (_, Some(fixed)) => text = fixed,
                (left, None) => prop_assert!(false, "{} left in {}", left, text),
            }
        }
        let after = loaded(&text);
        prop_assert!(!after.has_errors(), "{}", text);
        let value = after.value().unwrap();
        let kept: Vec<String> = value["agents"]["defaults"]["model"]["fallbacks"].as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_lowercase()).collect();
        let mut wanted: Vec<String> = Vec::new();
        for item in list.iter().map(|item| item.to_lowercase()) {
            if item != primary && !wanted.contains(&item) {
                wanted.push(item);
            }
        }
        prop_assert_eq!(kept, wanted);
        prop_assert_eq!(text.matches("note").count(), list.len() * comment.matches("note").count());
    }
}
