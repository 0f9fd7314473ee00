//! Changes of one agent's store: planned first, then applied in one transaction or one rename for
//! each file, and read back.
//!
//! Where a change goes (asked of 2026.5.7, 2026.7.1 and 2026.9.6 with `models auth order set` and
//! `clear`): an order into the agent's own row or file, also for `main` of an installation with a
//! shared store; a window into every document that holds one for the profile. The releases drop an
//! order of a secondary agent that names inherited profiles (2026.5.7 and 2026.7.1 on every save), and
//! their `order clear` takes that agent's usageStats along; here other members stay as they are.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::auth::{Note, Origin, Source, order_of};
use super::edit::{Document, New};
use super::layer::{
    AGENT_DATABASE, AGENT_STATE_ROW, AGENT_STORE_ROW, Layer, PROFILES_FILE, SHARED_STORE_ROW, STATE_FILE,
    Stored, read_shared,
};
use super::target;
use super::{
    Agent, AuthStore, Backup, BackupId, Credential, Generation, Installation, NoteKind, ProfileId, RawJson,
    Row, backup, credential, edit,
};
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::time::Millis;

/// A change of what one agent's store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Sets the agent's own order for a provider (`provider` as it should be spelled; the key that
    /// is already there under another spelling is the caller's to name).
    SetOrder {
        /// The key under `order`.
        provider: String,
        /// The profiles, first choice first.
        order: Vec<ProfileId>,
    },
    /// Removes the agent's own order for a provider; nothing to do is no error.
    ClearOrder {
        /// The key under `order`.
        provider: String,
    },
    /// Removes every window and counter of a profile's usageStats, in each file or row that holds
    /// some (own and inherited); `lastUsed` and what isn't known stay.
    ClearUsage {
        /// The key under `usageStats`.
        profile: ProfileId,
    },
    /// Puts a credential into the store that this agent's release keeps its credentials in, in place
    /// of the one of the same id.
    PutCredential {
        /// Its id.
        profile: ProfileId,
        /// The credential; its text is stored byte for byte.
        credential: Credential,
    },
    /// Removes a profile of this agent with every reference in the agent's own order, lastGood and
    /// usageStats.
    RemoveProfile {
        /// Its id.
        profile: ProfileId,
    },
    /// Gives a profile of this agent another id, in every reference too.
    RenameProfile {
        /// Its id.
        from: ProfileId,
        /// The new one, which must be free.
        to: ProfileId,
    },
    /// Sets one member of a document of the agent's, or of one that it inherits.
    SetMember {
        /// The document.
        source: Source,
        /// The keys on the way to the member.
        path: Vec<String>,
        /// Its JSON text, which may hold secrets; taken over byte for byte.
        value: RawJson,
    },
    /// Removes one member of a document; nothing to do is no error.
    RemoveMember {
        /// The document.
        source: Source,
        /// The keys on the way to the member.
        path: Vec<String>,
    },
}

/// Members of a usageStats entry that hold windows and counters, in every release to 2026.9.6.
pub const USAGE_WINDOW_FIELDS: [&str; 14] = [
    "errorCount",
    "lastFailureAt",
    "failureCounts",
    "cooldownUntil",
    "cooldownReason",
    "cooldownModel",
    "cooldownClassification",
    "disabledUntil",
    "disabledReason",
    "blockedUntil",
    "blockedReason",
    "blockedSource",
    "blockedModel",
    "blockedScope",
];

/// What a write is stamped with.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// Stamps rows and the backup.
    pub now: Millis,
    /// What the user asked for, without secrets (`auth order set --provider openai ...`): goes into the
    /// backup's manifest; its first words name the backup.
    pub command: String,
}

impl WriteContext {
    /// The first words of the command, up to an option or a value: `auth-order-set`.
    #[must_use]
    pub fn reason(&self) -> String {
        let words = self.command.split_whitespace();
        let names = words.take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
        let reason = names.take(3).collect::<Vec<_>>().join("-");
        if reason.is_empty() { "write".to_owned() } else { reason }
    }
}

/// One JSON member that a plan changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    /// The document it is in.
    pub source: Source,
    /// Where in it, as keys: `["order", "openai"]`; empty for the whole document.
    pub path: Vec<String>,
    /// Where in it, as text: `order.openai`.
    pub json_path: String,
    /// Its JSON text before; `None` when it wasn't there. `"***"` where credentials are.
    pub before: Option<String>,
    /// Its JSON text after; `None` when it is removed. `"***"` where credentials are.
    pub after: Option<String>,
}

/// A member that changes, with its text, which may hold secrets.
#[derive(Clone)]
pub(crate) struct Edit {
    pub source: Source,
    /// Empty for the document as a whole.
    pub path: Vec<String>,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edit").field("source", &self.source).field("path", &self.path).finish_non_exhaustive()
    }
}

impl Edit {
    /// Whether this is its document, whoever asks.
    fn is_at(&self, source: &Source) -> bool {
        self.source.path == source.path && self.source.row == source.row
    }

    /// Whether its text may hold credentials.
    pub(crate) fn is_secret(&self) -> bool {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["order" | "lastGood" | "usageStats", ..] => false,
            ["profiles", _, member] => {
                let plain = |text: &String| {
                    serde_json::from_str(text).is_ok_and(|value| credential::is_plain(member, &value))
                };
                !self.before.iter().chain(&self.after).all(plain)
            }
            _ => true,
        }
    }

    /// A text as the user may see it: of a credential everything but its secrets.
    fn masked(&self, text: &str) -> String {
        if !self.is_secret() {
            return text.to_owned();
        }
        let whole = self.path.len() == 2 && self.path[0] == "profiles";
        let credential = whole.then(|| Credential::from_raw(text)).flatten();
        credential.map_or_else(|| "\"***\"".to_owned(), |credential| credential.masked().to_string())
    }

    /// Whether two edits touch the same member, or one the other's inside.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let shorter = self.path.len().min(other.path.len());
        self.is_at(&other.source) && self.path[..shorter] == other.path[..shorter]
    }

    /// Whether two edits are one.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_at(&other.source)
            && self.path == other.path
            && same_json(self.before.as_deref(), other.before.as_deref())
            && same_json(self.after.as_deref(), other.after.as_deref())
    }

    /// As the user may see it.
    pub(crate) fn shown(&self) -> MemberChange {
        MemberChange {
            source: self.source.clone(),
            path: self.path.clone(),
            json_path: self.path.join("."),
            before: self.before.as_deref().map(|text| self.masked(text)),
            after: self.after.as_deref().map(|text| self.masked(text)),
        }
    }
}

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

pub(crate) fn paths_of(edits: &[Edit]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for edit in edits {
        if !paths.contains(&edit.source.path) {
            paths.push(edit.source.path.clone());
        }
    }
    paths
}

/// What was written and read back.
#[derive(Debug, Clone)]
pub struct Written {
    /// The backup made before; `None` when there was nothing to do.
    pub backup: Option<BackupId>,
    /// Every member that changed.
    pub members: Vec<MemberChange>,
    /// Files and databases written.
    pub paths: Vec<PathBuf>,
    /// What the user should know: an abandoned lock that was removed, a database that waits for the
    /// release's doctor.
    pub remarks: Vec<String>,
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

pub(crate) fn member_of(text: &str, source: &Source, path: &[String]) -> Result<Option<String>> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let document = Document::parse(text).map_err(|error| error.at(&source.path))?;
    Ok(document.get(&path).map(str::to_owned))
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

/// Whether two members mean the same: a release rewrites a document as a whole, with its own white
/// space.
pub(crate) fn same_json(a: Option<&str>, b: Option<&str>) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (a, b) {
        (Some(a), Some(b)) => a == b || (parsed(a).is_some() && parsed(a) == parsed(b)),
        (None, None) => true,
        _ => false,
    }
}

/// Makes a backup and writes the plan.
///
/// # Errors
/// `Busy` (exit 4) when another process holds the store, or changed one of the planned members
/// since the snapshot; otherwise as [`plan`]. Nothing is written then, unless the error says so.
pub fn apply(installation: &Installation, plan: &Plan, context: &WriteContext) -> Result<Written> {
    apply_all(installation, &[plan], context)
}

/// Makes one backup and writes the plans of several agents, so that one `undo` takes all of it back.
/// What several plans change alike (an inherited window) is written once.
///
/// # Errors
/// As [`apply`].
pub fn apply_all(installation: &Installation, plans: &[&Plan], context: &WriteContext) -> Result<Written> {
    let mut edits: Vec<Edit> = Vec::new();
    for edit in plans.iter().flat_map(|plan| &plan.edits) {
        let same = |other: &Edit| other.is_at(&edit.source) && other.path == edit.path;
        if !edits.iter().any(same) {
            edits.push(edit.clone());
        }
    }
    if edits.is_empty() {
        return Ok(Written { backup: None, members: Vec::new(), paths: Vec::new(), remarks: Vec::new() });
    }
    let backup = backup::before_write(installation, &edits, Undoable::Yes, context)?;
    write_edits(installation, &edits, &backup, context)
}

/// Whether `undo` takes a write back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undoable {
    Yes,
    /// An undo itself: the next `undo` goes on with the write before.
    No,
}

/// Writes edits file by file; the backup is dropped again when nothing was written.
pub(crate) fn write_edits(
    installation: &Installation,
    edits: &[Edit],
    backup: &Backup,
    context: &WriteContext,
) -> Result<Written> {
    let paths = paths_of(edits);
    let mut remarks = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let of_file: Vec<&Edit> = edits.iter().filter(|edit| edit.source.path == *path).collect();
        match target::write(installation, path, &of_file, context.now) {
            Ok(remark) => remarks.extend(remark),
            Err(error) if index == 0 => {
                backup::discard(backup);
                return Err(error);
            }
            Err(error) => {
                let done: Vec<String> =
                    paths[..index].iter().map(|path| installation.places.display(path)).collect();
                return Err(error
                    .hint(format!("written before that: {}; clawctl undo takes it back", done.join(", "))));
            }
        }
    }
    let members = edits.iter().map(Edit::shown).collect();
    Ok(Written { backup: Some(backup.id.clone()), members, paths, remarks })
}

/// The text of a document after an edit of it; `None` when the document itself is to go.
pub(crate) fn edited(text: &str, edit: &Edit) -> Result<Option<String>> {
    let path: Vec<&str> = edit.path.iter().map(String::as_str).collect();
    if path.is_empty() {
        return Ok(edit.after.clone());
    }
    let Some(after) = edit.after.as_deref() else { return removed(text, &path).map(Some) };
    // Text that was stored somewhere keeps its bytes; a new value is laid out as its document is.
    let new = match serde_json::from_str::<Value>(after) {
        Ok(value) if serde_json::to_string(&value).is_ok_and(|compact| compact == after) => {
            edit::set(text, &path, New::Value(&value))
        }
        _ => edit::set(text, &path, New::Raw(after)),
    };
    new.map(Some)
}

/// Without the member, and without the `order`, `lastGood` or `usageStats` that is empty then: the
/// releases keep no empty ones either.
fn removed(text: &str, path: &[&str]) -> Result<String> {
    let result = edit::remove(text, path)?;
    let [container @ ("order" | "lastGood" | "usageStats"), _] = path else { return Ok(result) };
    let document = Document::parse(&result)?;
    let left = document.member(document.root(), container).and_then(|span| document.members(span));
    let emptied = result != text && left.is_some_and(|members| members.is_empty());
    if emptied { edit::remove(&result, &[container]) } else { Ok(result) }
}
