//! Read commands by hand: `cargo bench --bench read`. Prints the time of `auth list --json` for one agent
//! and for many, and its ratio to reading the same rows with SQLite alone in the same run.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a benchmark reports on stdout")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clawctl::base::env::Env;
use clawctl::base::exit::ExitStatus;
use clawctl::base::time::{Clock, Millis};
use clawctl::ui::{Io, Terminal};
use rusqlite::{Connection, OpenFlags};

fn database(state: &Path, agent: &str) -> PathBuf {
    let dir = state.join("agents").join(agent).join("agent");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("openclaw-agent.sqlite");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER, agent_id TEXT,
                 app_version TEXT, created_at INTEGER, updated_at INTEGER);
             CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT, updated_at INTEGER);
             CREATE TABLE auth_profile_state (state_key TEXT PRIMARY KEY, state_json TEXT, updated_at INTEGER);
             INSERT INTO schema_meta VALUES ('primary', 'agent', 1, '{agent}', '2026.7.1', 0, 0);
             INSERT INTO auth_profile_store VALUES ('primary', '{{\"version\":1,\"profiles\":{{
                 \"openai:a\":{{\"type\":\"api_key\",\"provider\":\"openai\",\"key\":\"made-up\"}},
                 \"anthropic:a\":{{\"type\":\"api_key\",\"provider\":\"anthropic\",\"key\":\"made-up\"}}}}}}', 0);
             INSERT INTO auth_profile_state VALUES ('primary', '{{\"version\":1,\"order\":{{\"openai\":[\"openai:a\"]}}}}', 0);
             PRAGMA user_version = 1;"
        ))
        .unwrap();
    connection.close().unwrap();
    path
}

fn clawctl(state: &Path, args: &[&str]) -> Duration {
    let start = Instant::now();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let io = Io {
        stdin: &mut std::io::empty(),
        stdout: &mut out,
        stderr: &mut err,
        terminal: Terminal::default(),
    };
    let env = Env::new([("OPENCLAW_STATE_DIR", state.as_os_str()), ("HOME", state.as_os_str())], state);
    let words = ["clawctl"].iter().chain(args).map(OsString::from);
    let status = clawctl::run(words, io, &env, Clock::Fixed(Millis(1_783_166_400_000)));
    assert_eq!(status, ExitStatus::Ok, "{}", String::from_utf8_lossy(&err));
    start.elapsed()
}

fn sqlite(paths: &[PathBuf]) -> Duration {
    let start = Instant::now();
    for path in paths {
        let uri = format!("file:{}?immutable=1", path.display());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri, flags).unwrap();
        for row in ["SELECT store_json FROM auth_profile_store", "SELECT state_json FROM auth_profile_state"]
        {
            let text: String = connection.query_row(row, [], |row| row.get(0)).unwrap();
            assert!(!text.is_empty());
        }
    }
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    for agents in [1_usize, 100, 1_000] {
        let home = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..agents)
            .map(|n| if n == 0 { "main".to_owned() } else { format!("agent-{n}") })
            .map(|agent| database(home.path(), &agent))
            .collect();
        let args: &[&str] = if agents == 1 {
            &["auth", "list", "--json"]
        } else {
            &["auth", "list", "--json", "--all-agents"]
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..9 {
            ours.push(clawctl(home.path(), args));
            theirs.push(sqlite(&paths));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "auth list --json, {agents} agents: {:.2} ms; SQLite alone on the same rows: {:.2} ms; ratio {:.2}",
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            ours.as_secs_f64() / theirs.as_secs_f64()
        );
    }
}
