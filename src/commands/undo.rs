//! `clawctl undo`

use crate::base::exit::ExitStatus;
use crate::cli::Undo;
use crate::commands::Context;
use crate::store::{BackupId, WriteContext, backup};

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Undo) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let write = WriteContext { now: context.now, command: "undo".to_owned() };
    let restored = match &args.id {
        Some(id) => backup::undo_write(&machine.installation, &BackupId::new(id.trim()), args.force, &write)?,
        None => backup::undo(&machine.installation, args.force, &write)?,
    };
    super::backup::report(context, &machine, &restored)
}
