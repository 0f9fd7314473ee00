//! One installation: its agents, in the order in which they are shown, and where its data is.

use std::path::PathBuf;

use super::{AgentId, Places};
use crate::error::Result;

/// An agent that the config names.
#[derive(Debug, Clone)]
pub struct ConfiguredAgent {
    /// Its id, normalised.
    pub id: AgentId,
    /// `agentDir` as written (`~` and relative paths allowed).
    pub agent_dir: Option<PathBuf>,
    /// `default: true`.
    pub default: bool,
}

/// What the config says about agents.
#[derive(Debug, Clone, Default)]
pub struct ConfiguredAgents {
    /// In the order of the config.
    pub agents: Vec<ConfiguredAgent>,
    /// `agents.entries` (2026.9) rather than `agents.list`.
    pub entries: bool,
}

/// Which kind of store holds the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// `auth-profiles.json`, to 2026.5.
    Json,
    /// `openclaw-agent.sqlite` in each agent's folder, from 2026.6.
    AgentDatabase,
    /// `state/openclaw.sqlite`, from 2026.8; agents' own rows are overrides.
    SharedStore,
}

impl Generation {
    /// As findings and JSON name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::AgentDatabase => "agent-database",
            Self::SharedStore => "shared-store",
        }
    }
}

/// An agent, configured or found on disk.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// The folder of its auth store; may not exist.
    pub dir: PathBuf,
    /// The config names it.
    pub configured: bool,
    /// `default: true` in the config.
    pub default: bool,
}

/// An installation, looked at but not read.
#[derive(Debug, Clone)]
pub struct Installation {
    /// Where everything is.
    pub places: Places,
    pub(crate) agents: Vec<Agent>,
    pub(crate) generation: Generation,
    pub(crate) entries: bool,
}

impl Installation {
    /// Combines the agents of the config (in its order) with the folders on disk (sorted), and finds
    /// out which generation of store holds the credentials.
    ///
    /// # Errors
    /// The agents' folder can't be listed, or the state database can't be read.
    pub fn new(places: Places, configured: ConfiguredAgents, current_dir: &std::path::Path) -> Result<Self> {
        let _ = (places, configured, current_dir);
        Err(crate::error::Error::failed("not built yet"))
    }

    /// Every agent: those of the config first, then those that only have a folder. `main` is
    /// always there.
    #[must_use]
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The agent of this id.
    ///
    /// # Errors
    /// `Nothing` (exit 3) with near matches.
    pub fn agent(&self, id: &AgentId) -> Result<&Agent> {
        let _ = id;
        Err(crate::error::Error::failed("not built yet"))
    }

    /// The agent that a command means without `--agent`: the entry with `default: true`, else the
    /// first listed, else `main`.
    ///
    /// # Errors
    /// `Usage` (exit 2), naming them, when `agents.entries` has several and no default.
    pub fn default_agent(&self) -> Result<&Agent> {
        Err(crate::error::Error::failed("not built yet"))
    }

    /// Which kind of store holds the credentials.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }
}
