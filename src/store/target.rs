//! Writing the documents of one file: a database in one immediate transaction, a JSON file by rename
//! under OpenClaw's lock.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::change::{Edit, edited, same_json};
use super::db::rows::{has_table, schema_meta, user_version};
use super::db::sqlite::{self, sqlite_error};
use super::document::Row;
use super::document::{AGENT_STATE_ROW, AGENT_STORE_ROW};
use super::edit::Document;
use super::fault::{space, step};
use super::files::{
    AGENT_DATABASE, KNOWN_AGENT_SCHEMA, KNOWN_STATE_SCHEMA, PROFILES_FILE, STATE_FILE, read_text,
};
use super::{AgentId, Generation, Installation, atomic, lock};
use crate::base::error::{Error, Result};
use crate::base::time::Millis;

/// What the releases write for an agent without profiles.
const EMPTY_STORE: &str = r#"{"version":1,"profiles":{}}"#;
const EMPTY_STORE_FILE: &str = "{\n  \"version\": 1,\n  \"profiles\": {}\n}\n";
const EMPTY_STATE: &str = r#"{"version":1}"#;
const EMPTY_STATE_FILE: &str = "{\n  \"version\": 1\n}\n";

/// Writes the edits of one file and reads them back.
///
/// # Errors
/// `Busy` when another process holds the file or changed one of these members; `Damaged` when the
/// database is damaged, newer than known or another agent's; nothing is written then.
pub(crate) fn write(
    installation: &Installation,
    path: &Path,
    edits: &[&Edit],
    now: Millis,
) -> Result<Vec<String>> {
    atomic::refuse_symlink(path)?;
    if edits.iter().any(|edit| edit.source.row.is_some()) {
        write_database(installation, path, edits, now)
    } else {
        write_file(path, edits)
    }
}

fn check_expected(edit: &Edit, current: Option<&str>, path: &Path) -> Result<()> {
    if same_json(current, edit.before.as_deref()) {
        return Ok(());
    }
    let what = if edit.path.is_empty() { "the document".to_owned() } else { edit.path.join(".") };
    Err(Error::busy(format!("{what} was changed by another process meanwhile, nothing was written"))
        .at(path)
        .hint("look at it again, then repeat the command"))
}

/// The text of a document after all edits of it; `None` when it is to go.
fn apply(text: Option<String>, empty: &str, edits: &[&Edit], path: &Path) -> Result<Option<String>> {
    let mut result = text;
    for edit in edits {
        let current = match (&result, edit.path.as_slice()) {
            (None, _) => None,
            (Some(text), []) => Some(text.clone()),
            (Some(text), keys) => {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                Document::parse(text).map_err(|error| error.at(path))?.get(&keys).map(str::to_owned)
            }
        };
        if same_json(current.as_deref(), edit.after.as_deref()) {
            // Somebody did the same meanwhile, or an interrupted run came this far.
            continue;
        }
        check_expected(edit, current.as_deref(), path)?;
        result = edited(result.as_deref().unwrap_or(empty), edit).map_err(|error| error.at(path))?;
    }
    Ok(result)
}

fn write_file(path: &Path, edits: &[&Edit]) -> Result<Vec<String>> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    atomic::create_folder(folder)?;
    let profiles = folder.join(PROFILES_FILE);
    let held = lock::acquire(&profiles)?;
    let is_state = path.file_name().is_some_and(|name| name == STATE_FILE);
    let before = read_text(path)?;
    let empty = if is_state { EMPTY_STATE_FILE } else { EMPTY_STORE_FILE };
    let after = apply(before, empty, edits, path)?;
    match &after {
        Some(text) => {
            let puts_back = edits.iter().any(|edit| edit.path.is_empty());
            if is_state && !puts_back && profiles.symlink_metadata().is_err() {
                // A release reads the state file of an agent that has a file of profiles only. A file
                // that is put back as a whole was there without one, or comes with it.
                atomic::create(&profiles, EMPTY_STORE_FILE.as_bytes())?;
            }
            atomic::replace(path, text.as_bytes())?;
        }
        None => atomic::remove(path)?,
    }
    if read_text(path)? != after {
        return Err(read_back_failed(path));
    }
    Ok(held.broken.iter().cloned().collect())
}

fn read_back_failed(path: &Path) -> Error {
    Error::busy("what was written doesn't read back the same, another process changed it since").at(path)
}

fn write_database(
    installation: &Installation,
    path: &Path,
    edits: &[&Edit],
    now: Millis,
) -> Result<Vec<String>> {
    let owner = owner_of(installation, path);
    let known = if owner.is_some() { KNOWN_AGENT_SCHEMA } else { KNOWN_STATE_SCHEMA };
    let mut remarks = Vec::new();
    if path.symlink_metadata().is_err() {
        match &owner {
            Some(owner) => {
                create_agent_database(path, owner, now)?;
                if installation.generation == Generation::SharedStore {
                    // Seen with 2026.9.6: it lists from such a database, and refuses all else.
                    remarks.push(format!(
                        "the agent {owner} had no database; the one made now has schema version 1, and the release \
                         neither runs this agent nor writes it until its doctor has migrated it: openclaw doctor --fix"
                    ));
                }
            }
            None => return Err(Error::nothing("the state database is gone").at(path)),
        }
    }
    // Before the database is opened for writing, which would make a -wal.
    let mut refusal = None;
    sqlite::read(path, |connection| {
        refusal = check(connection, owner.as_ref(), known, edits)?;
        Ok(())
    })?;
    if let Some(refusal) = refusal {
        return Err(refusal.at(path));
    }

    let failed = |error| sqlite_error("write the database", path, error);
    let mut connection = sqlite::open_for_writing(path).map_err(failed)?;
    step("begin");
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    if let Some(refusal) = check(&transaction, owner.as_ref(), known, edits).map_err(failed)? {
        return Err(refusal.at(path));
    }
    let mut written: Vec<(Row, Option<String>)> = Vec::new();
    for row in rows_of(edits) {
        let of_row: Vec<&Edit> = edits.iter().copied().filter(|edit| edit.source.row == Some(row)).collect();
        let before = row.read(&transaction).map_err(failed)?.map(|(text, _)| text);
        let empty = if row == AGENT_STORE_ROW { EMPTY_STORE } else { EMPTY_STATE };
        let after = apply(before, empty, &of_row, path)?;
        step("row");
        space().map_err(|error| Error::io("write the database", path, error))?;
        put_row(&transaction, row, after.as_deref(), now).map_err(failed)?;
        written.push((row, after));
    }
    for (row, text) in &written {
        if let (Some(needed), Some(_)) = (row.needs(), text)
            && needed.read(&transaction).map_err(failed)?.is_none()
        {
            put_row(&transaction, needed, Some(EMPTY_STORE), now).map_err(failed)?;
        }
    }
    step("commit");
    space().map_err(|error| Error::io("write the database", path, error))?;
    transaction.commit().map_err(failed)?;
    step("commit.done");
    for (row, text) in &written {
        let stored = row.read(&connection).map_err(failed)?.map(|(text, _)| text);
        if stored != *text {
            return Err(read_back_failed(path));
        }
    }
    Ok(remarks)
}

fn rows_of(edits: &[&Edit]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for row in edits.iter().filter_map(|edit| edit.source.row) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

fn put_row(transaction: &Transaction<'_>, row: Row, text: Option<&str>, now: Millis) -> rusqlite::Result<()> {
    let [key, json, updated] = row.columns();
    let table = row.table;
    let Some(text) = text else {
        transaction.execute(&format!("DELETE FROM {table} WHERE {key} = ?1"), [row.key])?;
        return Ok(());
    };
    let sql = format!("UPDATE {table} SET {json} = ?2, {updated} = ?3 WHERE {key} = ?1");
    if transaction.execute(&sql, params![row.key, text, now.0])? == 0 {
        let sql = format!("INSERT INTO {table} ({key}, {json}, {updated}) VALUES (?1, ?2, ?3)");
        transaction.execute(&sql, params![row.key, text, now.0])?;
    }
    Ok(())
}

/// Whose database this is; `None` for the state database.
fn owner_of(installation: &Installation, path: &Path) -> Option<AgentId> {
    if path == installation.places.state_database() {
        return None;
    }
    let dir = path.parent()?;
    if dir == installation.main_dir() {
        return Some(AgentId::main());
    }
    installation.agents().iter().find(|agent| agent.dir == dir).map(|agent| agent.id.clone())
}

/// Why this database mustn't be written, if so.
fn check(
    connection: &Connection,
    owner: Option<&AgentId>,
    known: i64,
    edits: &[&Edit],
) -> rusqlite::Result<Option<Error>> {
    let version = user_version(connection)?;
    if version > known {
        return Ok(Some(
            Error::damaged(format!(
                "the schema is version {version}, newer than {known}, the newest this tool knows; nothing was written"
            ))
            .hint("use a newer clawctl, or OpenClaw's own command"),
        ));
    }
    let stamped = schema_meta(connection)?.and_then(|(_, agent)| agent);
    if let (Some(owner), Some(stamped)) = (owner, stamped)
        && AgentId::new(&stamped) != *owner
    {
        return Ok(Some(Error::damaged(format!(
            "the database says that it belongs to the agent \"{stamped}\", not to \"{owner}\"; nothing was written"
        ))));
    }
    for row in rows_of(edits) {
        if !has_table(connection, row.table)? {
            return Ok(Some(
                Error::damaged(format!("the database has no table {}; nothing was written", row.table))
                    .hint("let OpenClaw make it: openclaw doctor --fix"),
            ));
        }
    }
    Ok(None)
}

/// Makes an agent's first database: the tables that 2026.7.1 opens and extends, and that the doctor
/// of 2026.9.6 migrates. It appears whole; one that another process made meanwhile is left alone.
pub(crate) fn create_agent_database(path: &Path, owner: &AgentId, now: Millis) -> Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    atomic::create_folder(folder)?;
    let build = |temp: &Path| -> rusqlite::Result<()> {
        let connection = sqlite::open_for_writing(temp)?;
        connection.execute_batch(
            "CREATE TABLE schema_meta (
               meta_key TEXT NOT NULL PRIMARY KEY,
               role TEXT NOT NULL,
               schema_version INTEGER NOT NULL,
               agent_id TEXT,
               app_version TEXT,
               created_at INTEGER NOT NULL,
               updated_at INTEGER NOT NULL
             );
             CREATE TABLE auth_profile_store (
               store_key TEXT NOT NULL PRIMARY KEY,
               store_json TEXT NOT NULL,
               updated_at INTEGER NOT NULL
             );
             CREATE TABLE auth_profile_state (
               state_key TEXT NOT NULL PRIMARY KEY,
               state_json TEXT NOT NULL,
               updated_at INTEGER NOT NULL
             );
             PRAGMA user_version = 1;",
        )?;
        let meta = "INSERT INTO schema_meta VALUES ('primary', 'agent', 1, ?1, NULL, ?2, ?2)";
        connection.execute(meta, params![owner.as_str(), now.0])?;
        let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        debug_assert_eq!(mode, "wal");
        connection.close().map_err(|(_, error)| error)
    };
    atomic::build_new(path, |temp| {
        build(temp).map_err(|error| sqlite_error("make the database", path, error))
    })
}

/// Removes a database that [`create_agent_database`] made and that holds nothing since: exactly its
/// three tables, schema version 1, and no profile, order or usage. Anything else stays.
///
/// # Errors
/// It can't be read or removed, or another process has it open (exit 4).
pub(crate) fn remove_bare_database(path: &Path) -> Result<bool> {
    if path.symlink_metadata().is_err() {
        return Ok(false);
    }
    let bare = sqlite::read(path, |connection| {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let own: i64 = connection.query_row(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table'
               AND name IN ('schema_meta', 'auth_profile_store', 'auth_profile_state')",
            [],
            |row| row.get(0),
        )?;
        // Each table has an index of its own for its key.
        if own != 3 || tables != 6 || user_version(connection)? != 1 {
            return Ok(false);
        }
        let texts = [AGENT_STORE_ROW, AGENT_STATE_ROW].map(|row| row.read(connection));
        for text in texts {
            let held = text?.and_then(|(text, _)| serde_json::from_str::<serde_json::Value>(&text).ok());
            let holds_something =
                held.as_ref().and_then(serde_json::Value::as_object).is_some_and(|members| {
                    members.iter().any(|(name, value)| {
                        name != "version" && !value.as_object().is_some_and(serde_json::Map::is_empty)
                    })
                });
            if holds_something {
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    if !bare {
        return Ok(false);
    }
    // Leaving WAL mode works only when nobody else has the database open; it takes -wal and -shm along.
    let alone = || -> rusqlite::Result<bool> {
        let connection = sqlite::open_for_writing(path)?;
        let mode: String = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(mode == "delete")
    };
    if !alone().map_err(|error| sqlite_error("remove the database that this write had made", path, error))? {
        return Err(Error::busy("another process has the database open that this write had made").at(path));
    }
    atomic::remove(path)?;
    Ok(true)
}

/// The files and databases with auth data that an agent's folder holds.
pub(crate) fn files_in(dir: &Path) -> Vec<PathBuf> {
    [AGENT_DATABASE, PROFILES_FILE, STATE_FILE, "auth.json"]
        .iter()
        .map(|name| dir.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .collect()
}
