//! The journal of an import: what it is about, written before anything else and removed last.
//!
//! One file for each agent beside the backups, `import-<agent>.json` (0600), free of secrets. Phase
//! `planned`: the store may or may not have been written; the next run forgets the journal and plans
//! anew, which finds what is there already. Phase `written`: everything was read back from the store;
//! the next run only moves the sources that are still as they were, and records that it did.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::store::files::read_text;
use crate::store::{AgentId, Installation, atomic};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Planned,
    Written,
}

/// A source and where it goes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JournalSource {
    pub path: PathBuf,
    pub archive: PathBuf,
    pub sha256: String,
    pub bytes: u64,
    pub records: usize,
    /// It is a file of state alone.
    pub state: bool,
}

/// An import that was begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Journal {
    version: u32,
    /// The agent whose store is written.
    pub agent: AgentId,
    /// When it was begun, ms since 1970.
    pub started_at: Millis,
    /// The backup made before.
    pub backup: Option<String>,
    pub(super) phase: Phase,
    pub(super) sources: Vec<JournalSource>,
    pub(super) database: Option<PathBuf>,
    pub(super) shared: bool,
    /// Digests as 2026.9 records them: of the JSON of each credential, and of the state.
    pub(super) profile_sha256: BTreeMap<String, String>,
    pub(super) state_sha256: Option<String>,
}

fn path_of(installation: &Installation, agent: &AgentId) -> PathBuf {
    installation.places.backups_dir().join(format!("import-{agent}.json"))
}

impl Journal {
    pub(super) fn new(agent: &AgentId, started_at: Millis) -> Self {
        Self {
            version: 1,
            agent: agent.clone(),
            started_at,
            backup: None,
            phase: Phase::Planned,
            sources: Vec::new(),
            database: None,
            shared: false,
            profile_sha256: BTreeMap::new(),
            state_sha256: None,
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self, installation: &Installation) -> PathBuf {
        path_of(installation, &self.agent)
    }

    /// Whether the store was written and read back, so that only files are left to be moved.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.phase == Phase::Written
    }

    /// The files that it imports.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|source| source.path.as_path())
    }

    pub(super) fn save(&self, installation: &Installation) -> Result<()> {
        let path = self.path(installation);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::failed("can't write the import's journal").at(&path).caused_by(error))?;
        text.push('\n');
        atomic::create_folder(&installation.places.backups_dir())?;
        atomic::replace(&path, text.as_bytes())
    }

    pub(super) fn remove(&self, installation: &Installation) -> Result<()> {
        atomic::remove(&self.path(installation))
    }
}

/// The imports that were interrupted.
///
/// # Errors
/// A journal can't be read.
pub fn pending(installation: &Installation) -> Result<Vec<Journal>> {
    let dir = installation.places.backups_dir();
    let mut found = Vec::new();
    for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !(name.starts_with("import-") && name.ends_with(".json")) {
            continue;
        }
        let path = entry.path();
        let Some(text) = read_text(&path)? else { continue };
        let journal: Journal = serde_json::from_str(&text).map_err(|error| {
            let place = crate::store::edit::shape_error(&error);
            Error::damaged(format!("the journal of an import isn't readable ({place})"))
                .at(&path)
                .hint("move it away; nothing in it is needed to import again")
        })?;
        found.push(journal);
    }
    found.sort_by(|a, b| a.agent.cmp(&b.agent));
    Ok(found)
}
