//! `clawctl backup create`

use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::cli::{BackupCreate, ListFormat};
use crate::commands::{Context, Layout};
use crate::output::json::v1;
use crate::store::{WriteContext, backup};

pub(crate) fn run(context: &mut Context<'_, '_>, _args: &BackupCreate) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global)?;
    let write = WriteContext { now: context.now, command: "backup create".to_owned() };
    let backup = backup::create(&machine.installation, &agents, &write)?;
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(v1::BackupList { backups: vec![super::json_backup(&backup)] })?;
    } else {
        writeln!(context.ui.out(), "{}", backup.id)?;
        let restore = context.suggested(&format!("backup restore {}", backup.id));
        context.ui.note(format!(
            "{} files in {}; restore: {restore}",
            backup.files.len(),
            text::text(&backup.path.display().to_string()),
        ));
    }
    Ok(ExitStatus::Ok)
}
