//! Rules of a release that its schema can't say. Each was found by asking real releases with
//! configs that differ in one thing; a rule names the release it starts with.

mod known;
mod objects;
mod retired;
mod roster;
mod values;

use super::check::{Issue, Problem};
use super::pool::{Id, Pool};
use super::{Target, Version};
use crate::config::node::{Kind, Node};
use crate::config::path::{JsonPath, Step};

pub(super) use known::OVERLAYS_2026_9;
pub(super) use roster::keyed;

/// The first release of a rule set, for comparisons.
pub(super) const FROM_2026_6: Version = (2026, 6, 0);
pub(super) const FROM_2026_8: Version = (2026, 8, 0);

struct Rules<'a> {
    tree: &'a Node,
    version: Version,
    issues: &'a mut Vec<Issue>,
}

/// Adds what the rules find.
pub(super) fn check(tree: &Node, target: &Target, pool: &Pool, root: Id, issues: &mut Vec<Issue>) {
    let mut rules = Rules { tree, version: target.version, issues };
    rules.walk(tree, &mut JsonPath::root());
    rules.roster();
    rules.providers();
    rules.names(pool, root);
    issues.retain(|issue| !is_migrated(issue, tree, target.version));
}

/// Keys that the schema doesn't know, but that the release takes out by itself before it looks.
pub(super) fn is_migrated(issue: &Issue, tree: &Node, version: Version) -> bool {
    let path = &issue.path;
    if !matches!(issue.problem, Problem::UnknownKey { .. }) {
        return false;
    }
    let is_object = |path| tree.get(path).is_some_and(|node| matches!(node.kind, Kind::Object(_)));
    if version >= FROM_2026_8 {
        ["@agent.contextTokens", "models.providers.*.contextTokens", "models.providers.*.contextWindow"]
            .iter()
            .any(|pattern| fits(path, pattern))
            || (fits(path, "plugins.entries.github-copilot.config.discovery") && is_object(path))
    } else {
        version >= FROM_2026_6 && fits(path, "canvasHost") && is_object(path)
    }
}

impl Rules<'_> {
    fn since(&self, version: Version) -> bool {
        self.version >= version
    }

    fn report(&mut self, path: JsonPath, message: impl Into<String>) {
        self.issues.push(Issue { path, problem: Problem::Bound(message.into()) });
    }

    fn walk(&mut self, node: &Node, path: &mut JsonPath) {
        match &node.kind {
            Kind::String(text) => self.text(text, path),
            Kind::Number(number) => self.number(*number, path),
            Kind::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    path.push(Step::Index(index));
                    self.walk(element, path);
                    path.pop();
                }
            }
            Kind::Object(members) => {
                self.object(node, path);
                self.model_keys(node, path);
                for member in members {
                    path.push(Step::Key(member.key.clone()));
                    self.walk(&member.value, path);
                    path.pop();
                }
            }
            Kind::Null | Kind::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &str, path: &JsonPath) {
        self.model_text(text, path);
        for row in values::ROWS {
            if self.version >= row.since
                && self.version < row.until
                && fits(path, row.pattern)
                && !(row.check)(text, self.version)
            {
                self.report(path.clone(), row.message);
            }
        }
    }

    fn number(&mut self, number: f64, path: &JsonPath) {
        let positive = ["session.maintenance.pruneAfter", "session.maintenance.resetArchiveRetention"];
        let size = [
            "session.maintenance.maxDiskBytes",
            "session.maintenance.highWaterBytes",
            "cron.runLog.maxBytes",
        ];
        if positive.iter().any(|pattern| fits(path, pattern)) {
            let exact = number * 86_400_000.0 <= 9_007_199_254_740_991.0 || !self.since(FROM_2026_6);
            if number < 0.0 || (number == 0.0 && self.since(FROM_2026_8)) || !exact {
                self.report(path.clone(), "must be a positive number of days, or a duration such as 30d");
            }
        } else if size.iter().any(|pattern| fits(path, pattern)) && number < 0.0 {
            self.report(path.clone(), "must be a size such as 500mb (units b, kb, mb, gb, tb)");
        }
    }
}

/// Whether the path fits a pattern: steps joined by dots, where `*` is any step, and `@agent` at
/// the start is `agents.defaults`, `agents.entries.*` or `agents.list.*`.
pub(super) fn fits(path: &JsonPath, pattern: &str) -> bool {
    let mut steps = path.0.as_slice();
    let pattern = match pattern.strip_prefix("@agent.") {
        Some(rest) => {
            let length = match steps {
                [Step::Key(agents), Step::Key(kind), ..] if agents == "agents" => match kind.as_str() {
                    "defaults" => 2,
                    "entries" | "list" => 3,
                    _ => return false,
                },
                _ => return false,
            };
            if steps.len() < length {
                return false;
            }
            steps = &steps[length..];
            rest
        }
        None => pattern,
    };
    let mut wanted = pattern.split('.');
    for step in steps {
        match (wanted.next(), step) {
            (Some("*"), _) => {}
            (Some(key), Step::Key(found)) if key == found => {}
            _ => return false,
        }
    }
    wanted.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (path, pattern, expected) in [
            ("a.b", "a.b", true),
            ("a.b.c", "a.b", false),
            ("a", "a.b", false),
            ("a[3].c", "a.*.c", true),
            ("agents.defaults.heartbeat.every", "@agent.heartbeat.every", true),
            ("agents.entries.x.heartbeat.every", "@agent.heartbeat.every", true),
            ("agents.list[0].heartbeat.every", "@agent.heartbeat.every", true),
            ("agents.heartbeat.every", "@agent.heartbeat.every", false),
            ("agents.entries", "@agent.heartbeat", false),
        ] {
            assert_eq!(fits(&JsonPath::parse(path).unwrap(), pattern), expected, "{path} {pattern}");
        }
    }
}
