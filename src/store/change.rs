//! Changes of one agent's store, and the members that they touch.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::document::{RawJson, Source};
use super::edit::{self, Document, New};
use super::{BackupId, Credential, ProfileId, credential};
use crate::base::error::Result;
use crate::base::time::Millis;

/// A change of what one agent's store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Sets the agent's own order for a provider (`provider` as it should be spelled; the key that
    /// is already there under another spelling is the caller's to name).
    SetOrder {
        /// The key under `order`.
        provider: String,
        /// The profiles, first choice first.
        order: Vec<ProfileId>,
    },
    /// Removes the agent's own order for a provider; nothing to do is no error.
    ClearOrder {
        /// The key under `order`.
        provider: String,
    },
    /// Removes every window and counter of a profile's usageStats, in each file or row that holds
    /// some (own and inherited); `lastUsed` and what isn't known stay.
    ClearUsage {
        /// The key under `usageStats`.
        profile: ProfileId,
    },
    /// Puts a credential into the store that this agent's release keeps its credentials in, in place
    /// of the one of the same id.
    PutCredential {
        /// Its id.
        profile: ProfileId,
        /// The credential; its text is stored byte for byte.
        credential: Credential,
    },
    /// Removes a profile of this agent with every reference in the agent's own order, lastGood and
    /// usageStats.
    RemoveProfile {
        /// Its id.
        profile: ProfileId,
    },
    /// Gives a profile of this agent another id, in every reference too.
    RenameProfile {
        /// Its id.
        from: ProfileId,
        /// The new one, which must be free.
        to: ProfileId,
    },
    /// Sets one member of a document of the agent's, or of one that it inherits.
    SetMember {
        /// The document.
        source: Source,
        /// The keys on the way to the member.
        path: Vec<String>,
        /// Its JSON text, which may hold secrets; taken over byte for byte.
        value: RawJson,
    },
    /// Removes one member of a document; nothing to do is no error.
    RemoveMember {
        /// The document.
        source: Source,
        /// The keys on the way to the member.
        path: Vec<String>,
    },
}

/// Members of a usageStats entry that hold windows and counters, in every release to 2026.9.6.
pub const USAGE_WINDOW_FIELDS: [&str; 14] = [
    "errorCount",
    "lastFailureAt",
    "failureCounts",
    "cooldownUntil",
    "cooldownReason",
    "cooldownModel",
    "cooldownClassification",
    "disabledUntil",
    "disabledReason",
    "blockedUntil",
    "blockedReason",
    "blockedSource",
    "blockedModel",
    "blockedScope",
];

/// What a write is stamped with.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// Stamps rows and the backup.
    pub now: Millis,
    /// What the user asked for, without secrets (`auth order set --provider openai ...`): goes into the
    /// backup's manifest; its first words name the backup.
    pub command: String,
}

impl WriteContext {
    /// The first words of the command, up to an option or a value: `auth-order-set`.
    #[must_use]
    pub fn reason(&self) -> String {
        let words = self.command.split_whitespace();
        let names = words.take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
        let reason = names.take(3).collect::<Vec<_>>().join("-");
        if reason.is_empty() { "write".to_owned() } else { reason }
    }
}

/// One JSON member that a plan changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    /// The document it is in.
    pub source: Source,
    /// Where in it, as keys: `["order", "openai"]`; empty for the whole document.
    pub path: Vec<String>,
    /// Where in it, as text: `order.openai`.
    pub json_path: String,
    /// Its JSON text before; `None` when it wasn't there. `"***"` where credentials are.
    pub before: Option<String>,
    /// Its JSON text after; `None` when it is removed. `"***"` where credentials are.
    pub after: Option<String>,
}

/// A member that changes, with its text, which may hold secrets.
#[derive(Clone)]
pub(crate) struct Edit {
    pub source: Source,
    /// Empty for the document as a whole.
    pub path: Vec<String>,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edit").field("source", &self.source).field("path", &self.path).finish_non_exhaustive()
    }
}

impl Edit {
    /// Whether this is its document, whoever asks.
    pub(crate) fn is_at(&self, source: &Source) -> bool {
        self.source.path == source.path && self.source.row == source.row
    }

    /// Whether its text may hold credentials.
    pub(crate) fn is_secret(&self) -> bool {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["order" | "lastGood" | "usageStats", ..] => false,
            ["profiles", _, member] => {
                let plain = |text: &String| {
                    serde_json::from_str(text).is_ok_and(|value| credential::is_plain(member, &value))
                };
                !self.before.iter().chain(&self.after).all(plain)
            }
            _ => true,
        }
    }

    /// A text as the user may see it: of a credential everything but its secrets.
    fn masked(&self, text: &str) -> String {
        if !self.is_secret() {
            return text.to_owned();
        }
        let whole = self.path.len() == 2 && self.path[0] == "profiles";
        let credential = whole.then(|| Credential::from_raw(text)).flatten();
        credential.map_or_else(|| "\"***\"".to_owned(), |credential| credential.masked().to_string())
    }

    /// Whether two edits touch the same member, or one the other's inside.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let shorter = self.path.len().min(other.path.len());
        self.is_at(&other.source) && self.path[..shorter] == other.path[..shorter]
    }

    /// Whether two edits are one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_at(&other.source)
            && self.path == other.path
            && same_json(self.before.as_deref(), other.before.as_deref())
            && same_json(self.after.as_deref(), other.after.as_deref())
    }

    /// As the user may see it.
    pub(crate) fn shown(&self) -> MemberChange {
        MemberChange {
            source: self.source.clone(),
            path: self.path.clone(),
            json_path: self.path.join("."),
            before: self.before.as_deref().map(|text| self.masked(text)),
            after: self.after.as_deref().map(|text| self.masked(text)),
        }
    }
}

pub(crate) fn paths_of(edits: &[Edit]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for edit in edits {
        if !paths.contains(&edit.source.path) {
            paths.push(edit.source.path.clone());
        }
    }
    paths
}

/// What was written and read back.
#[derive(Debug, Clone)]
pub struct Written {
    /// The backup made before; `None` when there was nothing to do.
    pub backup: Option<BackupId>,
    /// Every member that changed.
    pub members: Vec<MemberChange>,
    /// Files and databases written.
    pub paths: Vec<PathBuf>,
    /// What the user should know: an abandoned lock that was removed, a database that waits for the
    /// release's doctor.
    pub remarks: Vec<String>,
}

/// Whether two members mean the same: a release rewrites a document as a whole, with its own white
/// space.
pub(crate) fn same_json(a: Option<&str>, b: Option<&str>) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (a, b) {
        (Some(a), Some(b)) => a == b || (parsed(a).is_some() && parsed(a) == parsed(b)),
        (None, None) => true,
        _ => false,
    }
}

/// Whether `undo` takes a write back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undoable {
    Yes,
    /// An undo itself: the next `undo` goes on with the write before.
    No,
}

/// The text of a document after an edit of it; `None` when the document itself is to go.
pub(crate) fn edited(text: &str, edit: &Edit) -> Result<Option<String>> {
    let path: Vec<&str> = edit.path.iter().map(String::as_str).collect();
    if path.is_empty() {
        return Ok(edit.after.clone());
    }
    let Some(after) = edit.after.as_deref() else { return removed(text, &path).map(Some) };
    // Text that was stored somewhere keeps its bytes; a new value is laid out as its document is.
    let new = match serde_json::from_str::<Value>(after) {
        Ok(value) if serde_json::to_string(&value).is_ok_and(|compact| compact == after) => {
            edit::set(text, &path, New::Value(&value))
        }
        _ => edit::set(text, &path, New::Raw(after)),
    };
    new.map(Some)
}

/// Without the member, and without the `order`, `lastGood` or `usageStats` that is empty then: the
/// releases keep no empty ones either.
fn removed(text: &str, path: &[&str]) -> Result<String> {
    let result = edit::remove(text, path)?;
    let [container @ ("order" | "lastGood" | "usageStats"), _] = path else { return Ok(result) };
    let document = Document::parse(&result)?;
    let left = document.member(document.root(), container).and_then(|span| document.members(span));
    let emptied = result != text && left.is_some_and(|members| members.is_empty());
    if emptied { edit::remove(&result, &[container]) } else { Ok(result) }
}

pub(crate) fn member_of(text: &str, source: &Source, path: &[String]) -> Result<Option<String>> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let document = Document::parse(text).map_err(|error| error.at(&source.path))?;
    Ok(document.get(&path).map(str::to_owned))
}
