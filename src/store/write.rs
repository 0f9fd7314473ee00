//! Changes of one agent's store: planned first, then applied in one transaction or one rename.

use std::path::PathBuf;

use super::{AuthStore, BackupId, Installation, ProfileId, Source};
use crate::error::{Error, Result};
use crate::time::Millis;

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
}

/// What a write is stamped with.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// Stamps rows and the backup.
    pub now: Millis,
    /// What the user asked for, without secrets: goes into the backup's manifest.
    pub command: String,
}

/// One JSON member that a plan changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    /// The document it is in.
    pub source: Source,
    /// Where in it, as `order.openai`.
    pub json_path: String,
    /// Its JSON text before; `None` when it wasn't there. Never of a credential.
    pub before: Option<String>,
    /// Its JSON text after; `None` when it is removed. Never of a credential.
    pub after: Option<String>,
}

/// What would be written, and where.
#[derive(Debug)]
pub struct Plan {
    /// Every member that changes; empty when everything is as wanted already.
    pub members: Vec<MemberChange>,
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
}

/// Finds out what these changes would write, for this snapshot.
///
/// # Errors
/// `Damaged` (exit 5) when a document that had to be written is newer than known, damaged or another
/// agent's; `Failed` (exit 1) for symlinks.
pub fn plan(installation: &Installation, store: &AuthStore, changes: &[Change]) -> Result<Plan> {
    let _ = (installation, store, changes);
    Err(Error::failed("not built yet"))
}

/// Makes a backup and writes the plan.
///
/// # Errors
/// `Busy` (exit 4) when another process holds the store, or changed one of the planned members
/// since the snapshot; otherwise as [`plan`]. Nothing is written then.
pub fn apply(installation: &Installation, plan: &Plan, context: &WriteContext) -> Result<Written> {
    let _ = (installation, plan, context);
    Err(Error::failed("not built yet"))
}
