//! The parts of a config that every command asks for, whatever its release.

use serde_json::Value;

/// An agent as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredAgent {
    /// `id` in `agents.list[]` (to 2026.7), or the key in `agents.entries` (2026.9).
    pub id: String,
    /// `agentDir`, as written.
    pub agent_dir: Option<String>,
    /// `default: true`.
    pub default: bool,
}

/// The configured agents in their order: `agents.entries` of 2026.9, then `agents.list`. Entries
/// without a usable id are left out; the schema check reports them.
#[must_use]
pub fn agents(config: &Value) -> Vec<ConfiguredAgent> {
    let agents = &config["agents"];
    let entries = agents["entries"].as_object().into_iter().flatten();
    let listed = agents["list"].as_array().into_iter().flatten();
    let mut found: Vec<ConfiguredAgent> = Vec::new();
    let named = listed.filter_map(|entry| Some((entry["id"].as_str()?, entry)));
    for (id, entry) in entries.map(|(id, entry)| (id.as_str(), entry)).chain(named) {
        let id = id.trim();
        if id.is_empty() || found.iter().any(|known| known.id == id) {
            continue;
        }
        let agent_dir = entry["agentDir"].as_str().map(str::trim).filter(|dir| !dir.is_empty());
        found.push(ConfiguredAgent {
            id: id.to_owned(),
            agent_dir: agent_dir.map(str::to_owned),
            default: entry["default"].as_bool() == Some(true),
        });
    }
    found
}

/// `gateway.port`.
#[must_use]
pub fn gateway_port(config: &Value) -> Option<u16> {
    config["gateway"]["port"].as_u64().and_then(|port| u16::try_from(port).ok()).filter(|&port| port > 0)
}

/// `meta.lastTouchedVersion`: the release that wrote the config last.
#[must_use]
pub fn last_touched_version(config: &Value) -> Option<&str> {
    config["meta"]["lastTouchedVersion"].as_str().map(str::trim).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn agents_in_both_shapes() {
        let listed = json!({"agents": {"list": [{"id": "main"}, {"id": "work", "agentDir": "~/w", "default": true}, {"id": ""}, 3]}});
        let ids = |config: &Value| agents(config).into_iter().map(|a| (a.id, a.default)).collect::<Vec<_>>();
        assert_eq!(ids(&listed), [("main".to_owned(), false), ("work".to_owned(), true)]);
        assert_eq!(agents(&listed)[1].agent_dir.as_deref(), Some("~/w"));
        let entries = json!({"agents": {"entries": {"main": {}, "b": {"default": true}}}});
        assert_eq!(ids(&entries), [("main".to_owned(), false), ("b".to_owned(), true)]);
        assert_eq!(agents(&json!({"agents": []})), []);
    }

    #[test]
    fn port_and_version() {
        let config = json!({"gateway": {"port": 18789.0}, "meta": {"lastTouchedVersion": "2026.7.1"}});
        assert_eq!(gateway_port(&json!({"gateway": {"port": 70000}})), None);
        assert_eq!(gateway_port(&json!({"gateway": {"port": 18789}})), Some(18789));
        assert_eq!(last_touched_version(&config), Some("2026.7.1"));
        assert_eq!(last_touched_version(&json!({"meta": 1})), None);
    }
}
