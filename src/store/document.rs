//! The documents that a store is made of: a file, or a row of a database; what is said of them, and
//! values that remember theirs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::error::{Error, Result};
use crate::base::time::Millis;

/// Whose data something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.row {
            Some(row) => write!(f, ", table {}, row {}", row.table, row.key),
            None => Ok(()),
        }
    }
}

/// A row of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Row {
    /// The table.
    pub table: &'static str,
    /// The value of the table's key column.
    pub key: &'static str,
}

pub(crate) const AGENT_STORE_ROW: Row = Row { table: "auth_profile_store", key: "primary" };

pub(crate) const AGENT_STATE_ROW: Row = Row { table: "auth_profile_state", key: "primary" };

pub(crate) const SHARED_STORE_ROW: Row = Row { table: "config_machine_state", key: "authProfiles.store" };

pub(crate) const SHARED_STATE_ROW: Row = Row { table: "config_machine_state", key: "authProfiles.state" };

pub(crate) const SHARED_MARKER_ROW: Row = Row { table: "config_machine_state", key: "auth.sharedStore" };

pub(crate) const EARLY_STORE_ROW: Row = Row { table: "auth_profile_stores", key: "shared" };

pub(crate) const EARLY_STATE_ROW: Row = Row { table: "auth_profile_state", key: "shared" };

/// Every row that holds auth data.
pub(crate) const AUTH_ROWS: [Row; 7] = [
    AGENT_STORE_ROW,
    AGENT_STATE_ROW,
    SHARED_MARKER_ROW,
    SHARED_STORE_ROW,
    SHARED_STATE_ROW,
    EARLY_STORE_ROW,
    EARLY_STATE_ROW,
];

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Names {
            table: String,
            key: String,
        }
        let names = Names::deserialize(deserializer)?;
        AUTH_ROWS
            .into_iter()
            .find(|row| row.table == names.table && row.key == names.key)
            .ok_or_else(|| serde::de::Error::custom("no row that holds auth data"))
    }
}

impl Row {
    /// The row that must be there for a release to read this one.
    pub(crate) fn needs(&self) -> Option<Self> {
        (*self == AGENT_STATE_ROW).then_some(AGENT_STORE_ROW)
    }

    /// The columns that hold key, JSON text and time of writing. `auth_profile_state` has a
    /// `state_key` in agent databases and a `store_key` in early state databases.
    pub(crate) fn columns(&self) -> [&'static str; 3] {
        match (self.table, self.key) {
            ("config_machine_state", _) => ["state_key", "value_json", "updated_at_ms"],
            ("auth_profile_state", "shared") => ["store_key", "state_json", "updated_at"],
            ("auth_profile_state", _) => ["state_key", "state_json", "updated_at"],
            _ => ["store_key", "store_json", "updated_at"],
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
    /// Text that is one JSON value.
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

/// Something about the store that a list should mention or a write must heed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What kind.
    pub kind: NoteKind,
    /// Whose file it is about.
    pub origin: Origin,
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
    /// Something is damaged: never written.
    Damaged,
    /// An inherited file can't be opened (permissions, in use).
    Unreadable,
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
