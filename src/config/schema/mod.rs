//! What a release accepts: its schema, and the rules that no schema can say.

mod check;
mod moved;
mod pool;
mod rules;

use serde_json::Value;

use self::check::{Checker, Issue, Problem};
use self::pool::Pool;
use super::finding::{Finding, Severity};
use super::load::Loaded;
use super::node::Node;
use super::path::JsonPath;
use crate::base::error::{Error, Result};
use crate::openclaw::release::Release;

pub use moved::{list_to_entries, moved};
pub use pool::expand_pool;

/// A release whose schema is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The release that the schema was taken from, as `2026.9.6`.
    pub release: String,
    /// Year, month, and number in the month, of that release.
    pub version: Version,
}

/// Year, month, number: `2026.9.6`.
pub type Version = crate::openclaw::release::Numbers;

/// Releases whose schema is known, oldest first.
#[must_use]
pub fn releases() -> Vec<Target> {
    let mut all: Vec<Target> = Pool::get()
        .into_iter()
        .flat_map(|pool| pool.releases.keys())
        .filter_map(|release| Some(Target { release: release.clone(), version: numbers(release)? }))
        .collect();
    all.sort_by_key(|target| target.version);
    all
}

fn numbers(text: &str) -> Option<Version> {
    text.parse().ok().map(|release: Release| release.numbers())
}

/// The newest release whose schema is known.
#[must_use]
pub fn newest() -> Option<Target> {
    releases().pop()
}

/// The schema for a release or a rule set, as `--for` takes them. Releases share the schema of the
/// release that their rule set was checked against.
///
/// # Errors
/// Usage: no such release, or one whose schema isn't known; names those that are.
pub fn target(asked: &str) -> Result<Target> {
    let known = releases();
    let asked = asked.trim();
    let no_schema = |why: &str| {
        let names: Vec<&str> = known.iter().map(|target| target.release.as_str()).collect();
        Error::usage(format!("{why} {asked}")).hint(format!("releases with a schema: {}", names.join(", ")))
    };
    if let Some(target) = known.iter().find(|target| target.release == asked) {
        return Ok(target.clone());
    }
    let version = match asked {
        "documented" => Some((2026, 7, 0)),
        "2026.3" => Some((2026, 3, 0)),
        _ => numbers(asked),
    };
    let version = version.ok_or_else(|| no_schema("there is no release or rule set"))?;
    let set = rule_set(version).ok_or_else(|| no_schema("clawctl knows no schema for"))?;
    known
        .iter()
        .find(|target| rule_set(target.version) == Some(set))
        .cloned()
        .ok_or_else(|| no_schema("clawctl knows no schema for"))
}

/// The first release of the rule set, where one has a schema.
fn rule_set(version: Version) -> Option<Version> {
    match version {
        version if version < (2026, 3, 31) => None,
        version if version < (2026, 6, 0) => Some((2026, 3, 31)),
        version if version < (2026, 8, 0) => Some((2026, 6, 0)),
        _ => Some((2026, 8, 0)),
    }
}

/// The schema that fits a config by `meta.lastTouchedVersion`, else the newest, and why.
#[must_use]
pub fn auto(config: Option<&Value>) -> Option<(Target, String)> {
    if let Some(touched) = config.and_then(super::view::last_touched_version) {
        if let Ok(target) = target(touched) {
            return Some((target, format!("the config was last written by {touched}")));
        }
        return Some((
            newest()?,
            format!("the config was last written by {touched}, whose schema isn't known"),
        ));
    }
    Some((newest()?, "the config doesn't say which release wrote it".to_owned()))
}

/// What this release refuses in the config. Says nothing about files that can't be read at all.
#[must_use]
pub fn check(loaded: &Loaded, target: &Target) -> Vec<Finding> {
    let (Some(tree), Some(pool)) = (loaded.tree(), Pool::get()) else { return Vec::new() };
    let Some(&root) = pool.releases.get(&target.release) else { return Vec::new() };
    let keyed = rules::keyed(tree, target.version);
    let tree = keyed.as_ref().unwrap_or(tree);
    let mut issues = Checker { pool }.check(root, tree, &mut JsonPath::root());
    rules::check(tree, target, pool, root, &mut issues);
    issues.sort_by_key(|issue| tree.nearest_span(&issue.path));
    issues.into_iter().map(|issue| finding(issue, loaded, tree, target, pool)).collect()
}

fn finding(issue: Issue, loaded: &Loaded, tree: &Node, target: &Target, pool: &Pool) -> Finding {
    let release = &target.release;
    let path = issue.path;
    let make = |id, message: String| Finding::new(id, Severity::Error, message);
    let (finding, span) = match issue.problem {
        Problem::UnknownKey { known } => {
            let key = path.last_key().unwrap_or_default();
            let mut finding = make("unknown-key", format!("{release} knows no key \"{key}\" here"));
            if let Some(instead) = moved::instead(&path, target, pool) {
                finding = finding.hint(instead);
                finding.fix = moved::rename(loaded, &path, tree, target);
            } else if let Some(near) = nearest(key, &known) {
                finding = finding.hint(format!("did you mean \"{near}\"?"));
            } else if !known.is_empty() && known.len() <= 12 {
                finding = finding.hint(format!("known here: {}", known.join(", ")));
            }
            (finding, tree.key_span(&path))
        }
        Problem::MissingKey(key) => {
            let finding = make("missing-key", format!("the key \"{key}\" is missing here"));
            (finding, tree.key_span(&path))
        }
        Problem::Type { expected, found } => {
            let finding = make("wrong-type", format!("must be {}, found {found}", join(&expected, "or")));
            (finding, tree.get(&path).map(|node| node.span))
        }
        Problem::Value { allowed, types } => {
            let mut fitting: Vec<String> = allowed.iter().map(Value::to_string).collect();
            fitting.extend(types);
            let mut finding = make("wrong-value", format!("must be {}", join(&fitting, "or")));
            let found = tree.get(&path).and_then(Node::as_str).unwrap_or_default();
            let names: Vec<String> = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            if let Some(near) = nearest(found, &names) {
                finding = finding.hint(format!("did you mean \"{near}\"?"));
            }
            (finding, tree.get(&path).map(|node| node.span))
        }
        Problem::Bound(text) => (make("out-of-bounds", text), tree.get(&path).map(|node| node.span)),
    };
    let span = span.unwrap_or_else(|| tree.nearest_span(&path));
    finding.at_path(path).at(span)
}

/// Whether the newest release knows the model provider without any settings.
#[must_use]
pub(crate) fn is_bundled_provider(provider: &str) -> bool {
    bundled_providers().any(|known| known == provider)
}

/// The model providers that the newest release knows by itself.
pub(crate) fn bundled_providers() -> impl Iterator<Item = &'static str> {
    rules::OVERLAYS_2026_9.iter().copied()
}

/// The known word that was probably meant.
pub(crate) fn nearest<'a>(word: &str, known: &'a [String]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let distance = |name: &String| strsim::damerau_levenshtein(&lower, &name.to_lowercase());
    let (best, name) =
        known.iter().map(|name| (distance(name), name)).min_by_key(|(distance, _)| *distance)?;
    (best <= 1 + word.chars().count() / 4 && best < word.chars().count()).then_some(name.as_str())
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn join(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}
