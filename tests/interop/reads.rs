//! Read commands change nothing on what a release left, also beside a writer.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::{Connection, TransactionBehavior};
use serde_json::json;

use crate::documents::{Kind, database_of, read, write, write_with};
use crate::on_each_release;
use crate::openclaw::{Home, Release, files_below};

on_each_release!(reads_change_nothing);

/// Every read command, and writing ones with `--dry-run`.
const READS: [&[&str]; 9] = [
    &[],
    &["auth", "list", "--all-agents"],
    &["auth", "show", "openai:a", "--agent", "main"],
    &["auth", "order", "get", "--all-agents"],
    &["auth", "order", "explain", "--provider", "openai", "--all-agents"],
    &["cooldowns", "show", "--all-agents", "--all"],
    &["backup", "list"],
    &["auth", "order", "set", "--provider", "openai", "openai:b", "--agent", "ops", "--dry-run"],
    &["cooldowns", "clear", "--all", "--all-agents", "--dry-run"],
];

/// A line for every file and folder below the home: name, mode, time of last change; and a hash of
/// every file. The files are opened by another process: closing one in this process would drop the
/// locks that this process holds as a writer.
fn tree(home: &Home) -> Vec<String> {
    fn walk(path: &Path, lines: &mut Vec<String>, files: &mut Vec<PathBuf>) {
        let metadata = fs::symlink_metadata(path).expect("stat");
        let (seconds, nanos) = (metadata.mtime(), metadata.mtime_nsec());
        lines.push(format!("{} {:o} {seconds}.{nanos:09}", path.display(), metadata.mode()));
        if metadata.is_dir() {
            let mut names: Vec<_> =
                fs::read_dir(path).expect("list").map(|entry| entry.expect("an entry").path()).collect();
            names.sort();
            names.iter().for_each(|name| walk(name, lines, files));
        } else if metadata.is_file() {
            files.push(path.to_path_buf());
        }
    }
    let (mut lines, mut files) = (Vec::new(), Vec::new());
    walk(home.path(), &mut lines, &mut files);
    let hashes = Command::new("sha256sum").args(files).output().expect("sha256sum runs");
    assert!(hashes.status.success(), "{}", String::from_utf8_lossy(&hashes.stderr));
    lines.extend(String::from_utf8_lossy(&hashes.stdout).lines().map(str::to_owned));
    lines
}

/// Runs every read command and compares the tree.
fn read_all(home: &Home) {
    for args in READS {
        let before = tree(home);
        home.clawctl(args).success();
        let after = tree(home);
        let changed: Vec<&str> = after
            .iter()
            .filter(|entry| !before.contains(entry))
            .chain(before.iter().filter(|entry| !after.contains(entry)))
            .map(String::as_str)
            .collect();
        assert!(changed.is_empty(), "clawctl {args:?} changed {changed:?}");
    }
}

fn reads_change_nothing(release: Release) {
    let home = Home::filled(release);
    read_all(&home);
    let Some(database) = database_of(&home, "main", Kind::Credentials) else { return };

    // Somebody died with committed pages in the -wal and nothing else: one more profile is there.
    let mut store = read(&home, "main", Kind::Credentials).expect("credentials");
    store["profiles"]["openai:z"] =
        json!({"type": "api_key", "provider": "openai", "key": "made-up-key-of-z-0000000000"});
    let connection = Connection::open(&database).expect("open");
    connection.execute_batch("PRAGMA wal_autocheckpoint = 0").expect("a pragma");
    write_with(&connection, &home, "main", Kind::Credentials, &store);
    let left = home.copied();
    assert!(files_below(left.path()).iter().any(|(name, content)| {
        name.extension().is_some_and(|extension| extension == "sqlite-wal") && !content.is_empty()
    }));
    for gone in [false, true] {
        let listed = left.clawctl_profiles("main");
        assert!(listed.contains(&"openai:z openai api_key".to_owned()), "{listed:?}");
        read_all(&left);
        if !gone {
            let database = database_of(&left, "main", Kind::Credentials).expect("a database");
            let _ = fs::remove_file(format!("{}-shm", database.display()));
        }
    }
    // And with the writer still there.
    assert!(home.clawctl_profiles("main").contains(&"openai:z openai api_key".to_owned()));
    read_all(&home);
    drop(connection);
}

on_each_release!(reads_beside_an_open_transaction);

/// Beside a writer that holds a write transaction, the last committed state is read; a write is busy.
fn reads_beside_an_open_transaction(release: Release) {
    let home = Home::filled(release);
    let Some(database) = database_of(&home, "main", Kind::State) else {
        // JSON files: the writer holds the lock file, and hasn't replaced the file yet.
        let lock = home.agent_dir("main").join("auth-profiles.json.lock");
        let created = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        fs::write(&lock, json!({"pid": std::process::id(), "createdAt": created}).to_string()).expect("lock");
        read_all(&home);
        home.clawctl(&["auth", "order", "set", "--provider", "openai", "openai:b", "--agent", "main"])
            .exited(4);
        fs::remove_file(lock).expect("unlock");
        home.clawctl_set("main", "openai", &["openai:b"]);
        return;
    };
    write(&home, "main", Kind::State, &json!({"version": 1, "order": {"openai": ["openai:b"]}}));
    let mut connection = Connection::open(&database).expect("open");
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("begin");
    write_with(
        &transaction,
        &home,
        "main",
        Kind::State,
        &json!({"version": 1, "order": {"openai": ["openai:a"]}}),
    );
    assert_eq!(home.clawctl_order("main", "openai"), Some(vec!["openai:b".to_owned()]));
    read_all(&home);
    if release == Release::AgentDatabase {
        home.clawctl(&["auth", "order", "set", "--provider", "anthropic", "anthropic:x", "--agent", "main"])
            .exited(4);
    }
    transaction.commit().expect("commit");
    assert_eq!(home.clawctl_order("main", "openai"), Some(vec!["openai:a".to_owned()]));
    read_all(&home);
}
