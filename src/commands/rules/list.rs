//! `clawctl rules list`

use clap::Args;
use serde::Serialize;

use crate::base::exit::ExitStatus;
use crate::commands::args::ListFormatArg;
use crate::commands::context::{Context, Layout};
use crate::engine::RuleSet;
use crate::output::list::{Column, Field, column};

/// `rules list`.
#[derive(Debug, Args)]
#[command(after_help = "Columns of --format tsv: rule set, checked against, releases, about.")]
pub struct RulesList {
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 4] =
    [column("rules"), column("checked against"), column("releases"), column("about")];

#[derive(Serialize)]
struct Sets {
    rules: Vec<Set>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Set {
    id: &'static str,
    checked_against: &'static str,
    releases: &'static str,
    about: &'static str,
}

/// The releases that a set is taken for (RULES.md, "rule sets").
const fn releases(id: &str) -> &'static str {
    match id.as_bytes() {
        b"2026.3" => "before 2026.3.28",
        b"2026.3.31" => "2026.3.28 to 2026.3.31",
        b"2026.4.15" => "2026.4.0 to 2026.4.28",
        b"2026.5" => "2026.4.29 to 2026.5.11",
        b"2026.5.19" => "2026.5.12 to 2026.5.19",
        b"2026.5.28" => "2026.5.20 to 2026.5.28",
        b"2026.7" => "2026.6, 2026.7",
        b"2026.8" => "2026.8.0 to 2026.9.1",
        b"2026.9.4" => "2026.9.2 to 2026.9.4",
        b"2026.9" => "2026.9.5 and later",
        _ => "none: only by name",
    }
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &RulesList) -> anyhow::Result<ExitStatus> {
    let mut sets = Vec::new();
    for id in RuleSet::IDS {
        let set = RuleSet::builtin(id)?;
        sets.push(Set { id, checked_against: set.checked_release, releases: releases(id), about: set.about });
    }
    let layout = context.layout(args.format.format);
    if layout == Layout::Json {
        context.print_json(Sets { rules: sets })?;
    } else {
        let rows: Vec<Vec<Field>> = sets
            .iter()
            .map(|set| [set.id, set.checked_against, set.releases, set.about].map(Field::new).into())
            .collect();
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    Ok(ExitStatus::Ok)
}
