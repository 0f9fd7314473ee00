//! Cases of `tests/rules`, and the homes that are made of them.

#![allow(dead_code, reason = "each of the suites that share it uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub const NOW: i64 = 1_796_000_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Case {
    /// Numbers of the public reports that it comes from.
    #[serde(default)]
    #[allow(dead_code, reason = "for readers")]
    pub reports: Vec<u32>,
    /// `json`, `database`, `shared`; all when missing.
    pub generations: Option<Vec<String>>,
    #[serde(default)]
    pub config: Value,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// By agent: `profiles`, `state`, `sessions`.
    pub agents: BTreeMap<String, Stored>,
    /// Further files below the state folder; texts as they are, other JSON as JSON.
    #[serde(default)]
    pub files: BTreeMap<String, Value>,
    /// Octal modes of files and folders below the state folder.
    #[serde(default)]
    pub modes: BTreeMap<String, String>,
    /// SQL to run on a database below the state folder.
    #[serde(default)]
    pub sql: BTreeMap<String, String>,
    /// `link: target`, below the state folder.
    #[serde(default)]
    pub symlinks: BTreeMap<String, String>,
    /// What the rule finds, in sequence: members that must be equal, and `says`, words of the message.
    pub findings: Vec<Map<String, Value>>,
    /// Agents that are otherwise after `--fix=all`.
    #[serde(default)]
    pub after: BTreeMap<String, Stored>,
    /// Modes after it.
    #[serde(default)]
    pub modes_after: BTreeMap<String, String>,
    /// Files that are gone after it.
    #[serde(default)]
    pub gone: Vec<String>,
    /// How many findings of the rule are left after it.
    #[serde(default)]
    pub left: usize,
}

#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub struct Stored {
    pub profiles: Map<String, Value>,
    pub state: Map<String, Value>,
    pub sessions: Map<String, Value>,
}

impl Case {
    pub fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).expect("read the case");
        let mut value: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        times(&mut value);
        serde_json::from_value(value).unwrap_or_else(|error| panic!("{file:?}: {error}"))
    }

    pub fn generations(&self) -> Vec<String> {
        self.generations.clone().unwrap_or_else(|| ["json", "database", "shared"].map(str::to_owned).to_vec())
    }
}

pub fn sorted(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir).expect("list").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

pub fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// `"@now+5"` is a time.
pub fn times(value: &mut Value) {
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

pub struct Home {
    pub dir: tempfile::TempDir,
    pub env: BTreeMap<String, String>,
    pub generation: String,
}

impl Home {
    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(".openclaw").join(path)
    }

    pub fn clawctl(&self, args: &[&str]) -> Output {
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

    pub fn doctor(&self, args: &[&str]) -> (i32, Value) {
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

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        make_dir(path.parent().expect("a folder"));
        fs::write(&path, text).expect("write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
    }

    /// Every file with its text (of databases the rows) and mode.
    pub fn tree(&self) -> BTreeMap<String, String> {
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
    pub fn stored(&self, agent: &str) -> Value {
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

pub fn make_dir(dir: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).expect("make the folder");
}

pub fn agent_database(path: &Path, agent: &str, stored: &Stored) {
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

pub fn texts(stored: &Stored) -> (String, Option<String>) {
    let store = json!({"version": 1, "profiles": stored.profiles}).to_string();
    let mut state = stored.state.clone();
    state.insert("version".to_owned(), 1.into());
    (store, (!stored.state.is_empty()).then(|| Value::Object(state).to_string()))
}

pub fn build(case: &Case, generation: &str) -> Home {
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

pub fn octal(mode: &str) -> u32 {
    u32::from_str_radix(mode, 8).expect("an octal mode")
}
