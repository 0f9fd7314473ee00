//! `clawctl config explain`

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::reading::{ConfigRead, load, missing, own_config};
use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::context::Context;
use crate::config::explain::{Explained, explain};
use crate::config::{EnvOrigin, EnvRef, JsonPath, Loaded};

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

pub(crate) fn run(context: &mut Context<'_, '_>, args: &ConfigExplain) -> anyhow::Result<ExitStatus> {
    let path = JsonPath::parse(&args.path).map_err(|why| {
        Error::usage(format!("\"{}\" is no path: {why}", args.path))
            .hint("as in agents.defaults.model or agents.list[0].id")
    })?;
    let file = own_config(context)?;
    let loaded = load(context, &file, &args.read)?;
    if !loaded.exists() {
        return Err(missing(&file).into());
    }
    if let Some(error) = loaded.error() {
        context.ui.warn(format!("the config is broken, this is what can be read of it: {error}"));
    }
    let explained = explain(&loaded, &path);
    if explained.value.is_none() {
        return Err(not_there(&loaded, &explained).into());
    }
    let variables = explained.variables.iter().map(shown_variable).collect();
    if context.global.json {
        let origin = explained.origin.as_ref();
        context.print_json(Shown {
            json_path: explained.path.to_string(),
            value: explained.value.unwrap_or_default(),
            path: origin.map(|origin| origin.file.display().to_string()).unwrap_or_default(),
            line: origin.map_or(0, |origin| origin.line),
            column: origin.map_or(0, |origin| origin.column),
            files: explained.files.iter().map(|file| file.display().to_string()).collect(),
            variables,
        })?;
        return Ok(ExitStatus::Ok);
    }
    let value = serde_json::to_string_pretty(&explained.value)?;
    writeln!(context.ui.out(), "{}", text::lines(&value))?;
    if let Some(origin) = &explained.origin {
        context.ui.note(format!("written in {}:{}:{}", origin.file.display(), origin.line, origin.column));
    }
    for file in explained
        .files
        .iter()
        .filter(|file| explained.origin.as_ref().is_none_or(|origin| origin.file != **file))
    {
        context.ui.note(format!("with parts from {}", file.display()));
    }
    for variable in variables {
        context.ui.note(format!("{}: ${{{}}}, {}", variable.json_path, variable.name, variable.from));
    }
    Ok(ExitStatus::Ok)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    json_path: String,
    value: Value,
    path: String,
    line: usize,
    column: usize,
    files: Vec<String>,
    variables: Vec<ShownVariable>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownVariable {
    name: String,
    json_path: String,
    from: &'static str,
}

fn shown_variable(reference: &EnvRef) -> ShownVariable {
    let from = match reference.from {
        EnvOrigin::Process => "from the environment",
        EnvOrigin::File => "from an env file",
        EnvOrigin::Config => "from env of the config",
        EnvOrigin::Empty => "set, but empty: the text stays as it is",
        EnvOrigin::Missing => "not set: the text stays as it is",
        EnvOrigin::NotAsked => "not looked up",
    };
    ShownVariable { name: reference.name.clone(), json_path: reference.path.to_string(), from }
}

/// Exit 3, with the deepest part that exists and what was probably meant.
fn not_there(loaded: &Loaded, explained: &Explained) -> Error {
    let error = Error::nothing(format!("nothing is set at {}", explained.path)).at(loaded.path());
    let error = match &explained.origin {
        Some(origin) if !explained.exists_to.is_root() => error.hint(format!(
            "{} is set in {}:{}:{}",
            explained.exists_to,
            origin.file.display(),
            origin.line,
            origin.column
        )),
        _ => error,
    };
    match &explained.near {
        Some(near) => error.hint(format!("did you mean {}?", explained.exists_to.key(near))),
        None => error,
    }
}
