//! Credentials: the stored JSON, kept as it is, and a typed view that shows no secret.

use std::fmt;

use serde_json::{Map, Value};

use super::secret::{Secret, SecretKind};
use crate::base::time::Millis;

/// `type` of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialType {
    /// `api_key`.
    ApiKey,
    /// `token`.
    Token,
    /// `oauth`.
    OAuth,
    /// Any other text, or none: no release uses such a credential.
    Other(Option<String>),
}

impl CredentialType {
    /// As stored; `unknown` when there is none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::ApiKey => "api_key",
            Self::Token => "token",
            Self::OAuth => "oauth",
            Self::Other(text) => text.as_deref().unwrap_or("unknown"),
        }
    }
}

/// Where the secret of a credential is looked up: `{source, provider, id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretRef {
    /// The member that holds the reference: `keyRef`, `tokenRef`, or `key` and `token` themselves.
    pub field: String,
    /// `env`, `file` or `exec`.
    pub source: String,
    /// The name of the secrets provider in the config.
    pub provider: String,
    /// What to look up there.
    pub id: String,
}

/// A member of a credential that holds a secret.
#[derive(Debug, Clone)]
pub struct SecretField {
    /// The member's name; nested ones with dots.
    pub name: String,
    /// The secret.
    pub secret: Secret,
}

/// One credential; two are equal when their texts are.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    raw: Box<str>,
    kind: CredentialType,
    provider: Option<Box<str>>,
}

/// Members that are known to hold no secret; shown when they hold text, a number or a truth value.
const HARMLESS: [&str; 20] = [
    "type",
    "mode",
    "provider",
    "expires",
    "email",
    "displayName",
    "label",
    "accountId",
    "projectId",
    "enterpriseUrl",
    "clientId",
    "managedBy",
    "copyToAgents",
    "chatgptPlanType",
    "subscriptionType",
    "rateLimitTier",
    "tokenEndpoint",
    "deviceAuthorizationEndpoint",
    "issuer",
    "authFlow",
];

/// Members of a reference.
const REF_MEMBERS: [&str; 3] = ["source", "provider", "id"];

impl Credential {
    /// Reads the text of a JSON object; `None` for any other value, which no release reads.
    ///
    /// `mode` counts where `type` is missing and `apiKey` as a type means `api_key`, as in 2026.7 and
    /// later (recorded with `coerce`; 2026.3 knows the first only).
    #[must_use]
    pub fn from_raw(raw: &str) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(raw).ok()?;
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let kind = match if object.contains_key("type") { text("type") } else { text("mode") } {
            Some("api_key" | "apiKey") => CredentialType::ApiKey,
            Some("token") => CredentialType::Token,
            Some("oauth") => CredentialType::OAuth,
            other => CredentialType::Other(other.map(str::to_owned)),
        };
        Some(Self { raw: raw.into(), kind, provider: text("provider").map(Into::into) })
    }

    /// Its type.
    #[must_use]
    pub fn kind(&self) -> &CredentialType {
        &self.kind
    }

    /// The provider as spelled; `None` when missing or no text.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref()
    }

    /// `displayName`, else `label`.
    #[must_use]
    pub fn display_name(&self) -> Option<String> {
        let object = self.object();
        text_of(&object, "displayName").or_else(|| text_of(&object, "label"))
    }

    /// `email`.
    #[must_use]
    pub fn email(&self) -> Option<String> {
        text_of(&self.object(), "email")
    }

    /// `expires` in ms, when it is a number above 0. [`Credential::has_expires`] tells about others.
    #[must_use]
    pub fn expires(&self) -> Option<Millis> {
        let number = self.object().get("expires")?.as_f64().filter(|number| *number > 0.0)?;
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and no date is that far away")]
        Some(Millis(number as i64))
    }

    /// Whether there is an `expires` at all, of whatever shape.
    #[must_use]
    pub fn has_expires(&self) -> bool {
        self.object().contains_key("expires")
    }

    /// Every member that holds a secret (references are none), in stored order. A member whose name
    /// isn't known to be harmless counts as a secret, and so does one of a shape that its name
    /// doesn't have.
    #[must_use]
    pub fn secrets(&self) -> Vec<SecretField> {
        let mut found = Vec::new();
        for (name, value) in &self.object() {
            collect_secrets(name, name, value, &mut found);
        }
        found
    }

    /// The secret of this kind, when it is there and not blank.
    #[must_use]
    pub fn secret(&self, kind: SecretKind) -> Option<Secret> {
        self.secrets()
            .into_iter()
            .map(|field| field.secret)
            .find(|secret| secret.kind() == kind && !secret.expose().trim().is_empty())
    }

    /// Every reference to a secret that lives elsewhere: `keyRef`, `tokenRef`, `oauthRef`, `key` or
    /// `token` holding one, and the short form `"keyRef": "${NAME}"`.
    #[must_use]
    pub fn refs(&self) -> Vec<SecretRef> {
        self.object().iter().filter_map(|(name, value)| SecretRef::of(name, value)).collect()
    }

    /// Whether there is something to send to the provider: the secret of its type, or a reference.
    #[must_use]
    pub fn has_secret_or_ref(&self) -> bool {
        let kinds: &[SecretKind] = match self.kind {
            CredentialType::ApiKey => &[SecretKind::ApiKey],
            CredentialType::Token => &[SecretKind::Token],
            CredentialType::OAuth => &[SecretKind::AccessToken, SecretKind::RefreshToken],
            CredentialType::Other(_) => return false,
        };
        kinds.iter().any(|kind| self.secret(*kind).is_some()) || !self.refs().is_empty()
    }

    /// The whole credential with every secret replaced by its mask.
    #[must_use]
    pub fn masked(&self) -> Value {
        let object = self.object();
        Value::Object(object.iter().map(|(name, value)| (name.clone(), mask(name, value))).collect())
    }

    /// The stored text WITH its secrets: for writing, comparing and the engine's copy. Never for
    /// printing.
    #[must_use]
    pub fn expose_json(&self) -> &str {
        &self.raw
    }

    fn object(&self) -> Map<String, Value> {
        serde_json::from_str(&self.raw).unwrap_or_default()
    }
}

impl SecretRef {
    fn of(field: &str, value: &Value) -> Option<Self> {
        if !may_hold_ref(field) {
            return None;
        }
        match value {
            Value::Object(object) => Some(Self {
                field: field.to_owned(),
                source: text_of(object, "source")?,
                provider: text_of(object, "provider").unwrap_or_default(),
                id: text_of(object, "id")?,
            }),
            Value::String(text) if field.ends_with("Ref") => {
                let id = text.trim().strip_prefix("${")?.strip_suffix('}')?;
                let [source, provider] = ["env", "default"].map(str::to_owned);
                Some(Self { field: field.to_owned(), source, provider, id: id.to_owned() })
            }
            _ => None,
        }
    }
}

fn may_hold_ref(field: &str) -> bool {
    matches!(field, "keyRef" | "tokenRef" | "oauthRef" | "key" | "token")
}

fn text_of(object: &Map<String, Value>, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

fn kind_of(name: &str) -> SecretKind {
    match name {
        "key" | "apiKey" | "api_key" => SecretKind::ApiKey,
        "token" => SecretKind::Token,
        "access" => SecretKind::AccessToken,
        "refresh" => SecretKind::RefreshToken,
        "idToken" => SecretKind::IdToken,
        _ => SecretKind::Other,
    }
}

/// Whether a member is known to hold no secret.
pub(crate) fn is_plain(name: &str, value: &Value) -> bool {
    // User, password and query of a URL may be credentials.
    let bare = value.as_str().is_none_or(|text| !text.contains("://") || !text.contains(['@', '?', '#']));
    HARMLESS.contains(&name) && !value.is_object() && !value.is_array() && bare
}

/// A member of a reference that may be shown.
fn is_plain_ref_member(name: &str, value: &Value) -> bool {
    REF_MEMBERS.contains(&name) && value.is_string()
}

fn collect_secrets(path: &str, name: &str, value: &Value, found: &mut Vec<SecretField>) {
    let is_ref = SecretRef::of(path, value).is_some();
    match value {
        Value::Null | Value::Bool(_) => {}
        _ if is_plain(path, value) => {}
        Value::Object(object) => {
            for (inner, value) in object {
                if !(is_ref && is_plain_ref_member(inner, value)) {
                    collect_secrets(&format!("{path}.{inner}"), inner, value, found);
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect_secrets(&format!("{path}[{index}]"), name, value, found);
            }
        }
        Value::String(_) if is_ref => {}
        Value::String(text) => {
            found.push(SecretField { name: path.to_owned(), secret: Secret::new(kind_of(name), text) });
        }
        Value::Number(number) => {
            let secret = Secret::new(kind_of(name), &number.to_string());
            found.push(SecretField { name: path.to_owned(), secret });
        }
    }
}

/// `path` is the member's name, or that of the member it is nested in.
fn mask(path: &str, value: &Value) -> Value {
    fn nested(name: &str, value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                object.iter().map(|(inner, value)| (inner.clone(), nested(inner, value))).collect()
            }
            Value::Array(items) => items.iter().map(|value| nested(name, value)).collect(),
            Value::String(text) => Secret::new(kind_of(name), text).mask().into(),
            Value::Number(number) => Secret::new(kind_of(name), &number.to_string()).mask().into(),
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }
    if is_plain(path, value) {
        return value.clone();
    }
    match (value, SecretRef::of(path, value)) {
        (Value::Object(object), Some(_)) => object
            .iter()
            .map(|(name, value)| {
                let shown =
                    if is_plain_ref_member(name, value) { value.clone() } else { nested(name, value) };
                (name.clone(), shown)
            })
            .collect(),
        (_, Some(_)) => value.clone(),
        (_, None) => nested(path, value),
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("type", &self.kind.as_str())
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn credential(value: &Value) -> Credential {
        Credential::from_raw(&value.to_string()).unwrap()
    }

    #[test]
    fn everything_that_is_not_known_to_be_harmless_is_masked() {
        let oauth = credential(&json!({
            "type": "oauth", "provider": "openai", "access": "made-up-1", "refresh": "made-up-22",
            "idToken": "made-up-333", "expires": 1_800_000_000_000_i64, "email": "me@example.com",
            "accountId": "acct", "label": {"hidden": "made-up-4444"}, "future": ["made-up-5", 7],
            "setup": {"configJson": "made-up-6"}, "flag": true,
        }));
        let shown = oauth.masked();
        assert_eq!(shown["access"], "access token, 9 chars");
        assert_eq!(shown["refresh"], "refresh token, 10 chars");
        assert_eq!(shown["idToken"], "id token, 11 chars");
        assert_eq!(shown["future"], json!(["secret, 9 chars", "secret, 1 char"]));
        assert_eq!(shown["email"], "me@example.com");
        assert_eq!(shown["expires"], 1_800_000_000_000_i64);
        assert_eq!(shown["flag"], true);
        let everything = format!("{shown} {oauth:?} {:?}", oauth.secrets());
        assert!(!everything.contains("made-up"), "{everything}");
        let names: Vec<String> = oauth.secrets().into_iter().map(|field| field.name).collect();
        assert_eq!(
            names,
            ["access", "refresh", "idToken", "label.hidden", "future[0]", "future[1]", "setup.configJson"]
        );
    }

    #[test]
    fn references_are_shown_and_are_no_secrets() {
        let api_key = credential(&json!({
            "type": "api_key", "provider": "x",
            "keyRef": {"source": "env", "provider": "default", "id": "X_KEY", "extra": "made-up"},
        }));
        assert_eq!(api_key.refs()[0].id, "X_KEY");
        assert_eq!(api_key.masked()["keyRef"]["id"], "X_KEY");
        assert_eq!(api_key.masked()["keyRef"]["extra"], "secret, 7 chars");
        assert!(api_key.has_secret_or_ref());
        let short = credential(&json!({"type": "api_key", "provider": "x", "keyRef": "${X_KEY}"}));
        assert_eq!((short.refs()[0].id.as_str(), short.refs()[0].source.as_str()), ("X_KEY", "env"));
        let inside = credential(&json!({"type": "api_key", "key": {"source": "file", "id": "/k"}}));
        assert_eq!(inside.refs()[0].field, "key");
        assert!(inside.secrets().is_empty());
        let template = credential(&json!({"type": "api_key", "key": "${X_KEY}"}));
        assert!(template.refs().is_empty(), "releases send such a key as it is");
    }

    #[test]
    fn types_read_as_the_releases_read_them() {
        let kind = |value: Value| credential(&value).kind().as_str().to_owned();
        assert_eq!(kind(json!({"mode": "api_key"})), "api_key");
        assert_eq!(kind(json!({"type": "apiKey"})), "api_key");
        assert_eq!(kind(json!({"type": "oauth", "mode": "api_key"})), "oauth");
        assert_eq!(kind(json!({"type": "weird"})), "weird");
        assert_eq!(kind(json!({"type": 5, "mode": "token"})), "unknown");
        assert!(Credential::from_raw("[1]").is_none());
        assert!(Credential::from_raw("\"s\"").is_none());
    }

    #[test]
    fn expires_is_a_number_above_zero() {
        let expires = |value: Value| credential(&json!({"expires": value})).expires();
        assert_eq!(expires(json!(1.5)), Some(Millis(1)));
        assert_eq!(expires(json!(1e13)), Some(Millis(10_000_000_000_000)));
        assert_eq!(expires(json!(-5)), None);
        assert_eq!(expires(json!("123")), None);
        assert!(credential(&json!({"expires": "123"})).has_expires());
    }

    #[test]
    fn blank_secrets_are_none() {
        let blank = credential(&json!({"type": "api_key", "provider": "x", "key": "  "}));
        assert!(!blank.has_secret_or_ref());
        let wrong_field = credential(&json!({"type": "token", "provider": "x", "key": "k"}));
        assert!(!wrong_field.has_secret_or_ref());
    }
}
