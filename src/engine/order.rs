//! Which profile of a provider comes first, and why.

use std::borrow::Cow;
use std::fmt;

use crate::base::time::Millis;

use super::facts::{CredentialType, Expiry, ProfileFacts};
use super::ids::ProfileId;
use super::rules::RuleSet;
use super::state::{AuthState, UsageStats};
use super::usage::{is_exempt, unusable_until};
use super::view::{ConfiguredProfile, EngineConfig};

/// Why a profile is or isn't eligible, in the releases' own codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// It can be used.
    Ok,
    /// No credential of that id is stored.
    ProfileMissing,
    /// It belongs to another provider.
    ProviderMismatch,
    /// The config names another mode (config oauth accepts a token).
    ModeMismatch,
    /// There is no secret and no ref to one.
    MissingCredential,
    /// A token's `expires` is no usable time.
    InvalidExpires,
    /// A token has ended.
    Expired,
    /// Only a sidecar ref is there, and nothing behind it.
    UnresolvedRef,
    /// The key is a pasted command line.
    MalformedApiKey,
    /// A replacement that a setup hasn't finished.
    SetupInactive,
}

impl ReasonCode {
    /// As OpenClaw writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ProfileMissing => "profile_missing",
            Self::ProviderMismatch => "provider_mismatch",
            Self::ModeMismatch => "mode_mismatch",
            Self::MissingCredential => "missing_credential",
            Self::InvalidExpires => "invalid_expires",
            Self::Expired => "expired",
            Self::UnresolvedRef => "unresolved_ref",
            Self::MalformedApiKey => "malformed_api_key",
            Self::SetupInactive => "setup_inactive",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a profile can be used for a provider at all (windows aside).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eligibility {
    /// Whether it can.
    pub eligible: bool,
    /// Why, or why not.
    pub reason_code: ReasonCode,
}

impl From<ReasonCode> for Eligibility {
    fn from(reason_code: ReasonCode) -> Self {
        Self { eligible: reason_code == ReasonCode::Ok, reason_code }
    }
}

/// Where an order comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderSource {
    /// The store's `order`, under this key.
    Stored(String),
    /// The config's `auth.order`, under this key.
    ConfigOrder(String),
    /// The config's `auth.profiles`.
    ConfigProfiles,
    /// All stored profiles of the provider.
    Store,
    /// All stored profiles of the provider, since every id of this source is gone.
    Fallback(Box<OrderSource>),
}

impl OrderSource {
    /// The word in JSON: `stored`, `config-order`, `config-profiles`, `store`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Stored(_) => "stored",
            Self::ConfigOrder(_) => "config-order",
            Self::ConfigProfiles => "config-profiles",
            Self::Store | Self::Fallback(_) => "store",
        }
    }

    /// Whether the sequence was given by somebody and is kept.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self, Self::Stored(_) | Self::ConfigOrder(_))
    }
}

/// What a profile is ranked by, most important first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankKey {
    /// The caller asked for it.
    pub preferred: bool,
    /// It is in a window until then, ms since 1970; such profiles go last, soonest end first.
    pub cooling_until: Option<Millis>,
    /// Its place in an explicit order, from 0; `None` when the rule set sorts.
    pub position: Option<usize>,
    /// Its type: oauth, token, api_key, other.
    pub kind: CredentialType,
    /// An OAuth access token that has ended, where the rule set looks at it (2026.9).
    pub expired_access: bool,
    /// When it was last used, ms since 1970; 0 for never.
    pub last_used: Millis,
}

/// A profile that the order knows, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderEntry {
    /// Its id.
    pub id: ProfileId,
    /// Its place in the effective order, from 0; `None` when it isn't in it.
    pub rank: Option<usize>,
    /// Whether it can be used at all.
    pub eligibility: Eligibility,
    /// The source of the order names it; `false` for a stored profile of the provider that an explicit
    /// order or `auth.profiles` leaves out.
    pub listed: bool,
    /// What it is ranked by; `None` when it isn't ranked.
    pub key: Option<RankKey>,
}

/// An effective order, explained.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderResult {
    /// Where it comes from.
    pub source: OrderSource,
    /// The effective order.
    pub ids: Vec<ProfileId>,
    /// Every profile that took part: first the effective order, then the rest.
    pub entries: Vec<OrderEntry>,
}

/// What an order is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderQuery<'a> {
    /// The provider, in any spelling.
    pub provider: &'a str,
    /// The time, ms since 1970.
    pub now: Millis,
    /// A profile that goes first if it is in the order.
    pub preferred: Option<&'a str>,
    /// The model to be called.
    pub model: Option<&'a str>,
}

/// Whether a profile can be used for a provider, windows aside.
#[must_use]
pub fn eligibility(
    rules: &RuleSet,
    config: &EngineConfig,
    state: &AuthState,
    provider: &str,
    profile: &str,
    now: Millis,
) -> Eligibility {
    let context = Context { rules, config, state, provider: rules.providers.for_credentials(provider), now };
    context.reason_code(profile).into()
}

/// The effective order with its explanation.
#[must_use]
pub fn resolve(
    rules: &RuleSet,
    config: &EngineConfig,
    state: &AuthState,
    query: OrderQuery<'_>,
) -> OrderResult {
    let context = Context::new(rules, config, state, query);
    let (source, base) = context.base(query.provider);
    let (source, ranked) = context.rank(source, &base, query);

    let mut entries: Vec<OrderEntry> = ranked
        .iter()
        .enumerate()
        .map(|(rank, (id, key))| OrderEntry {
            id: (*id).clone(),
            rank: Some(rank),
            eligibility: ReasonCode::Ok.into(),
            listed: base.contains(id),
            key: Some(*key),
        })
        .collect();
    let stored = context.stored_profiles();
    for (index, id) in base.iter().chain(&stored).enumerate() {
        if entries.iter().any(|entry| entry.id == **id) {
            continue;
        }
        entries.push(OrderEntry {
            id: (*id).clone(),
            rank: None,
            eligibility: context.reason_code(id.as_str()).into(),
            listed: index < base.len(),
            key: None,
        });
    }
    OrderResult { source, ids: ranked.into_iter().map(|(id, _)| id.clone()).collect(), entries }
}

/// The effective order alone, with one list allocated.
#[must_use]
pub fn ids<'a>(
    rules: &'a RuleSet,
    config: &'a EngineConfig,
    state: &'a AuthState,
    query: OrderQuery<'a>,
) -> Vec<&'a ProfileId> {
    let context = Context::new(rules, config, state, query);
    let (source, base) = context.base(query.provider);
    context.rank(source, &base, query).1.into_iter().map(|(id, _)| id).collect()
}

struct Context<'a> {
    rules: &'a RuleSet,
    config: &'a EngineConfig,
    state: &'a AuthState,
    /// The provider whose credentials are used.
    provider: Cow<'a, str>,
    now: Millis,
}

impl<'a> Context<'a> {
    fn new(
        rules: &'a RuleSet,
        config: &'a EngineConfig,
        state: &'a AuthState,
        query: OrderQuery<'a>,
    ) -> Self {
        let provider = rules.providers.for_credentials(query.provider);
        Self { rules, config, state, provider, now: query.now }
    }

    fn is_of_provider(&self, provider: &str) -> bool {
        // The id that a name stands for stands for itself.
        *provider == *self.provider || self.rules.providers.for_credentials(provider) == self.provider
    }

    fn stored_profiles(&self) -> Vec<&'a ProfileId> {
        let own = self.state.profiles.iter().filter(|(_, facts)| self.is_of_provider(&facts.provider));
        own.map(|(id, _)| id).collect()
    }

    /// The list that is ranked, before anything is dropped, and where it comes from.
    fn base(&self, asked: &str) -> (OrderSource, Vec<&'a ProfileId>) {
        let asked = self.rules.providers.normalize(asked);
        let stored = &self.state.order;
        let configured = &self.config.auth.order;
        if let Some((key, ids)) = self.find(stored, &asked) {
            return (OrderSource::Stored(key.clone()), ids.iter().collect());
        }
        if let Some((key, ids)) = self.find(configured, &asked) {
            return (OrderSource::ConfigOrder(key.clone()), ids.iter().collect());
        }
        let named = self.config_profiles();
        if named.is_empty() {
            (OrderSource::Store, self.stored_profiles())
        } else {
            (OrderSource::ConfigProfiles, named)
        }
    }

    fn find<V>(&self, orders: &'a indexmap::IndexMap<String, V>, asked: &str) -> Option<(&'a String, &'a V)> {
        let names = &self.rules.providers;
        let under = |provider: &str| orders.iter().find(|(key, _)| names.normalize(key) == provider);
        let owner = Some(&*self.provider).filter(|_| self.rules.order.order_key_by_owner);
        owner.and_then(under).or_else(|| under(asked))
    }

    fn config_profiles(&self) -> Vec<&'a ProfileId> {
        let named = self.config.auth.profiles.iter();
        named.filter(|(_, named)| self.is_of_provider(&named.provider)).map(|(id, _)| id).collect()
    }

    /// Drops what isn't eligible and sorts the rest.
    fn rank(
        &self,
        source: OrderSource,
        base: &[&'a ProfileId],
        query: OrderQuery<'_>,
    ) -> (OrderSource, Vec<(&'a ProfileId, RankKey)>) {
        let mut source = source;
        let mut ids = self.eligible(base);
        if ids.is_empty() && !base.is_empty() && self.falls_back(&source, base) {
            ids = self.eligible(&self.stored_profiles());
            source = OrderSource::Fallback(Box::new(source));
        }
        let keeps_sequence = match &source {
            OrderSource::Fallback(given) => {
                given.is_explicit() && !self.rules.order.gone_stored_order_falls_back
            }
            source => source.is_explicit(),
        };
        let mut ranked: Vec<_> = ids
            .into_iter()
            .enumerate()
            .map(|(position, id)| (id, self.key(id, keeps_sequence.then_some(position), query)))
            .collect();
        ranked.sort_by(|(_, a), (_, b)| compare(a, b));
        (source, ranked)
    }

    fn eligible(&self, ids: &[&'a ProfileId]) -> Vec<&'a ProfileId> {
        let mut eligible: Vec<&ProfileId> = Vec::with_capacity(ids.len());
        for id in ids {
            if self.reason_code(id.as_str()) == ReasonCode::Ok && !eligible.contains(id) {
                eligible.push(id);
            }
        }
        eligible
    }

    /// Whether a list of ids that are all gone gives way to the stored profiles.
    fn falls_back(&self, source: &OrderSource, base: &[&ProfileId]) -> bool {
        let stored = matches!(source, OrderSource::Stored(_));
        let allowed =
            (stored && self.rules.order.gone_stored_order_falls_back) || !self.config_profiles().is_empty();
        allowed && base.iter().all(|id| !self.state.profiles.contains_key(id.as_str()))
    }

    fn key(&self, id: &ProfileId, position: Option<usize>, query: OrderQuery<'_>) -> RankKey {
        let order = &self.rules.order;
        let facts = self.state.profiles.get(id);
        let stats = self.state.usage.get(id);
        let model = query.model.filter(|_| order.cooldown_by_model);
        let exempt = facts.is_some_and(|facts| is_exempt(self.rules, &facts.provider));
        let cooling_until =
            stats.filter(|_| !exempt).and_then(|stats| unusable_until(self.rules, stats, self.now, model));
        RankKey {
            preferred: query.preferred == Some(id.as_str()),
            cooling_until,
            position,
            kind: facts.map_or(CredentialType::Other, |facts| facts.kind),
            expired_access: order.live_oauth_first
                && facts.is_some_and(|facts| self.has_expired_access(facts)),
            last_used: stats.map_or(Millis(0), UsageStats::last_used_or_never),
        }
    }

    fn has_expired_access(&self, facts: &ProfileFacts) -> bool {
        facts.kind == CredentialType::Oauth && self.expiry(facts) == Some(ReasonCode::Expired)
    }

    /// `None` while the credential hasn't ended.
    fn expiry(&self, facts: &ProfileFacts) -> Option<ReasonCode> {
        let expires = match facts.expires {
            Expiry::Never => return None,
            Expiry::Invalid => return Some(ReasonCode::InvalidExpires),
            Expiry::At(expires) => expires.get(),
        };
        let beyond = self.rules.order.max_expires.is_some_and(|max| expires > max.0 as f64);
        if expires <= 0.0 || beyond {
            Some(ReasonCode::InvalidExpires)
        } else {
            (self.now.0 as f64 >= expires).then_some(ReasonCode::Expired)
        }
    }

    fn reason_code(&self, profile: &str) -> ReasonCode {
        let configured = self.config.auth.profiles.get(profile);
        let Some(facts) = self.state.profiles.get(profile) else {
            let by_sdk = configured.is_some_and(|configured| self.is_aws_sdk(configured));
            return if by_sdk { ReasonCode::Ok } else { ReasonCode::ProfileMissing };
        };
        if self.rules.order.honours_setup && facts.setup_replacement {
            return ReasonCode::SetupInactive;
        }
        let foreign = configured.is_some_and(|configured| !self.is_of_provider(&configured.provider));
        if foreign || !self.is_of_provider(&facts.provider) {
            return ReasonCode::ProviderMismatch;
        }
        let mode_fits = configured.is_none_or(|configured| {
            facts.kind.as_str() == Some(configured.mode.as_str())
                || (configured.mode == "oauth" && facts.kind == CredentialType::Token)
        });
        if mode_fits { self.credential(facts) } else { ReasonCode::ModeMismatch }
    }

    fn is_aws_sdk(&self, configured: &ConfiguredProfile) -> bool {
        let names = &self.rules.providers;
        self.rules.order.aws_sdk_profiles
            && configured.mode == "aws-sdk"
            && self.is_of_provider(&configured.provider)
            && self.config.providers.iter().any(|(id, provider)| {
                names.normalize(id) == self.provider && provider.auth.as_deref() == Some("aws-sdk")
            })
    }

    fn credential(&self, facts: &ProfileFacts) -> ReasonCode {
        let order = &self.rules.order;
        let has_ref = facts.reference.is_some_and(|form| order.ref_forms.contains(&form));
        match facts.kind {
            CredentialType::ApiKey if facts.malformed_key && order.rejects_onboard_command => {
                ReasonCode::MalformedApiKey
            }
            CredentialType::ApiKey | CredentialType::Token if !facts.has_value && !has_ref => {
                ReasonCode::MissingCredential
            }
            CredentialType::ApiKey => ReasonCode::Ok,
            CredentialType::Token => self.expiry(facts).unwrap_or(ReasonCode::Ok),
            CredentialType::Oauth | CredentialType::Other => {
                if order.honours_setup && facts.refresh_fence {
                    ReasonCode::Expired
                } else if facts.has_value {
                    ReasonCode::Ok
                } else if facts.has_oauth_ref && order.names_oauth_ref {
                    ReasonCode::UnresolvedRef
                } else {
                    ReasonCode::MissingCredential
                }
            }
        }
    }
}

/// Preferred first; then usable before cooling; usable ones by position or type, access, last use;
/// cooling ones by their end. The sort is stable: ties keep the sequence of the source.
fn compare(a: &RankKey, b: &RankKey) -> std::cmp::Ordering {
    let usable =
        |key: &RankKey| (key.position.is_none()).then_some((key.kind, key.expired_access, key.last_used));
    b.preferred.cmp(&a.preferred).then_with(|| match (a.cooling_until, b.cooling_until) {
        (Some(a), Some(b)) => a.cmp(&b),
        (None, None) => a.position.cmp(&b.position).then_with(|| usable(a).cmp(&usable(b))),
        (a, b) => a.is_some().cmp(&b.is_some()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Millis = Millis(1_783_166_400_000);

    fn resolved(id: &str, store: serde_json::Value) -> OrderResult {
        let rules = RuleSet::builtin(id).expect("built in");
        let query = OrderQuery { provider: "openai", now: NOW, preferred: None, model: None };
        resolve(&rules, &EngineConfig::default(), &AuthState::from_json(&store), query)
    }

    /// Reports 65844 and 135140: an order whose ids are all gone strands the provider up to 2026.5.
    #[test]
    fn a_stored_order_of_gone_ids_falls_back_from_2026_7_on() {
        let store = json!({
            "profiles": {"openai:live": {"type": "api_key", "provider": "openai", "key": "made-up"}},
            "order": {"openai": ["openai:gone"]}
        });
        let source = OrderSource::Stored("openai".to_owned());
        for id in ["2026.3", "2026.5"] {
            let result = resolved(id, store.clone());
            assert_eq!((result.source, result.ids), (source.clone(), vec![]), "{id}");
        }
        for id in ["2026.7", "2026.9"] {
            let result = resolved(id, store.clone());
            assert_eq!(result.source, OrderSource::Fallback(Box::new(source.clone())), "{id}");
            assert_eq!(result.ids, ["openai:live"], "{id}");
        }
    }

    /// Reports 131877 and 54545: every profile that took part is explained.
    #[test]
    fn entries_explain_who_is_left_out() {
        let store = json!({
            "profiles": {
                "openai:a": {"type": "api_key", "provider": "openai", "key": "made-up"},
                "openai:b": {"type": "token", "provider": "openai", "token": "made-up", "expires": 1},
                "openai:c": {"type": "api_key", "provider": "openai", "key": "made-up"},
                "xai:a": {"type": "api_key", "provider": "xai", "key": "made-up"}
            },
            "order": {"openai": ["openai:b", "xai:a", "openai:a", "openai:gone"]},
            "usageStats": {"openai:a": {"cooldownUntil": NOW.0 + 5_000}}
        });
        let result = resolved("2026.9", store);
        let explained: Vec<_> = result
            .entries
            .iter()
            .map(|entry| (entry.id.as_str(), entry.rank, entry.eligibility.reason_code, entry.listed))
            .collect();
        assert_eq!(
            explained,
            [
                ("openai:a", Some(0), ReasonCode::Ok, true),
                ("openai:b", None, ReasonCode::Expired, true),
                ("xai:a", None, ReasonCode::ProviderMismatch, true),
                ("openai:gone", None, ReasonCode::ProfileMissing, true),
                ("openai:c", None, ReasonCode::Ok, false),
            ]
        );
        assert_eq!(result.entries[0].key.and_then(|key| key.cooling_until), Some(Millis(NOW.0 + 5_000)));
    }
}
