//! `clawctl backup create`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::args::ListFormat;
use crate::commands::context::{Context, Layout};
use crate::output::json::v1;
use crate::store::{WriteContext, backup};

/// `backup create`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl backup create --all-agents")]
pub struct BackupCreate {}

pub(crate) fn run(context: &mut Context<'_, '_>, _args: &BackupCreate) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let write = WriteContext { now: context.now, command: "backup create".to_owned() };
    let backup = backup::create(&machine.installation, &agents, &write)?;
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(v1::BackupList { backups: vec![super::report::json_backup(&backup)] })?;
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
