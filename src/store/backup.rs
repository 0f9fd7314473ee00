//! Backups: copies of store files made before every write, and the way back.

use std::fmt;
use std::path::PathBuf;

use super::{Agent, Generation, Installation, MemberChange, WriteContext};
use crate::error::{Error, Result};
use crate::time::Millis;

/// A backup's name: `<UTC time>-<reason>`, unique in its installation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackupId(pub(crate) String);

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
    /// The copy.
    pub copy: PathBuf,
    /// Hex SHA-256 of the copy.
    pub sha256: String,
    /// Its size in bytes.
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
    /// The backup was used up by `undo`.
    pub undone: bool,
}

/// What a restore or undo changed.
#[derive(Debug, Clone)]
pub struct Restored {
    /// The backup that was restored.
    pub from: BackupId,
    /// The backup made just before, so that this can be undone too.
    pub backup: Option<BackupId>,
    /// Files and databases written.
    pub paths: Vec<PathBuf>,
    /// Members changed, for an undo.
    pub members: Vec<MemberChange>,
}

/// Copies every store file of these agents, and the shared one, into a new backup.
///
/// # Errors
/// Something can't be read or written; no backup is left then.
pub fn create(installation: &Installation, agents: &[&Agent], context: &WriteContext) -> Result<Backup> {
    let _ = (installation, agents, context);
    Err(Error::failed("not built yet"))
}

/// Every backup, newest first, and what is wrong with folders that hold none.
///
/// # Errors
/// The folder of backups can't be listed.
pub fn list(installation: &Installation) -> Result<(Vec<Backup>, Vec<Error>)> {
    let _ = installation;
    Err(Error::failed("not built yet"))
}

/// Puts auth data back as the backup holds it: JSON files whole, in databases the auth rows alone
/// (sessions and everything else stay as they are now).
///
/// # Errors
/// `Nothing` (exit 3) when there is no such backup, `Damaged` (exit 5) when it isn't what its
/// manifest says, or the target can't be written safely.
pub fn restore(installation: &Installation, id: &BackupId, context: &WriteContext) -> Result<Restored> {
    let _ = (installation, id, context);
    Err(Error::failed("not built yet"))
}

/// Takes back the newest write that wasn't taken back yet: exactly the members that it changed.
///
/// # Errors
/// `Nothing` (exit 3) when there is none; `Busy` (exit 4) when one of those members was changed
/// since, unless `force`.
pub fn undo(installation: &Installation, force: bool, context: &WriteContext) -> Result<Restored> {
    let _ = (installation, force, context);
    Err(Error::failed("not built yet"))
}
