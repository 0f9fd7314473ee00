//! Repairs, as data.

use std::path::{Path, PathBuf};

use crate::store::{AgentId, Change};

/// What a repair may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// Nothing is lost: `--fix`.
    Safe,
    /// Drops data that nobody can use: `--fix=all`.
    Dropping,
}

impl Safety {
    /// `safe`, `dropping`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Dropping => "dropping",
        }
    }
}

/// One thing that a repair does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Changes the agent's store.
    Store(Change),
    /// Sets the mode of a file or folder.
    SetMode {
        /// The file or folder.
        path: PathBuf,
        /// The permission bits.
        mode: u32,
    },
    /// Imports the agent's legacy files.
    Import,
    /// Imports an archive of an earlier import, which stays where it is.
    ImportArchive {
        /// The archive.
        path: PathBuf,
    },
    /// Finishes the agent's interrupted import.
    ResumeImport,
    /// Moves a legacy file that nothing can be read from out of the way.
    Archive {
        /// The file.
        path: PathBuf,
    },
    /// Removes a temporary file of a write that was interrupted.
    RemoveTemporary {
        /// The file.
        path: PathBuf,
    },
    /// Removes a lock file whose process is gone.
    RemoveLock {
        /// The lock file.
        path: PathBuf,
    },
}

impl Action {
    /// Whether it belongs to an import: those come before everything else, since what they bring changes
    /// what other rules find.
    #[must_use]
    pub fn is_import(&self) -> bool {
        self.import_key().is_some()
    }

    /// What tells one import of an agent from another; `None` for everything else.
    pub(super) fn import_key(&self) -> Option<(u8, Option<&Path>)> {
        match self {
            Self::ResumeImport => Some((0, None)),
            Self::Import => Some((1, None)),
            Self::ImportArchive { path } => Some((2, Some(path))),
            Self::Archive { path } => Some((3, Some(path))),
            _ => None,
        }
    }
}

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as `remove openai:gone from the order`.
    pub title: String,
    /// What it may cost.
    pub safety: Safety,
    /// The agent whose store it goes through.
    pub agent: AgentId,
    /// What it does, in sequence.
    pub actions: Vec<Action>,
}

impl Fix {
    /// A repair of a store that loses nothing.
    pub fn safe(
        title: impl Into<String>,
        agent: &AgentId,
        changes: impl IntoIterator<Item = Change>,
    ) -> Self {
        let actions = changes.into_iter().map(Action::Store).collect();
        Self { title: title.into(), safety: Safety::Safe, agent: agent.clone(), actions }
    }

    /// A repair of a store that drops data nobody can use.
    pub fn dropping(
        title: impl Into<String>,
        agent: &AgentId,
        changes: impl IntoIterator<Item = Change>,
    ) -> Self {
        Self { safety: Safety::Dropping, ..Self::safe(title, agent, changes) }
    }

    /// A repair outside of stores that loses nothing.
    pub fn action(title: impl Into<String>, agent: &AgentId, action: Action) -> Self {
        Self { title: title.into(), safety: Safety::Safe, agent: agent.clone(), actions: vec![action] }
    }
}
