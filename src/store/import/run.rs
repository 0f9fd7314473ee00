//! Doing an import, and finishing one that was interrupted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::journal::{Journal, JournalSource, Phase};
use super::plan::{ImportPlan, read_back};
use super::receipts;
use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::store::apply::write_edits;
use crate::store::change::{Edit, Undoable};
use crate::store::document::Source;
use crate::store::fault::step;
use crate::store::legacy::LegacyKind;
use crate::store::lock::{self, FileLock};
use crate::store::random::{hex, uuid};
use crate::store::{BackupId, Installation, MemberChange, Origin, WriteContext, atomic, backup};

/// What an import did.
#[derive(Debug, Default)]
pub struct Imported {
    /// The backup made before.
    pub backup: Option<BackupId>,
    /// Members of the store that changed.
    pub members: Vec<MemberChange>,
    /// Files that were moved: from, to.
    pub moved: Vec<(PathBuf, PathBuf)>,
    /// Files and databases that were written.
    pub paths: Vec<PathBuf>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Imports as planned: backup, journal, store, reading back, moving the sources.
///
/// # Errors
/// `Busy` when another process holds a source or changed it or the store since the plan; otherwise
/// as for every write. Run again, it finishes.
pub fn import(installation: &Installation, plan: &ImportPlan, context: &WriteContext) -> Result<Imported> {
    let moved: Vec<&super::SourcePlan> = plan.sources.iter().filter(|source| source.archived).collect();
    let mut imported = Imported::default();
    let locks = lock_sources(moved.iter().map(|source| source.file.path.as_path()))?;
    imported.remarks.extend(locks.iter().filter_map(|lock| lock.broken.clone()));
    for source in &moved {
        check_unchanged(&source.file.path, &source.file.sha256)?;
    }

    // The backup knows of the moves too, so that undo puts the sources back.
    let mut all = plan.edits.clone();
    all.extend(moved.iter().map(|source| removal(&source.file.path, source.file.text.as_deref())));
    let backup = backup::copy::before_write(installation, &all, Undoable::Yes, context)?;
    let mut journal = journal_of(plan, &moved, context.now)?;
    journal.backup = Some(backup.id.to_string());
    journal.save(installation)?;
    match write_edits(installation, &plan.edits, &backup, context) {
        Ok(written) => {
            imported.members = written.members;
            imported.paths = written.paths;
            imported.remarks.extend(written.remarks);
        }
        Err(error) => {
            // Nothing, or a part that the next run finds: without a journal it plans anew.
            journal.remove(installation)?;
            return Err(error);
        }
    }
    let target = match read_back(installation, plan) {
        Ok(target) => target,
        Err(error) => {
            journal.remove(installation)?;
            return Err(error);
        }
    };
    let state = target.state_text().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    journal.state_sha256 = state.map(|state| hex(&Sha256::digest(state.to_string())));
    journal.phase = Phase::Written;
    journal.save(installation)?;
    imported.backup = Some(backup.id);
    finish(installation, &journal, context.now, &mut imported)?;
    drop(locks);
    Ok(imported)
}

/// Finishes an import that was interrupted.
///
/// # Errors
/// As [`import`].
pub fn resume(installation: &Installation, journal: &Journal, context: &WriteContext) -> Result<Imported> {
    let mut imported = Imported::default();
    if journal.phase == Phase::Planned {
        journal.remove(installation)?;
        imported.paths.push(journal.path(installation));
        return Ok(imported);
    }
    // Those that are moved already too: their locks were left behind.
    let paths = journal.sources.iter().map(|source| source.path.as_path());
    let locks = lock_sources(paths.filter(|path| path.parent().is_some_and(Path::exists)))?;
    imported.remarks.extend(locks.iter().filter_map(|lock| lock.broken.clone()));
    finish(installation, journal, context.now, &mut imported)?;
    imported.paths.push(journal.path(installation));
    drop(locks);
    Ok(imported)
}

/// Moves the sources of a written import and records it; what is done already is skipped.
fn finish(
    installation: &Installation,
    journal: &Journal,
    now: Millis,
    imported: &mut Imported,
) -> Result<()> {
    for source in &journal.sources {
        if source.path.symlink_metadata().is_err() {
            continue;
        }
        if digest_of(&source.path)? != source.sha256 {
            imported.remarks.push(format!(
                "{} was changed after it was imported and stays: run clawctl doctor --fix again",
                source.path.display()
            ));
            continue;
        }
        move_away(&source.path, &source.archive)?;
        imported.moved.push((source.path.clone(), source.archive.clone()));
    }
    imported.remarks.extend(receipts::record(installation, journal, now)?);
    journal.remove(installation)
}

/// Renames a file in place; what has that name already is never replaced.
fn move_away(path: &Path, archive: &Path) -> Result<()> {
    atomic::refuse_symlink(path)?;
    let failed = |error| Error::io("move the imported file", path, error);
    if archive.symlink_metadata().is_ok() {
        return Err(Error::failed("there is a file of the archive's name already").at(archive));
    }
    step("mode");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    step("archive.rename");
    fs::rename(path, archive).map_err(failed)?;
    step("archive.rename.done");
    atomic::sync_folder(path.parent().unwrap_or_else(|| Path::new("."))).map_err(failed)
}

/// Moves a file that nothing can be read from out of the way. It is kept, and can be undone.
///
/// # Errors
/// It is a symlink, in use, or can't be moved.
pub fn archive_unread(installation: &Installation, path: &Path, context: &WriteContext) -> Result<Imported> {
    let mut imported = Imported::default();
    let locks = lock_sources(std::iter::once(path))?;
    let text = fs::read_to_string(path).ok();
    let backup =
        backup::copy::before_write(installation, &[removal(path, text.as_deref())], Undoable::Yes, context)?;
    let archive = archive_name(path, context.now)?;
    move_away(path, &archive)?;
    imported.backup = Some(backup.id);
    imported.moved.push((path.to_path_buf(), archive));
    drop(locks);
    Ok(imported)
}

fn removal(path: &Path, text: Option<&str>) -> Edit {
    Edit {
        source: Source { origin: Origin::Own, path: path.to_path_buf(), row: None, updated_at: None },
        path: Vec::new(),
        before: text.map(str::to_owned),
        after: None,
    }
}

/// Locks in one sequence for everybody, so that two imports never wait for each other.
fn lock_sources<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Vec<FileLock>> {
    let mut paths: Vec<&Path> = paths.collect();
    paths.sort();
    paths.into_iter().map(lock::acquire).collect()
}

fn digest_of(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Error::io("read the file", path, error))?;
    Ok(hex(&Sha256::digest(&bytes)))
}

fn check_unchanged(path: &Path, sha256: &str) -> Result<()> {
    let is_there = path.symlink_metadata().is_ok();
    if is_there && digest_of(path)? == sha256 {
        return Ok(());
    }
    let what = if is_there { "was changed" } else { "was moved" };
    Err(Error::busy(format!("the file {what} by another process meanwhile, nothing was written"))
        .at(path)
        .hint("run clawctl doctor again"))
}

fn journal_of(plan: &ImportPlan, moved: &[&super::SourcePlan], now: Millis) -> Result<Journal> {
    let mut journal = Journal::new(&plan.agent.id, now);
    for source in moved {
        journal.sources.push(JournalSource {
            path: source.file.path.clone(),
            archive: archive_name(&source.file.path, now)?,
            sha256: source.file.sha256.clone(),
            bytes: source.file.bytes,
            records: source.file.content.as_ref().map_or(0, super::super::legacy::LegacyContent::len),
            state: source.file.kind == LegacyKind::State,
        });
    }
    journal.database = plan.target.store.row.map(|_| plan.target.store.path.clone());
    journal.shared = plan.target.store.origin == Origin::Shared;
    for (id, credential) in &plan.expected {
        let plain: serde_json::Value = credential.parse()?;
        journal.profile_sha256.insert(id.to_string(), hex(&Sha256::digest(plain.to_string())));
    }
    Ok(journal)
}

/// `NAME.migrated-<UTC time>-<uuid>`, as 2026.9.6 names them.
fn archive_name(path: &Path, now: Millis) -> Result<PathBuf> {
    let time = chrono::DateTime::from_timestamp_millis(now.0)
        .map_or_else(|| now.0.to_string(), |time| time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".migrated-{}-{}", time.replace(':', "-"), uuid()?));
    Ok(path.with_file_name(name))
}
