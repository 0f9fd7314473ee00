//! Files of older releases: which there are, and what they hold.
//!
//! Every shape that releases up to 2026.5 and tools around them wrote: `{version, profiles, order,
//! lastGood, usageStats}`, the state alone, and flat `{PROVIDER: credential}`. Entries are spelled as
//! releases spell them now (see `canonical`); what isn't known stays in them byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use sha2::{Digest, Sha256};

use super::canonical::{self, is_reserved};
use super::document::RawJson;
use super::edit::Document;
use super::files::{PROFILES_FILE, STATE_FILE};
use super::random::hex;
use super::{Agent, Credential, Generation, Installation, ProfileId};
use crate::base::error::{Error, Result};

const FLAT_FILE: &str = "auth.json";

/// What a legacy file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegacyKind {
    /// `auth-profiles.json`, or an archive of one.
    Profiles,
    /// `auth-state.json`.
    State,
    /// `auth.json`.
    Flat,
    /// `oauth.json`.
    OAuth,
    /// `auth.profiles` of the config, which is never moved or changed.
    Config,
}

/// What a legacy file holds.
#[derive(Debug, Clone, Default)]
pub struct LegacyContent {
    /// Credentials by profile id, spelled as releases spell them now.
    pub profiles: IndexMap<ProfileId, RawJson>,
    /// Orders by provider.
    pub order: IndexMap<String, RawJson>,
    /// Last good profiles by provider.
    pub last_good: IndexMap<String, RawJson>,
    /// usageStats by profile id.
    pub usage: IndexMap<String, RawJson>,
    /// Entries that no release reads, as JSON paths.
    pub unread: Vec<String>,
}

impl LegacyContent {
    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.profiles.len() + self.order.len() + self.last_good.len() + self.usage.len()
    }

    /// Whether there is nothing to import.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A file that was read.
#[derive(Debug)]
pub struct LegacyFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: LegacyKind,
    /// Hex SHA-256 of its bytes.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// A symlink: read, never imported or moved.
    pub symlink: bool,
    /// What it holds, or why that can't be told.
    pub content: std::result::Result<LegacyContent, Error>,
    /// Its text, which holds secrets.
    pub(crate) text: Option<HiddenText>,
}

/// A text that debug prints show by its length alone.
pub(crate) struct HiddenText(Box<str>);

impl std::ops::Deref for HiddenText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for HiddenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HiddenText({} bytes)", self.0.len())
    }
}

impl LegacyFile {
    /// Credentials that stand in the config.
    #[must_use]
    pub fn of_config(path: &Path, content: LegacyContent) -> Self {
        Self {
            path: path.to_path_buf(),
            kind: LegacyKind::Config,
            sha256: String::new(),
            bytes: 0,
            symlink: false,
            content: Ok(content),
            text: None,
        }
    }
}

/// Whether this installation's release keeps credentials in databases, so that JSON files beside them
/// are sources: it has one, or its config was written by a release that does.
#[must_use]
pub(crate) fn keeps_databases(installation: &Installation) -> bool {
    installation.generation != Generation::Json || installation.is_at_least(2026, 6)
}

/// The legacy files that there are for an agent, in the sequence in which they are merged: later ones
/// only add what earlier ones don't have.
#[must_use]
pub fn sources(installation: &Installation, agent: &Agent) -> Vec<(PathBuf, LegacyKind)> {
    let places = &installation.places;
    let all = [
        (PROFILES_FILE, LegacyKind::Profiles),
        (STATE_FILE, LegacyKind::State),
        (FLAT_FILE, LegacyKind::Flat),
    ];
    let current = if keeps_databases(installation) { &all[..] } else { &all[2..] };
    let mut found: Vec<(PathBuf, LegacyKind)> =
        current.iter().map(|(name, kind)| (agent.dir.join(name), *kind)).collect();
    if agent.id.is_main() {
        if places.legacy_agent_dir != agent.dir {
            found.extend(all.iter().map(|(name, kind)| (places.legacy_agent_dir.join(name), *kind)));
        }
        found.push((places.oauth_file.clone(), LegacyKind::OAuth));
    }
    found.retain(|(path, _)| path.symlink_metadata().is_ok_and(|data| !data.is_dir()));
    found
}

/// What earlier imports left beside an agent's store, newest first: `NAME.sqlite-import.<n>.bak` and
/// `NAME.migrated-*`.
#[must_use]
pub fn archives(installation: &Installation, agent: &Agent) -> Vec<(PathBuf, LegacyKind)> {
    let mut dirs = vec![agent.dir.clone()];
    if agent.id.is_main() && installation.places.legacy_agent_dir != agent.dir {
        dirs.push(installation.places.legacy_agent_dir.clone());
    }
    let mut found = Vec::new();
    for entry in dirs.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stems = [(PROFILES_FILE, LegacyKind::Profiles), (FLAT_FILE, LegacyKind::Flat)];
        let kind = stems.into_iter().find_map(|(stem, kind)| {
            let rest = name.strip_prefix(stem)?;
            let is_archive = rest.starts_with(".migrated-")
                || (rest.starts_with(".sqlite-import.") && rest.ends_with(".bak"));
            is_archive.then_some(kind)
        });
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if let Some(kind) = kind.filter(|_| is_file) {
            let modified = entry.metadata().and_then(|data| data.modified()).ok();
            found.push((modified, entry.path(), kind));
        }
    }
    found.sort_by(|(a_time, a, _), (b_time, b, _)| (b_time, b).cmp(&(a_time, a)));
    found.into_iter().map(|(_, path, kind)| (path, kind)).collect()
}

/// Reads a legacy file.
///
/// # Errors
/// It can't be opened. What is wrong inside of it is in [`LegacyFile::content`].
pub fn read(path: &Path, kind: LegacyKind) -> Result<LegacyFile> {
    let symlink = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
    let bytes = fs::read(path).map_err(|error| Error::io("read the file", path, error))?;
    let sha256 = hex(&Sha256::digest(&bytes));
    let size = bytes.len() as u64;
    let (text, content) = match String::from_utf8(bytes) {
        Ok(text) => {
            let content = parse(&text, kind);
            (Some(text.into_boxed_str()), content)
        }
        Err(_) => (None, Err(Error::damaged("isn't UTF-8 text"))),
    };
    let content = content.map_err(|error| error.at(path));
    Ok(LegacyFile {
        path: path.to_path_buf(),
        kind,
        sha256,
        bytes: size,
        symlink,
        content,
        text: text.map(HiddenText),
    })
}

fn parse(text: &str, kind: LegacyKind) -> Result<LegacyContent> {
    let document = Document::parse(text)?;
    let Some(root) = document.members(document.root()) else {
        return Err(Error::damaged("isn't a JSON object"));
    };
    let mut content = LegacyContent::default();
    let has_profiles = root.iter().any(|member| member.key == "profiles");
    let is_state = root.iter().any(|member| matches!(&*member.key, "order" | "lastGood" | "usageStats"));
    if kind != LegacyKind::State {
        if has_profiles {
            for member in members(&document, "profiles") {
                content.take(&member.0, member.1, None, "profiles.");
            }
        } else {
            for member in &root {
                let value = document.slice(member.value.clone());
                let state = matches!(&*member.key, "version" | "order" | "lastGood" | "usageStats");
                if !state {
                    content.take_flat(&member.key, value, kind);
                }
            }
        }
    }
    for (key, value) in members(&document, "order") {
        content.keep(&key, value, value.starts_with('['), "order", |content| &mut content.order);
    }
    for (key, value) in members(&document, "lastGood") {
        content.keep(&key, value, value.starts_with('"'), "lastGood", |content| &mut content.last_good);
    }
    for (key, value) in members(&document, "usageStats") {
        content.keep(&key, value, value.starts_with('{'), "usageStats", |content| &mut content.usage);
    }
    let empty = content.is_empty() && !has_profiles && !is_state && kind != LegacyKind::State;
    let says_something = root.iter().any(|member| member.key != "version");
    if empty && says_something {
        return Err(Error::damaged("holds nothing that looks like a credential"));
    }
    Ok(content)
}

fn members<'a>(document: &Document<'a>, name: &str) -> Vec<(String, &'a str)> {
    let span = document.member(document.root(), name);
    let members = span.and_then(|span| document.members(span)).unwrap_or_default();
    members.into_iter().map(|member| (member.key.into_owned(), document.slice(member.value))).collect()
}

impl LegacyContent {
    fn take(&mut self, id: &str, value: &str, provider: Option<&str>, path: &str) {
        let name = id.trim();
        let spelled = canonical::of_credential(value, name, provider);
        let text = spelled.as_ref().map_or(value, |canonical| canonical.text.as_str());
        if name.is_empty() || is_reserved(name) || Credential::from_raw(text).is_none() {
            self.unread.push(format!("{path}{id}"));
        } else {
            self.profiles.insert(ProfileId::from(name), RawJson::new(text));
        }
    }

    /// An entry of a flat file: its key is a provider, sometimes a profile id.
    fn take_flat(&mut self, key: &str, value: &str, kind: LegacyKind) {
        let name = key.trim();
        let provider = canonical::provider_of_id(name).unwrap_or_else(|| name.to_lowercase());
        let id = if name.contains(':') { name.to_owned() } else { format!("{provider}:default") };
        let spelled = canonical::of_credential(value, &id, Some(&provider));
        let text = spelled.as_ref().map_or(value, |canonical| canonical.text.as_str());
        let holds = Credential::from_raw(text).is_some_and(|credential| credential.has_secret_or_ref());
        if holds && !is_reserved(name) {
            self.take(&id, text, Some(&provider), "");
        } else if kind == LegacyKind::OAuth || value.starts_with('{') {
            self.unread.push(key.to_owned());
        }
    }

    fn keep(
        &mut self,
        key: &str,
        value: &str,
        fits: bool,
        container: &str,
        slot: impl Fn(&mut Self) -> &mut IndexMap<String, RawJson>,
    ) {
        let name = key.trim();
        if fits && !name.is_empty() && !is_reserved(name) {
            slot(self).insert(name.to_owned(), RawJson::new(value));
        } else {
            self.unread.push(format!("{container}.{key}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str, kind: LegacyKind) -> LegacyContent {
        parse(text, kind).unwrap()
    }

    fn ids(content: &LegacyContent) -> Vec<&str> {
        content.profiles.keys().map(ProfileId::as_str).collect()
    }

    #[test]
    fn every_shape_is_read() {
        let full = r#"{"version":1,"profiles":{"x:a":{"type":"api_key","provider":"x","key":"k"},"x:b":3,"__proto__":{"type":"api_key","key":"k"}},"order":{"x":["x:a"],"y":5},"lastGood":{"x":"x:a"},"usageStats":{"x:a":{"lastUsed":1}}}"#;
        let read = content(full, LegacyKind::Profiles);
        assert_eq!(ids(&read), ["x:a"]);
        assert_eq!((read.order.len(), read.last_good.len(), read.usage.len()), (1, 1, 1));
        assert_eq!(read.unread, ["profiles.x:b", "profiles.__proto__", "order.y"]);
        let flat = r#"{"OpenAI":{"type":"api_key","key":"k"},"x:b":{"mode":"token","token":"t"},"prototype":{"key":"k"},"note":"n"}"#;
        let read = content(flat, LegacyKind::Flat);
        assert_eq!(ids(&read), ["openai:default", "x:b"]);
        assert!(read.profiles["openai:default"].as_str().contains(r#""provider":"openai""#));
        let oauth = "\u{feff}{\"anthropic\":{\"access\":\"a\",\"refresh\":\"r\",\"expires\":5}}";
        let read = content(oauth, LegacyKind::OAuth);
        assert_eq!(ids(&read), ["anthropic:default"]);
        assert!(read.profiles["anthropic:default"].as_str().contains(r#""type":"oauth""#));
        let state = content(r#"{"version":1,"order":{"x":["x:a"]}}"#, LegacyKind::State);
        assert_eq!(state.len(), 1);
    }

    #[test]
    fn what_holds_nothing_is_told() {
        for text in ["", "{", "[]", "3", r#"{"hello":"world"}"#, r#"{"a":{"b":1}}"#] {
            assert!(parse(text, LegacyKind::Flat).is_err(), "{text}");
        }
        for text in ["{}", r#"{"version":1,"profiles":{}}"#, r#"{"version":1}"#] {
            assert!(content(text, LegacyKind::Profiles).is_empty(), "{text}");
        }
    }
}
