//! `clawctl auth ...`

pub mod list;
pub mod order;
pub mod remove;
pub mod show;

use clap::Subcommand;

use self::list::AuthList;
use self::order::OrderCommand;
use self::remove::AuthRemove;
use self::show::AuthShow;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `auth`.
#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// List every profile that the agent can use
    ///
    /// Shows id, provider, type, label, state, when it was last used, its rank in its provider's
    /// order, and where it lives: own (this agent), inherited (the main agent) or shared.
    List(AuthList),
    /// Show one profile in full, secrets masked
    Show(AuthShow),
    /// The order in which a provider's profiles are tried
    #[command(subcommand)]
    Order(OrderCommand),
    /// Remove a profile of the agent, with every reference in its order, lastGood and usageStats
    ///
    /// Mentions in the config (auth.profiles, auth.order) are reported and stay. undo brings the
    /// profile back.
    Remove(AuthRemove),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: AuthCommand) -> anyhow::Result<ExitStatus> {
    match command {
        AuthCommand::List(args) => list::run(context, &args),
        AuthCommand::Show(args) => show::run(context, &args),
        AuthCommand::Order(command) => order::run(context, command),
        AuthCommand::Remove(args) => remove::run(context, &args),
    }
}
