//! Real states of older releases, imported by `clawctl doctor --fix` into homes of newer ones, and
//! looked at by the newer release itself.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::documents::{Kind, read};
use crate::openclaw::{Home, Release};

const IMPORTED: [(&str, &str); 4] =
    [("main", "openai:a"), ("main", "openai:b"), ("main", "anthropic:x"), ("ops", "openai:o")];

/// A home of the newer release with a profile of its own, into which the older one's files are put.
fn upgraded(older: Release, newer: Release) -> (Home, Home) {
    let source = Home::filled(older);
    source.openclaw_set("main", "openai", &["openai:b", "openai:a"]);
    let home = Home::new(newer, json!({}));
    home.paste("main", "openai:own");
    home.paste("ops", "openai:ops-own");
    for agent in ["main", "ops"] {
        // With a shared store the agent main needs no folder.
        fs::create_dir_all(home.agent_dir(agent)).expect("make the folder");
        for name in ["auth-profiles.json", "auth-state.json"] {
            let path = source.agent_dir(agent).join(name);
            if path.exists() {
                fs::copy(path, home.agent_dir(agent).join(name)).expect("copy");
            }
        }
    }
    (source, home)
}

fn legacy_findings(home: &Home) -> Vec<Value> {
    let report = home.clawctl(&["doctor", "--json"]).json();
    let findings = report["findings"].as_array().expect("findings").clone();
    let import = [
        "legacy-not-imported",
        "legacy-conflict",
        "legacy-unparsable",
        "interrupted-import",
        "store-empty-backup-found",
    ];
    findings.into_iter().filter(|finding| import.iter().any(|id| finding["id"] == *id)).collect()
}

fn check(home: &Home, source: &Home) {
    let mut checked = 0;
    for (agent, profile) in IMPORTED {
        // 2026.3.13 pastes for the agent main, whatever `--agent` says.
        let before = read(source, agent, Kind::Credentials).unwrap_or_default();
        let Some(before) = before["profiles"].get(profile) else { continue };
        let listed = home.openclaw_profiles(agent);
        assert!(
            listed.iter().any(|line| line.starts_with(&format!("{profile} "))),
            "{profile} in {listed:?}"
        );
        let stored = read(home, agent, Kind::Credentials).expect("a store");
        assert_eq!(stored["profiles"][profile], *before, "{profile}");
        checked += 1;
    }
    assert!(checked >= 3, "only {checked} profiles were there to be imported");
    assert!(home.openclaw_profiles("main").iter().any(|line| line.starts_with("openai:own ")));
    assert_eq!(home.openclaw_profiles("main"), home.clawctl_profiles("main"));
    assert_eq!(home.openclaw_profiles("ops"), home.clawctl_profiles("ops"));
}

fn imported(older: Release, newer: Release) {
    let (source, home) = upgraded(older, newer);
    assert!(!legacy_findings(&home).is_empty());
    home.clawctl(&["doctor", "--fix"]);
    assert_eq!(legacy_findings(&home), Vec::<Value>::new());
    check(&home, &source);
    let order = Some(vec!["openai:b".to_owned(), "openai:a".to_owned()]);
    assert_eq!(home.clawctl_order("main", "openai"), order);
    if newer == Release::AgentDatabase {
        assert_eq!(home.openclaw_order("main", "openai"), order);
    }

    // The release's own doctor has nothing to import, and leaves everything as it is.
    let doctor = home.openclaw(&["doctor", "--fix", "--non-interactive"]).success();
    let said = format!("{}{}", doctor.stdout, doctor.stderr);
    for complaint in ["Migrated auth profile", "Auth profile SQLite migration", "auth-profiles.json"] {
        assert!(!said.contains(complaint), "{complaint}: {said}");
    }
    check(&home, &source);
    assert_eq!(legacy_findings(&home), Vec::<Value>::new());
    let second = home.clawctl(&["doctor", "--fix", "--json"]).json();
    assert_eq!(second["repair"]["applied"], json!([]), "{second:#}");
}

#[test]
fn state_of_2026_3_in_2026_7() {
    imported(Release::Oldest, Release::AgentDatabase);
}

#[test]
fn state_of_2026_3_in_2026_9() {
    imported(Release::Oldest, Release::SharedStore);
}

#[test]
fn state_of_2026_5_in_2026_7() {
    imported(Release::Json, Release::AgentDatabase);
}

#[test]
fn state_of_2026_5_in_2026_9() {
    imported(Release::Json, Release::SharedStore);
}

/// 2026.7.1 imports files itself and keeps `NAME.sqlite-import.N.bak`; when its tables are lost
/// afterwards, that archive is what there is.
#[test]
fn the_archive_of_2026_7_beside_an_emptied_store() {
    let (source, home) = upgraded(Release::Json, Release::AgentDatabase);
    home.openclaw(&["doctor", "--fix", "--non-interactive"]).success();
    let database = Connection::open(home.agent_database("main")).expect("open");
    database
        .execute("UPDATE auth_profile_store SET store_json = '{\"version\":1,\"profiles\":{}}'", [])
        .expect("empty");
    drop(database);
    let found = legacy_findings(&home);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["id"], "store-empty-backup-found");
    home.clawctl(&["doctor", "--fix"]);
    assert_eq!(legacy_findings(&home), Vec::<Value>::new());
    for (agent, profile) in IMPORTED.iter().filter(|(agent, _)| *agent == "main") {
        let listed = home.openclaw_profiles(agent);
        assert!(
            listed.iter().any(|line| line.starts_with(&format!("{profile} "))),
            "{profile} in {listed:?}"
        );
    }
    let stored = read(&home, "main", Kind::Credentials).expect("a store");
    assert_eq!(stored["profiles"], read(&source, "main", Kind::Credentials).expect("a store")["profiles"]);
}

/// A whole home of 2026.7.1 under 2026.9.6: nothing to import, and after that release's own doctor
/// nothing either.
#[test]
fn state_of_2026_7_in_2026_9() {
    let source = Home::filled(Release::AgentDatabase);
    let home = source.copied_for(Release::SharedStore);
    assert_eq!(legacy_findings(&home), Vec::<Value>::new());
    // Its status also speaks of things that have nothing to do with credentials.
    home.openclaw(&["doctor", "--fix", "--non-interactive"]);
    assert_eq!(legacy_findings(&home), Vec::<Value>::new());
    for (agent, profile) in IMPORTED {
        let listed = home.openclaw_profiles(agent);
        assert!(
            listed.iter().any(|line| line.starts_with(&format!("{profile} "))),
            "{profile} in {listed:?}"
        );
        assert_eq!(home.openclaw_profiles(agent), home.listed_by_clawctl(agent));
    }
}

/// After an undo the release takes the files for new ones, and imports them itself.
#[test]
fn an_undone_import_is_imported_by_the_release() {
    let (source, home) = upgraded(Release::Json, Release::SharedStore);
    home.clawctl(&["doctor", "--fix", "--only", "legacy-not-imported"]).success();
    check(&home, &source);
    home.clawctl(&["undo"]).success();
    home.clawctl(&["undo"]).success();
    for agent in ["main", "ops"] {
        let path = home.agent_dir(agent).join("auth-profiles.json");
        assert_eq!(
            fs::read(&path).expect("read"),
            fs::read(source.agent_dir(agent).join("auth-profiles.json")).expect("read")
        );
    }
    home.openclaw(&["doctor", "--fix", "--non-interactive"]).success();
    check(&home, &source);
}
