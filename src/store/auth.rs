//! One agent's auth store as the releases see it: own rows over what is inherited.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;

use super::{Agent, AgentId, Credential, Generation, Installation, ProfileId};
use crate::error::{Error, Result};
use crate::time::Millis;

/// Whose data something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The agent's own file or row.
    Own,
    /// Inherited from the agent `main`.
    Main,
    /// The shared store of 2026.8 and later.
    Shared,
}

impl Origin {
    /// `own`, `inherited` or `shared`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Main => "inherited",
            Self::Shared => "shared",
        }
    }
}

/// A JSON document of a store: a file, or a row of a database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Whose it is.
    pub origin: Origin,
    /// The file, or the database.
    pub path: PathBuf,
    /// The row, for databases.
    pub row: Option<Row>,
    /// When the row says that it was written, for databases.
    pub updated_at: Option<Millis>,
}

/// A row of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The table.
    pub table: &'static str,
    /// The value of the table's key column.
    pub key: &'static str,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.row {
            Some(row) => write!(f, ", table {}, row {}", row.table, row.key),
            None => Ok(()),
        }
    }
}

/// A value with the document it was read from.
#[derive(Debug, Clone)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was read.
    pub source: Arc<Source>,
}

/// The text of one JSON value, exactly as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct RawJson(Box<str>);

impl RawJson {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a type of the caller's.
    ///
    /// # Errors
    /// It has another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.0).map_err(|error| {
            Error::damaged(format!("an entry has an unexpected shape ({})", super::edit::shape_error(&error)))
        })
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({} bytes)", self.0.len())
    }
}

/// A profile that the agent can use.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// The credential.
    pub credential: Credential,
    /// Where it lives.
    pub source: Arc<Source>,
    /// The inherited copy of the same id that this own profile hides.
    pub shadows: Option<Arc<Source>>,
}

impl Profile {
    /// Own, inherited or shared.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.source.origin
    }
}

/// Runtime state: order per provider, last good profile per provider, usage per profile. Keys are
/// spelled as stored.
#[derive(Debug, Clone, Default)]
pub struct AuthState {
    /// Stored order by provider.
    pub order: IndexMap<String, Sourced<Vec<ProfileId>>>,
    /// The profile that last worked, by provider.
    pub last_good: IndexMap<String, Sourced<ProfileId>>,
    /// usageStats entries by profile id (also `inline-api-key:<provider>`), as stored.
    pub usage: IndexMap<ProfileId, Sourced<RawJson>>,
}

/// Something about the store that a list should mention or a write must heed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What kind.
    pub kind: NoteKind,
    /// The file it is about.
    pub path: PathBuf,
    /// One sentence without a full stop.
    pub text: String,
}

/// The kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A file of an older generation lies beside the store and isn't read.
    OlderFile,
    /// The schema is newer than known: read, never written.
    NewerSchema,
    /// The database says that it belongs to another agent: read, never written.
    OwnerMismatch,
    /// Something can't be read: never written.
    Damaged,
    /// A store file is a symlink: read, never written through.
    Symlink,
    /// An entry was left out because it has a shape that no release reads.
    Skipped,
}

impl NoteKind {
    /// Whether a write to that file is refused (exit 5; symlinks exit 1).
    #[must_use]
    pub const fn blocks_write(self) -> bool {
        matches!(self, Self::NewerSchema | Self::OwnerMismatch | Self::Damaged | Self::Symlink)
    }
}

/// What a database says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaInfo {
    /// The database.
    pub path: PathBuf,
    /// `PRAGMA user_version`.
    pub version: i64,
    /// `schema_meta.app_version` of the row `primary`.
    pub app_version: Option<String>,
    /// `schema_meta.agent_id` of the row `primary`.
    pub agent_id: Option<String>,
}

/// A snapshot of what one agent can use.
#[derive(Debug, Clone)]
pub struct AuthStore {
    /// Whose.
    pub agent: AgentId,
    /// Its folder.
    pub dir: PathBuf,
    /// Which kind of store the agent's data was read from.
    pub generation: Generation,
    /// Every profile, own ones first, each in the order of its document.
    pub profiles: IndexMap<ProfileId, Profile>,
    /// The state that counts for this agent, own and inherited combined.
    pub state: AuthState,
    /// The agent's own state alone.
    pub own_state: AuthState,
    /// Databases that were read.
    pub schemas: Vec<SchemaInfo>,
    /// What a list should mention or a write must heed.
    pub notes: Vec<Note>,
}

/// Reads stores of one installation; what all agents inherit is read once.
#[derive(Debug)]
pub struct Reader<'a> {
    installation: &'a Installation,
}

impl<'a> Reader<'a> {
    /// A reader.
    ///
    /// # Errors
    /// None yet; what is inherited is read with the first agent that needs it.
    pub fn new(installation: &'a Installation) -> Result<Self> {
        Ok(Self { installation })
    }

    /// The store of one agent. An agent without any store is an empty one.
    ///
    /// # Errors
    /// `Damaged` (exit 5) when the agent's own store isn't readable at all, `Failed` when it can't
    /// be opened.
    pub fn read(&self, agent: &Agent) -> Result<AuthStore> {
        let _ = (agent, self.installation);
        Err(Error::failed("not built yet"))
    }
}

impl AuthStore {
    /// The store of one agent of this installation.
    ///
    /// # Errors
    /// As [`Reader::read`]; `Nothing` (exit 3) when there is no such agent.
    pub fn read(installation: &Installation, id: &AgentId) -> Result<Self> {
        Reader::new(installation)?.read(installation.agent(id)?)
    }
}
