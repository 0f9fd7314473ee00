//! `clawctl completions SHELL`: a script that asks the binary itself, so that profile ids,
//! providers and agents complete too.

use anyhow::anyhow;
use clap_complete::env::Shells;

use super::Context;
use crate::cli::Completions;
use crate::exit::ExitStatus;

pub(super) fn run(context: &mut Context<'_, '_>, args: &Completions) -> anyhow::Result<ExitStatus> {
    context.ui.out().write_all(&script(args.shell)?)?;
    Ok(ExitStatus::Ok)
}

/// The completion script of one shell.
///
/// # Errors
/// The shell has no such script.
pub fn script(shell: clap_complete::Shell) -> anyhow::Result<Vec<u8>> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer =
        shells.completer(&name).ok_or_else(|| anyhow!("{name} can't be asked for completions"))?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "clawctl", "clawctl", "clawctl", &mut script)?;
    Ok(script)
}
