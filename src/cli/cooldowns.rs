//! `clawctl cooldowns ...`

use clap::{Args, Subcommand};

use super::{ListFormatArg, WriteArgs};
use crate::commands::complete;

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

/// `cooldowns show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl cooldowns show
  clawctl cooldowns show --watch --interval 5
  clawctl cooldowns show --all-agents --json

Columns of --format tsv: agent, profile, provider, kind, reason, model, source, ends, errors, next time, ends by.")]
pub struct CooldownsShow {
    /// Refresh in place until ctrl-c; needs a terminal
    #[arg(long, conflicts_with_all = ["json", "now"])]
    pub watch: bool,
    /// Seconds between refreshes
    #[arg(long, value_name = "SECONDS", default_value_t = 2, requires = "watch",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub interval: u64,
    /// Only this provider
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Also profiles without an active window: expired windows, counters, usable ones
    #[arg(long)]
    pub all: bool,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `cooldowns clear`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl cooldowns clear openai:work
  clawctl cooldowns clear --provider openai --yes
  clawctl cooldowns clear --all --all-agents --dry-run")]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(false))]
pub struct CooldownsClear {
    /// Profile ids, or inline-api-key:PROVIDER for a key that stands in the config
    #[arg(value_name = "ID", group = "which", add = complete::profiles())]
    pub ids: Vec<String>,
    /// Every profile of this provider
    #[arg(long, short, value_name = "PROVIDER", group = "which", add = complete::providers())]
    pub provider: Option<String>,
    /// Every profile of the agent
    #[arg(long, group = "which")]
    pub all: bool,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}
