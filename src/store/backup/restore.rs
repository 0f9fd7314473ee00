//! Putting back what a backup holds, or taking back the write after it.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::copy::{before_write, is_database};
use super::manifest::{BackupId, FileRecord, Manifest, find, load_all};
use crate::base::error::{Error, Result};
use crate::store::apply::write_edits;
use crate::store::change::{Edit, MemberChange, Undoable, WriteContext, Written, same_json};
use crate::store::db::rows::has_table;
use crate::store::db::sqlite;
use crate::store::document::{AUTH_ROWS, Origin, Row, SHARED_MARKER_ROW, Source};
use crate::store::edit::Document;
use crate::store::files::{AGENT_DATABASE, read_text};
use crate::store::random::hex;
use crate::store::target::{create_agent_database, remove_bare_database};
use crate::store::{Generation, Installation, import};

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
                let restorable = row != SHARED_MARKER_ROW;
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
    import::forget(installation, &paths)
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
