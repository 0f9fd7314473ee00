//! Backups: copies of auth data made before every write, and the way back.
//!
//! A backup is the folder `backups/clawctl/<UTC time>-<reason>` (0700) in the state folder: the copies
//! and `manifest.json` (all 0600). JSON files are copied byte for byte. Of a database it holds the auth
//! rows alone, with `schema_meta`, in a small database of the same tables: sessions and everything
//! else are a gateway's, may be large, and must not go back in time when credentials do. For the same
//! reason a restore puts rows back inside of the database that is there, in one transaction.
//!
//! The manifest also lists what the write after the backup changed, so that `undo` takes back exactly
//! that. Text of credentials stands in the copies only; the manifest has salted digests of it.

pub(crate) mod copy;
mod manifest;
mod prune;
mod restore;

pub use copy::create;
pub use manifest::{Backup, BackupFile, BackupId, list};
pub use prune::{Prunable, Retention, prunable, remove};
pub use restore::{Restored, restore, undo, undo_write};
