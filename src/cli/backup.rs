//! `clawctl backup ...` and `clawctl undo`

use clap::{Args, Subcommand};

use super::{ListFormatArg, WriteArgs};
use crate::complete;

/// `backup`.
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Make a snapshot of the stores (every write makes one by itself)
    Create(BackupCreate),
    /// List the snapshots, newest first
    List(BackupList),
    /// Put a snapshot's auth data back; the state before is kept as a new snapshot
    Restore(BackupRestore),
}

/// `backup create`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl backup create --all-agents")]
pub struct BackupCreate {}

/// `backup list`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: id, created, files, made by, bytes, undone.")]
pub struct BackupList {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `backup restore`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl backup restore 20260704T120000Z-order-set")]
pub struct BackupRestore {
    /// Snapshot id, as backup list prints it
    #[arg(value_name = "ID", add = complete::backups())]
    pub id: String,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

/// `undo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl undo
  clawctl undo 20260704T120000Z-order-set")]
pub struct Undo {
    /// Snapshot id of the write to take back [default: the newest write]
    #[arg(value_name = "ID", add = complete::backups())]
    pub id: Option<String>,
    /// Take it back even where the store was changed again since
    #[arg(long)]
    pub force: bool,
}
