//! What the commands about the config share: which file, how it is read, which checks.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::base::error::{Error, Result};
use crate::checks::config::Selection;
use crate::commands::context::Context;
use crate::config::schema::{self, Target};
use crate::config::{self, LoadOptions, Loaded};
use crate::store::{Options, Places};

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

/// Reads a config; `-` is standard input.
pub(super) fn load(context: &mut Context<'_, '_>, path: &Path, read: &ConfigRead) -> Result<Loaded> {
    let state_env_file = places(context).ok().map(|places| places.state_dir.join(".env"));
    let options = LoadOptions {
        process_env: !read.no_env,
        env_files: read.env_file.clone(),
        state_env_file,
        ..LoadOptions::default()
    };
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(context.ui.input(), &mut bytes)
            .map_err(|error| Error::failed("can't read standard input").caused_by(error))?;
        let name = context.env.current_dir.join("standard-input");
        return Ok(config::load_bytes(&name, bytes, &context.env, &options));
    }
    Ok(config::load(path, &context.env, &options))
}

pub(super) fn places(context: &Context<'_, '_>) -> Result<Places> {
    let options =
        Options { state_dir: context.global.state_dir.clone(), config: context.global.config.clone() };
    Places::find(&context.env, &options)
}

/// The config that the global options and the environment mean.
pub(super) fn own_config(context: &mut Context<'_, '_>) -> Result<PathBuf> {
    if let Some(path) = &context.global.config {
        return Ok(context.path(path));
    }
    Ok(places(context)?.config)
}

/// Exit 3 for a config that isn't there.
pub(super) fn missing(path: &Path) -> Error {
    Error::nothing("there is no config").at(path).hint("name a file: clawctl config validate FILE")
}

/// The release to check for, and why that one.
pub(super) fn target(checks: &ConfigChecks, loaded: &Loaded) -> Result<(Target, String)> {
    if checks.release.trim() != "auto" {
        let target = schema::target(&checks.release)?;
        return Ok((target, "asked for".to_owned()));
    }
    schema::auto(loaded.partial_value()).ok_or_else(|| Error::failed("no schema is known"))
}

pub(super) fn selection(checks: &ConfigChecks) -> Result<Selection> {
    Selection::new(&checks.only, &checks.skip)
}
