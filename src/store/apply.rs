//! Writing what was planned: one backup, then one transaction or one rename for each file, read back.

use super::backup::copy::{before_write, discard};
use super::change::{Edit, Undoable, WriteContext, Written, paths_of};
use super::plan::Plan;
use super::{Backup, Installation, target};
use crate::base::error::Result;

/// Makes a backup and writes the plan.
///
/// # Errors
/// `Busy` (exit 4) when another process holds the store, or changed one of the planned members
/// since the snapshot; otherwise as [`plan`]. Nothing is written then, unless the error says so.
pub fn apply(installation: &Installation, plan: &Plan, context: &WriteContext) -> Result<Written> {
    apply_all(installation, &[plan], context)
}

/// Makes one backup and writes the plans of several agents, so that one `undo` takes all of it back.
/// What several plans change alike (an inherited window) is written once.
///
/// # Errors
/// As [`apply`].
pub fn apply_all(installation: &Installation, plans: &[&Plan], context: &WriteContext) -> Result<Written> {
    let mut edits: Vec<Edit> = Vec::new();
    for edit in plans.iter().flat_map(|plan| &plan.edits) {
        let same = |other: &Edit| other.is_at(&edit.source) && other.path == edit.path;
        if !edits.iter().any(same) {
            edits.push(edit.clone());
        }
    }
    if edits.is_empty() {
        return Ok(Written { backup: None, members: Vec::new(), paths: Vec::new(), remarks: Vec::new() });
    }
    let backup = before_write(installation, &edits, Undoable::Yes, context)?;
    write_edits(installation, &edits, &backup, context)
}

/// Writes edits file by file; the backup is dropped again when nothing was written.
pub(crate) fn write_edits(
    installation: &Installation,
    edits: &[Edit],
    backup: &Backup,
    context: &WriteContext,
) -> Result<Written> {
    let paths = paths_of(edits);
    let mut remarks = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let of_file: Vec<&Edit> = edits.iter().filter(|edit| edit.source.path == *path).collect();
        match target::write(installation, path, &of_file, context.now) {
            Ok(remark) => remarks.extend(remark),
            Err(error) if index == 0 => {
                discard(backup);
                return Err(error);
            }
            Err(error) => {
                let done: Vec<String> =
                    paths[..index].iter().map(|path| installation.places.display(path)).collect();
                return Err(error
                    .hint(format!("written before that: {}; clawctl undo takes it back", done.join(", "))));
            }
        }
    }
    let members = edits.iter().map(Edit::shown).collect();
    Ok(Written { backup: Some(backup.id.clone()), members, paths, remarks })
}
