//! `clawctl classify`, `rules`, `simulate`, `route`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::ListFormatArg;
use crate::commands::complete;

/// `classify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl classify --status 429 'Rate limit reached for requests'
  clawctl classify --provider openrouter '402 Insufficient credits'
  clawctl classify --batch < errors.jsonl

With --batch every line of stdin is one error: a JSON object with message, status, code, type and
provider (all optional), or the plain text. One JSON object a line comes out, in the same order; a
line that can't be read gets {\"line\": N, \"error\": ...} and makes the exit status 1.")]
pub struct Classify {
    /// The error's text: plain, a JSON body, with a leading status or without
    #[arg(value_name = "TEXT", required_unless_present_any = ["batch", "status", "code", "type"], conflicts_with = "batch")]
    pub text: Option<String>,
    /// HTTP status
    #[arg(long, value_name = "N", conflicts_with = "batch")]
    pub status: Option<i64>,
    /// The error's code: insufficient_quota, ECONNRESET ...
    #[arg(long, value_name = "C", conflicts_with = "batch")]
    pub code: Option<String>,
    /// The error's type: overloaded_error ...
    #[arg(long = "type", id = "type", value_name = "T", conflicts_with = "batch")]
    pub error_type: Option<String>,
    /// Provider; some wordings count only for some providers
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Rule set, release, or rule-set file
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
    /// Read errors from stdin, one a line
    #[arg(long)]
    pub batch: bool,
}

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

/// `rules list`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: rule set, checked against, releases, about.")]
pub struct RulesList {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `rules show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl rules show 2026.9
  clawctl rules show 2026.9 --classify
  clawctl rules show ./our-rules.json5

Columns of --format tsv: constant, value, unit; with --classify: rule, reason, condition, note.")]
pub struct RulesShow {
    /// Rule set, release, or rule-set file
    #[arg(value_name = "R")]
    pub rules: String,
    /// Show the classification rows instead of the constants
    #[arg(long)]
    pub classify: bool,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `rules diff`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl rules diff 2026.7 2026.9

Columns of --format tsv: what, R1, R2.")]
pub struct RulesDiff {
    /// Rule set, release, or rule-set file
    #[arg(value_name = "R1")]
    pub left: String,
    /// The other one
    #[arg(value_name = "R2")]
    pub right: String,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

/// `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl simulate tests/scripts
  clawctl simulate incident.json5 --trace
  clawctl simulate incident.json5 --rules 2026.7 --compare 2026.9
  clawctl simulate --from-log gateway.log --trace
  echo '{replies: [{then: [{status: 429}]}]}' | clawctl simulate - --trace

What a script leaves out (config, store, sessions) comes from this machine, read-only. README.md
describes the format.")]
pub struct Simulate {
    /// Script files (JSON5, or JSONL with one script a line), folders of them, or - for stdin
    #[arg(value_name = "SCRIPT", required_unless_present = "from_log", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub scripts: Vec<PathBuf>,
    /// Build a script from a gateway's log (JSONL or console lines; - for stdin) and replay it
    #[arg(long, value_name = "FILE", conflicts_with = "scripts", value_hint = ValueHint::FilePath)]
    pub from_log: Option<PathBuf>,
    /// Rule set, release, or rule-set file, whatever the script says
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
    /// Replay with these rules too, and print the turns that differ
    #[arg(long, value_name = "R2")]
    pub compare: Option<String>,
    /// Tell every turn as a story
    #[arg(long)]
    pub trace: bool,
}

/// `route`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl route
  clawctl route --session agent:main:main
  clawctl route --model anthropic/claude-x --source cron --json

Exit status 6 says that nothing would be tried.")]
pub struct Route {
    /// Model of this one message
    #[arg(long, value_name = "REF")]
    pub model: Option<String>,
    /// Session key; its pins and overrides count
    #[arg(long, value_name = "KEY")]
    pub session: Option<String>,
    /// Where the message comes from
    #[arg(long, value_name = "S", default_value = "default",
          value_parser = ["default", "agent", "user", "cron", "heartbeat", "cli", "hook"])]
    pub source: String,
    /// Rule set, release, or rule-set file
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
}
