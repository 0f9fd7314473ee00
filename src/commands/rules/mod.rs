//! `clawctl rules ...`

mod book;
pub mod diff;
pub mod list;
pub mod show;

use clap::Subcommand;

use self::diff::RulesDiff;
use self::list::RulesList;
use self::show::RulesShow;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rule sets and the release each was checked against
    List(RulesList),
    /// Show a rule set: its constants and its classification rows
    Show(RulesShow),
    /// Show what differs between two rule sets
    Diff(RulesDiff),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: RulesCommand) -> anyhow::Result<ExitStatus> {
    match command {
        RulesCommand::List(args) => list::run(context, &args),
        RulesCommand::Show(args) => show::run(context, &args),
        RulesCommand::Diff(args) => diff::run(context, &args),
    }
}
