//! `clawctl backup ...` and `clawctl undo`

use clap::{Args, Subcommand};

use super::{ListFormatArg, WriteArgs};
use crate::commands::complete;

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

/// `backup prune`.
#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("retention").required(true).multiple(true).args(["keep", "older_than"]),
    after_help = "With both options a snapshot goes when neither keeps it.

Examples:
  clawctl backup prune --keep 20
  clawctl backup prune --older-than 30days --yes"
)]
pub struct BackupPrune {
    /// Keep this many of the newest
    #[arg(long, value_name = "N")]
    pub keep: Option<usize>,
    /// Remove those that are older: 12h, 30days, 3months
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub older_than: Option<std::time::Duration>,
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
