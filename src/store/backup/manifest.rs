//! What a backup is, and what its manifest says.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::store::change::{Edit, MemberChange, same_json};
use crate::store::db::sqlite;
use crate::store::document::Source;
use crate::store::files::read_text;
use crate::store::random::hex;
use crate::store::{Generation, Installation, atomic, edit};

pub(super) const MANIFEST: &str = "manifest.json";

/// A backup's name: `<UTC time>-<reason>`, unique in its installation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackupId(pub(super) String);

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

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// The machine's clock in µs since 1970, which orders backups; `createdAt` is the run's.
    pub(super) recorded_at: i64,
    pub(super) created_at: Millis,
    pub(super) reason: String,
    pub(super) command: String,
    pub(super) generation: String,
    pub(super) files: Vec<FileRecord>,
    pub(super) edits: Vec<EditRecord>,
    /// Random text that the digests start with.
    pub(super) salt: String,
    /// `undo` may take this write back.
    pub(super) undoable: bool,
    pub(super) undone: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRecord {
    pub(super) original: PathBuf,
    pub(super) copy: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) bytes: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditRecord {
    pub(super) source: Source,
    pub(super) path: Vec<String>,
    /// The text stands in the copies, not here.
    pub(super) secret: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
    /// For secrets: digest of the text after, `None` when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after_digest: Option<String>,
}

/// Digest of what a JSON text means: white space doesn't count.
pub(super) fn digest(salt: &str, text: &str) -> String {
    let plain = serde_json::from_str::<serde_json::Value>(text).map(|value| value.to_string());
    let mut hash = Sha256::new();
    hash.update(salt);
    hash.update(plain.as_deref().unwrap_or(text));
    hex(&hash.finalize())
}

impl EditRecord {
    pub(super) fn of(edit: &Edit, salt: &str) -> Self {
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

    pub(super) fn shown(&self) -> MemberChange {
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
    pub(super) fn is_after(&self, text: Option<&str>, salt: &str) -> bool {
        if self.secret {
            text.map(|text| digest(salt, text)) == self.after_digest
        } else {
            same_json(text, self.after.as_deref())
        }
    }
}

impl Manifest {
    pub(super) fn save(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| {
            Error::failed("can't write the backup's manifest").at(folder).caused_by(error)
        })?;
        text.push('\n');
        atomic::replace(&folder.join(MANIFEST), text.as_bytes())
    }

    pub(super) fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = read_text(&path)?
            .ok_or_else(|| Error::damaged("the backup has no manifest, it was never finished").at(folder))?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| {
            Error::damaged(format!("the backup's manifest isn't readable ({})", edit::shape_error(&error)))
                .at(&path)
        })?;
        if manifest.version == 1 {
            Ok(manifest)
        } else {
            Err(Error::damaged(format!("the backup is of a newer clawctl (version {})", manifest.version))
                .at(&path))
        }
    }

    pub(super) fn into_backup(self, folder: PathBuf) -> Backup {
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
    pub(super) fn document(&self, folder: &Path, source: &Source) -> Result<Option<String>> {
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
pub(super) type Loaded = (PathBuf, Manifest);

pub(super) fn load_all(installation: &Installation) -> Result<(Vec<Loaded>, Vec<Error>)> {
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

pub(super) fn find(installation: &Installation, id: &BackupId) -> Result<(PathBuf, Manifest)> {
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
