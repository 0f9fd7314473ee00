//! `clawctl backup ...`

pub mod create;
pub mod list;
pub mod prune;

pub(super) mod report;
pub mod restore;

use clap::Subcommand;

use crate::base::exit::ExitStatus;
use crate::commands::context::Context;
use create::BackupCreate;
use list::BackupList;
use prune::BackupPrune;
use restore::BackupRestore;

/// `backup`.
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Make a snapshot of the stores (every write makes one by itself)
    Create(BackupCreate),
    /// List the snapshots, newest first
    List(BackupList),
    /// Put a snapshot's auth data back; the state before is kept as a new snapshot
    Restore(BackupRestore),
    /// Remove old snapshots; the newest always stays
    Prune(BackupPrune),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: BackupCommand) -> anyhow::Result<ExitStatus> {
    match command {
        BackupCommand::Create(args) => create::run(context, &args),
        BackupCommand::List(args) => list::run(context, &args),
        BackupCommand::Restore(args) => restore::run(context, &args),
        BackupCommand::Prune(args) => prune::run(context, &args),
    }
}
