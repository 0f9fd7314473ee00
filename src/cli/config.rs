//! `clawctl config ...`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{DiagnosticFormat, FailOn};

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

/// How a config is read.
#[derive(Debug, Clone, Default, Args)]
pub struct ConfigRead {
    /// Take variables from this file too; what the environment sets wins; may be given several times
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub env_file: Vec<PathBuf>,
    /// Take no variables from the environment; without --env-file none are looked up
    #[arg(long)]
    pub no_env: bool,
}

/// Which checks, for which release.
#[derive(Debug, Clone, Default, Args)]
pub struct ConfigChecks {
    /// Release or rule set to check for: 2026.9.6, 2026.9, auto [default: auto, by meta.lastTouchedVersion, else the newest]
    #[arg(long = "for", value_name = "RELEASE", default_value = "auto", hide_default_value = true)]
    pub release: String,
    /// Make only these checks: an id, schema (reading and schema, no lints) or lint; may be given several times
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Leave these checks out; may be given several times
    #[arg(long, value_name = "ID")]
    pub skip: Vec<String>,
}

/// `config validate`.
#[derive(Debug, Args)]
#[command(after_help = "A folder means its *.json and *.json5 files, and every openclaw.json below it;
files that another one includes aren't checked on their own.

Examples:
  clawctl config validate
  clawctl config validate --for 2026.9 deploy/
  clawctl config validate --no-env --fail-on warning --format github openclaw.json
  clawctl config validate --format sarif openclaw.json > clawctl.sarif
  envsubst < template.json5 | clawctl config validate -
  clawctl config validate --explain agent-model-is-strict")]
pub struct ConfigValidate {
    /// Files or folders; - is standard input [default: the installation's config]
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Which checks
    #[command(flatten)]
    pub checks: ConfigChecks,
    /// How to read
    #[command(flatten)]
    pub read: ConfigRead,
    /// Compare with the profiles of the agent's store on this machine
    #[arg(long)]
    pub with_store: bool,
    /// Exit with 6 when something at least this bad is found
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// Layout of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiagnosticFormat::Auto)]
    pub format: DiagnosticFormat,
    /// Say what a check is about, and stop
    #[arg(long, value_name = "ID", conflicts_with_all = ["files", "with_store"])]
    pub explain: Option<String>,
}

/// `config explain`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl config explain agents.defaults.model
  clawctl config explain 'auth.profiles[\"openai:me@example.com\"].mode'
  clawctl config explain agents.list[0].model --config deploy/openclaw.json")]
pub struct ConfigExplain {
    /// Path of the setting, as agents.defaults.model; keys that hold dots go into [\"...\"]
    #[arg(value_name = "PATH")]
    pub path: String,
    /// How to read
    #[command(flatten)]
    pub read: ConfigRead,
}

/// `config fix`.
#[derive(Debug, Args)]
#[command(
    after_help = "Renamed keys, repeated fallbacks, repeated profiles in an order, agents.list written as agents.entries.
Comments, includes and ${VAR} stay as they are. A copy of each changed file is kept beside it.

Examples:
  clawctl config fix --for 2026.9 --dry-run --diff
  clawctl config fix --only fallback-repeated openclaw.json"
)]
pub struct ConfigFix {
    /// Files [default: the installation's config]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Which checks
    #[command(flatten)]
    pub checks: ConfigChecks,
    /// Show what would change and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show the changed lines, with secrets hidden
    #[arg(long)]
    pub diff: bool,
}
