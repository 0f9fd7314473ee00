//! `clawctl doctor explain`

use clap::Args;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::checks::doctor::by_id;
use crate::commands::args::ListFormat;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};

/// `doctor explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl doctor explain legacy-not-imported")]
pub struct DoctorExplain {
    /// Rule id, as findings show it
    #[arg(value_name = "ID", value_parser = super::rules::rule_id, add = complete::rules())]
    pub id: String,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &DoctorExplain) -> anyhow::Result<ExitStatus> {
    let rule = by_id(&args.id).ok_or_else(|| Error::usage("no rule is called that"))?;
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(super::rules::json_rule(rule))?;
        return Ok(ExitStatus::Ok);
    }
    let out = context.ui.out();
    writeln!(out, "{}: {}", rule.id, rule.summary)?;
    writeln!(out, "severity: {} (usually), looks at: {}", rule.severity.name(), rule.looks_at.name())?;
    writeln!(out)?;
    writeln!(out, "{}", rule.explanation)?;
    Ok(ExitStatus::Ok)
}
