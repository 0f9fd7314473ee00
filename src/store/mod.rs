//! OpenClaw's auth stores: finding, reading and writing them.
//!
//! # Generations
//! JSON files to 2026.5, a database for each agent from 2026.6, a shared store in the state database from
//! 2026.8 ([`Generation`]). The shared store holds the data when its marker row says so, or, without a
//! marker, when the tables of the first 2026.8 releases have a row `shared` (2026.7.1 has those tables
//! too, empty). Otherwise databases do as soon as some agent has one with auth tables; then JSON files
//! beside them are notes and never merged.
//!
//! # What an agent sees
//! Asked of 2026.5.7, 2026.7.1 and 2026.9.6 with preset rows (`models auth order get`, `models status`):
//!
//! - With a shared store every agent inherits from it, `main` too; rows in an agent's database are that
//!   agent's alone, so nobody inherits those of `main`. Without one, the others inherit from the folder of
//!   `main` (`OPENCLAW_AGENT_DIR` moves it, `agentDir` in the config doesn't).
//! - Profiles: the own one of an id wins whole.
//! - Order: the own one of a provider wins, inherited ids in it count. From 2026.6 an inherited order
//!   without an own one has the agent's own profiles of that provider in front.
//! - lastGood: own per provider. usageStats: the own entry of a profile wins whole: an own cooldown hides
//!   an inherited `disabledUntil`, it isn't merged with it.
//! - 2026.7.1 forgets inherited `inline-api-key:` entries and those of unknown profiles for an agent that
//!   has rows of its own; they stay in [`AuthStore::state`], since they can be shown and cleared.
//! - From 2026.5.7 an own OAuth profile `<provider>:default` that main has a newer login for is swapped
//!   for that in memory. That is left out here: the store is shown as it stands.
//!
//! # Threads
//! One thread at a time for each database: closing a file drops all POSIX locks that this process holds on
//! it, another connection's too.

pub mod apply;
pub(crate) mod atomic;
pub mod auth;
pub mod backup;
pub(crate) mod canonical;
pub(crate) mod change;
pub mod credential;
pub(crate) mod db;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod fault;
pub(crate) mod files;
pub mod import;
pub mod install;
pub(crate) mod layer;
pub mod legacy;
pub mod locate;
pub(crate) mod lock;
pub mod names;
pub mod plan;
pub(crate) mod random;
pub mod secret;
pub mod sessions;
pub(crate) mod target;

pub use auth::{AuthState, AuthStore, Profile, Reader};
pub use backup::{Backup, BackupFile, BackupId, Restored};
pub use change::{Change, MemberChange, USAGE_WINDOW_FIELDS, WriteContext, Written};
pub use credential::{Credential, CredentialType, SecretField, SecretRef};
pub use document::{Note, NoteKind, Origin, RawJson, Row, SchemaInfo, Source, Sourced};
pub use install::{Agent, ConfiguredAgent, ConfiguredAgents, Generation, Installation};
pub use locate::{Options, Places, StateDirReason};
pub use names::{AgentId, ProfileId};
pub use plan::Plan;
pub use secret::{FingerprintKey, Secret, SecretKind};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod writing_tests;
