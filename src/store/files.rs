//! The files of a store: their names, and reading them.

use std::path::Path;

use crate::base::error::{Error, Result};

/// Newest `user_version` of an agent database that was checked (2026.9.6).
pub(crate) const KNOWN_AGENT_SCHEMA: i64 = 23;

/// Newest `user_version` of a state database that was checked (2026.9.6).
pub(crate) const KNOWN_STATE_SCHEMA: i64 = 18;

pub(crate) const AGENT_DATABASE: &str = "openclaw-agent.sqlite";

pub(crate) const PROFILES_FILE: &str = "auth-profiles.json";

pub(crate) const STATE_FILE: &str = "auth-state.json";

/// Files of older generations, by name.
pub(crate) const OLDER_FILES: [&str; 3] = [PROFILES_FILE, STATE_FILE, "auth.json"];

/// The text of a file; `None` when there is none.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>> {
    refuse_special(path)?;
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| {
            Error::damaged("isn't UTF-8 text")
                .at(path)
                .hint(format!("the first byte that isn't stands at {}", error.utf8_error().valid_up_to()))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read the file", path, error)),
    }
}

/// Refuses what isn't a regular file: reading a FIFO or a device would never end.
pub(crate) fn refuse_special(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(data) if !data.is_file() && !data.is_dir() => {
            Err(Error::damaged("this is no regular file").at(path))
        }
        _ => Ok(()),
    }
}
