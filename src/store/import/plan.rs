//! What an import would do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::error::{Error, Result};
use crate::store::change::{Edit, same_json};
use crate::store::document::{
    AGENT_STATE_ROW, AGENT_STORE_ROW, EARLY_STATE_ROW, EARLY_STORE_ROW, SHARED_STATE_ROW, SHARED_STORE_ROW,
};
use crate::store::document::{RawJson, Source};
use crate::store::edit::Document;
use crate::store::files::{AGENT_DATABASE, PROFILES_FILE};
use crate::store::layer::{Layer, Look, Stored, read_agent, read_shared};
use crate::store::legacy::{self, LegacyContent, LegacyFile, LegacyKind, keeps_databases};
use crate::store::plan::{order_target, refuse_by_notes};
use crate::store::{
    Agent, Credential, Generation, Installation, MemberChange, Origin, ProfileId, Row, SecretKind,
};

/// Which of two credentials is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The store's.
    Store,
    /// The file's.
    File,
}

/// How conflicts are decided; those without an answer stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// For every profile.
    pub all: Option<Side>,
    /// For one profile.
    pub by_id: BTreeMap<ProfileId, Side>,
}

impl Preferences {
    /// The answer for a profile.
    #[must_use]
    pub fn of(&self, id: &ProfileId) -> Option<Side> {
        self.by_id.get(id).copied().or(self.all)
    }
}

/// A field in which two credentials differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictField {
    /// Its name: `key`, `refresh`, `type`, `keyRef` ...
    pub name: String,
    /// The store's, as `api key, 51 chars` with a fingerprint; `None` when it has none.
    pub store: Option<String>,
    /// The file's.
    pub file: Option<String>,
}

/// Two different secrets under one id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The profile.
    pub id: ProfileId,
    /// The file.
    pub path: PathBuf,
    /// Where they differ.
    pub fields: Vec<ConflictField>,
}

/// What becomes of one source.
#[derive(Debug)]
pub struct SourcePlan {
    /// The file.
    pub file: LegacyFile,
    /// Profiles that it adds or repairs in the store.
    pub adds: Vec<ProfileId>,
    /// Orders, last good profiles and usage rows that it adds, as JSON paths.
    pub adds_state: Vec<String>,
    /// Profiles in it that stay undecided.
    pub conflicts: Vec<ProfileId>,
    /// It is moved afterwards.
    pub archived: bool,
}

/// What an import would do.
#[derive(Debug)]
pub struct ImportPlan {
    /// The agent whose store is written.
    pub agent: Agent,
    /// The files, in the sequence in which they are merged.
    pub sources: Vec<SourcePlan>,
    /// What stays undecided.
    pub conflicts: Vec<Conflict>,
    /// Members of the store that change, with secrets masked.
    pub members: Vec<MemberChange>,
    pub(crate) edits: Vec<Edit>,
    pub(crate) target: Target,
    /// Every profile of the sources as the store holds it afterwards.
    pub(crate) expected: Vec<(ProfileId, RawJson)>,
}

impl ImportPlan {
    /// Whether there is anything to write or to move.
    #[must_use]
    pub fn does_something(&self) -> bool {
        !self.edits.is_empty() || self.sources.iter().any(|source| source.archived)
    }
}

/// Where an agent's credentials and state are kept now.
#[derive(Clone)]
pub(crate) struct Target {
    pub store: Source,
    pub state: Source,
    /// The documents as they are, when there are any.
    stored: [Option<Stored>; 2],
    notes: Vec<crate::store::Note>,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("store", &self.store)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Target {
    /// Finds the target, and reads it.
    pub(crate) fn of(installation: &Installation, agent: &Agent) -> Result<Self> {
        if installation.generation == Generation::SharedStore && agent.id.is_main() {
            let path = installation.places.state_database();
            let layer = read_shared(&path).layer;
            let row = layer.store.as_ref().and_then(|stored| stored.source.row).unwrap_or(SHARED_STORE_ROW);
            let state = if row == EARLY_STORE_ROW { EARLY_STATE_ROW } else { SHARED_STATE_ROW };
            return Ok(Self::new(layer, Origin::Shared, [path.clone(), path], [Some(row), Some(state)]));
        }
        if keeps_databases(installation) {
            let layer = read_agent(&agent.dir, &agent.id, Origin::Own, Look::Database)?;
            let path = agent.dir.join(AGENT_DATABASE);
            let rows: [Option<Row>; 2] = [Some(AGENT_STORE_ROW), Some(AGENT_STATE_ROW)];
            return Ok(Self::new(layer, Origin::Own, [path.clone(), path], rows));
        }
        let layer = installation.read_own_layer(agent, Origin::Own)?;
        let state = order_target(installation, agent, &layer).path;
        Ok(Self::new(layer, Origin::Own, [agent.dir.join(PROFILES_FILE), state], [None, None]))
    }

    fn new(layer: Layer, origin: Origin, paths: [PathBuf; 2], rows: [Option<Row>; 2]) -> Self {
        let [store_path, state_path] = paths;
        let source = |path: PathBuf, row| Source { origin, path, row, updated_at: None };
        Self {
            store: source(store_path, rows[0]),
            state: source(state_path, rows[1]),
            stored: [layer.store, layer.state],
            notes: layer.notes,
        }
    }

    /// A member of the target's documents: the state's own document first, then state inside of the
    /// credentials' document.
    fn member(&self, path: &[&str]) -> Result<Option<String>> {
        for stored in self.stored.iter().rev().flatten() {
            let document = Document::parse(&stored.text).map_err(|error| error.at(&stored.source.path))?;
            if let Some(text) = document.get(path) {
                return Ok(Some(text.to_owned()));
            }
        }
        Ok(None)
    }

    /// The keys under a member that mean this provider.
    fn has_provider(&self, container: &str, provider: &str) -> Result<bool> {
        for stored in self.stored.iter().flatten() {
            let document = Document::parse(&stored.text).map_err(|error| error.at(&stored.source.path))?;
            let span = document.member(document.root(), container);
            let members = span.and_then(|span| document.members(span)).unwrap_or_default();
            if members.iter().any(|member| member.key.trim().eq_ignore_ascii_case(provider.trim())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The stored credential of a profile.
    pub(crate) fn profile(&self, id: &ProfileId) -> Result<Option<String>> {
        let Some(stored) = &self.stored[0] else { return Ok(None) };
        let document = Document::parse(&stored.text).map_err(|error| error.at(&stored.source.path))?;
        Ok(document.get(&["profiles", id.as_str()]).map(str::to_owned))
    }

    /// The text of the state's own document.
    pub(crate) fn state_text(&self) -> Option<&str> {
        self.stored[1].as_ref().map(|stored| stored.text.as_str())
    }

    /// Whether it holds no profile at all.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        let profiles = match &self.stored[0] {
            None => None,
            Some(stored) => {
                let document =
                    Document::parse(&stored.text).map_err(|error| error.at(&stored.source.path))?;
                document.member(document.root(), "profiles").and_then(|span| document.members(span))
            }
        };
        Ok(profiles.is_none_or(|profiles| profiles.is_empty()))
    }
}

/// Finds out what an import of an agent's legacy files would do. `config` has the credentials that
/// stand in the config, which isn't changed.
///
/// # Errors
/// The target can't be read, or mustn't be written (newer, damaged, another agent's).
pub fn plan(
    installation: &Installation,
    agent: &Agent,
    config: Option<LegacyFile>,
    preferences: &Preferences,
) -> Result<ImportPlan> {
    let sources = legacy::sources(installation, agent);
    let files = sources.iter().map(|(path, kind)| legacy::read(path, *kind)).collect::<Result<Vec<_>>>()?;
    plan_of(installation, agent, files.into_iter().chain(config), preferences, true)
}

/// Finds out what an import of an archive would do, which stays where it is.
///
/// # Errors
/// As [`plan`].
pub fn plan_from_archive(
    installation: &Installation,
    agent: &Agent,
    archive: &Path,
    preferences: &Preferences,
) -> Result<ImportPlan> {
    let file = legacy::read(archive, LegacyKind::Profiles)?;
    plan_of(installation, agent, std::iter::once(file), preferences, false)
}

fn plan_of(
    installation: &Installation,
    agent: &Agent,
    files: impl Iterator<Item = LegacyFile>,
    preferences: &Preferences,
    moves: bool,
) -> Result<ImportPlan> {
    let target = Target::of(installation, agent)?;
    let mut merge = Merge {
        target: &target,
        preferences,
        edits: Vec::new(),
        conflicts: Vec::new(),
        expected: Vec::new(),
        key: crate::store::FingerprintKey::random()?,
    };
    let mut planned = Vec::new();
    for file in files {
        let mut source = SourcePlan {
            file,
            adds: Vec::new(),
            adds_state: Vec::new(),
            conflicts: Vec::new(),
            archived: false,
        };
        if let (Ok(content), false) = (&source.file.content, source.file.symlink) {
            let content = content.clone();
            merge.profiles(&content, &mut source)?;
            merge.state(&content, &mut source)?;
            source.archived = moves && source.conflicts.is_empty() && source.file.kind != LegacyKind::Config;
        }
        planned.push(source);
    }
    let Merge { edits, conflicts, expected, .. } = merge;
    if !edits.is_empty() {
        for source in [&target.store, &target.state] {
            refuse_by_notes(&source.path, target.notes.iter())?;
        }
    }
    Ok(ImportPlan {
        agent: agent.clone(),
        sources: planned,
        conflicts,
        members: edits.iter().map(Edit::shown).collect(),
        edits,
        target,
        expected,
    })
}

struct Merge<'a> {
    target: &'a Target,
    preferences: &'a Preferences,
    edits: Vec<Edit>,
    conflicts: Vec<Conflict>,
    expected: Vec<(ProfileId, RawJson)>,
    key: crate::store::FingerprintKey,
}

/// What two credentials of one id mean for each other.
enum Meeting {
    /// The store's stays.
    Keep,
    /// The store's is of no use, the file's is.
    Repair,
    Conflict(Vec<ConflictField>),
}

impl Merge<'_> {
    /// The edit of a member that is planned already.
    fn planned(&self, source: &Source, path: &[&str]) -> Option<usize> {
        self.edits.iter().position(|edit| edit.source == *source && edit.path == path)
    }

    fn set(&mut self, source: &Source, path: &[&str], before: Option<String>, after: &str) {
        match self.planned(source, path) {
            Some(index) => self.edits[index].after = Some(after.to_owned()),
            None => self.edits.push(Edit {
                source: source.clone(),
                path: path.iter().map(|key| (*key).to_owned()).collect(),
                before,
                after: Some(after.to_owned()),
            }),
        }
    }

    fn profiles(&mut self, content: &LegacyContent, source: &mut SourcePlan) -> Result<()> {
        for (id, incoming) in &content.profiles {
            let path = ["profiles", id.as_str()];
            let stored = self.target.profile(id)?;
            let planned =
                self.planned(&self.target.store, &path).map(|index| self.edits[index].after.clone());
            let current = planned.unwrap_or_else(|| stored.clone());
            let meeting = match &current {
                None => Meeting::Repair,
                Some(current) => self.meet(current, incoming.as_str()),
            };
            let takes_file = match meeting {
                Meeting::Keep => false,
                Meeting::Repair => true,
                Meeting::Conflict(fields) => match self.preferences.of(id) {
                    Some(side) => side == Side::File,
                    None => {
                        source.conflicts.push(id.clone());
                        self.conflicts.push(Conflict {
                            id: id.clone(),
                            path: source.file.path.clone(),
                            fields,
                        });
                        continue;
                    }
                },
            };
            let store = self.target.store.clone();
            if takes_file {
                self.set(&store, &path, stored, incoming.as_str());
                source.adds.push(id.clone());
            }
            let kept = if takes_file { incoming.as_str() } else { current.as_deref().unwrap_or_default() };
            self.expected.retain(|(known, _)| known != id);
            self.expected.push((id.clone(), RawJson::new(kept)));
        }
        Ok(())
    }

    fn state(&mut self, content: &LegacyContent, source: &mut SourcePlan) -> Result<()> {
        let parts =
            [("order", &content.order), ("lastGood", &content.last_good), ("usageStats", &content.usage)];
        for (container, entries) in parts {
            for (key, value) in entries {
                let path = [container, key.as_str()];
                let by_provider = container != "usageStats";
                let there = if by_provider {
                    self.target.has_provider(container, key)?
                } else {
                    self.target.member(&path)?.is_some()
                };
                let state = self.target.state.clone();
                if there || self.planned(&state, &path).is_some() {
                    continue;
                }
                self.set(&state, &path, None, value.as_str());
                source.adds_state.push(path.join("."));
            }
        }
        Ok(())
    }

    fn meet(&self, stored: &str, incoming: &str) -> Meeting {
        if same_json(Some(stored), Some(incoming)) {
            return Meeting::Keep;
        }
        let (Some(store), Some(file)) = (Credential::from_raw(stored), Credential::from_raw(incoming)) else {
            return Meeting::Repair;
        };
        match (store.has_secret_or_ref(), file.has_secret_or_ref()) {
            (false, true) => return Meeting::Repair,
            (_, false) => return Meeting::Keep,
            (true, true) => {}
        }
        let fields = self.differences(&store, &file);
        if fields.is_empty() { Meeting::Keep } else { Meeting::Conflict(fields) }
    }

    /// The secrets and references in which two credentials differ.
    fn differences(&self, store: &Credential, file: &Credential) -> Vec<ConflictField> {
        let mut fields = Vec::new();
        if store.kind() != file.kind() {
            fields.push(ConflictField {
                name: "type".to_owned(),
                store: Some(store.kind().as_str().to_owned()),
                file: Some(file.kind().as_str().to_owned()),
            });
        }
        let kinds = [
            ("key", SecretKind::ApiKey),
            ("token", SecretKind::Token),
            ("access", SecretKind::AccessToken),
            ("refresh", SecretKind::RefreshToken),
        ];
        for (name, kind) in kinds {
            let (a, b) = (store.secret(kind), file.secret(kind));
            if a != b {
                let shown = |secret: Option<crate::store::Secret>| {
                    secret.map(|secret| {
                        format!("{}, fingerprint {}", secret.mask(), secret.fingerprint(&self.key))
                    })
                };
                fields.push(ConflictField { name: name.to_owned(), store: shown(a), file: shown(b) });
            }
        }
        for name in ["keyRef", "tokenRef", "oauthRef"] {
            let find = |credential: &Credential| {
                let found = credential.refs().into_iter().find(|reference| reference.field == name);
                found.map(|reference| format!("{} {}", reference.source, reference.id))
            };
            let (a, b) = (find(store), find(file));
            if a != b {
                fields.push(ConflictField { name: name.to_owned(), store: a, file: b });
            }
        }
        fields
    }
}

/// Reads the target afresh and compares every profile with what was planned, field by field.
///
/// # Errors
/// `Busy`, naming the profile or member, when something differs.
pub(super) fn read_back(installation: &Installation, plan: &ImportPlan) -> Result<Target> {
    let target = Target::of(installation, &plan.agent)?;
    for (id, expected) in &plan.expected {
        let found = target.profile(id)?;
        let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
        let found_value = found.as_deref().and_then(parsed);
        if found_value.is_some() && found_value == parsed(expected.as_str()) {
            continue;
        }
        return Err(changed(&target.store, &format!("profiles.{id}")));
    }
    for edit in &plan.edits {
        let path: Vec<&str> = edit.path.iter().map(String::as_str).collect();
        if path.first() != Some(&"profiles")
            && !same_json(target.member(&path)?.as_deref(), edit.after.as_deref())
        {
            return Err(changed(&target.state, &edit.path.join(".")));
        }
    }
    Ok(target)
}

fn changed(source: &Source, what: &str) -> Error {
    Error::busy("what was imported doesn't read back the same, no file was moved")
        .at(&source.path)
        .at_json_path(what)
        .hint("another process changed it meanwhile: run clawctl doctor again")
}

/// Whether the store that an agent's credentials are kept in holds no profile; not when it can't be
/// read.
#[must_use]
pub fn is_target_empty(installation: &Installation, agent: &Agent) -> bool {
    Target::of(installation, agent).and_then(|target| target.is_empty()).unwrap_or(false)
}
