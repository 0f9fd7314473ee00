//! The commands; the path of a module is the command's name. Each asks the domain and prints.

pub mod auth;
pub mod backup;
pub mod classify;
pub mod complete;
pub mod completions;
pub mod config;
pub mod cooldowns;
pub mod doctor;
pub mod man;
pub mod overview;
pub mod route;
pub mod rules;
pub mod simulate;
pub mod undo;
mod write;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::env::Env;
use crate::base::error::{Error, Result};
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::base::time::{Clock, Millis};
use crate::cli::{
    AuthCommand, BackupCommand, Command, ConfigCommand, CooldownsCommand, DiagnosticFormat, DoctorCommand,
    GlobalArgs, ListFormat, OrderCommand, RulesCommand,
};
use crate::installation::machine::{AgentView, Machine};
use crate::output::json::{self, v1};
use crate::output::list::{self, Column, Field};
use crate::output::redact::Redactor;
use crate::store::{Agent, NoteKind};
use crate::ui::Ui;

/// What every command is given.
pub struct Context<'a, 'io> {
    /// Output and questions.
    pub ui: &'a mut Ui<'io>,
    /// The options of every command.
    pub global: GlobalArgs,
    /// The environment.
    pub env: Env,
    /// The clock, for commands that look again.
    pub clock: Clock,
    /// The time now (ms since 1970).
    pub now: Millis,
    /// `--redact-ids`.
    pub redact: Redactor,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A table.
    Table,
    /// Tab-separated.
    Tsv,
    /// JSON.
    Json,
}

impl<'a, 'io> Context<'a, 'io> {
    /// Bundles them.
    pub fn new(ui: &'a mut Ui<'io>, global: GlobalArgs, env: Env, clock: Clock) -> Self {
        let now = global.now.unwrap_or_else(|| clock.now());
        let redact = Redactor::new(global.redact_ids);
        Self { ui, global, env, clock, now, redact }
    }

    /// A path from the command line, seen from the working folder.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        self.env.current_dir.join(path)
    }

    /// A command to type next, for the same installation.
    #[must_use]
    pub fn suggested(&self, command: &str) -> String {
        let place = self.global.state_dir.as_ref().map_or_else(String::new, |dir| {
            format!(" --state-dir {}", text::shell_word(&dir.display().to_string()))
        });
        format!("clawctl {command}{place}")
    }

    /// The installation. A config that can't be used is reported and the command goes on without it.
    ///
    /// # Errors
    /// As [`Machine::find`].
    pub fn machine(&mut self) -> Result<Machine> {
        let machine = Machine::find(&self.global, &self.env, self.now)?;
        if let Some(demo) = machine.demo()
            && demo.is_kept()
        {
            let state_dir = demo.state_dir().display();
            self.ui
                .note(format!("sample installation in {state_dir}; work on it with --state-dir {state_dir}"));
        }
        if let Some(problem) = machine.config_problem() {
            self.ui.warn(format!(
                "the config can't be used, going on without it: {} ({})",
                problem.message,
                problem.place.as_ref().map(ToString::to_string).unwrap_or_default()
            ));
        }
        if self.redact.is_on() {
            let agents: Vec<&Agent> = machine.installation.agents().iter().collect();
            for view in machine.views(&agents)?.filter_map(Result::ok) {
                self.redact.know(view.store.profiles.keys().map(crate::store::ProfileId::as_str));
            }
        }
        let places = &machine.installation.places;
        self.ui.detail(format!(
            "state folder {} ({}), config {}, {}",
            places.state_dir.display(),
            places.state_dir_reason,
            places.config.display(),
            machine.installation.generation().name(),
        ));
        Ok(machine)
    }

    /// `--format` and `--json` together.
    #[must_use]
    pub fn layout(&self, format: ListFormat) -> Layout {
        match format {
            _ if self.global.json => Layout::Json,
            ListFormat::Json => Layout::Json,
            ListFormat::Table => Layout::Table,
            ListFormat::Tsv => Layout::Tsv,
            ListFormat::Auto if self.ui.terminal.stdout => Layout::Table,
            ListFormat::Auto => Layout::Tsv,
        }
    }

    /// Prints rows as a table or tab-separated.
    ///
    /// # Errors
    /// The stream failed.
    pub fn print_list(
        &mut self,
        layout: Layout,
        columns: &[Column],
        rows: &[Vec<Field>],
    ) -> std::io::Result<()> {
        match layout {
            Layout::Tsv => list::write_tsv(self.ui.out(), rows),
            _ => {
                let width = self.ui.width;
                list::write_table(self.ui.out(), columns, rows, width)
            }
        }
    }

    /// Prints one JSON document.
    ///
    /// # Errors
    /// The stream failed.
    pub fn print_json(&mut self, body: impl Serialize) -> std::io::Result<()> {
        json::write(self.ui.out(), &v1::Document::new(body))
    }

    /// Remarks on an agent's store, on stderr; older files beside it only with `-v` or on lists.
    pub fn store_notes(&mut self, view: &AgentView) {
        for note in &view.store.notes {
            let text = format!("{} ({})", note.text, note.path.display());
            if note.kind.blocks_write() || matches!(note.kind, NoteKind::Skipped | NoteKind::Unreadable) {
                self.ui.warn(text);
            } else {
                self.ui.note(format!("note: {text}"));
            }
        }
    }

    /// The line that an empty list prints on stderr.
    pub fn nothing(&mut self, text: impl AsRef<str>) {
        self.ui.note(text);
    }
}

/// Looks at agents one after another. With several, one whose store can't be read is reported and the
/// others go on; the first such error decides the status that comes back.
///
/// # Errors
/// The only agent's store can't be read, or `look` failed in a way that isn't an agent's.
fn each_agent(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    agents: &[&Agent],
    mut look: impl FnMut(&mut Context<'_, '_>, &AgentView) -> anyhow::Result<()>,
) -> anyhow::Result<ExitStatus> {
    let mut status = ExitStatus::Ok;
    for view in machine.views(agents)? {
        let looked = view.map_err(anyhow::Error::from).and_then(|view| {
            context.store_notes(&view);
            look(context, &view)
        });
        match looked.map_err(anyhow::Error::downcast::<Error>) {
            Ok(()) => {}
            Err(Ok(error)) if agents.len() > 1 => {
                context.ui.error(&error);
                if status == ExitStatus::Ok {
                    status = error.kind.status();
                }
            }
            Err(Ok(error)) => return Err(error.into()),
            Err(Err(other)) => return Err(other),
        }
    }
    Ok(status)
}

/// The notes of a store for JSON.
fn json_notes(view: &AgentView) -> Vec<v1::Note> {
    view.store
        .notes
        .iter()
        .map(|note| v1::Note { path: note.path.display().to_string(), text: note.text.clone() })
        .collect()
}

/// The rule set for JSON.
fn json_rules(view: &AgentView) -> v1::Rules {
    v1::Rules { id: view.rules.set.id.clone(), why: view.rules.why.clone() }
}

/// The near match of a name, for hints.
fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Exit 3 for a profile that isn't there, with the near match.
fn no_such_profile(context: &mut Context<'_, '_>, view: &AgentView, id: &str) -> Error {
    let known: Vec<&str> = view.store.profiles.keys().map(crate::store::ProfileId::as_str).collect();
    let near = near(id, known.iter().copied()).map(|near| context.redact.id(near));
    let error =
        Error::nothing(format!("agent {} has no profile {}", view.store.agent, context.redact.id(id)));
    let error = match near {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error,
    };
    let list = context.suggested(&format!("auth list --agent {}", view.store.agent));
    error.hint(format!("see what there is: {list}"))
}

/// Exit 3 for a provider without any profile, with the near match.
fn no_such_provider(view: &AgentView, provider: &str) -> Error {
    let known: Vec<String> = providers(view);
    let error = Error::nothing(format!("agent {} has no profile of provider {provider}", view.store.agent));
    match near(provider, known.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None if known.is_empty() => error,
        None => error.hint(format!("providers with profiles: {}", known.join(", "))),
    }
}

/// The providers that an agent has profiles of, as the rules spell them.
fn providers(view: &AgentView) -> Vec<String> {
    let names = &view.rules.set.providers;
    let mut providers: Vec<String> = view
        .store
        .profiles
        .values()
        .filter_map(|profile| profile.credential.provider())
        .map(|provider| names.for_credentials(provider).into_owned())
        .collect();
    providers.sort();
    providers.dedup();
    providers
}

/// Whether the command's own `--format` asks for JSON.
#[must_use]
pub fn asks_for_json(command: Option<&Command>) -> bool {
    let format = match command {
        Some(Command::Auth(AuthCommand::List(args))) => args.format.format,
        Some(Command::Auth(AuthCommand::Order(OrderCommand::Get(args)))) => args.format.format,
        Some(Command::Auth(AuthCommand::Order(OrderCommand::Explain(args)))) => args.format.format,
        Some(Command::Cooldowns(CooldownsCommand::Show(args))) => args.format.format,
        Some(Command::Backup(BackupCommand::List(args))) => args.format.format,
        Some(Command::Rules(RulesCommand::List(args))) => args.format.format,
        Some(Command::Rules(RulesCommand::Show(args))) => args.format.format,
        Some(Command::Rules(RulesCommand::Diff(args))) => args.format.format,
        Some(Command::Doctor(args)) => match &args.command {
            Some(DoctorCommand::Rules(args)) => args.format.format,
            Some(DoctorCommand::Explain(_)) => return false,
            None => return args.format == DiagnosticFormat::Json,
        },
        Some(Command::Config(ConfigCommand::Validate(args))) => {
            return args.format == DiagnosticFormat::Json;
        }
        _ => return false,
    };
    format == ListFormat::Json
}

/// Runs the command.
///
/// # Errors
/// Whatever the command reports; [`crate::base::error::Error`] decides the exit status.
pub fn dispatch(context: &mut Context<'_, '_>, command: Option<Command>) -> anyhow::Result<ExitStatus> {
    match command {
        None => overview::run(context),
        Some(Command::Auth(command)) => match command {
            AuthCommand::List(args) => auth::list::run(context, &args),
            AuthCommand::Show(args) => auth::show::run(context, &args),
            AuthCommand::Remove(args) => auth::remove::run(context, &args),
            AuthCommand::Order(command) => match command {
                OrderCommand::Get(args) => auth::order::get::run(context, &args),
                OrderCommand::Set(args) => auth::order::set::run(context, &args),
                OrderCommand::Clear(args) => auth::order::clear::run(context, &args),
                OrderCommand::Explain(args) => auth::order::explain::run(context, &args),
            },
        },
        Some(Command::Cooldowns(command)) => match command {
            CooldownsCommand::Show(args) => cooldowns::show::run(context, &args),
            CooldownsCommand::Clear(args) => cooldowns::clear::run(context, &args),
        },
        Some(Command::Doctor(args)) => match &args.command {
            None => doctor::run(context, &args),
            Some(DoctorCommand::Rules(args)) => doctor::rules::run(context, args),
            Some(DoctorCommand::Explain(args)) => doctor::explain::run(context, args),
        },
        Some(Command::Backup(command)) => match command {
            BackupCommand::Create(args) => backup::create::run(context, &args),
            BackupCommand::List(args) => backup::list::run(context, &args),
            BackupCommand::Restore(args) => backup::restore::run(context, &args),
            BackupCommand::Prune(args) => backup::prune::run(context, &args),
        },
        Some(Command::Route(args)) => route::run(context, &args),
        Some(Command::Simulate(args)) => simulate::run(context, &args),
        Some(Command::Classify(args)) => classify::run(context, &args),
        Some(Command::Rules(command)) => match command {
            RulesCommand::List(args) => rules::list::run(context, &args),
            RulesCommand::Show(args) => rules::show::run(context, &args),
            RulesCommand::Diff(args) => rules::diff::run(context, &args),
        },
        Some(Command::Config(command)) => match command {
            ConfigCommand::Validate(args) => config::validate::run(context, &args),
            ConfigCommand::Explain(args) => config::explain::run(context, &args),
            ConfigCommand::Fix(args) => config::fix::run(context, &args),
        },
        Some(Command::Undo(args)) => undo::run(context, &args),
        Some(Command::Completions(args)) => completions::run(context, &args),
        Some(Command::Man(args)) => man::run(context, &args),
    }
}
