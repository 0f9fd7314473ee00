//! `clawctl config ...`

pub mod explain;
pub mod fix;
mod reading;
pub mod validate;

use clap::Subcommand;

use self::explain::ConfigExplain;
use self::fix::ConfigFix;
use self::validate::ConfigValidate;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check openclaw.json as a release does, and what a schema can't say
    Validate(ConfigValidate),
    /// Say what a setting holds after includes and variables, and where it is written
    Explain(ConfigExplain),
    /// Make the repairs that lose nothing, byte by byte
    Fix(ConfigFix),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: ConfigCommand) -> anyhow::Result<ExitStatus> {
    match command {
        ConfigCommand::Validate(args) => validate::run(context, &args),
        ConfigCommand::Explain(args) => explain::run(context, &args),
        ConfigCommand::Fix(args) => fix::run(context, &args),
    }
}
