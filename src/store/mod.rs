//! OpenClaw's auth stores: finding, reading and writing them.

pub(crate) mod atomic;
pub mod auth;
pub mod backup;
pub(crate) mod canonical;
pub mod credential;
pub(crate) mod edit;
pub(crate) mod fault;
pub mod import;
pub mod install;
pub(crate) mod layer;
pub mod legacy;
pub mod locate;
pub(crate) mod lock;
pub mod names;
pub mod secret;
pub mod sessions;
pub(crate) mod sqlite;
pub(crate) mod target;
pub mod write;

pub use auth::{
    AuthState, AuthStore, Note, NoteKind, Origin, Profile, RawJson, Reader, Row, SchemaInfo, Source, Sourced,
};
pub use backup::{Backup, BackupFile, BackupId, Restored};
pub use credential::{Credential, CredentialType, SecretField, SecretRef};
pub use install::{Agent, ConfiguredAgent, ConfiguredAgents, Generation, Installation};
pub use locate::{Options, Places, StateDirReason};
pub use names::{AgentId, ProfileId};
pub use secret::{FingerprintKey, Secret, SecretKind};
pub use write::{Change, MemberChange, Plan, USAGE_WINDOW_FIELDS, WriteContext, Written};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod writing_tests;
