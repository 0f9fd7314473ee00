//! Conflicts, journals and receipts.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::*;
use crate::base::error::{ErrorKind, Result};
use crate::base::time::Millis;
use crate::store::testing::{Home, agent_database};
use crate::store::{AgentId, Installation, ProfileId, WriteContext, backup};

const MAIN: &str = "agents/main/agent";
const STORE: &str =
    r#"{"version":1,"profiles":{"x:p1":{"type":"api_key","provider":"x","key":"made-up-store"}}}"#;
const FILE: &str = r#"{"version":1,"profiles":{"x:p1":{"type":"api_key","provider":"x","key":"made-up-file-22"},"x:p2":{"type":"token","provider":"x","token":"made-up-2"}}}"#;

fn context() -> WriteContext {
    WriteContext { now: Millis(1_796_000_000_000), command: "doctor --fix".to_owned() }
}

fn home() -> (Home, Installation) {
    let home = Home::new();
    agent_database(&home.path(MAIN), "main", Some(STORE), None);
    home.write(&format!("{MAIN}/auth-profiles.json"), FILE);
    let installation = home.installation(&[]);
    (home, installation)
}

fn planned(installation: &Installation, prefer: &Preferences) -> ImportPlan {
    plan(installation, installation.agent(&AgentId::main()).unwrap(), None, prefer).unwrap()
}

fn run(installation: &Installation, prefer: &Preferences) -> Result<Imported> {
    import(installation, &planned(installation, prefer), &context())
}

fn profiles(home: &Home) -> Value {
    let database = Connection::open(home.path(MAIN).join("openclaw-agent.sqlite")).unwrap();
    let sql = "SELECT store_json FROM auth_profile_store WHERE store_key = 'primary'";
    let text: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["profiles"].clone()
}

fn prefer(all: Side) -> Preferences {
    Preferences { all: Some(all), ..Preferences::default() }
}

fn source(home: &Home) -> std::path::PathBuf {
    home.path(MAIN).join("auth-profiles.json")
}

/// Report 135385: another key under the same id is told by field and fingerprint, without values, and
/// both stay; everything else is imported.
#[test]
fn a_conflict_is_named_and_both_sides_stay() {
    let (home, installation) = home();
    let plan = planned(&installation, &Preferences::default());
    let [conflict] = plan.conflicts.as_slice() else { panic!("{:?}", plan.conflicts) };
    assert_eq!((conflict.id.as_str(), conflict.fields.len()), ("x:p1", 1));
    let field = &conflict.fields[0];
    assert_eq!(field.name, "key");
    assert!(field.store.as_deref().unwrap().starts_with("api key, 13 chars, fingerprint "), "{field:?}");
    assert!(field.file.as_deref().unwrap().starts_with("api key, 15 chars, fingerprint "), "{field:?}");
    assert!(!format!("{plan:?}").contains("made-up"), "{plan:?}");
    assert!(!plan.sources[0].archived);

    import(&installation, &plan, &context()).unwrap();
    assert_eq!(profiles(&home)["x:p1"]["key"], "made-up-store");
    assert_eq!(profiles(&home)["x:p2"]["token"], "made-up-2");
    assert_eq!(fs::read_to_string(source(&home)).unwrap(), FILE);
    assert!(!planned(&installation, &Preferences::default()).does_something(), "nothing is imported twice");
}

#[test]
fn a_preference_decides() {
    for (side, key) in [(Side::Store, "made-up-store"), (Side::File, "made-up-file-22")] {
        let (home, installation) = home();
        run(&installation, &prefer(side)).unwrap();
        assert_eq!(profiles(&home)["x:p1"]["key"], key);
        assert!(!source(&home).exists());
        backup::undo(&installation, false, &context()).unwrap();
        assert_eq!(
            profiles(&home),
            json!({"x:p1": {"type": "api_key", "provider": "x", "key": "made-up-store"}})
        );
        assert_eq!(fs::read_to_string(source(&home)).unwrap(), FILE);
    }
    let (home, installation) = home();
    let by_id = [(ProfileId::from("x:p1"), Side::File)].into_iter().collect();
    run(&installation, &Preferences { all: Some(Side::Store), by_id }).unwrap();
    assert_eq!(profiles(&home)["x:p1"]["key"], "made-up-file-22");
}

/// What was written is not written again, even if the user removed it meanwhile: only the move is
/// left to be done.
#[test]
fn a_written_import_is_only_finished() {
    let (home, installation) = home();
    let plan = planned(&installation, &prefer(Side::Store));
    import(&installation, &plan, &context()).unwrap();
    // As if it had been stopped before the move: the file is back, the journal too.
    fs::write(source(&home), FILE).unwrap();
    let archive = home.path(MAIN).join("auth-profiles.json.migrated-later");
    let journal = json!({
        "version": 1, "agent": "main", "startedAt": 1, "backup": null, "phase": "written",
        "database": home.path(MAIN).join("openclaw-agent.sqlite"), "shared": false, "profileSha256": {},
        "stateSha256": null,
        "sources": [{"path": source(&home), "archive": archive, "sha256": plan.sources[0].file.sha256,
                     "bytes": FILE.len(), "records": 2, "state": false}],
    });
    let path = installation.places.backups_dir().join("import-main.json");
    fs::write(&path, journal.to_string()).unwrap();
    let database = Connection::open(home.path(MAIN).join("openclaw-agent.sqlite")).unwrap();
    database.execute("UPDATE auth_profile_store SET store_json = ?1", [STORE]).unwrap();
    drop(database);

    let pending = pending(&installation).unwrap();
    assert!(pending[0].is_written());
    resume(&installation, &pending[0], &context()).unwrap();
    assert_eq!(fs::read_to_string(&archive).unwrap(), FILE);
    assert!(!source(&home).exists() && !path.exists());
    assert!(profiles(&home).get("x:p2").is_none(), "imported twice");
}

/// A source that changed after it was imported is a new one.
#[test]
fn a_changed_source_stays_when_an_import_is_finished() {
    let (home, installation) = home();
    let journal = json!({
        "version": 1, "agent": "main", "startedAt": 1, "backup": null, "phase": "written",
        "database": null, "shared": false, "profileSha256": {}, "stateSha256": null,
        "sources": [{"path": source(&home), "archive": home.path("x"), "sha256": "00", "bytes": 1, "records": 1, "state": false}],
    });
    home.write("backups/clawctl/import-main.json", &journal.to_string());
    let done = resume(&installation, &pending(&installation).unwrap()[0], &context()).unwrap();
    assert!(done.remarks[0].contains("was changed"), "{done:?}");
    assert!(source(&home).exists());
    assert!(pending(&installation).unwrap().is_empty());
}

/// Credentials that somebody left in `auth.profiles` of the config; the config itself stays.
#[test]
fn credentials_in_the_config_are_imported_and_stay_there() {
    let (home, installation) = home();
    fs::remove_file(source(&home)).unwrap();
    let content = |key: &str| {
        let text = format!(r#"{{"type":"api_key","provider":"x","key":"{key}"}}"#);
        let mut content = crate::store::legacy::LegacyContent::default();
        content.profiles.insert(ProfileId::from("x:config"), crate::store::RawJson::new(&text));
        crate::store::legacy::LegacyFile::of_config(&home.path("openclaw.json"), content)
    };
    let agent = installation.agent(&AgentId::main()).unwrap();
    let plan_it = |key| plan(&installation, agent, Some(content(key)), &Preferences::default()).unwrap();
    import(&installation, &plan_it("made-up-c"), &context()).unwrap();
    assert_eq!(profiles(&home)["x:config"]["key"], "made-up-c");
    assert!(!plan_it("made-up-c").does_something());
    assert_eq!(plan_it("made-up-d").conflicts.len(), 1);
}

#[test]
fn symlinks_are_read_and_never_moved() {
    let (home, installation) = home();
    let real = home.path("elsewhere.json");
    fs::rename(source(&home), &real).unwrap();
    std::os::unix::fs::symlink(&real, source(&home)).unwrap();
    let plan = planned(&installation, &prefer(Side::File));
    assert!(plan.sources[0].file.symlink && !plan.does_something());
}

#[test]
fn a_store_that_must_not_be_written_stops_the_import() {
    let (home, installation) = home();
    let database = Connection::open(home.path(MAIN).join("openclaw-agent.sqlite")).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(database);
    let agent = installation.agent(&AgentId::main()).unwrap();
    let error = plan(&installation, agent, None, &Preferences::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Damaged);
    assert!(source(&home).exists());
}

/// 2026.9.6 knows a source by the digest of its path and content; an undo makes it forget.
#[test]
fn receipts_are_recorded_and_forgotten() {
    let (home, installation) = home();
    fs::create_dir_all(home.path("state")).unwrap();
    let state = home.path("state/openclaw.sqlite");
    let database = Connection::open(&state).unwrap();
    database
        .execute_batch(
            "CREATE TABLE migration_runs (id TEXT NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL,
                 finished_at INTEGER, status TEXT NOT NULL, report_json TEXT NOT NULL) STRICT;
             CREATE TABLE migration_sources (source_key TEXT NOT NULL PRIMARY KEY,
                 migration_kind TEXT NOT NULL, source_path TEXT NOT NULL, target_table TEXT NOT NULL,
                 source_sha256 TEXT, source_size_bytes INTEGER, source_record_count INTEGER,
                 last_run_id TEXT NOT NULL, status TEXT NOT NULL, imported_at INTEGER NOT NULL,
                 removed_source INTEGER NOT NULL DEFAULT 0, report_json TEXT NOT NULL,
                 FOREIGN KEY (last_run_id) REFERENCES migration_runs(id) ON DELETE CASCADE) STRICT;
             PRAGMA user_version = 18;",
        )
        .unwrap();
    let row = |database: &Connection| -> (String, String, String, i64, String) {
        let sql =
            "SELECT source_path, target_table, status, removed_source, report_json FROM migration_sources";
        database
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
            .unwrap()
    };
    let done = run(&installation, &prefer(Side::Store)).unwrap();
    let (path, table, status, removed, report) = row(&database);
    assert_eq!(Path::new(&path), source(&home));
    assert_eq!((table.as_str(), status.as_str(), removed), ("auth_profile_store", "completed", 1));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["archivePath"], json!(done.moved[0].1));
    // SHA-256 of {"type":"token","provider":"x","token":"made-up-2"}, as JSON.stringify writes it.
    assert_eq!(
        report["expectedProfileSha256"]["x:p2"],
        "5f9e1690886fb12830859b15212dfc0a25021ce8dcdedff9f3c53e7f79bc81a1"
    );
    assert!(!report.to_string().contains("made-up"));

    backup::undo(&installation, false, &context()).unwrap();
    assert_eq!(row(&database).2, "superseded");
}
