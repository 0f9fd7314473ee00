//! Adds a release's config schema to `src/config/schema/pool.json`:
//!
//! ```text
//! openclaw config schema > 2026.9.6.json
//! cargo run --example schema_pool -- 2026.9.6=2026.9.6.json
//! ```
//!
//! The pool keeps types and bounds only, no titles or descriptions, and each different part once,
//! for all releases together.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Map, Value};

const POOL: &str = "src/config/schema/pool.json";

/// Keywords that describe instead of constraining.
const NOTES: [&str; 11] = [
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
    "deprecated",
    "readOnly",
    "$defs",
    "additionalItems",
];

/// Patterns that the releases compare without regard to case; JSON Schema can't say so.
const CASELESS: [&str; 2] = ["^[a-z0-9_][a-z0-9_-]{0,63}$", "^[a-z0-9][a-z0-9_-]{0,63}$"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut schemas: BTreeMap<String, Value> = BTreeMap::new();
    if Path::new(POOL).exists() {
        schemas = clawctl::config::schema::expand_pool(&std::fs::read_to_string(POOL)?)?;
    }
    for argument in std::env::args().skip(1) {
        let (release, file) = argument.split_once('=').ok_or("give RELEASE=FILE")?;
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
        schemas.insert(release.to_owned(), schema);
    }
    let mut pool = Pool::default();
    let mut releases = Map::new();
    for (release, schema) in &schemas {
        releases.insert(release.clone(), Value::from(pool.add(schema, &Value::Null)?));
    }
    let text =
        format!("{{\"releases\":{},\"nodes\":[\n{}\n]}}\n", Value::Object(releases), pool.lines.join(",\n"));
    std::fs::write(POOL, text)?;
    Ok(())
}

#[derive(Default)]
struct Pool {
    lines: Vec<String>,
    known: HashMap<String, usize>,
}

impl Pool {
    /// The number of this schema in the pool; `defs` are those of the schema around it.
    fn add(&mut self, schema: &Value, defs: &Value) -> Result<usize, Box<dyn std::error::Error>> {
        let empty = Map::new();
        let object = schema.as_object().unwrap_or(&empty);
        if let Some(reference) = object.get("$ref") {
            let name = reference.as_str().and_then(|text| text.strip_prefix("#/$defs/"));
            return self.add(name.and_then(|name| defs.get(name)).ok_or("unknown $ref")?, defs);
        }
        let defs = object.get("$defs").unwrap_or(defs);
        let mut node: BTreeMap<&str, Value> = BTreeMap::new();
        for (key, value) in object {
            if NOTES.contains(&key.as_str()) {
                continue;
            }
            let value = match (key.as_str(), value) {
                ("properties" | "patternProperties", Value::Object(members)) => {
                    let mut numbers = BTreeMap::new();
                    for (name, member) in members {
                        numbers.insert(name, self.add(member, defs)?);
                    }
                    serde_json::to_value(numbers)?
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                    let numbers: Result<Vec<_>, _> =
                        branches.iter().map(|branch| self.add(branch, defs)).collect();
                    serde_json::to_value(numbers?)?
                }
                ("items", Value::Array(items)) => {
                    let numbers: Result<Vec<_>, _> = items.iter().map(|item| self.add(item, defs)).collect();
                    node.insert("prefixItems", serde_json::to_value(numbers?)?);
                    continue;
                }
                (
                    "items" | "propertyNames" | "not" | "additionalProperties" | "if" | "then" | "else",
                    Value::Object(_),
                ) => Value::from(self.add(value, defs)?),
                ("required", Value::Array(keys)) => {
                    // OpenClaw fills in what has a default.
                    let filled = |key: &Value| {
                        key.as_str().is_some_and(|key| object["properties"][key].get("default").is_some())
                    };
                    let has_properties = object.contains_key("properties");
                    keys.iter().filter(|key| !(has_properties && filled(key))).cloned().collect()
                }
                ("pattern", Value::String(pattern)) => match CASELESS.contains(&pattern.as_str()) {
                    true => Value::from(format!("(?i){pattern}")),
                    false => value.clone(),
                },
                _ => value.clone(),
            };
            node.insert(key.as_str(), value);
        }
        let line = serde_json::to_string(&node)?;
        let next = self.lines.len();
        let number = *self.known.entry(line.clone()).or_insert(next);
        if number == next {
            self.lines.push(line);
        }
        Ok(number)
    }
}
