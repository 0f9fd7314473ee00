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
