//! The one error type that reaches the user: what happened, where, what next.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::base::exit::ExitStatus;

/// A kind decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Exit 1.
    Failed,
    /// Exit 2.
    Usage,
    /// Exit 3.
    Nothing,
    /// Exit 4.
    Busy,
    /// Exit 5.
    Damaged,
    /// Exit 6.
    Findings,
    /// Exit 130.
    Interrupted,
}

impl ErrorKind {
    /// The exit status of a run that ended with this kind.
    #[must_use]
    pub const fn status(self) -> ExitStatus {
        match self {
            Self::Failed => ExitStatus::Failed,
            Self::Usage => ExitStatus::Usage,
            Self::Nothing => ExitStatus::Nothing,
            Self::Busy => ExitStatus::Busy,
            Self::Damaged => ExitStatus::Damaged,
            Self::Findings => ExitStatus::Findings,
            Self::Interrupted => ExitStatus::Interrupted,
        }
    }

    /// The name under `"kind"` in JSON errors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Nothing => "nothing",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
            Self::Findings => "findings",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Where something is: a file, optionally with line, column (from 1) and JSON path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: Option<PathBuf>,
    /// Line and column, both from 1; columns count characters.
    pub line_column: Option<(usize, usize)>,
    /// Path inside a JSON document, as `auth.order.openai[0]`.
    pub json_path: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = 0;
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            parts += 1;
        }
        if let Some((line, column)) = self.line_column {
            write!(f, "{}{line}:{column}", if parts > 0 { ":" } else { "" })?;
            parts += 1;
        }
        if let Some(json_path) = &self.json_path {
            write!(f, "{}{json_path}", if parts > 0 { ": " } else { "" })?;
        }
        Ok(())
    }
}

/// What went wrong. Never holds a secret.
#[derive(Debug)]
pub struct Error {
    /// Decides the exit status.
    pub kind: ErrorKind,
    /// What happened, one sentence without a full stop.
    pub message: String,
    /// Where it happened.
    pub place: Option<Place>,
    /// What to do next, each a sentence or a command.
    pub hints: Vec<String>,
    /// What caused it.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Result of everything that can fail in front of the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, hints: Vec::new(), source: None }
    }

    /// Exit 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Exit 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Exit 3.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Nothing, message)
    }

    /// Exit 4.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Busy, message)
    }

    /// Exit 5.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Damaged, message)
    }

    /// Names the file.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.place.get_or_insert_default().path = Some(path.as_ref().to_path_buf());
        self
    }

    /// Names the line and column, both from 1.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: usize) -> Self {
        self.place.get_or_insert_default().line_column = Some((line, column));
        self
    }

    /// Names the JSON path.
    #[must_use]
    pub fn at_json_path(mut self, json_path: impl Into<String>) -> Self {
        self.place.get_or_insert_default().json_path = Some(json_path.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// An I/O error: the action ("read", "create the folder") and its path; missing files and
    /// missing permissions get their own hints.
    pub fn io(action: &str, path: &Path, error: std::io::Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            Io::NotFound => ErrorKind::Nothing,
            Io::WouldBlock | Io::ResourceBusy => ErrorKind::Busy,
            _ => ErrorKind::Failed,
        };
        let denied = error.kind() == Io::PermissionDenied;
        let result = Self::new(kind, format!("can't {action}")).at(path).caused_by(error);
        if denied {
            result.hint("run clawctl as the user who owns the OpenClaw state folder")
        } else {
            result
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(place) = &self.place {
            write!(f, " ({place})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
