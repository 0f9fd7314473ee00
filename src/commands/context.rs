//! What every command is given.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::env::Env;
use crate::base::error::Result;
use crate::base::text;
use crate::base::time::{Clock, Millis};
use crate::commands::args::{GlobalArgs, ListFormat};
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
        let machine = Machine::find(&self.global.place(), &self.env, self.now)?;
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
