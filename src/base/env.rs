//! The process environment, injected so that tests and `run()` see the same thing.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

/// Environment variables and the working folder.
#[derive(Clone, Default)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    /// Relative paths start here.
    pub current_dir: PathBuf,
}

/// Variables may hold keys, so only their number shows.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vars, current_dir } = self;
        f.debug_struct("Env").field("vars", &vars.len()).field("current_dir", current_dir).finish()
    }
}

impl Env {
    /// An environment of exactly these variables.
    pub fn new<K: Into<OsString>, V: Into<OsString>>(
        vars: impl IntoIterator<Item = (K, V)>,
        current_dir: impl Into<PathBuf>,
    ) -> Self {
        Self {
            vars: vars.into_iter().map(|(key, value)| (key.into(), value.into())).collect(),
            current_dir: current_dir.into(),
        }
    }

    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self { vars: std::env::vars_os().collect(), current_dir: std::env::current_dir().unwrap_or_default() }
    }

    /// The variable as it stands, also when empty.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The variable as text, trimmed; empty and non-UTF-8 values count as unset.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name)?.to_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// The variable as a path; empty counts as unset. `~` isn't expanded here.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let raw = self.raw(name)?;
        let blank = raw.to_str().is_some_and(|text| text.trim().is_empty());
        (!blank).then(|| raw.to_str().map_or_else(|| PathBuf::from(raw), |text| PathBuf::from(text.trim())))
    }

    /// Sets a variable (for tests and `--env-file`).
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.vars.insert(name.into(), value.into());
    }

    /// The same without the variables whose name starts like one of these.
    #[must_use]
    pub fn without_prefixes(&self, prefixes: &[&str]) -> Self {
        let starts = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let keep = |name: &OsString| !name.to_str().is_some_and(starts);
        let vars = self.vars.iter().filter(|(name, _)| keep(name));
        Self {
            vars: vars.map(|(name, value)| (name.clone(), value.clone())).collect(),
            current_dir: self.current_dir.clone(),
        }
    }

    /// All variables whose name and value are UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().filter_map(|(key, value)| Some((key.to_str()?, value.to_str()?)))
    }
}
