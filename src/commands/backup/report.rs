//! What the commands about snapshots print.

use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::args::ListFormat;
use crate::commands::context::{Context, Layout};
use crate::commands::write::{gateway, undo_command};
use crate::installation::machine::Machine;
use crate::output::json::v1;
use crate::store::{Backup, Restored};

pub(super) fn json_backup(backup: &Backup) -> v1::Backup {
    v1::Backup {
        id: backup.id.to_string(),
        path: backup.path.display().to_string(),
        created_at: backup.created_at.0,
        created_at_iso: crate::output::when::iso(backup.created_at),
        reason: backup.reason.clone(),
        command: backup.command.clone(),
        files: backup
            .files
            .iter()
            .map(|file| v1::BackupFile {
                original: file.original.display().to_string(),
                bytes: file.bytes,
                sha256: file.sha256.clone(),
            })
            .collect(),
        undone: backup.undone,
    }
}

/// Says what was put back, and how to take that back.
pub(in crate::commands) fn report(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    restored: &Restored,
) -> anyhow::Result<ExitStatus> {
    let undo = restored.backup.as_ref().map(|backup| undo_command(context, backup.as_str()));
    let gateway = gateway(machine);
    let written: Vec<String> = restored.paths.iter().map(|path| path.display().to_string()).collect();
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(v1::Write {
            dry_run: false,
            changed: !written.is_empty(),
            changes: Vec::new(),
            written,
            backup: restored.backup.as_ref().map(ToString::to_string),
            undo,
            remarks: restored.remarks.clone(),
            gateway,
        })?;
        return Ok(ExitStatus::Ok);
    }
    if written.is_empty() {
        context.ui.note("nothing differs; nothing was written");
    }
    for path in &written {
        writeln!(context.ui.out(), "restored {} from {}", text::text(path), restored.from)?;
    }
    if let Some(undo) = undo {
        context.ui.note(format!("the state before is kept; undo: {undo}"));
    }
    for remark in &restored.remarks {
        context.ui.warn(remark);
    }
    if let Some(text) = gateway {
        context.ui.warn(text);
    }
    Ok(ExitStatus::Ok)
}
