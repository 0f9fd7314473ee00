//! `--redact-ids`: profile ids and mail addresses replaced by numbered stand-ins.

use std::collections::HashMap;

/// Replaces ids the same way throughout one run.
#[derive(Debug, Default)]
pub struct Redactor {
    on: bool,
    ids: HashMap<String, String>,
}

impl Redactor {
    /// A redactor; when off, everything passes unchanged.
    #[must_use]
    pub fn new(on: bool) -> Self {
        Self { on, ids: HashMap::new() }
    }

    /// Whether ids are replaced.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.on
    }

    /// `openai:me@example.com` becomes `openai:profile-1`; an id keeps its stand-in. What precedes
    /// the first colon is the provider and stays, unless it could be an address itself.
    pub fn id(&mut self, id: &str) -> String {
        if !self.on || id.starts_with("inline-api-key:") {
            return id.to_owned();
        }
        if let Some(known) = self.ids.get(id) {
            return known.clone();
        }
        let number = self.ids.len() + 1;
        let provider =
            id.split_once(':').map(|(provider, _)| provider).filter(|provider| !provider.contains('@'));
        let stand_in = match provider {
            Some(provider) => format!("{provider}:profile-{number}"),
            None => format!("profile-{number}"),
        };
        self.ids.insert(id.to_owned(), stand_in.clone());
        stand_in
    }

    /// Numbers these ids, in their own order, before anything is printed: the same installation then
    /// gets the same stand-ins from every command.
    pub fn know<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) {
        if self.on {
            let mut ids: Vec<&str> = ids.into_iter().collect();
            ids.sort_unstable();
            for id in ids {
                self.id(id);
            }
        }
    }

    /// Running text with every known id replaced, the longest first, and mail addresses hidden.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let mut ids: Vec<(&String, &String)> = self.ids.iter().collect();
        ids.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
        let text =
            ids.into_iter().fold(text.to_owned(), |text, (id, stand_in)| text.replace(id.as_str(), stand_in));
        let is_mail = |word: &str| word.contains('@') && word.contains('.');
        text.split_inclusive(char::is_whitespace)
            .map(
                |word| {
                    if is_mail(word) { word.replace(word.trim_end(), "[hidden]") } else { word.to_owned() }
                },
            )
            .collect()
    }

    /// Every text of a document scrubbed, and every member's name.
    #[must_use]
    pub fn scrub_json(&self, value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            _ if !self.on => value,
            Value::String(text) => Value::String(self.scrub(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.scrub_json(item)).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(name, value)| (self.scrub(&name), self.scrub_json(value))).collect()
            }
            other => other,
        }
    }

    /// A label or mail; gone when redacting.
    #[must_use]
    pub fn label(&self, label: Option<String>) -> Option<String> {
        label.filter(|_| !self.on)
    }

    /// Free text (a session key, a member's value): hidden when redacting.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        if self.on { "[hidden]".to_owned() } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_stable_and_hide_the_address() {
        let mut redactor = Redactor::new(true);
        assert_eq!(redactor.id("openai:me@example.com"), "openai:profile-1");
        assert_eq!(redactor.id("openai:work"), "openai:profile-2");
        assert_eq!(redactor.id("openai:me@example.com"), "openai:profile-1");
        assert_eq!(redactor.id("me@example.com"), "profile-3");
        assert_eq!(redactor.id("inline-api-key:xai"), "inline-api-key:xai");
        assert_eq!(redactor.label(Some("me".to_owned())), None);
    }
}
