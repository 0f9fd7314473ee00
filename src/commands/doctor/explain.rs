//! `clawctl doctor explain`

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::checks::doctor::by_id;
use crate::cli::{DoctorExplain, ListFormat};
use crate::commands::{Context, Layout};

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
