//! Made-up installations for tests. The tables are those that releases make, written down as facts.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{AgentId, ConfiguredAgent, ConfiguredAgents, Installation, Options, Places};
use crate::base::env::Env;

/// A state folder that is gone after the test.
pub(crate) struct Home {
    temp: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join(".openclaw")).unwrap();
        Self { temp }
    }

    pub(crate) fn root(&self) -> &Path {
        self.temp.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.temp.path().join(".openclaw").join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn places(&self) -> Places {
        Places::find(&Env::new([("HOME", self.temp.path())], "/"), &Options::default()).unwrap()
    }

    pub(crate) fn installation(&self, agents: &[&str]) -> Installation {
        let agents = agents
            .iter()
            .map(|id| ConfiguredAgent { id: AgentId::new(id), agent_dir: None, default: false })
            .collect();
        let configured = ConfiguredAgents { agents, entries: false, release: None };
        Installation::new(self.places(), configured, Path::new("/")).unwrap()
    }
}

/// An agent's database as 2026.7.1 makes it (the tables that matter here), in WAL mode.
pub(crate) fn agent_database(dir: &Path, owner: &str, store: Option<&str>, state: Option<&str>) {
    fs::create_dir_all(dir).unwrap();
    let database = Connection::open(dir.join("openclaw-agent.sqlite")).unwrap();
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
             PRAGMA user_version = 1;",
        )
        .unwrap();
    let meta = "INSERT INTO schema_meta VALUES ('primary', 'agent', 1, ?1, NULL, 1, 1)";
    database.execute(meta, [owner]).unwrap();
    for (table, text) in [("auth_profile_store", store), ("auth_profile_state", state)] {
        if let Some(text) = text {
            database.execute(&format!("INSERT INTO {table} VALUES ('primary', ?1, 1)"), [text]).unwrap();
        }
    }
}

/// A state database with a shared store, in the given table (2026.9 or early 2026.8).
pub(crate) fn state_database(home: &Home, table: &str, store: &str, state: &str) {
    fs::create_dir_all(home.path("state")).unwrap();
    let database = Connection::open(home.path("state/openclaw.sqlite")).unwrap();
    if table == "config_machine_state" {
        database
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE config_machine_state (state_key TEXT NOT NULL PRIMARY KEY,
                    value_json TEXT NOT NULL, updated_at_ms INTEGER NOT NULL) STRICT;
                 INSERT INTO config_machine_state
                    VALUES ('auth.sharedStore', '{\"location\":\"state-db\"}', 1);
                 PRAGMA user_version = 18;",
            )
            .unwrap();
        let insert = "INSERT INTO config_machine_state VALUES (?1, ?2, 1)";
        database.execute(insert, ["authProfiles.store", store]).unwrap();
        database.execute(insert, ["authProfiles.state", state]).unwrap();
    } else {
        database
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE auth_profile_stores (store_key TEXT NOT NULL PRIMARY KEY,
                    store_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
                 CREATE TABLE auth_profile_state (store_key TEXT NOT NULL PRIMARY KEY,
                    state_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
                 PRAGMA user_version = 1;",
            )
            .unwrap();
        database.execute("INSERT INTO auth_profile_stores VALUES ('shared', ?1, 1)", [store]).unwrap();
        database.execute("INSERT INTO auth_profile_state VALUES ('shared', ?1, 1)", [state]).unwrap();
    }
}

/// Names the part that this process plays for a test of another one.
const ROLE: &str = "CLAWCTL_TEST_ROLE";

/// This test binary again, with `test` alone in it. It plays a part first: see [`role`].
pub(crate) fn play(test: &str, role: &str) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--exact", "--nocapture", test]).env(ROLE, role);
    command
}

/// The part that [`play`] gave to this process; a test that hosts one plays it and returns.
pub(crate) fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}
