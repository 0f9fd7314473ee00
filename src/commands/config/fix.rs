//! `clawctl config fix`

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use serde::Serialize;

use super::reading::{ConfigChecks, ConfigRead, load, missing, own_config, selection, target};
use crate::base::error::{Error, Result};
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::checks::config as lints;
use crate::commands::context::Context;
use crate::config::{Finding, fix};
use crate::output::diagnostics;
use crate::store::{atomic, lock};

/// `config fix`.
#[derive(Debug, Args)]
#[command(
    after_help = "Renamed keys, repeated fallbacks, repeated profiles in an order, agents.list written as agents.entries.
Comments, includes and ${VAR} stay as they are. A copy of each changed file is kept beside it.

Examples:
  clawctl config fix --for 2026.9 --dry-run --diff
  clawctl config fix --only fallback-repeated openclaw.json"
)]
pub struct ConfigFix {
    /// Files [default: the installation's config]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Which checks
    #[command(flatten)]
    pub checks: ConfigChecks,
    /// Show what would change and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show the changed lines, with secrets hidden
    #[arg(long)]
    pub diff: bool,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &ConfigFix) -> anyhow::Result<ExitStatus> {
    let selection = selection(&args.checks)?;
    let named = if args.files.is_empty() { vec![own_config(context)?] } else { args.files.clone() };
    let mut changed: Vec<Changed> = Vec::new();
    for path in named {
        // The bytes are what counts here, not what the variables hold.
        let read = ConfigRead { no_env: true, ..ConfigRead::default() };
        let loaded = load(context, &path, &read)?;
        if !loaded.exists() {
            return Err(missing(loaded.path()).into());
        }
        if let Some(error) = loaded.error() {
            return Err(error.into());
        }
        let (target, _) = target(&args.checks, &loaded)?;
        let findings = lints::validate(&loaded, &target, None, &selection);
        for file in fix::fix(&loaded, &findings) {
            let source = loaded.source(file.file);
            changed.push(Changed {
                path: source.path.clone(),
                before: source.text.clone(),
                after: file.text,
                done: file.done.into_iter().map(|(index, title)| done(&findings[index], title)).collect(),
                backup: None,
            });
        }
    }
    if !args.dry_run {
        for file in &mut changed {
            file.backup = Some(write(context, file)?);
        }
    }
    report(context, args, &changed)?;
    Ok(ExitStatus::Ok)
}

struct Changed {
    path: PathBuf,
    before: String,
    after: String,
    done: Vec<Done>,
    /// The copy of the file as it was; none before it is written.
    backup: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    id: &'static str,
    json_path: String,
    text: String,
}

fn done(finding: &Finding, text: String) -> Done {
    let json_path = finding.path.clone().unwrap_or_default().to_string();
    Done { id: finding.id, json_path, text }
}

/// Keeps a copy, replaces the file under OpenClaw's lock if it is still the one that was read, and
/// reads it back. Returns the copy.
fn write(context: &Context<'_, '_>, file: &Changed) -> Result<PathBuf> {
    let path = &file.path;
    let _lock = lock::acquire(path)?;
    let now = std::fs::read(path).map_err(|error| Error::io("read the config", path, error))?;
    if now != file.before.as_bytes() {
        return Err(Error::busy("the config was changed meanwhile").at(path).hint("run the command again"));
    }
    let mode =
        std::fs::metadata(path).map_err(|error| Error::io("read the config", path, error))?.permissions();
    let backup = copy_name(path, context)?;
    atomic::create(&backup, file.before.as_bytes())?;
    atomic::replace(path, file.after.as_bytes())?;
    std::fs::set_permissions(path, mode).map_err(|error| Error::io("set the mode of", path, error))?;
    let written = std::fs::read(path).map_err(|error| Error::io("read the config back", path, error))?;
    if written != file.after.as_bytes() {
        return Err(Error::failed("the config reads back otherwise than it was written").at(path));
    }
    Ok(backup)
}

/// `openclaw.json.20260704T120000Z.bak`, with a number when that is taken.
fn copy_name(path: &Path, context: &Context<'_, '_>) -> Result<PathBuf> {
    let time = context.now.to_rfc3339().unwrap_or_default().replace(['-', ':'], "");
    let time = time.split('.').next().unwrap_or_default().trim_end_matches('Z').to_owned();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (0..1000)
        .map(|number| match number {
            0 => path.with_file_name(format!("{name}.{time}Z.bak")),
            _ => path.with_file_name(format!("{name}.{time}Z.{number}.bak")),
        })
        .find(|candidate| !candidate.exists())
        .ok_or_else(|| Error::failed("there are too many copies of this config").at(path))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    dry_run: bool,
    files: Vec<ShownFile<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownFile<'a> {
    path: String,
    done: &'a [Done],
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Vec<String>>,
}

fn report(context: &mut Context<'_, '_>, args: &ConfigFix, changed: &[Changed]) -> anyhow::Result<()> {
    let undo = |file: &Changed| {
        let backup = file.backup.as_ref()?.display().to_string();
        let path = file.path.display().to_string();
        Some(format!("mv {} {}", text::shell_word(&backup), text::shell_word(&path)))
    };
    if context.global.json {
        let files = changed.iter().map(|file| ShownFile {
            path: file.path.display().to_string(),
            done: &file.done,
            backup: file.backup.as_ref().map(|backup| backup.display().to_string()),
            undo: undo(file),
            diff: args.diff.then(|| diff(&file.before, &file.after)),
        });
        context.print_json(Document { dry_run: args.dry_run, files: files.collect() })?;
        return Ok(());
    }
    let verb = if args.dry_run { "would " } else { "done: " };
    for file in changed {
        let path = text::text(&file.path.display().to_string()).into_owned();
        for done in &file.done {
            let place = text::text(&done.json_path).into_owned();
            writeln!(context.ui.out(), "{path}: {verb}{} ({}, {place})", text::text(&done.text), done.id)?;
        }
        if args.diff {
            for line in diff(&file.before, &file.after) {
                writeln!(context.ui.out(), "{}", text::text(&line))?;
            }
        }
        if let Some(undo) = undo(file) {
            context.ui.note(format!("written and read back; undo: {undo}"));
        }
    }
    if changed.is_empty() {
        context.nothing("nothing to repair");
    } else if !args.dry_run {
        context.ui.note("check the rest: clawctl config validate");
    }
    Ok(())
}

/// The lines that differ, as `-12 old` and `+12 new`, secrets hidden.
fn diff(before: &str, after: &str) -> Vec<String> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest =
        old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - rest, new.len() - rest);
    let (old, new) = (&old[same..old_end], &new[same..new_end]);
    // The longest common subsequence of what is left between the first and the last change.
    let mut lengths = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            lengths[at][other] = if old[at] == new[other] {
                lengths[at + 1][other + 1] + 1
            } else {
                lengths[at + 1][other].max(lengths[at][other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut out = Vec::new();
    while at < old.len() || other < new.len() {
        if at < old.len() && other < new.len() && old[at] == new[other] {
            at += 1;
            other += 1;
        } else if at < old.len() && (other == new.len() || lengths[at + 1][other] >= lengths[at][other + 1]) {
            out.push(format!("-{} {}", same + at + 1, diagnostics::mask(old[at])));
            at += 1;
        } else {
            out.push(format!("+{} {}", same + other + 1, diagnostics::mask(new[other])));
            other += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_changed_lines_are_shown() {
        let before = "a\nb\nc\nd\ne\n";
        assert_eq!(diff(before, "a\nc\nd\nE\n"), ["-2 b", "-5 e", "+4 E"]);
        assert_eq!(diff("token: 'abcdef'\n", ""), ["-1 token: '******'"]);
        assert!(diff(before, before).is_empty());
    }
}
