//! Finding out what changes of one agent's store would write, and where.
//!
//! Where a change goes (asked of 2026.5.7, 2026.7.1 and 2026.9.6 with `models auth order set` and
//! `clear`): an order into the agent's own row or file, also for `main` of an installation with a
//! shared store; a window into every document that holds one for the profile. The releases drop an
//! order of a secondary agent that names inherited profiles (2026.5.7 and 2026.7.1 on every save), and
//! their `order clear` takes that agent's usageStats along; here other members stay as they are.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::auth::order_of;
use super::change::{Change, Edit, MemberChange, USAGE_WINDOW_FIELDS, member_of, paths_of, same_json};
use super::document::{
    AGENT_STATE_ROW, AGENT_STORE_ROW, Note, NoteKind, Origin, RawJson, Row, SHARED_STORE_ROW, Source,
};
use super::edit::Document;
use super::files::{AGENT_DATABASE, PROFILES_FILE, STATE_FILE};
use super::layer::{Layer, Stored, read_shared};
use super::{Agent, AuthStore, Generation, Installation, ProfileId, edit};
use crate::base::error::{Error, ErrorKind, Result};

/// What would be written, and where.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The agent whose store it is.
    pub agent: Agent,
    /// Every member that changes; empty when everything is as wanted already.
    pub members: Vec<MemberChange>,
    pub(crate) edits: Vec<Edit>,
}

impl Plan {
    /// Whether it makes an agent's first database beside a shared store. The release (seen with
    /// 2026.9.6) then refuses to run that agent until its own doctor has migrated the database.
    #[must_use]
    pub fn makes_blocking_database(&self, installation: &Installation) -> bool {
        installation.generation == Generation::SharedStore
            && self
                .paths()
                .iter()
                .any(|path| path.ends_with(AGENT_DATABASE) && path.symlink_metadata().is_err())
    }

    /// The files and databases that it writes.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        paths_of(&self.edits)
    }
}

/// Finds out what these changes would write, for this snapshot.
///
/// # Errors
/// `Busy` (exit 4) when what the snapshot shows is changed already; `Damaged` (exit 5) when a document
/// that had to be written is newer than known, damaged or another agent's; `Failed` (exit 1) for
/// symlinks.
pub fn plan(installation: &Installation, store: &AuthStore, changes: &[Change]) -> Result<Plan> {
    let agent = installation.agent(&store.agent)?.clone();
    let own = installation.read_own_layer(&agent, Origin::Own)?;
    let inherited = inherited_layer(installation, &agent)?;
    let mut edits = Vec::new();
    for change in changes {
        match change {
            Change::SetOrder { provider, order } => {
                check_snapshot(store, &own, provider)?;
                let target = order_target(installation, &agent, &own);
                let text = stored_at(&own, &target);
                let wanted = Value::from(order.iter().map(ProfileId::as_str).collect::<Vec<_>>());
                let path = ["order".to_owned(), provider.clone()];
                let before = text.map(|text| member_of(text, &target, &path)).transpose()?.flatten();
                if !same_json(before.as_deref(), Some(&wanted.to_string())) {
                    let after = Some(wanted.to_string());
                    edits.push(Edit { source: target, path: path.to_vec(), before, after });
                }
            }
            Change::ClearOrder { provider } => {
                check_snapshot(store, &own, provider)?;
                for stored in own.store.iter().chain(&own.state) {
                    let path = ["order".to_owned(), provider.clone()];
                    if let Some(before) = member_of(&stored.text, &stored.source, &path)? {
                        edits.push(Edit {
                            source: Source::clone(&stored.source),
                            path: path.to_vec(),
                            before: Some(before),
                            after: None,
                        });
                    }
                }
            }
            Change::PutCredential { profile, credential } => {
                let home = credentials_layer(installation, &agent, &own, inherited.as_ref());
                let source = credentials_target(installation, &agent, home);
                let path = ["profiles".to_owned(), profile.as_str().to_owned()];
                let before = home.store.as_ref().map(|stored| member_of(&stored.text, &source, &path));
                let before = before.transpose()?.flatten();
                let after = Some(credential.expose_json().to_owned());
                if before != after {
                    edits.push(Edit { source, path: path.to_vec(), before, after });
                }
            }
            Change::RemoveProfile { profile } => {
                let home = credentials_layer(installation, &agent, &own, inherited.as_ref());
                // An interrupted run may have left references alone.
                let found = replace_profile(home, &own, profile, None)?;
                if !has_profile(home, profile)? && (found.is_empty() || inherits(&inherited, profile)?) {
                    return Err(no_profile(&agent, profile));
                }
                edits.extend(found);
            }
            Change::RenameProfile { from, to } => {
                let home = credentials_layer(installation, &agent, &own, inherited.as_ref());
                let (has_from, has_to) = (has_profile(home, from)?, has_profile(home, to)?);
                if has_from && has_to {
                    return Err(Error::usage(format!("there is a profile \"{to}\" already")).at(&agent.dir));
                }
                let found = replace_profile(home, &own, from, Some(to))?;
                if !has_from && (!has_to || found.is_empty() || inherits(&inherited, from)?) {
                    return Err(no_profile(&agent, from));
                }
                edits.extend(found);
            }
            Change::ClearUsage { profile } => {
                for stored in documents(&own).chain(inherited.iter().flat_map(documents)) {
                    edits.extend(clear_usage(stored, profile)?);
                }
            }
            Change::SetMember { source, path, value } => {
                edits.extend(member_edit([Some(&own), inherited.as_ref()], source, path, Some(value))?);
            }
            Change::RemoveMember { source, path } => {
                edits.extend(member_edit([Some(&own), inherited.as_ref()], source, path, None)?);
            }
        }
    }
    for edit in &edits {
        let notes = [Some(&own), inherited.as_ref()].into_iter().flatten().flat_map(|layer| &layer.notes);
        refuse_by_notes(&edit.source.path, notes)?;
    }
    Ok(Plan { agent, members: edits.iter().map(Edit::shown).collect(), edits })
}

/// The layer that holds this agent's credentials: its own, but for `main` the shared store when there
/// is one (2026.9.6: `models auth paste-api-key --agent main`).
fn credentials_layer<'a>(
    installation: &Installation,
    agent: &Agent,
    own: &'a Layer,
    inherited: Option<&'a Layer>,
) -> &'a Layer {
    match inherited {
        Some(shared) if installation.generation == Generation::SharedStore && agent.id.is_main() => shared,
        _ => own,
    }
}

fn credentials_target(installation: &Installation, agent: &Agent, layer: &Layer) -> Source {
    let shared = installation.generation == Generation::SharedStore && agent.id.is_main();
    match &layer.store {
        Some(stored) => Source::clone(&stored.source),
        None if shared => Source {
            origin: Origin::Shared,
            path: installation.places.state_database(),
            row: Some(SHARED_STORE_ROW),
            updated_at: None,
        },
        None if installation.generation == Generation::Json && !layer.database => {
            source_of(None, agent.dir.join(PROFILES_FILE), None)
        }
        None => source_of(None, agent.dir.join(AGENT_DATABASE), Some(AGENT_STORE_ROW)),
    }
}

fn has_profile(layer: &Layer, profile: &ProfileId) -> Result<bool> {
    let path = ["profiles".to_owned(), profile.as_str().to_owned()];
    let found = layer.store.as_ref().map(|stored| member_of(&stored.text, &stored.source, &path));
    Ok(found.transpose()?.flatten().is_some())
}

fn inherits(inherited: &Option<Layer>, profile: &ProfileId) -> Result<bool> {
    inherited.as_ref().map_or(Ok(false), |layer| has_profile(layer, profile))
}

fn no_profile(agent: &Agent, profile: &ProfileId) -> Error {
    Error::nothing(format!("the agent \"{}\" has no profile \"{profile}\" of its own", agent.id))
        .at(&agent.dir)
        .hint("clawctl auth list shows where a profile lives")
}

/// Edits that remove a profile, or give it another id, in the layer that it lives in and in the agent's
/// own state.
fn replace_profile(
    home: &Layer,
    own: &Layer,
    profile: &ProfileId,
    to: Option<&ProfileId>,
) -> Result<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    for stored in documents(home).chain(documents(own)) {
        let source = Source::clone(&stored.source);
        if edits.iter().any(|edit| edit.is_at(&source)) {
            continue;
        }
        let document = Document::parse(&stored.text).map_err(|error| error.at(&source.path))?;
        let mut change = |path: [&str; 2], before: Option<&str>, after: Option<String>| {
            edits.push(Edit {
                source: source.clone(),
                path: path.map(str::to_owned).to_vec(),
                before: before.map(str::to_owned),
                after,
            });
        };
        for container in ["profiles", "usageStats"] {
            if let Some(before) = document.get(&[container, profile.as_str()]) {
                if let Some(to) = to {
                    let taken = document.get(&[container, to.as_str()]);
                    change([container, to.as_str()], taken, Some(before.to_owned()));
                }
                change([container, profile.as_str()], Some(before), None);
            }
        }
        let members = |name| document.member(document.root(), name).and_then(|span| document.members(span));
        for member in members("order").unwrap_or_default() {
            let before = document.slice(member.value);
            let Ok(mut ids) = serde_json::from_str::<Vec<Value>>(before) else { continue };
            if ids.iter().any(|id| id.as_str() == Some(profile.as_str())) {
                match to {
                    None => ids.retain(|id| id.as_str() != Some(profile.as_str())),
                    Some(to) => ids
                        .iter_mut()
                        .filter(|id| id.as_str() == Some(profile.as_str()))
                        .for_each(|id| *id = to.as_str().into()),
                }
                let after = (!ids.is_empty()).then(|| Value::from(ids).to_string());
                change(["order", &member.key], Some(before), after);
            }
        }
        for member in members("lastGood").unwrap_or_default() {
            let before = document.slice(member.value);
            if edit::unescape(before) == profile.as_str() {
                change(
                    ["lastGood", &member.key],
                    Some(before),
                    to.map(|to| Value::from(to.as_str()).to_string()),
                );
            }
        }
    }
    Ok(edits)
}

fn documents(layer: &Layer) -> impl Iterator<Item = &Stored> {
    layer.store.iter().chain(&layer.state)
}

/// The layer that the agent inherits, read afresh.
fn inherited_layer(installation: &Installation, agent: &Agent) -> Result<Option<Layer>> {
    if installation.generation == Generation::SharedStore {
        return Ok(Some(read_shared(&installation.places.state_database()).layer));
    }
    if agent.dir == installation.main_dir() {
        return Ok(None);
    }
    installation.read_own_layer(&installation.main_agent(), Origin::Main).map(Some)
}

pub(crate) fn refuse_by_notes<'a>(path: &Path, notes: impl Iterator<Item = &'a Note>) -> Result<()> {
    let mut blocking = notes.filter(|note| note.kind.blocks_write() && note.path == path);
    let Some(note) = blocking.next() else { return Ok(()) };
    let kind = if note.kind == NoteKind::Symlink { ErrorKind::Failed } else { ErrorKind::Damaged };
    Err(Error::new(kind, format!("nothing was written: {}", note.text)).at(path))
}

/// The own order that the caller saw must still stand.
fn check_snapshot(store: &AuthStore, own: &Layer, provider: &str) -> Result<()> {
    let path = ["order".to_owned(), provider.to_owned()];
    let mut now = None;
    for stored in documents(own) {
        if let Some(text) = member_of(&stored.text, &stored.source, &path)? {
            now = Some(text);
        }
    }
    let now = now.and_then(|text| order_of(&text));
    let seen = store.own_state.order.get(provider).map(|order| &order.value);
    if now.as_ref() == seen {
        return Ok(());
    }
    Err(Error::busy(format!("the order of {provider} was changed by another process meanwhile"))
        .at(&store.dir)
        .hint("look at it again, then repeat the command"))
}

fn stored_at<'a>(layer: &'a Layer, source: &Source) -> Option<&'a str> {
    documents(layer)
        .find(|stored| stored.source.path == source.path && stored.source.row == source.row)
        .map(|stored| stored.text.as_str())
}

/// The document that this installation's release writes an agent's order into.
pub(crate) fn order_target(installation: &Installation, agent: &Agent, own: &Layer) -> Source {
    if installation.generation != Generation::Json || own.database {
        let path = agent.dir.join(AGENT_DATABASE);
        return source_of(own.state.as_ref(), path, Some(AGENT_STATE_ROW));
    }
    let (profiles, state) = (agent.dir.join(PROFILES_FILE), agent.dir.join(STATE_FILE));
    if own.state.is_some() || (!holds_state(own.store.as_ref()) && has_state_files(installation)) {
        source_of(own.state.as_ref(), state, None)
    } else {
        source_of(own.store.as_ref(), profiles, None)
    }
}

fn source_of(stored: Option<&Stored>, path: PathBuf, row: Option<Row>) -> Source {
    match stored {
        Some(stored) => Source::clone(&stored.source),
        None => Source { origin: Origin::Own, path, row, updated_at: None },
    }
}

/// State inside of `auth-profiles.json`: the layout of 2026.3.
fn holds_state(store: Option<&Stored>) -> bool {
    store.is_some_and(|stored| {
        Document::parse(&stored.text).is_ok_and(|document| {
            ["order", "lastGood", "usageStats"].iter().any(|name| document.get(&[name]).is_some())
        })
    })
}

/// Whether this installation's release keeps state in `auth-state.json`. Later releases read both
/// files, earlier ones only `auth-profiles.json`: that is the one to write when nothing tells.
fn has_state_files(installation: &Installation) -> bool {
    match &installation.release {
        Some(release) => release.month() > (2026, 3),
        None => installation.agents().iter().any(|agent| agent.dir.join(STATE_FILE).exists()),
    }
}

/// The edit that gives a member this value (or none), unless it is so already.
fn member_edit(
    layers: [Option<&Layer>; 2],
    source: &Source,
    path: &[String],
    value: Option<&RawJson>,
) -> Result<Option<Edit>> {
    let text = layers.into_iter().flatten().find_map(|layer| stored_at(layer, source));
    let before = text.map(|text| member_of(text, source, path)).transpose()?.flatten();
    let after = value.map(|value| value.as_str().to_owned());
    let changes = !same_json(before.as_deref(), after.as_deref());
    Ok(changes.then(|| Edit { source: source.clone(), path: path.to_vec(), before, after }))
}

fn clear_usage(stored: &Stored, profile: &ProfileId) -> Result<Option<Edit>> {
    let path = ["usageStats".to_owned(), profile.as_str().to_owned()];
    let Some(before) = member_of(&stored.text, &stored.source, &path)? else { return Ok(None) };
    let mut after = before.clone();
    for field in USAGE_WINDOW_FIELDS {
        after = edit::remove(&after, &[field]).map_err(|error| error.at(&stored.source.path))?;
    }
    if after == before {
        return Ok(None);
    }
    let left = Document::parse(&after)?;
    let empty = left.members(left.root()).is_some_and(|members| members.is_empty());
    Ok(Some(Edit {
        source: Source::clone(&stored.source),
        path: path.to_vec(),
        before: Some(before),
        after: (!empty).then_some(after),
    }))
}
