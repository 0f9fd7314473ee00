//! What a rule is.

use super::finding::{Finding, Place};
use super::scan::{AgentScan, Scan};
use crate::config::Severity;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksAt {
    /// Files and folders.
    Files,
    /// Databases.
    Databases,
    /// Files of older releases.
    Import,
    /// Stored orders and last good profiles.
    Order,
    /// Windows and counters.
    Usage,
    /// Credentials.
    Credentials,
    /// The config beside the stores.
    Config,
    /// Sessions.
    Sessions,
}

impl LooksAt {
    /// The word in lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Databases => "databases",
            Self::Import => "import",
            Self::Order => "order",
            Self::Usage => "usage",
            Self::Credentials => "credentials",
            Self::Config => "config",
            Self::Sessions => "sessions",
        }
    }
}

/// When a rule is asked.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Once, before the agents.
    Before(fn(&Scan<'_>, &mut Vec<Finding>)),
    /// For each agent, whether or not its store can be read.
    Folder(fn(&Scan<'_>, &crate::store::Agent, &mut Vec<Finding>)),
    /// For each agent whose store can be read.
    Agent(fn(&AgentScan<'_>, &mut Vec<Finding>)),
    /// Once, after the agents, with what was collected on the way.
    After(fn(&Scan<'_>, &mut Vec<Finding>)),
    /// By the scan itself, where a store can't be read.
    Reading,
}

/// A rule.
pub struct Rule {
    /// Its id, in kebab case.
    pub id: &'static str,
    /// How bad its findings usually are.
    pub severity: Severity,
    /// What it looks at.
    pub looks_at: LooksAt,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Why that matters and what the fix does.
    pub explanation: &'static str,
    pub(super) check: Check,
}

impl Rule {
    /// A finding of this rule.
    pub(super) fn finding(&self, message: impl Into<String>) -> Finding {
        Finding {
            id: self.id,
            severity: self.severity,
            message: message.into(),
            place: Place::default(),
            mentions: Vec::new(),
            next: None,
            fix: None,
        }
    }
}
