//! `backup create|list|restore` and `undo`

use crate::harness::Sandbox;

#[test]
fn a_backup_is_listed_restored_and_the_restore_undone() {
    let sandbox = Sandbox::demo();
    let created = sandbox.run(["backup", "create", "--all-agents"]).expect_status(0);
    let id = created.stdout.trim().to_owned();
    sandbox.run(["auth", "order", "clear", "--provider", "openai", "--agent", "ops"]).expect_status(0);
    let order = || {
        sandbox.run(["auth", "order", "get", "--agent", "ops", "--json"]).json()["agents"][0]["orders"]
            .clone()
    };
    let cleared = order();
    sandbox.run(["backup", "restore", &id, "--yes"]).expect_status(0);
    assert_ne!(order(), cleared);
    assert_eq!(order()[0]["order"], serde_json::json!(["openai:ops", "openai:work"]));
    sandbox.run(["undo"]).expect_status(0);
    assert_eq!(order(), cleared);
    let list = sandbox.run(["backup", "list", "--json"]).expect_status(0).json();
    assert!(list["backups"].as_array().expect("backups").len() >= 3, "{list}");
}

#[test]
fn nothing_to_undo_is_exit_3() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run(["undo"]).expect_status(3).snapshot());
    insta::assert_snapshot!(
        sandbox.run(["backup", "restore", "nonsense", "--yes"]).expect_status(3).snapshot()
    );
    assert_eq!(sandbox.run(["backup", "list"]).expect_status(0).stdout, "");
}

#[test]
fn undo_takes_back_exactly_what_the_write_changed() {
    let sandbox = Sandbox::demo();
    let set = |provider: &str, id: &str| {
        let args = ["auth", "order", "set", "--agent", "ops", "--provider", provider, id, "--json"];
        sandbox.run(args).expect_status(0).json()["backup"].as_str().expect("a backup").to_owned()
    };
    let first = set("openai", "openai:work");
    set("anthropic", "anthropic:robin@example.com");
    sandbox.run(["undo", &first]).expect_status(0);
    let read = sandbox.run(["auth", "order", "get", "--agent", "ops", "--json"]).json();
    let orders = read["agents"][0]["orders"].as_array().expect("orders");
    let of = |provider: &str| {
        orders.iter().find(|order| order["provider"] == provider).map(|order| order["order"].clone())
    };
    assert_eq!(of("openai"), Some(serde_json::json!(["openai:ops", "openai:work"])));
    assert_eq!(of("anthropic"), Some(serde_json::json!(["anthropic:robin@example.com"])));
}

#[test]
fn undo_refuses_to_overwrite_a_later_change_of_the_same_member() {
    let sandbox = Sandbox::demo();
    let set = |id: &str| {
        let args = ["auth", "order", "set", "--agent", "ops", "--provider", "openai", id, "--json"];
        sandbox.run(args).expect_status(0).json()["backup"].as_str().expect("a backup").to_owned()
    };
    let first = set("openai:work");
    set("openai:spare");
    let refused = sandbox.run(["undo", &first]).expect_status(4);
    assert!(refused.stderr.contains("order.openai"), "{}", refused.snapshot());
    sandbox.run(["undo", &first, "--force"]).expect_status(0);
}
