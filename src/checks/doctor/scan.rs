//! What a rule sees: the installation, or one agent with its store read.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::config_credentials;
use crate::base::error::Result;
use crate::base::text;
use crate::base::time::Millis;
use crate::engine::RuleSet;
use crate::installation::machine::{AgentView, Machine};
use crate::installation::status::ProfileStatus;
use crate::store::import::{self, ImportPlan, Preferences};
use crate::store::legacy;
use crate::store::{
    Agent, AgentId, Credential, FingerprintKey, Origin, ProfileId, RawJson, SecretKind, Source, Sourced,
    sessions,
};

/// One look at an installation.
pub(super) struct Scan<'a> {
    pub machine: &'a Machine,
    pub agents: &'a [&'a Agent],
    pub now: Millis,
    /// `--state-dir`, when it was given: goes into the suggested commands.
    state_dir: Option<PathBuf>,
    /// For fingerprints that are printed, and for comparing secrets without keeping them.
    pub fingerprints: FingerprintKey,
    pub collected: RefCell<Collected>,
    /// How conflicts of an import are decided.
    pub prefer: &'a Preferences,
    /// Agents of the config with a model of their own: few, among perhaps thousands.
    own_models: HashSet<AgentId>,
    /// What the import of the agent that is looked at would do.
    import: RefCell<Option<(AgentId, Rc<Result<ImportPlan>>)>>,
}

/// What is gathered while agents are read, for the rules that compare.
#[derive(Default)]
pub(super) struct Collected {
    /// Profile ids of every document.
    pub ids: HashSet<ProfileId>,
    /// Secrets by fingerprint, with where each was met first.
    secrets: HashMap<String, SecretPlace>,
    /// Secrets met again: the second place, and the first.
    pub again: Vec<(SecretPlace, SecretPlace)>,
}

/// Where a secret was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretPlace {
    pub kind: SecretKind,
    pub profile: ProfileId,
    pub source: std::sync::Arc<Source>,
    /// The agent it was met at.
    pub agent: AgentId,
}

/// One agent with its store read.
pub(super) struct AgentScan<'a> {
    pub scan: &'a Scan<'a>,
    pub agent: &'a Agent,
    pub view: &'a AgentView,
    pub profiles: Vec<ProfileStatus<'a>>,
    /// What it inherits is reported with this agent: nobody before it, and nobody else, does.
    inherited: bool,
    sessions: OnceCell<Map<String, Value>>,
}

impl<'a> Scan<'a> {
    pub fn new(
        machine: &'a Machine,
        agents: &'a [&'a Agent],
        now: Millis,
        state_dir: Option<PathBuf>,
        prefer: &'a Preferences,
    ) -> Result<Self> {
        Ok(Self {
            machine,
            agents,
            now,
            state_dir,
            fingerprints: FingerprintKey::random()?,
            collected: RefCell::default(),
            prefer,
            own_models: machine
                .engine_config
                .agents
                .iter()
                .filter(|agent| agent.own.model.is_some())
                .map(|agent| AgentId::new(agent.id.as_str()))
                .collect(),
            import: RefCell::default(),
        })
    }
}

impl Scan<'_> {
    /// What an import of this agent's legacy files would do; `None` when there are none.
    pub fn import(&self, agent: &Agent) -> Option<Rc<Result<ImportPlan>>> {
        let installation = &self.machine.installation;
        let config = config_credentials::of(self.machine, agent);
        if config.is_none() && legacy::sources(installation, agent).is_empty() {
            return None;
        }
        let mut cached = self.import.borrow_mut();
        match &*cached {
            Some((id, plan)) if *id == agent.id => Some(Rc::clone(plan)),
            _ => {
                let plan = Rc::new(import::plan(installation, agent, config, &Preferences::default()));
                *cached = Some((agent.id.clone(), Rc::clone(&plan)));
                Some(plan)
            }
        }
    }

    /// Whether the config gives this agent a model of its own.
    pub fn has_own_model(&self, agent: &AgentId) -> bool {
        self.own_models.contains(agent)
    }

    /// A command as the user should type it, for this agent.
    pub fn command(&self, agent: Option<&AgentId>, words: &[&str]) -> String {
        let mut command = "clawctl".to_owned();
        for word in words {
            command.push(' ');
            command.push_str(&text::shell_word(word));
        }
        let default = self.machine.installation.default_agent().ok().map(|agent| &agent.id);
        if let Some(agent) = agent.filter(|agent| Some(*agent) != default) {
            command.push_str(" --agent ");
            command.push_str(&text::shell_word(agent.as_str()));
        }
        if let Some(dir) = &self.state_dir {
            command.push_str(" --state-dir ");
            command.push_str(&text::shell_word(&dir.display().to_string()));
        }
        command
    }
}

impl<'a> AgentScan<'a> {
    pub fn new(
        scan: &'a Scan<'a>,
        agent: &'a Agent,
        view: &'a AgentView,
        profiles: Vec<ProfileStatus<'a>>,
        inherited: bool,
    ) -> Self {
        Self { scan, agent, view, profiles, inherited, sessions: OnceCell::new() }
    }

    pub fn id(&self) -> &'a AgentId {
        &self.agent.id
    }

    pub fn now(&self) -> Millis {
        self.scan.now
    }

    pub fn rules(&self) -> &'a RuleSet {
        &self.view.rules.set
    }

    pub fn command(&self, words: &[&str]) -> String {
        self.scan.command(Some(self.id()), words)
    }

    /// Whether findings in this document are reported with this agent.
    pub fn reports(&self, source: &Source) -> bool {
        source.origin == Origin::Own || self.inherited
    }

    /// The profiles that are reported with this agent.
    pub fn own_profiles(&self) -> impl Iterator<Item = &ProfileStatus<'a>> {
        self.profiles.iter().filter(|status| self.reports(&status.profile.source))
    }

    /// The profile as it stands in this agent's list.
    pub fn profile(&self, id: &str) -> Option<&ProfileStatus<'a>> {
        self.profiles.iter().find(|status| status.profile.id.as_str() == id)
    }

    /// usageStats entries that are reported with this agent, with their members.
    pub fn usage(&self) -> Vec<(&'a ProfileId, &'a Sourced<RawJson>, Map<String, Value>)> {
        let store = &self.view.store;
        let own = store.own_state.usage.iter();
        let base = store.base_state.usage.iter().filter(|_| self.inherited);
        own.chain(base).filter_map(|(id, entry)| Some((id, entry, entry.value.parse().ok()?))).collect()
    }

    /// Stored orders that are reported with this agent.
    pub fn orders(&self) -> impl Iterator<Item = (&'a String, &'a Sourced<Vec<ProfileId>>)> {
        let store = &self.view.store;
        let base = store.base_state.order.iter().filter(|_| self.inherited);
        store.own_state.order.iter().chain(base)
    }

    /// Last good profiles that are reported with this agent.
    pub fn last_good(&self) -> impl Iterator<Item = (&'a String, &'a Sourced<ProfileId>)> {
        let store = &self.view.store;
        let base = store.base_state.last_good.iter().filter(|_| self.inherited);
        store.own_state.last_good.iter().chain(base)
    }

    /// The agent's sessions; none when they can't be read.
    pub fn sessions(&self) -> &Map<String, Value> {
        self.sessions
            .get_or_init(|| sessions::read(&self.scan.machine.installation, self.agent).unwrap_or_default())
    }

    /// Remembers ids and secrets for the rules that compare agents.
    pub fn collect(&self) {
        let mut collected = self.scan.collected.borrow_mut();
        for status in self.own_profiles() {
            let profile = status.profile;
            collected.ids.insert(profile.id.clone());
            for (kind, fingerprint) in comparable(&profile.credential, &self.scan.fingerprints) {
                let place = SecretPlace {
                    kind,
                    profile: profile.id.clone(),
                    source: std::sync::Arc::clone(&profile.source),
                    agent: self.id().clone(),
                };
                match collected.secrets.get(&fingerprint) {
                    Some(first) => {
                        let first = first.clone();
                        collected.again.push((place, first));
                    }
                    None => {
                        collected.secrets.insert(fingerprint, place);
                    }
                }
            }
        }
    }
}

/// The secrets of a credential that mean the same account when they are equal.
fn comparable(credential: &Credential, key: &FingerprintKey) -> Vec<(SecretKind, String)> {
    let kinds = [SecretKind::ApiKey, SecretKind::Token, SecretKind::RefreshToken];
    kinds
        .into_iter()
        .filter_map(|kind| credential.secret(kind))
        .map(|secret| (secret.kind(), secret.fingerprint(key)))
        .collect()
}
