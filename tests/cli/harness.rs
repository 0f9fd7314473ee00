//! A sandbox per test: an own home, a cleared environment, a fixed clock; and what a run printed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use sha2::{Digest, Sha256};

/// 2026-07-04T12:00:00Z.
pub const NOW: i64 = 1_783_166_400_000;

/// A home folder that goes with the test.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

/// What one run did.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    home: PathBuf,
}

impl Sandbox {
    /// An empty home.
    pub fn empty() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A home whose state folder is the sample installation.
    pub fn demo() -> Self {
        let sandbox = Self::empty();
        let demo = format!("--demo={}", sandbox.state().display());
        let made = sandbox.run(["auth", "list", "--json", &demo]);
        assert_eq!(made.status, 0, "{}", made.stderr);
        sandbox
    }

    pub fn home(&self) -> &Path {
        self.dir.path()
    }

    pub fn state(&self) -> PathBuf {
        self.home().join(".openclaw")
    }

    /// Writes a file below the state folder.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.state().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("make folders");
        fs::write(&path, text).expect("write");
        path
    }

    /// An installation of JSON files (2026.5): `profiles` and `state` are the members' JSON.
    pub fn json_store(&self, agent: &str, profiles: &str, state: &str) {
        let store = format!(r#"{{"version":1,"profiles":{profiles}}}"#);
        self.write(&format!("agents/{agent}/agent/auth-profiles.json"), &store);
        self.write(&format!("agents/{agent}/agent/auth-state.json"), state);
    }

    /// An agent database as 2026.7 has it.
    pub fn agent_database(&self, agent: &str, profiles: &str, state: &str) -> PathBuf {
        let path = self.state().join(format!("agents/{agent}/agent/openclaw-agent.sqlite"));
        fs::create_dir_all(path.parent().expect("a parent")).expect("make folders");
        let database = Connection::open(&path).expect("open");
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
            .expect("make the tables");
        database
            .execute(
                "INSERT INTO schema_meta VALUES ('primary', 'agent', 1, ?1, '2026.7.1', ?2, ?2)",
                (agent, NOW),
            )
            .expect("insert");
        let store = format!(r#"{{"version":1,"profiles":{profiles}}}"#);
        database
            .execute("INSERT INTO auth_profile_store VALUES ('primary', ?1, ?2)", (store, NOW))
            .expect("insert");
        database
            .execute("INSERT INTO auth_profile_state VALUES ('primary', ?1, ?2)", (state, NOW))
            .expect("insert");
        database.close().map_err(|(_, error)| error).expect("close");
        path
    }

    /// The command with a cleared environment and the fixed clock.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawctl"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TZ", "UTC")
            .current_dir(self.home())
            .stdin(Stdio::null());
        command
    }

    /// Runs at the fixed time.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        let mut command = self.command(args);
        command.args(["--now", &NOW.to_string()]);
        self.finish(command)
    }

    /// Runs a prepared command.
    pub fn finish(&self, mut command: Command) -> Run {
        self.done(command.output().expect("run clawctl"))
    }

    /// What a process that has ended printed.
    pub fn done(&self, output: std::process::Output) -> Run {
        Run {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            home: self.home().to_path_buf(),
        }
    }

    /// Every file below the home with its content's hash and its mode: what "nothing changed" means.
    pub fn tree(&self) -> Vec<String> {
        use std::os::unix::fs::PermissionsExt;
        fn walk(dir: &Path, root: &Path, out: &mut Vec<String>) {
            let mut entries: Vec<_> =
                fs::read_dir(dir).expect("list").map(|entry| entry.expect("entry")).collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let path = entry.path();
                let kind = entry.file_type().expect("type");
                let name = path.strip_prefix(root).expect("below").display().to_string();
                let mode = fs::symlink_metadata(&path).expect("stat").permissions().mode() & 0o7777;
                if kind.is_dir() {
                    out.push(format!("{mode:04o} {name}/"));
                    walk(&path, root, out);
                } else if kind.is_symlink() {
                    out.push(format!("link {name} -> {}", fs::read_link(&path).expect("link").display()));
                } else {
                    let hash = Sha256::digest(fs::read(&path).expect("read"));
                    out.push(format!(
                        "{mode:04o} {name} {}",
                        hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
                    ));
                }
            }
        }
        let mut out = Vec::new();
        walk(self.home(), self.home(), &mut out);
        out
    }
}

impl Run {
    /// Status, stdout and stderr in one text, with the home folder written as `[HOME]`.
    pub fn snapshot(&self) -> String {
        let home = self.home.display().to_string();
        let clean = |text: &str| text.replace(&home, "[HOME]");
        let mut out = format!("status: {}\n", self.status);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                out.push_str(&format!("--- {name}\n{}", clean(text)));
                if !text.ends_with('\n') {
                    out.push_str("[no line end]\n");
                }
            }
        }
        out
    }

    /// The one JSON document on stdout.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }

    /// Fails unless the status is this one.
    pub fn expect_status(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}", self.snapshot());
        self
    }
}
