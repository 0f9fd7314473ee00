//! What several rules share.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorKind, Result};
use crate::base::text;
use crate::base::time::Millis;
use crate::checks::doctor::finding::Finding;
use crate::checks::doctor::fix::{Action, Fix};
use crate::checks::doctor::rule::Rule;
use crate::checks::doctor::scan::{AgentScan, Scan, SecretPlace};
use crate::engine::order::{OrderQuery, OrderResult};
use crate::engine::usage::WindowKind;
use crate::installation::status::ProfileStatus;
use crate::store::canonical::{self, Canonical};
use crate::store::{
    Agent, AgentId, Change, Credential, CredentialType, Note, NoteKind, Origin, ProfileId, RawJson, Source,
};

/// Ends of windows in usageStats.
pub(super) const WINDOWS: [(&str, WindowKind); 3] = [
    ("cooldownUntil", WindowKind::Cooldown),
    ("disabledUntil", WindowKind::Disabled),
    ("blockedUntil", WindowKind::Blocked),
];

/// Members of a usageStats entry that hold a time.
pub(super) const TIMES: [&str; 6] =
    ["lastUsed", "lastProbeAt", "lastFailureAt", "cooldownUntil", "disabledUntil", "blockedUntil"];

/// Whether a number is a time since 2001 in seconds: as ms it lies in January to April 1970.
pub(super) fn are_seconds(value: i64) -> bool {
    (1_000_000_000..10_000_000_000).contains(&value)
}

fn keys(path: &[&str]) -> Vec<String> {
    path.iter().map(|key| (*key).to_owned()).collect()
}

pub(super) fn set(source: &Source, path: &[&str], value: &Value) -> Change {
    set_raw(source, path, &value.to_string())
}

pub(super) fn set_raw(source: &Source, path: &[&str], text: &str) -> Change {
    Change::SetMember { source: source.clone(), path: keys(path), value: RawJson::new(text) }
}

pub(super) fn remove(source: &Source, path: &[&str]) -> Change {
    Change::RemoveMember { source: source.clone(), path: keys(path) }
}

/// Whether a count is above zero.
pub(super) fn count(value: Option<&Value>) -> bool {
    value.and_then(Value::as_f64).is_some_and(|count| count > 0.0)
}

/// Whether a usageStats entry counts failures.
pub(super) fn has_counters(members: &Map<String, Value>) -> bool {
    let counts = members.get("failureCounts").and_then(Value::as_object);
    count(members.get("errorCount"))
        || counts.is_some_and(|counts| counts.values().any(|value| count(Some(value))))
}

pub(super) fn clear_windows(agent: &AgentScan<'_>, id: &ProfileId) -> Fix {
    let change = Change::ClearUsage { profile: id.clone() };
    Fix::safe(format!("clear the windows and counters of {id}"), agent.id(), [change])
}

/// When a login's access ended; `None` while it is alive or doesn't say.
pub(super) fn expired_login(agent: &AgentScan<'_>, status: &ProfileStatus<'_>) -> Option<Millis> {
    let credential = &status.profile.credential;
    let is_login = *credential.kind() == CredentialType::OAuth && credential.has_secret_or_ref();
    let expires = credential.expires().filter(|expires| is_login && !are_seconds(expires.0))?;
    (expires <= agent.now()).then_some(expires)
}

/// A credential as releases spell it; `None` when it is spelled so already.
pub(super) fn canonical(credential: &Credential, id: &str) -> Option<Canonical> {
    canonical::of_credential(credential.expose_json(), id, None)
}

pub(super) fn is_non_canonical(credential: &Credential, id: &str) -> bool {
    canonical(credential, id).is_some()
}

/// Whose credential it is, in words.
pub(super) fn owner(place: &SecretPlace) -> String {
    match place.source.origin {
        Origin::Own => format!("agent {}", place.agent),
        Origin::Main => "agent main".to_owned(),
        Origin::Shared => "the shared store".to_owned(),
    }
}

impl<'a> AgentScan<'a> {
    /// Notes of this kind that are reported with this agent.
    pub(super) fn notes(&self, kind: NoteKind) -> impl Iterator<Item = &'a Note> {
        let first = self.is_first();
        self.view.store.notes.iter().filter(move |note| {
            note.kind == kind && (note.origin == Origin::Own || (first && note.origin == Origin::Shared))
        })
    }

    /// The effective order of a provider, under any spelling.
    pub(super) fn order(&self, provider: &str) -> OrderResult {
        let query = OrderQuery { provider, now: self.now(), preferred: None, model: None };
        self.scan.machine.order(self.view, query)
    }

    pub(super) fn config_path(&self) -> &'a Path {
        &self.scan.machine.installation.places.config
    }

    /// Whether what isn't any agent's own is reported with this one.
    pub(super) fn is_first(&self) -> bool {
        self.scan.agents.first().is_some_and(|first| first.id == self.agent.id)
    }

    /// Whether a profile of that id can be there: stored, or of the machine's own identity.
    pub(super) fn knows(&self, id: &str) -> bool {
        let configured = self.scan.machine.engine_config.auth.profiles.get(id);
        self.view.store.profiles.contains_key(id)
            || configured.is_some_and(|configured| configured.mode == "aws-sdk")
    }

    /// Whether any profile of the provider can be used.
    pub(super) fn has_profile_of(&self, provider: &str) -> bool {
        let provider = self.rules().providers.for_credentials(provider);
        self.profiles.iter().any(|status| status.provider == provider && status.rank.is_some())
    }

    /// The provider of a usageStats row, as windows are computed for it.
    pub(super) fn provider_of(&self, id: &ProfileId) -> String {
        let stored = self.profile(id.as_str()).map(|status| status.provider.clone());
        let inline = id.inline_provider().map(str::to_owned);
        stored
            .or(inline)
            .or_else(|| id.as_str().split_once(':').map(|(provider, _)| provider.to_owned()))
            .unwrap_or_default()
    }

    /// Whether everybody whose state this document may hold was read.
    pub(super) fn is_complete_for(&self, source: &Source) -> bool {
        // Of a shared document any agent may have written a row for a profile of its own.
        source.origin == Origin::Own || self.scan.machine.installation.agents().len() == 1
    }

    /// The command that writes this order where it stands: `auth order` writes an agent's own one.
    pub(super) fn rewrite_order(&self, rule: &Rule, source: &Source, provider: &str, ids: &[&str]) -> String {
        if source.origin != Origin::Own {
            return self.command(&["doctor", "--fix=all", "--only", rule.id]);
        }
        let verb = if ids.is_empty() { "clear" } else { "set" };
        let mut words = vec!["auth", "order", verb, "--provider", provider];
        words.extend(ids);
        self.command(&words)
    }

    /// Whether the user pinned some session to a profile of this provider.
    pub(super) fn is_pinned(&self, provider: &str) -> bool {
        self.sessions().values().any(|entry| {
            let pinned = entry["authProfileOverride"].as_str().and_then(|id| self.profile(id));
            entry["authProfileOverrideSource"].as_str() != Some("auto")
                && pinned.is_some_and(|status| status.provider == provider)
        })
    }
}

/// The finding for a store that can't be read.
///
/// # Errors
/// The error is about this run (busy, interrupted), not about the store.
pub(in crate::checks::doctor) fn unreadable(
    scan: &Scan<'_>,
    agent: Option<&Agent>,
    error: &Error,
) -> Result<Finding> {
    let path = error.place.as_ref().and_then(|place| place.path.clone());
    let path = path.or_else(|| agent.map(|agent| agent.dir.clone())).unwrap_or_default();
    let is_database = path.extension().is_some_and(|extension| extension == "sqlite");
    let finding = match error.kind {
        ErrorKind::Damaged if is_database && !has_database_header(&path) => {
            super::not_a_database::finding(scan, &path)
        }
        ErrorKind::Damaged => super::integrity::finding(scan, &path, &error.message),
        ErrorKind::Failed | ErrorKind::Nothing => super::store_unreadable::finding(&path, error),
        kind => {
            let error =
                error.hints.iter().fold(Error::new(kind, error.message.clone()), |new, hint| new.hint(hint));
            return Err(error.at(path));
        }
    };
    Ok(match agent {
        Some(agent) => finding.of_agent(&agent.id),
        None => finding,
    })
}

/// Whether a file starts as SQLite's do; an empty one is a database without pages.
pub(super) fn has_database_header(path: &Path) -> bool {
    use std::io::Read as _;
    let mut header = Vec::with_capacity(16);
    let read = std::fs::File::open(path).and_then(|file| file.take(16).read_to_end(&mut header));
    read.is_ok() && (header.is_empty() || header == b"SQLite format 3\0")
}

/// The plain files of a folder, sorted; none when it can't be listed.
pub(super) fn files_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The finding for a file or folder that group or others may use.
pub(super) fn looseness(rule: &Rule, path: &Path, agent: &AgentId) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt as _;
    let data = path.symlink_metadata().ok().filter(|data| !data.is_symlink())?;
    let mode = data.permissions().mode() & 0o7777;
    if mode & 0o077 == 0 {
        return None;
    }
    let kind = if data.is_dir() { "folder" } else { "file" };
    let action = Action::SetMode { path: path.to_path_buf(), mode: mode & !0o077 };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let command = format!("chmod go-rwx {}", text::shell_word(&path.display().to_string()));
    Some(
        rule.finding(format!("other users can get at this {kind} (mode {mode:04o})"))
            .at(path)
            .next(command)
            .fixed_by(Fix::action(format!("set the mode of {name} to {:04o}", mode & !0o077), agent, action)),
    )
}

/// A note of a store as a finding.
pub(super) fn note_finding(rule: &Rule, agent: &AgentScan<'_>, note: &Note) -> Finding {
    let finding = rule.finding(note.text.clone()).at(&note.path);
    if note.origin == Origin::Own { finding.of_agent(agent.id()) } else { finding }
}
