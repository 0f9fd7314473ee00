//! Read commands change nothing on disk.

use rusqlite::Connection;

use crate::harness::Sandbox;

const READING: [&[&str]; 12] = [
    &[],
    &["auth", "list", "--all-agents"],
    &["auth", "show", "openai:work", "--fingerprint"],
    &["auth", "order", "get", "--all-agents"],
    &["auth", "order", "explain", "--provider", "openai"],
    &["cooldowns", "show", "--all"],
    &["backup", "list"],
    &["route"],
    &["simulate", "-"],
    &["auth", "order", "set", "--provider", "openai", "openai:spare", "--dry-run"],
    &["cooldowns", "clear", "--all", "--dry-run"],
    &["classify", "429 too many requests"],
];

fn check(sandbox: &Sandbox) {
    let before = sandbox.tree();
    for args in READING {
        let run = sandbox.run(args.iter().copied());
        assert!(matches!(run.status, 0 | 2 | 6), "{args:?}: {}", run.snapshot());
        assert_eq!(sandbox.tree(), before, "{args:?}");
    }
}

#[test]
fn idle_databases() {
    check(&Sandbox::demo());
}

#[test]
fn json_files() {
    let sandbox = Sandbox::empty();
    sandbox.json_store(
        "main",
        r#"{"openai:work":{"type":"api_key","provider":"openai","key":"made-up"},"openai:spare":{"type":"api_key","provider":"openai","key":"made-up-2"}}"#,
        r#"{"version":1,"usageStats":{"openai:work":{"errorCount":1}}}"#,
    );
    check(&sandbox);
}

#[test]
fn databases_with_a_write_ahead_log_left_behind_or_a_live_writer() {
    let sandbox = Sandbox::demo();
    let path = sandbox.state().join("agents/ops/agent/openclaw-agent.sqlite");
    let mut writer = Connection::open(&path).unwrap();
    let committed = r#"{"version":1,"order":{"openai":["openai:work"]}}"#;
    writer.execute("UPDATE auth_profile_state SET state_json = ?1", [committed]).unwrap();
    let transaction = writer.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    transaction.execute("UPDATE auth_profile_state SET state_json = '{}'", []).unwrap();
    check(&sandbox);
    let read = sandbox.run(["auth", "order", "get", "--agent", "ops", "--json"]).expect_status(0).json();
    assert_eq!(
        read["agents"][0]["orders"][0]["order"],
        serde_json::json!(["openai:work"]),
        "the last committed state"
    );
    transaction.rollback().unwrap();
}
