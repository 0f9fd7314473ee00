//! `clawctl auth ...`

use clap::{Args, Subcommand};

use super::{ListFormatArg, WriteArgs};
use crate::commands::complete;

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

/// `auth remove`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth remove openai:old --dry-run
  clawctl auth remove openai:old --agent ops --yes")]
pub struct AuthRemove {
    /// Profile id, as auth list prints it
    #[arg(value_name = "ID", add = complete::profiles())]
    pub id: String,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

/// `auth list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth list
  clawctl auth list --provider openai --agent ops
  clawctl auth list --all-agents --format tsv | cut -f1,2,6

Columns of --format tsv: agent, profile, provider, type, label, state, until, last used, rank, lives, shadows.")]
pub struct AuthList {
    /// Only this provider's profiles
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `auth show`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth show openai:work --fingerprint")]
pub struct AuthShow {
    /// Profile id, as auth list prints it
    #[arg(value_name = "ID", add = complete::profiles())]
    pub id: String,
    /// Add a short keyed fingerprint of each secret, to compare copies within this run
    #[arg(long)]
    pub fingerprint: bool,
}

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

/// `auth order get`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth order get
  clawctl auth order get --provider openai --agent ops

Columns of --format tsv: agent, provider, position, profile, from.")]
pub struct OrderGet {
    /// Only this provider's order
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `auth order set`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth order set --provider openai openai:work openai:spare
  clawctl auth order set --provider openai openai:work --agent ops --dry-run")]
pub struct OrderSet {
    /// Provider whose order is set
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Profile ids, first choice first
    #[arg(value_name = "ID", required = true, num_args = 1.., add = complete::profiles())]
    pub ids: Vec<String>,
    /// Accept ids of profiles that don't exist (yet)
    #[arg(long)]
    pub allow_missing: bool,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

/// `auth order clear`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth order clear --provider openai")]
pub struct OrderClear {
    /// Provider whose stored order is removed
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

/// `auth order explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth order explain --provider openai --model gpt-x

Columns of --format tsv: agent, provider, rank, profile, verdict, code, because, order from.")]
pub struct OrderExplain {
    /// Provider whose order is explained
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Model of that provider: windows scoped to other models don't count
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Session key: a profile that the session is pinned to goes first
    #[arg(long, value_name = "KEY")]
    pub session: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}
