//! The config schemas of the releases, each different part stored once.
//!
//! `pool.json` is generated from `openclaw config schema` by `tests/tools/schema_pool.rs`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const POOL: &str = include_str!("pool.json");

/// A schema's number in the pool.
pub(super) type Id = u32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pool {
    pub(super) releases: BTreeMap<String, Id>,
    nodes: Vec<Schema>,
}

/// One schema. The keywords are those of JSON Schema.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Schema {
    pub(super) r#type: Option<OneOrMany>,
    pub(super) properties: IndexMap<String, Id>,
    pub(super) additional_properties: Option<Additional>,
    pub(super) property_names: Option<Id>,
    pub(super) required: Vec<String>,
    pub(super) items: Option<Id>,
    /// A tuple: exactly these.
    pub(super) prefix_items: Option<Vec<Id>>,
    pub(super) any_of: Vec<Id>,
    pub(super) one_of: Vec<Id>,
    pub(super) all_of: Vec<Id>,
    pub(super) not: Option<Id>,
    pub(super) r#if: Option<Id>,
    pub(super) then: Option<Id>,
    pub(super) r#else: Option<Id>,
    pub(super) r#const: Option<Value>,
    pub(super) r#enum: Vec<Value>,
    pub(super) pattern: Option<String>,
    pub(super) format: Option<String>,
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) exclusive_minimum: Option<f64>,
    pub(super) exclusive_maximum: Option<f64>,
    pub(super) min_length: Option<usize>,
    pub(super) max_length: Option<usize>,
    pub(super) min_items: Option<usize>,
    pub(super) max_items: Option<usize>,
    pub(super) min_properties: Option<usize>,
    pub(super) max_properties: Option<usize>,
    pub(super) unique_items: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(super) enum Additional {
    Allowed(bool),
    Like(Id),
}

impl Pool {
    /// The pool, read on first use; `None` if the file inside the binary is damaged, which a test
    /// rules out.
    pub(super) fn get() -> Option<&'static Self> {
        static READ: OnceLock<Option<Pool>> = OnceLock::new();
        READ.get_or_init(|| serde_json::from_str(POOL).ok()).as_ref()
    }

    #[cfg(test)]
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|schema| schema.pattern.as_deref())
    }

    pub(super) fn schema(&self, id: Id) -> &Schema {
        static ANYTHING: OnceLock<Schema> = OnceLock::new();
        self.nodes.get(id as usize).unwrap_or_else(|| ANYTHING.get_or_init(Schema::default))
    }
}

/// The schema of each release written out again, for the generator.
///
/// # Errors
/// The text is no pool.
pub fn expand_pool(text: &str) -> Result<BTreeMap<String, Value>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Raw {
        releases: BTreeMap<String, usize>,
        nodes: Vec<Map<String, Value>>,
    }
    let raw: Raw = serde_json::from_str(text)?;
    Ok(raw.releases.into_iter().map(|(release, root)| (release, expand(&raw.nodes, root))).collect())
}

fn expand(nodes: &[Map<String, Value>], id: usize) -> Value {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap_or_default()).unwrap_or_default();
    let members = nodes.get(id).into_iter().flatten().map(|(key, value)| {
        let expanded = match (key.as_str(), value) {
            ("properties" | "patternProperties", Value::Object(members)) => {
                members.iter().map(|(name, id)| (name.clone(), expand(nodes, number(id)))).collect()
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(branches)) => {
                branches.iter().map(|id| expand(nodes, number(id))).collect()
            }
            (
                "items" | "propertyNames" | "not" | "additionalProperties" | "if" | "then" | "else",
                Value::Number(_),
            ) => expand(nodes, number(value)),
            _ => value.clone(),
        };
        let key = if key == "prefixItems" { "items" } else { key };
        (key.to_owned(), expanded)
    });
    json!(members.collect::<Map<_, _>>())
}
