//! Reading: every generation, and nothing on disk changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::testing::{Home, agent_database, play, role, state_database};
use super::*;
use crate::base::env::Env;
use crate::base::error::ErrorKind;

fn ids(store: &AuthStore) -> Vec<&str> {
    store.profiles.keys().map(ProfileId::as_str).collect()
}

fn order<'a>(state: &'a AuthState, provider: &str) -> Vec<&'a str> {
    state.order[provider].value.iter().map(ProfileId::as_str).collect()
}

const MAIN_STORE: &str = r#"{"version":1,"profiles":{
    "openai:a":{"type":"api_key","provider":"openai","key":"sk-made-up-a"},
    "openai:b":{"type":"api_key","provider":"openai","key":"sk-made-up-b"}}}"#;
const MAIN_STATE: &str = r#"{"version":1,"order":{"openai":["openai:b","openai:a"]},
    "lastGood":{"openai":"openai:b","anthropic":"anthropic:x"},
    "usageStats":{"openai:a":{"disabledUntil":5,"errorCount":5},"openai:b":{"cooldownUntil":6}}}"#;
const WORK_STORE: &str = r#"{"version":1,"profiles":{
    "openai:w":{"type":"api_key","provider":"openai","key":"sk-made-up-w"},
    "openai:a":{"type":"api_key","provider":"openai","key":"sk-made-up-own-a"}}}"#;
const WORK_STATE: &str = r#"{"version":1,"lastGood":{"openai":"openai:a"},
    "usageStats":{"openai:a":{"cooldownUntil":7}}}"#;

/// Asked of 2026.5.7, 2026.7.1 and 2026.9.6 with `models auth order get` and `models status`: an own
/// usageStats entry hides the inherited one whole (its `disabledUntil` too).
fn check_inheritance(work: &AuthStore, base: Origin) {
    assert_eq!(work.profiles["openai:w"].origin(), Origin::Own);
    assert_eq!(work.profiles["openai:b"].origin(), base);
    let own = &work.profiles["openai:a"];
    assert_eq!((own.origin(), own.shadows.as_ref().map(|source| source.origin)), (Origin::Own, Some(base)));
    assert_eq!(work.state.usage["openai:a"].value.as_str(), r#"{"cooldownUntil":7}"#);
    assert_eq!(work.state.usage["openai:b"].source.origin, base);
    assert_eq!(work.state.last_good["openai"].value.as_str(), "openai:a");
    assert_eq!(work.state.last_good["anthropic"].source.origin, base);
    assert!(work.own_state.order.is_empty());
    assert_eq!(order(&work.base_state, "openai"), ["openai:b", "openai:a"]);
}

#[test]
fn json_files_of_2026_3_hold_state_as_well() {
    let home = Home::new();
    home.write(
        "agents/main/agent/auth-profiles.json",
        "\u{feff}{\"version\":1,\"profiles\":{\"x:a\":{\"type\":\"api_key\",\"provider\":\"x\",\"key\":\"k\"},\"x:n\":3},\"order\":{\"x\":[\"x:a\"]}}",
    );
    let installation = home.installation(&["main"]);
    let store = AuthStore::read(&installation, &AgentId::main()).unwrap();
    assert_eq!(installation.generation(), Generation::Json);
    assert_eq!(ids(&store), ["x:a"]);
    assert_eq!(order(&store.state, "x"), ["x:a"]);
    assert_eq!(store.notes.len(), 1);
    assert_eq!(
        (store.notes[0].kind, store.notes[0].text.contains("profiles.x:n")),
        (NoteKind::Skipped, true)
    );

    home.write("agents/main/agent/auth-state.json", r#"{"version":1,"order":{"x":["x:b"],"y":["y:a"]}}"#);
    let store = AuthStore::read(&home.installation(&["main"]), &AgentId::main()).unwrap();
    assert_eq!(order(&store.state, "x"), ["x:b"], "the state file wins");
    assert!(store.state.order["x"].source.path.ends_with("auth-state.json"));
}

#[test]
fn json_agents_inherit_from_main() {
    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", MAIN_STORE);
    home.write("agents/main/agent/auth-state.json", MAIN_STATE);
    home.write("agents/work/agent/auth-profiles.json", WORK_STORE);
    home.write("agents/work/agent/auth-state.json", WORK_STATE);
    let installation = home.installation(&[]);
    let work = AuthStore::read(&installation, &AgentId::new("Work")).unwrap();
    check_inheritance(&work, Origin::Main);
    assert_eq!(ids(&work), ["openai:a", "openai:b", "openai:w"], "inherited ones keep their rank");
    assert_eq!(order(&work.state, "openai"), ["openai:b", "openai:a"]);
    let main = AuthStore::read(&installation, &AgentId::main()).unwrap();
    assert_eq!(main.profiles["openai:a"].origin(), Origin::Own);
    assert!(main.base_state.order.is_empty());
}

#[test]
fn agent_databases_inherit_from_main() {
    let home = Home::new();
    agent_database(&home.path("agents/main/agent"), "main", Some(MAIN_STORE), Some(MAIN_STATE));
    agent_database(&home.path("agents/work/agent"), "work", Some(WORK_STORE), Some(WORK_STATE));
    home.write("agents/work/agent/auth-profiles.json", MAIN_STORE);
    let installation = home.installation(&["main", "work"]);
    assert_eq!(installation.generation(), Generation::AgentDatabase);
    let work = AuthStore::read(&installation, &AgentId::new("work")).unwrap();
    check_inheritance(&work, Origin::Main);
    assert_eq!(ids(&work), ["openai:w", "openai:a", "openai:b"], "own ones first");
    // 2026.7.1: an inherited order has the agent's own profiles of that provider in front.
    assert_eq!(order(&work.state, "openai"), ["openai:w", "openai:a", "openai:b"]);
    assert_eq!(work.notes.iter().map(|note| note.kind).collect::<Vec<_>>(), [NoteKind::OlderFile]);
    assert_eq!(work.schemas[0].agent_id.as_deref(), Some("work"));
    let row = work.profiles["openai:w"].source.row.unwrap();
    assert_eq!((row.table, row.key), ("auth_profile_store", "primary"));
}

#[test]
fn agents_without_a_database_do_not_fall_back_to_files() {
    let home = Home::new();
    agent_database(&home.path("agents/main/agent"), "main", Some(MAIN_STORE), None);
    home.write("agents/old/agent/auth-profiles.json", WORK_STORE);
    let old = AuthStore::read(&home.installation(&[]), &AgentId::new("old")).unwrap();
    assert_eq!(ids(&old), ["openai:a", "openai:b"]);
    assert_eq!(old.notes[0].kind, NoteKind::OlderFile);
    assert_eq!(old.generation, Generation::AgentDatabase);
}

/// Reports 134808 and garrytan/alphaclaw 88: the shared store holds all, the agent's database is
/// empty.
#[test]
fn the_shared_store_is_inherited_by_every_agent() {
    let home = Home::new();
    state_database(&home, "config_machine_state", MAIN_STORE, MAIN_STATE);
    agent_database(&home.path("agents/main/agent"), "main", Some(r#"{"version":1,"profiles":{}}"#), None);
    agent_database(&home.path("agents/work/agent"), "work", Some(WORK_STORE), Some(WORK_STATE));
    let installation = home.installation(&["main", "work", "bare"]);
    assert_eq!(installation.generation(), Generation::SharedStore);
    let work = AuthStore::read(&installation, &AgentId::new("work")).unwrap();
    check_inheritance(&work, Origin::Shared);
    for id in ["main", "bare"] {
        let store = AuthStore::read(&installation, &AgentId::new(id)).unwrap();
        assert_eq!(ids(&store), ["openai:a", "openai:b"], "{id}");
        assert_eq!(store.profiles["openai:a"].origin(), Origin::Shared);
        assert_eq!(store.notes, []);
    }
}

#[test]
fn the_first_shared_store_had_tables_of_its_own() {
    let home = Home::new();
    state_database(&home, "auth_profile_stores", MAIN_STORE, MAIN_STATE);
    agent_database(&home.path("agents/work/agent"), "work", Some(WORK_STORE), Some(WORK_STATE));
    let installation = home.installation(&["main", "work"]);
    let work = AuthStore::read(&installation, &AgentId::new("work")).unwrap();
    check_inheritance(&work, Origin::Shared);
    assert_eq!(work.profiles["openai:b"].source.row.unwrap().table, "auth_profile_stores");
}

#[test]
fn a_marker_of_main_means_no_shared_store() {
    let home = Home::new();
    state_database(&home, "config_machine_state", MAIN_STORE, MAIN_STATE);
    let database = Connection::open(home.path("state/openclaw.sqlite")).unwrap();
    let set = "UPDATE config_machine_state SET value_json = ?1 WHERE state_key = 'auth.sharedStore'";
    database.execute(set, [r#"{"location":"legacy-main"}"#]).unwrap();
    agent_database(&home.path("agents/main/agent"), "main", Some(WORK_STORE), None);
    let store = AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap();
    assert_eq!((store.generation, ids(&store).len()), (Generation::AgentDatabase, 2));
    assert_eq!(store.notes, []);

    database.execute(set, [r#"{"location":"elsewhere"}"#]).unwrap();
    let store = AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap();
    assert_eq!(store.notes[0].kind, NoteKind::Damaged);
}

/// Report 120549: the first page is zeroed.
#[test]
fn a_damaged_database_is_named_and_left_alone() {
    let home = Home::new();
    let dir = home.path("agents/main/agent");
    agent_database(&dir, "main", Some(MAIN_STORE), None);
    let path = dir.join("openclaw-agent.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    bytes[..4096].fill(0);
    fs::write(&path, &bytes).unwrap();
    let before = home.tree();
    let installation = home.installation(&["main", "work"]);
    let error = AuthStore::read(&installation, &AgentId::main()).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Damaged, "this file is not a database"));
    let work = AuthStore::read(&installation, &AgentId::new("work")).unwrap();
    assert_eq!((work.notes[0].kind, work.notes[0].origin), (NoteKind::Damaged, Origin::Main));
    assert_eq!(home.tree(), before);
}

/// Report 154628.
#[test]
fn newer_schemas_and_foreign_owners_are_read_and_noted() {
    let home = Home::new();
    let dir = home.path("agents/main/agent");
    agent_database(&dir, "other", Some(MAIN_STORE), None);
    let path = dir.join("openclaw-agent.sqlite");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 24).unwrap();
    let store = AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap();
    assert_eq!(ids(&store).len(), 2);
    let kinds: Vec<NoteKind> = store.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::NewerSchema, NoteKind::OwnerMismatch]);
    assert!(kinds.iter().all(|kind| kind.blocks_write()));
}

#[test]
fn broken_json_is_named_with_line_and_column_and_no_text() {
    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", "{\"version\":1,\n \"profiles\":{\"sk-made-up\" 1}}");
    let error = AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Damaged);
    assert_eq!(error.place.as_ref().unwrap().line_column, Some((2, 27)));
    assert!(!format!("{error:?}").contains("sk-made-up"));
}

#[test]
fn no_debug_print_shows_a_secret() {
    let home = Home::new();
    state_database(&home, "config_machine_state", MAIN_STORE, MAIN_STATE);
    agent_database(&home.path("agents/work/agent"), "work", Some(WORK_STORE), Some(WORK_STATE));
    let installation = home.installation(&["main", "work"]);
    let reader = Reader::new(&installation).unwrap();
    let work = reader.read(installation.agent(&AgentId::new("work")).unwrap()).unwrap();
    let text = format!("{installation:?}{reader:?}{work:?}");
    assert!(text.contains("openai:w") && !text.contains("sk-made-up"), "{text}");
}

#[test]
fn agents_of_the_config_come_first_then_folders() {
    let home = Home::new();
    for id in ["zeta", "alpha", "Not An Id", "main"] {
        fs::create_dir_all(home.path("agents").join(id)).unwrap();
    }
    let installation = home.installation(&["work", "zeta"]);
    let names: Vec<&str> = installation.agents().iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(names, ["work", "zeta", "alpha", "main"]);
    assert_eq!(installation.default_agent().unwrap().id.as_str(), "work");
    let error = installation.agent(&AgentId::new("alpa")).unwrap_err();
    assert_eq!((error.kind, error.hints[0].as_str()), (ErrorKind::Nothing, "did you mean \"alpha\"?"));
    assert_eq!(home.installation(&[]).default_agent().unwrap().id.as_str(), "main");
}

#[test]
fn entries_without_a_default_need_a_choice() {
    let home = Home::new();
    let agent = |id: &str, default| ConfiguredAgent { id: AgentId::new(id), agent_dir: None, default };
    let installation = |agents| {
        let configured = ConfiguredAgents { agents, entries: true, release: None };
        Installation::new(home.places(), configured, Path::new("/")).unwrap()
    };
    let error = installation(vec![agent("a", false), agent("b", false)]).default_agent().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.message.ends_with("a, b"));
    let two = installation(vec![agent("a", false), agent("b", true)]);
    assert_eq!(two.default_agent().unwrap().id.as_str(), "b");
    assert_eq!(installation(vec![agent("a", false)]).default_agent().unwrap().id.as_str(), "a");
}

#[test]
fn places_follow_the_environment() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().to_str().unwrap().to_owned();
    let find = |vars: &[(&str, &str)], options: Options| {
        let mut env = Env::new([("HOME", home.as_str())], temp.path());
        for (name, value) in vars {
            env.set(*name, *value);
        }
        Places::find(&env, &options)
    };
    let error = find(&[], Options::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Nothing);
    assert!(error.hints[0].contains(".openclaw") && error.hints[0].contains(".clawdbot"));

    for dir in [".clawdbot", "elsewhere", ".openclaw-dev"] {
        fs::create_dir_all(temp.path().join(dir)).unwrap();
    }
    let found = find(&[], Options::default()).unwrap();
    assert_eq!(found.state_dir_reason, StateDirReason::LegacyHome);
    fs::write(found.state_dir.join("clawdbot.json"), "{}").unwrap();
    assert!(find(&[], Options::default()).unwrap().config.ends_with(".clawdbot/clawdbot.json"));
    fs::create_dir_all(temp.path().join(".openclaw")).unwrap();
    assert_eq!(find(&[], Options::default()).unwrap().state_dir_reason, StateDirReason::Home);
    let profile = find(&[("OPENCLAW_PROFILE", "dev")], Options::default()).unwrap();
    assert!(profile.state_dir.ends_with(".openclaw-dev"));
    let default = find(&[("OPENCLAW_PROFILE", "Default")], Options::default()).unwrap();
    assert!(default.state_dir.ends_with(".openclaw"));
    let set = [
        ("OPENCLAW_PROFILE", "dev"),
        ("OPENCLAW_STATE_DIR", "~/elsewhere"),
        ("OPENCLAW_AGENT_DIR", "~/a/../m"),
    ];
    let given = find(&set, Options::default()).unwrap();
    assert!(given.state_dir.ends_with("elsewhere"));
    assert_eq!(given.main_agent_dir.as_deref(), Some(temp.path().join("m").as_path()));
    assert_eq!(given.oauth_file, given.state_dir.join("credentials/oauth.json"));
    assert_eq!(given.display(&given.state_dir), "~/elsewhere");
    let flag = Options { state_dir: Some(".clawdbot".into()), config: Some("~/c.json".into()) };
    let flagged = find(&set, flag).unwrap();
    assert_eq!(flagged.state_dir_reason, StateDirReason::Flag);
    assert_eq!(flagged.config, temp.path().join("c.json"));
    let moved = find(&[("OPENCLAW_HOME", "~/elsewhere")], Options::default()).unwrap_err();
    assert!(moved.to_string().contains("elsewhere/.openclaw"));
    assert!(find(&[("OPENCLAW_HOME", "undefined")], Options::default()).is_ok());
}

/// All files under a folder with size, mode and content.
fn tree(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path(), (metadata.permissions().mode(), fs::read(entry.path()).unwrap()));
            }
        }
    }
    found
}

impl Home {
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        tree(self.root())
    }
}

mod without_a_trace {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, ChildStdout, Command, Stdio};
    use std::time::SystemTime;

    use super::super::db::{rows, sqlite};
    use super::super::document::{AGENT_STATE_ROW, AGENT_STORE_ROW};

    const DATABASE: &str = "CLAWCTL_TEST_DATABASE";
    const WRITTEN: &str = r#"{"version":1,"profiles":{"x:a":{"type":"api_key","provider":"x","key":"k"}}}"#;

    fn home_with_database() -> (Home, PathBuf) {
        let home = Home::new();
        let dir = home.path("agents/main/agent");
        agent_database(&dir, "main", Some(MAIN_STORE), None);
        (home, dir.join("openclaw-agent.sqlite"))
    }

    /// Files with everything about them that a reader could change.
    fn look(home: &Home) -> Vec<(PathBuf, u32, SystemTime, Vec<u8>)> {
        let one = |(path, (mode, bytes)): (PathBuf, (u32, Vec<u8>))| {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            (path, mode, modified, bytes)
        };
        home.tree().into_iter().map(one).collect()
    }

    /// Both ways of reading answer this, and change nothing.
    fn check(home: &Home, path: &Path, expected: &str) {
        let before = look(home);
        let rows = [AGENT_STORE_ROW, AGENT_STATE_ROW];
        let by_sqlite = sqlite::read(path, |connection| rows::find_with_sqlite(connection, &rows)).unwrap();
        assert_eq!(look(home), before, "by SQLite");
        let found = sqlite::read_rows(path, &rows).unwrap();
        assert_eq!(look(home), before);
        assert_eq!(found, by_sqlite);
        assert_eq!(found.rows[0].as_ref().unwrap().0, expected);
    }

    /// This test binary again, with one of the helpers below alone in it.
    fn helper(name: &str, path: &Path) -> Command {
        let mut command = play("store::tests::without_a_trace::an_idle_database", name);
        command.env(DATABASE, path).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// A helper that runs, with its output kept open.
    struct Running {
        child: Child,
        /// Closed, its own print at the end would fail.
        _out: BufReader<ChildStdout>,
    }

    impl Running {
        /// Starts a helper and waits until it says that it is ready.
        fn start(mut command: Command) -> Self {
            let mut child = command.spawn().unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            assert!(out.by_ref().lines().any(|line| line.unwrap().contains("ready")));
            Self { child, _out: out }
        }

        /// Tells it how to end; whether it ended well.
        fn end(mut self, how: &str) -> bool {
            self.child.stdin.take().unwrap().write_all(how.as_bytes()).unwrap();
            self.child.wait().unwrap().success()
        }
    }

    /// A part: writes, begins another transaction, and holds both until it is told to go on.
    fn holder() {
        let writer = Connection::open(std::env::var_os(DATABASE).unwrap()).unwrap();
        let set = "UPDATE auth_profile_store SET store_json = ?1";
        writer.execute(set, [WRITTEN]).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        writer.execute(set, ["{}"]).unwrap();
        let mut out = std::io::stdout();
        out.write_all(b"ready\n").and_then(|()| out.flush()).unwrap();
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        if line.trim() == "crash" {
            std::process::abort();
        }
        writer.execute_batch("COMMIT").unwrap();
    }

    /// A part: reads as another user.
    fn reader() {
        let path = PathBuf::from(std::env::var_os(DATABASE).unwrap());
        let marker = path.with_file_name("marker");
        assert!(fs::write(&marker, "").is_err(), "this user can't write there");
        let rows = [AGENT_STORE_ROW];
        let by_sqlite = sqlite::read(&path, |connection| rows::find_with_sqlite(connection, &rows)).unwrap();
        let found = sqlite::read_rows(&path, &rows).unwrap();
        assert_eq!(found, by_sqlite);
        assert!(found.rows[0].is_some());
    }

    #[test]
    fn an_idle_database() {
        match role().as_deref() {
            Some("holder") => return holder(),
            Some("reader") => return reader(),
            Some("restless") => return restless(),
            _ => {}
        }
        let (home, path) = home_with_database();
        check(&home, &path, MAIN_STORE);
        let before = look(&home);
        let store = AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap();
        assert_eq!((store.profiles.len(), look(&home)), (2, before));
    }

    #[test]
    fn a_live_writer_with_an_open_transaction() {
        let (home, path) = home_with_database();
        let writer = Running::start(helper("holder", &path));
        assert!(sqlite::beside(&path, "-wal").exists());
        check(&home, &path, WRITTEN);
        assert!(writer.end("go on\n"));
        check(&home, &path, "{}");
    }

    /// What a killed process leaves: a WAL with content, with its -shm or, copied elsewhere, without.
    #[test]
    fn a_wal_that_nobody_owns() {
        let (home, path) = home_with_database();
        let writer = Running::start(helper("holder", &path));
        assert!(!writer.end("crash\n"));
        check(&home, &path, WRITTEN);
        fs::remove_file(sqlite::beside(&path, "-shm")).unwrap();
        check(&home, &path, WRITTEN);
    }

    #[test]
    fn folders_that_can_not_be_written() {
        let (home, path) = home_with_database();
        let modes = |folder: u32, file: u32| {
            for part in path.ancestors().skip(1).take_while(|part| part.starts_with(home.root())) {
                fs::set_permissions(part, fs::Permissions::from_mode(folder)).unwrap();
            }
            for side in ["", "-wal", "-shm"] {
                let path = sqlite::beside(&path, side);
                if path.exists() {
                    fs::set_permissions(path, fs::Permissions::from_mode(file)).unwrap();
                }
            }
        };
        let read = || {
            modes(0o555, 0o444);
            let before = look(&home);
            let mut command = helper("reader", &path);
            if rustix::process::geteuid().is_root() {
                // Root may write everywhere.
                command.uid(65_534).gid(65_534);
            }
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            assert_eq!(look(&home), before);
            modes(0o755, 0o644);
        };
        read();
        let writer = Running::start(helper("holder", &path));
        read();
        assert!(!writer.end("crash\n"));
        read();
        fs::remove_file(sqlite::beside(&path, "-shm")).unwrap();
        read();
    }

    /// Every answer is one that stood in the database as a whole, whatever is copied back or begun
    /// anew meanwhile.
    #[test]
    fn writers_that_come_and_go_meanwhile() {
        let (home, path) = home_with_database();
        let mut writer = Running::start(helper("restless", &path));
        let rows = [AGENT_STORE_ROW, AGENT_STATE_ROW];
        let mut by_sqlite = false;
        let mut reads = 0;
        while writer.child.try_wait().unwrap().is_none() {
            by_sqlite = !by_sqlite;
            let found = if by_sqlite {
                sqlite::read(&path, |connection| rows::find_with_sqlite(connection, &rows))
            } else {
                sqlite::read_rows(&path, &rows)
            };
            let [Some((store, _)), Some((state, _))] = &found.unwrap().rows[..] else { panic!() };
            assert_eq!(store, state, "both rows of one transaction");
            reads += 1;
        }
        assert!(writer.child.wait().unwrap().success() && reads > 3, "{reads} reads");
        drop(home);
    }

    /// A part: opens, writes two rows alike, copies back now and then, closes, for two seconds.
    fn restless() {
        let path = std::env::var_os(DATABASE).unwrap();
        let ends = std::time::Instant::now() + std::time::Duration::from_secs(2);
        let mut round = 0_usize;
        while round == 0 || std::time::Instant::now() < ends {
            let database = Connection::open(&path).unwrap();
            database.busy_timeout(std::time::Duration::from_secs(9)).unwrap();
            for _ in 0..5 {
                round += 1;
                let text = format!("{{\"round\":{round},\"pad\":\"{}\"}}", "p".repeat(round * 997 % 20_000));
                database
                    .execute_batch(&format!(
                        "BEGIN IMMEDIATE;
                         INSERT OR REPLACE INTO auth_profile_store VALUES ('primary', '{text}', 1);
                         INSERT OR REPLACE INTO auth_profile_state VALUES ('primary', '{text}', 1);
                         COMMIT;"
                    ))
                    .unwrap();
                if round.is_multiple_of(3) {
                    let mode = if round.is_multiple_of(2) { "TRUNCATE" } else { "RESTART" };
                    database.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(())).unwrap();
                }
            }
            if round == 5 {
                let mut out = std::io::stdout();
                out.write_all(b"ready\n").and_then(|()| out.flush()).unwrap();
            }
        }
    }
}
