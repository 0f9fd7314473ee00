//! The rules, config and environment of a run.

use crate::base::time::Millis;
use crate::engine::rules::{RuleSet, RunRules};
use crate::engine::view::{ConfiguredProvider, EngineConfig};

/// Settings from the environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `OPENCLAW_FALLBACK_SKIP_TTL_MS`, clamped (ms); none: off.
    pub skip_ttl: Option<Millis>,
    /// `OPENCLAW_SDK_RETRY_MAX_WAIT_SECONDS` (ms); none: no limit.
    pub max_wait: Option<Millis>,
    /// Providers with a key in an environment variable.
    pub env_keys: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { skip_ttl: None, max_wait: Some(Millis::from_secs(60)), env_keys: Vec::new() }
    }
}

impl Settings {
    /// Reads OpenClaw's environment variables.
    #[must_use]
    pub fn from_env<'e>(get: impl Fn(&str) -> Option<&'e str>) -> Self {
        let text = |name: &str| get(name).map(str::trim).filter(|text| !text.is_empty());
        let digits = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..end].parse::<i64>().ok()
        };
        let skip_ttl = text("OPENCLAW_FALLBACK_SKIP_TTL_MS")
            .and_then(digits)
            .filter(|ttl| *ttl > 0)
            .map(|ttl| Millis(ttl.clamp(1_000, 600_000)));
        let max_wait = match text("OPENCLAW_SDK_RETRY_MAX_WAIT_SECONDS") {
            Some(off)
                if ["0", "false", "off", "none", "disabled"].contains(&off.to_ascii_lowercase().as_str()) =>
            {
                None
            }
            Some(seconds) => {
                let seconds = seconds.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
                #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
                Some(Millis((seconds.unwrap_or(60.0) * 1_000.0) as i64))
            }
            None => Some(Millis::from_secs(60)),
        };
        Self { skip_ttl, max_wait, env_keys: Vec::new() }
    }
}

/// The rules, config and settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The release.
    pub rules: &'a RuleSet,
    /// How its runs behave.
    pub run: &'a RunRules,
    /// The config.
    pub config: &'a EngineConfig,
    /// Settings from the environment.
    pub settings: &'a Settings,
}

impl Scene<'_> {
    /// Whether the provider can be called without a profile: it has a key in the config or the
    /// environment, or it is a server of one's own, which all releases call without any.
    #[must_use]
    pub fn has_inline_key(&self, provider: &str) -> bool {
        let same = |id: &str| *self.rules.providers.normalize(id) == *provider;
        self.config.providers.iter().any(|(id, entry)| {
            same(id) && (entry.has_api_key || entry.auth.as_deref() == Some("aws-sdk") || is_local(entry))
        }) || self.settings.env_keys.iter().any(|id| same(id))
    }
}

/// A provider of the config whose base URL points at this machine or its network.
fn is_local(provider: &ConfiguredProvider) -> bool {
    if provider.auth.as_deref().is_some_and(|auth| auth != "api-key") {
        return false;
    }
    let Some(url) = provider.base_url.as_deref() else { return false };
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let host = host.to_ascii_lowercase();
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_unspecified(),
        Ok(std::net::IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".local") || host.ends_with(".localhost"),
    }
}
