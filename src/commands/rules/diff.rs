//! `clawctl rules diff`

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::book::book;
use crate::base::exit::ExitStatus;
use crate::commands::args::ListFormatArg;
use crate::commands::context::{Context, Layout};
use crate::engine::Reason;
use crate::installation::rulebook::Rulebook;
use crate::output::list::{Column, Field, column};

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

const COLUMNS: [Column; 3] = [column("what"), column("R1"), column("R2")];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &RulesDiff) -> anyhow::Result<ExitStatus> {
    let left = book(context, &args.left)?;
    let right = book(context, &args.right)?;
    let mut rows: Vec<[String; 3]> = Vec::new();
    for (one, other) in left.set.constants().into_iter().zip(right.set.constants()) {
        if one.value != other.value {
            rows.push([one.key.to_owned(), one.value.to_string(), other.value.to_string()]);
        }
    }
    let (one, other) = (classification(&left), classification(&right));
    let ids: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for id in ids {
        let (one, other) = (one.get(id), other.get(id));
        if one != other {
            let text = |side: Option<&String>| side.map_or_else(|| "-".to_owned(), Clone::clone);
            rows.push([format!("classify {id}"), text(one), text(other)]);
        }
    }
    let layout = context.layout(args.format.format);
    if layout == Layout::Json {
        let differences: Vec<_> = rows
            .iter()
            .map(|[what, one, other]| json!({ "what": what, "left": one, "right": other }))
            .collect();
        context
            .print_json(json!({ "left": left.set.id, "right": right.set.id, "differences": differences }))?;
    } else if rows.is_empty() {
        context.nothing("no differences");
    } else {
        let fields: Vec<Vec<Field>> = rows.into_iter().map(|row| row.map(Field::new).into()).collect();
        context.print_list(layout, &COLUMNS, &fields)?;
    }
    Ok(ExitStatus::Ok)
}

/// Reason and condition of every classification row.
fn classification(book: &Rulebook) -> BTreeMap<String, String> {
    book.classifier()
        .rows()
        .map(|row| {
            let reason = row.reason.map_or("none", Reason::as_str);
            (row.id, format!("{reason}: {}", row.pattern))
        })
        .collect()
}
