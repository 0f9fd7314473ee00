//! `clawctl doctor rules`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::checks::doctor::{Rule, by_id, near, rules};
use crate::commands::args::ListFormatArg;
use crate::commands::context::{Context, Layout};
use crate::output::json::v1;
use crate::output::list::{Column, Field, column};

/// `doctor rules`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: id, severity, looks at, finds.")]
pub struct DoctorRules {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 4] = [column("id"), column("severity"), column("looks at"), column("finds")];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &DoctorRules) -> anyhow::Result<ExitStatus> {
    let layout = context.layout(args.format.format);
    if layout == Layout::Json {
        let rules = rules().iter().map(|rule| json_rule(rule)).collect();
        context.print_json(v1::DoctorRules { rules })?;
        return Ok(ExitStatus::Ok);
    }
    let rows: Vec<Vec<Field>> = rules()
        .iter()
        .map(|rule| {
            vec![
                Field::new(rule.id),
                Field::new(rule.severity.name()),
                Field::new(rule.looks_at.name()),
                Field::new(rule.summary),
            ]
        })
        .collect();
    context.print_list(layout, &COLUMNS, &rows)?;
    Ok(ExitStatus::Ok)
}

pub(super) fn json_rule(rule: &Rule) -> v1::DoctorRule {
    v1::DoctorRule {
        id: rule.id,
        severity: rule.severity.name(),
        looks_at: rule.looks_at.name(),
        summary: rule.summary,
        explanation: rule.explanation,
    }
}

pub(super) fn rule_id(text: &str) -> Result<String, String> {
    match by_id(text) {
        Some(rule) => Ok(rule.id.to_owned()),
        None => Err(match near(text) {
            Some(near) => format!("no rule is called that, did you mean {near}?"),
            None => "no rule is called that, see: clawctl doctor rules".to_owned(),
        }),
    }
}
