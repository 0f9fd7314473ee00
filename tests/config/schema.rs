use std::path::Path;

use clawctl::base::env::Env;
use clawctl::config::{Finding, LoadOptions, Loaded, Severity, load_bytes, schema};
use serde_json::Value;

use super::Folder;

fn loaded(text: &str) -> Loaded {
    let env = Env::new([("HOME", "/home/user")], "/");
    load_bytes(Path::new("openclaw.json"), text.as_bytes().to_vec(), &env, &LoadOptions::default())
}

/// `line:column id path: message` of what a release refuses.
fn refused(text: &str, release: &str) -> Vec<String> {
    let loaded = loaded(text);
    let found = schema::check(&loaded, &schema::target(release).unwrap());
    found
        .iter()
        .map(|finding| {
            let origin = loaded.origin_of(finding.span.unwrap());
            let path = finding.path.clone().unwrap();
            format!("{}:{} {} {path}: {}", origin.line, origin.column, finding.id, finding.message)
        })
        .collect()
}

fn first(text: &str, release: &str) -> Finding {
    schema::check(&loaded(text), &schema::target(release).unwrap()).remove(0)
}

/// Configs that differ in one thing, each with the verdicts of 2026.5.7, 2026.7.1 and 2026.9.6; null
/// where a release wasn't asked.
#[test]
fn verdicts_of_three_releases() {
    let releases = ["2026.5.7", "2026.7.1", "2026.9.6"].map(|release| schema::target(release).unwrap());
    let mut wrong = Vec::new();
    for line in include_str!("verdicts.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let loaded = loaded(&case["config"].to_string());
        for (target, expected) in releases.iter().zip(case["valid"].as_array().unwrap()) {
            if expected.is_null() {
                continue;
            }
            let found = schema::check(&loaded, target);
            let accepted =
                !loaded.has_errors() && found.iter().all(|finding| finding.severity != Severity::Error);
            if accepted != (*expected == true) {
                let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
                wrong.push(format!("{} expects {expected}: {} {messages:?}", target.release, case["config"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Report 31148: an unknown key has its path, its line and the nearest known key.
#[test]
fn report_31148_unknown_key() {
    let text = "{\n  agents: { defaults: { modle: { primary: 'openai/x' } } },\n}";
    assert_eq!(
        refused(text, "2026.9.6"),
        ["2:25 unknown-key agents.defaults.modle: 2026.9.6 knows no key \"modle\" here"]
    );
    assert_eq!(first(text, "2026.9.6").hints, ["did you mean \"model\"?"]);
}

/// Report 124268: 2026.9 refuses `auth.cooldowns`; the releases before take it.
#[test]
fn report_124268_cooldowns() {
    let text = "{ auth: { cooldowns: { billingBackoffHours: 5 } } }";
    assert_eq!(
        refused(text, "2026.9.6"),
        ["1:11 unknown-key auth.cooldowns: 2026.9.6 knows no key \"cooldowns\" here"]
    );
    assert!(refused(text, "2026.7.1").is_empty() && refused(text, "2026.5.7").is_empty());
}

#[test]
fn one_finding_per_cause() {
    for (text, release, expected) in [
        (
            "{gateway:{mode:'loca',port:'18789'}}",
            "2026.9",
            vec![
                r#"1:16 wrong-value gateway.mode: must be "local" or "remote""#,
                "1:28 wrong-type gateway.port: must be integer, found string",
            ],
        ),
        (
            "{agents:{defaults:{model:5}}}",
            "2026.7",
            vec!["1:26 wrong-type agents.defaults.model: must be string or object, found number"],
        ),
        (
            "{agents:{defaults:{model:{primary:1}}}}",
            "2026.7",
            vec!["1:35 wrong-type agents.defaults.model.primary: must be string, found number"],
        ),
        (
            "{models:{providers:{x:{baseUrl:'http://x',models:[{name:'n'}]}}}}",
            "2026.9",
            vec!["1:51 missing-key models.providers.x.models[0]: the key \"id\" is missing here"],
        ),
        (
            "{models:{providers:{x:{baseUrl:'u',models:[],apiKey:{source:'vault',provider:'a',id:'b'}}}}}",
            "2026.5",
            vec![r#"1:61 wrong-value models.providers.x.apiKey.source: must be "env", "file" or "exec""#],
        ),
        ("{gateway:{port:1.5}}", "2026.9", vec!["1:16 out-of-bounds gateway.port: must be a whole number"]),
        ("{gateway:{port:70000}}", "2026.9", vec!["1:16 out-of-bounds gateway.port: must be at most 65535"]),
        (
            "{auth:{profiles:{'a:b':{provider:'a',mode:'apikey'}}}}",
            "2026.5",
            vec![r#"1:43 wrong-value auth.profiles.a:b.mode: must be "api_key", "oauth" or "token""#],
        ),
        (
            "{agents:{entries:{a:{},b:{}}}}",
            "2026.9",
            vec![
                "1:18 out-of-bounds agents.entries: several agents need agents.ownership: \"explicit\", or one of them default: true",
            ],
        ),
        ("[]", "2026.9", vec!["1:1 wrong-type : must be object, found array"]),
    ] {
        assert_eq!(refused(text, release), expected, "{text}");
    }
}

/// A list that 2026.9 turns into entries itself is judged as those entries, at its own place.
#[test]
fn a_clean_list_counts_as_entries() {
    let text = "{agents:{list:[{id:'a',default:true},{id:'b',nmae:'B'}]}}";
    assert_eq!(
        refused(text, "2026.9.6"),
        ["1:46 unknown-key agents.entries.b.nmae: 2026.9.6 knows no key \"nmae\" here"]
    );
    let twice = "{agents:{list:[{id:'a'},{id:'a'}]}}";
    assert_eq!(refused(twice, "2026.9.6").len(), 1);
}

#[test]
fn findings_point_through_includes() {
    let folder = Folder::new([
        ("openclaw.json", "{gateway: {\"$include\": './gateway.json5'}}"),
        ("gateway.json5", "{\n  mode: 'lokal',\n}"),
    ]);
    let loaded = folder.load("openclaw.json");
    let found = schema::check(&loaded, &schema::newest().unwrap());
    let place = loaded.place(&found[0]).to_string();
    assert!(place.ends_with("gateway.json5:2:9: gateway.mode"), "{place}");
    assert_eq!(found[0].hints, ["did you mean \"local\"?"]);
}

#[test]
fn targets() {
    for (asked, release) in [
        ("2026.9.6", "2026.9.6"),
        ("2026.9", "2026.9.6"),
        ("2026.8.2", "2026.9.6"),
        ("2026.7", "2026.7.1"),
        ("2026.6.30", "2026.7.1"),
        ("documented", "2026.7.1"),
        ("2026.5", "2026.5.7"),
        ("2026.4.12", "2026.5.7"),
        ("v2026.5.7-beta.1", "2026.5.7"),
    ] {
        assert_eq!(schema::target(asked).unwrap().release, release, "{asked}");
    }
    for asked in ["2026.3", "2026.3.13", "2026.1.1", "nine", ""] {
        let error = schema::target(asked).unwrap_err();
        assert_eq!(error.kind.status().code(), 2, "{asked}");
        assert_eq!(error.hints, ["releases with a schema: 2026.5.7, 2026.7.1, 2026.9.6"]);
    }
}

/// `cargo run --example schema_pool` writes the pool from its own expansion unchanged.
#[test]
fn the_pool_expands() {
    let all = schema::expand_pool(include_str!("../../src/config/schema/pool.json")).unwrap();
    assert_eq!(all.keys().collect::<Vec<_>>(), ["2026.5.7", "2026.7.1", "2026.9.6"]);
    for (release, schema) in all {
        assert_eq!(
            schema["properties"]["gateway"]["properties"]["mode"]["anyOf"][0]["const"], "local",
            "{release}"
        );
    }
}
