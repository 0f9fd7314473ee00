//! `config validate`, `config explain` and `config fix`

use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::Sandbox;

const HOUSE: &str = r#"// the house
{
  gateway: { mode: 'lokal', auth: { token: "made-up-token-1" } },
  agents: {
    defaults: { model: { primary: "openai/gpt-x", fallbacks: ["anthropic/claude-x", "anthropic/claude-x"] } },
    "$include": "./agents.json5",
  },
  auth: { cooldowns: { billingBackoffHours: 5 } },
}
"#;

const AGENTS: &str = "{\n  entries: {\n    main: { model: 'openai/gpt-y', nmae: '${NOT_SET}' },\n  },\n}\n";

fn house() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("openclaw.json", HOUSE);
    sandbox.write("agents.json5", AGENTS);
    sandbox
}

#[test]
fn validate_for_people() {
    let run = house().run(["config", "validate"]).expect_status(6);
    assert!(!run.stdout.contains("made-up-token-1"));
    insta::assert_snapshot!(run.snapshot());
}

#[test]
fn validate_as_json() {
    let run =
        house().run(["config", "validate", "--json", "--for", "2026.7", "--skip", "lint"]).expect_status(6);
    insta::assert_snapshot!(run.snapshot());
}

#[test]
fn validate_for_github_and_junit() {
    let sandbox = house();
    let file = ".openclaw/openclaw.json";
    insta::assert_snapshot!(sandbox.run(["config", "validate", "--format", "github", file]).snapshot());
    let junit = sandbox.run(["config", "validate", "--format", "junit", "--only", "schema", file]);
    insta::assert_snapshot!(junit.snapshot());
}

/// Validated against the parts of the SARIF 2.1.0 schema that the log uses, written down in
/// `tests/cli/sarif-2.1.0-parts.json`; `CLAWCTL_SARIF_SCHEMA` names the whole schema instead.
#[test]
fn validate_as_sarif() {
    let run = house().run(["config", "validate", "--format", "sarif"]).expect_status(6);
    let log = run.json();
    let parts = include_str!("sarif-2.1.0-parts.json");
    let whole = std::env::var_os("CLAWCTL_SARIF_SCHEMA");
    let text =
        whole.map_or_else(|| parts.to_owned(), |path| std::fs::read_to_string(path).expect("the schema"));
    let schema: Value = serde_json::from_str(&text).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "wrong-value");
    let rule =
        &log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
    assert_eq!(rule["id"], "wrong-value");
    let physical = &result["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], ".openclaw/openclaw.json");
    assert_eq!(physical["region"], json!({"startLine": 3, "startColumn": 20, "endLine": 3, "endColumn": 27}));
}

#[test]
fn several_files_folders_and_standard_input() {
    let sandbox = Sandbox::empty();
    for (name, text) in [
        ("deploy/prod/openclaw.json", "{gateway: {mode: 'local', '$include': './part.json5'}}"),
        ("deploy/prod/part.json5", "{port: 18789}"),
        ("deploy/staging/openclaw.json", "{gateway: {mode: 'local'}}"),
        ("deploy/staging/package.json", "{\"name\": \"x\"}"),
        ("deploy/top.json5", "{gateway: {port: 'x'}}"),
        ("deploy/.hidden/openclaw.json", "{"),
    ] {
        sandbox.write(name, text);
    }
    let run = sandbox.run(["config", "validate", "--json", ".openclaw/deploy"]).expect_status(6);
    let found = run.json();
    let names: Vec<&str> =
        found["files"].as_array().expect("files").iter().filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(found["errors"], 1);
    sandbox.run(["config", "validate", "--fail-on", "never", ".openclaw/deploy"]).expect_status(0);
    sandbox.run(["config", "validate", ".openclaw/deploy/prod/openclaw.json"]).expect_status(0);
    sandbox.run(["config", "validate", "nope.json"]).expect_status(3);
    sandbox.run(["config", "validate"]).expect_status(3);

    let mut command = sandbox.command(["config", "validate", "-"]);
    command.stdin(Stdio::from(std::fs::File::open(sandbox.state().join("deploy/top.json5")).expect("open")));
    let run = sandbox.finish(command);
    assert_eq!(run.status, 6, "{}", run.snapshot());
    assert!(run.stdout.contains("standard-input:1:18"), "{}", run.stdout);
}

#[test]
fn releases_checks_and_levels() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "openclaw.json",
        "{meta: {lastTouchedVersion: '2026.5.2'}, gateway: {auth: {token: '${NOPE}'}}}",
    );
    let run = sandbox.run(["config", "validate", "--json"]).expect_status(0).json();
    assert_eq!(run["targets"][0]["release"], "2026.5.7");
    assert_eq!(run["warnings"], 1);
    sandbox.run(["config", "validate", "--fail-on", "warning"]).expect_status(6);
    sandbox.run(["config", "validate", "--fail-on", "warning", "--no-env"]).expect_status(0);
    sandbox.write("ci.env", "NOPE=made-up");
    sandbox
        .run(["config", "validate", "--fail-on", "warning", "--no-env", "--env-file", ".openclaw/ci.env"])
        .expect_status(0);
    insta::assert_snapshot!(
        sandbox.run(["config", "validate", "--for", "2026.3"]).expect_status(2).snapshot()
    );
    insta::assert_snapshot!(
        sandbox.run(["config", "validate", "--only", "plain-secrets"]).expect_status(2).snapshot()
    );
    let explained =
        sandbox.run(["config", "validate", "--explain", "agent-model-is-strict"]).expect_status(0);
    insta::assert_snapshot!(explained.snapshot());
}

#[test]
fn syntax_errors_are_shown_in_their_lines() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "openclaw.json",
        "{\n  gateway: { mode: local },\n  agents: {\n    list: [ { id: 'a' } { id: 'b' } ],\n  models: 01,\n}\n",
    );
    insta::assert_snapshot!(sandbox.run(["config", "validate"]).expect_status(6).snapshot());
    sandbox.write("openclaw.json", &"[".repeat(1_000_000));
    let run = sandbox.run(["config", "validate"]).expect_status(6);
    assert!(run.stdout.contains("inside each other") && run.stdout.len() < 2_000, "{}", run.stdout);
}

#[test]
fn explain_says_where_a_value_comes_from() {
    let sandbox = house();
    insta::assert_snapshot!(sandbox.run(["config", "explain", "agents.entries.main"]).snapshot());
    let secret = sandbox.run(["config", "explain", "gateway.auth", "--json"]).expect_status(0);
    assert_eq!(secret.json()["value"]["token"], "[hidden, 15 chars]");
    assert_eq!((secret.json()["line"].as_u64(), secret.json()["column"].as_u64()), (Some(3), Some(35)));
    insta::assert_snapshot!(
        sandbox.run(["config", "explain", "agents.defaults.modle"]).expect_status(3).snapshot()
    );
    sandbox.run(["config", "explain", "a..b"]).expect_status(2);
}

/// Report 11696: comments, includes and variables stay as they are, and a dry run writes nothing.
#[test]
fn fix_writes_only_what_it_says() {
    let sandbox = house();
    let before = sandbox.tree();
    insta::assert_snapshot!(
        sandbox.run(["config", "fix", "--dry-run", "--diff"]).expect_status(0).snapshot()
    );
    assert_eq!(sandbox.tree(), before);
    insta::assert_snapshot!(sandbox.run(["config", "fix"]).expect_status(0).snapshot());
    let fixed = std::fs::read_to_string(sandbox.state().join("openclaw.json")).expect("read");
    assert_eq!(fixed, HOUSE.replace(", \"anthropic/claude-x\"]", "]"));
    let copy =
        std::fs::read_to_string(sandbox.state().join("openclaw.json.20260704T120000Z.bak")).expect("read");
    assert_eq!(copy, HOUSE);
    assert_eq!(std::fs::read_to_string(sandbox.state().join("agents.json5")).expect("read"), AGENTS);
    let again = sandbox.run(["config", "fix"]).expect_status(0);
    assert!(again.stderr.contains("nothing to repair"), "{}", again.snapshot());
}

#[test]
fn fix_leaves_a_broken_config_and_a_symlink_alone() {
    let sandbox = Sandbox::empty();
    let path = sandbox.write("openclaw.json", "{a: ");
    sandbox.run(["config", "fix"]).expect_status(1);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "{a: ");
    let real =
        sandbox.write("real.json", "{agents: {defaults: {model: {primary: 'a/b', fallbacks: ['a/b']}}}}");
    std::fs::remove_file(&path).expect("remove");
    std::os::unix::fs::symlink(&real, &path).expect("link");
    let run = sandbox.run(["config", "fix"]);
    assert_ne!(run.status, 0, "{}", run.snapshot());
    assert!(std::fs::read_to_string(&real).expect("read").contains("['a/b']"));
}

#[test]
fn ids_can_be_hidden() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "openclaw.json",
        "{auth: {order: {openai: ['openai:me@example.com', 'openai:me@example.com']}}}",
    );
    let run = sandbox.run(["config", "validate", "--redact-ids"]);
    assert!(
        run.stdout.contains("auth-order-duplicate") && !run.stdout.contains("example.com"),
        "{}",
        run.stdout
    );
}

#[test]
fn with_store_compares_with_the_profiles() {
    let sandbox = Sandbox::empty();
    sandbox.agent_database(
        "main",
        r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up"}}"#,
        "{}",
    );
    sandbox.write(
        "openclaw.json",
        "{auth: {order: {openai: ['openai:a', 'openai:b']}}, agents: {defaults: {model: {primary: 'anthropic/x', fallbacks: ['openai/y']}}}}",
    );
    let run = sandbox.run(["config", "validate", "--with-store", "--json", "--only", "lint"]).json();
    let ids: Vec<&str> = run["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|found| found["id"].as_str())
        .collect();
    assert_eq!(ids, ["auth-order-unknown-profile", "provider-without-profile"]);
}
