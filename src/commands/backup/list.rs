//! `clawctl backup list`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::commands::args::ListFormatArg;
use crate::commands::context::{Context, Layout};
use crate::output::json::v1;
use crate::output::list::{Column, Field, column};
use crate::output::when;
use crate::store::backup;

/// `backup list`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: id, created, files, made by, bytes, undone.")]
pub struct BackupList {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 6] = [
    column("id"),
    column("created"),
    column("files").right(),
    column("made by"),
    column("bytes").right(),
    column("undone"),
];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &BackupList) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let (backups, problems) = backup::list(&machine.installation)?;
    for problem in &problems {
        context.ui.warn(problem.to_string());
    }
    let layout = context.layout(args.format.format);
    if layout == Layout::Json {
        context.print_json(v1::BackupList {
            backups: backups.iter().map(super::report::json_backup).collect(),
        })?;
        return Ok(ExitStatus::Ok);
    }
    let rows: Vec<Vec<Field>> = backups
        .iter()
        .map(|backup| {
            vec![
                Field::new(backup.id.as_str()),
                Field::new(when::relative(backup.created_at, context.now))
                    .machine(when::iso(backup.created_at)),
                Field::new(backup.files.len().to_string()),
                Field::new(backup.command.as_str()),
                Field::new(backup.files.iter().map(|file| file.bytes).sum::<u64>().to_string()),
                Field::new(if backup.undone { "undone" } else { "" }),
            ]
        })
        .collect();
    if rows.is_empty() {
        context.nothing("no backups yet; every write makes one, or: clawctl backup create");
    } else {
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    Ok(ExitStatus::Ok)
}
