//! One installation: its agents, in the order in which they are shown, and where its data is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::document::Origin;
use super::files::AGENT_DATABASE;
use super::layer::{Layer, Look, Shared, is_auth_database, read_agent, read_shared};
use super::{AgentId, Places};
use crate::base::error::{Error, Result};
use crate::openclaw::release::Release;

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
    /// `meta.lastTouchedVersion`: the release that last wrote the config. Tells where a release with
    /// JSON files keeps an order when the files themselves don't show it.
    pub release: Option<Release>,
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

/// An installation, looked at but, apart from the shared store, not read.
#[derive(Debug, Clone)]
pub struct Installation {
    /// Where everything is.
    pub places: Places,
    agents: Vec<Agent>,
    entries: bool,
    pub(crate) generation: Generation,
    pub(crate) shared: Shared,
    /// The release that last wrote the config, when it says so.
    pub(crate) release: Option<Release>,
}

impl Installation {
    /// Combines the agents of the config (in its order) with the folders on disk (sorted), and finds
    /// out which generation of store holds the credentials.
    ///
    /// # Errors
    /// The agents' folder can't be listed.
    pub fn new(places: Places, configured: ConfiguredAgents, current_dir: &Path) -> Result<Self> {
        let mut agents: Vec<Agent> = Vec::with_capacity(configured.agents.len());
        for ConfiguredAgent { id, agent_dir, default } in configured.agents {
            if agents.iter().any(|agent| agent.id == id) {
                continue;
            }
            let dir = match agent_dir {
                Some(dir) => places.expand(&dir, current_dir),
                None => places.agent_dir(&id),
            };
            agents.push(Agent { id, dir, configured: true, default });
        }
        let known: HashSet<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        for id in agents_on_disk(&places)? {
            if !known.contains(&id) {
                agents.push(Agent { dir: places.agent_dir(&id), id, configured: false, default: false });
            }
        }
        if !agents.iter().any(|agent| agent.id.is_main()) {
            let id = AgentId::main();
            agents.push(Agent { dir: places.agent_dir(&id), id, configured: false, default: false });
        }

        refuse_hidden(&places.state_database())?;
        let shared = read_shared(&places.state_database());
        let generation = generation_of(&places, &agents, &shared);
        let ConfiguredAgents { entries, release, .. } = configured;
        Ok(Self { places, agents, entries, generation, shared, release })
    }

    /// Looks at the stores again after a write; the agents stay the same.
    pub fn refresh(&mut self) {
        self.shared = read_shared(&self.places.state_database());
        self.generation = generation_of(&self.places, &self.agents, &self.shared);
    }

    /// Every agent: those of the config first, then those that only have a folder, then `main` when
    /// it is neither.
    #[must_use]
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// The agent of this id.
    ///
    /// # Errors
    /// `Nothing` (exit 3) with near matches.
    pub fn agent(&self, id: &AgentId) -> Result<&Agent> {
        if let Some(agent) = self.agents.iter().find(|agent| agent.id == *id) {
            return Ok(agent);
        }
        let near = self
            .agents
            .iter()
            .map(|agent| (strsim::jaro_winkler(agent.id.as_str(), id.as_str()), &agent.id))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let error = Error::nothing(format!("there is no agent \"{id}\"")).at(self.places.agents_dir());
        Err(match near {
            Some((_, near)) => error.hint(format!("did you mean \"{near}\"?")),
            None => {
                let names: Vec<&str> = self.agents.iter().take(20).map(|agent| agent.id.as_str()).collect();
                error.hint(format!("agents here: {}", names.join(", ")))
            }
        })
    }

    /// The agent that a command means without `--agent`: the entry with `default: true`, else the
    /// first listed, else `main`.
    ///
    /// # Errors
    /// `Usage` (exit 2), naming them, when `agents.entries` has several and no default.
    pub fn default_agent(&self) -> Result<&Agent> {
        let mut configured = self.agents.iter().filter(|agent| agent.configured);
        let first = configured.next();
        if let Some(agent) = self.agents.iter().find(|agent| agent.configured && agent.default) {
            return Ok(agent);
        }
        if self.entries && configured.next().is_some() {
            let names: Vec<&str> =
                self.agents.iter().filter(|agent| agent.configured).map(|agent| agent.id.as_str()).collect();
            return Err(Error::usage(format!(
                "several agents are configured and none is the default: {}",
                names.join(", ")
            ))
            .at(&self.places.config)
            .hint("name one with --agent ID, or take --all-agents"));
        }
        match first {
            Some(agent) => Ok(agent),
            None => self.agent(&AgentId::main()),
        }
    }

    /// Whether the config was last written by a release of this month or a later one.
    pub(crate) fn is_at_least(&self, year: u16, month: u8) -> bool {
        self.release.as_ref().is_some_and(|release| release.month() >= (year, month))
    }

    /// Remarks on the state database.
    pub(crate) fn shared_notes(&self) -> &[super::Note] {
        &self.shared.layer.notes
    }

    /// Which kind of store holds the credentials.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The folder that agents other than `main` inherit from when there is no shared store. An
    /// `agentDir` in the config doesn't move it, `OPENCLAW_AGENT_DIR` does.
    pub(crate) fn main_dir(&self) -> PathBuf {
        self.places.agent_dir(&AgentId::main())
    }

    pub(crate) fn main_agent(&self) -> Agent {
        Agent { id: AgentId::main(), dir: self.main_dir(), configured: false, default: false }
    }

    pub(crate) fn read_own_layer(&self, agent: &Agent, origin: Origin) -> Result<Layer> {
        refuse_hidden(&agent.dir.join(AGENT_DATABASE))?;
        let look = if self.generation == Generation::Json { Look::Any } else { Look::Database };
        read_agent(&agent.dir, &agent.id, origin, look)
    }
}

/// Ids of the folders under `agents/`, sorted. A folder counts when its name is an id as the releases
/// spell it: others can't be reached under their name.
fn agents_on_disk(places: &Places) -> Result<Vec<AgentId>> {
    let dir = places.agents_dir();
    let entries = match std::fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list the agents' folder", &dir, error)),
    };
    let mut ids = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::io("list the agents' folder", &dir, error))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let id = AgentId::new(name);
        let is_dir =
            entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()));
        if is_dir && id.as_str() == name {
            ids.push(id);
        }
    }
    ids.sort();
    Ok(ids)
}

/// A folder that can't be entered isn't an empty one: what lies in it would be passed over silently.
fn refuse_hidden(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(Error::io("look into the folder of", path, error))
        }
        _ => Ok(()),
    }
}

fn generation_of(places: &Places, agents: &[Agent], shared: &Shared) -> Generation {
    if shared.active {
        Generation::SharedStore
    } else if uses_databases(places, agents) {
        Generation::AgentDatabase
    } else {
        Generation::Json
    }
}

/// Whether some agent has a database with auth tables; `main` is asked first.
fn uses_databases(places: &Places, agents: &[Agent]) -> bool {
    let main = places.agent_dir(&AgentId::main());
    std::iter::once(&main)
        .chain(agents.iter().map(|agent| &agent.dir).filter(|dir| **dir != main))
        .any(|dir| is_auth_database(&dir.join(AGENT_DATABASE)))
}
