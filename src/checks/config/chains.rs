//! Where a config names models.

use crate::config::JsonPath;
use crate::config::{Kind, Node};

/// A model that a config names.
#[derive(Debug, Clone)]
pub(super) struct Named<'a> {
    pub(super) path: JsonPath,
    pub(super) node: &'a Node,
    pub(super) text: &'a str,
}

/// A `model`-like setting: a string, or a primary with fallbacks.
#[derive(Debug, Clone)]
pub(super) struct Chain<'a> {
    pub(super) path: JsonPath,
    pub(super) node: &'a Node,
    pub(super) primary: Option<Named<'a>>,
    pub(super) fallbacks: Vec<Named<'a>>,
}

impl<'a> Chain<'a> {
    fn new(path: JsonPath, node: &'a Node) -> Self {
        let named = |path: JsonPath, node: &'a Node| node.as_str().map(|text| Named { path, node, text });
        let (primary, fallbacks) = match &node.kind {
            Kind::String(_) => (named(path.clone(), node), Vec::new()),
            _ => {
                let primary =
                    node.member("primary").and_then(|member| named(path.key("primary"), &member.value));
                let listed =
                    node.member("fallbacks").map(|member| member.value.elements()).unwrap_or_default();
                let at = path.key("fallbacks");
                let fallbacks =
                    listed.iter().enumerate().filter_map(|(index, node)| named(at.index(index), node));
                (primary, fallbacks.collect())
            }
        };
        Self { path, node, primary, fallbacks }
    }

    /// Primary, then fallbacks.
    pub(super) fn all(&self) -> impl Iterator<Item = &Named<'a>> {
        self.primary.iter().chain(&self.fallbacks)
    }

    /// `model` of the defaults or of an agent, which messages run on.
    pub(super) fn is_chat(&self) -> bool {
        self.path.last_key() == Some("model")
    }
}

/// The agents with their paths: `agents.entries.*` and `agents.list[]`.
pub(super) fn agents(tree: &Node) -> Vec<(JsonPath, &Node)> {
    let Some(agents) = tree.member("agents") else { return Vec::new() };
    let path = JsonPath::of_keys(["agents"]);
    let entries = agents.value.member("entries").map(|member| member.value.members()).unwrap_or_default();
    let listed = agents.value.member("list").map(|member| member.value.elements()).unwrap_or_default();
    let entries_path = path.key("entries");
    let list_path = path.key("list");
    entries
        .iter()
        .map(|member| (entries_path.key(&member.key), &member.value))
        .chain(listed.iter().enumerate().map(|(index, node)| (list_path.index(index), node)))
        .collect()
}

/// `agents.defaults`.
pub(super) fn defaults(tree: &Node) -> Option<(JsonPath, &Node)> {
    let path = JsonPath::of_keys(["agents", "defaults"]);
    tree.get(&path).map(|node| (path, node))
}

/// Every `model` and `...Model` of the defaults and of the agents, and the models of their
/// heartbeats, subagents and compaction.
pub(super) fn chains(tree: &Node) -> Vec<Chain<'_>> {
    let mut found = Vec::new();
    for (path, node) in defaults(tree).into_iter().chain(agents(tree)) {
        for member in node.members() {
            if member.key == "model" || member.key.ends_with("Model") {
                found.push(Chain::new(path.key(&member.key), &member.value));
            }
            if matches!(member.key.as_str(), "heartbeat" | "subagents" | "compaction")
                && let Some(model) = member.value.member("model")
            {
                found.push(Chain::new(path.key(&member.key).key("model"), &model.value));
            }
        }
    }
    found.retain(|chain| matches!(chain.node.kind, Kind::String(_) | Kind::Object(_)));
    found
}

/// The aliases of `agents.defaults.models` and of the agents' own, in lower case.
pub(super) fn aliases(tree: &Node) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (_, node) in defaults(tree).into_iter().chain(agents(tree)) {
        for member in node.member("models").map(|member| member.value.members()).unwrap_or_default() {
            let alias = member.value.member("alias").and_then(|alias| alias.value.as_str());
            found.extend(alias.map(|alias| (alias.trim().to_lowercase(), member.key.clone())));
        }
    }
    found
}

/// The provider of `provider/model`, in lower case; an alias is looked up first.
pub(super) fn provider_of(text: &str, aliases: &[(String, String)]) -> Option<String> {
    let text = text.trim();
    let meant = aliases.iter().find(|(alias, _)| *alias == text.to_lowercase());
    let full = meant.map_or(text, |(_, model)| model.as_str());
    let (provider, model) = full.split_once('/')?;
    (!provider.trim().is_empty() && !model.trim().is_empty()).then(|| provider.trim().to_lowercase())
}
