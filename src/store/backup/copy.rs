//! Making a backup.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as SqlValue;
use sha2::{Digest, Sha256};

use super::manifest::{Backup, EditRecord, FileRecord, Manifest};
use crate::base::error::{Error, ErrorKind, Result};
use crate::store::change::{Edit, Undoable, WriteContext, paths_of};
use crate::store::db::rows::{has_table, user_version};
use crate::store::db::sqlite::{self, sqlite_error};
use crate::store::document::AUTH_ROWS;
use crate::store::random::{hex, random};
use crate::store::target::files_in;
use crate::store::{Agent, Installation, atomic};

/// Copies every store file of these agents, and the shared store, into a new backup.
///
/// # Errors
/// Something can't be read or written; no backup is left then.
pub fn create(installation: &Installation, agents: &[&Agent], context: &WriteContext) -> Result<Backup> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let state_database = installation.places.state_database();
    let dirs = agents.iter().map(|agent| agent.dir.clone());
    for path in dirs.flat_map(|dir| files_in(&dir)).chain(std::iter::once(state_database)) {
        if path.symlink_metadata().is_ok() && !paths.contains(&path) {
            paths.push(path);
        }
    }
    make(installation, &paths, &[], Undoable::No, context)
}

/// The backup before a write of these edits.
pub(crate) fn before_write(
    installation: &Installation,
    edits: &[Edit],
    undoable: Undoable,
    context: &WriteContext,
) -> Result<Backup> {
    make(installation, &paths_of(edits), edits, undoable, context)
}

/// Removes the backup of a write that didn't happen.
pub(crate) fn discard(backup: &Backup) {
    // A backup that stays is no harm: undo finds that nothing has to be taken back.
    let _ = fs::remove_dir_all(&backup.path);
}

fn make(
    installation: &Installation,
    paths: &[PathBuf],
    edits: &[Edit],
    undoable: Undoable,
    context: &WriteContext,
) -> Result<Backup> {
    let parent = installation.places.backups_dir();
    atomic::create_folder(&parent)?;
    let folder = new_folder(&parent, context)?;
    let fill = || -> Result<Manifest> {
        let salt = hex(&random::<16>()?);
        let mut files = Vec::with_capacity(paths.len());
        for (index, path) in paths.iter().enumerate() {
            files.push(copy_in(path, &folder, index)?);
        }
        let edits = edits.iter().map(|edit| EditRecord::of(edit, &salt)).collect();
        let manifest = Manifest {
            version: 1,
            recorded_at: chrono::Utc::now().timestamp_micros(),
            created_at: context.now,
            reason: context.reason(),
            command: context.command.clone(),
            generation: installation.generation.name().to_owned(),
            files,
            edits,
            salt,
            undoable: undoable == Undoable::Yes,
            undone: false,
        };
        manifest.save(&folder)?;
        Ok(manifest)
    };
    match fill() {
        Ok(manifest) => Ok(manifest.into_backup(folder)),
        Err(error) => {
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

/// A new folder named after the time; a number is added when the name is taken.
fn new_folder(parent: &Path, context: &WriteContext) -> Result<PathBuf> {
    let time = context.now.to_rfc3339().unwrap_or_else(|| format!("{}ms", context.now.0));
    let time: String = time.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    let reason = context.reason();
    for serial in 1..10_000_u32 {
        let suffix = if serial == 1 { String::new() } else { format!("-{serial}") };
        let folder = parent.join(format!("{time}-{reason}{suffix}"));
        if folder.symlink_metadata().is_err() {
            // Another process may take the same name now.
            match atomic::create_new_folder(&folder) {
                Err(error) if error.kind == ErrorKind::Busy => continue,
                made => return made.map(|()| folder),
            }
        }
    }
    Err(Error::failed("there are too many backups of this moment").at(parent))
}

fn copy_in(path: &Path, folder: &Path, index: usize) -> Result<FileRecord> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let copy_name = format!("{:02}-{name}", index + 1);
    let copy = folder.join(&copy_name);
    if path.symlink_metadata().is_err() {
        return Ok(FileRecord { original: path.to_path_buf(), copy: None, sha256: None, bytes: 0 });
    }
    if is_database(path) {
        copy_rows(path, &copy)?;
    } else {
        let bytes = fs::read(path).map_err(|error| Error::io("read the file", path, error))?;
        atomic::create(&copy, &bytes)?;
    }
    let bytes = fs::read(&copy).map_err(|error| Error::io("read the file", &copy, error))?;
    Ok(FileRecord {
        original: path.to_path_buf(),
        copy: Some(copy_name),
        sha256: Some(hex(&Sha256::digest(&bytes))),
        bytes: bytes.len() as u64,
    })
}

pub(super) fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sqlite")
}

/// A table with the rows that are kept of it.
struct Table {
    sql: String,
    name: &'static str,
    columns: usize,
    rows: Vec<Vec<SqlValue>>,
}

fn copy_rows(path: &Path, copy: &Path) -> Result<()> {
    let (version, tables) = sqlite::read(path, |connection| {
        let mut tables = Vec::new();
        let mut names: Vec<&'static str> = vec!["schema_meta"];
        names.extend(AUTH_ROWS.iter().map(|row| row.table));
        names.dedup();
        for name in names {
            if tables.iter().any(|table: &Table| table.name == name) || !has_table(connection, name)? {
                continue;
            }
            let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
            let sql: String = connection.query_row(sql, [name], |row| row.get(0))?;
            let filter = if name == "config_machine_state" {
                " WHERE state_key IN ('auth.sharedStore', 'authProfiles.store', 'authProfiles.state')"
            } else {
                ""
            };
            let mut statement = connection.prepare(&format!("SELECT * FROM {name}{filter}"))?;
            let columns = statement.column_count();
            let rows = statement
                .query_map([], |row| (0..columns).map(|index| row.get(index)).collect())?
                .collect::<rusqlite::Result<Vec<Vec<SqlValue>>>>()?;
            tables.push(Table { sql, name, columns, rows });
        }
        Ok((user_version(connection)?, tables))
    })?;
    let build = |temp: &Path| -> rusqlite::Result<()> {
        let connection = sqlite::open_for_writing(temp)?;
        connection.execute_batch("BEGIN")?;
        for table in &tables {
            connection.execute_batch(&table.sql)?;
            let places = vec!["?"; table.columns].join(", ");
            let mut insert = connection.prepare(&format!("INSERT INTO {} VALUES ({places})", table.name))?;
            for row in &table.rows {
                insert.execute(rusqlite::params_from_iter(row))?;
            }
        }
        connection.execute_batch(&format!("PRAGMA user_version = {version}; COMMIT"))?;
        connection.close().map_err(|(_, error)| error)
    };
    atomic::build_new(copy, |temp| {
        build(temp).map_err(|error| sqlite_error("write the backup of the database", copy, error))
    })
}
