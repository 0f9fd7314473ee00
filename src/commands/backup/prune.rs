//! `clawctl backup prune`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::base::time::Millis;
use crate::commands::args::ListFormat;
use crate::commands::args::WriteArgs;
use crate::commands::context::{Context, Layout};
use crate::output::json::v1;
use crate::store::backup::{self, Retention};

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

pub(crate) fn run(context: &mut Context<'_, '_>, args: &BackupPrune) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let installation = &machine.installation;
    let age = args.older_than.map(|age| Millis(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)));
    let retention = Retention { keep: args.keep, younger_than: age };
    let prunable = backup::prunable(installation, retention, context.now)?;
    let names: Vec<String> = prunable
        .iter()
        .map(|backup| backup.path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    let count = names.len();
    let plural = if count == 1 { "" } else { "s" };
    let doing = !args.write.dry_run && count > 0;
    if doing {
        let question = format!("Remove {count} snapshot{plural} for good?");
        if !context.ui.confirm(args.write.yes, &question)? {
            context.ui.note("nothing was removed");
            return Ok(ExitStatus::Failed);
        }
        for backup in &prunable {
            backup::remove(installation, backup)?;
        }
    }
    let (left, _) = backup::list(installation)?;
    let kept = if doing { left.len() } else { left.len().saturating_sub(count) };
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(v1::BackupPrune { dry_run: args.write.dry_run, removed: names, kept })?;
        return Ok(ExitStatus::Ok);
    }
    let verb = if doing { "removed" } else { "would remove" };
    for name in &names {
        writeln!(context.ui.out(), "{verb} {}", text::text(name))?;
    }
    if args.write.dry_run {
        context.ui.note("nothing was removed (--dry-run)");
    }
    if count == 0 {
        context.ui.note("nothing to remove");
    }
    Ok(ExitStatus::Ok)
}
