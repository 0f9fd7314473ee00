//! The first database of an agent, made by clawctl: releases read it, extend it and migrate it.

use rusqlite::Connection;
use serde_json::json;

use crate::documents::{Kind, write};
use crate::openclaw::{Home, Release};

fn schema_version(home: &Home, agent: &str) -> i64 {
    let connection = Connection::open(home.agent_database(agent)).expect("open");
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
}

fn tables(home: &Home, agent: &str) -> i64 {
    let connection = Connection::open(home.agent_database(agent)).expect("open");
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";
    connection.query_row(sql, [], |row| row.get(0)).expect("a number")
}

/// An agent without a database is given an order.
fn made(release: Release, agent: &str) -> Home {
    let home = Home::filled(release);
    assert!(!home.agent_database(agent).exists(), "{agent} has a database already");
    home.clawctl_set(agent, "openai", &["openai:b", "openai:a"]);
    assert_eq!(schema_version(&home, agent), 1);
    home
}

#[test]
fn agent_databases_are_opened_and_extended() {
    let home = made(Release::AgentDatabase, "fresh");
    assert_eq!(home.openclaw_order("fresh", "openai"), Some(vec!["openai:b".into(), "openai:a".into()]));
    assert_eq!(home.openclaw_profiles("fresh"), home.clawctl_profiles("fresh"));

    let before = tables(&home, "fresh");
    home.paste("fresh", "openai:f");
    assert!(tables(&home, "fresh") > before, "the release adds its tables");
    assert!(home.clawctl_profiles("fresh").contains(&"openai:f openai api_key".to_owned()));
    assert_eq!(home.openclaw_profiles("fresh"), home.clawctl_profiles("fresh"));
    home.openclaw_set("fresh", "openai", &["openai:f"]);
    home.clawctl_set("fresh", "openai", &["openai:a", "openai:f"]);
    assert_eq!(home.openclaw_order("fresh", "openai"), Some(vec!["openai:a".into(), "openai:f".into()]));
}

#[test]
fn the_doctor_of_the_shared_store_migrates_it() {
    let home = made(Release::SharedStore, "fresh");
    // A credential of its own, as an import stores it.
    let credential =
        json!({"type": "api_key", "provider": "openai", "key": "made-up-key-of-fresh-0000000000"});
    let document = json!({"version": 1, "profiles": {"openai:f": credential}});
    write(&home, "fresh", Kind::Credentials, &document);
    let of_fresh = ["openai:f", "openai:b", "openai:a"];
    home.clawctl_set("fresh", "openai", &of_fresh);
    let of_main = ["openai:b", "openai:a"];
    let told = home.clawctl_set("main", "openai", &of_main);
    assert!(told.stderr.contains("openclaw doctor --fix"), "{}", told.stderr);

    let check = || {
        assert_eq!(home.openclaw_order("fresh", "openai"), Some(of_fresh.map(str::to_owned).to_vec()));
        assert_eq!(home.openclaw_order("main", "openai"), Some(of_main.map(str::to_owned).to_vec()));
        assert_eq!(home.effective_order("fresh", "openai"), of_fresh);
        assert_eq!(home.effective_order("main", "openai"), of_main);
        let listed = home.clawctl_profiles("fresh");
        assert!(listed.contains(&"openai:f openai api_key".to_owned()), "{listed:?}");
        assert_eq!(home.openclaw_profiles("fresh"), listed);
    };
    check();
    home.openclaw(&["doctor", "--fix", "--non-interactive"]).success();
    assert!(schema_version(&home, "fresh") > 1, "the doctor migrates the database");
    check();

    // From now on the release writes it itself.
    home.openclaw_set("fresh", "openai", &["openai:a"]);
    assert_eq!(home.effective_order("fresh", "openai"), ["openai:a"]);
}
