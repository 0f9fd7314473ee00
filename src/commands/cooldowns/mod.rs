//! `clawctl cooldowns ...`

pub mod clear;
pub mod show;

use clap::Subcommand;

use self::clear::CooldownsClear;
use self::show::CooldownsShow;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `cooldowns`.
#[derive(Debug, Subcommand)]
pub enum CooldownsCommand {
    /// Show the windows in which profiles aren't used
    ///
    /// Exit status 6 says that a provider has no usable profile left.
    Show(CooldownsShow),
    /// End the windows of profiles: every window field and counter goes, lastUsed stays
    Clear(CooldownsClear),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: CooldownsCommand) -> anyhow::Result<ExitStatus> {
    match command {
        CooldownsCommand::Show(args) => show::run(context, &args),
        CooldownsCommand::Clear(args) => clear::run(context, &args),
    }
}
