//! `--demo`: a sample installation as OpenClaw 2026.9 leaves it, so that every command can be
//! tried without OpenClaw. Its keys, mails and ids are made up.
//!
//! Three agents (`main`, `ops`, `research`), a stored order, one profile in each kind of window,
//! and in `research` a legacy file that nobody imported yet.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::base::time::Millis;

/// The unpacked installation; a folder of its own goes when this is dropped.
#[derive(Debug)]
pub struct Demo {
    dir: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Demo {
    /// Unpacks into `keep`, which must be empty or missing, else into a new temporary folder.
    /// Windows lie around `now`.
    ///
    /// # Errors
    /// The folder holds something, or can't be written.
    pub fn unpack(keep: Option<&Path>, now: Millis) -> Result<Self> {
        let (root, temporary) = match keep {
            Some(dir) => {
                let used = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
                if used {
                    return Err(Error::usage("the folder for the sample installation isn't empty")
                        .at(dir)
                        .hint("name a new folder, or work on this one with --state-dir"));
                }
                make_dir(dir)?;
                (dir.to_path_buf(), None)
            }
            None => {
                let dir = tempfile::Builder::new()
                    .prefix("clawctl-demo-")
                    .permissions(fs::Permissions::from_mode(0o700))
                    .tempdir()
                    .map_err(|error| Error::io("make a temporary folder", &std::env::temp_dir(), error))?;
                (dir.path().to_path_buf(), Some(dir))
            }
        };
        let demo = Self { dir: root, temporary };
        demo.fill(now)?;
        Ok(demo)
    }

    /// The state folder.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the folder stays after the run.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }

    fn fill(&self, now: Millis) -> Result<()> {
        write(&self.dir.join("openclaw.json"), CONFIG)?;
        let state = self.dir.join("state");
        make_dir(&state)?;
        let database = state.join("openclaw.sqlite");
        shared_store(&database, now).map_err(|error| {
            Error::failed("can't make the sample database").at(&database).caused_by(error)
        })?;
        for agent in ["main", "ops", "research"] {
            make_dir(&self.dir.join("agents").join(agent).join("agent"))?;
        }
        let ops = json!({
            "openai:ops": { "type": "api_key", "provider": "openai", "key": "demo-ops-key-0000000000000000-not-real" },
            "openai:work": { "type": "api_key", "provider": "openai", "key": "demo-work-key-of-ops-000000000-not-real" },
        });
        let ops_state = json!({ "version": 1,
            "order": { "openai": ["openai:ops", "openai:work"] },
            "usageStats": { "openai:ops": { "lastUsed": now.0 - 120_000, "errorCount": 0 } },
        });
        for (agent, rows) in [("main", None), ("ops", Some((&ops, &ops_state)))] {
            let path = self.dir.join("agents").join(agent).join("agent/openclaw-agent.sqlite");
            agent_database(&path, agent, rows, now).map_err(|error| {
                Error::failed("can't make the sample database").at(&path).caused_by(error)
            })?;
        }
        let legacy = json!({
            "version": 1,
            "profiles": {
                "mistral:default": { "type": "api_key", "provider": "mistral", "key": "demo-mistral-key-not-real" },
            },
        });
        write(&self.dir.join("agents/research/agent/auth-profiles.json"), &legacy.to_string())
    }
}

const CONFIG: &str = r#"// Sample installation made by clawctl --demo. Nothing in it is real.
{
  meta: { lastTouchedVersion: "2026.9.6" },
  gateway: { mode: "local", port: 18789 },
  agents: {
    defaults: {
      model: { primary: "openai/gpt-x", fallbacks: ["anthropic/claude-x", "google/gemini-x"] },
    },
    entries: { main: { default: true }, ops: {}, research: {} },
  },
}
"#;

fn make_dir(dir: &Path) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|error| Error::io("create the folder", dir, error))
}

fn write(path: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Error::io("write the file", path, error))
}

/// A database file that only its owner can read from its first byte on.
fn create(path: &Path) -> rusqlite::Result<Connection> {
    // SQLite would create it with the umask's mode; its side files take over the database's mode.
    if let Err(error) = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        return Err(rusqlite::Error::ToSqlConversionFailure(Box::new(error)));
    }
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection)
}

const SCHEMA_META: &str = "CREATE TABLE schema_meta (
    meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL,
    agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;";

fn shared_store(path: &Path, now: Millis) -> rusqlite::Result<()> {
    let connection = create(path)?;
    connection.execute_batch(&format!(
        "{SCHEMA_META}
         CREATE TABLE config_machine_state (
             state_key TEXT NOT NULL PRIMARY KEY, value_json TEXT NOT NULL, updated_at_ms INTEGER NOT NULL) STRICT;
         PRAGMA user_version = 18;"
    ))?;
    connection.execute(
        "INSERT INTO schema_meta VALUES ('primary', 'global', 18, NULL, '2026.9.6', ?1, ?1)",
        [now.0],
    )?;
    for (key, value) in [
        ("auth.sharedStore", json!({ "location": "state-db" })),
        ("authProfiles.store", profiles(now)),
        ("authProfiles.state", state(now)),
    ] {
        connection.execute(
            "INSERT INTO config_machine_state VALUES (?1, ?2, ?3)",
            params![key, value.to_string(), now.0],
        )?;
    }
    connection.close().map_err(|(_, error)| error)
}

/// An agent's database; `rows` are its own profiles and state, when it has some.
fn agent_database(
    path: &Path,
    agent: &str,
    rows: Option<(&Value, &Value)>,
    now: Millis,
) -> rusqlite::Result<()> {
    let connection = create(path)?;
    connection.execute_batch(&format!(
        "{SCHEMA_META}
         CREATE TABLE auth_profile_store (
             store_key TEXT NOT NULL PRIMARY KEY, store_json TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
         CREATE TABLE auth_profile_state (
             state_key TEXT NOT NULL PRIMARY KEY, state_json TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
         PRAGMA user_version = 23;"
    ))?;
    connection.execute(
        "INSERT INTO schema_meta VALUES ('primary', 'agent', 23, ?1, '2026.9.6', ?2, ?2)",
        params![agent, now.0],
    )?;
    if let Some((profiles, state)) = rows {
        let store = json!({ "version": 1, "profiles": profiles });
        connection.execute(
            "INSERT INTO auth_profile_store VALUES ('primary', ?1, ?2)",
            params![store.to_string(), now.0],
        )?;
        connection.execute(
            "INSERT INTO auth_profile_state VALUES ('primary', ?1, ?2)",
            params![state.to_string(), now.0],
        )?;
    }
    connection.close().map_err(|(_, error)| error)
}

fn profiles(now: Millis) -> Value {
    let hours = |hours: i64| now.0 + hours * 3_600_000;
    json!({ "version": 1, "profiles": {
        "openai:work": { "type": "api_key", "provider": "openai", "key": "demo-work-key-000000000000000-not-real",
            "displayName": "team key" },
        "openai:spare": { "type": "api_key", "provider": "openai", "key": "demo-spare-key-00000000000000-not-real" },
        "openai:old": { "type": "api_key", "provider": "openai", "key": "demo-old-key-0000000000000000-not-real" },
        "anthropic:casey@example.com": { "type": "oauth", "provider": "anthropic", "email": "casey@example.com",
            "access": "demo-access-not-real", "refresh": "demo-refresh-not-real", "expires": hours(6) },
        "anthropic:robin@example.com": { "type": "oauth", "provider": "anthropic", "email": "robin@example.com",
            "access": "demo-access-2-not-real", "refresh": "demo-refresh-2-not-real", "expires": hours(-72) },
        "google:default": { "type": "api_key", "provider": "google",
            "keyRef": { "source": "env", "provider": "default", "id": "CLAWCTL_DEMO_GOOGLE_KEY" } },
        "deepseek:token": { "type": "token", "provider": "deepseek", "token": "demo-token-not-real", "expires": hours(-1) },
    } })
}

/// One profile in each kind of window: cooldown, disabled, blocked; and one that has expired.
fn state(now: Millis) -> Value {
    let minutes = |minutes: i64| now.0 + minutes * 60_000;
    json!({ "version": 1,
        "order": { "openai": ["openai:work", "openai:spare", "openai:old"] },
        "lastGood": { "openai": "openai:spare", "anthropic": "anthropic:casey@example.com" },
        "usageStats": {
            "openai:work": { "lastUsed": minutes(-4), "errorCount": 1, "lastFailureAt": minutes(-4),
                "failureCounts": { "billing": 1 }, "disabledUntil": minutes(6), "disabledReason": "billing" },
            "openai:spare": { "lastUsed": minutes(-1), "errorCount": 0 },
            "openai:old": { "lastUsed": minutes(-2), "errorCount": 2, "lastFailureAt": minutes(0) - 20_000,
                "failureCounts": { "rate_limit": 2 }, "cooldownUntil": minutes(0) + 40_000,
                "cooldownReason": "rate_limit", "cooldownModel": "gpt-x" },
            "anthropic:casey@example.com": { "lastUsed": minutes(-30), "blockedUntil": minutes(6 * 24 * 60),
                "blockedReason": "subscription_limit", "blockedSource": "wham" },
            "anthropic:robin@example.com": { "lastUsed": minutes(-90), "errorCount": 3,
                "lastFailureAt": minutes(-80), "failureCounts": { "timeout": 3 },
                "cooldownUntil": minutes(-75), "cooldownReason": "timeout" },
            "inline-api-key:xai": { "errorCount": 1, "lastFailureAt": minutes(-2),
                "failureCounts": { "auth_permanent": 1 }, "disabledUntil": minutes(8),
                "disabledReason": "auth_permanent" },
        },
    })
}
