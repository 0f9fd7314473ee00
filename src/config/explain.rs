//! `config explain PATH`: what holds, and where it comes from.

use serde_json::Value;

use super::envsub::EnvRef;
use super::load::{Loaded, Origin};
use super::node::{Kind, Node};
use super::path::{JsonPath, Step};
use super::secret::{is_secret_key, masked, without_credentials};

/// What a path holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The path as given.
    pub path: JsonPath,
    /// The value after includes and variables, secrets masked; `None` if nothing is there.
    pub value: Option<Value>,
    /// Where it is written; for a path that holds nothing, the deepest part that exists.
    pub origin: Option<Origin>,
    /// The deepest part of the path that exists.
    pub exists_to: JsonPath,
    /// Further files that parts of the value come from.
    pub files: Vec<std::path::PathBuf>,
    /// The variables in it.
    pub variables: Vec<EnvRef>,
    /// A key beside it that was probably meant.
    pub near: Option<String>,
}

/// Looks a path up.
#[must_use]
pub fn explain(loaded: &Loaded, path: &JsonPath) -> Explained {
    let tree = loaded.tree();
    let node = tree.and_then(|tree| tree.get(path));
    let mut exists_to = path.clone();
    while !exists_to.is_root() && tree.is_some_and(|tree| tree.get(&exists_to).is_none()) {
        exists_to.pop();
    }
    let near = match (tree.and_then(|tree| tree.get(&exists_to)), path.0.get(exists_to.0.len())) {
        (Some(parent), Some(Step::Key(wanted))) if node.is_none() => {
            let known: Vec<String> = parent.members().iter().map(|member| member.key.clone()).collect();
            super::schema::nearest(wanted, &known).map(str::to_owned)
        }
        _ => None,
    };
    let secret =
        path.0.iter().any(|step| matches!(step, Step::Key(key) if is_secret_key(key) || in_env(key)));
    let mut files = Vec::new();
    if let Some(node) = node {
        collect_files(loaded, node, &mut files);
    }
    Explained {
        path: path.clone(),
        value: node.map(|node| shown(node, secret)),
        origin: loaded.origin(&exists_to),
        files,
        variables: loaded
            .env_refs()
            .iter()
            .filter(|reference| node.is_some() && reference.path.starts_with(path))
            .cloned()
            .collect(),
        near,
        exists_to,
    }
}

fn collect_files(loaded: &Loaded, node: &Node, files: &mut Vec<std::path::PathBuf>) {
    let path = &loaded.source(node.span.file).path;
    if !files.contains(path) {
        files.push(path.clone());
    }
    node.elements().iter().for_each(|element| collect_files(loaded, element, files));
    node.members().iter().for_each(|member| collect_files(loaded, &member.value, files));
}

/// The value with secrets masked: everything below a key that names one.
#[must_use]
pub fn shown(node: &Node, secret: bool) -> Value {
    match &node.kind {
        Kind::String(text) if secret => Value::String(masked(text)),
        Kind::String(text) => Value::String(without_credentials(text)),
        Kind::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(index, element)| {
                // `--token`, `sk-...`: what follows such an option is its value.
                let option = index.checked_sub(1).and_then(|before| elements[before].as_str());
                let after_option = option.is_some_and(|option| {
                    option.starts_with('-') && is_secret_key(option.trim_start_matches('-'))
                });
                shown(element, secret || after_option)
            })
            .collect(),
        Kind::Object(members) => {
            // A reference says where a secret is, not what it is.
            let is_ref = node.member("source").is_some() && node.member("id").is_some();
            let members = members.iter().map(|member| {
                let secret = (secret && !is_ref) || is_secret_key(&member.key) || in_env(&member.key);
                (member.key.clone(), shown(&member.value, secret))
            });
            Value::Object(members.collect())
        }
        _ => node.to_value(),
    }
}

/// Variables and headers may hold anything.
fn in_env(key: &str) -> bool {
    matches!(key, "env" | "vars" | "headers")
}
