//! Removing old backups.

use std::fs;
use std::path::PathBuf;

use super::manifest::{MANIFEST, load_all};
use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::store::{Installation, atomic, import};

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
    if import::pending(installation)?.iter().any(|journal| journal.backup.as_deref() == Some(&*id)) {
        return Err(Error::busy("an interrupted import still needs this backup")
            .at(&backup.path)
            .hint("finish it first: clawctl doctor --fix"));
    }
    atomic::remove(&backup.path.join(MANIFEST))?;
    fs::remove_dir_all(&backup.path).map_err(|error| Error::io("remove the backup", &backup.path, error))
}
