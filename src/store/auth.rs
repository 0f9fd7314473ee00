//! One agent's auth store as the releases see it: own rows over what is inherited.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use super::document::{Note, NoteKind, Origin, RawJson, SchemaInfo, Source, Sourced};
use super::edit::Document;
use super::layer::{Layer, Stored, damage_note};
use super::{Agent, AgentId, Credential, Generation, Installation, ProfileId};
use crate::base::error::{Error, Result};

/// A profile that the agent can use.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// The credential.
    pub credential: Credential,
    /// Where it lives.
    pub source: Arc<Source>,
    /// The inherited copy of the same id that this own profile hides.
    pub shadows: Option<Arc<Source>>,
}

impl Profile {
    /// Own, inherited or shared.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.source.origin
    }
}

/// Runtime state: order per provider, last good profile per provider, usage per profile. Keys are
/// spelled as stored.
#[derive(Debug, Clone, Default)]
pub struct AuthState {
    /// Stored order by provider.
    pub order: IndexMap<String, Sourced<Vec<ProfileId>>>,
    /// The profile that last worked, by provider.
    pub last_good: IndexMap<String, Sourced<ProfileId>>,
    /// usageStats entries by profile id (also `inline-api-key:<provider>`), as stored.
    pub usage: IndexMap<ProfileId, Sourced<RawJson>>,
}

/// A snapshot of what one agent can use.
#[derive(Debug, Clone)]
pub struct AuthStore {
    /// Whose.
    pub agent: AgentId,
    /// Its folder.
    pub dir: PathBuf,
    /// Which kind of store the agent's data was read from.
    pub generation: Generation,
    /// Every profile, own ones first, each in the order of its document.
    pub profiles: IndexMap<ProfileId, Profile>,
    /// The state that counts for this agent, own and inherited combined.
    pub state: AuthState,
    /// The agent's own state alone.
    pub own_state: AuthState,
    /// The inherited state alone.
    pub base_state: AuthState,
    /// Databases that were read.
    pub schemas: Vec<SchemaInfo>,
    /// What a list should mention or a write must heed.
    pub notes: Vec<Note>,
}

/// Reads stores of one installation; what all agents inherit is read once.
#[derive(Debug)]
pub struct Reader<'a> {
    installation: &'a Installation,
    /// What agents other than `main` inherit when there is no shared store.
    main: OnceCell<Parsed>,
    /// What every agent inherits when there is one.
    shared: Option<Parsed>,
}

impl<'a> Reader<'a> {
    /// A reader.
    ///
    /// # Errors
    /// `Damaged` when the shared store holds text that is no JSON object.
    pub fn new(installation: &'a Installation) -> Result<Self> {
        let shared =
            installation.shared.active.then(|| Parsed::of(&installation.shared.layer)).transpose()?;
        Ok(Self { installation, main: OnceCell::new(), shared })
    }

    /// The store of one agent. An agent without any store is an empty one.
    ///
    /// # Errors
    /// `Damaged` (exit 5) when the agent's own store isn't readable at all, `Failed` when it can't
    /// be opened, `Busy` when it kept changing. What is wrong with inherited stores is a note.
    pub fn read(&self, agent: &Agent) -> Result<AuthStore> {
        let own = self.installation.read_own_layer(agent, Origin::Own)?;
        let parsed = Parsed::of(&own)?;
        let base = match &self.shared {
            Some(shared) => Some(shared),
            None if agent.dir == self.installation.main_dir() => None,
            None => Some(self.main()),
        };
        Ok(combine(self.installation, agent, own, parsed, base))
    }

    fn main(&self) -> &Parsed {
        self.main.get_or_init(|| {
            let main = self.installation.main_agent();
            let dir = main.dir.clone();
            let read = self
                .installation
                .read_own_layer(&main, Origin::Main)
                .and_then(|layer| Ok((Parsed::of(&layer)?, layer)));
            match read {
                Ok((parsed, _)) => parsed,
                Err(error) => {
                    let path = error.place.as_ref().and_then(|place| place.path.clone()).unwrap_or(dir);
                    Parsed { notes: vec![damage_note(&path, Origin::Main, &error)], ..Parsed::default() }
                }
            }
        })
    }
}

impl AuthStore {
    /// The store of one agent of this installation.
    ///
    /// # Errors
    /// As [`Reader::read`]; `Nothing` (exit 3) when there is no such agent.
    pub fn read(installation: &Installation, id: &AgentId) -> Result<Self> {
        Reader::new(installation)?.read(installation.agent(id)?)
    }
}

/// A layer's documents, taken apart.
#[derive(Debug, Default)]
struct Parsed {
    profiles: IndexMap<ProfileId, (Credential, Arc<Source>)>,
    state: AuthState,
    schema: Option<SchemaInfo>,
    notes: Vec<Note>,
}

impl Parsed {
    fn of(layer: &Layer) -> Result<Self> {
        let mut parsed = Self { schema: layer.schema.clone(), notes: layer.notes.clone(), ..Self::default() };
        if let Some(store) = &layer.store {
            let document = parse(store)?;
            parsed.take_profiles(&document, &store.source);
            // Releases read state inside of this document too; that is all that 2026.3 had.
            parsed.take_state(&document, &store.source);
        }
        if let Some(state) = &layer.state {
            parsed.take_state(&parse(state)?, &state.source);
        }
        Ok(parsed)
    }

    fn take_profiles(&mut self, document: &Document<'_>, source: &Arc<Source>) {
        for (id, value) in members_of(document, "profiles") {
            match Credential::from_raw(value) {
                Some(credential) => {
                    self.profiles.insert(ProfileId::new(id), (credential, Arc::clone(source)));
                }
                None => self.notes.push(skipped(source, &format!("profiles.{id}"))),
            }
        }
    }

    fn take_state(&mut self, document: &Document<'_>, source: &Arc<Source>) {
        for (provider, value) in members_of(document, "order") {
            match order_of(value) {
                Some(value) => {
                    let order = Sourced { value, source: Arc::clone(source) };
                    self.state.order.insert(provider.into_owned(), order);
                }
                None => self.notes.push(skipped(source, &format!("order.{provider}"))),
            }
        }
        for (provider, value) in members_of(document, "lastGood") {
            match serde_json::from_str::<String>(value) {
                Ok(id) if !id.trim().is_empty() => {
                    let value = ProfileId::new(id.trim());
                    self.state
                        .last_good
                        .insert(provider.into_owned(), Sourced { value, source: Arc::clone(source) });
                }
                _ => self.notes.push(skipped(source, &format!("lastGood.{provider}"))),
            }
        }
        for (id, value) in members_of(document, "usageStats") {
            if value.starts_with('{') {
                let value = RawJson::new(value);
                self.state.usage.insert(ProfileId::new(id), Sourced { value, source: Arc::clone(source) });
            } else {
                self.notes.push(skipped(source, &format!("usageStats.{id}")));
            }
        }
    }
}

fn parse(stored: &Stored) -> Result<Document<'_>> {
    let in_source = |mut error: Error| {
        error.message = match stored.source.row {
            Some(row) => format!("the text in table {}, row {}, {}", row.table, row.key, error.message),
            None => format!("the file {}", error.message),
        };
        error.at(&stored.source.path).hint("restore a backup: clawctl backup list")
    };
    let document = Document::parse(&stored.text).map_err(in_source)?;
    if document.members(document.root()).is_none() {
        return Err(in_source(Error::damaged("isn't a JSON object")));
    }
    Ok(document)
}

/// The members of an object in the root; none when it is missing or no object.
fn members_of<'a>(document: &Document<'a>, name: &str) -> Vec<(Cow<'a, str>, &'a str)> {
    document
        .member(document.root(), name)
        .and_then(|span| document.members(span))
        .unwrap_or_default()
        .into_iter()
        .map(|member| (member.key, document.slice(member.value)))
        .collect()
}

/// The ids of a stored order, as the releases read it: what is no text, or blank, isn't there; `None`
/// when it is no list.
pub(crate) fn order_of(text: &str) -> Option<Vec<ProfileId>> {
    let items: Vec<Value> = serde_json::from_str(text).ok()?;
    let ids = items.iter().filter_map(Value::as_str).map(str::trim).filter(|id| !id.is_empty());
    Some(ids.map(ProfileId::from).collect())
}

fn skipped(source: &Source, json_path: &str) -> Note {
    Note {
        kind: NoteKind::Skipped,
        origin: source.origin,
        path: source.path.clone(),
        text: format!("{json_path} has a shape that no release reads"),
    }
}

fn combine(
    installation: &Installation,
    agent: &Agent,
    layer: Layer,
    own: Parsed,
    base: Option<&Parsed>,
) -> AuthStore {
    let database = layer.database;
    let generation = match installation.generation {
        Generation::SharedStore => Generation::SharedStore,
        _ if database => Generation::AgentDatabase,
        other => other,
    };
    let empty = Parsed::default();
    let base = base.unwrap_or(&empty);
    let own_first = generation != Generation::Json;

    let mut profiles = IndexMap::with_capacity(own.profiles.len() + base.profiles.len());
    let mut add = |id: &ProfileId, (credential, source): &(Credential, Arc<Source>)| {
        profiles.entry(id.clone()).or_insert_with(|| Profile {
            id: id.clone(),
            credential: credential.clone(),
            source: Arc::clone(source),
            shadows: None,
        });
    };
    if own_first {
        own.profiles.iter().chain(&base.profiles).for_each(|(id, profile)| add(id, profile));
    } else {
        for (id, profile) in &base.profiles {
            add(id, own.profiles.get(id).unwrap_or(profile));
        }
        own.profiles.iter().for_each(|(id, profile)| add(id, profile));
    }
    for id in own.profiles.keys() {
        if let (Some((_, hidden)), Some(profile)) = (base.profiles.get(id), profiles.get_mut(id)) {
            profile.shadows = Some(Arc::clone(hidden));
        }
    }

    let mut notes = own.notes;
    notes.extend(base.notes.iter().cloned());
    if installation.generation != Generation::SharedStore {
        notes.extend(installation.shared.layer.notes.iter().cloned());
    }
    AuthStore {
        agent: agent.id.clone(),
        dir: agent.dir.clone(),
        generation,
        profiles,
        state: combine_state(&own.state, &base.state, &own.profiles, own_first),
        own_state: own.state,
        base_state: base.state.clone(),
        schemas: own.schema.into_iter().chain(base.schema.clone()).collect(),
        notes,
    }
}

/// Own entries win whole, per provider (order, lastGood) and per profile id (usageStats). From 2026.6
/// an inherited order without an own one has the agent's own profiles of that provider in front.
fn combine_state(
    own: &AuthState,
    base: &AuthState,
    own_profiles: &IndexMap<ProfileId, (Credential, Arc<Source>)>,
    own_first: bool,
) -> AuthState {
    let mut state = base.clone();
    if own_first {
        for (provider, order) in &mut state.order {
            let owned = own_profiles.iter().filter(|(_, (credential, _))| {
                credential.provider().is_some_and(|own| own.trim().eq_ignore_ascii_case(provider.trim()))
            });
            let mut ids: Vec<ProfileId> = owned.map(|(id, _)| id.clone()).collect();
            if !ids.is_empty() {
                ids.append(&mut order.value);
                let mut seen = HashSet::new();
                ids.retain(|id| seen.insert(id.clone()));
                order.value = ids;
            }
        }
    }
    for (provider, order) in &own.order {
        if own_first {
            let same = |key: &String| key != provider && key.trim().eq_ignore_ascii_case(provider.trim());
            state.order.retain(|key, _| !same(key));
        }
        state.order.insert(provider.clone(), order.clone());
    }
    state.last_good.extend(own.last_good.clone());
    state.usage.extend(own.usage.clone());
    state
}
