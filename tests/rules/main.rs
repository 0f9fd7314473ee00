//! Every rule of `doctor`: the state before, what is found, the state after `--fix=all`.
//!
//! `tests/rules/<rule id>/<case>.json` holds a case (see [`Case`]). Each is built as every generation of
//! stores that it names, looked at, repaired, repaired again and undone. Times are written
//! `"@now-5000"`. Made-up secrets contain "made-up", which no output may.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const NOW: i64 = 1_796_000_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    /// Numbers of the public reports that it comes from.
    #[serde(default)]
    #[allow(dead_code, reason = "for readers")]
    reports: Vec<u32>,
    /// `json`, `database`, `shared`; all when missing.
    generations: Option<Vec<String>>,
    #[serde(default)]
    config: Value,
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// By agent: `profiles`, `state`, `sessions`.
    agents: BTreeMap<String, Stored>,
    /// Further files below the state folder; texts as they are, other JSON as JSON.
    #[serde(default)]
    files: BTreeMap<String, Value>,
    /// Octal modes of files and folders below the state folder.
    #[serde(default)]
    modes: BTreeMap<String, String>,
    /// SQL to run on a database below the state folder.
    #[serde(default)]
    sql: BTreeMap<String, String>,
    /// `link: target`, below the state folder.
    #[serde(default)]
    symlinks: BTreeMap<String, String>,
    /// What the rule finds, in sequence: members that must be equal, and `says`, words of the message.
    findings: Vec<Map<String, Value>>,
    /// Agents that are otherwise after `--fix=all`.
    #[serde(default)]
    after: BTreeMap<String, Stored>,
    /// Modes after it.
    #[serde(default)]
    modes_after: BTreeMap<String, String>,
    /// Files that are gone after it.
    #[serde(default)]
    gone: Vec<String>,
    /// How many findings of the rule are left after it.
    #[serde(default)]
    left: usize,
}

#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
struct Stored {
    profiles: Map<String, Value>,
    state: Map<String, Value>,
    sessions: Map<String, Value>,
}

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut count = 0;
    let mut failed = Vec::new();
    let mut ids = Vec::new();
    for rule in sorted(&dir).into_iter().filter(|path| path.is_dir()) {
        let id = name(&rule);
        ids.push(id.clone());
        for file in sorted(&rule) {
            let label = format!("{id}/{}", name(&file));
            if !wanted.is_empty() && !wanted.iter().any(|text| label.contains(text.as_str())) {
                continue;
            }
            let text = fs::read_to_string(&file).expect("read the case");
            let mut value: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{label}: {error}"));
            times(&mut value);
            let case: Case = serde_json::from_value(value).unwrap_or_else(|error| panic!("{label}: {error}"));
            let all = ["json", "database", "shared"].map(str::to_owned).to_vec();
            for generation in case.generations.clone().unwrap_or(all) {
                count += 1;
                let result = std::panic::catch_unwind(|| check(&id, &case, &generation));
                if result.is_err() {
                    eprintln!("FAILED: {label} ({generation})");
                    failed.push(format!("{label} ({generation})"));
                }
            }
        }
    }
    if wanted.is_empty() {
        let known: Vec<String> = rule_ids();
        // Its case needs a user without rights: tests/faults has it.
        let elsewhere = ["wal-on-readonly"];
        let untested: Vec<&String> =
            known.iter().filter(|id| !ids.contains(id) && !elsewhere.contains(&id.as_str())).collect();
        assert!(untested.is_empty(), "rules without a case in tests/rules: {untested:?}");
        let unknown: Vec<&String> = ids.iter().filter(|id| !known.contains(id)).collect();
        assert!(unknown.is_empty(), "cases of rules that don't exist: {unknown:?}");
    }
    assert!(failed.is_empty(), "{} of {count} failed: {failed:#?}", failed.len());
    assert!(count > 0, "no case ran");
    eprintln!("{count} cases of {} rules", ids.len());
}

fn rule_ids() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_clawctl"))
        .args(["doctor", "rules", "--json"])
        .output()
        .expect("run");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    listed["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| rule["id"].as_str().expect("an id").to_owned())
        .collect()
}

fn sorted(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir).expect("list").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// `"@now+5"` is a time.
fn times(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(offset) = text.strip_prefix("@now") {
                let offset: i64 =
                    if offset.is_empty() { 0 } else { offset.parse().expect("an offset in ms") };
                *value = (NOW + offset).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(times),
        Value::Object(members) => members.values_mut().for_each(times),
        _ => {}
    }
}

struct Home {
    dir: tempfile::TempDir,
    env: BTreeMap<String, String>,
    generation: String,
}

impl Home {
    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(".openclaw").join(path)
    }

    fn clawctl(&self, args: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_clawctl"))
            .args(args)
            .args(["--now", &NOW.to_string()])
            .env_clear()
            .env("HOME", self.dir.path())
            .envs(&self.env)
            .current_dir(self.dir.path())
            .output()
            .expect("run clawctl");
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            assert!(!text.contains("made-up"), "a secret in the output of {args:?}: {text}");
        }
        output
    }

    fn doctor(&self, args: &[&str]) -> (i32, Value) {
        let all: Vec<&str> = ["doctor", "--json"].iter().chain(args).copied().collect();
        let output = self.clawctl(&all);
        let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{error}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            )
        });
        (output.status.code().unwrap_or(-1), document)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        make_dir(path.parent().expect("a folder"));
        fs::write(&path, text).expect("write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
    }

    /// Every file with its text (of databases the rows) and mode.
    fn tree(&self) -> BTreeMap<String, String> {
        fn walk(dir: &Path, root: &Path, out: &mut BTreeMap<String, String>) {
            for path in sorted(dir) {
                let shown = path.strip_prefix(root).expect("below").display().to_string();
                let data = path.symlink_metadata().expect("stat");
                let mode = data.permissions().mode() & 0o777;
                if data.is_dir() {
                    out.insert(format!("{shown}/"), format!("{mode:o}"));
                    walk(&path, root, out);
                } else if data.is_symlink() {
                    out.insert(shown, "link".to_owned());
                } else {
                    out.insert(shown, format!("{mode:o} {:?}", fs::read(&path).expect("read")));
                }
            }
        }
        let mut out = BTreeMap::new();
        walk(self.dir.path(), self.dir.path(), &mut out);
        out
    }

    /// Profiles and state of an agent as they are stored.
    fn stored(&self, agent: &str) -> Value {
        let dir = self.path(&format!("agents/{agent}/agent"));
        let (store, state) = if self.generation == "json" {
            let read = |name: &str| fs::read_to_string(dir.join(name)).ok();
            (read("auth-profiles.json"), read("auth-state.json"))
        } else if self.generation == "shared" && agent == "main" {
            let database = Connection::open(self.path("state/openclaw.sqlite")).expect("open");
            let row = |key: &str| {
                let sql = "SELECT value_json FROM config_machine_state WHERE state_key = ?1";
                database.query_row(sql, [key], |row| row.get(0)).ok()
            };
            (row("authProfiles.store"), row("authProfiles.state"))
        } else {
            let path = dir.join("openclaw-agent.sqlite");
            if !path.exists() {
                return json!({"profiles": {}, "state": {}});
            }
            let database = Connection::open(path).expect("open");
            let row = |sql: &str| database.query_row(sql, [], |row| row.get(0)).ok();
            (
                row("SELECT store_json FROM auth_profile_store WHERE store_key = 'primary'"),
                row("SELECT state_json FROM auth_profile_state WHERE state_key = 'primary'"),
            )
        };
        let parse = |text: Option<String>| {
            text.map_or(json!({}), |text| serde_json::from_str(&text).unwrap_or(Value::String(text)))
        };
        let (store, mut state) = (parse(store), parse(state));
        if let Some(state) = state.as_object_mut() {
            state.remove("version");
        }
        json!({"profiles": store.get("profiles").cloned().unwrap_or(json!({})), "state": state})
    }
}

fn make_dir(dir: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).expect("make the folder");
}

fn agent_database(path: &Path, agent: &str, stored: &Stored) {
    make_dir(path.parent().expect("a folder"));
    let database = Connection::open(path).expect("open");
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE schema_meta (meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL,
                 schema_version INTEGER NOT NULL, agent_id TEXT, app_version TEXT,
                 created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
             CREATE TABLE auth_profile_store (store_key TEXT NOT NULL PRIMARY KEY,
                 store_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
             CREATE TABLE auth_profile_state (state_key TEXT NOT NULL PRIMARY KEY,
                 state_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
             CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, entry_json TEXT NOT NULL);
             PRAGMA user_version = 1;",
        )
        .expect("make the tables");
    let meta = "INSERT INTO schema_meta VALUES ('primary', 'agent', 1, ?1, NULL, ?2, ?2)";
    database.execute(meta, (agent, NOW)).expect("insert");
    let (store, state) = texts(stored);
    database
        .execute("INSERT INTO auth_profile_store VALUES ('primary', ?1, ?2)", (store, NOW))
        .expect("insert");
    if let Some(state) = state {
        database
            .execute("INSERT INTO auth_profile_state VALUES ('primary', ?1, ?2)", (state, NOW))
            .expect("insert");
    }
    for (key, entry) in &stored.sessions {
        database
            .execute("INSERT INTO session_nodes VALUES (?1, ?2)", (key, entry.to_string()))
            .expect("insert");
    }
    database.close().map_err(|(_, error)| error).expect("close");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("chmod");
}

fn texts(stored: &Stored) -> (String, Option<String>) {
    let store = json!({"version": 1, "profiles": stored.profiles}).to_string();
    let mut state = stored.state.clone();
    state.insert("version".to_owned(), 1.into());
    (store, (!stored.state.is_empty()).then(|| Value::Object(state).to_string()))
}

fn build(case: &Case, generation: &str) -> Home {
    let dir = tempfile::tempdir().expect("a folder");
    let home = Home { dir, env: case.env.clone(), generation: generation.to_owned() };
    make_dir(&home.path(""));
    let release = match generation {
        "json" => "2026.5.7",
        "database" => "2026.7.1",
        _ => "2026.9.6",
    };
    let mut config = case.config.clone();
    if !config.is_object() {
        config = json!({});
    }
    config["meta"]["lastTouchedVersion"] = release.into();
    home.write("openclaw.json", &config.to_string());
    let nothing = Stored::default();
    let mut agents: BTreeMap<&str, &Stored> =
        case.agents.iter().map(|(id, stored)| (id.as_str(), stored)).collect();
    agents.entry("main").or_insert(&nothing);
    for (id, stored) in agents {
        let agent = format!("agents/{id}/agent");
        if generation == "json" {
            let (store, state) = texts(stored);
            home.write(&format!("{agent}/auth-profiles.json"), &store);
            if let Some(state) = state {
                home.write(&format!("{agent}/auth-state.json"), &state);
            }
            if !stored.sessions.is_empty() {
                home.write(
                    &format!("agents/{id}/sessions/sessions.json"),
                    &Value::Object(stored.sessions.clone()).to_string(),
                );
            }
            continue;
        }
        let shared = generation == "shared" && id == "main";
        let own = if shared {
            Stored { sessions: stored.sessions.clone(), ..Stored::default() }
        } else {
            stored.clone()
        };
        agent_database(&home.path(&format!("{agent}/openclaw-agent.sqlite")), id, &own);
        if shared {
            let path = home.path("state/openclaw.sqlite");
            make_dir(path.parent().expect("a folder"));
            let database = Connection::open(&path).expect("open");
            database
                .execute_batch(
                    "PRAGMA journal_mode = WAL;
                     CREATE TABLE config_machine_state (state_key TEXT NOT NULL PRIMARY KEY,
                         value_json TEXT NOT NULL, updated_at_ms INTEGER NOT NULL) STRICT;
                     PRAGMA user_version = 18;",
                )
                .expect("make the tables");
            let insert = "INSERT INTO config_machine_state VALUES (?1, ?2, ?3)";
            let (store, state) = texts(stored);
            let rows = [
                ("auth.sharedStore", Some(r#"{"location":"state-db"}"#.to_owned())),
                ("authProfiles.store", Some(store)),
                ("authProfiles.state", state),
            ];
            for (key, text) in rows {
                if let Some(text) = text {
                    database.execute(insert, (key, text, NOW)).expect("insert");
                }
            }
            database.close().map_err(|(_, error)| error).expect("close");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
        }
    }
    for (path, content) in &case.files {
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        home.write(path, &text);
    }
    for (path, sql) in &case.sql {
        let database = Connection::open(home.path(path)).expect("open");
        database.execute_batch(sql).expect("run the SQL");
        database.close().map_err(|(_, error)| error).expect("close");
    }
    for (link, target) in &case.symlinks {
        let _ = fs::remove_file(home.path(link));
        std::os::unix::fs::symlink(home.path(target), home.path(link)).expect("link");
    }
    for (path, mode) in &case.modes {
        fs::set_permissions(home.path(path), fs::Permissions::from_mode(octal(mode))).expect("chmod");
    }
    home
}

fn octal(mode: &str) -> u32 {
    u32::from_str_radix(mode, 8).expect("an octal mode")
}

/// Without backups and what SQLite leaves while a database is open.
fn without_backups(mut tree: BTreeMap<String, String>) -> BTreeMap<String, String> {
    tree.retain(|path, _| !path.contains("backups/") && !path.ends_with("-wal") && !path.ends_with("-shm"));
    tree
}

fn check(id: &str, case: &Case, generation: &str) {
    let home = build(case, generation);
    let before = home.tree();
    let (status, report) = home.doctor(&["--only", id]);
    let found = report["findings"].as_array().expect("findings");
    assert_eq!(found.len(), case.findings.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(&case.findings) {
        assert_eq!(found["id"], *id);
        for (key, value) in expected {
            match key.as_str() {
                "says" => {
                    let (message, says) =
                        (found["message"].as_str().expect("a message"), value.as_str().expect("text"));
                    assert!(message.contains(says), "\"{message}\" doesn't say \"{says}\"");
                }
                "next" => {
                    let (next, wanted) =
                        (found["next"].as_str().expect("a next step"), value.as_str().expect("text"));
                    assert!(next.contains(wanted), "\"{next}\" doesn't say \"{wanted}\"");
                }
                "fix" => assert_eq!(found["fix"]["safety"], *value, "{found:#}"),
                // What all agents share is of no agent.
                "agent" if generation == "shared" && value == "main" => {}
                key => assert_eq!(found[key], *value, "{key} of {found:#}"),
            }
        }
    }
    let fails = found.iter().any(|finding| finding["severity"] != "info");
    assert_eq!(status, if fails { 6 } else { 0 });
    // Looking and trying leave no trace.
    home.doctor(&["--only", id, "--fix=all", "--dry-run", "--diff"]);
    assert_eq!(home.tree(), before, "a look changed something");
    home.clawctl(&["doctor", "--fix=all", "--dry-run", "--diff"]);

    let agents: Vec<&String> = case.agents.keys().chain(case.after.keys()).collect();
    let stored: BTreeMap<&String, Value> = agents.iter().map(|id| (*id, home.stored(id))).collect();
    let compared = without_backups(home.tree());
    let (_, fixed) = home.doctor(&["--only", id, "--fix=all"]);
    assert_eq!(fixed["findings"].as_array().expect("findings").len(), case.left, "{fixed:#}");
    assert_eq!(fixed["repair"]["refused"], json!([]), "{fixed:#}");
    for agent in &agents {
        let expected = match case.after.get(*agent) {
            Some(after) => json!({"profiles": after.profiles, "state": after.state}),
            None => stored[agent].clone(),
        };
        assert_eq!(home.stored(agent), expected, "the store of {agent} after --fix=all");
    }
    for (path, mode) in &case.modes_after {
        let found = fs::metadata(home.path(path)).expect("stat").permissions().mode() & 0o777;
        assert_eq!(found, octal(mode), "the mode of {path}");
    }
    for path in &case.gone {
        assert!(home.path(path).symlink_metadata().is_err(), "{path} is still there");
    }
    let fixed_tree = home.tree();
    let (_, again) = home.doctor(&["--only", id, "--fix=all"]);
    assert_eq!(again["repair"]["applied"], json!([]), "a second --fix did something");
    assert_eq!(home.tree(), fixed_tree, "a second --fix changed something");

    let backups = fixed["repair"]["backups"].as_array().expect("backups").len();
    for _ in 0..backups {
        let undone = home.clawctl(&["undo"]);
        assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    }
    for agent in &agents {
        assert_eq!(home.stored(agent), stored[agent], "the store of {agent} after undo");
    }
    if backups == 0 && case.modes.is_empty() && case.gone.is_empty() {
        assert_eq!(without_backups(home.tree()), compared, "a fix without a backup changed something");
    }
}
