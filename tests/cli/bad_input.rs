//! Wrong input: exit status and message of every command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rusqlite::Connection;

use crate::harness::{NOW, Run, Sandbox};

const READING: [&[&str]; 6] = [
    &["auth", "list"],
    &["auth", "show", "openai:work"],
    &["auth", "order", "get"],
    &["auth", "order", "explain", "--provider", "openai"],
    &["cooldowns", "show"],
    &["route"],
];
const WRITING: [&[&str]; 3] = [
    &["auth", "order", "set", "--provider", "openai", "openai:spare"],
    &["auth", "order", "clear", "--provider", "openai", "--agent", "ops"],
    &["cooldowns", "clear", "openai:work", "--yes"],
];

fn every() -> impl Iterator<Item = &'static [&'static str]> {
    const BACKUPS: [&[&str]; 4] =
        [&["backup", "create"], &["backup", "list"], &["backup", "restore", "x", "--yes"], &["undo"]];
    READING.into_iter().chain(WRITING).chain(BACKUPS)
}

#[test]
fn no_state_folder_is_exit_3_and_says_where_it_looked() {
    let sandbox = Sandbox::empty();
    for args in every() {
        let run = sandbox.run(args.iter().copied()).expect_status(3);
        assert!(
            run.stderr.contains(".openclaw") && run.stderr.contains("--state-dir"),
            "{args:?}: {}",
            run.snapshot()
        );
        assert_eq!(run.stdout, "");
    }
    assert!(sandbox.tree().is_empty(), "nothing is made");
    insta::assert_snapshot!(sandbox.run([] as [&str; 0]).expect_status(3).snapshot());
}

#[test]
fn a_missing_agent_is_exit_3_with_the_near_match() {
    let sandbox = Sandbox::demo();
    for args in READING.into_iter().chain(WRITING).chain([&["backup", "create"][..]]) {
        if args.contains(&"--agent") {
            continue;
        }
        let run = sandbox.run(args.iter().copied().chain(["--agent", "resarch"])).expect_status(3);
        assert!(run.stderr.contains("research"), "{args:?}: {}", run.snapshot());
    }
}

#[test]
fn unknown_profiles_and_providers_name_the_near_match() {
    let sandbox = Sandbox::demo();
    for args in [
        &["auth", "show", "openai:wrk"][..],
        &["auth", "order", "set", "--provider", "openai", "openai:wrk"],
        &["cooldowns", "clear", "openai:wrk", "--yes"],
    ] {
        let run = sandbox.run(args.iter().copied()).expect_status(3);
        assert!(run.stderr.contains("openai:work"), "{args:?}: {}", run.snapshot());
    }
    for args in [
        &["auth", "list", "--provider", "opnai"][..],
        &["auth", "order", "clear", "--provider", "opnai"],
        &["auth", "order", "explain", "--provider", "opnai"],
        &["cooldowns", "show", "--provider", "opnai"],
        &["cooldowns", "clear", "--provider", "opnai", "--yes"],
    ] {
        let run = sandbox.run(args.iter().copied()).expect_status(3);
        assert!(run.stderr.contains("did you mean openai?"), "{args:?}: {}", run.snapshot());
    }
    insta::assert_snapshot!(sandbox.run(["auth", "show", "openai:wrk", "--json"]).snapshot());
}

#[test]
fn wrong_ids_in_an_order_are_exit_2() {
    let sandbox = Sandbox::demo();
    let before = sandbox.tree();
    let set = |ids: &[&str]| {
        sandbox.run(["auth", "order", "set", "--provider", "openai"].into_iter().chain(ids.iter().copied()))
    };
    insta::assert_snapshot!(set(&["google:default"]).expect_status(2).snapshot());
    insta::assert_snapshot!(set(&["openai:work", "openai:work"]).expect_status(2).snapshot());
    set(&["openai:new"]).expect_status(3);
    assert_eq!(sandbox.tree(), before);
    set(&["openai:new", "--allow-missing"]).expect_status(0);
}

#[test]
fn unknown_flags_and_commands_are_exit_2() {
    let sandbox = Sandbox::demo();
    for args in [
        &["auth", "list", "--providr", "x"][..],
        &["auht"],
        &["auth", "order", "set", "openai:work"],
        &["cooldowns", "clear"],
    ] {
        let run = sandbox.run(args.iter().copied()).expect_status(2);
        assert_eq!(run.stdout, "", "{args:?}");
        let json = sandbox.run(args.iter().copied().chain(["--json"])).expect_status(2);
        let error: serde_json::Value = serde_json::from_str(&json.stderr).expect("one JSON object on stderr");
        assert_eq!(error["error"]["kind"], "usage", "{args:?}");
    }
    let now = sandbox.command(["auth", "list", "--now", "yesterday"]);
    assert!(sandbox.finish(now).expect_status(2).stderr.contains("RFC 3339"));
}

fn damaged(change: impl Fn(&std::path::Path)) -> Sandbox {
    let sandbox = Sandbox::empty();
    let profiles = r#"{"openai:work":{"type":"api_key","provider":"openai","key":"made-up"},
        "openai:spare":{"type":"api_key","provider":"openai","key":"made-up-2"}}"#;
    let path = sandbox.agent_database(
        "main",
        profiles,
        r#"{"version":1,"usageStats":{"openai:work":{"errorCount":1}}}"#,
    );
    change(&path);
    sandbox
}

/// Report 120549: the first page is zeroed.
#[test]
fn report_120549_a_damaged_database_is_exit_5_and_stays_as_it_is() {
    let sandbox = damaged(|path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[..4096].fill(0);
        fs::write(path, bytes).unwrap();
    });
    let before = sandbox.tree();
    for args in [
        &["auth", "list"][..],
        &["auth", "order", "set", "--provider", "openai", "openai:spare"],
        &["cooldowns", "clear", "--all", "--yes"],
    ] {
        let run = sandbox.run(args.iter().copied()).expect_status(5);
        assert!(run.stderr.contains("openclaw-agent.sqlite"), "{args:?}: {}", run.snapshot());
        assert_eq!(sandbox.tree(), before, "{args:?}: no -wal made, nothing written");
    }
}

/// Report 154628: a schema of the future is read, never written.
#[test]
fn report_154628_a_newer_schema_is_read_and_never_written() {
    let sandbox = damaged(|path| {
        let database = Connection::open(path).unwrap();
        database.pragma_update(None, "user_version", 999).unwrap();
        database.close().unwrap();
    });
    let before = sandbox.tree();
    let list = sandbox.run(["auth", "list"]).expect_status(0);
    assert!(list.stdout.contains("openai:work") && list.stderr.contains("999"), "{}", list.snapshot());
    for args in [
        &["auth", "order", "set", "--provider", "openai", "openai:spare"][..],
        &["cooldowns", "clear", "openai:work", "--yes"],
    ] {
        sandbox.run(args.iter().copied()).expect_status(5);
        assert_eq!(sandbox.tree(), before, "{args:?}");
    }
}

/// A post-mortem's state: the database is stamped for another agent.
#[test]
fn another_agents_database_is_never_written() {
    let sandbox = damaged(|path| {
        let database = Connection::open(path).unwrap();
        database.execute("UPDATE schema_meta SET agent_id = 'ops'", []).unwrap();
        database.close().unwrap();
    });
    let before = sandbox.tree();
    sandbox.run(["auth", "order", "set", "--provider", "openai", "openai:spare"]).expect_status(5);
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn broken_json_names_line_and_column_and_no_secret() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "agents/main/agent/auth-profiles.json",
        "{\"version\":1,\n\"profiles\":{\"openai:a\":{\"key\":\"made-up-secret\" oops}}}",
    );
    let run = sandbox.run(["auth", "list"]).expect_status(5);
    assert!(run.stderr.contains("auth-profiles.json:2:"), "{}", run.snapshot());
    assert!(!run.stderr.contains("made-up-secret"), "{}", run.snapshot());
}

#[test]
fn a_broken_config_is_reported_and_the_rest_works() {
    let sandbox = Sandbox::demo();
    sandbox.write("openclaw.json", "{ gateway: { port: 18789, }\n  oops oops }");
    let run = sandbox.run(["auth", "list", "--agent", "main"]).expect_status(0);
    assert!(run.stdout.contains("openai:work"), "{}", run.snapshot());
    assert!(run.stderr.contains("openclaw.json:1:28"), "{}", run.snapshot());
}

/// Runs as a user who isn't root: root may read and write everything, so it would prove nothing.
fn as_user(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--", env!("CARGO_BIN_EXE_clawctl")])
        .args(args)
        .args(["--now", &NOW.to_string()])
        .env_clear()
        .env("HOME", sandbox.home())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir("/");
    if !is_root() {
        command = sandbox.command(args);
        command.args(["--now", &NOW.to_string()]);
    }
    sandbox.finish(command)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn chmod(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The binary and the home must be reachable for the other user.
fn open_up(sandbox: &Sandbox) {
    fn walk(path: &std::path::Path) {
        let kind = fs::symlink_metadata(path).unwrap();
        if is_root() {
            std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
        }
        if kind.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| walk(&entry.unwrap().path()));
        }
    }
    walk(sandbox.home());
}

#[test]
fn without_permission_to_read_it_says_so() {
    let sandbox = Sandbox::demo();
    open_up(&sandbox);
    chmod(&sandbox.state().join("state/openclaw.sqlite"), 0o000);
    let run = as_user(&sandbox, &["auth", "list", "--agent", "main"]);
    assert_eq!(run.status, 1, "{}", run.snapshot());
    assert!(run.stderr.contains("openclaw.sqlite") && run.stderr.contains("ermission"), "{}", run.snapshot());
}

#[test]
fn a_read_only_folder_is_read_and_a_write_fails_without_a_trace() {
    let sandbox = Sandbox::demo();
    open_up(&sandbox);
    let agent = sandbox.state().join("agents/ops/agent");
    for dir in [agent.clone(), sandbox.state().join("state"), sandbox.state()] {
        chmod(&dir, 0o500);
    }
    chmod(&agent.join("openclaw-agent.sqlite"), 0o400);
    let before = sandbox.tree();
    let list = as_user(&sandbox, &["auth", "list", "--agent", "ops"]);
    assert_eq!(list.status, 0, "{}", list.snapshot());
    assert!(list.stdout.contains("openai:ops"));
    let set =
        as_user(&sandbox, &["auth", "order", "set", "--agent", "ops", "--provider", "openai", "openai:work"]);
    assert_eq!(set.status, 1, "{}", set.snapshot());
    assert_eq!(sandbox.tree(), before);
    for dir in [agent, sandbox.state().join("state"), sandbox.state()] {
        chmod(&dir, 0o700);
    }
}

/// A state folder that was copied with its backups: undo and restore stay out of the original.
#[test]
fn backups_of_another_installation_are_refused() {
    let sandbox = Sandbox::demo();
    let id = sandbox.run(["backup", "create"]).expect_status(0).stdout.trim().to_owned();
    sandbox.run(["auth", "order", "set", "--provider", "openai", "openai:spare"]).expect_status(0);
    let copy = sandbox.home().join("copy");
    let copied = Command::new("cp").arg("-a").arg(sandbox.state()).arg(&copy).status().unwrap();
    assert!(copied.success());
    let original =
        |tree: Vec<String>| tree.into_iter().filter(|line| line.contains(".openclaw")).collect::<Vec<_>>();
    let before = original(sandbox.tree());
    let copy = copy.display().to_string();
    for args in [&["undo"][..], &["backup", "restore", &id, "--yes"]] {
        let run = sandbox.run(args.iter().copied().chain(["--state-dir", &copy])).expect_status(1);
        assert!(run.stderr.contains("another installation"), "{}", run.snapshot());
    }
    assert_eq!(original(sandbox.tree()), before);
}

#[test]
fn a_damaged_shared_store_is_exit_5_and_an_unreadable_folder_no_empty_one() {
    let sandbox = Sandbox::demo();
    fs::write(
        sandbox.state().join("state/openclaw.sqlite"),
        "junk that is no database, long enough to be read",
    )
    .unwrap();
    for args in [&["auth", "list", "--agent", "main"][..], &["cooldowns", "show"], &["route"]] {
        sandbox.run(args.iter().copied()).expect_status(5);
    }
    let sandbox = Sandbox::demo();
    open_up(&sandbox);
    chmod(&sandbox.state().join("state"), 0o000);
    let run = as_user(&sandbox, &["cooldowns", "show"]);
    chmod(&sandbox.state().join("state"), 0o700);
    assert_eq!(run.status, 1, "{}", run.snapshot());
    assert!(run.stderr.contains("state"), "{}", run.snapshot());
}

#[test]
fn a_write_with_a_broken_config_needs_the_agent_named() {
    let sandbox = Sandbox::demo();
    sandbox.write("openclaw.json", "{ agents: { entries: { ops: { default: true },, } } }");
    let set = ["auth", "order", "set", "--provider", "openai", "openai:spare"];
    sandbox.run(set).expect_status(2);
    sandbox.run(set.into_iter().chain(["--agent", "main"])).expect_status(0);
}

#[test]
fn odd_agents_and_reserved_names_are_exit_2() {
    let sandbox = Sandbox::demo();
    for agent in ["", "***", "   ", "../main"] {
        sandbox.run(["auth", "list", "--agent", agent]).expect_status(2);
    }
    let reserved = ["auth", "order", "set", "--provider", "__proto__", "x:y", "--allow-missing"];
    sandbox.run(reserved).expect_status(2);
}

#[test]
fn a_fifo_where_a_file_belongs_is_an_error_and_no_wait() {
    let sandbox = Sandbox::demo();
    for name in ["openclaw.json", "state/openclaw.sqlite"] {
        let path = sandbox.state().join(name);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    }
    sandbox.run(["auth", "list", "--agent", "main"]).expect_status(5);
}
