//! Keys that the release moves by itself, and what an upgrade needs.

use super::{Check, Group, Input, check};
use crate::config::JsonPath;
use crate::config::schema;
use crate::config::{Finding, Severity};

pub(super) const CHECK: Check = check(
    "key-moved",
    Group::Lint,
    Severity::Warning,
    "a key of an older release that this one still reads",
    "The release moves the key when it reads the config, but no longer knows it itself. Write the new form, or let openclaw doctor --fix do it.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (path, text) in schema::moved(input.tree, input.target) {
        let Some(span) = input.tree.key_span(&path) else { continue };
        let is_list = path == JsonPath::of_keys(["agents", "list"]);
        let mut finding = Finding::new(CHECK.id, CHECK.severity, text).at_path(path).at(span);
        if is_list {
            finding.fix = schema::list_to_entries(input.loaded, input.target);
        }
        findings.push(finding);
    }
}
