//! What the engine may know about a credential: never the secret, only whether one is there.

use serde_json::{Value, json};

use super::ids::{fold, trim};
use super::js::is_truthy;
use super::state::{Num, number};

/// The kind of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CredentialType {
    /// A login with access and refresh tokens.
    Oauth,
    /// A bare token, perhaps with an end.
    Token,
    /// An API key.
    ApiKey,
    /// Missing or unknown.
    Other,
}

impl CredentialType {
    /// As OpenClaw writes it; `None` for [`Self::Other`].
    #[must_use]
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Oauth => Some("oauth"),
            Self::Token => Some("token"),
            Self::ApiKey => Some("api_key"),
            Self::Other => None,
        }
    }
}

/// When a credential ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Expiry {
    /// It doesn't say.
    #[default]
    Never,
    /// At this time, ms since 1970; may be zero or negative in damaged stores.
    At(Num),
    /// `expires` is there but no number.
    Invalid,
}

/// How a ref to a secret is written. Which of them a release takes: `rules::OrderRules::ref_forms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefForm {
    /// `{source, provider, id}` and nothing else.
    Full,
    /// `{source, id, ...}` without a provider.
    WithoutProvider,
    /// One of these two with source `store`.
    StoreSource,
    /// `${NAME}`.
    Template,
    /// `$NAME`.
    Shorthand,
    /// `secretref-env:NAME`.
    EnvMarker,
    /// `__env__:NAME`.
    UnderscoreMarker,
}

impl RefForm {
    /// Recognizes a ref; `None` when the value is none.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::of_text(trim(text)),
            Value::Object(members) => {
                let filled = |key: &str| {
                    members.get(key).and_then(Value::as_str).is_some_and(|text| !trim(text).is_empty())
                };
                let from_store = match members.get("source").and_then(Value::as_str)? {
                    "env" | "file" | "exec" => false,
                    "store" => true,
                    _ => return None,
                };
                let form = if members.len() == 3 && filled("provider") && filled("id") {
                    Self::Full
                } else if filled("id") && !members.contains_key("provider") {
                    Self::WithoutProvider
                } else {
                    return None;
                };
                Some(if from_store { Self::StoreSource } else { form })
            }
            _ => None,
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        let (form, name) = if let Some(inner) = text.strip_prefix("${") {
            (Self::Template, inner.strip_suffix('}')?)
        } else if let Some(name) = text.strip_prefix('$') {
            (Self::Shorthand, name)
        } else if let Some(name) = text.strip_prefix("secretref-env:") {
            (Self::EnvMarker, name)
        } else {
            (Self::UnderscoreMarker, text.strip_prefix("__env__:")?)
        };
        let proper = name.len() <= 128
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        proper.then_some(form)
    }
}

/// The ref in full, `{source, provider, id}`, when the value is one in any of the forms.
#[must_use]
pub fn secret_ref(value: &Value, forms: &[RefForm]) -> Option<Value> {
    let form = RefForm::of(value).filter(|form| forms.contains(form))?;
    Some(match (form, value) {
        (_, Value::Object(members)) if members.contains_key("provider") => value.clone(),
        (_, Value::Object(members)) => {
            json!({"source": members.get("source"), "provider": "default", "id": members.get("id")})
        }
        (_, value) => {
            let text = trim(value.as_str().unwrap_or_default());
            let name = text.trim_start_matches("secretref-env:").trim_start_matches("__env__:");
            let name = name.trim_matches(['$', '{', '}']);
            json!({"source": "env", "provider": "default", "id": name})
        }
    })
}

/// A credential without its secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileFacts {
    /// The provider as the credential spells it; empty when missing.
    pub provider: String,
    /// The kind.
    pub kind: CredentialType,
    /// The value itself is there and not blank: the key, the token, or for OAuth (and unknown
    /// kinds) access or refresh.
    pub has_value: bool,
    /// A ref to the value is there (`keyRef`, `tokenRef`).
    pub reference: Option<RefForm>,
    /// OAuth: an access token is there.
    pub has_access: bool,
    /// OAuth: a refresh token is there, so an expired login heals by itself.
    pub has_refresh: bool,
    /// OAuth: the secrets were moved to a sidecar (`oauthRef`).
    pub has_oauth_ref: bool,
    /// OAuth: 2026.9 replaced the tokens by markers while (or after) a refresh, so there are none.
    pub refresh_fence: bool,
    /// The key is a command line that somebody pasted (report 59629; seen as ineligible from 2026.7).
    pub malformed_key: bool,
    /// When it ends.
    pub expires: Expiry,
    /// The account's mail.
    pub email: Option<String>,
    /// A label given by the user.
    pub display_name: Option<String>,
    /// `setup.replacement` is set: 2026.9 leaves it alone until the setup is done.
    pub setup_replacement: bool,
}

impl ProfileFacts {
    /// Reads a credential; `None` when it is no object.
    #[must_use]
    pub fn from_json(credential: &Value) -> Option<Self> {
        let members = credential.as_object()?;
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let filled = |key: &str| text(key).is_some_and(|value| !trim(value).is_empty());
        let reference = |key: &str| members.get(key).and_then(RefForm::of);
        let kind = match text("type") {
            Some("oauth") => CredentialType::Oauth,
            Some("token") => CredentialType::Token,
            Some("api_key") => CredentialType::ApiKey,
            _ => CredentialType::Other,
        };
        let has_access = filled("access");
        let has_refresh = filled("refresh");
        let (has_value, reference) = match kind {
            CredentialType::ApiKey => (filled("key"), reference("keyRef")),
            CredentialType::Token => (filled("token"), reference("tokenRef")),
            CredentialType::Oauth | CredentialType::Other => (has_access || has_refresh, None),
        };
        let expires = match members.get("expires") {
            None => Expiry::Never,
            Some(value) => number(value).map_or(Expiry::Invalid, Expiry::At),
        };
        Some(Self {
            provider: text("provider").unwrap_or_default().to_owned(),
            kind,
            has_value,
            reference,
            has_access,
            has_refresh,
            has_oauth_ref: members.get("oauthRef").is_some_and(is_truthy),
            refresh_fence: kind == CredentialType::Oauth
                && expires == Expiry::At(Num::from(1))
                && is_refresh_fence(text("access"), text("refresh")),
            malformed_key: text("key").is_some_and(is_onboard_command),
            expires,
            email: text("email").map(str::to_owned),
            display_name: text("displayName").map(str::to_owned),
            setup_replacement: members
                .get("setup")
                .and_then(|setup| setup.get("replacement"))
                .is_some_and(is_truthy),
        })
    }
}

/// 2026.9 writes `openclaw-oauth-refresh-fence:v1:<claim>:[failed:]<which>:<digest>` into both tokens,
/// with one claim.
fn is_refresh_fence(access: Option<&str>, refresh: Option<&str>) -> bool {
    fn claim<'a>(token: Option<&'a str>, which: &str) -> Option<(&'a str, bool)> {
        let hex = |text: &str, length: usize| {
            text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let (claim, rest) = token?.strip_prefix("openclaw-oauth-refresh-fence:v1:")?.split_once(':')?;
        let (failed, rest) = rest.strip_prefix("failed:").map_or((false, rest), |rest| (true, rest));
        let digest = rest.strip_prefix(which)?.strip_prefix(':')?;
        (hex(claim, 32) && hex(digest, 64)).then_some((claim, failed))
    }
    let access = claim(access, "access");
    access.is_some() && access == claim(refresh, "refresh")
}

fn is_onboard_command(key: &str) -> bool {
    let key = trim(key);
    let mut words = key.split_whitespace().map(fold);
    words.next().is_some_and(|word| word == "openclaw")
        && words.next().is_some_and(|word| word == "onboard")
        && words.any(|word| word == "--auth-choice" || word.starts_with("--auth-choice="))
}
