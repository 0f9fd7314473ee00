//! Credentials of older and foreign spellings, as every release spells them.
//!
//! Which spellings there are was asked of the four releases with `coerce`: `mode` for `type`, `apiKey`
//! as a type or for `key`, a ref object where the value belongs, no provider (flat files have it as the
//! key). `api_key` as a member and entries without a type are other tools' (reports 57389, 26916).
//! Only those members change; everything else keeps its bytes.

use serde_json::{Map, Value, json};

use super::edit::{self, New};
use super::names::ProfileId;

/// A credential in the releases' spelling.
#[derive(Clone)]
pub(crate) struct Canonical {
    /// Its JSON text WITH its secrets.
    pub text: String,
    /// What was changed, as `"mode" for "type"`. Names no value.
    pub changes: Vec<String>,
}

/// Names that JavaScript objects have of their own, which no release takes for a provider or profile.
const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Whether releases refuse this name as a provider or profile.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name.trim())
}

/// The provider that a profile's id names.
pub(crate) fn provider_of_id(id: &str) -> Option<String> {
    let inline = ProfileId::from(id).inline_provider().is_some();
    let (provider, _) = id.split_once(':').filter(|_| !inline)?;
    let provider = provider.trim().to_lowercase();
    (!provider.is_empty() && !is_reserved(&provider)).then_some(provider)
}

/// The credential in the releases' spelling; `None` when it is so already, or is no object.
/// `provider` is the key of a flat file, else the id's first part counts.
pub(crate) fn of_credential(text: &str, id: &str, provider: Option<&str>) -> Option<Canonical> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut edit = Edit { object, text: text.to_owned(), changes: Vec::new() };
    edit.kind();
    if edit.object.get("type").is_some_and(|kind| kind == "api_key") {
        edit.rename("apiKey", "key");
        edit.rename("api_key", "key");
    }
    edit.reference("key", "keyRef");
    edit.reference("token", "tokenRef");
    let has_provider =
        edit.object.get("provider").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    if !has_provider && let Some(provider) = provider.map(str::to_owned).or_else(|| provider_of_id(id)) {
        edit.set("provider", &provider.into());
        edit.changes.push("no provider".to_owned());
    }
    (!edit.changes.is_empty()).then_some(Canonical { text: edit.text, changes: edit.changes })
}

struct Edit {
    object: Map<String, Value>,
    text: String,
    changes: Vec<String>,
}

impl Edit {
    fn set(&mut self, name: &str, value: &Value) {
        if let Ok(text) = edit::set(&self.text, &[name], New::Value(value)) {
            self.text = text;
            self.object.insert(name.to_owned(), value.clone());
        }
    }

    fn remove(&mut self, name: &str) {
        if let Ok(text) = edit::remove(&self.text, &[name]) {
            self.text = text;
            self.object.shift_remove(name);
        }
    }

    fn kind(&mut self) {
        let mode = self.object.get("mode").and_then(Value::as_str).and_then(kind_of);
        match self.object.get("type") {
            Some(Value::String(kind)) => {
                if let Some(proper) = kind_of(kind).filter(|proper| proper != kind) {
                    self.changes.push(format!("type \"{proper}\" under another name"));
                    self.set("type", &proper.into());
                }
            }
            Some(_) => {}
            None => {
                if let Some(mode) = mode {
                    self.set("type", &mode.into());
                    self.remove("mode");
                    self.changes.push("\"mode\" for \"type\"".to_owned());
                } else if let Some(kind) = self.likely_kind() {
                    self.set("type", &kind.into());
                    self.changes.push("no type".to_owned());
                }
            }
        }
    }

    /// The type that the members tell.
    fn likely_kind(&self) -> Option<&'static str> {
        let has = |name: &str| self.object.get(name).is_some_and(|value| !value.is_null());
        if has("access") || has("refresh") || has("oauthRef") {
            Some("oauth")
        } else if has("key") || has("apiKey") || has("api_key") || has("keyRef") {
            Some("api_key")
        } else if has("token") || has("tokenRef") {
            Some("token")
        } else {
            None
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if self.object.contains_key(to) {
            return;
        }
        let Some(value) =
            self.object.get(from).filter(|value| value.is_string() || value.is_object()).cloned()
        else {
            return;
        };
        self.set(to, &value);
        self.remove(from);
        self.changes.push(format!("\"{from}\" for \"{to}\""));
    }

    /// A ref object that stands where the value belongs.
    fn reference(&mut self, value_name: &str, ref_name: &str) {
        let Some(Value::Object(reference)) = self.object.get(value_name) else { return };
        let text =
            |name: &str| reference.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let (Some(source), Some(id)) = (text("source"), text("id")) else { return };
        if self.object.contains_key(ref_name) {
            return;
        }
        let mut full = reference.clone();
        if text("provider").is_none() {
            full = Map::from_iter([
                ("source".to_owned(), json!(source)),
                ("provider".to_owned(), json!("default")),
                ("id".to_owned(), json!(id)),
            ]);
        }
        self.set(ref_name, &Value::Object(full));
        self.remove(value_name);
        self.changes.push(format!("a reference in \"{value_name}\""));
    }
}

fn kind_of(text: &str) -> Option<&'static str> {
    match text {
        "api_key" | "apiKey" | "api-key" => Some("api_key"),
        "token" => Some("token"),
        "oauth" => Some("oauth"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn respelled(text: &str) -> Option<Value> {
        of_credential(text, "x:default", None).map(|canonical| serde_json::from_str(&canonical.text).unwrap())
    }

    /// Reports 57389 and 26916.
    #[test]
    fn old_spellings_become_the_releases() {
        for (given, wanted) in [
            (
                json!({"type": "api_key", "provider": "x", "api_key": "k"}),
                json!({"type": "api_key", "provider": "x", "key": "k"}),
            ),
            (
                json!({"mode": "api_key", "apiKey": "k"}),
                json!({"type": "api_key", "key": "k", "provider": "x"}),
            ),
            (
                json!({"type": "apiKey", "provider": "x", "key": "k", "more": [1]}),
                json!({"type": "api_key", "provider": "x", "key": "k", "more": [1]}),
            ),
            (
                json!({"type": "api_key", "provider": "x", "key": {"source": "env", "id": "X"}}),
                json!({"type": "api_key", "provider": "x", "keyRef": {"source": "env", "provider": "default", "id": "X"}}),
            ),
            (
                json!({"access": "a", "refresh": "r", "provider": "x"}),
                json!({"access": "a", "refresh": "r", "provider": "x", "type": "oauth"}),
            ),
        ] {
            assert_eq!(respelled(&given.to_string()), Some(wanted), "{given}");
        }
    }

    #[test]
    fn proper_ones_and_foreign_shapes_stay() {
        for text in [
            r#"{"type":"api_key","provider":"X ","key":"k","apiKey":"other"}"#,
            r#"{"type":"weird","provider":"x","api_key":"k"}"#,
            r#"{"provider":"x","note":1}"#,
            "[1]",
        ] {
            assert!(of_credential(text, "x:default", None).is_none(), "{text}");
        }
        assert_eq!(provider_of_id("__proto__:x"), None);
        assert_eq!(provider_of_id(" OpenAI :x").as_deref(), Some("openai"));
    }

    #[test]
    fn other_members_keep_their_bytes() {
        let text = r#"{ "mode":"token",  "token":"t\u0041", "provider":"x", "big":1e3 }"#;
        let canonical = of_credential(text, "x:a", None).unwrap();
        assert!(
            canonical.text.contains(r#""token":"t\u0041", "provider":"x", "big":1e3"#),
            "{}",
            canonical.text
        );
    }
}
