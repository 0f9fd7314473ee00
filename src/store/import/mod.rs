//! Importing legacy files into the store that the installation keeps credentials in now.
//!
//! What the store has wins, unless it holds no usable secret and the file does; two different secrets
//! under one id are a conflict, which only the user decides. A source is moved (to
//! `NAME.migrated-<UTC time>-<uuid>`, as 2026.9 does it) when everything in it was read back from the
//! store. A journal tells an interrupted run from a new one: see [`journal`].

mod journal;
mod plan;
mod receipts;
mod run;
#[cfg(test)]
mod tests;

pub use journal::{Journal, pending};
pub use plan::{
    Conflict, ConflictField, ImportPlan, Preferences, Side, SourcePlan, is_target_empty, plan,
    plan_from_archive,
};
pub use run::{Imported, archive_unread, import, resume};

pub(crate) use receipts::forget;
