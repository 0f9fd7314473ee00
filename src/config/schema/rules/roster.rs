//! Agents and the names of agents.

use std::collections::HashMap;

use super::{FROM_2026_6, FROM_2026_8, Rules};
use crate::config::node::{Kind, Member, Node};
use crate::config::path::JsonPath;
use crate::config::schema::Version;

/// The config with `agents.list` turned into `agents.entries`, as 2026.8 and later do before they
/// look at it; `None` if there is nothing to turn, or if the list isn't clean.
pub(in crate::config::schema) fn keyed(tree: &Node, version: Version) -> Option<Node> {
    let agents = &tree.member("agents")?.value;
    if version < FROM_2026_8 || agents.member("entries").is_some() {
        return None;
    }
    let list = agents.member("list")?;
    let Kind::Array(elements) = &list.value.kind else { return None };
    let mut entries: Vec<Member> = Vec::new();
    for element in elements {
        let id = element.member("id")?;
        let key = id.value.as_str()?;
        if key != normalized(key) || entries.iter().any(|entry| entry.key == key) {
            return None;
        }
        let members = element.members().iter().filter(|member| member.key != "id").cloned().collect();
        let value = Node { span: element.span, kind: Kind::Object(members) };
        entries.push(Member { key: key.to_owned(), key_span: id.value.span, value });
    }
    let mut tree = tree.clone();
    let Kind::Object(members) = &mut tree.kind else { return None };
    let agents = members.iter_mut().find(|member| member.key == "agents")?;
    let Kind::Object(members) = &mut agents.value.kind else { return None };
    let list = members.iter_mut().find(|member| member.key == "list")?;
    list.key = "entries".to_owned();
    list.value.kind = Kind::Object(entries);
    Some(tree)
}

/// An agent id as OpenClaw compares it: lower case, letters, digits, `_` and `-`, at most 64.
fn normalized(id: &str) -> String {
    let lower = id.trim().to_lowercase();
    let mapped: String = lower
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' })
        .collect();
    let trimmed: String = mapped.trim_matches('-').chars().take(64).collect();
    if trimmed.is_empty() { "main".to_owned() } else { trimmed }
}

impl Rules<'_> {
    pub(super) fn roster(&mut self) {
        if self.since(FROM_2026_8) {
            self.entries();
        }
        self.agent_dirs();
        self.avatars();
        self.agent_names();
    }

    fn agents(&self) -> Option<&Node> {
        self.tree.member("agents").map(|member| &member.value)
    }

    /// Each agent with its id and path.
    fn configured(&self) -> Vec<(String, JsonPath, Node)> {
        let Some(agents) = self.agents() else { return Vec::new() };
        let path = JsonPath::of_keys(["agents"]);
        if self.since(FROM_2026_8) {
            let entries = agents.member("entries").map(|member| member.value.members()).unwrap_or_default();
            let path = path.key("entries");
            return entries
                .iter()
                .map(|entry| (entry.key.clone(), path.key(&entry.key), entry.value.clone()))
                .collect();
        }
        let list = agents.member("list").map(|member| member.value.elements()).unwrap_or_default();
        let path = path.key("list");
        let with_id = |(index, entry): (usize, &Node)| {
            let id = entry.member("id")?.value.as_str()?;
            Some((id.to_owned(), path.index(index), entry.clone()))
        };
        list.iter().enumerate().filter_map(with_id).collect()
    }

    fn entries(&mut self) {
        let Some(agents) = self.agents() else { return };
        let path = JsonPath::of_keys(["agents"]);
        let explicit =
            agents.member("ownership").is_some_and(|member| member.value.as_str() == Some("explicit"));
        let entries = self.configured();
        if agents.member("entries").is_some_and(|member| !matches!(member.value.kind, Kind::Object(_))) {
            return;
        }
        if entries.is_empty() {
            if explicit {
                self.report(path.key("ownership"), "\"explicit\" needs at least one agent in agents.entries");
            }
            return;
        }
        let mut known: HashMap<String, &str> = HashMap::new();
        for (id, at, entry) in &entries {
            if let Some(first) = known.insert(normalized(id), id) {
                self.report(at.clone(), format!("is the same agent as \"{first}\""));
            }
            for key in ["constructor", "prototype"] {
                if entry.member(key).is_some() {
                    self.report(at.key(key), "can't be a key of an agent");
                }
            }
        }
        let is_default = |entry: &Node| {
            entry.member("default").is_some_and(|member| member.value.kind == Kind::Bool(true))
        };
        let defaults = entries.iter().filter(|(_, _, entry)| is_default(entry)).count();
        if defaults > 1 {
            self.report(
                path.key("entries"),
                format!("only one agent can have default: true, found {defaults}"),
            );
        } else if explicit && defaults == 1 {
            self.report(path.key("ownership"), "\"explicit\" can't stand beside an agent with default: true");
        } else if !explicit && defaults == 0 && entries.len() > 1 {
            let message = "several agents need agents.ownership: \"explicit\", or one of them default: true";
            self.report(path.key("entries"), message);
        }
    }

    /// Two agents can't share a folder.
    fn agent_dirs(&mut self) {
        let mut known: HashMap<String, String> = HashMap::new();
        for (id, path, entry) in self.configured() {
            let written = entry.member("agentDir").and_then(|member| member.value.as_str()).map(str::trim);
            let folder = match written {
                Some(folder) if !folder.is_empty() => folder.to_owned(),
                _ => format!("~/.openclaw/agents/{}/agent", normalized(&id)),
            };
            let folder = crate::config::include::normalize(folder.as_ref()).display().to_string();
            let first = known.entry(folder).or_insert_with(|| id.clone());
            // Up to 2026.7 an agent may be listed twice.
            if normalized(first) != normalized(&id) {
                let message = format!("the agents \"{first}\" and \"{id}\" share one agentDir");
                self.report(if written.is_some() { path.key("agentDir") } else { path }, message);
            }
        }
    }

    fn avatars(&mut self) {
        for (_, path, entry) in self.configured() {
            let identity = entry.member("identity").map(|member| &member.value);
            let Some(avatar) =
                identity.and_then(|node| node.member("avatar")).and_then(|member| member.value.as_str())
            else {
                continue;
            };
            let avatar = avatar.trim();
            let lower = avatar.to_lowercase();
            if avatar.is_empty()
                || ["data:", "http://", "https://"].iter().any(|scheme| lower.starts_with(scheme))
            {
                continue;
            }
            let path = path.key("identity").key("avatar");
            let scheme = avatar.split_once(':').is_some_and(|(scheme, _)| {
                scheme.len() > 1
                    && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            });
            let workspace =
                entry.member("workspace").and_then(|member| member.value.as_str()).unwrap_or_default();
            let inside = crate::config::include::normalize(avatar.as_ref());
            let outside = inside.starts_with("..")
                || (inside.is_absolute() && (workspace.is_empty() || !inside.starts_with(workspace)));
            if avatar.starts_with('~') || scheme {
                self.report(path, "must be a path in the agent's workspace, an http(s) URL or a data URL");
            } else if outside {
                self.report(path, "must stay in the agent's workspace");
            }
        }
    }

    /// Settings that name an agent.
    fn agent_names(&mut self) {
        let agents = self.configured();
        let ids: Vec<String> = agents.iter().map(|(id, _, _)| id.clone()).collect();
        let mut effective: Vec<String> = ids.iter().map(|id| normalized(id)).collect();
        let implied = effective.is_empty();
        if implied {
            effective.push("main".to_owned());
        }
        if self.since(FROM_2026_8) {
            for keys in [
                &["agents", "defaults", "heartbeat", "agentId"][..],
                &["agents", "defaults", "systemAgent", "agentId"],
                &["talk", "agentId"],
            ] {
                let path = JsonPath::of_keys(keys.iter().copied());
                let named = self.tree.get(&path).and_then(Node::as_str);
                if named.is_some_and(|name| !effective.contains(&normalized(name))) {
                    self.report(path, unknown(named.unwrap_or_default()));
                }
            }
        }
        // From 2026.8 on "main" can always be named; up to 2026.5 nobody looks.
        let lenient = self.since(FROM_2026_8);
        let checked = lenient || (self.since(FROM_2026_6) && !implied);
        let bindings = self.tree.member("bindings").map(|member| member.value.elements()).unwrap_or_default();
        for (index, binding) in bindings.iter().enumerate().filter(|_| checked) {
            let Some(name) = binding.member("agentId").and_then(|member| member.value.as_str()) else {
                continue;
            };
            let exists = effective.contains(&normalized(name)) || (lenient && name == "main");
            if !exists {
                let path = JsonPath::of_keys(["bindings"]).index(index).key("agentId");
                self.report(path, unknown(name));
            }
        }
        if implied && !self.since(FROM_2026_8) {
            return;
        }
        let ids = if implied { vec!["main".to_owned()] } else { ids };
        self.broadcast(&ids);
    }

    fn broadcast(&mut self, ids: &[String]) {
        let Some(broadcast) = self.tree.member("broadcast") else { return };
        let path = JsonPath::of_keys(["broadcast"]);
        for member in broadcast.value.members().iter().filter(|member| member.key != "strategy") {
            let at = path.key(&member.key);
            let qualified = member.key.split_once(':').is_some_and(|(channel, peer)| {
                !peer.is_empty()
                    && channel.starts_with(|c: char| c.is_ascii_alphabetic())
                    && channel.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            });
            let (list, at) = match &member.value.kind {
                Kind::Object(_) => {
                    if !qualified {
                        self.report(at.clone(), "group options need a key of the form channel:peer");
                    }
                    (member.value.member("agents").map(|member| member.value.elements()), at.key("agents"))
                }
                Kind::Array(elements) => {
                    if qualified && elements.len() > 16 && self.since(FROM_2026_8) {
                        self.report(at.clone(), "a group takes at most 16 agents");
                    }
                    (Some(elements.as_slice()), at)
                }
                _ => continue,
            };
            for (index, element) in list.unwrap_or_default().iter().enumerate() {
                if let Some(name) = element.as_str().filter(|name| !ids.iter().any(|id| id == name)) {
                    self.report(at.index(index), unknown(name));
                }
            }
        }
    }

    /// Providers of one's own need an address and models; 2026.5 says so in its schema.
    pub(super) fn providers(&mut self) {
        let path = JsonPath::of_keys(["models", "providers"]);
        let Some(providers) = self.tree.get(&path) else { return };
        if !self.since(FROM_2026_8) {
            for member in providers.members().iter().filter(|member| member.key.contains(['/', '\\'])) {
                self.report(path.key(&member.key), "a provider's name can't hold a slash");
            }
        }
        if !self.since(FROM_2026_6) {
            return;
        }
        for member in providers.members() {
            if !matches!(member.value.kind, Kind::Object(_))
                || super::known::is_overlay(&member.key, self.version)
            {
                continue;
            }
            let at = path.key(&member.key);
            let url = member.value.member("baseUrl");
            if url.is_none_or(|url| url.value.as_str() == Some("")) {
                self.report(at.clone(), "a provider of your own needs a baseUrl");
            }
            if member.value.member("models").is_none() {
                self.report(at, "a provider of your own needs its models");
            }
        }
    }
}

fn unknown(name: &str) -> String {
    format!("there is no agent \"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_ids() {
        for (id, expected) in
            [("Main", "main"), ("my agent", "my-agent"), ("", "main"), ("_a", "_a"), ("a.b", "a-b")]
        {
            assert_eq!(normalized(id), expected, "{id}");
        }
    }
}
