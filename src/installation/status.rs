//! What every profile of an agent is good for right now: the store, the config and the engine's
//! rules put together.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::base::time::Millis;
use crate::engine::facts::{CredentialType, Expiry};
use crate::engine::order::{self, OrderQuery, OrderResult, ReasonCode};
use crate::engine::usage::{self, CooldownSettings, NextStep, Window};
use crate::engine::{Reason, UsageStats};
use crate::installation::machine::{AgentView, Machine};
use crate::output::when;
use crate::store::{Profile, ProfileId};

/// The state of a profile, the most pressing one first found.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// Usable.
    Ok,
    /// Usable, until its access ends (a refresh token may prolong it).
    Expires(Millis),
    /// The access has ended; the refresh token gets a new one at the next use.
    ExpiredRefreshable(Millis),
    /// The access has ended for good.
    Expired(Millis),
    /// Not used until the window ends.
    Window(Window),
    /// The secret lives elsewhere, and isn't there.
    UnresolvedRef(String),
    /// No release would use it; the releases' own code.
    Invalid(ReasonCode),
}

impl State {
    /// The word in JSON and tab-separated output.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Expires(_) => "expires",
            Self::ExpiredRefreshable(_) => "expired-refreshable",
            Self::Expired(_) => "expired",
            Self::Window(window) => window.kind.as_str(),
            Self::UnresolvedRef(_) => "unresolved-ref",
            Self::Invalid(_) => "invalid",
        }
    }

    /// For people.
    #[must_use]
    pub fn text(&self, now: Millis) -> String {
        match self {
            Self::Ok => "ok".to_owned(),
            Self::Expires(at) => format!("expires {}", when::relative(*at, now)),
            Self::ExpiredRefreshable(_) => "expired (refreshable)".to_owned(),
            Self::Expired(at) => format!("expired {}", when::relative(*at, now)),
            Self::Window(window) => {
                let scope = window.model.as_ref().map_or_else(String::new, |model| format!(" for {model}"));
                let reason = window.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
                format!("{}{reason}{scope}, ends {}", window.kind.as_str(), when::relative(window.until, now))
            }
            Self::UnresolvedRef(what) => format!("unresolved ref: {what}"),
            Self::Invalid(code) => format!("invalid: {}", code.as_str().replace('_', " ")),
        }
    }

    /// When it changes by itself, ms since 1970.
    #[must_use]
    pub const fn until(&self) -> Option<Millis> {
        match self {
            Self::Expires(at) | Self::ExpiredRefreshable(at) | Self::Expired(at) => Some(*at),
            Self::Window(window) => Some(window.until),
            _ => None,
        }
    }
}

/// A profile with its state.
#[derive(Debug)]
pub struct ProfileStatus<'a> {
    /// As stored.
    pub profile: &'a Profile,
    /// Its provider as the rules spell it.
    pub provider: String,
    /// Its state.
    pub state: State,
    /// Its usageStats, empty if it has none.
    pub usage: UsageStats,
    /// Place in its provider's order, from 1; `None` when it isn't used.
    pub rank: Option<usize>,
    /// Whether a provider without cooldowns has it: windows don't count (openrouter, kilocode).
    pub exempt: bool,
}

impl ProfileStatus<'_> {
    /// `displayName`, else the mail.
    #[must_use]
    pub fn label(&self) -> Option<String> {
        self.profile.credential.display_name().or_else(|| self.profile.credential.email())
    }

    /// When it last answered, ms since 1970.
    #[must_use]
    pub fn last_used(&self) -> Option<Millis> {
        self.usage.last_used.map(crate::engine::state::Num::millis).filter(|used| used.0 > 0)
    }

    /// Whether the engine would take it now, for some model. A reference that can't be resolved here
    /// may well be there in the gateway's environment.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        match &self.state {
            State::Window(window) => window.model.is_some(),
            State::Invalid(_) => false,
            // An expired OAuth login without refresh token is still tried by every release.
            _ => self.rank.is_some(),
        }
    }
}

/// A window of a profile, or of a key that stands in the config.
#[derive(Debug)]
pub struct WindowStatus {
    /// The profile, or `inline-api-key:<provider>`.
    pub profile: ProfileId,
    /// Its provider.
    pub provider: String,
    /// The window; `None` for a row without one (`--all`).
    pub window: Option<Window>,
    /// It holds now.
    pub active: bool,
    /// The window that a failure right after this one's end would set.
    pub next: Option<NextStep>,
    /// `errorCount`.
    pub errors: u64,
    /// The usageStats entry's document.
    pub source: Option<PathBuf>,
    /// Windows of this provider don't count.
    pub exempt: bool,
    /// No such profile: the row belongs to a key in the config.
    pub inline: bool,
}

impl WindowStatus {
    /// Whether waiting isn't enough: the credential or the account needs somebody.
    #[must_use]
    pub fn needs_operator(&self) -> bool {
        let reason = self.window.as_ref().and_then(|window| window.reason.as_deref());
        reason.is_some_and(|reason| {
            reason.parse::<Reason>().is_ok_and(|reason| {
                matches!(
                    reason,
                    Reason::Auth
                        | Reason::AuthPermanent
                        | Reason::SessionExpired
                        | Reason::Billing
                        | Reason::ModelNotFound
                        | Reason::TlsCertificate
                )
            })
        })
    }
}

impl Machine {
    /// Every profile of the agent, in the store's sequence.
    #[must_use]
    pub fn profiles<'a>(&self, view: &'a AgentView, now: Millis) -> Vec<ProfileStatus<'a>> {
        let names = &view.rules.set.providers;
        let mut orders: IndexMap<String, OrderResult> = IndexMap::new();
        view.store
            .profiles
            .values()
            .map(|profile| {
                let spelled = profile.credential.provider().unwrap_or_default();
                let provider = names.for_credentials(spelled).into_owned();
                let order = orders.entry(provider.clone()).or_insert_with(|| {
                    self.order(view, OrderQuery { provider: &provider, now, preferred: None, model: None })
                });
                let id = profile.id.as_str();
                let rank = order.ids.iter().position(|ranked| ranked.as_str() == id).map(|rank| rank + 1);
                let usage = view.state.usage.get(id).cloned().unwrap_or_default();
                let exempt = usage::is_exempt(&view.rules.set, &provider);
                let state = self.state(view, profile, &provider, &usage, exempt, now);
                ProfileStatus { profile, provider, state, usage, rank, exempt }
            })
            .collect()
    }

    /// The effective order of a provider, explained.
    #[must_use]
    pub fn order(&self, view: &AgentView, query: OrderQuery<'_>) -> OrderResult {
        order::resolve(&view.rules.set, &self.engine_config, &view.state, query)
    }

    fn state(
        &self,
        view: &AgentView,
        profile: &Profile,
        provider: &str,
        usage: &UsageStats,
        exempt: bool,
        now: Millis,
    ) -> State {
        let rules = &view.rules.set;
        let id = profile.id.as_str();
        let eligibility = order::eligibility(rules, &self.engine_config, &view.state, provider, id, now);
        let facts = view.state.profiles.get(id);
        let expires = facts.and_then(|facts| match facts.expires {
            Expiry::At(at) => Some(at.millis()),
            _ => None,
        });
        match (eligibility.reason_code, expires) {
            (ReasonCode::Ok, _) => {}
            (ReasonCode::Expired, Some(at)) => return State::Expired(at),
            (code, _) => return State::Invalid(code),
        }
        if let Some(missing) = self.unresolved(profile) {
            return State::UnresolvedRef(missing);
        }
        let windows = if exempt { Vec::new() } else { usage::windows(rules, usage, now) };
        if let Some(window) = pressing(windows) {
            return State::Window(window);
        }
        let is_oauth = facts.is_some_and(|facts| facts.kind == CredentialType::Oauth);
        let refreshable = facts.is_some_and(|facts| facts.has_refresh);
        match expires {
            Some(at) if at.0 > now.0 => State::Expires(at),
            Some(at) if is_oauth && refreshable => State::ExpiredRefreshable(at),
            Some(at) if is_oauth => State::Expired(at),
            _ => State::Ok,
        }
    }

    /// What an `env` or `file` reference points at, when it isn't there. `exec` references are never
    /// run, so they count as there.
    pub(crate) fn unresolved(&self, profile: &Profile) -> Option<String> {
        profile.credential.refs().into_iter().find_map(|reference| match reference.source.as_str() {
            "env" => {
                (!self.has_variable(&reference.id)).then(|| format!("variable {} isn't set", reference.id))
            }
            "file" => {
                let path =
                    self.config.value()?["secrets"]["providers"][&reference.provider]["path"].as_str()?;
                let path = self.installation.places.expand(Path::new(path), &self.env.current_dir);
                (!path.exists()).then(|| format!("file {} isn't there", path.display()))
            }
            _ => None,
        })
    }

    /// The windows of the agent's profiles and inline keys; with `all`, rows without an active window
    /// too.
    #[must_use]
    pub fn windows(&self, view: &AgentView, now: Millis, all: bool) -> Vec<WindowStatus> {
        let rules = &view.rules.set;
        let mut rows = Vec::new();
        let stored = view.store.profiles.keys().map(ProfileId::as_str);
        let unlisted = view.state.usage.keys().map(crate::engine::ProfileId::as_str);
        let mut ids: Vec<&str> = stored.collect();
        // Rows of profiles that are gone are for `doctor`, unless they belong to a key in the config.
        ids.extend(unlisted.filter(|id| ProfileId::new(*id).inline_provider().is_some()));
        for id in ids {
            let usage = view.state.usage.get(id).cloned().unwrap_or_default();
            let profile = ProfileId::new(id);
            let inline = profile.inline_provider().is_some();
            let spelled = match view.store.profiles.get(&profile) {
                Some(stored) => stored.credential.provider().unwrap_or_default().to_owned(),
                None => profile.inline_provider().unwrap_or_default().to_owned(),
            };
            let provider = rules.providers.for_credentials(&spelled).into_owned();
            let exempt = usage::is_exempt(rules, &provider);
            let settings = CooldownSettings::new(rules, &self.engine_config.auth.cooldowns, &provider);
            let source = view.store.state.usage.get(&profile).map(|usage| usage.source.path.clone());
            let errors = usage.error_count.map_or(0, |count| count.get().max(0.0) as u64);
            let mut windows = usage::all_windows(rules, &usage);
            windows.retain(|window| all || now < window.until);
            let row = |window: Option<Window>| {
                let active = window.as_ref().is_some_and(|window| now < window.until);
                let next = if active { usage::next_step(rules, &settings, &usage, now) } else { None };
                WindowStatus {
                    profile: profile.clone(),
                    provider: provider.clone(),
                    window,
                    active,
                    next,
                    errors,
                    source: source.clone(),
                    exempt,
                    inline,
                }
            };
            if windows.is_empty() && all {
                rows.push(row(None));
            }
            rows.extend(windows.into_iter().map(|window| row(Some(window))));
        }
        rows
    }
}

/// Providers that have profiles, none of which can be used now.
#[must_use]
pub fn exhausted_providers(statuses: &[ProfileStatus<'_>]) -> Vec<String> {
    let mut usable: IndexMap<&str, bool> = IndexMap::new();
    for status in statuses {
        *usable.entry(&status.provider).or_default() |= status.is_usable();
    }
    usable.into_iter().filter(|(_, usable)| !usable).map(|(provider, _)| provider.to_owned()).collect()
}

/// The window that decides: one of the whole profile before a scoped one, then the latest end.
fn pressing(windows: Vec<Window>) -> Option<Window> {
    windows.into_iter().max_by_key(|window| (window.model.is_none(), window.until))
}
