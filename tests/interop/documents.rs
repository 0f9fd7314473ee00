//! The documents of a store, read and written by hand: without clawctl and without a release.

use std::fs;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::openclaw::{Home, Release};

/// What a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Credentials,
    State,
}

enum Place {
    File(PathBuf),
    Row { database: PathBuf, table: &'static str, columns: [&'static str; 3], key: &'static str },
}

fn place(home: &Home, agent: &str, kind: Kind) -> Place {
    let is_state = kind == Kind::State;
    match home.release {
        Release::Oldest | Release::Json => {
            let name = if is_state { "auth-state.json" } else { "auth-profiles.json" };
            Place::File(home.agent_dir(agent).join(name))
        }
        // What the agent main has is in the shared store.
        Release::SharedStore if agent == "main" => Place::Row {
            database: home.state().join("state/openclaw.sqlite"),
            table: "config_machine_state",
            columns: ["state_key", "value_json", "updated_at_ms"],
            key: if is_state { "authProfiles.state" } else { "authProfiles.store" },
        },
        _ if is_state => Place::Row {
            database: home.agent_database(agent),
            table: "auth_profile_state",
            columns: ["state_key", "state_json", "updated_at"],
            key: "primary",
        },
        _ => Place::Row {
            database: home.agent_database(agent),
            table: "auth_profile_store",
            columns: ["store_key", "store_json", "updated_at"],
            key: "primary",
        },
    }
}

/// The database that holds the document; `None` for a file.
pub fn database_of(home: &Home, agent: &str, kind: Kind) -> Option<PathBuf> {
    match place(home, agent, kind) {
        Place::File(_) => None,
        Place::Row { database, .. } => Some(database),
    }
}

/// The document, if it is there.
pub fn read(home: &Home, agent: &str, kind: Kind) -> Option<Value> {
    let text = match place(home, agent, kind) {
        Place::File(path) => fs::read_to_string(path).ok()?,
        Place::Row { database, table, columns: [key_column, json, _], key } => {
            let sql = format!("SELECT {json} FROM {table} WHERE {key_column} = ?1");
            let connection = Connection::open(database).expect("open");
            connection.query_row(&sql, [key], |row| row.get(0)).optional().expect("read")?
        }
    };
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Stores the document.
pub fn write(home: &Home, agent: &str, kind: Kind, document: &Value) {
    match place(home, agent, kind) {
        Place::File(path) => fs::write(path, document.to_string()).expect("write"),
        Place::Row { database, .. } => {
            write_with(&Connection::open(database).expect("open"), home, agent, kind, document);
        }
    }
}

/// Stores the document through this connection.
pub fn write_with(connection: &Connection, home: &Home, agent: &str, kind: Kind, document: &Value) {
    let Place::Row { table, columns: [key_column, json, updated], key, .. } = place(home, agent, kind) else {
        panic!("a file has no connection");
    };
    let sql = format!(
        "INSERT INTO {table} ({key_column}, {json}, {updated}) VALUES (?1, ?2, ?3)
         ON CONFLICT ({key_column}) DO UPDATE SET {json} = excluded.{json}, {updated} = excluded.{updated}"
    );
    connection.execute(&sql, params![key, document.to_string(), now()]).expect("write");
}

/// Now, in ms since 1970.
pub fn now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_millis()).expect("not that far off")
}
