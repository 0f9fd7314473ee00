//! How a release spells providers: which ids mean the same one.

use std::borrow::Cow;

use super::super::ids::{ProviderId, fold};

/// Spellings of provider ids. Case and outer blanks never matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderNames {
    /// Other names of a provider, everywhere: `(alias, id)`, sorted by alias.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Providers that use the credentials of another: `(id, owner)`, sorted by id.
    pub credentials_of: &'static [(&'static str, &'static str)],
}

impl ProviderNames {
    /// The id as the release compares it.
    #[must_use]
    pub fn normalize<'a>(&self, provider: &'a str) -> Cow<'a, str> {
        let folded = fold(provider);
        match lookup(self.aliases, &folded) {
            Some(id) => Cow::Borrowed(id),
            None => folded,
        }
    }

    /// The id of the provider whose credentials are used.
    #[must_use]
    pub fn for_credentials<'a>(&self, provider: &'a str) -> Cow<'a, str> {
        let normalized = self.normalize(provider);
        match lookup(self.credentials_of, &normalized) {
            Some(id) => Cow::Borrowed(id),
            None => normalized,
        }
    }

    /// [`Self::normalize`] as an id of its own.
    #[must_use]
    pub fn id(&self, provider: &str) -> ProviderId {
        ProviderId::from(&*self.normalize(provider))
    }
}

fn lookup(pairs: &'static [(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    pairs.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|index| pairs[index].1)
}

#[cfg(test)]
mod tests {
    use super::super::RuleSet;

    #[test]
    fn an_id_that_a_name_stands_for_stands_for_itself() {
        for id in RuleSet::IDS {
            let names = RuleSet::builtin(id).expect("a rule set").providers;
            for (alias, owner) in names.aliases {
                assert_eq!(names.normalize(owner), *owner, "{id}: {alias}");
            }
            for (provider, owner) in names.credentials_of {
                assert_eq!(names.for_credentials(owner), *owner, "{id}: {provider}");
            }
        }
    }
}
