//! `clawctl auth order ...`

pub mod clear;
pub mod explain;
pub mod get;
pub mod set;
mod spellings;

use clap::Subcommand;

use self::clear::OrderClear;
use self::explain::OrderExplain;
use self::get::OrderGet;
use self::set::OrderSet;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;

/// `auth order`.
#[derive(Debug, Subcommand)]
pub enum OrderCommand {
    /// Print the stored order
    Get(OrderGet),
    /// Store an order: those profiles, in that order
    ///
    /// Every id is checked: it must be a profile that the agent can use (its own, inherited or
    /// shared), of that provider, and named once. The write is one transaction and is read back.
    Set(OrderSet),
    /// Remove the stored order
    Clear(OrderClear),
    /// Explain the effective order right now, profile by profile
    Explain(OrderExplain),
}

pub(crate) fn run(context: &mut Context<'_, '_>, command: OrderCommand) -> anyhow::Result<ExitStatus> {
    match command {
        OrderCommand::Get(args) => get::run(context, &args),
        OrderCommand::Set(args) => set::run(context, &args),
        OrderCommand::Clear(args) => clear::run(context, &args),
        OrderCommand::Explain(args) => explain::run(context, &args),
    }
}
