//! The command line: clap types only; a doc comment is the help text.

mod auth;
mod backup;
mod config;
mod cooldowns;
mod doctor;
mod engine;

pub use auth::{
    AuthCommand, AuthList, AuthRemove, AuthShow, OrderClear, OrderCommand, OrderExplain, OrderGet, OrderSet,
};
pub use backup::{BackupCommand, BackupCreate, BackupList, BackupPrune, BackupRestore, Undo};
pub use config::{ConfigChecks, ConfigCommand, ConfigExplain, ConfigFix, ConfigRead, ConfigValidate};
pub use cooldowns::{CooldownsClear, CooldownsCommand, CooldownsShow};
pub use doctor::{Doctor, DoctorCommand, DoctorExplain, DoctorRules, FailOn, FixLevel};
pub use engine::{Classify, Route, RulesCommand, RulesDiff, RulesList, RulesShow, Simulate};

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::base::exit::EXIT_STATUS_HELP;
use crate::base::time::{Millis, parse_time};

/// Admin toolkit for people who run OpenClaw gateways.
///
/// Reads and writes the auth stores of every OpenClaw release since 2026.1. No Node, no network
/// and no running gateway needed. Run it without a command to see what it finds on this machine.
#[derive(Debug, Parser)]
#[command(name = "clawctl", version, propagate_version = false, max_term_width = 100)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The command; without one, an overview of this machine.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that stand before or after the command's name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct GlobalArgs {
    /// State folder [default: OPENCLAW_STATE_DIR, else ~/.openclaw]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub state_dir: Option<PathBuf>,
    /// Config file [default: OPENCLAW_CONFIG_PATH, else openclaw.json in the state folder]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Agent to work on; may be given several times [default: the config's default agent]
    #[arg(long, global = true, value_name = "ID", add = crate::commands::complete::agents())]
    pub agent: Vec<String>,
    /// Work on every agent
    #[arg(long, global = true, conflicts_with = "agent")]
    pub all_agents: bool,
    /// Print one JSON document (same as --format json)
    #[arg(long, global = true)]
    pub json: bool,
    /// Take this as the time now: RFC 3339, or milliseconds since 1970; stamps writes too
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Millis>,
    /// Colour the output
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Hide profile ids and mail addresses, for pasting into public reports
    #[arg(long, global = true)]
    pub redact_ids: bool,
    /// Work on a sample installation, unpacked afresh; =DIR keeps it there
    #[arg(long, global = true, value_name = "DIR", num_args = 0..=1, require_equals = true,
          conflicts_with_all = ["state_dir", "config"], value_hint = ValueHint::DirPath)]
    pub demo: Option<Option<PathBuf>>,
    /// Print only data, warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is read and written
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// `--format` of commands that print lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// A table on a terminal, tab-separated elsewhere.
    #[default]
    Auto,
    /// A table, fitted to the width.
    Table,
    /// Tab-separated, no header, RFC 3339 times, nothing cut.
    Tsv,
    /// One JSON document.
    Json,
}

/// `--format` of commands that print findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DiagnosticFormat {
    /// For people.
    #[default]
    Auto,
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// JUnit XML.
    Junit,
}

/// Flattened into every command that prints a list.
#[derive(Debug, Clone, Default, Args)]
pub struct ListFormatArg {
    /// Layout of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ListFormat::Auto)]
    pub format: ListFormat,
}

/// Flattened into every command that writes.
#[derive(Debug, Clone, Default, Args)]
pub struct WriteArgs {
    /// Show what would change and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Don't ask
    #[arg(short, long)]
    pub yes: bool,
}

/// All commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Auth profiles: list, show, and the order in which they are tried
    #[command(subcommand, visible_alias = "profiles")]
    Auth(AuthCommand),
    /// Windows in which a profile isn't used: cooldown, disabled, blocked
    #[command(subcommand)]
    Cooldowns(CooldownsCommand),
    /// Say what the next message would do: model, profile, and why everything before is passed over
    Route(Route),
    /// Replay error scripts through the failover engine of a release
    Simulate(Simulate),
    /// Classify a provider's error as OpenClaw does
    Classify(Classify),
    /// The failover rules, release by release
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Find what is wrong with stores and files, and repair it; import legacy files
    Doctor(Doctor),
    /// Check openclaw.json, explain what a setting holds, and repair it
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Snapshots of the stores
    #[command(subcommand)]
    Backup(BackupCommand),
    /// Take back the last write
    Undo(Undo),
    /// Print a shell's completion script
    Completions(Completions),
    /// Print the manual page, or write one page a command into a folder
    Man(Man),
}

/// `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl completions bash > ~/.local/share/bash-completion/completions/clawctl
  clawctl completions fish > ~/.config/fish/completions/clawctl.fish
  clawctl completions zsh  > \"${fpath[1]}/_clawctl\"")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl man | man -l -
  clawctl man ~/.local/share/man/man1")]
pub struct Man {
    /// Folder to write the pages into
    #[arg(value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// The definition that the parser, help, completions and manual pages are made from.
#[must_use]
pub fn command() -> clap::Command {
    fn with_exit_status(command: clap::Command) -> clap::Command {
        let after = match command.get_after_help() {
            Some(examples) => format!("{examples}\n\n{EXIT_STATUS_HELP}"),
            None => EXIT_STATUS_HELP.to_owned(),
        };
        let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        names.into_iter().fold(command.after_long_help(after), |command, name| {
            command.mut_subcommand(name, with_exit_status)
        })
    }
    with_exit_status(Cli::command())
}
