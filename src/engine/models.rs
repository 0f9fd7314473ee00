//! Reading model refs the way a release does: `provider/model`, aliases, bare ids, refs with a profile
//! behind `@`.

use super::ids::{ModelRef, ProviderId, fold, trim};
use super::rules::{AliasUse, RuleSet};
use super::view::{AgentEntry, EngineConfig, ModelChoice};

/// Reads the model refs of a config, for an agent where the release looks at agents.
pub(super) struct Reader<'a> {
    rules: &'a RuleSet,
    config: &'a EngineConfig,
    agent: Option<&'a AgentEntry>,
}

/// The aliases of a config, read with one default provider.
pub(super) struct Aliases<'a> {
    list: Vec<Alias<'a>>,
}

struct Alias<'a> {
    /// In lower case.
    name: String,
    /// The key in `models` that it stands for.
    key: &'a str,
    target: ModelRef,
}

impl Aliases<'_> {
    /// The last one of that name wins.
    fn get(&self, name: &str) -> Option<&ModelRef> {
        let name = fold(name);
        self.list.iter().rfind(|alias| alias.name == name).map(|alias| &alias.target)
    }

    fn get_of_provider(&self, rules: &RuleSet, raw: &str) -> Option<&ModelRef> {
        let (provider, name) = raw.split_once('/').filter(|(provider, _)| !provider.is_empty())?;
        let (provider, name) = (rules.providers.normalize(provider), fold(name));
        let fits = |alias: &&Alias<'_>| {
            alias.name == name && rules.providers.normalize(alias.target.provider.as_str()) == provider
        };
        self.list.iter().rfind(fits).map(|alias| &alias.target)
    }

    pub(super) fn names_model(&self, model: &ModelRef) -> bool {
        self.list.iter().any(|alias| key(&alias.target) == key(model))
    }
}

/// A ref that was read, and whether an alias stood for it.
pub(super) struct Read {
    pub(super) model: ModelRef,
    pub(super) by_alias: bool,
}

/// `provider/model`, without repeating a provider that the model starts with.
pub(super) fn key(model: &ModelRef) -> String {
    let (provider, id) = (model.provider.as_str(), model.model.as_str());
    let repeated = fold(id).strip_prefix(&*fold(provider)).is_some_and(|rest| rest.starts_with('/'));
    if repeated || provider.is_empty() { id.to_owned() } else { format!("{provider}/{id}") }
}

impl<'a> Reader<'a> {
    pub(super) fn new(rules: &'a RuleSet, config: &'a EngineConfig, agent: Option<&str>) -> Self {
        let named = agent.filter(|id| rules.chain.agent_settings && !id.is_empty());
        let agent = named.and_then(|id| config.agent(id));
        Self { rules, config, agent }
    }

    pub(super) fn default_model(&self) -> ModelRef {
        let default = &self.rules.chain.default_model;
        let (provider, model) = default.split_once('/').unwrap_or(("", default));
        ModelRef { provider: provider.into(), model: model.into() }
    }

    /// A provider and a model as they stand, spelled the release's way.
    pub(super) fn pair(&self, provider: &str, model: &str) -> ModelRef {
        let provider = self.rules.providers.id(provider);
        let model = self.rules.models.normalize(provider.as_str(), trim(model));
        ModelRef { provider, model: model.into() }
    }

    fn model_maps(&self) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        let defaults = self.config.defaults.models.iter();
        let own = self.agent.into_iter().flat_map(|agent| &agent.own.models);
        defaults.chain(own).map(|(key, entry)| (key.as_str(), entry.alias.as_deref()))
    }

    pub(super) fn aliases(&self, default_provider: &str) -> Aliases<'a> {
        let newest = self.rules.chain.alias_use == AliasUse::OnePerModel;
        let mut list: Vec<Alias<'a>> = Vec::new();
        for (key_raw, alias) in self.model_maps() {
            let skipped = self.rules.chain.wildcards && self.is_wildcard(key_raw);
            let Some(alias) = alias.filter(|_| !skipped) else { continue };
            let Some(target) = self.parse(key_raw, default_provider, true) else { continue };
            if newest {
                list.retain(|other| key(&other.target) != key(&target));
            }
            let name = fold(alias).into_owned();
            if !name.is_empty() {
                list.push(Alias { name, key: key_raw, target });
            }
        }
        Aliases { list }
    }

    fn is_wildcard(&self, key: &str) -> bool {
        trim(key).strip_suffix("/*").is_some_and(|provider| !trim(provider).is_empty())
    }

    /// Reads a ref; an alias goes before everything else.
    pub(super) fn resolve(
        &self,
        raw: &str,
        default_provider: &str,
        aliases: &Aliases<'_>,
        knows_config: bool,
    ) -> Option<Read> {
        let model = self.without_profile(raw);
        if model.is_empty() {
            return None;
        }
        let chain = &self.rules.chain;
        let bare = !model.contains('/');
        let alias = aliases
            .get(model)
            .filter(|_| bare || chain.alias_use != AliasUse::Bare)
            .or_else(|| aliases.get_of_provider(self.rules, model).filter(|_| chain.alias_with_provider()));
        match alias {
            Some(target) => Some(Read { model: target.clone(), by_alias: true }),
            None => {
                let model = self.parse(model, default_provider, knows_config)?;
                Some(Read { model, by_alias: false })
            }
        }
    }

    /// Reads `provider/model` or a bare id.
    fn parse(&self, raw: &str, default_provider: &str, knows_config: bool) -> Option<ModelRef> {
        let raw = trim(raw);
        if raw.is_empty() {
            return None;
        }
        let chain = &self.rules.chain;
        if chain.knows_configured_providers {
            let known = self.openrouter_compat(raw, default_provider, knows_config).or_else(|| {
                let direct = self.configured_provider_ref(raw);
                let behind_default = || {
                    let slash = raw.find('/');
                    let has_form = slash.is_some_and(|slash| slash > 0 && slash < raw.len() - 1);
                    let bare =
                        if chain.alias_use == AliasUse::OnePerModel { slash.is_none() } else { !has_form };
                    self.configured_provider_ref(&format!("{default_provider}/{raw}")).filter(|_| bare)
                };
                let found = direct.or_else(|| behind_default().filter(|_| chain.alias_with_provider()));
                found.filter(|_| knows_config)
            });
            if known.is_some() {
                return known;
            }
        }
        let Some((provider, model)) = raw.split_once('/') else {
            return Some(self.pair(default_provider, raw));
        };
        let (provider, model) = (trim(provider), trim(model));
        (!provider.is_empty() && !model.is_empty()).then(|| self.pair(provider, model))
    }

    /// `openrouter:auto`, and `openrouter:free` where the config lists a free model.
    fn openrouter_compat(&self, raw: &str, default_provider: &str, knows_config: bool) -> Option<ModelRef> {
        match &*fold(raw) {
            "openrouter:auto" => Some(self.pair("openrouter", "auto")),
            "openrouter:free" if knows_config => self.free_openrouter_model(default_provider),
            _ => None,
        }
    }

    fn free_openrouter_model(&self, default_provider: &str) -> Option<ModelRef> {
        let is_free = |id: &str| id.contains('/') && id.ends_with(":free");
        let own = self.agent.into_iter().flat_map(|agent| agent.own.models.keys());
        let listed = own
            .chain(self.config.defaults.models.keys())
            .filter(|key| key.contains('/'))
            .filter_map(|key| self.plain(key, default_provider))
            .find(|model| model.provider == "openrouter" && is_free(model.model.as_str()));
        let names = &self.rules.providers;
        let of_provider = || {
            let (_, provider) =
                self.config.providers.iter().find(|(id, _)| names.normalize(id) == "openrouter")?;
            let id = provider.models.iter().map(|id| trim(id)).find(|id| is_free(id))?;
            Some(self.pair("openrouter", id))
        };
        listed.or_else(of_provider)
    }

    /// Reads `provider/model` or a bare id without looking at the config.
    fn plain(&self, raw: &str, default_provider: &str) -> Option<ModelRef> {
        self.parse(raw, default_provider, false)
    }

    /// A provider of the config that speaks another one's API keeps its own name.
    fn configured_provider_ref(&self, raw: &str) -> Option<ModelRef> {
        let (provider, model) = raw.split_once('/')?;
        let (provider, model) = (fold(provider), trim(model));
        if provider.is_empty() || model.is_empty() {
            return None;
        }
        let (id, configured) = self.config.providers.iter().find(|(id, _)| fold(id) == provider)?;
        let names = &self.rules.providers;
        let api = names.normalize(configured.api.as_deref()?);
        if api.is_empty() || api == names.normalize(id) {
            return None;
        }
        let model = if self.rules.models.drops_own_prefix {
            self.rules.models.normalize_configured(&provider, model)
        } else {
            self.rules.models.normalize(&provider, model)
        };
        Some(ModelRef { provider: ProviderId::from(&*provider), model: model.into() })
    }

    /// The ref without `@profile`; a date or a quantization behind `@` belongs to the model.
    fn without_profile<'t>(&self, raw: &'t str) -> &'t str {
        let raw = trim(raw);
        let last_segment = raw.rfind('/').map_or(0, |slash| slash + 1);
        let after = |from: usize| raw.get(from..).and_then(|rest| rest.find('@')).map(|at| from + at);
        let Some(mut at) = after(last_segment).filter(|at| *at > 0) else { return raw };
        if self.rules.chain.knows_configured_providers {
            let tests: [fn(&str) -> bool; 2] = [is_date, is_quantization];
            for test in tests {
                let suffix = &raw[at + 1..];
                if test(suffix.split('@').next().unwrap_or_default()) {
                    match after(at + 1) {
                        Some(next) => at = next,
                        None => return raw,
                    }
                }
            }
        }
        let (model, profile) = (trim(&raw[..at]), trim(&raw[at + 1..]));
        if model.is_empty() || profile.is_empty() { raw } else { model }
    }

    /// The only provider that lists a bare model id.
    fn infer_provider(&self, model: &str) -> Option<ProviderId> {
        let default = self.default_model();
        let listed = |keys: &mut dyn Iterator<Item = &String>, found: &mut Matches| {
            for key in keys.map(|key| trim(key)).filter(|key| key.contains('/')) {
                let wildcard = self.rules.chain.wildcards && key.ends_with("/*");
                let parsed = self.plain(key, default.provider.as_str()).filter(|_| !wildcard);
                if let Some(parsed) = parsed {
                    found.add(parsed.provider.as_str(), &[parsed.model.as_str()]);
                }
            }
        };
        let names = &self.rules.providers;
        let new_matches = || Matches::new(model, self.rules.chain.alias_use == AliasUse::OnePerModel);
        if let Some(agent) = self.agent {
            let mut found = new_matches();
            listed(&mut agent.own.models.keys(), &mut found);
            if found.any() {
                return found.only().map(ProviderId::from);
            }
        }
        let mut found = new_matches();
        listed(&mut self.config.defaults.models.keys(), &mut found);
        for (id, provider) in &self.config.providers {
            let id = names.normalize(id);
            for model in provider.models.iter().map(|model| trim(model)).filter(|model| !model.is_empty()) {
                let normalized = self.rules.models.normalize_configured(&id, model);
                let spellings = [model, normalized.as_str()];
                let known = if self.rules.models.drops_own_prefix { &spellings[..] } else { &spellings[..1] };
                found.add(&id, known);
            }
        }
        found.only().map(ProviderId::from)
    }

    /// The configured primary of the agent, else of the defaults.
    fn primary_text(&self) -> Option<&'a str> {
        let of = |choice: Option<&'a ModelChoice>| {
            choice.and_then(|choice| choice.primary.as_deref()).map(trim).filter(|text| !text.is_empty())
        };
        of(self.agent.and_then(|agent| agent.own.model.as_ref()))
            .or_else(|| of(self.config.defaults.model.as_ref()))
    }

    /// The configured primary; without one, the first configured provider's first model; else the
    /// built-in default.
    pub(super) fn primary(&self) -> ModelRef {
        let read = self.primary_text().and_then(|raw| self.read_primary(raw));
        read.or_else(|| self.first_configured_model()).unwrap_or_else(|| self.default_model())
    }

    pub(super) fn read_primary(&self, raw: &str) -> Option<ModelRef> {
        let chain = &self.rules.chain;
        let default = self.default_model();
        let provider = default.provider.as_str();
        let aliases = self.aliases(provider);
        let bare = !raw.contains('/');
        let known = match chain.alias_use {
            AliasUse::Bare => aliases.get(raw).filter(|_| bare).cloned(),
            AliasUse::Any => aliases.get(raw).cloned(),
            AliasUse::WithProvider | AliasUse::OnePerModel => self.primary_by_alias(raw, provider, &aliases),
        };
        if known.is_some() {
            return known;
        }
        if !bare {
            let read_alias = if chain.alias_with_provider() { Aliases { list: Vec::new() } } else { aliases };
            return self.resolve(raw, provider, &read_alias, true).map(|read| read.model);
        }
        let inferred = self
            .openrouter_compat(raw, provider, true)
            .filter(|_| chain.knows_configured_providers)
            .or_else(|| {
                let inferred = self.infer_provider(raw).filter(|_| chain.knows_configured_providers)?;
                let inferred = inferred.as_str();
                Some(if chain.alias_with_provider() {
                    self.pair(inferred, raw)
                } else {
                    unspelled(inferred, raw)
                })
            });
        match chain.alias_use {
            _ if inferred.is_some() => inferred,
            AliasUse::OnePerModel => {
                self.resolve(raw, provider, &Aliases { list: Vec::new() }, true).map(|read| read.model)
            }
            _ => Some(unspelled(provider, raw)),
        }
    }

    /// From 2026.7 on: an alias with `@profile` behind it counts, a provider of the config goes before
    /// an alias, and so does a full ref before an alias of a bare key.
    fn primary_by_alias(&self, raw: &str, provider: &str, aliases: &Aliases<'_>) -> Option<ModelRef> {
        let model = self.without_profile(raw);
        let stripped = model != raw;
        if stripped && let Some(target) = aliases.get(raw).or_else(|| aliases.get(model)) {
            return Some(target.clone());
        }
        let exact = aliases.get(raw);
        let one_per_model = self.rules.chain.alias_use == AliasUse::OnePerModel;
        if exact.is_none()
            && one_per_model
            && let Some((of, id)) = model.split_once('/').filter(|(of, _)| !of.is_empty())
            && let Some(target) = aliases.get_of_provider(self.rules, model)
            && !self.lists_model(of, id)
        {
            return Some(target.clone());
        }
        if let Some(configured) = self.configured_provider_ref(model) {
            return Some(configured);
        }
        let exact = exact.filter(|_| !stripped)?;
        let is_full = |text: &str| {
            text.trim().find('/').is_some_and(|slash| slash > 0 && slash < text.trim().len() - 1)
        };
        let name = fold(raw);
        let key_raw = aliases.list.iter().rfind(|alias| alias.name == name).map_or("", |alias| alias.key);
        if is_full(model)
            && !is_full(key_raw)
            && let Some(full) = self.parse(model, provider, true)
        {
            return Some(full);
        }
        Some(exact.clone())
    }

    /// Whether the config lists exactly this model under the provider.
    pub(super) fn lists_model(&self, provider: &str, model: &str) -> bool {
        let names = &self.rules.providers;
        let provider = names.normalize(provider);
        let configured = self.config.providers.iter().find(|(id, _)| names.normalize(id) == provider);
        configured.is_some_and(|(_, configured)| {
            !trim(model).is_empty() && configured.models.iter().any(|id| trim(id) == trim(model))
        })
    }

    fn first_configured_model(&self) -> Option<ModelRef> {
        let default = self.default_model();
        let names = &self.rules.providers;
        let newest = self.rules.chain.alias_use == AliasUse::OnePerModel;
        let default_covered = if newest {
            self.lists_model(default.provider.as_str(), default.model.as_str())
        } else {
            self.config.providers.contains_key(default.provider.as_str())
        };
        if default_covered {
            return None;
        }
        let first = |models: &'a [String]| models.first().map(String::as_str).filter(|id| !id.is_empty());
        self.config.providers.iter().find_map(|(id, provider)| {
            let model = first(&provider.models)?;
            let id = if newest { names.normalize(id) } else { id.as_str().into() };
            Some(unspelled(&id, model))
        })
    }
}

fn unspelled(provider: &str, model: &str) -> ModelRef {
    ModelRef { provider: provider.into(), model: model.into() }
}

/// Eight digits.
fn is_date(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `q4_k_m`, `iq3_xxs`, `8bit`, in any case.
fn is_quantization(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(bits) = text.strip_suffix("bit") {
        return !bits.is_empty() && digits(bits) == bits.len();
    }
    let Some(rest) = text.strip_prefix('i').unwrap_or(&text).strip_prefix('q') else { return false };
    let count = digits(rest);
    let mut parts = rest[count..].split('_');
    count > 0
        && parts.next() == Some("")
        && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Providers that list a model.
struct Matches<'m> {
    model: &'m str,
    /// A provider that lists it letter by letter goes before one that does but for case.
    exact_first: bool,
    exact: Vec<String>,
    folded: Vec<String>,
}

impl<'m> Matches<'m> {
    fn new(model: &'m str, exact_first: bool) -> Self {
        Self { model, exact_first, exact: Vec::new(), folded: Vec::new() }
    }

    fn add(&mut self, provider: &str, spellings: &[&str]) {
        let exact = spellings.contains(&self.model);
        let folded = fold(self.model);
        if provider.is_empty() || !(exact || spellings.iter().any(|spelling| fold(spelling) == folded)) {
            return;
        }
        let list = if exact && self.exact_first { &mut self.exact } else { &mut self.folded };
        if list.iter().all(|known| known != provider) {
            list.push(provider.to_owned());
        }
    }

    fn any(&self) -> bool {
        !self.exact.is_empty() || !self.folded.is_empty()
    }

    fn only(&self) -> Option<&str> {
        let list = if self.exact.is_empty() { &self.folded } else { &self.exact };
        list.first().map(String::as_str).filter(|_| list.len() == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantization_or_date_behind_the_at_sign_belongs_to_the_model() {
        let rules = RuleSet::builtin("2026.9").expect("built in");
        let config = EngineConfig::default();
        let reader = Reader::new(&rules, &config, None);
        for (raw, model) in [
            ("openai/gpt-x@openai:a", "openai/gpt-x"),
            ("openai/gpt-x@20250101", "openai/gpt-x@20250101"),
            ("openai/gpt-x@20250101@openai:a", "openai/gpt-x@20250101"),
            ("local/m@q4_k_m", "local/m@q4_k_m"),
            ("local/m@IQ3_XXS@openai:a", "local/m@IQ3_XXS"),
            ("local/m@8bit", "local/m@8bit"),
            ("local/m@q4_", "local/m"),
            ("team@home/m", "team@home/m"),
            ("openai/gpt-x@", "openai/gpt-x@"),
        ] {
            assert_eq!(reader.without_profile(raw), model, "{raw}");
        }
    }
}
