//! clawctl: admin toolkit for people who run OpenClaw gateways.
//!
//! [`run`] is the whole program: arguments, streams, environment and clock are handed in.

pub mod base;
pub mod checks;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod installation;
pub mod openclaw;
pub mod output;
pub mod script;
pub mod store;
pub mod ui;

use std::ffi::OsString;
use std::io;

use clap::FromArgMatches;
use clap::error::ErrorKind as ClapError;

use base::env::Env;
use base::error::Error;
use base::exit::ExitStatus;
use base::time::Clock;
use cli::Cli;
use commands::context::Context;
use ui::{ColorChoice, Io, Ui};

/// Runs one command line and returns its exit status. `args` starts with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: Io<'_>, env: &Env, clock: Clock) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    let parsed = cli::command()
        .try_get_matches_from(&args)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, cli::asks_for_json(&matches))));
    let (cli, asks_for_json) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return report_parse_error(&error, &args, io, env),
    };
    let global = cli.global;
    let json = global.json || asks_for_json;
    let mut ui = Ui::new(io, env, global.color, global.quiet, global.verbose, json);
    let result = {
        let mut context = Context::new(&mut ui, global, env.clone(), clock);
        cli::dispatch(&mut context, cli.command)
    };
    let result = result.and_then(|status| ui.out().flush().map(|()| status).map_err(anyhow::Error::from));
    let status = match result {
        Ok(status) => status,
        Err(error) => conclude(error, &mut ui),
    };
    ui.finish();
    status
}

/// One home for errors: what reached the top is printed, and its kind decides the status.
fn conclude(error: anyhow::Error, ui: &mut Ui<'_>) -> ExitStatus {
    // `clawctl ... | head` closes the pipe: the reader has had enough, nothing went wrong.
    if error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }) {
        return ExitStatus::Ok;
    }
    let error = match error.downcast::<Error>() {
        Ok(error) => error,
        Err(other) => {
            let message = other.to_string();
            let cause = other.source().map(ToString::to_string);
            let error = Error::failed(message);
            match cause {
                Some(cause) => error.caused_by(cause),
                None => error,
            }
        }
    };
    ui.error(&error);
    error.kind.status()
}

/// Help and version go to stdout with status 0; everything else is a usage error.
fn report_parse_error(error: &clap::Error, args: &[OsString], io: Io<'_>, env: &Env) -> ExitStatus {
    let json = args.iter().any(|arg| arg == "--json" || arg == "--format=json")
        || args.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    let mut ui = Ui::new(io, env, ColorChoice::Auto, false, false, json);
    let text = error.render();
    match error.kind() {
        ClapError::DisplayHelp | ClapError::DisplayVersion => {
            let text = text.ansi().to_string();
            let _ = writeln!(ui.out(), "{}", text.trim_end()).and_then(|()| ui.out().flush());
            ExitStatus::Ok
        }
        _ if json => {
            let text = text.to_string();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let message = lines.next().unwrap_or("wrong usage").trim_start_matches("error: ").to_owned();
            let hints = lines
                .take_while(|line| !line.starts_with("Usage:"))
                .map(|line| line.strip_prefix("tip: ").unwrap_or(line).to_owned());
            let error = hints.fold(Error::usage(message), Error::hint);
            ui.error(&error);
            ui.finish();
            ExitStatus::Usage
        }
        _ => {
            ui.raw_error(&text.ansi().to_string());
            ExitStatus::Usage
        }
    }
}
