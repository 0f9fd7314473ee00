//! What a rule found.

use std::path::{Path, PathBuf};

use super::fix::Fix;
use crate::config::Severity;
use crate::store::{AgentId, Origin, Source};

/// Where something is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, folder or database.
    pub path: Option<PathBuf>,
    /// The agent that it belongs to; none for what all agents share.
    pub agent: Option<AgentId>,
    /// The profile, or `inline-api-key:<provider>`.
    pub profile: Option<String>,
    /// Where in the document, as `order.openai`.
    pub json_path: Option<String>,
}

/// One thing that isn't as it should be. Never holds a secret.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Profile ids that the texts name, so that they can be hidden.
    pub mentions: Vec<String>,
    /// The command that helps, or what to do.
    pub next: Option<String>,
    /// How `--fix` repairs it.
    pub fix: Option<Fix>,
}

impl Finding {
    /// Another severity than the rule's usual one.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Names the file.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.place.path = Some(path.as_ref().to_path_buf());
        self
    }

    /// Names the document, and the agent that it belongs to.
    #[must_use]
    pub fn in_source(mut self, source: &Source, agent: &AgentId) -> Self {
        self.place.path = Some(source.path.clone());
        self.place.agent = match source.origin {
            Origin::Own => Some(agent.clone()),
            Origin::Main => Some(AgentId::main()),
            Origin::Shared => None,
        };
        self
    }

    /// Names the agent.
    #[must_use]
    pub fn of_agent(mut self, agent: &AgentId) -> Self {
        self.place.agent = Some(agent.clone());
        self
    }

    /// Names the profile.
    #[must_use]
    pub fn of_profile(mut self, profile: &str) -> Self {
        self.place.profile = Some(profile.to_owned());
        self
    }

    /// Names the place in the document.
    #[must_use]
    pub fn json_path(mut self, keys: &[&str]) -> Self {
        self.place.json_path = Some(keys.join("."));
        self
    }

    /// Tells which further profile ids the texts name.
    #[must_use]
    pub fn mentions<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.mentions.extend(ids.into_iter().map(str::to_owned));
        self
    }

    /// The command that helps.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Adds the repair.
    #[must_use]
    pub fn fixed_by(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }
}
