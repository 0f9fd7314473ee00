//! What validation finds.

use super::path::JsonPath;
use super::source::Span;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Probably not meant.
    Warning,
    /// OpenClaw refuses the config, or a credential is unused or at risk.
    Error,
}

impl Severity {
    /// `info`, `warning`, `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A second place that belongs to a finding, with what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// Replaces the bytes of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// A repair that loses nothing, as edits of exact bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as `rename "list" to "entries"`.
    pub title: String,
    /// Edits that don't overlap.
    pub edits: Vec<Edit>,
}

/// One problem of a config. Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kebab-case name of the check; `--explain` knows it.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where in the resolved config.
    pub path: Option<JsonPath>,
    /// Where in the files.
    pub span: Option<Span>,
    /// Further places, such as the chain of includes or the first of two duplicates.
    pub labels: Vec<Label>,
    /// What to do next, each a sentence or a command.
    pub hints: Vec<String>,
    /// How `config fix` repairs it.
    pub fix: Option<Fix>,
}

impl Finding {
    /// A finding without a place.
    pub fn new(id: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            id,
            severity,
            message: message.into(),
            path: None,
            span: None,
            labels: Vec::new(),
            hints: Vec::new(),
            fix: None,
        }
    }

    /// Names the place in the resolved config.
    #[must_use]
    pub fn at_path(mut self, path: JsonPath) -> Self {
        self.path = Some(path);
        self
    }

    /// Names the place in a file.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the repair.
    #[must_use]
    pub fn fixed_by(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }
}
