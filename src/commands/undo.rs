//! `clawctl undo`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::store::{BackupId, WriteContext, backup};

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

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Undo) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let write = WriteContext { now: context.now, command: "undo".to_owned() };
    let restored = match &args.id {
        Some(id) => backup::undo_write(&machine.installation, &BackupId::new(id.trim()), args.force, &write)?,
        None => backup::undo(&machine.installation, args.force, &write)?,
    };
    super::backup::report::report(context, &machine, &restored)
}
