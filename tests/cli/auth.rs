//! `auth list`, `auth show`, `auth order ...`

use crate::harness::Sandbox;

#[test]
fn list_is_a_table_where_asked_and_tab_separated_in_a_pipe() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run(["auth", "list", "--format", "table"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["auth", "list", "--agent", "ops"]).snapshot());
}

#[test]
fn list_as_json() {
    let sandbox = Sandbox::demo();
    let run =
        sandbox.run(["auth", "list", "--json", "--agent", "ops", "--provider", "openai"]).expect_status(0);
    insta::assert_snapshot!(run.snapshot());
    assert_eq!(run.json()["version"], 1);
}

#[test]
fn show_masks_secrets_and_says_where_the_order_comes_from() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run(["auth", "show", "openai:work"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["auth", "show", "google:default"]).snapshot());
    let json = sandbox.run(["auth", "show", "openai:work", "--json"]).expect_status(0);
    insta::assert_snapshot!(json.snapshot());
}

#[test]
fn fingerprints_compare_copies_within_a_run() {
    let sandbox = Sandbox::empty();
    let profiles = r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up-1"},
        "openai:b":{"type":"oauth","provider":"openai","access":"made-up-1","refresh":"made-up-2"}}"#;
    sandbox.agent_database("main", profiles, r#"{"version":1}"#);
    let print = |id: &str| {
        let shown = sandbox.run(["auth", "show", id, "--json", "--fingerprint"]).expect_status(0).json();
        shown["agents"][0]["secrets"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned()
    };
    // Each run has a key of its own, so a printed fingerprint tests no guesses.
    assert_ne!(print("openai:a"), print("openai:a"));
    let both = sandbox.run(["auth", "show", "openai:b", "--json", "--fingerprint"]).json();
    let secrets = both["agents"][0]["secrets"].as_array().expect("secrets").clone();
    assert_eq!(secrets.len(), 2);
    assert_ne!(secrets[0]["fingerprint"], secrets[1]["fingerprint"]);
}

#[test]
fn an_order_is_set_read_back_explained_undone_and_cleared() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(
        sandbox
            .run(["auth", "order", "set", "--provider", "openai", "openai:spare", "openai:work"])
            .snapshot()
    );
    insta::assert_snapshot!(sandbox.run(["auth", "order", "get", "--provider", "openai"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["auth", "order", "explain", "--provider", "openai"]).snapshot());
    sandbox.run(["undo"]).expect_status(0);
    let back = sandbox.run(["auth", "order", "get", "--json"]).expect_status(0).json();
    let order = &back["agents"][0]["orders"][0];
    assert_eq!(order["order"], serde_json::json!(["openai:work", "openai:spare", "openai:old"]));
    assert_eq!(order["lives"], "shared");
    let cleared =
        sandbox.run(["auth", "order", "clear", "--provider", "openai", "--agent", "ops"]).expect_status(0);
    insta::assert_snapshot!(cleared.snapshot());
    let again =
        sandbox.run(["auth", "order", "clear", "--provider", "openai", "--agent", "ops"]).expect_status(0);
    assert!(again.stderr.contains("no order of its own"), "{}", again.snapshot());
}

#[test]
fn setting_the_same_order_twice_writes_once() {
    let sandbox = Sandbox::demo();
    let set = ["auth", "order", "set", "--provider", "openai", "openai:spare"];
    sandbox.run(set).expect_status(0);
    let before = sandbox.tree();
    let again = sandbox.run(set).expect_status(0);
    assert!(again.stderr.contains("nothing to change"), "{}", again.snapshot());
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn dry_run_writes_nothing() {
    let sandbox = Sandbox::demo();
    let before = sandbox.tree();
    let args = ["auth", "order", "set", "--provider", "openai", "openai:spare", "--dry-run", "--json"];
    let run = sandbox.run(args).expect_status(0);
    assert_eq!(run.json()["changed"], true);
    assert_eq!(run.json()["written"], serde_json::json!([]));
    assert_eq!(sandbox.tree(), before);
}

/// Report 119233: a secondary agent without own profiles takes ids that live in main.
#[test]
fn report_119233_inherited_ids_are_accepted_stored_and_read_back() {
    let sandbox = Sandbox::empty();
    sandbox.write("openclaw.json", r#"{agents: {list: [{id: "main"}, {id: "ops"}]}}"#);
    let profiles = r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up-a"},
        "openai:b":{"type":"api_key","provider":"openai","key":"made-up-b"}}"#;
    sandbox.agent_database("main", profiles, r#"{"version":1}"#);
    let set = ["auth", "order", "set", "--agent", "ops", "--provider", "openai", "openai:b", "openai:a"];
    sandbox.run(set).expect_status(0);
    let read = sandbox.run(["auth", "order", "get", "--agent", "ops", "--json"]).expect_status(0).json();
    assert_eq!(read["agents"][0]["orders"][0]["order"], serde_json::json!(["openai:b", "openai:a"]));
    assert_eq!(read["agents"][0]["orders"][0]["lives"], "own");
    let main = sandbox.run(["auth", "order", "get", "--agent", "main", "--json"]).expect_status(0).json();
    assert_eq!(main["agents"][0]["orders"], serde_json::json!([]));
}

/// Report 118730: other spellings of the provider don't stay active beside the new order.
#[test]
fn report_118730_other_spellings_of_the_provider_go() {
    let sandbox = Sandbox::empty();
    let profiles = r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up-a"},
        "openai:b":{"type":"api_key","provider":"openai","key":"made-up-b"}}"#;
    sandbox.agent_database("main", profiles, r#"{"version":1,"order":{"OpenAI":["openai:b"]}}"#);
    sandbox.run(["auth", "order", "set", "--provider", "openai", "openai:a"]).expect_status(0);
    let read = sandbox.run(["auth", "order", "get", "--json"]).json();
    let orders = read["agents"][0]["orders"].as_array().expect("orders");
    assert_eq!(orders.len(), 1, "{read}");
    assert_eq!(orders[0]["provider"], "openai");
    assert_eq!(orders[0]["order"], serde_json::json!(["openai:a"]));
}

/// Report 42721: three days over, but with a refresh token: never "ok".
#[test]
fn report_42721_expired_oauth_with_refresh_is_refreshable() {
    let sandbox = Sandbox::demo();
    let list = sandbox.run(["auth", "list", "--json", "--provider", "anthropic"]).json();
    let robin = &list["agents"][0]["profiles"][1];
    assert_eq!(robin["state"], "expired-refreshable");
    assert_eq!(robin["stateText"], "expired (refreshable)");
}

/// Beside a shared store a first database of schema version 1 keeps 2026.9.6 from running the agent.
#[test]
fn a_first_database_beside_a_shared_store_needs_a_yes_and_goes_with_undo() {
    let sandbox = Sandbox::demo();
    let set = ["auth", "order", "set", "--agent", "research", "--provider", "openai", "openai:spare"];
    let before = sandbox.tree();
    let asked = sandbox.run(set).expect_status(2);
    assert!(asked.stderr.contains("openclaw doctor --fix"), "{}", asked.snapshot());
    assert_eq!(sandbox.tree(), before);
    let dry = sandbox.run(set.into_iter().chain(["--dry-run"])).expect_status(0);
    assert!(dry.stderr.contains("openclaw doctor --fix"), "{}", dry.snapshot());
    sandbox.run(set.into_iter().chain(["--yes"])).expect_status(0);
    let database = sandbox.state().join("agents/research/agent/openclaw-agent.sqlite");
    assert!(database.exists());
    sandbox.run(["undo"]).expect_status(0);
    assert!(!database.exists());
    let agents: Vec<String> = sandbox.tree().into_iter().filter(|line| line.contains("agents/")).collect();
    let agents_before: Vec<String> = before.into_iter().filter(|line| line.contains("agents/")).collect();
    assert_eq!(agents, agents_before);
}

#[test]
fn a_removed_profile_goes_with_every_reference_and_comes_back_with_undo() {
    let sandbox = Sandbox::demo();
    let config = sandbox.state().join("openclaw.json");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        text.replace("gateway:", "auth: { order: { openai: [\"openai:ops\"] } }, gateway:"),
    )
    .unwrap();
    let list = || {
        let run = sandbox.run(["auth", "list", "--agent", "ops"]).expect_status(0);
        let mut lines: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let before = list();
    let run = sandbox.run(["auth", "remove", "openai:ops", "--agent", "ops", "--yes"]).expect_status(0);
    assert!(run.stderr.contains("auth.order.openai"), "{}", run.snapshot());
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("demo-ops-key"), "{}", run.snapshot());
    let state = sandbox.run(["auth", "order", "get", "--agent", "ops", "--json"]).json();
    assert_eq!(state["agents"][0]["orders"][0]["order"], serde_json::json!(["openai:work"]));
    sandbox.run(["auth", "show", "openai:ops", "--agent", "ops"]).expect_status(3);
    sandbox.run(["undo"]).expect_status(0);
    assert_eq!(list(), before);
    sandbox.run(["auth", "remove", "openai:nobody"]).expect_status(3);
}

#[test]
fn an_inherited_profile_is_removed_where_it_lives() {
    let sandbox = Sandbox::empty();
    sandbox.write("openclaw.json", r#"{agents: {list: [{id: "main"}, {id: "ops"}]}}"#);
    sandbox.agent_database(
        "main",
        r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up"}}"#,
        "{}",
    );
    let run = sandbox.run(["auth", "remove", "openai:a", "--agent", "ops", "--yes"]).expect_status(2);
    assert!(run.stderr.contains("--agent main"), "{}", run.snapshot());
    sandbox.run(["auth", "remove", "openai:a", "--yes"]).expect_status(0);
}

/// Blanks and numbers in a stored order are passed over by the releases; the order can still be replaced.
#[test]
fn an_order_with_odd_items_can_be_set_and_cleared() {
    let sandbox = Sandbox::empty();
    let profiles = r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up"}}"#;
    sandbox.agent_database(
        "main",
        profiles,
        r#"{"version":1,"order":{"openai":["openai:a",""," openai:b",5]}}"#,
    );
    sandbox.run(["auth", "order", "set", "--provider", "openai", "openai:a"]).expect_status(0);
    let read = sandbox.run(["auth", "order", "get", "--json"]).json();
    assert_eq!(read["agents"][0]["orders"][0]["order"], serde_json::json!(["openai:a"]));
    sandbox.run(["undo"]).expect_status(0);
    sandbox.run(["auth", "order", "clear", "--provider", "openai"]).expect_status(0);
}
