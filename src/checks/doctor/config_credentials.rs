//! Credentials that somebody left in `auth.profiles` of the config, where no release looks for them.

use serde_json::{Map, Value, json};

use crate::config::JsonPath;
use crate::installation::machine::Machine;
use crate::store::canonical;
use crate::store::legacy::{LegacyContent, LegacyFile};
use crate::store::{Agent, Credential, ProfileId, RawJson};

/// Members of an entry that belong there.
const DESCRIPTION: [&str; 4] = ["provider", "mode", "email", "displayName"];

/// What the config holds for the agent `main`; `None` when there is nothing.
pub(super) fn of(machine: &Machine, agent: &Agent) -> Option<LegacyFile> {
    if !agent.id.is_main() {
        return None;
    }
    let mut content = LegacyContent::default();
    for (id, entry) in machine.config.value()?["auth"]["profiles"].as_object()? {
        let Some(entry) = entry.as_object() else { continue };
        let holds_more = entry.keys().any(|name| !DESCRIPTION.contains(&name.as_str()));
        if !holds_more || canonical::is_reserved(id) {
            continue;
        }
        let text = Value::Object(with_refs(machine, id, entry)).to_string();
        let text = canonical::of_credential(&text, id, None).map_or(text, |canonical| canonical.text);
        if Credential::from_raw(&text).is_some_and(|credential| credential.has_secret_or_ref()) {
            content.profiles.insert(ProfileId::from(id.as_str()), RawJson::new(&text));
        }
    }
    (!content.is_empty()).then(|| LegacyFile::of_config(&machine.installation.places.config, content))
}

/// The entry with `${NAME}` as a reference: what stands in a variable doesn't belong into the store.
fn with_refs(machine: &Machine, id: &str, entry: &Map<String, Value>) -> Map<String, Value> {
    let mut result = Map::new();
    for (name, value) in entry {
        let path = JsonPath::of_keys(["auth", "profiles", id, name.as_str()]);
        let variable = machine.config.env_refs().iter().find(|reference| reference.path == path);
        let reference = match name.as_str() {
            "key" | "apiKey" | "api_key" => "keyRef",
            "token" => "tokenRef",
            _ => name,
        };
        match variable {
            Some(variable) if reference != name => {
                let full = json!({"source": "env", "provider": "default", "id": variable.name});
                result.insert(reference.to_owned(), full);
            }
            _ => {
                result.insert(name.clone(), value.clone());
            }
        }
    }
    result
}
