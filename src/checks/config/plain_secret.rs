//! Secrets written out in the config.

use super::{Check, Group, Input, check};
use crate::config::is_secret_key;
use crate::config::{Finding, Severity};
use crate::config::{JsonPath, Step};
use crate::config::{Kind, Node};

pub(super) const CHECK: Check = check(
    "plain-secret",
    Group::Lint,
    Severity::Warning,
    "a secret written out in the config",
    "A config is copied, committed and pasted. Put the secret into the environment (${VAR}), a reference ({source, provider, id}), or the auth store.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    walk(input, input.tree, &mut JsonPath::root(), findings);
}

fn walk(input: &Input<'_>, node: &Node, path: &mut JsonPath, findings: &mut Vec<Finding>) {
    for member in node.members() {
        path.push(Step::Key(member.key.clone()));
        if let Kind::String(text) = &member.value.kind {
            let from_env = input.loaded.env_refs().iter().any(|reference| reference.path == *path);
            if is_secret_key(&member.key) && !from_env && text.trim().chars().count() >= 6 && !is_name(path) {
                findings.push(
                    Finding::new(CHECK.id, CHECK.severity, "this secret is written out in the config")
                        .at_path(path.clone())
                        .at(member.value.span)
                        .hint("write \"${NAME}\" and set the variable, or move it into the auth store"),
                );
            }
        } else {
            walk(input, &member.value, path, findings);
        }
        path.pop();
    }
    for (index, element) in node.elements().iter().enumerate() {
        path.push(Step::Index(index));
        walk(input, element, path, findings);
        path.pop();
    }
}

/// Settings that name where a secret is, not the secret.
fn is_name(path: &JsonPath) -> bool {
    let keys: Vec<&str> = path
        .0
        .iter()
        .filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
        .collect();
    matches!(keys.as_slice(), ["secrets", ..] | ["auth", "profiles" | "order", ..])
}
