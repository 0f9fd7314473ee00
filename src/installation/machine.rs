//! One installation as commands see it: places, config, stores and the rule set that holds there.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::base::env::Env;
use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::config::{self, LoadOptions, Loaded};
use crate::engine::{self, EngineConfig, Family, RuleSet};
use crate::installation::demo::Demo;
use crate::store::{
    Agent, AgentId, AuthStore, ConfiguredAgent, ConfiguredAgents, Generation, Installation, NoteKind,
    Options, Places, Reader, sessions,
};

/// An installation with its config.
#[derive(Debug)]
pub struct Machine {
    /// Its agents and places.
    pub installation: Installation,
    /// Its config, as far as it can be read.
    pub config: Loaded,
    /// The engine's view of the config; empty when there is none.
    pub engine_config: EngineConfig,
    /// The environment that secrets may come from: the process, then `.env` of the state folder.
    pub env: Env,
    demo: Option<Demo>,
    /// Variables that OpenClaw adds to its environment by itself, read when first asked for.
    added_variables: OnceCell<BTreeSet<String>>,
}

/// Which installation is meant.
#[derive(Debug, Clone)]
pub enum Where {
    /// One on this machine; what isn't named comes from the environment.
    Real {
        /// The state folder.
        state_dir: Option<PathBuf>,
        /// The config file.
        config: Option<PathBuf>,
    },
    /// The sample installation, unpacked afresh.
    Demo {
        /// A folder to keep it in.
        keep: Option<PathBuf>,
    },
}

/// Which agents are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichAgents {
    /// The config's default agent.
    Default,
    /// These, as the user typed them.
    Named(Vec<String>),
    /// Every agent.
    All,
}

/// A rule set and why it was taken.
#[derive(Debug, Clone)]
pub struct RuleChoice {
    /// The rule set.
    pub set: RuleSet,
    /// `meta.lastTouchedVersion is 2026.9.6`, say.
    pub why: String,
}

/// One agent's store with the engine's view of it.
#[derive(Debug)]
pub struct AgentView {
    /// As stored.
    pub store: AuthStore,
    /// As the engine sees it: without secrets.
    pub state: engine::AuthState,
    /// The rules that hold for it.
    pub rules: RuleChoice,
}

impl Machine {
    /// Finds the installation (or unpacks the sample one) and loads its config. A config that can't
    /// be used is no error here: see [`Machine::config_problem`].
    ///
    /// # Errors
    /// No state folder (exit 3), or it can't be read.
    pub fn find(place: &Where, env: &Env, now: Millis) -> Result<Self> {
        let (demo, env, options) = match place {
            Where::Demo { keep } => {
                let keep = keep.as_ref().map(|dir| env.current_dir.join(dir));
                let demo = Demo::unpack(keep.as_deref(), now)?;
                let options = Options { state_dir: Some(demo.state_dir().to_path_buf()), config: None };
                (Some(demo), env.without_prefixes(&["OPENCLAW_", "PI_CODING_"]), options)
            }
            Where::Real { state_dir, config } => {
                let options = Options { state_dir: state_dir.clone(), config: config.clone() };
                (None, env.clone(), options)
            }
        };
        let places = Places::find(&env, &options)?;
        let load =
            LoadOptions { state_env_file: Some(places.state_dir.join(".env")), ..LoadOptions::default() };
        let config = config::load(&places.config, &env, &load);
        let value = config.value().unwrap_or(&Value::Null);
        let engine_config = EngineConfig::from_json(value);
        let agents = config::agents(value);
        let configured = ConfiguredAgents {
            entries: value["agents"]["entries"].is_object(),
            release: config::last_touched_version(value).and_then(|text| text.parse().ok()),
            agents: agents
                .into_iter()
                .map(|agent| ConfiguredAgent {
                    id: AgentId::new(&agent.id),
                    agent_dir: agent.agent_dir.map(PathBuf::from),
                    default: agent.default,
                })
                .collect(),
        };
        let installation = Installation::new(places, configured, &env.current_dir)?;
        Ok(Self { installation, config, engine_config, env, demo, added_variables: OnceCell::new() })
    }

    /// The sample installation, if this is one.
    #[must_use]
    pub const fn demo(&self) -> Option<&Demo> {
        self.demo.as_ref()
    }

    /// Why the config isn't used, in one line; `None` when all is well or there is none.
    #[must_use]
    pub fn config_problem(&self) -> Option<Error> {
        self.config.error()
    }

    /// The agents that the command line means.
    ///
    /// # Errors
    /// No such agent (exit 3), or several without a default (exit 2).
    pub fn agents(&self, which: &WhichAgents) -> Result<Vec<&Agent>> {
        let ids = match which {
            WhichAgents::All => return Ok(self.installation.agents().iter().collect()),
            WhichAgents::Default => return Ok(vec![self.installation.default_agent()?]),
            WhichAgents::Named(ids) => ids,
        };
        let mut chosen: Vec<&Agent> = Vec::with_capacity(ids.len());
        for id in ids {
            // Normalising turns such an id into "main", which nobody meant.
            if !id.chars().any(char::is_alphanumeric) || id.contains(['/', '\\']) {
                return Err(Error::usage(format!("\"{id}\" is no agent id"))
                    .hint("an id has letters, digits, - and _: --agent main"));
            }
            let agent = self.installation.agent(&AgentId::new(id))?;
            if chosen.iter().all(|known| known.id != agent.id) {
                chosen.push(agent);
            }
        }
        Ok(chosen)
    }

    /// The agents of a command that writes. A config that can't be read can't say which agent is the
    /// default, so one must be named then.
    ///
    /// # Errors
    /// As [`Machine::agents`]; a broken config and no `--agent` (exit 2).
    pub fn agents_to_write(&self, which: &WhichAgents) -> Result<Vec<&Agent>> {
        if let Some(problem) = self.config_problem()
            && *which == WhichAgents::Default
        {
            let mut error = Error::usage("the config can't be used, so it can't say which agent is meant");
            error.place = problem.place;
            return Err(error.hint("name it: --agent main").hint("what is wrong: clawctl config validate"));
        }
        self.agents(which)
    }

    /// Reads the stores of these agents one after another; what they inherit is read once.
    ///
    /// # Errors
    /// From the iterator: a store that can't be read at all.
    pub fn views<'a>(
        &'a self,
        agents: &'a [&'a Agent],
    ) -> Result<impl Iterator<Item = Result<AgentView>> + 'a> {
        let reader = Reader::new(&self.installation)?;
        Ok(agents.iter().map(move |agent| shown(reader.read(agent)?).map(|store| self.view(store))))
    }

    /// The engine's view of a store that was read.
    #[must_use]
    pub fn view(&self, store: AuthStore) -> AgentView {
        let state = engine_state(&store);
        let rules = self.rules_for(&store);
        AgentView { store, state, rules }
    }

    /// The view of one agent.
    ///
    /// # Errors
    /// The store can't be read at all.
    pub fn read(&self, agent: &Agent) -> Result<AgentView> {
        shown(Reader::new(&self.installation)?.read(agent)?).map(|store| self.view(store))
    }

    /// The profile that a session is pinned to.
    ///
    /// # Errors
    /// The sessions can't be read, or there is no such session (exit 3).
    pub fn pinned_profile(&self, agent: &AgentId, session: &str) -> Result<Option<String>> {
        let agent = self.installation.agent(agent)?;
        let sessions = sessions::read(&self.installation, agent)?;
        let Some((_, entry)) = sessions::find(&sessions, session) else {
            return Err(Error::nothing(format!("agent {} has no session {session}", agent.id)));
        };
        Ok(entry["authProfileOverride"].as_str().map(str::to_owned))
    }

    /// `--rules auto` (RULES.md): the release in the config, then in the databases, then the kind of
    /// store, else the newest.
    fn rules_for(&self, store: &AuthStore) -> RuleChoice {
        let touched = self.config.value().and_then(config::last_touched_version);
        if let Some(release) = touched
            && let Ok(set) = RuleSet::for_release(release)
        {
            return RuleChoice { set, why: format!("meta.lastTouchedVersion in the config is {release}") };
        }
        for schema in &store.schemas {
            if let Some(release) = &schema.app_version
                && let Ok(set) = RuleSet::for_release(release)
            {
                return RuleChoice { set, why: format!("the database was written by {release}") };
            }
        }
        let (family, why) = match store.generation {
            Generation::SharedStore => (Family::R2026_9, "the installation has a shared store"),
            Generation::AgentDatabase => (Family::R2026_7, "the agent has a database"),
            Generation::Json if store.profiles.is_empty() => {
                (Family::R2026_9, "no release left a trace here")
            }
            Generation::Json if store.dir.join("auth-state.json").exists() => {
                (Family::R2026_5, "the agent has an auth-state.json")
            }
            Generation::Json => (Family::R2026_3, "the state lies in auth-profiles.json"),
        };
        RuleChoice { set: RuleSet::of_family(family), why: why.to_owned() }
    }

    /// Whether OpenClaw would find this variable: in the environment, in `.env` of the state folder, or
    /// in `env` of the config.
    #[must_use]
    pub fn has_variable(&self, name: &str) -> bool {
        self.env.text(name).is_some()
            || self.added_variables.get_or_init(|| self.read_added_variables()).contains(name)
    }

    fn read_added_variables(&self) -> BTreeSet<String> {
        let env = self.config.value().map(|value| &value["env"]);
        let members = env.into_iter().flat_map(|env| [Some(env), env.get("vars")]).flatten();
        let of_config = members.filter_map(Value::as_object).flatten().filter_map(|(name, value)| {
            value.as_str().filter(|value| !value.trim().is_empty()).map(|_| name.clone())
        });
        let mut names = config::env_file_names(&self.installation.places.state_dir.join(".env"));
        names.extend(of_config);
        names
    }

    /// The port that this installation's gateway listens on: `OPENCLAW_GATEWAY_PORT`, else
    /// `gateway.port`, else 18789.
    #[must_use]
    pub fn gateway_port(&self) -> u16 {
        const DEFAULT: u16 = 18_789;
        self.env
            .text("OPENCLAW_GATEWAY_PORT")
            .and_then(|text| text.parse().ok())
            .or_else(|| self.config.value().and_then(config::gateway_port))
            .unwrap_or(DEFAULT)
    }
}

impl AgentView {
    /// The effective store as one document, with its secrets: for replays in memory, never for
    /// printing.
    #[must_use]
    pub fn document(&self) -> Value {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let store = &self.store;
        let profiles: serde_json::Map<String, Value> = store
            .profiles
            .iter()
            .map(|(id, profile)| (id.as_str().to_owned(), parse(profile.credential.expose_json())))
            .collect();
        let usage: serde_json::Map<String, Value> = store
            .state
            .usage
            .iter()
            .map(|(id, usage)| (id.as_str().to_owned(), parse(usage.value.as_str())))
            .collect();
        let order: serde_json::Map<String, Value> = store
            .state
            .order
            .iter()
            .map(|(provider, order)| {
                (provider.clone(), order.value.iter().map(|id| Value::from(id.as_str())).collect())
            })
            .collect();
        let last_good: serde_json::Map<String, Value> = store
            .state
            .last_good
            .iter()
            .map(|(provider, id)| (provider.clone(), id.value.as_str().into()))
            .collect();
        serde_json::json!({
            "version": 1, "profiles": profiles, "order": order, "usageStats": usage, "lastGood": last_good,
        })
    }
}

/// A store that shows nothing because a file can't be opened is an error; one that shows a part is
/// not.
fn shown(store: AuthStore) -> Result<AuthStore> {
    let hidden = |note: &&crate::store::Note| matches!(note.kind, NoteKind::Unreadable | NoteKind::Damaged);
    match store.notes.iter().find(hidden) {
        Some(note) if store.profiles.is_empty() && note.kind == NoteKind::Damaged => {
            Err(Error::damaged(note.text.clone())
                .at(&note.path)
                .hint("what is wrong, and what helps: clawctl doctor")
                .hint("backups: clawctl backup list"))
        }
        Some(note) if store.profiles.is_empty() => Err(Error::failed(note.text.clone())
            .at(&note.path)
            .hint("run clawctl as the user who owns the OpenClaw state folder")),
        _ => Ok(store),
    }
}

/// The engine's view: facts about credentials, orders, usage.
fn engine_state(store: &AuthStore) -> engine::AuthState {
    let mut state = engine::AuthState::default();
    for (id, profile) in &store.profiles {
        let facts = serde_json::from_str(profile.credential.expose_json())
            .ok()
            .and_then(|credential| engine::ProfileFacts::from_json(&credential));
        if let Some(facts) = facts {
            state.profiles.insert(id.as_str().into(), facts);
        }
    }
    for (provider, order) in &store.state.order {
        state.order.insert(provider.clone(), order.value.iter().map(|id| id.as_str().into()).collect());
    }
    for (provider, id) in &store.state.last_good {
        state.last_good.insert(provider.clone(), id.value.as_str().into());
    }
    for (id, usage) in &store.state.usage {
        match serde_json::from_str(usage.value.as_str()) {
            Ok(Value::Object(entry)) => {
                state.usage.insert(id.as_str().into(), engine::UsageStats::from_json(&entry));
            }
            Ok(other) => {
                state.odd_usage.insert(id.as_str().to_owned(), other);
            }
            Err(_) => {}
        }
    }
    state
}
