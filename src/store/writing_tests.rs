//! Writing, backups and undo.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};
use serde_json::{Value, json};

use super::testing::{Home, agent_database, play, role, state_database};
use super::*;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::time::Millis;

const NOW: Millis = Millis(1_796_000_000_000);
const STORE: &str = r#"{"version":1,"profiles":{"openai:a":{"type":"api_key","provider":"openai","key":"sk-made-up-a","future":1e3},"openai:b":{"type":"api_key","provider":"openai","key":"sk-made-up-b"}}}"#;
const STATE: &str = r#"{"version":1,"order":{"openai":["openai:b","openai:a"],"x":["x:\u0061"]},"usageStats":{"openai:a":{"lastUsed":1.50,"cooldownUntil":9,"future":{"k":1e2},"errorCount":3},"openai:b":{"errorCount":1}}, "other" :  [1 , 2]}"#;

/// Fills a state folder.
type Make = fn(&Home);

fn context(command: &str) -> WriteContext {
    WriteContext { now: NOW, command: command.to_owned() }
}

fn set_order(provider: &str, ids: &[&str]) -> Change {
    let order = ids.iter().map(|id| ProfileId::from(*id)).collect();
    Change::SetOrder { provider: provider.to_owned(), order }
}

fn write(home: &Home, agents: &[&str], agent: &str, changes: &[Change]) -> Result<Written> {
    let installation = home.installation(agents);
    let store = AuthStore::read(&installation, &AgentId::new(agent))?;
    let plan = plan::plan(&installation, &store, changes)?;
    apply::apply(&installation, &plan, &context("auth order set --provider openai"))
}

fn own_order(home: &Home, agent: &str, provider: &str) -> Option<Vec<String>> {
    let store = AuthStore::read(&home.installation(&[agent]), &AgentId::new(agent)).unwrap();
    let order = store.own_state.order.get(provider)?;
    Some(order.value.iter().map(ToString::to_string).collect())
}

fn row(path: &Path, row: Row) -> Option<(String, i64)> {
    let [key, json, updated] = row.columns();
    let sql = format!("SELECT {json}, {updated} FROM {} WHERE {key} = ?1", row.table);
    let get = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Connection::open(path).unwrap().query_row(&sql, [row.key], get).optional().unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn database_home() -> (Home, PathBuf) {
    let home = Home::new();
    let dir = home.path("agents/main/agent");
    agent_database(&dir, "main", Some(STORE), Some(STATE));
    (home, dir.join("openclaw-agent.sqlite"))
}

#[test]
fn an_order_goes_into_the_agents_own_row_and_nothing_else_changes() {
    let (home, path) = database_home();
    let written = write(&home, &[], "main", &[set_order("openai", &["openai:a", "openai:b"])]).unwrap();
    let expected = STATE.replace(r#"["openai:b","openai:a"]"#, r#"["openai:a","openai:b"]"#);
    assert_eq!(row(&path, document::AGENT_STATE_ROW), Some((expected, NOW.0)));
    assert_eq!(row(&path, document::AGENT_STORE_ROW), Some((STORE.to_owned(), 1)));
    assert_eq!(written.paths, [path.as_path()]);
    let member = &written.members[0];
    assert_eq!(member.json_path, "order.openai");
    assert_eq!(member.before.as_deref(), Some(r#"["openai:b","openai:a"]"#));
    assert_eq!(member.after.as_deref(), Some(r#"["openai:a","openai:b"]"#));
    assert_eq!(member.source.row, Some(document::AGENT_STATE_ROW));

    let again = write(&home, &[], "main", &[set_order("openai", &["openai:a", "openai:b"])]).unwrap();
    assert!(again.backup.is_none() && again.members.is_empty());
    let clear = Change::ClearOrder { provider: "x".into() };
    write(&home, &[], "main", std::slice::from_ref(&clear)).unwrap();
    assert!(!row(&path, document::AGENT_STATE_ROW).unwrap().0.contains("u0061"));
    assert!(write(&home, &[], "main", &[clear]).unwrap().members.is_empty());
}

/// Report 119233: ids that live in main, an agent without profiles of its own.
#[test]
fn an_agent_without_a_database_gets_a_small_one() {
    let (home, _) = database_home();
    let dir = home.path("agents/work/agent");
    write(&home, &["main", "work"], "work", &[set_order("openai", &["openai:a"])]).unwrap();
    let path = dir.join("openclaw-agent.sqlite");
    assert_eq!((mode(&path), mode(&dir), mode(dir.parent().unwrap())), (0o600, 0o700, 0o700));
    assert_eq!(own_order(&home, "work", "openai").unwrap(), ["openai:a"]);
    assert_eq!(row(&path, document::AGENT_STORE_ROW).unwrap().0, r#"{"version":1,"profiles":{}}"#);
    let database = Connection::open(&path).unwrap();
    let names: Vec<String> = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(names, ["auth_profile_state", "auth_profile_store", "schema_meta"]);
    let meta: (String, i64, String) = database
        .query_row("SELECT role, schema_version, agent_id FROM schema_meta", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(meta, ("agent".to_owned(), 1, "work".to_owned()));
    let pragma =
        |name: &str| database.query_row(name, [], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
    assert_eq!(pragma("PRAGMA user_version"), rusqlite::types::Value::Integer(1));
    assert_eq!(pragma("PRAGMA journal_mode"), rusqlite::types::Value::Text("wal".into()));
}

#[test]
fn with_a_shared_store_an_order_goes_into_the_agents_own_database() {
    let home = Home::new();
    state_database(&home, "config_machine_state", STORE, STATE);
    let shared = fs::read(home.path("state/openclaw.sqlite")).unwrap();
    let written = write(&home, &["main"], "main", &[set_order("openai", &["openai:a"])]).unwrap();
    assert_eq!(written.paths, [home.path("agents/main/agent/openclaw-agent.sqlite")]);
    assert_eq!(fs::read(home.path("state/openclaw.sqlite")).unwrap(), shared);
    // 2026.9.6 refuses to write a database of version 1 ("run openclaw doctor --fix").
    assert!(written.remarks[0].contains("openclaw doctor --fix"), "{:?}", written.remarks);
    let again = write(&home, &["main"], "main", &[set_order("openai", &["openai:b"])]).unwrap();
    assert!(again.remarks.is_empty(), "only when it is made: {:?}", again.remarks);
}

#[test]
fn json_layouts_are_followed() {
    let home = Home::new();
    let (profiles, state) = ("agents/main/agent/auth-profiles.json", "agents/main/agent/auth-state.json");
    let old = "{\n  \"version\": 1,\n  \"profiles\": {},\n  \"lastGood\": {}\n}\n";
    home.write(profiles, old);
    write(&home, &[], "main", &[set_order("x", &["x:a"])]).unwrap();
    let expected = old.replace("{}\n}", "{},\n  \"order\": {\n    \"x\": [\n      \"x:a\"\n    ]\n  }\n}");
    assert_eq!(fs::read_to_string(home.path(profiles)).unwrap(), expected, "2026.3: all in one file");
    assert_eq!(mode(&home.path(profiles)), 0o600);
    assert!(!home.path(state).exists());

    home.write(state, "{\n  \"version\": 1\n}\n");
    write(&home, &[], "main", &[set_order("x", &["x:b"])]).unwrap();
    assert_eq!(fs::read_to_string(home.path(profiles)).unwrap(), expected, "2026.5: in the state file");
    assert_eq!(own_order(&home, "main", "x").unwrap(), ["x:b"]);
    write(&home, &[], "main", &[Change::ClearOrder { provider: "x".into() }]).unwrap();
    assert_eq!(own_order(&home, "main", "x"), None, "from both files");
    assert_eq!(fs::read_to_string(home.path(profiles)).unwrap(), old);

    // An agent without files: 2026.5 reads the state file beside a file of profiles only.
    write(&home, &["main", "work"], "work", &[set_order("x", &["x:a"])]).unwrap();
    let work = home.path("agents/work/agent");
    let empty = "{\n  \"version\": 1,\n  \"profiles\": {}\n}\n";
    assert_eq!(fs::read_to_string(work.join("auth-profiles.json")).unwrap(), empty);
    assert_eq!(fs::read_dir(&work).unwrap().count(), 2, "no lock and no temporary file is left");
}

#[test]
fn the_config_tells_which_json_layout_when_the_files_do_not() {
    for (release, name) in [
        (Some("2026.3.13"), "auth-profiles.json"),
        (Some("2026.5.7"), "auth-state.json"),
        (None, "auth-profiles.json"),
    ] {
        let home = Home::new();
        home.write("agents/main/agent/auth-profiles.json", STORE);
        let configured =
            ConfiguredAgents { release: release.map(|text| text.parse().unwrap()), ..Default::default() };
        let installation = Installation::new(home.places(), configured, Path::new("/")).unwrap();
        let store = AuthStore::read(&installation, &AgentId::main()).unwrap();
        let plan = plan::plan(&installation, &store, &[set_order("openai", &["openai:a"])]).unwrap();
        assert!(plan.paths()[0].ends_with(name), "{release:?}");
    }
}

/// Reports 21574, 92444, 115642 and 19211: every window field and counter goes, the rest stays.
#[test]
fn windows_are_cleared_wherever_they_stand() {
    let home = Home::new();
    state_database(&home, "config_machine_state", STORE, STATE);
    let own = r#"{"version":1,"usageStats":{"openai:a":{"disabledUntil":8,"disabledReason":"billing"}}}"#;
    agent_database(&home.path("agents/work/agent"), "work", None, Some(own));
    let clear = Change::ClearUsage { profile: "openai:a".into() };
    let written = write(&home, &["main", "work"], "work", &[clear]).unwrap();
    assert_eq!(written.paths.len(), 2);
    let state = row(&home.path("state/openclaw.sqlite"), document::SHARED_STATE_ROW).unwrap().0;
    let expected = STATE.replace(r#""cooldownUntil":9,"#, "").replace(r#","errorCount":3"#, "");
    assert_eq!(state, expected, "lastUsed and unknown members keep their bytes");
    let own =
        row(&home.path("agents/work/agent/openclaw-agent.sqlite"), document::AGENT_STATE_ROW).unwrap().0;
    assert_eq!(own, r#"{"version":1}"#, "nothing is left of an entry of windows alone");
    let restored = backup::undo(&home.installation(&["main", "work"]), false, &context("undo")).unwrap();
    assert_eq!(restored.paths.len(), 2);
    assert_eq!(
        row(&home.path("state/openclaw.sqlite"), document::SHARED_STATE_ROW)
            .unwrap()
            .0
            .parse::<Value>()
            .unwrap(),
        STATE.parse::<Value>().unwrap()
    );
}

#[test]
fn plans_of_several_agents_are_one_write() {
    let (home, path) = database_home();
    let agents = ["main", "work"];
    let installation = home.installation(&agents);
    let clear = [Change::ClearUsage { profile: "openai:a".into() }];
    let plans = agents.map(|id| {
        let store = AuthStore::read(&installation, &AgentId::new(id)).unwrap();
        plan::plan(&installation, &store, &clear).unwrap()
    });
    assert!(plans.iter().all(|plan| plan.members.len() == 1), "both see the window of main");
    let written =
        apply::apply_all(&installation, &[&plans[0], &plans[1]], &context("cooldowns clear --all")).unwrap();
    assert_eq!((written.members.len(), written.paths.as_slice()), (1, [path.clone()].as_slice()));
    // One after the other works too: what is done already is no conflict.
    apply::apply(&installation, &plans[1], &context("cooldowns clear --all")).unwrap();
    backup::undo(&installation, false, &context("undo")).unwrap();
    assert_eq!(row(&path, document::AGENT_STATE_ROW).unwrap().0, STATE);
}

#[test]
fn profiles_are_put_renamed_and_removed_with_their_references() {
    let raw = r#"{"type":"api_key", "provider":"openai","key":"sk-made-up-new","future":1e3}"#;
    let credential = || Credential::from_raw(raw).unwrap();
    let put = || Change::PutCredential { profile: "openai:c".into(), credential: credential() };
    let rename = |from: &str, to: &str| Change::RenameProfile { from: from.into(), to: to.into() };
    let remove = |id: &str| Change::RemoveProfile { profile: id.into() };

    let with_database: Make = |home| {
        agent_database(&home.path("agents/main/agent"), "main", Some(STORE), Some(STATE));
    };
    let with_files: Make = |home| {
        home.write("agents/main/agent/auth-profiles.json", STORE);
        home.write("agents/main/agent/auth-state.json", STATE);
    };
    let with_shared: Make = |home| state_database(home, "config_machine_state", STORE, STATE);
    for (name, make) in [("database", with_database), ("files", with_files), ("shared", with_shared)] {
        let home = Home::new();
        make(&home);
        let read = || AuthStore::read(&home.installation(&[]), &AgentId::main()).unwrap();
        write(&home, &[], "main", &[put()]).unwrap();
        assert_eq!(read().profiles["openai:c"].credential.expose_json(), raw, "{name}");
        assert_eq!(read().profiles["openai:c"].origin() == Origin::Shared, name == "shared");
        assert!(write(&home, &[], "main", &[put()]).unwrap().members.is_empty());

        let taken = write(&home, &[], "main", &[rename("openai:a", "openai:b")]).unwrap_err();
        assert_eq!(taken.kind, ErrorKind::Usage);
        let renamed = write(&home, &[], "main", &[rename("openai:a", "openai:z")]).unwrap();
        assert!(!format!("{renamed:?}").contains("sk-made-up"), "{renamed:?}");
        let store = read();
        assert!(!store.profiles.contains_key("openai:a") && !store.state.usage.contains_key("openai:a"));
        let key = r#"{"type":"api_key","provider":"openai","key":"sk-made-up-a","future":1e3}"#;
        assert_eq!(store.profiles["openai:z"].credential.expose_json(), key);
        assert_eq!(store.state.order["openai"].value, ["openai:b".into(), "openai:z".into()]);
        assert!(store.state.usage["openai:z"].value.as_str().contains("\"lastUsed\":1.50"));

        write(&home, &[], "main", &[remove("openai:b")]).unwrap();
        assert_eq!(read().state.order["openai"].value, ["openai:z".into()]);
        assert!(!read().profiles.contains_key("openai:b"));
        let missing = write(&home, &[], "main", &[remove("openai:b")]).unwrap_err();
        assert_eq!(missing.kind, ErrorKind::Nothing);

        let manifests = fs::read_dir(home.path("backups/clawctl")).unwrap();
        for entry in manifests {
            let text = fs::read_to_string(entry.unwrap().path().join("manifest.json")).unwrap();
            assert!(!text.contains("sk-made-up"), "{text}");
        }
        for _ in 0..3 {
            backup::undo(&home.installation(&[]), false, &context("undo")).unwrap();
        }
        let store = read();
        let ids: Vec<&str> = store.profiles.keys().map(ProfileId::as_str).collect();
        assert_eq!(store.profiles["openai:a"].credential.expose_json(), key, "{name}: {ids:?}");
        assert!(!ids.contains(&"openai:z") && !ids.contains(&"openai:c") && ids.contains(&"openai:b"));
        assert_eq!(store.state.order["openai"].value, ["openai:b".into(), "openai:a".into()]);
    }
}

#[test]
fn an_interrupted_rename_or_removal_is_finished_by_the_same_command() {
    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", &STORE.replace("openai:a", "openai:z"));
    home.write("agents/main/agent/auth-state.json", STATE);
    let rename = Change::RenameProfile { from: "openai:a".into(), to: "openai:z".into() };
    write(&home, &[], "main", std::slice::from_ref(&rename)).unwrap();
    assert_eq!(own_order(&home, "main", "openai").unwrap(), ["openai:b", "openai:z"]);
    assert_eq!(write(&home, &[], "main", &[rename]).unwrap_err().kind, ErrorKind::Nothing);

    home.write("agents/main/agent/auth-profiles.json", r#"{"version":1,"profiles":{}}"#);
    let remove = Change::RemoveProfile { profile: "openai:z".into() };
    write(&home, &[], "main", std::slice::from_ref(&remove)).unwrap();
    assert_eq!(own_order(&home, "main", "openai").unwrap(), ["openai:b"]);
    assert_eq!(write(&home, &[], "main", &[remove]).unwrap_err().kind, ErrorKind::Nothing);

    // References to an inherited profile are no half-done removal.
    home.write("agents/main/agent/auth-profiles.json", STORE);
    write(&home, &["main", "work"], "work", &[set_order("openai", &["openai:a"])]).unwrap();
    let inherited = Change::RemoveProfile { profile: "openai:a".into() };
    let error = write(&home, &["main", "work"], "work", &[inherited]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Nothing);
}

#[test]
fn what_changed_meanwhile_is_named_and_not_overwritten() {
    let (home, path) = database_home();
    let installation = home.installation(&[]);
    let store = AuthStore::read(&installation, &AgentId::main()).unwrap();
    let changes = [set_order("openai", &["openai:a"])];
    let plan = plan::plan(&installation, &store, &changes).unwrap();
    let other = STATE.replace(r#"["openai:b","openai:a"]"#, r#"["openai:b"]"#);
    let set = |text: &str| {
        Connection::open(&path)
            .unwrap()
            .execute("UPDATE auth_profile_state SET state_json = ?1", [text])
            .unwrap()
    };
    set(&other);
    let error = apply::apply(&installation, &plan, &context("auth order set")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Busy);
    assert!(error.message.contains("order.openai"), "{error}");
    assert_eq!(row(&path, document::AGENT_STATE_ROW), Some((other, 1)));
    assert_eq!(fs::read_dir(home.path("backups/clawctl")).unwrap().count(), 0);
    assert_eq!(plan::plan(&installation, &store, &changes).unwrap_err().kind, ErrorKind::Busy);

    // Another member, and other white space, are no conflict.
    set(&STATE.replace("\"version\":1,", "\"version\": 1, \"lastGood\": {\"openai\": \"openai:b\"},"));
    apply::apply(&installation, &plan, &context("auth order set")).unwrap();
    let text = row(&path, document::AGENT_STATE_ROW).unwrap().0;
    assert!(text.contains(r#""lastGood": {"openai": "openai:b"}"#) && text.contains(r#"["openai:a"]"#));
}

fn refused(home: &Home, kind: ErrorKind) -> Error {
    let before = home.tree();
    let error = write(home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap_err();
    assert_eq!(error.kind, kind, "{error}");
    assert_eq!(home.tree(), before, "nothing is written, no -wal is made");
    error
}

#[test]
fn stores_that_are_not_safe_to_write_are_left_alone() {
    let (home, path) = database_home();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 24).unwrap();
    assert!(refused(&home, ErrorKind::Damaged).message.contains("newer than 23"));

    let home = Home::new();
    agent_database(&home.path("agents/main/agent"), "other", Some(STORE), Some(STATE));
    assert!(refused(&home, ErrorKind::Damaged).message.contains("\"other\""));

    let (home, path) = database_home();
    let mut bytes = fs::read(&path).unwrap();
    bytes[..4096].fill(0);
    fs::write(&path, bytes).unwrap();
    refused(&home, ErrorKind::Damaged);

    let (home, path) = database_home();
    let real = home.root().join("real.sqlite");
    fs::rename(&path, &real).unwrap();
    std::os::unix::fs::symlink(&real, &path).unwrap();
    assert!(refused(&home, ErrorKind::Failed).message.contains("symlink"));

    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", "{\"version\":1,\"order\":{},\"order\":{}}");
    let error = refused_json(&home);
    assert!(error.to_string().contains("twice"), "{error}");
}

fn refused_json(home: &Home) -> Error {
    let path = home.path("agents/main/agent/auth-profiles.json");
    let before = fs::read(&path).unwrap();
    let error = write(home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Damaged);
    assert_eq!(fs::read(&path).unwrap(), before);
    error
}

#[test]
fn the_newer_schema_is_checked_again_inside_of_the_transaction() {
    let (home, path) = database_home();
    let installation = home.installation(&[]);
    let store = AuthStore::read(&installation, &AgentId::main()).unwrap();
    let plan = plan::plan(&installation, &store, &[set_order("openai", &["openai:a"])]).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = apply::apply(&installation, &plan, &context("auth order set")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Damaged);
    assert_eq!(row(&path, document::AGENT_STATE_ROW), Some((STATE.to_owned(), 1)));
}

#[test]
fn backups_are_private_and_hold_no_secret_outside_of_the_copies() {
    let (home, _) = database_home();
    home.write("agents/main/agent/auth-profiles.json", STORE);
    let installation = home.installation(&[]);
    let agents: Vec<&Agent> = installation.agents().iter().collect();
    let made = backup::create(&installation, &agents, &context("backup create")).unwrap();
    assert_eq!(made.id.as_str(), "20261130T005320Z-backup-create");
    assert_eq!((mode(&made.path), made.files.len()), (0o700, 2));
    for entry in fs::read_dir(&made.path).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    let manifest = fs::read_to_string(made.path.join("manifest.json")).unwrap();
    assert!(!manifest.contains("sk-made-up") && !format!("{made:?}").contains("sk-made-up"));
    let copy = made.files[0].copy.as_ref().unwrap();
    assert_eq!(row(copy, document::AGENT_STATE_ROW), Some((STATE.to_owned(), 1)));
    assert_eq!(fs::read(made.files[1].copy.as_ref().unwrap()).unwrap(), STORE.as_bytes());
    let again = backup::create(&installation, &agents, &context("backup create")).unwrap();
    assert_eq!(again.id.as_str(), "20261130T005320Z-backup-create-2");
    let (all, broken) = backup::list(&installation).unwrap();
    assert_eq!(all.iter().map(|backup| &backup.id).collect::<Vec<_>>(), [&again.id, &made.id]);
    assert!(broken.is_empty());
    fs::create_dir(home.path("backups/clawctl/empty")).unwrap();
    assert_eq!(backup::list(&installation).unwrap().1.len(), 1);
    let error = backup::undo(&installation, false, &context("undo")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Nothing, "backups made by hand are no writes");
    assert_eq!(
        backup::undo_write(&installation, &made.id, false, &context("undo")).unwrap_err().kind,
        ErrorKind::Usage
    );
}

#[test]
fn a_restore_puts_auth_rows_back_and_leaves_the_rest() {
    let (home, path) = database_home();
    let installation = home.installation(&[]);
    let agents: Vec<&Agent> = installation.agents().iter().collect();
    let made = backup::create(&installation, &agents, &context("backup create")).unwrap();
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session_nodes (session_key TEXT); INSERT INTO session_nodes VALUES ('s');
             UPDATE auth_profile_store SET store_json = '{\"version\":1,\"profiles\":{}}';
             DELETE FROM auth_profile_state",
        )
        .unwrap();
    drop(database);
    let restored = backup::restore(&installation, &made.id, &context("backup restore")).unwrap();
    assert_eq!((restored.paths.len(), restored.members.len()), (1, 2));
    assert!(!format!("{restored:?}").contains("sk-made-up"));
    assert_eq!(row(&path, document::AGENT_STORE_ROW).unwrap().0, STORE);
    assert_eq!(row(&path, document::AGENT_STATE_ROW).unwrap().0, STATE);
    let sessions: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM session_nodes", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sessions, 1);
    assert!(backup::restore(&installation, &made.id, &context("backup restore")).unwrap().backup.is_none());
    backup::undo(&installation, false, &context("undo")).unwrap();
    assert_eq!(row(&path, document::AGENT_STORE_ROW).unwrap().0, r#"{"version":1,"profiles":{}}"#);
    assert_eq!(row(&path, document::AGENT_STATE_ROW), None, "the row that wasn't there is gone again");

    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    backup::restore(&installation, &made.id, &context("backup restore")).unwrap();
    assert_eq!(row(&path, document::AGENT_STORE_ROW).unwrap().0, STORE, "into a new database");

    let copy = made.files[0].copy.as_ref().unwrap();
    Connection::open(copy).unwrap().execute("DELETE FROM auth_profile_store", []).unwrap();
    let error = backup::restore(&installation, &made.id, &context("backup restore")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Damaged, "a copy that was changed");
    for name in ["../../agents", "none", "", ".."] {
        let error =
            backup::restore(&installation, &BackupId::new(name), &context("backup restore")).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Nothing, "{name}");
    }
}

#[test]
fn undo_takes_writes_back_one_by_one() {
    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", STORE);
    home.write("agents/main/agent/auth-state.json", STATE);
    let original = fs::read(home.path("agents/main/agent/auth-state.json")).unwrap();
    write(&home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap();
    write(&home, &[], "main", &[set_order("openai", &[])]).unwrap();
    write(&home, &[], "main", &[set_order("new", &["new:a"])]).unwrap();
    let installation = home.installation(&[]);
    let undo = || backup::undo(&installation, false, &context("undo"));
    undo().unwrap();
    assert_eq!(own_order(&home, "main", "new"), None);
    undo().unwrap();
    assert_eq!(own_order(&home, "main", "openai").unwrap(), ["openai:a"]);
    undo().unwrap();
    assert_eq!(own_order(&home, "main", "openai").unwrap(), ["openai:b", "openai:a"]);
    assert_eq!(fs::read(home.path("agents/main/agent/auth-state.json")).unwrap(), original);
    assert_eq!(undo().unwrap_err().kind, ErrorKind::Nothing);
    let (all, _) = backup::list(&installation).unwrap();
    assert_eq!(all.iter().filter(|backup| backup.undone).count(), 3);
}

#[test]
fn undo_keeps_what_others_changed_and_refuses_when_they_changed_the_same() {
    let (home, path) = database_home();
    let written = write(&home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap();
    let change = |from: &str, to: &str| {
        let text = row(&path, document::AGENT_STATE_ROW).unwrap().0;
        assert!(text.contains(from), "{text}");
        Connection::open(&path)
            .unwrap()
            .execute("UPDATE auth_profile_state SET state_json = ?1", [text.replace(from, to)])
            .unwrap();
    };
    change(r#""errorCount":1"#, r#""errorCount":2"#);
    change(r#"["openai:a"]"#, r#"["openai:c"]"#);
    let installation = home.installation(&[]);
    let error = backup::undo(&installation, false, &context("undo")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Busy);
    assert!(error.message.contains("order.openai"), "{error}");
    change(r#"["openai:c"]"#, r#"[ "openai:a" ]"#);
    backup::undo(&installation, false, &context("undo")).unwrap();
    let text = row(&path, document::AGENT_STATE_ROW).unwrap().0;
    assert_eq!(text, STATE.replace(r#""errorCount":1"#, r#""errorCount":2"#));

    write(&home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap();
    change(r#"["openai:a"]"#, r#"["openai:c"]"#);
    backup::undo(&installation, true, &context("undo")).unwrap();
    assert_eq!(own_order(&home, "main", "openai").unwrap(), ["openai:b", "openai:a"]);
    let id = written.backup.unwrap();
    let nothing = backup::undo_write(&installation, &id, false, &context("undo")).unwrap();
    assert!(nothing.backup.is_none(), "taken back already");
}

#[test]
fn a_live_lock_is_honoured() {
    let home = Home::new();
    home.write("agents/main/agent/auth-profiles.json", STORE);
    let lock = home.path("agents/main/agent/auth-profiles.json.lock");
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let now = chrono::Utc::now().to_rfc3339();
    fs::write(&lock, json!({"pid": child.id(), "createdAt": now}).to_string()).unwrap();
    let error = write(&home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap_err();
    assert_eq!((error.kind, lock.exists()), (ErrorKind::Busy, true));
    assert!(error.message.contains(&child.id().to_string()), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    let written = write(&home, &[], "main", &[set_order("openai", &["openai:a"])]).unwrap();
    assert!(written.remarks[0].contains("abandoned"), "{:?}", written.remarks);
    assert!(!lock.exists());
}

mod processes {
    use super::*;
    use std::process::{Child, Stdio};

    const STATE_DIR: &str = "CLAWCTL_TEST_HOME";
    const PROVIDER: &str = "CLAWCTL_TEST_PROVIDER";

    /// Another process of `writer`.
    fn spawn(home: &Path, provider: &str) -> Child {
        play("store::writing_tests::processes::eight_writers_lose_no_update", "writer")
            .env(STATE_DIR, home)
            .env(PROVIDER, provider)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// A part: sets orders of its provider, again while the store is busy.
    fn writer() {
        let home = PathBuf::from(std::env::var_os(STATE_DIR).unwrap());
        let provider = std::env::var(PROVIDER).unwrap();
        let places =
            Places::find(&crate::base::env::Env::new([("HOME", &home)], "/"), &Options::default()).unwrap();
        let installation = Installation::new(places, ConfiguredAgents::default(), Path::new("/")).unwrap();
        for round in 0..10 {
            let id = format!("{provider}:{round}");
            let changes = [set_order(&provider, &[id.as_str()])];
            loop {
                let store = AuthStore::read(&installation, &AgentId::main()).unwrap();
                let result = plan::plan(&installation, &store, &changes)
                    .and_then(|plan| apply::apply(&installation, &plan, &context("auth order set")));
                match result {
                    Ok(_) => break,
                    Err(error) => assert_eq!(error.kind, ErrorKind::Busy, "{error:?}"),
                }
            }
        }
    }

    fn check(home: &Home) {
        let children: Vec<Child> = (0..8).map(|n| spawn(home.root(), &format!("p{n}"))).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        for n in 0..8 {
            assert_eq!(own_order(home, "main", &format!("p{n}")).unwrap(), [format!("p{n}:9")]);
        }
    }

    #[test]
    fn eight_writers_lose_no_update() {
        if role().is_some() {
            return writer();
        }
        let (home, _) = database_home();
        check(&home);
        let home = Home::new();
        home.write("agents/main/agent/auth-profiles.json", STORE);
        check(&home);
    }

    /// A part: one order set.
    #[cfg(feature = "fault-injection")]
    fn one_order() {
        let home = PathBuf::from(std::env::var_os(STATE_DIR).unwrap());
        let places =
            Places::find(&crate::base::env::Env::new([("HOME", &home)], "/"), &Options::default()).unwrap();
        let configured = ConfiguredAgents {
            agents: vec![ConfiguredAgent { id: AgentId::new("work"), agent_dir: None, default: false }],
            ..ConfiguredAgents::default()
        };
        let installation = Installation::new(places, configured, Path::new("/")).unwrap();
        let store = AuthStore::read(&installation, &AgentId::new("work")).unwrap();
        let changes = [set_order("openai", &["openai:b"]), Change::ClearUsage { profile: "openai:a".into() }];
        let plan = plan::plan(&installation, &store, &changes).unwrap();
        apply::apply(&installation, &plan, &context("auth order set")).unwrap();
    }

    /// Stopped at each step in turn: credentials stay readable, the store is the old or the new one, and
    /// running the same again finishes the work.
    #[cfg(feature = "fault-injection")]
    #[test]
    fn a_process_stopped_at_any_step() {
        if role().is_some() {
            return one_order();
        }
        let with_databases: Make = |home| {
            agent_database(&home.path("agents/main/agent"), "main", Some(STORE), Some(STATE));
        };
        let with_shared_store: Make = |home| state_database(home, "config_machine_state", STORE, STATE);
        let with_files: Make = |home| {
            home.write("agents/main/agent/auth-profiles.json", STORE);
            home.write("agents/main/agent/auth-state.json", STATE);
        };
        for make in [with_databases, with_shared_store, with_files] {
            let mut stopped = 0;
            for step in 1.. {
                let home = Home::new();
                make(&home);
                let run = |step: Option<u32>| {
                    let test = "store::writing_tests::processes::a_process_stopped_at_any_step";
                    let mut command = play(test, "one order");
                    command.env(STATE_DIR, home.root()).stdout(Stdio::null()).stderr(Stdio::null());
                    if let Some(step) = step {
                        command.env("CLAWCTL_FAULT_AT", step.to_string());
                    }
                    command.status().unwrap().success()
                };
                let finished = run(Some(step));
                let order = own_order(&home, "work", "openai");
                assert!(order.is_none() || order == Some(vec!["openai:b".to_owned()]), "step {step}");
                let read =
                    AuthStore::read(&home.installation(&["main", "work"]), &AgentId::new("work")).unwrap();
                assert_eq!(read.profiles.len(), 2, "step {step}");
                assert!(run(None), "again after step {step}");
                assert_eq!(own_order(&home, "work", "openai").unwrap(), ["openai:b"], "step {step}");
                let read =
                    AuthStore::read(&home.installation(&["main", "work"]), &AgentId::new("work")).unwrap();
                assert!(
                    !read.state.usage["openai:a"].value.as_str().contains("cooldownUntil"),
                    "step {step}"
                );
                if finished {
                    break;
                }
                stopped += 1;
            }
            assert!(stopped > 20, "{stopped} steps");
        }
    }
}

#[test]
fn old_backups_are_pruned_and_the_newest_stays() {
    let (home, _) = database_home();
    let installation = home.installation(&[]);
    let agents: Vec<&Agent> = installation.agents().iter().collect();
    let day = Millis::from_hours(24);
    let made: Vec<BackupId> = (0..4)
        .map(|age| {
            let now = Millis(NOW.0 - (3 - age) * day.0);
            let context = WriteContext { now, command: "backup create".to_owned() };
            backup::create(&installation, &agents, &context).unwrap().id
        })
        .collect();
    let prunable = |keep, age: Option<i64>| -> Vec<String> {
        let younger_than = age.map(|days| Millis(days * day.0));
        let retention = backup::Retention { keep, younger_than };
        let found = backup::prunable(&installation, retention, NOW).unwrap();
        found.iter().map(|backup| backup.path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    let ids =
        |indexes: &[usize]| -> Vec<&str> { indexes.iter().map(|index| made[*index].as_str()).collect() };
    assert_eq!(prunable(Some(2), None), ids(&[1, 0]));
    assert_eq!(prunable(None, Some(1)), ids(&[1, 0]));
    assert_eq!(prunable(Some(1), Some(2)), ids(&[0]));
    assert_eq!(prunable(Some(0), Some(-9)), ids(&[2, 1, 0]), "the newest always stays");
    let retention = backup::Retention { keep: Some(1), younger_than: None };
    for old in backup::prunable(&installation, retention, NOW).unwrap() {
        backup::remove(&installation, &old).unwrap();
        assert!(!old.path.exists());
    }
    let (left, broken) = backup::list(&installation).unwrap();
    assert_eq!((left.len(), broken.len()), (1, 0));
    assert_eq!(left[0].id, made[3]);
}
