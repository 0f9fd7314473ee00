//! Models that a release refuses wherever a config names them, because they were shut down or
//! can't be used with it. Each name and each place was asked from the releases.

use super::{FROM_2026_6, FROM_2026_8, Rules, fits};
use crate::config::node::Node;
use crate::config::path::{JsonPath, Step};
use crate::config::schema::Version;

/// Models of google, google-gemini-cli and google-vertex.
const GOOGLE_2026_6: [&str; 32] = [
    "gemini-1.5-flash",
    "gemini-1.5-flash-8b",
    "gemini-1.5-pro",
    "gemini-2.0-flash-exp",
    "gemini-2.0-flash-exp-image-generation",
    "gemini-2.0-flash-lite-preview",
    "gemini-2.0-flash-lite-preview-02-05",
    "gemini-2.0-flash-live-001",
    "gemini-2.0-flash-preview-image-generation",
    "gemini-2.0-flash-thinking-exp",
    "gemini-2.0-flash-thinking-exp-01-21",
    "gemini-2.0-flash-thinking-exp-1219",
    "gemini-2.0-pro-exp",
    "gemini-2.0-pro-exp-02-05",
    "gemini-2.5-flash-exp-native-audio-thinking-dialog",
    "gemini-2.5-flash-image-preview",
    "gemini-2.5-flash-lite-preview-06-17",
    "gemini-2.5-flash-lite-preview-09-2025",
    "gemini-2.5-flash-lite-preview-09-25",
    "gemini-2.5-flash-preview-04-17",
    "gemini-2.5-flash-preview-05-20",
    "gemini-2.5-flash-preview-09-2025",
    "gemini-2.5-flash-preview-09-25",
    "gemini-2.5-flash-preview-native-audio-dialog",
    "gemini-2.5-pro-exp-03-25",
    "gemini-2.5-pro-preview-03-25",
    "gemini-2.5-pro-preview-05-06",
    "gemini-2.5-pro-preview-06-05",
    "gemini-3.1-pro-preview-customtools",
    "gemini-live-2.5-flash",
    "gemini-live-2.5-flash-preview",
    "gemini-live-2.5-flash-preview-native-audio",
];

/// More of them from 2026.8 on.
const GOOGLE_2026_8: [&str; 5] = [
    "gemini-2.0-flash",
    "gemini-2.0-flash-001",
    "gemini-2.0-flash-lite",
    "gemini-2.0-flash-lite-001",
    "gemini-3-pro-preview",
];

/// Models of xai, from 2026.6 on.
const XAI: [&str; 7] = [
    "grok-4.20-multi-agent",
    "grok-4.20-multi-agent-0309",
    "grok-4.20-multi-agent-beta-0309",
    "grok-4.20-multi-agent-beta-latest",
    "grok-4.20-multi-agent-experimental-beta-0304",
    "grok-4.20-multi-agent-experimental-beta-latest",
    "grok-4.20-multi-agent-latest",
];

fn is_retired(reference: &str, version: Version) -> bool {
    let reference = reference.trim().to_lowercase();
    let Some((provider, model)) = reference.split_once('/') else { return false };
    let since_6 = version >= FROM_2026_6;
    match provider.trim() {
        "google" | "google-gemini-cli" | "google-vertex" => {
            (since_6 && GOOGLE_2026_6.contains(&model))
                || (version >= FROM_2026_8 && GOOGLE_2026_8.contains(&model))
        }
        "xai" => since_6 && XAI.contains(&model),
        "azure-openai-responses" => model == "gpt-5.3-codex-spark",
        "openai" | "openai-codex" => !since_6 && model == "gpt-5.3-codex-spark",
        _ => false,
    }
}

/// Places that name a model, besides the `...Model` settings of agents.
const PLACES: [&str; 8] = [
    "@agent.heartbeat.model",
    "@agent.compaction.model",
    "@agent.compaction.memoryFlush.model",
    "@agent.subagents.model",
    "@agent.subagents.model.primary",
    "@agent.subagents.model.fallbacks.*",
    "hooks.mappings.*.model",
    "hooks.gmail.model",
];

impl Rules<'_> {
    /// The text at this path, if it names a model.
    pub(super) fn model_text(&mut self, text: &str, path: &JsonPath) {
        if is_retired(text, self.version) && self.names_model(path) {
            self.refuse(text, path.clone());
        }
    }

    /// The keys of `agents.*.models`.
    pub(super) fn model_keys(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "@agent.models") {
            return;
        }
        let version = self.version;
        for member in node.members().iter().filter(|member| is_retired(&member.key, version)) {
            self.refuse(&member.key, path.key(&member.key));
        }
    }

    fn refuse(&mut self, reference: &str, path: JsonPath) {
        let reference = reference.trim();
        self.report(path, format!("\"{reference}\" is a model that this release refuses: it was shut down"));
    }

    fn names_model(&self, path: &JsonPath) -> bool {
        if fits(path, "channels.modelByChannel.*.*") {
            return true;
        }
        if self.since(FROM_2026_6) && PLACES.iter().any(|place| fits(path, place)) {
            return true;
        }
        let start = match path.0.get(1) {
            Some(Step::Key(key)) if key == "defaults" => 2,
            _ => 3,
        };
        let Some((Step::Key(setting), rest)) = path.0.get(start..).and_then(<[Step]>::split_first) else {
            return false;
        };
        let agent = matches!(path.0.first(), Some(Step::Key(key)) if key == "agents");
        let is_setting = setting == "model" || (setting.ends_with("Model") && setting != "decisionModel");
        let rest = match (setting.as_str(), rest) {
            ("mediaModels", [_, rest @ ..]) => rest,
            (_, rest) if is_setting => rest,
            _ => return false,
        };
        let in_chain = match rest {
            [] => true,
            [Step::Key(key)] => key == "primary",
            [Step::Key(key), Step::Index(_)] => key == "fallbacks",
            _ => false,
        };
        agent && in_chain
    }
}
