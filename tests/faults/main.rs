//! What happens when a repair is stopped, meets a full disk, a folder that can't be written, a database
//! that is in use, or a file that changes: nothing is lost, and the next run finishes.
//!
//! Needs the feature `fault-injection` (see `src/store/fault.rs`):
//! `cargo test --features fault-injection --test faults`

#![expect(clippy::print_stderr, reason = "says how much was tried")]

#[path = "../rules/harness.rs"]
mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::{Case, Home, NOW, build, name, sorted};
use rusqlite::Connection;
use serde_json::{Value, json};

const ABORTED: i32 = 6;

fn command(home: &Home, args: &[&str], env: &[(&str, String)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clawctl"));
    command
        .args(args)
        .args(["--now", &NOW.to_string()])
        .env_clear()
        .env("HOME", home.dir.path())
        .envs(&home.env)
        .envs(env.iter().map(|(name, value)| (name, value)))
        .current_dir(home.dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(home: &Home, args: &[&str], env: &[(&str, String)]) -> Output {
    command(home, args, env).output().expect("run clawctl")
}

fn text(output: &Output) -> String {
    format!(
        "{:?}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// An installation with every kind of source, for two agents.
fn import_case() -> Case {
    let key = |name: &str| json!({"type": "api_key", "provider": "x", "key": format!("made-up-{name}")});
    let main = "agents/main/agent/";
    serde_json::from_value(json!({
        "agents": {"main": {"profiles": {"x:there": key("there")}, "state": {"order": {"y": ["y:a"]}}}, "work": {}},
        "files": {
            format!("{main}auth.json"): {"flat": {"type": "api_key", "key": "made-up-flat"}},
            "agent/auth-profiles.json": {"version": 1, "profiles": {"x:old": key("old")}, "order": {"x": ["x:old"]}},
            "agent/auth-state.json": {"version": 1, "usageStats": {"x:old": {"lastUsed": 5}}},
            "credentials/oauth.json": {"z": {"access": "made-up-access", "refresh": "made-up-refresh", "expires": 9}},
            "agents/work/agent/auth.json": {"w": {"type": "api_key", "key": "made-up-w"}},
        },
        "findings": [],
    }))
    .expect("a case")
}

/// With `auth-profiles.json` and `auth-state.json` beside databases, which in a JSON installation are
/// the store itself.
fn import_home(generation: &str) -> Home {
    let mut case = import_case();
    if generation != "json" {
        let profile = json!({"version": 1, "profiles": {"x:file": {"type": "api_key", "provider": "x", "key": "made-up-file"}}});
        let state = json!({"version": 1, "order": {"x": ["x:file", "x:there"]}, "lastGood": {"x": "x:file"}});
        case.files.insert("agents/main/agent/auth-profiles.json".to_owned(), profile.clone());
        case.files.insert("agents/main/agent/auth-state.json".to_owned(), state);
    }
    let home = build(&case, generation);
    if generation == "shared" {
        receipts(&home);
    }
    home
}

/// The tables that 2026.9 records imports in.
fn receipts(home: &Home) {
    let database = Connection::open(home.path("state/openclaw.sqlite")).expect("open");
    database
        .execute_batch(
            "CREATE TABLE migration_runs (id TEXT NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL,
                 finished_at INTEGER, status TEXT NOT NULL, report_json TEXT NOT NULL) STRICT;
             CREATE TABLE migration_sources (source_key TEXT NOT NULL PRIMARY KEY, migration_kind TEXT NOT NULL,
                 source_path TEXT NOT NULL, target_table TEXT NOT NULL, source_sha256 TEXT,
                 source_size_bytes INTEGER, source_record_count INTEGER, last_run_id TEXT NOT NULL,
                 status TEXT NOT NULL, imported_at INTEGER NOT NULL, removed_source INTEGER NOT NULL DEFAULT 0,
                 report_json TEXT NOT NULL,
                 FOREIGN KEY (last_run_id) REFERENCES migration_runs(id) ON DELETE CASCADE) STRICT;",
        )
        .expect("make the tables");
}

fn recorded(home: &Home) -> i64 {
    let path = home.path("state/openclaw.sqlite");
    if !path.exists() {
        return 0;
    }
    let database = Connection::open(path).expect("open");
    let sql = "SELECT COUNT(*) FROM migration_sources WHERE status = 'completed' AND removed_source = 1";
    database.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
}

/// Every file below the state folder, apart from backups.
fn files(home: &Home) -> Vec<PathBuf> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for path in sorted(dir) {
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&home.path(""), &mut found);
    found
}

/// What an end state is compared by: the stores, the names of files (ids and times in archives' names
/// left out), the receipts.
fn end_state(home: &Home, agents: &[&str]) -> Value {
    let stores: BTreeMap<&str, Value> = agents.iter().map(|agent| (*agent, home.stored(agent))).collect();
    let mut names: Vec<String> = files(home)
        .iter()
        .map(|path| path.strip_prefix(home.path("")).expect("below").display().to_string())
        .filter(|path| {
            !path.starts_with("backups/")
                && !path.ends_with("-wal")
                && !path.ends_with("-shm")
                && !path.ends_with(".tmp")
        })
        .map(|path| match path.split_once(".migrated-") {
            Some((stem, _)) => format!("{stem}.migrated"),
            None => path,
        })
        .collect();
    names.sort();
    json!({"stores": stores, "files": names, "recorded": recorded(home)})
}

/// Every made-up secret of the home, wherever it stands outside of backups.
fn secrets(home: &Home) -> Vec<String> {
    let mut found = Vec::new();
    for path in files(home) {
        if path.starts_with(home.path("backups")) {
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for (at, _) in text.match_indices("made-up") {
            let secret: String =
                text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            found.push(secret);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What clawctl can read: profiles that a store lists, and files that an import would read.
fn readable(home: &Home, agents: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for agent in agents {
        let stored = home.stored(agent).to_string();
        found.extend(in_text(&stored));
    }
    for path in files(home) {
        let file = name(&path);
        let counts =
            ["auth-profiles.json", "auth.json", "oauth.json"].iter().any(|stem| file.starts_with(stem));
        let backup = path.starts_with(home.path("backups"));
        if counts && !backup && !file.ends_with(".lock") {
            found.extend(in_text(&fs::read_to_string(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn in_text(text: &str) -> Vec<String> {
    text.match_indices("made-up")
        .map(|(at, _)| text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect())
        .collect()
}

/// The steps that a run takes.
fn steps(home: &Home, args: &[&str]) -> Vec<String> {
    let log = home.dir.path().join("steps");
    let output = run(home, args, &[("CLAWCTL_FAULT_LOG", log.display().to_string())]);
    assert!(matches!(output.status.code(), Some(0 | 6)), "{}", text(&output));
    let steps = fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect();
    let _ = fs::remove_file(log);
    steps
}

/// Stops a run at each of its steps; after each, everything is readable, and the next run comes to the
/// same end. Returns the number of steps.
fn stop_everywhere(make: &dyn Fn() -> Home, agents: &[&str], args: &[&str], label: &str) -> usize {
    let home = make();
    let before = readable(&home, agents);
    let steps = steps(&home, args);
    let wanted = end_state(&home, agents);
    for (index, step) in steps.iter().enumerate() {
        let home = make();
        let at = (index + 1).to_string();
        let output = run(&home, args, &[("CLAWCTL_FAULT_AT", at)]);
        assert_eq!(output.status.signal(), Some(ABORTED), "{label} at step {step}: {}", text(&output));
        let left = readable(&home, agents);
        let lost: Vec<&String> = before.iter().filter(|secret| !left.contains(secret)).collect();
        assert!(lost.is_empty(), "{label} at step {step}: lost {lost:?}");
        let look = run(&home, &["doctor", "--json"], &[]);
        assert!(matches!(look.status.code(), Some(0 | 6)), "{label} at step {step}: {}", text(&look));

        let again = run(&home, args, &[]);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{label} at step {step}: {}", text(&again));
        assert_eq!(end_state(&home, agents), wanted, "{label}: the end after a stop at step {step}");
        assert!(
            !files(&home).iter().any(|path| name(path).starts_with("import-")),
            "{label} at step {step}: a journal"
        );
    }
    steps.len()
}

const FIX: [&str; 2] = ["doctor", "--fix=all"];

#[test]
fn an_import_stopped_at_any_step() {
    let mut total = 0;
    for generation in ["json", "database", "shared"] {
        let count = stop_everywhere(&|| import_home(generation), &["main", "work"], &FIX, generation);
        assert!(count > 40, "{generation} has only {count} steps");
        total += count;
    }
    eprintln!("imports: {total} stop points");
}

/// Killed at any time, not at a step.
#[test]
fn an_import_killed_at_random() {
    let wanted = {
        let home = import_home("shared");
        run(&home, &FIX, &[]);
        end_state(&home, &["main", "work"])
    };
    for delay in (0..24).map(|index| Duration::from_micros(index * 1_700)) {
        let home = import_home("shared");
        let before = readable(&home, &["main", "work"]);
        let mut child = command(&home, &FIX, &[]).spawn().expect("start");
        std::thread::sleep(delay);
        let _ = child.kill();
        child.wait().expect("wait");
        let left = readable(&home, &["main", "work"]);
        assert!(before.iter().all(|secret| left.contains(secret)), "killed after {delay:?}");
        // A lock that was made but not yet written is only abandoned by its age.
        for path in files(&home).iter().filter(|path| name(path).ends_with(".lock")) {
            fs::remove_file(path).expect("remove the lock");
        }
        let again = run(&home, &FIX, &[]);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{}", text(&again));
        assert_eq!(end_state(&home, &["main", "work"]), wanted, "killed after {delay:?}");
    }
}

/// Every case of tests/rules that has a fix, in the first of its generations.
#[test]
fn every_fix_stopped_at_any_step() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let (mut total, mut fixes) = (0, 0);
    for rule in sorted(&dir).into_iter().filter(|path| path.is_dir()) {
        let id = name(&rule);
        let mut done = Vec::new();
        for file in sorted(&rule) {
            let case = Case::read(&file);
            let fixable = case.findings.iter().any(|finding| finding.contains_key("fix"));
            let generation = case.generations().remove(0);
            // One case of each rule in each generation: the steps differ by where the data lies.
            if !fixable || done.contains(&generation) {
                continue;
            }
            done.push(generation.clone());
            let agents: Vec<&str> = case.agents.keys().map(String::as_str).collect();
            let args = ["doctor", "--fix=all", "--only", &id, "--only", "stale-lock-files"];
            total += stop_everywhere(&|| build(&case, &generation), &agents, &args, &id);
            fixes += 1;
        }
    }
    assert!(fixes >= 15, "only {fixes} fixes");
    eprintln!("{fixes} fixes: {total} stop points");
}

/// The disk is full from any step on: an error that says so, nothing lost, and with space again the
/// next run finishes.
#[test]
fn a_full_disk_at_any_step() {
    let mut total = 0;
    for generation in ["json", "database", "shared"] {
        let (count, wanted) = {
            let home = import_home(generation);
            (steps(&home, &FIX).len(), end_state(&home, &["main", "work"]))
        };
        for at in 1..=count {
            let home = import_home(generation);
            let before = readable(&home, &["main", "work"]);
            let output = run(&home, &FIX, &[("CLAWCTL_FAULT_FULL_AT", at.to_string())]);
            let failed =
                !matches!(output.status.code(), Some(0 | 6)) || text(&output).contains("No space left");
            let finished = end_state(&home, &["main", "work"]) == wanted;
            assert!(failed || finished, "{generation} full at {at}: {}", text(&output));
            let left = readable(&home, &["main", "work"]);
            assert!(before.iter().all(|secret| left.contains(secret)), "{generation} full at {at}");
            let locks: Vec<PathBuf> =
                files(&home).into_iter().filter(|path| name(path).ends_with(".lock")).collect();
            assert!(locks.is_empty(), "{generation} full at {at}: {locks:?}");
            let again = run(&home, &FIX, &[]);
            assert!(
                matches!(again.status.code(), Some(0 | 6)),
                "{generation} full at {at}: {}",
                text(&again)
            );
            assert_eq!(end_state(&home, &["main", "work"]), wanted, "{generation} full at {at}");
            total += 1;
        }
    }
    eprintln!("full disk: {total} points");
}

/// Runs at a user without rights over root's files; as root through setpriv, else as it is.
fn unprivileged(home: &Home, args: &[&str]) -> Output {
    let is_root = fs::metadata("/proc/self").expect("stat").uid() == 0;
    let mut base = command(home, args, &[]);
    if !is_root {
        return base.output().expect("run clawctl");
    }
    fn give(path: &Path) {
        std::os::unix::fs::lchown(path, Some(65_534), Some(65_534)).expect("chown");
        if path.is_dir() {
            sorted(path).iter().for_each(|path| give(path));
        }
    }
    give(home.dir.path());
    let program = home.dir.path().join("clawctl");
    fs::copy(env!("CARGO_BIN_EXE_clawctl"), &program).expect("copy the program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("chmod");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(args);
    command.args(["--now", &NOW.to_string()]).env_clear().env("HOME", home.dir.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(home.dir.path());
    let output = command.output().expect("run setpriv");
    fs::remove_file(program).expect("remove the program");
    output
}

#[test]
fn a_folder_that_cannot_be_written() {
    for generation in ["json", "database", "shared"] {
        let home = import_home(generation);
        for dir in ["agents/main/agent", "agents/work/agent", "agent", "credentials"] {
            fs::set_permissions(home.path(dir), fs::Permissions::from_mode(0o500)).expect("chmod");
        }
        let before = (readable(&home, &["main", "work"]), secrets(&home));
        let output = unprivileged(&home, &FIX);
        let said = text(&output);
        assert!(said.contains("ermission denied") || said.contains("readonly"), "{generation}: {said}");
        assert_eq!((readable(&home, &["main", "work"]), secrets(&home)), before, "{generation}");
        for dir in ["agents/main/agent", "agents/work/agent", "agent", "credentials"] {
            fs::set_permissions(home.path(dir), fs::Permissions::from_mode(0o700)).expect("chmod");
        }
        let again = unprivileged(&home, &FIX);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{generation}: {}", text(&again));
        let reference = import_home(generation);
        run(&reference, &FIX, &[]);
        assert_eq!(
            end_state(&home, &["main", "work"]),
            end_state(&reference, &["main", "work"]),
            "{generation}"
        );
    }
}

#[test]
fn wal_on_readonly() {
    let home = import_home("database");
    let path = home.path("agents/main/agent/openclaw-agent.sqlite");
    // A writer that still runs keeps its changes in the -wal.
    let writer = Connection::open(&path).expect("open");
    writer.execute("UPDATE auth_profile_store SET updated_at = updated_at + 1", []).expect("write");
    fs::set_permissions(path.parent().expect("a folder"), fs::Permissions::from_mode(0o500)).expect("chmod");
    let output = unprivileged(&home, &["doctor", "--only", "wal-on-readonly", "--json"]);
    fs::set_permissions(path.parent().expect("a folder"), fs::Permissions::from_mode(0o700)).expect("chmod");
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert_eq!(report["findings"][0]["id"], "wal-on-readonly", "{report:#}");
    assert_eq!(report["findings"][0]["agent"], "main");
}

#[test]
fn a_database_in_use() {
    for (generation, path) in
        [("database", "agents/main/agent/openclaw-agent.sqlite"), ("shared", "state/openclaw.sqlite")]
    {
        let home = import_home(generation);
        let before = end_state(&home, &["main"]);
        let database = Connection::open(home.path(path)).expect("open");
        database.execute_batch("BEGIN IMMEDIATE").expect("begin");
        let output =
            run(&home, &["doctor", "--fix", "--agent", "main", "--only", "legacy-not-imported"], &[]);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output));
        database.execute_batch("ROLLBACK").expect("roll back");
        drop(database);
        assert_eq!(end_state(&home, &["main"]), before);
        let again = run(&home, &FIX, &[]);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{}", text(&again));
        let reference = import_home(generation);
        run(&reference, &FIX, &[]);
        assert_eq!(end_state(&home, &["main", "work"]), end_state(&reference, &["main", "work"]));
    }
}

/// Starts a run that waits at a step, lets somebody else work, and goes on.
fn paused(home: &Home, args: &[&str], at: usize, work: impl FnOnce()) -> Output {
    let until = home.dir.path().join("go-on");
    let env = [
        ("CLAWCTL_FAULT_PAUSE_AT", at.to_string()),
        ("CLAWCTL_FAULT_PAUSE_UNTIL", until.display().to_string()),
    ];
    let child: Child = command(home, args, &env).spawn().expect("start");
    let reached = home.dir.path().join("go-on.reached");
    let started = Instant::now();
    while !reached.exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "the step was never reached");
        std::thread::sleep(Duration::from_millis(5));
    }
    work();
    fs::write(&until, "").expect("write");
    child.wait_with_output().expect("wait")
}

fn step_number(generation: &str, args: &[&str], wanted: &str) -> usize {
    let home = import_home(generation);
    let steps = steps(&home, args);
    let index = steps.iter().position(|step| step.ends_with(&format!(" {wanted}")));
    index.unwrap_or_else(|| panic!("no step {wanted} in {steps:?}")) + 1
}

const MAIN: [&str; 6] = ["doctor", "--fix", "--agent", "main", "--only", "legacy-not-imported"];

#[test]
fn a_source_that_changes_between_read_and_write() {
    for generation in ["database", "shared"] {
        let home = import_home(generation);
        let before = home.stored("main");
        let path = home.path("agents/main/agent/auth-profiles.json");
        let changed =
            r#"{"version":1,"profiles":{"x:new":{"type":"api_key","provider":"x","key":"made-up-new"}}}"#;
        let at = step_number(generation, &MAIN, "lock.create");
        let output = paused(&home, &MAIN, at, || fs::write(&path, changed).expect("write"));
        assert_eq!(output.status.code(), Some(4), "{}", text(&output));
        assert!(text(&output).contains("was changed by another process"), "{}", text(&output));
        assert_eq!(home.stored("main"), before);
        assert_eq!(fs::read_to_string(&path).expect("read"), changed);
        let again = run(&home, &MAIN, &[]);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{}", text(&again));
        assert!(home.stored("main")["profiles"].get("x:new").is_some());
    }
}

#[test]
fn a_store_that_changes_between_read_and_write() {
    let home = import_home("database");
    let path = home.path("agents/main/agent/openclaw-agent.sqlite");
    let at = step_number("database", &MAIN, "begin");
    let theirs =
        r#"{"version":1,"profiles":{"x:file":{"type":"api_key","provider":"x","key":"made-up-theirs"}}}"#;
    let output = paused(&home, &MAIN, at, || {
        let database = Connection::open(&path).expect("open");
        database.execute("UPDATE auth_profile_store SET store_json = ?1", [theirs]).expect("write");
    });
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert_eq!(home.stored("main")["profiles"]["x:file"]["key"], "made-up-theirs");
    assert!(home.path("agents/main/agent/auth-profiles.json").exists());
    // Now the file and the store differ: a conflict, which nobody decides silently.
    let (_, report) = home.doctor(&["--fix", "--agent", "main"]);
    let ids: Vec<&str> =
        report["findings"].as_array().expect("findings").iter().filter_map(|f| f["id"].as_str()).collect();
    assert!(ids.contains(&"legacy-conflict"), "{ids:?}");
    assert_eq!(home.stored("main")["profiles"]["x:file"]["key"], "made-up-theirs");
}

/// OpenClaw takes `<file>.lock` for each source while it imports; whoever comes second waits, and then
/// finds it done.
#[test]
fn another_import_of_the_same_file() {
    let home = import_home("database");
    let path = home.path("agents/main/agent/auth-profiles.json");
    let at = step_number("database", &MAIN, "lock.create.done");
    paused(&home, &MAIN, at, || {
        let locks = files(&home).iter().filter(|path| name(path).ends_with(".lock")).count();
        assert_eq!(locks, 1, "the first of the sources is locked");
    });
    assert!(!path.exists());

    let home = import_home("database");
    let path = home.path("agents/main/agent/auth-profiles.json");
    let lock = home.path("agents/main/agent/auth-profiles.json.lock");
    let created = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let owner = json!({"pid": std::process::id(), "createdAt": created});
    fs::write(&lock, owner.to_string()).expect("write");
    let before = home.stored("main");
    let output = run(&home, &MAIN, &[]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert_eq!(home.stored("main"), before);
    assert!(path.exists());
    fs::remove_file(&lock).expect("remove");

    // Two at once: one does it, the other finds nothing left, or says that it was done meanwhile.
    let home = import_home("database");
    let mut both: Vec<Child> = (0..2).map(|_| command(&home, &FIX, &[]).spawn().expect("start")).collect();
    for child in &mut both {
        child.wait().expect("wait");
    }
    run(&home, &FIX, &[]);
    let reference = import_home("database");
    run(&reference, &FIX, &[]);
    assert_eq!(end_state(&home, &["main", "work"]), end_state(&reference, &["main", "work"]));
}

/// Interrupted twice: while importing, and while finishing that.
#[test]
fn an_import_interrupted_twice() {
    let args = FIX;
    let (first, wanted) = {
        let home = import_home("shared");
        let steps = steps(&home, &args);
        let at = steps.iter().position(|step| step.ends_with("archive.rename")).expect("a rename") + 1;
        (at, end_state(&home, &["main", "work"]))
    };
    for second in 1..=12 {
        let home = import_home("shared");
        let output = run(&home, &args, &[("CLAWCTL_FAULT_AT", first.to_string())]);
        assert_eq!(output.status.signal(), Some(ABORTED));
        let (_, report) = home.doctor(&["--only", "interrupted-import"]);
        assert_eq!(report["findings"][0]["id"], "interrupted-import");
        let output = run(&home, &args, &[("CLAWCTL_FAULT_AT", second.to_string())]);
        assert_eq!(output.status.signal(), Some(ABORTED), "{second}: {}", text(&output));
        let again = run(&home, &args, &[]);
        assert!(matches!(again.status.code(), Some(0 | 6)), "{second}: {}", text(&again));
        assert_eq!(end_state(&home, &["main", "work"]), wanted, "{second}");
    }
}
