//! Rules of a release that its schema can't say, each asked from real releases.

use super::Target;
use super::check::{Issue, Problem};
use crate::config::node::Node;

/// Adds what the rules find.
pub(super) fn check(_tree: &Node, target: &Target, issues: &mut Vec<Issue>) {
    issues.retain(|issue| !is_defaulted(issue, target));
}

/// The schema of 2026.5 lists `commands` as required, but the release fills it in.
fn is_defaulted(issue: &Issue, target: &Target) -> bool {
    target.release == "2026.5.7"
        && issue.path.is_root()
        && matches!(&issue.problem, Problem::MissingKey(key) if key == "commands")
}
