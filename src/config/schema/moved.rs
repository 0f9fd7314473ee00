//! What became of keys, from one release to the next.

use super::check::{Issue, Problem};
use super::pool::{Additional, Id, Pool};
use super::rules::{FROM_2026_6, FROM_2026_8, fits};
use super::{Target, Version, rules};
use crate::config::edit;
use crate::config::finding::{Edit, Fix};
use crate::config::load::Loaded;
use crate::config::node::{Kind, Node};
use crate::config::path::{JsonPath, Step};
use crate::config::source::Span;

/// A key that a release took away, with what holds instead. Seen in what `openclaw doctor --fix`
/// of 2026.9.6 does to a config of 2026.7.1, and in the answers of `config validate`.
struct Gone {
    pattern: &'static str,
    since: Version,
    instead: &'static str,
    /// The new name, when nothing but the name changed.
    name: Option<&'static str>,
}

const fn gone(pattern: &'static str, since: Version, instead: &'static str) -> Gone {
    Gone { pattern, since, instead, name: None }
}

const fn renamed(pattern: &'static str, since: Version, name: &'static str, instead: &'static str) -> Gone {
    Gone { pattern, since, instead, name: Some(name) }
}

const BUILT_IN: &str = "removed: the built-in behaviour applies";

const GONE: &[Gone] = &[
    gone(
        "auth.cooldowns",
        FROM_2026_8,
        "removed: 2026.8 and later always use billing windows of 10 min doubling to 24 h, permanent-auth windows of 10 to 60 min, and 30 s doubling to 24 h for rate limits",
    ),
    gone(
        "agents.list",
        FROM_2026_8,
        "moved to agents.entries, an object with the ids as keys; several agents need agents.ownership: \"explicit\" or one default: true",
    ),
    gone("@agent.memorySearch", FROM_2026_8, "moved to memory.search"),
    gone("@agent.imageGenerationModel", FROM_2026_8, "moved to agents.defaults.mediaModels.image"),
    gone("@agent.videoGenerationModel", FROM_2026_8, "moved to agents.defaults.mediaModels.video"),
    gone("@agent.musicGenerationModel", FROM_2026_8, "moved to agents.defaults.mediaModels.music"),
    gone("@agent.contextTokens", FROM_2026_8, "removed: the models' own context windows apply"),
    gone("models.providers.*.contextTokens", FROM_2026_8, "removed: write it on each model"),
    gone("models.providers.*.contextWindow", FROM_2026_8, "removed: write it on each model"),
    gone("@agent.cliBackends", FROM_2026_8, "removed: plugins bring the backends"),
    gone("@agent.envelopeTimezone", FROM_2026_8, BUILT_IN),
    gone("@agent.timeFormat", FROM_2026_8, BUILT_IN),
    gone("messages.tts", FROM_2026_8, "moved to tts"),
    gone("messages.messagePrefix", FROM_2026_8, "moved to channels.whatsapp.responsePrefix"),
    gone("messages.queue.debounceMs", FROM_2026_8, BUILT_IN),
    gone("session.idleMinutes", FROM_2026_8, "moved to session.reset.idleMinutes"),
    gone("session.typingMode", FROM_2026_8, "moved to agents.defaults.typingMode"),
    gone(
        "session.maintenance.pruneDays",
        FROM_2026_8,
        "moved to session.maintenance.pruneAfter, as a duration: \"30d\"",
    ),
    gone("session.maintenance.rotateBytes", FROM_2026_8, BUILT_IN),
    gone("session.agentToAgent", FROM_2026_8, BUILT_IN),
    gone("cron.maxConcurrentRuns", FROM_2026_8, BUILT_IN),
    gone("cron.retry", FROM_2026_8, BUILT_IN),
    gone("cron.store", FROM_2026_8, "removed: the jobs are in the state database"),
    gone("cron.webhook", FROM_2026_8, "removed: each job names its own"),
    gone("gateway.nodes.allowCommands", FROM_2026_8, "moved to gateway.nodes.commands.allow"),
    gone("gateway.nodes.denyCommands", FROM_2026_8, "moved to gateway.nodes.commands.deny"),
    gone("browser.color", FROM_2026_8, BUILT_IN),
    gone("browser.profiles.*.color", FROM_2026_8, BUILT_IN),
    gone("memory.backend", FROM_2026_8, "removed: the built-in memory is the only one"),
    gone("memory.qmd", FROM_2026_8, "removed: the built-in memory is the only one"),
    gone("audio", FROM_2026_8, "moved to tools.media.models"),
    gone("media", FROM_2026_8, "moved to attachments"),
    gone("web", FROM_2026_8, "web.enabled moved to channels.whatsapp.enabled"),
    gone("cli", FROM_2026_8, BUILT_IN),
    gone("ui.assistant", FROM_2026_8, "removed: write the identity of the agent"),
    gone("models.pricing", FROM_2026_8, "removed: prices come with the catalog"),
    gone("env.*", FROM_2026_8, "moved to env.vars"),
    gone("meta.lastTouchedAt", FROM_2026_8, "removed: it is in the state database"),
    gone("mcp.servers.*.connectTimeout", FROM_2026_8, "moved to connectionTimeoutMs, in ms"),
    gone("mcp.servers.*.timeout", FROM_2026_8, "moved to requestTimeoutMs, in ms"),
    gone("tools.message.allowCrossContextSend", FROM_2026_8, "moved to tools.message.crossContext"),
    gone("tools.web.search.apiKey", FROM_2026_8, "moved to plugins.entries.PLUGIN.config.webSearch.apiKey"),
    renamed("tools.exec.timeoutSec", FROM_2026_8, "timeoutSeconds", "renamed to timeoutSeconds"),
    renamed("@agent.tools.exec.timeoutSec", FROM_2026_8, "timeoutSeconds", "renamed to timeoutSeconds"),
    renamed("talk.realtime.voice", FROM_2026_8, "speakerVoice", "renamed to speakerVoice"),
    gone("canvasHost", FROM_2026_6, "removed: the canvas plugin has its own settings"),
];

fn row(path: &JsonPath, version: Version) -> Option<&'static Gone> {
    GONE.iter().find(|gone| version >= gone.since && fits(path, gone.pattern))
}

/// What became of an unknown key: from the table, else from the schemas of the other releases.
pub(super) fn instead(path: &JsonPath, target: &Target, pool: &Pool) -> Option<String> {
    if let Some(gone) = row(path, target.version) {
        return Some(gone.instead.to_owned());
    }
    let known = super::releases().into_iter().filter(|other| other.release != target.release);
    let knowing: Vec<Target> = known
        .filter(|other| pool.releases.get(&other.release).is_some_and(|&root| knows(pool, root, path)))
        .collect();
    let before = knowing.iter().rev().find(|other| other.version < target.version);
    let after = knowing.iter().find(|other| other.version > target.version);
    match (before, after) {
        (Some(other), _) => Some(format!("{} knew it: it was removed or moved since", other.release)),
        (None, Some(other)) => {
            Some(format!("{} knows it: it is newer than {}", other.release, target.release))
        }
        (None, None) => None,
    }
}

/// Whether the schema of a release has a place for the path.
fn knows(pool: &Pool, id: Id, path: &JsonPath) -> bool {
    fn step(pool: &Pool, id: Id, steps: &[Step], named: bool) -> bool {
        let schema = pool.schema(id);
        let Some((first, rest)) = steps.split_first() else { return named };
        let inside = match first {
            Step::Key(key) => match (schema.properties.get(key), schema.additional_properties) {
                (Some(&id), _) => step(pool, id, rest, true),
                (None, Some(Additional::Like(id))) => step(pool, id, rest, false),
                _ => false,
            },
            Step::Index(_) => schema.items.is_some_and(|id| step(pool, id, rest, false)),
        };
        inside || schema.any_of.iter().chain(&schema.one_of).any(|&branch| step(pool, branch, steps, named))
    }
    step(pool, id, &path.0, false)
}

/// Keys that the release still reads, but moves or drops by itself.
#[must_use]
pub fn moved(tree: &Node, target: &Target) -> Vec<(JsonPath, String)> {
    let mut found = Vec::new();
    let list = JsonPath::of_keys(["agents", "list"]);
    let keyed = rules::keyed(tree, target.version).is_some();
    let mut visit = |path: &JsonPath, node: &Node| {
        let Some(gone) = row(path, target.version) else { return };
        let read = match gone.pattern {
            "agents.list" => *path == list && keyed,
            pattern => {
                let issue = Issue { path: path.clone(), problem: Problem::UnknownKey { known: Vec::new() } };
                !pattern.is_empty() && rules::is_migrated(&issue, tree, target.version)
            }
        };
        if read {
            let key = path.last_key().unwrap_or_default();
            found.push((
                path.clone(),
                format!("{} reads \"{key}\" no longer as it is: {}", target.release, gone.instead),
            ));
        }
        let _ = node;
    };
    walk(tree, &mut JsonPath::root(), &mut visit);
    found
}

fn walk(node: &Node, path: &mut JsonPath, visit: &mut impl FnMut(&JsonPath, &Node)) {
    for member in node.members() {
        path.push(Step::Key(member.key.clone()));
        visit(path, &member.value);
        walk(&member.value, path, visit);
        path.pop();
    }
    for (index, element) in node.elements().iter().enumerate() {
        path.push(Step::Index(index));
        walk(element, path, visit);
        path.pop();
    }
}

/// The rename that repairs an unknown key.
pub(super) fn rename(loaded: &Loaded, path: &JsonPath, tree: &Node, target: &Target) -> Option<Fix> {
    let name = row(path, target.version)?.name?;
    let parent = tree.get(&path.parent()?)?;
    if parent.member(name).is_some() {
        return None;
    }
    let edit = edit::rename_key(loaded, tree.key_span(path)?, name)?;
    Some(Fix { title: format!("rename it to {name}"), edits: vec![edit] })
}

/// `agents.list` written as `agents.entries`, for a list that the release would turn itself.
#[must_use]
pub fn list_to_entries(loaded: &Loaded, target: &Target) -> Option<Fix> {
    let tree = loaded.tree()?;
    rules::keyed(tree, target.version)?;
    let list = tree.member("agents")?.value.member("list")?;
    let file = list.key_span.file;
    let span = list.value.span;
    if span.file != file || list.value.elements().is_empty() {
        return None;
    }
    let mut edits = vec![edit::rename_key(loaded, list.key_span, "entries")?];
    edits.push(Edit { span: Span { end: span.start + 1, ..span }, text: "{".to_owned() });
    edits.push(Edit { span: Span { start: span.end - 1, ..span }, text: "}".to_owned() });
    for element in list.value.elements() {
        let Kind::Object(members) = &element.kind else { return None };
        let index = members.iter().position(|member| member.key == "id")?;
        let id = &members[index].value;
        if element.span.file != file {
            return None;
        }
        let name = id.as_str()?;
        let before = Span { end: element.span.start, ..element.span };
        edits.push(Edit { span: before, text: format!("\"{name}\": ") });
        edits.extend(edit::remove_member(loaded, members, index)?);
    }
    Some(Fix { title: "write agents.list as agents.entries".to_owned(), edits })
}
