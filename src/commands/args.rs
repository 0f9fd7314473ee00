//! Arguments that several commands take.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use crate::base::time::{Millis, parse_time};
use crate::commands::complete;
use crate::config::Severity;
use crate::installation::machine::{Where, WhichAgents};
use crate::ui::ColorChoice;

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
    #[arg(long, global = true, value_name = "ID", add = complete::agents())]
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

impl GlobalArgs {
    /// The installation that is meant.
    #[must_use]
    pub fn place(&self) -> Where {
        match &self.demo {
            Some(keep) => Where::Demo { keep: keep.clone() },
            None => Where::Real { state_dir: self.state_dir.clone(), config: self.config.clone() },
        }
    }

    /// The agents that are meant.
    #[must_use]
    pub fn agents(&self) -> WhichAgents {
        match self.all_agents {
            true => WhichAgents::All,
            false if self.agent.is_empty() => WhichAgents::Default,
            false => WhichAgents::Named(self.agent.clone()),
        }
    }
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

/// `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Only errors.
    Error,
    /// Warnings too.
    Warning,
    /// Anything.
    Info,
    /// Nothing.
    Never,
}

impl FailOn {
    /// The least severity that makes the command fail.
    #[must_use]
    pub const fn least(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Info => Some(Severity::Info),
            Self::Never => None,
        }
    }

    /// Whether a finding of this severity makes the command fail.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity >= Severity::Error,
            Self::Warning => severity >= Severity::Warning,
            Self::Info => true,
            Self::Never => false,
        }
    }
}
