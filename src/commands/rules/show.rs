//! `clawctl rules show`

use clap::Args;
use serde_json::{Value, json};

use super::book::book;
use crate::base::exit::ExitStatus;
use crate::commands::args::ListFormatArg;
use crate::commands::context::{Context, Layout};
use crate::engine::Reason;
use crate::output::list::{Column, Field, Tone, column};

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

const CONSTANTS: [Column; 3] = [column("constant"), column("value"), column("unit")];
const ROWS: [Column; 4] = [column("rule"), column("reason"), column("condition"), column("note")];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &RulesShow) -> anyhow::Result<ExitStatus> {
    let book = book(context, &args.rules)?;
    let layout = context.layout(args.format.format);
    let constants = book.set.constants();
    if layout == Layout::Json {
        let constants: Vec<Value> = constants
            .iter()
            .map(|constant| {
                json!({ "key": constant.key, "value": constant.value.to_json(), "unit": constant.unit.as_str(),
                        "overridden": book.set.overridden.contains_key(constant.key) })
            })
            .collect();
        let rows: Vec<Value> = book
            .classifier()
            .rows()
            .map(|row| json!({ "id": row.id, "reason": row.reason, "condition": row.pattern, "note": row.note }))
            .collect();
        context.print_json(json!({
            "id": book.set.id, "family": book.set.family.id(), "checkedAgainst": book.set.checked_release,
            "about": book.set.about, "constants": constants, "classify": rows,
        }))?;
        return Ok(ExitStatus::Ok);
    }
    if args.classify {
        let rows: Vec<Vec<Field>> = book
            .classifier()
            .rows()
            .map(|row| {
                let reason = row.reason.map_or("none", Reason::as_str);
                vec![Field::new(row.id), Field::new(reason), Field::new(row.pattern), Field::new(row.note)]
            })
            .collect();
        context.print_list(layout, &ROWS, &rows)?;
        return Ok(ExitStatus::Ok);
    }
    context
        .ui
        .note(format!("{}, checked against {}: {}", book.set.id, book.set.checked_release, book.set.about));
    let rows: Vec<Vec<Field>> = constants
        .iter()
        .map(|constant| {
            let tone = if book.set.overridden.contains_key(constant.key) { Tone::Wait } else { Tone::Plain };
            vec![
                Field::new(constant.key),
                Field::new(constant.value.to_string()).machine(machine(&constant.value.to_json())).tone(tone),
                Field::new(constant.unit.as_str()),
            ]
        })
        .collect();
    context.print_list(layout, &CONSTANTS, &rows)?;
    Ok(ExitStatus::Ok)
}

/// Durations in ms and lists with commas, as the unit says.
fn machine(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(machine).collect::<Vec<_>>().join(","),
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
