//! Backups: copies of auth data made before every write, and the way back.
//!
//! A backup is the folder `backups/clawctl/<UTC time>-<reason>` (0700) in the state folder: the copies
//! and `manifest.json` (all 0600). JSON files are copied byte for byte. Of a database it holds the auth
//! rows alone, with `schema_meta`, in a small database of the same tables: sessions and everything
//! else are a gateway's, may be large, and must not go back in time when credentials do. For the same
//! reason a restore puts rows back inside of the database that is there, in one transaction.
//!
//! The manifest also lists what the write after the backup changed, so that `undo` takes back exactly
//! that. Text of credentials stands in the copies only; the manifest has salted digests of it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as SqlValue;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::auth::{Origin, Row, Source};
use super::edit::Document;
use super::layer::{AGENT_DATABASE, AUTH_ROWS, has_table, read_text, user_version};
use super::random::{hex, random};
use super::sqlite::{self, sqlite_error};
use super::target::{create_agent_database, files_in, remove_bare_database};
use super::write::{Edit, Undoable, paths_of, same_json, write_edits};
use super::{Agent, Generation, Installation, MemberChange, WriteContext, Written, atomic};
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::time::Millis;

const MANIFEST: &str = "manifest.json";

/// A backup's name: `<UTC time>-<reason>`, unique in its installation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackupId(String);

impl BackupId {
    /// The id from a command line.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BackupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file in a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFile {
    /// Where it was copied from.
    pub original: PathBuf,
    /// The copy; `None` when there was no such file.
    pub copy: Option<PathBuf>,
    /// Hex SHA-256 of the copy; empty when there is none.
    pub sha256: String,
    /// The copy's size in bytes.
    pub bytes: u64,
}

/// One backup.
#[derive(Debug, Clone)]
pub struct Backup {
    /// Its name.
    pub id: BackupId,
    /// Its folder.
    pub path: PathBuf,
    /// When.
    pub created_at: Millis,
    /// Why: `auth-order-set`, `manual`, `restore` ...
    pub reason: String,
    /// The command that made it.
    pub command: String,
    /// The kind of store at that time.
    pub generation: Generation,
    /// What it holds.
    pub files: Vec<BackupFile>,
    /// What the write after it changed; empty for backups made by hand.
    pub members: Vec<MemberChange>,
    /// Was taken back by `undo`.
    pub undone: bool,
}

/// What a restore or undo changed.
#[derive(Debug, Clone)]
pub struct Restored {
    /// The backup that was restored.
    pub from: BackupId,
    /// The backup made just before, so that this can be taken back too; `None` when everything was as
    /// it should be already.
    pub backup: Option<BackupId>,
    /// Files and databases written.
    pub paths: Vec<PathBuf>,
    /// What changed; a path that is empty means the whole document.
    pub members: Vec<MemberChange>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    version: u32,
    /// The machine's clock in µs since 1970, which orders backups; `createdAt` is the run's.
    recorded_at: i64,
    created_at: Millis,
    reason: String,
    command: String,
    generation: String,
    files: Vec<FileRecord>,
    edits: Vec<EditRecord>,
    /// Random text that the digests start with.
    salt: String,
    /// `undo` may take this write back.
    undoable: bool,
    undone: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileRecord {
    original: PathBuf,
    copy: Option<String>,
    sha256: Option<String>,
    bytes: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EditRecord {
    source: Source,
    path: Vec<String>,
    /// The text stands in the copies, not here.
    secret: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// For secrets: digest of the text after, `None` when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after_digest: Option<String>,
}

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

fn is_database(path: &Path) -> bool {
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

/// Digest of what a JSON text means: white space doesn't count.
fn digest(salt: &str, text: &str) -> String {
    let plain = serde_json::from_str::<serde_json::Value>(text).map(|value| value.to_string());
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(plain.as_deref().unwrap_or(text));
    hex(&hash.finalize())
}

impl EditRecord {
    fn of(edit: &Edit, salt: &str) -> Self {
        let secret = edit.is_secret();
        let open = |text: &Option<String>| text.clone().filter(|_| !secret);
        Self {
            source: edit.source.clone(),
            path: edit.path.clone(),
            secret,
            before: open(&edit.before),
            after: open(&edit.after),
            after_digest: edit.after.as_deref().filter(|_| secret).map(|text| digest(salt, text)),
        }
    }

    fn shown(&self) -> MemberChange {
        let masked = |there: bool| there.then(|| "\"***\"".to_owned());
        MemberChange {
            source: self.source.clone(),
            path: self.path.clone(),
            json_path: self.path.join("."),
            before: if self.secret { masked(true) } else { self.before.clone() },
            after: if self.secret { masked(self.after_digest.is_some()) } else { self.after.clone() },
        }
    }

    /// Whether this text is what the write left behind.
    fn is_after(&self, text: Option<&str>, salt: &str) -> bool {
        if self.secret {
            text.map(|text| digest(salt, text)) == self.after_digest
        } else {
            same_json(text, self.after.as_deref())
        }
    }
}

impl Manifest {
    fn save(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| {
            Error::failed("can't write the backup's manifest").at(folder).caused_by(error)
        })?;
        text.push('\n');
        atomic::replace(&folder.join(MANIFEST), text.as_bytes())
    }

    fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = read_text(&path)?
            .ok_or_else(|| Error::damaged("the backup has no manifest, it was never finished").at(folder))?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| {
            Error::damaged(format!(
                "the backup's manifest isn't readable ({})",
                super::edit::shape_error(&error)
            ))
            .at(&path)
        })?;
        if manifest.version == 1 {
            Ok(manifest)
        } else {
            Err(Error::damaged(format!("the backup is of a newer clawctl (version {})", manifest.version))
                .at(&path))
        }
    }

    fn into_backup(self, folder: PathBuf) -> Backup {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let generation = [Generation::Json, Generation::AgentDatabase, Generation::SharedStore]
            .into_iter()
            .find(|generation| generation.name() == self.generation)
            .unwrap_or(Generation::Json);
        Backup {
            id: BackupId(name),
            created_at: self.created_at,
            reason: self.reason,
            command: self.command,
            generation,
            files: self
                .files
                .into_iter()
                .map(|file| BackupFile {
                    original: file.original,
                    copy: file.copy.map(|name| folder.join(name)),
                    sha256: file.sha256.unwrap_or_default(),
                    bytes: file.bytes,
                })
                .collect(),
            members: self.edits.iter().map(EditRecord::shown).collect(),
            undone: self.undone,
            path: folder,
        }
    }

    /// The text of a document as this backup holds it; `None` when it wasn't there.
    fn document(&self, folder: &Path, source: &Source) -> Result<Option<String>> {
        let file = self.files.iter().find(|file| file.original == source.path);
        let Some(copy) = file.and_then(|file| file.copy.as_ref()) else { return Ok(None) };
        let copy = folder.join(copy);
        match source.row {
            Some(row) => Ok(sqlite::read(&copy, |connection| row.read(connection))?.map(|(text, _)| text)),
            None => read_text(&copy),
        }
    }
}

/// A backup's folder and manifest.
type Loaded = (PathBuf, Manifest);

fn load_all(installation: &Installation) -> Result<(Vec<Loaded>, Vec<Error>)> {
    let parent = installation.places.backups_dir();
    let entries = match fs::read_dir(&parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        Err(error) => return Err(Error::io("list the backups", &parent, error)),
    };
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = entry.map_err(|error| Error::io("list the backups", &parent, error))?.path();
        if path.is_dir() {
            match Manifest::load(&path) {
                Ok(manifest) => found.push((path, manifest)),
                Err(error) => broken.push(error),
            }
        }
    }
    found.sort_by_key(|(_, manifest)| std::cmp::Reverse(manifest.recorded_at));
    Ok((found, broken))
}

/// Every backup, newest first, and what is wrong with folders that hold none.
///
/// # Errors
/// The folder of backups can't be listed.
pub fn list(installation: &Installation) -> Result<(Vec<Backup>, Vec<Error>)> {
    let (found, broken) = load_all(installation)?;
    Ok((found.into_iter().map(|(path, manifest)| manifest.into_backup(path)).collect(), broken))
}

/// Which backups are kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retention {
    /// The newest ones, this many.
    pub keep: Option<usize>,
    /// Those that are younger, ms.
    pub younger_than: Option<Millis>,
}

/// The backups that a retention doesn't keep, newest first: neither among the newest nor young. The
/// newest of all is always kept. Folders of backups that were never finished count by their time.
///
/// # Errors
/// The folder of backups can't be listed.
pub fn prunable(installation: &Installation, retention: Retention, now: Millis) -> Result<Vec<Prunable>> {
    let (found, broken) = load_all(installation)?;
    let is_old = |made: Millis| retention.younger_than.is_none_or(|age| now - made > age);
    let keep = retention.keep.unwrap_or(1).max(1);
    let mut prunable: Vec<Prunable> = found
        .into_iter()
        .skip(keep)
        .filter(|(_, manifest)| is_old(manifest.created_at))
        .map(|(path, manifest)| Prunable { path, created_at: Some(manifest.created_at) })
        .collect();
    for error in broken {
        let path = error.place.and_then(|place| place.path).unwrap_or_default();
        let made = fs::metadata(&path).and_then(|data| data.modified()).ok();
        let age = made.and_then(|made| made.elapsed().ok()).unwrap_or_default();
        // One that is being made right now has no manifest either.
        let unfinished = path.is_dir() && !path.join(MANIFEST).exists() && age > UNFINISHED_AFTER;
        if unfinished {
            prunable.push(Prunable { path, created_at: None });
        }
    }
    Ok(prunable)
}

/// A backup that may go.
#[derive(Debug, Clone)]
pub struct Prunable {
    /// Its folder.
    pub path: PathBuf,
    /// When it was made, ms since 1970; `None` when it was never finished.
    pub created_at: Option<Millis>,
}

/// After this time a backup without a manifest isn't being made any more.
const UNFINISHED_AFTER: std::time::Duration = std::time::Duration::from_secs(3600);

/// Removes a backup. Its manifest goes first: what is left of an interrupted removal is no backup.
///
/// # Errors
/// It is in use by an interrupted import, or can't be removed.
pub fn remove(installation: &Installation, backup: &Prunable) -> Result<()> {
    let id = backup.path.file_name().unwrap_or_default().to_string_lossy();
    if super::import::pending(installation)?.iter().any(|journal| journal.backup.as_deref() == Some(&*id)) {
        return Err(Error::busy("an interrupted import still needs this backup")
            .at(&backup.path)
            .hint("finish it first: clawctl doctor --fix"));
    }
    atomic::remove(&backup.path.join(MANIFEST))?;
    fs::remove_dir_all(&backup.path).map_err(|error| Error::io("remove the backup", &backup.path, error))
}

fn find(installation: &Installation, id: &BackupId) -> Result<(PathBuf, Manifest)> {
    let parent = installation.places.backups_dir();
    let folder = parent.join(&id.0);
    let plain = Path::new(&id.0).file_name().is_some_and(|name| name == id.0.as_str());
    if !plain || !folder.is_dir() {
        return Err(Error::nothing(format!("there is no backup \"{id}\""))
            .at(parent)
            .hint("clawctl backup list"));
    }
    Manifest::load(&folder).map(|manifest| (folder, manifest))
}

/// Refuses a backup whose files lie in another installation: one that was copied along with its state
/// folder would otherwise write into the original.
fn check_home(installation: &Installation, folder: &Path, manifest: &Manifest) -> Result<()> {
    let real = |path: &Path| {
        let parent = path.ancestors().skip(1).find_map(|parent| fs::canonicalize(parent).ok());
        parent.unwrap_or_else(|| path.to_path_buf())
    };
    let state = fs::canonicalize(&installation.places.state_dir)
        .unwrap_or_else(|_| installation.places.state_dir.clone());
    let is_home = |path: &Path| {
        let parent = real(path);
        let of_agent = installation.agents().iter().any(|agent| {
            path.parent() == Some(agent.dir.as_path())
                || fs::canonicalize(&agent.dir).is_ok_and(|dir| parent == dir)
        });
        of_agent || parent.starts_with(&state) || path.starts_with(&installation.places.state_dir)
    };
    let originals = manifest.files.iter().map(|file| file.original.as_path());
    let edited = manifest.edits.iter().map(|edit| edit.source.path.as_path());
    match originals.chain(edited).find(|path| !is_home(path)) {
        None => Ok(()),
        Some(path) => Err(Error::failed("this backup was made of another installation; nothing was written")
            .at(path)
            .hint(format!("its copies can be read in {}", folder.display()))
            .hint("to put it back there, name that installation: --state-dir")),
    }
}

/// Puts auth data back as the backup holds it: JSON files whole, in databases the auth rows alone
/// (sessions and everything else stay as they are now).
///
/// # Errors
/// `Nothing` (exit 3) when there is no such backup, `Damaged` (exit 5) when it isn't what its
/// manifest says, or the target can't be written safely.
pub fn restore(installation: &Installation, id: &BackupId, context: &WriteContext) -> Result<Restored> {
    let (folder, manifest) = find(installation, id)?;
    check_home(installation, &folder, &manifest)?;
    let mut edits = Vec::new();
    for file in &manifest.files {
        check_copy(&folder, file)?;
        for source in documents_of(installation, file, &folder)? {
            let before = now(&source)?;
            let after = manifest.document(&folder, &source)?;
            if before != after {
                edits.push(Edit { source, path: Vec::new(), before, after });
            }
        }
    }
    let from = BackupId(id.0.clone());
    if edits.is_empty() {
        return Ok(Restored {
            from,
            backup: None,
            paths: Vec::new(),
            members: Vec::new(),
            remarks: Vec::new(),
        });
    }
    make_databases(installation, &edits, context)?;
    let backup = before_write(installation, &edits, Undoable::Yes, context)?;
    let written = write_edits(installation, &edits, &backup, context)?;
    forget_imports(installation, &edits)?;
    Ok(Restored::of(from, written))
}

fn check_copy(folder: &Path, file: &FileRecord) -> Result<()> {
    let Some(name) = &file.copy else { return Ok(()) };
    let copy = folder.join(name);
    let bytes = fs::read(&copy).map_err(|error| Error::io("read the backup", &copy, error))?;
    if file.sha256.as_deref() == Some(hex(&Sha256::digest(&bytes)).as_str()) {
        Ok(())
    } else {
        Err(Error::damaged("the copy in the backup isn't what its manifest says").at(copy))
    }
}

/// The documents that a file of a backup stands for.
fn documents_of(installation: &Installation, file: &FileRecord, folder: &Path) -> Result<Vec<Source>> {
    let origin =
        if file.original == installation.places.state_database() { Origin::Shared } else { Origin::Own };
    let source = |row| Source { origin, path: file.original.clone(), row, updated_at: None };
    if !is_database(&file.original) {
        return Ok(vec![source(None)]);
    }
    let tables_of = |path: &Path| -> Result<Vec<Row>> {
        if path.symlink_metadata().is_err() {
            return Ok(Vec::new());
        }
        sqlite::read(path, |connection| {
            let mut rows = Vec::new();
            for row in AUTH_ROWS {
                // The marker says where credentials live: that is never taken back with them.
                let restorable = row != super::layer::SHARED_MARKER_ROW;
                if restorable && row_fits(row, origin) && has_table(connection, row.table)? {
                    rows.push(row);
                }
            }
            Ok(rows)
        })
    };
    let rows = match &file.copy {
        Some(copy) => tables_of(&folder.join(copy))?,
        None => tables_of(&file.original)?,
    };
    Ok(rows.into_iter().map(|row| source(Some(row))).collect())
}

/// `auth_profile_state` is a table of both kinds of database, with different keys.
fn row_fits(row: Row, origin: Origin) -> bool {
    (row.key == "primary") == (origin != Origin::Shared)
}

/// The text of a document now.
fn now(source: &Source) -> Result<Option<String>> {
    match source.row {
        None => read_text(&source.path),
        Some(_) if source.path.symlink_metadata().is_err() => Ok(None),
        Some(row) => Ok(sqlite::read(&source.path, |connection| row.read(connection))?.map(|(text, _)| text)),
    }
}

/// A restore into an agent whose database is gone makes a new one.
fn make_databases(installation: &Installation, edits: &[Edit], context: &WriteContext) -> Result<()> {
    for edit in edits {
        let path = &edit.source.path;
        if edit.source.row.is_some() && edit.source.origin == Origin::Own && path.symlink_metadata().is_err()
        {
            let agent = installation.agents().iter().find(|agent| path.parent() == Some(&agent.dir));
            if let Some(agent) = agent {
                create_agent_database(path, &agent.id, context.now)?;
            }
        }
    }
    Ok(())
}

/// Takes back the newest write that wasn't taken back yet: exactly the members that it changed.
/// What other processes changed elsewhere meanwhile stays.
///
/// # Errors
/// `Nothing` (exit 3) when there is none; `Busy` (exit 4) when one of those members was changed
/// since, unless `force`.
pub fn undo(installation: &Installation, force: bool, context: &WriteContext) -> Result<Restored> {
    let (found, _) = load_all(installation)?;
    for (folder, manifest) in found {
        if !manifest.undoable || manifest.undone {
            continue;
        }
        let restored = take_back(installation, &folder, manifest, force, context)?;
        // Nothing to take back: that write never happened, or is gone already; the one before it is
        // meant.
        if restored.backup.is_some() {
            return Ok(restored);
        }
    }
    Err(Error::nothing("there is no write to take back")
        .at(installation.places.backups_dir())
        .hint("clawctl backup list shows every backup"))
}

/// Takes back the write that came after this backup, whatever was written since.
///
/// # Errors
/// As [`undo`]; `Usage` (exit 2) for a backup made by hand, which no write came after.
pub fn undo_write(
    installation: &Installation,
    id: &BackupId,
    force: bool,
    context: &WriteContext,
) -> Result<Restored> {
    let (folder, manifest) = find(installation, id)?;
    if manifest.edits.is_empty() {
        return Err(Error::usage(format!("no write came after the backup {id}"))
            .at(folder)
            .hint(format!("put it back with: clawctl backup restore {id}")));
    }
    take_back(installation, &folder, manifest, force, context)
}

fn take_back(
    installation: &Installation,
    folder: &Path,
    mut manifest: Manifest,
    force: bool,
    context: &WriteContext,
) -> Result<Restored> {
    check_home(installation, folder, &manifest)?;
    let from = BackupId(folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let mut edits = Vec::new();
    let mut changed = Vec::new();
    for record in manifest.edits.iter().rev() {
        let current = now(&record.source)?
            .map(|text| member_in(&text, &record.path, &record.source))
            .transpose()?
            .flatten();
        let before = if record.secret {
            manifest
                .document(folder, &record.source)?
                .map(|text| member_in(&text, &record.path, &record.source))
                .transpose()?
                .flatten()
        } else {
            record.before.clone()
        };
        if same_json(current.as_deref(), before.as_deref()) {
            continue;
        }
        if !record.is_after(current.as_deref(), &manifest.salt) {
            changed.push(record.shown());
        }
        edits.push(Edit {
            source: record.source.clone(),
            path: record.path.clone(),
            before: current,
            after: before,
        });
    }
    if edits.is_empty() {
        return Ok(Restored::nothing(from));
    }
    if let (Some(first), false) = (changed.first(), force) {
        let path = first.source.path.clone();
        let names: Vec<String> = changed.into_iter().map(|member| member.json_path).collect();
        return Err(Error::busy(format!("changed since that write: {}", names.join(", ")))
            .at(path)
            .hint(format!("clawctl undo {from} --force takes the write back all the same"))
            .hint(format!("clawctl backup restore {from} puts everything back as it was before")));
    }
    let backup = before_write(installation, &edits, Undoable::No, context)?;
    let written = write_edits(installation, &edits, &backup, context)?;
    forget_imports(installation, &edits)?;
    // With a shared store the release refuses an agent whose database has schema version 1 until its
    // doctor ran (seen with 2026.9.6): one that the write had made goes with it.
    if installation.generation == Generation::SharedStore {
        let made = manifest.files.iter().filter(|file| file.copy.is_none());
        for file in made.filter(|file| file.original.ends_with(AGENT_DATABASE)) {
            remove_bare_database(&file.original)?;
        }
    }
    manifest.undone = true;
    manifest.save(folder)?;
    Ok(Restored::of(from, written))
}

/// Files that were put back are to be imported again.
fn forget_imports(installation: &Installation, edits: &[Edit]) -> Result<()> {
    let is_back = |edit: &&Edit| {
        edit.source.row.is_none() && edit.path.is_empty() && edit.before.is_none() && edit.after.is_some()
    };
    let paths: Vec<&Path> = edits.iter().filter(is_back).map(|edit| edit.source.path.as_path()).collect();
    super::import::forget(installation, &paths)
}

impl Restored {
    fn nothing(from: BackupId) -> Self {
        Self { from, backup: None, paths: Vec::new(), members: Vec::new(), remarks: Vec::new() }
    }

    fn of(from: BackupId, written: Written) -> Self {
        let Written { backup, members, paths, remarks } = written;
        Self { from, backup, paths, members, remarks }
    }
}

fn member_in(text: &str, path: &[String], source: &Source) -> Result<Option<String>> {
    if path.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let document = Document::parse(text).map_err(|error| error.at(&source.path))?;
    Ok(document.get(&path).map(str::to_owned))
}
