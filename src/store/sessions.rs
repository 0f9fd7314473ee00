//! Session entries: `sessions.json` of an agent to 2026.7, table `session_nodes` of its database from
//! 2026.9 on.

use serde_json::{Map, Value};

use super::db::rows::has_table;
use super::db::sqlite;
use super::files::{AGENT_DATABASE, read_text};
use super::{Agent, Installation};
use crate::base::error::{Error, Result};

/// An agent's sessions by key, in stored sequence. Entries that are no objects are left out.
///
/// # Errors
/// The file or database is there and can't be read, or its JSON is broken (exit 5).
pub fn read(installation: &Installation, agent: &Agent) -> Result<Map<String, Value>> {
    let database = agent.dir.join(AGENT_DATABASE);
    let mut sessions = Map::new();
    if database.exists() {
        let rows = sqlite::read(&database, |connection| {
            if !has_table(connection, "session_nodes")? {
                return Ok(Vec::new());
            }
            let mut query = connection.prepare("SELECT session_key, entry_json FROM session_nodes")?;
            let rows = query
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        for (key, entry) in rows {
            if let Some(entry @ Value::Object(_)) = entry.and_then(|text| serde_json::from_str(&text).ok()) {
                sessions.insert(key, entry);
            }
        }
    }
    if sessions.is_empty() {
        let file =
            installation.places.agents_dir().join(agent.id.as_str()).join("sessions").join("sessions.json");
        if let Some(text) = read_text(&file)? {
            let stored: Value =
                serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
                    Error::damaged("the session file isn't JSON")
                        .at(&file)
                        .at_line(error.line(), error.column())
                        .caused_by(error)
                })?;
            if let Value::Object(stored) = stored {
                sessions.extend(stored.into_iter().filter(|(_, entry)| entry.is_object()));
            }
        }
    }
    Ok(sessions)
}

/// The entry of one session. A short key means the agent's own: `s1` finds `agent:main:s1` and
/// `agent:main:explicit:s1`.
#[must_use]
pub fn find<'a>(sessions: &'a Map<String, Value>, key: &str) -> Option<(&'a str, &'a Value)> {
    let exact = sessions.iter().find(|(known, _)| *known == key);
    let by_end = || {
        let mut found = sessions
            .iter()
            .filter(|(known, _)| known.strip_suffix(key).is_some_and(|head| head.ends_with(':')));
        found.next().filter(|_| found.next().is_none())
    };
    exact.or_else(by_end).map(|(key, entry)| (key.as_str(), entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn short_keys_find_one_session_or_none() {
        let sessions = json!({"agent:main:main": {"a": 1}, "agent:main:x:s1": {}, "agent:main:y:s1": {}});
        let sessions = sessions.as_object().expect("an object");
        assert_eq!(find(sessions, "main").map(|found| found.0), Some("agent:main:main"));
        assert_eq!(find(sessions, "agent:main:x:s1").map(|found| found.0), Some("agent:main:x:s1"));
        assert_eq!(find(sessions, "s1"), None, "ambiguous");
        assert_eq!(find(sessions, "ain"), None);
    }
}
