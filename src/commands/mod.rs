//! The commands; the path of a module is the command's name. Each parses nothing more, asks the
//! domain, prints.

pub mod completions;
pub mod man;

use std::path::{Path, PathBuf};

use crate::cli::{Command, GlobalArgs};
use crate::env::Env;
use crate::exit::ExitStatus;
use crate::time::Millis;
use crate::ui::Ui;

/// What every command is given.
pub struct Context<'a, 'io> {
    /// Output and questions.
    pub ui: &'a mut Ui<'io>,
    /// The options of every command.
    pub global: GlobalArgs,
    /// The environment.
    pub env: Env,
    /// The time now (ms since 1970).
    pub now: Millis,
}

impl<'a, 'io> Context<'a, 'io> {
    /// Bundles them.
    pub fn new(ui: &'a mut Ui<'io>, global: GlobalArgs, env: Env, now: Millis) -> Self {
        Self { ui, global, env, now }
    }

    /// A path from the command line, seen from the working folder.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        self.env.current_dir.join(path)
    }
}

/// Whether the command's own `--format` asks for JSON.
#[must_use]
pub fn asks_for_json(_command: Option<&Command>) -> bool {
    false
}

/// Runs the command.
///
/// # Errors
/// Whatever the command reports; [`crate::error::Error`] decides the exit status.
pub fn dispatch(context: &mut Context<'_, '_>, command: Option<Command>) -> anyhow::Result<ExitStatus> {
    match command {
        Some(Command::Completions(args)) => completions::run(context, &args),
        Some(Command::Man(args)) => man::run(context, &args),
        _ => Ok(ExitStatus::Ok),
    }
}
