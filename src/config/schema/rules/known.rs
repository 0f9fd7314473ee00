//! Names that a release knows of itself: channels, plugins, search providers, model providers.

use super::{FROM_2026_6, FROM_2026_8, Rules, fits};
use crate::config::node::{Kind, Node};
use crate::config::path::JsonPath;
use crate::config::schema::Version;
use crate::config::schema::check::{Checker, Issue, Problem};
use crate::config::schema::pool::{Id, Pool};

/// Other names of channels, as `agents.*.heartbeat.target` takes them (asked from 2026.9.6).
const CHANNEL_ALIASES: [&str; 10] =
    ["imsg", "gchat", "google-chat", "teams", "nc-talk", "nc", "zl", "zlu", "internet-relay-chat", "lark"];

/// In the schema, but no release knows it as a channel.
const NO_CHANNEL: &str = "qa-channel";

/// Providers that need no `baseUrl` and no `models` (asked from 2026.9.6 for 1,200 names).
pub(in crate::config::schema) const OVERLAYS_2026_9: &[&str] = &[
    "amazon-bedrock",
    "amazon-bedrock-mantle",
    "anthropic",
    "anthropic-vertex",
    "arcee",
    "azure-openai-responses",
    "byteplus",
    "byteplus-plan",
    "cerebras",
    "chutes",
    "claude-cli",
    "clawrouter",
    "cloudflare-ai-gateway",
    "codex",
    "comfy",
    "copilot-proxy",
    "dashscope",
    "deepinfra",
    "deepseek",
    "fal",
    "fireworks",
    "github-copilot",
    "google",
    "google-antigravity",
    "google-gemini-cli",
    "google-vertex",
    "groq",
    "huggingface",
    "kilocode",
    "kimi",
    "kimi-coding",
    "litellm",
    "lmstudio",
    "meta",
    "microsoft-foundry",
    "minimax",
    "minimax-portal",
    "mistral",
    "modelstudio",
    "moonshot",
    "moonshotai",
    "novita",
    "novita-ai",
    "novitaai",
    "nvidia",
    "ollama",
    "ollama-cloud",
    "openai",
    "opencode",
    "opencode-go",
    "openrouter",
    "qianfan",
    "qwen",
    "qwencloud",
    "sglang",
    "stepfun",
    "stepfun-plan",
    "synthetic",
    "tencent-tokenhub",
    "together",
    "venice",
    "vercel-ai-gateway",
    "vllm",
    "volcengine",
    "volcengine-plan",
    "vydra",
    "x-ai",
    "xai",
    "xiaomi",
    "xiaomi-token-plan",
    "z-ai",
    "zai",
];

/// Search providers that come with the release (asked from each release).
const SEARCH_2026_9: &[&str] = &["gemini", "grok", "minimax", "ollama"];
const SEARCH_2026_7: &[&str] = &["duckduckgo", "gemini", "grok", "minimax", "ollama"];

/// Channels of 2026.5 that its schema doesn't list.
const MORE_CHANNELS_2026_5: [&str; 2] = ["wecom", "yuanbao"];

/// A plugin of 2026.7 and later that the schema doesn't list.
const MORE_PLUGIN: &str = "skill-workshop";

/// Keys that `tools.web.search` held before plugins took them over.
const OLD_SEARCH_KEYS: [&str; 12] = [
    "brave",
    "duckduckgo",
    "exa",
    "firecrawl",
    "gemini",
    "grok",
    "kimi",
    "minimax",
    "ollama",
    "perplexity",
    "searxng",
    "tavily",
];

/// Whether a provider may leave out `baseUrl` and `models` because the release knows them.
pub(super) fn is_overlay(provider: &str, version: Version) -> bool {
    let provider = provider.trim().to_lowercase();
    version >= FROM_2026_6 && OVERLAYS_2026_9.contains(&provider.as_str())
}

/// The names of the keys that the schema lists at a path of object keys.
fn listed<'a>(pool: &'a Pool, root: Id, keys: &[&str]) -> Vec<&'a str> {
    let mut schema = pool.schema(root);
    for key in keys {
        let Some(&id) = schema.properties.get(*key) else { return Vec::new() };
        schema = pool.schema(id);
    }
    schema.properties.keys().map(String::as_str).collect()
}

impl Rules<'_> {
    /// Names of channels, plugins and search providers that the release doesn't know.
    pub(super) fn names(&mut self, pool: &Pool, root: Id) {
        let mut channels: Vec<&str> =
            listed(pool, root, &["channels"]).into_iter().filter(|name| *name != NO_CHANNEL).collect();
        if !self.since(FROM_2026_6) {
            channels.extend(MORE_CHANNELS_2026_5);
        }
        let mut plugins = listed(pool, root, &["plugins", "entries"]);
        if self.since(FROM_2026_6) {
            plugins.push(MORE_PLUGIN);
        }
        self.channel_keys(&channels);
        if !self.since(FROM_2026_8) {
            self.shared_channel_settings(pool);
        }
        self.heartbeat_targets(&channels);
        self.search();
        self.memory_slot(&plugins);
        self.denied_plugins(&plugins);
    }

    fn channel_keys(&mut self, channels: &[&str]) {
        let path = JsonPath::of_keys(["channels"]);
        let Some(node) = self.tree.get(&path) else { return };
        for member in node.members() {
            let name = member.key.trim();
            let fixed = matches!(name, "" | "defaults" | "modelByChannel");
            if !fixed && !channels.contains(&name) && !self.has_plugin(name) {
                self.report(path.key(&member.key), format!("there is no channel \"{name}\""));
            }
        }
    }

    /// `channels.defaults` and `channels.modelByChannel`, which only the schema of 2026.9 holds; the
    /// older releases take the same, apart from a few keys.
    fn shared_channel_settings(&mut self, pool: &Pool) {
        let root = pool.releases.values().next_back().map(|&root| pool.schema(root));
        let Some(channels) = root.and_then(|root| root.properties.get("channels")).map(|&id| pool.schema(id))
        else {
            return;
        };
        let at = JsonPath::of_keys(["channels"]);
        let Some(node) = self.tree.get(&at) else { return };
        let checker = Checker { pool };
        if let (Some(member), Some(&id)) =
            (node.member("modelByChannel"), channels.properties.get("modelByChannel"))
        {
            self.issues.extend(checker.check(id, &member.value, &mut at.key("modelByChannel")));
        }
        let (Some(member), Some(&id)) = (node.member("defaults"), channels.properties.get("defaults")) else {
            return;
        };
        let at = at.key("defaults");
        if !matches!(member.value.kind, Kind::Object(_)) {
            let problem =
                Problem::Type { expected: vec!["object".to_owned()], found: member.value.type_name() };
            self.issues.push(Issue { path: at, problem });
            return;
        }
        let mut known = vec!["groupPolicy", "contextVisibility", "heartbeat"];
        if self.since(FROM_2026_6) {
            known.push("botLoopProtection");
        }
        for member in member.value.members() {
            let name = if member.key == "heartbeat" { "heartbeatVisibility" } else { &member.key };
            let mut path = at.key(&member.key);
            if !known.contains(&member.key.as_str()) {
                let known = known.iter().map(|key| (*key).to_owned()).collect();
                self.issues.push(Issue { path, problem: Problem::UnknownKey { known } });
            } else if let Some(&id) = pool.schema(id).properties.get(name) {
                self.issues.extend(checker.check(id, &member.value, &mut path));
            }
        }
    }

    /// Whether the config speaks of a plugin of this name, so that it may be installed.
    fn has_plugin(&self, name: &str) -> bool {
        let at = |keys: &[&str]| self.tree.get(&JsonPath::of_keys(keys.iter().copied()));
        let entry = at(&["plugins", "entries", name]).is_some();
        let listed = |keys| {
            at(keys).is_some_and(|list| list.elements().iter().any(|item| item.as_str() == Some(name)))
        };
        entry || listed(&["plugins", "allow"])
    }

    fn heartbeat_targets(&mut self, channels: &[&str]) {
        let mut found = Vec::new();
        collect(self.tree, &mut JsonPath::root(), "@agent.heartbeat.target", &mut found);
        for (path, text) in found {
            let name = text.trim().to_lowercase();
            let fixed =
                matches!(name.as_str(), "last" | "none") || (name == "owner" && self.since(FROM_2026_8));
            let channel =
                channels.contains(&name.as_str()) && !matches!(name.as_str(), "defaults" | "modelbychannel");
            if !fixed && !channel && !CHANNEL_ALIASES.contains(&name.as_str()) {
                self.report(path, "must be last, none or the id of a channel");
            }
        }
    }

    fn search(&mut self) {
        let path = JsonPath::of_keys(["tools", "web", "search"]);
        let Some(node) = self.tree.get(&path) else { return };
        if self.since(FROM_2026_6) {
            for member in node.members() {
                let old = OLD_SEARCH_KEYS.contains(&member.key.as_str())
                    && matches!(member.value.kind, Kind::Object(_));
                if old || (member.key == "apiKey" && self.since(FROM_2026_8)) {
                    let message = "moved to plugins.entries.PLUGIN.config.webSearch";
                    self.report(path.key(&member.key), message);
                }
            }
        }
        let Some(provider) = node.member("provider").and_then(|member| member.value.as_str()) else { return };
        let name = provider.trim();
        let known = match self.version {
            version if version >= FROM_2026_8 => SEARCH_2026_9,
            version if version >= FROM_2026_6 => SEARCH_2026_7,
            _ => &OLD_SEARCH_KEYS,
        };
        if name.is_empty() {
            self.report(path.key("provider"), "must not be blank");
        } else if !known.contains(&name) && !self.has_plugin(name) {
            let message = format!("there is no search provider \"{name}\" in this release without a plugin");
            self.report(path.key("provider"), message);
        }
    }

    /// 2026.5 refuses a deny list with unknown names.
    fn denied_plugins(&mut self, plugins: &[&str]) {
        let path = JsonPath::of_keys(["plugins", "deny"]);
        let Some(denied) = self.tree.get(&path).filter(|_| !self.since(FROM_2026_6)) else { return };
        for (index, name) in denied.elements().iter().enumerate() {
            if name.as_str().is_some_and(|name| !plugins.contains(&name) && !self.has_plugin(name)) {
                self.report(path.index(index), "there is no plugin of this name");
            }
        }
    }

    fn memory_slot(&mut self, plugins: &[&str]) {
        let path = JsonPath::of_keys(["plugins", "slots", "memory"]);
        let Some(name) = self.tree.get(&path).and_then(Node::as_str) else { return };
        let name = name.trim();
        if !name.is_empty() && name != "none" && !plugins.contains(&name) && !self.has_plugin(name) {
            self.report(path, format!("there is no plugin \"{name}\""));
        }
    }
}

/// The strings whose path fits.
fn collect<'a>(node: &'a Node, path: &mut JsonPath, pattern: &str, found: &mut Vec<(JsonPath, &'a str)>) {
    use crate::config::path::Step;
    if let Kind::String(text) = &node.kind
        && fits(path, pattern)
    {
        found.push((path.clone(), text));
    }
    for (index, element) in node.elements().iter().enumerate() {
        path.push(Step::Index(index));
        collect(element, path, pattern, found);
        path.pop();
    }
    for member in node.members() {
        path.push(Step::Key(member.key.clone()));
        collect(&member.value, path, pattern, found);
        path.pop();
    }
}
