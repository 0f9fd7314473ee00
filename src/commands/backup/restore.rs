//! `clawctl backup restore`

use clap::Args;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::args::WriteArgs;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::store::{BackupId, WriteContext, backup};

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

pub(crate) fn run(context: &mut Context<'_, '_>, args: &BackupRestore) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let id = BackupId::new(args.id.trim());
    if args.write.dry_run {
        let (backups, _) = backup::list(&machine.installation)?;
        let Some(backup) = backups.iter().find(|backup| backup.id == id) else {
            return Err(Error::nothing(format!("there is no backup {id}"))
                .hint("see what there is: clawctl backup list")
                .into());
        };
        for file in &backup.files {
            context.ui.note(format!("would restore {}", file.original.display()));
        }
        context.ui.note("nothing was written (--dry-run)");
        return Ok(ExitStatus::Ok);
    }
    let question = format!("Put the auth data of {id} back?");
    if !context.ui.confirm(args.write.yes, &question)? {
        context.ui.note("nothing was written");
        return Ok(ExitStatus::Failed);
    }
    let write = WriteContext { now: context.now, command: "backup restore".to_owned() };
    let restored = backup::restore(&machine.installation, &id, &write)?;
    super::report::report(context, &machine, &restored)
}
