//! The command line as a whole: the parser's definition, and which command runs.

use clap::{ArgMatches, CommandFactory, Parser, Subcommand};

use crate::base::exit::{EXIT_STATUS_HELP, ExitStatus};
use crate::commands::args::{DiagnosticFormat, GlobalArgs, ListFormat};
use crate::commands::auth::{self, AuthCommand};
use crate::commands::backup::{self, BackupCommand};
use crate::commands::classify::{self, Classify};
use crate::commands::completions::{self, Completions};
use crate::commands::config::{self, ConfigCommand};
use crate::commands::context::Context;
use crate::commands::cooldowns::{self, CooldownsCommand};
use crate::commands::doctor::{self, Doctor};
use crate::commands::man::{self, Man};
use crate::commands::overview;
use crate::commands::route::{self, Route};
use crate::commands::rules::{self, RulesCommand};
use crate::commands::simulate::{self, Simulate};
use crate::commands::undo::{self, Undo};

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

/// Whether the command's own `--format` asks for JSON.
pub(crate) fn asks_for_json(matches: &ArgMatches) -> bool {
    let mut last = matches;
    while let Some((_, matches)) = last.subcommand() {
        last = matches;
    }
    let list = last.try_get_one("format").ok().flatten() == Some(&ListFormat::Json);
    list || last.try_get_one("format").ok().flatten() == Some(&DiagnosticFormat::Json)
}

/// Runs the command.
///
/// # Errors
/// Whatever the command reports; [`crate::base::error::Error`] decides the exit status.
pub(crate) fn dispatch(
    context: &mut Context<'_, '_>,
    command: Option<Command>,
) -> anyhow::Result<ExitStatus> {
    match command {
        None => overview::run(context),
        Some(Command::Auth(command)) => auth::run(context, command),
        Some(Command::Cooldowns(command)) => cooldowns::run(context, command),
        Some(Command::Route(args)) => route::run(context, &args),
        Some(Command::Simulate(args)) => simulate::run(context, &args),
        Some(Command::Classify(args)) => classify::run(context, &args),
        Some(Command::Rules(command)) => rules::run(context, command),
        Some(Command::Doctor(args)) => doctor::run(context, &args),
        Some(Command::Config(command)) => config::run(context, command),
        Some(Command::Backup(command)) => backup::run(context, command),
        Some(Command::Undo(args)) => undo::run(context, &args),
        Some(Command::Completions(args)) => completions::run(context, &args),
        Some(Command::Man(args)) => man::run(context, &args, self::command()),
    }
}
