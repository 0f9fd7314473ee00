//! Names that the whole engine speaks: failure reasons and rule-set families.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a call to a provider failed, spelled as OpenClaw spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The credential was refused.
    Auth,
    /// The credential was refused for good (revoked, deactivated).
    AuthPermanent,
    /// The provider's session ran out.
    SessionExpired,
    /// Out of credit.
    Billing,
    /// The request's shape was refused.
    Format,
    /// The provider doesn't know the model.
    ModelNotFound,
    /// The provider has no capacity.
    Overloaded,
    /// The provider failed (2026.7 on).
    ServerError,
    /// No answer in time.
    Timeout,
    /// Too many requests.
    RateLimit,
    /// The TLS certificate was refused (2026.9).
    TlsCertificate,
    /// The conversation is too long for the model.
    ContextOverflow,
    /// No usable message or status.
    EmptyResponse,
    /// The provider said exactly that it has no details.
    NoErrorDetails,
    /// Text was kept, no rule matched.
    Unclassified,
    /// Nothing known.
    Unknown,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 16] = [
        Self::Auth,
        Self::AuthPermanent,
        Self::SessionExpired,
        Self::Billing,
        Self::Format,
        Self::ModelNotFound,
        Self::Overloaded,
        Self::ServerError,
        Self::Timeout,
        Self::RateLimit,
        Self::TlsCertificate,
        Self::ContextOverflow,
        Self::EmptyResponse,
        Self::NoErrorDetails,
        Self::Unclassified,
        Self::Unknown,
    ];

    /// As OpenClaw writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::AuthPermanent => "auth_permanent",
            Self::SessionExpired => "session_expired",
            Self::Billing => "billing",
            Self::Format => "format",
            Self::ModelNotFound => "model_not_found",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Timeout => "timeout",
            Self::RateLimit => "rate_limit",
            Self::TlsCertificate => "tls_certificate",
            Self::ContextOverflow => "context_overflow",
            Self::EmptyResponse => "empty_response",
            Self::NoErrorDetails => "no_error_details",
            Self::Unclassified => "unclassified",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Reason {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(())
    }
}

/// The rule-set families, oldest first, each checked against one release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Checked against 2026.3.13.
    R2026_3,
    /// Checked against 2026.5.7.
    R2026_5,
    /// Checked against 2026.7.1 (`documented` belongs here too).
    R2026_7,
    /// Checked against 2026.9.6.
    R2026_9,
}

impl Family {
    /// Every family, oldest first.
    pub const ALL: [Self; 4] = [Self::R2026_3, Self::R2026_5, Self::R2026_7, Self::R2026_9];

    /// The rule set's id.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::R2026_3 => "2026.3",
            Self::R2026_5 => "2026.5",
            Self::R2026_7 => "2026.7",
            Self::R2026_9 => "2026.9",
        }
    }

    /// The release that the family was checked against.
    #[must_use]
    pub const fn checked_release(self) -> &'static str {
        match self {
            Self::R2026_3 => "2026.3.13",
            Self::R2026_5 => "2026.5.7",
            Self::R2026_7 => "2026.7.1",
            Self::R2026_9 => "2026.9.6",
        }
    }
}
