//! `clawctl doctor ...`

use clap::{Args, Subcommand, ValueEnum};

use super::{DiagnosticFormat, ListFormatArg};
use crate::checks::doctor::{Safety, by_id, near};
use crate::config::Severity;
use crate::store::ProfileId;
use crate::store::import::Side;

/// `doctor`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Looks at every agent, unless --agent names some.

Examples:
  clawctl doctor
  clawctl doctor --fix --dry-run --diff
  clawctl doctor --fix --only legacy-not-imported
  clawctl doctor explain order-unknown-profile"
)]
pub struct Doctor {
    /// List the rules, or explain one
    #[command(subcommand)]
    pub command: Option<DoctorCommand>,
    /// Repair what can be repaired without loss; =all also drops data that nobody can use
    #[arg(long, value_enum, value_name = "LEVEL", num_args = 0..=1, require_equals = true,
          default_missing_value = "safe")]
    pub fix: Option<FixLevel>,
    /// Say what --fix would do, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show every JSON member that --fix changes (or would change), with secrets masked
    #[arg(long)]
    pub diff: bool,
    /// Ask only this rule; may be given several times
    #[arg(long, value_name = "ID", value_parser = rule_id, add = crate::commands::complete::rules())]
    pub only: Vec<String>,
    /// Don't ask this rule; may be given several times
    #[arg(long, value_name = "ID", value_parser = rule_id, add = crate::commands::complete::rules())]
    pub skip: Vec<String>,
    /// Decide conflicts of an import: store, file, or ID=store and ID=file for one profile
    #[arg(long, value_name = "SIDE", value_parser = preference, requires = "fix")]
    pub prefer: Vec<(Option<ProfileId>, Side)>,
    /// Exit with 6 when something at least this bad is left
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Warning)]
    pub fail_on: FailOn,
    /// Layout of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiagnosticFormat::Auto)]
    pub format: DiagnosticFormat,
}

/// What belongs to `doctor`.
#[derive(Debug, Subcommand)]
pub enum DoctorCommand {
    /// List the rules
    Rules(DoctorRules),
    /// Explain a rule: what it finds, why that matters, what its fix does
    Explain(DoctorExplain),
}

/// `doctor rules`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: id, severity, looks at, finds.")]
pub struct DoctorRules {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `doctor explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl doctor explain legacy-not-imported")]
pub struct DoctorExplain {
    /// Rule id, as findings show it
    #[arg(value_name = "ID", value_parser = rule_id, add = crate::commands::complete::rules())]
    pub id: String,
}

/// `--fix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FixLevel {
    /// What loses nothing.
    Safe,
    /// Also what drops data that nobody can use.
    All,
}

impl FixLevel {
    /// What such a repair may cost.
    #[must_use]
    pub const fn safety(self) -> Safety {
        match self {
            Self::Safe => Safety::Safe,
            Self::All => Safety::Dropping,
        }
    }
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

fn preference(text: &str) -> Result<(Option<ProfileId>, Side), String> {
    let (id, side) = match text.rsplit_once('=') {
        Some((id, side)) => (Some(ProfileId::new(id.trim())), side),
        None => (None, text),
    };
    match side.trim() {
        "store" => Ok((id, Side::Store)),
        "file" => Ok((id, Side::File)),
        _ => Err("give store or file, or PROFILE=store or PROFILE=file".to_owned()),
    }
}

fn rule_id(text: &str) -> Result<String, String> {
    match by_id(text) {
        Some(rule) => Ok(rule.id.to_owned()),
        None => Err(match near(text) {
            Some(near) => format!("no rule is called that, did you mean {near}?"),
            None => "no rule is called that, see: clawctl doctor rules".to_owned(),
        }),
    }
}
