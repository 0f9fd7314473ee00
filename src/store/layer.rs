//! One layer of auth data, as it stands in one agent's folder or in the shared store.

use std::path::Path;
use std::sync::Arc;

use super::AgentId;
use super::db::sqlite;
use super::document::{
    AGENT_STATE_ROW, AGENT_STORE_ROW, EARLY_STATE_ROW, EARLY_STORE_ROW, Note, NoteKind, Origin, Row,
    SHARED_MARKER_ROW, SHARED_STATE_ROW, SHARED_STORE_ROW, SchemaInfo, Source,
};
use super::edit::Document;
use super::files::{
    AGENT_DATABASE, KNOWN_AGENT_SCHEMA, KNOWN_STATE_SCHEMA, OLDER_FILES, PROFILES_FILE, STATE_FILE, read_text,
};
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::time::Millis;

/// A JSON document with its text.
#[derive(Clone)]
pub(crate) struct Stored {
    pub source: Arc<Source>,
    pub text: String,
}

/// What one folder, or the shared store, holds.
#[derive(Clone, Default)]
pub(crate) struct Layer {
    /// Credentials; the JSON files of 2026.3 hold state as well.
    pub store: Option<Stored>,
    /// State beside the credentials' document; wins over state inside of it.
    pub state: Option<Stored>,
    pub schema: Option<SchemaInfo>,
    pub notes: Vec<Note>,
    /// The layer is a database with auth tables.
    pub database: bool,
}

impl std::fmt::Debug for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let source = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.source.to_string());
        f.debug_struct("Layer")
            .field("store", &source(&self.store))
            .field("state", &source(&self.state))
            .field("schema", &self.schema)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}

impl Layer {
    /// Notes about files of older generations that lie beside the data and aren't read.
    fn note_older_files(&mut self, dir: &Path, origin: Origin) {
        for name in OLDER_FILES {
            let path = dir.join(name);
            if path.symlink_metadata().is_ok() {
                self.notes.push(Note {
                    kind: NoteKind::OlderFile,
                    origin,
                    path,
                    text: format!(
                        "{name} of an older release isn't read, the database holds this agent's data"
                    ),
                });
            }
        }
    }
}

/// Which documents an agent's folder may hold its data in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// The database only: the installation uses databases.
    Database,
    /// The database, else the JSON files.
    Any,
}

/// Reads an agent's folder.
pub(crate) fn read_agent(dir: &Path, id: &AgentId, origin: Origin, look: Look) -> Result<Layer> {
    let database = dir.join(AGENT_DATABASE);
    if database.symlink_metadata().is_ok() {
        let mut layer = read_agent_database(&database, id, origin)?;
        if layer.database || look == Look::Database {
            layer.note_older_files(dir, origin);
            return Ok(layer);
        }
    }
    if look == Look::Database {
        let mut layer = Layer { database: true, ..Layer::default() };
        layer.note_older_files(dir, origin);
        return Ok(layer);
    }
    read_files(dir, origin)
}

fn read_agent_database(path: &Path, id: &AgentId, origin: Origin) -> Result<Layer> {
    let found = sqlite::read_rows(path, &[AGENT_STORE_ROW, AGENT_STATE_ROW])?;
    let [store, state] = <[_; 2]>::try_from(found.rows).unwrap_or_default();
    let mut layer = Layer {
        store: stored_row(path, origin, AGENT_STORE_ROW, store),
        state: stored_row(path, origin, AGENT_STATE_ROW, state),
        database: found.tables.first() == Some(&true),
        ..Layer::default()
    };
    let (app_version, agent_id) = found.meta.unwrap_or_default();
    layer.notes.extend(symlink_note(path, origin));
    layer.notes.extend(newer_note(path, origin, found.version, KNOWN_AGENT_SCHEMA));
    if let Some(owner) = agent_id.as_deref().filter(|owner| AgentId::new(owner) != *id) {
        layer.notes.push(Note {
            kind: NoteKind::OwnerMismatch,
            origin,
            path: path.to_path_buf(),
            text: format!("the database says that it belongs to the agent \"{owner}\", not to \"{id}\""),
        });
    }
    layer.schema =
        Some(SchemaInfo { path: path.to_path_buf(), version: found.version, app_version, agent_id });
    Ok(layer)
}

fn stored_row(
    path: &Path,
    origin: Origin,
    row: Row,
    found: Option<(String, Option<Millis>)>,
) -> Option<Stored> {
    found.map(|(text, updated_at)| Stored {
        source: Arc::new(Source { origin, path: path.to_path_buf(), row: Some(row), updated_at }),
        text,
    })
}

fn newer_note(path: &Path, origin: Origin, version: i64, known: i64) -> Option<Note> {
    (version > known).then(|| Note {
        kind: NoteKind::NewerSchema,
        origin,
        path: path.to_path_buf(),
        text: format!("the schema is version {version}, newer than {known}, the newest this tool knows"),
    })
}

fn symlink_note(path: &Path, origin: Origin) -> Option<Note> {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()).then(|| Note {
        kind: NoteKind::Symlink,
        origin,
        path: path.to_path_buf(),
        text: "a symlink, which this tool reads but never writes through".to_owned(),
    })
}

/// Reads the JSON files of releases up to 2026.5.
fn read_files(dir: &Path, origin: Origin) -> Result<Layer> {
    let mut layer = Layer::default();
    layer.store = read_file(&dir.join(PROFILES_FILE), origin, &mut layer.notes)?;
    layer.state = read_file(&dir.join(STATE_FILE), origin, &mut layer.notes)?;
    Ok(layer)
}

fn read_file(path: &Path, origin: Origin, notes: &mut Vec<Note>) -> Result<Option<Stored>> {
    let text = match read_text(path)? {
        Some(text) => text,
        None => return Ok(None),
    };
    notes.extend(symlink_note(path, origin));
    let source = Arc::new(Source { origin, path: path.to_path_buf(), row: None, updated_at: None });
    Ok(Some(Stored { source, text }))
}

/// What the state database says about the shared store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    /// The credentials live there.
    pub active: bool,
    pub layer: Layer,
}

/// Reads the state database; damage becomes a note, so that agents' own data stays readable.
pub(crate) fn read_shared(path: &Path) -> Shared {
    if path.symlink_metadata().is_err() {
        return Shared::default();
    }
    match read_state_database(path) {
        Ok(shared) => shared,
        Err(error) => Shared {
            active: false,
            layer: Layer {
                notes: vec![damage_note(path, Origin::Shared, &error)],
                database: true,
                ..Layer::default()
            },
        },
    }
}

/// An error of an inherited layer as a note.
pub(crate) fn damage_note(path: &Path, origin: Origin, error: &Error) -> Note {
    let kind = if error.kind == ErrorKind::Damaged { NoteKind::Damaged } else { NoteKind::Unreadable };
    let cause = error.source.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
    Note { kind, origin, path: path.to_path_buf(), text: format!("{}{cause}", error.message) }
}

fn read_state_database(path: &Path) -> Result<Shared> {
    const ROWS: [Row; 5] =
        [SHARED_MARKER_ROW, SHARED_STORE_ROW, SHARED_STATE_ROW, EARLY_STORE_ROW, EARLY_STATE_ROW];
    let found = sqlite::read_rows(path, &ROWS)?;
    let [marker, store, state, early_store, early_state] = <[_; 5]>::try_from(found.rows).unwrap_or_default();

    let mut notes: Vec<Note> = symlink_note(path, Origin::Shared).into_iter().collect();
    notes.extend(newer_note(path, Origin::Shared, found.version, KNOWN_STATE_SCHEMA));
    let active = match &marker {
        Some((marker, _)) => match marker_location(marker) {
            Some(location) => location == "state-db",
            None => {
                notes.push(Note {
                    kind: NoteKind::Damaged,
                    origin: Origin::Shared,
                    path: path.to_path_buf(),
                    text: "the row auth.sharedStore names no known place for the shared credentials"
                        .to_owned(),
                });
                false
            }
        },
        // The first releases with a shared store had rows of their own and no marker.
        None => store.is_none() && early_store.is_some(),
    };
    let (app_version, agent_id) = found.meta.unwrap_or_default();
    let schema = SchemaInfo { path: path.to_path_buf(), version: found.version, app_version, agent_id };
    let mut layer = Layer { schema: Some(schema), notes, database: true, ..Layer::default() };
    if active {
        let stored = |row, found| stored_row(path, Origin::Shared, row, found);
        layer.store = stored(SHARED_STORE_ROW, store).or_else(|| stored(EARLY_STORE_ROW, early_store));
        layer.state = stored(SHARED_STATE_ROW, state).or_else(|| stored(EARLY_STATE_ROW, early_state));
    }
    Ok(Shared { active, layer })
}

/// `location` of the marker, when it is one that 2026.9.6 accepts.
fn marker_location(marker: &str) -> Option<&'static str> {
    let document = Document::parse(marker).ok()?;
    let members = document.members(document.root())?;
    let [member] = members.as_slice() else { return None };
    match (member.key.as_ref(), document.slice(member.value.clone())) {
        ("location", "\"state-db\"") => Some("state-db"),
        ("location", "\"legacy-main\"") => Some("legacy-main"),
        _ => None,
    }
}

/// Whether this file is a database with the auth tables. One that can't be read counts: its agent
/// uses databases.
pub(crate) fn is_auth_database(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
        && sqlite::read_rows(path, &[AGENT_STORE_ROW]).map_or(true, |found| found.tables == [true])
}
