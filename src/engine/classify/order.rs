//! In which order a text, a status, a code and a type are judged.
//!
//! Every table is tried from the top and the first row that holds decides. Where releases differ
//! in order, a row stands at both places, each with its families.

use super::words::Theme;
use super::{ALL, F3, F5, F7, F9, FROM_5, FROM_7, Families, UP_TO_7};
use crate::engine::types::Reason;

/// One step of judging a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) families: Families,
    pub(super) judge: Judge,
}

/// How a step judges.
#[derive(Debug, Clone, Copy)]
pub(super) enum Judge {
    /// The first row of the theme that matches gives this reason, or ends the search without one.
    Words { theme: Theme, reason: Option<Reason>, only: Only },
    /// The text itself says that it is a 402: see [`PAYMENT`].
    Payment,
    /// A leading status of a passing failure.
    LeadingStatus,
    /// The type that a JSON body names, when it says that the server failed.
    ServerType,
    /// Words of a failing server, where `status: internal server error` doesn't count as such.
    Server,
    /// The type that a JSON body names, or the error's own type.
    BodyType,
    /// The status that leads the text, judged without regard to the text.
    OwnStatus,
}

/// A condition beside the words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Only {
    Always,
    /// None of these themes has a match.
    Unless(&'static [Theme]),
    /// The provider's id is this.
    Provider(&'static str),
    /// The provider's id contains this.
    ProviderLike(&'static str),
    /// The text doesn't start with this status.
    NotLeading(i64),
}

const fn words(families: Families, theme: Theme, reason: Reason) -> Step {
    words_if(families, theme, reason, Only::Always)
}

const fn words_if(families: Families, theme: Theme, reason: Reason, only: Only) -> Step {
    Step { families, judge: Judge::Words { theme, reason: Some(reason), only } }
}

const fn step(families: Families, judge: Judge) -> Step {
    Step { families, judge }
}

/// The server isn't to blame when the text speaks of money or of the credential.
pub(super) const REFUSED_OR_UNPAID: Only = Only::Unless(&[Theme::Billing, Theme::AuthPermanent, Theme::Auth]);

/// The text, in order.
pub(super) const TEXT: &[Step] = &[
    step(ALL, Judge::Words { theme: Theme::Image, reason: None, only: Only::Always }),
    words(F9, Theme::ImageInput, Reason::Format),
    words_if(F9, Theme::ClaudeCliLogin, Reason::Auth, Only::Provider("claude-cli")),
    words(F9, Theme::Transcript, Reason::Format),
    words(ALL, Theme::Session, Reason::SessionExpired),
    words(ALL, Theme::Model, Reason::ModelNotFound),
    words(F9, Theme::VendorLimit, Reason::RateLimit),
    words(F9, Theme::VendorLoad, Reason::Overloaded),
    words(F9, Theme::VendorModel, Reason::ModelNotFound),
    words_if(
        FROM_5,
        Theme::Overflow,
        Reason::ContextOverflow,
        Only::Unless(&[Theme::TokenRate, Theme::Reasoning]),
    ),
    words_if(
        F5.or(F7),
        Theme::VendorOverflow,
        Reason::ContextOverflow,
        Only::Unless(&[Theme::TokenRate, Theme::Reasoning]),
    ),
    words_if(
        F9,
        Theme::VendorOverflow,
        Reason::ContextOverflow,
        Only::Unless(&[Theme::TokenRate, Theme::Reasoning, Theme::RateLimit]),
    ),
    words(F9, Theme::Replay, Reason::Format),
    step(ALL, Judge::Payment),
    words_if(F5.or(F7), Theme::OpenrouterKey, Reason::Billing, Only::ProviderLike("openrouter")),
    words_if(FROM_7, Theme::Billing, Reason::Billing, Only::NotLeading(429)),
    words_if(ALL, Theme::Periodic, Reason::RateLimit, Only::Unless(&[Theme::Billing])),
    words(ALL, Theme::PeriodicBilling, Reason::Billing),
    words(ALL, Theme::RateLimit, Reason::RateLimit),
    words(ALL, Theme::Overloaded, Reason::Overloaded),
    words(F9, Theme::FinishError, Reason::ServerError),
    step(FROM_7, Judge::ServerType),
    words_if(FROM_7, Theme::ServerType, Reason::ServerError, REFUSED_OR_UNPAID),
    step(UP_TO_7, Judge::LeadingStatus),
    // 2026.3 goes its own way from here on.
    words(F3, Theme::ApiErrorBody, Reason::Timeout),
    words(F3, Theme::Format, Reason::Format),
    words(F3, Theme::Billing, Reason::Billing),
    words(F3, Theme::Timeout, Reason::Timeout),
    words(F5, Theme::Billing, Reason::Billing),
    words(FROM_7, Theme::InternalError, Reason::Timeout),
    words(FROM_7, Theme::OauthRefresh, Reason::AuthPermanent),
    words(ALL, Theme::AuthPermanent, Reason::AuthPermanent),
    words(ALL, Theme::Auth, Reason::Auth),
    words(FROM_5, Theme::UnknownStream, Reason::Timeout),
    words_if(F5.or(F7), Theme::OpenrouterError, Reason::Timeout, Only::ProviderLike("openrouter")),
    step(FROM_5, Judge::Server),
    words_if(FROM_5, Theme::ApiErrorBody, Reason::Timeout, REFUSED_OR_UNPAID),
    words(FROM_5, Theme::Format, Reason::Format),
    words(FROM_5, Theme::NoDetails, Reason::NoErrorDetails),
    words(FROM_5, Theme::Timeout, Reason::Timeout),
    words(F5.or(F7), Theme::VendorLimit, Reason::RateLimit),
    words(F5.or(F7), Theme::VendorLoad, Reason::Overloaded),
    words(F5.or(F7), Theme::VendorModel, Reason::ModelNotFound),
    words(F9, Theme::LateOverflow, Reason::ContextOverflow),
    step(F9, Judge::BodyType),
    step(F9, Judge::OwnStatus),
];

/// A 402's text, without its own `402 Payment Required`, in order; nothing found is billing.
/// Report 30484: `usage limit reached, try again in 30 minutes` is a limit, not money.
pub(super) const PAYMENT: &[(Theme, Reason)] = &[
    (Theme::PayWindow, Reason::RateLimit),
    (Theme::PayExplicit, Reason::Billing),
    (Theme::RateLimit, Reason::RateLimit),
    (Theme::PayLimit, Reason::RateLimit),
];

/// One row of the status table.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatusRow {
    pub(super) id: &'static str,
    pub(super) families: Families,
    /// From and to, both inclusive.
    pub(super) statuses: &'static [(i64, i64)],
    pub(super) when: When,
    pub(super) then: Then,
}

/// What must hold beside the status.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    Always,
    /// There is no text.
    NoText,
    /// The text starts with this very status.
    LeadsText,
    /// The text (or the code, the type, a hook) was judged to be one of these.
    Judged(&'static [Reason]),
    /// It was judged to be anything but one of these.
    JudgedUnless(&'static [Reason]),
    /// A provider's hook judged.
    Hooked,
    /// The text matches a theme.
    Speaks(Theme),
    /// The text speaks of money beyond doubt for this provider.
    Unpaid,
    /// Nothing but a status: no text, or `no body`.
    NoBody,
}

/// What a status row gives.
#[derive(Debug, Clone, Copy)]
pub(super) enum Then {
    Give(Reason),
    /// What was judged without the status, by its own rule.
    Keep,
    /// The 402 table.
    Payment,
    /// What the text says of its own 402; else the 402 table if the status was given apart from
    /// the text; else what was judged without the status.
    OwnPayment,
    /// The status says nothing.
    Nothing,
}

const fn status(
    id: &'static str,
    families: Families,
    statuses: &'static [(i64, i64)],
    when: When,
    then: Then,
) -> StatusRow {
    StatusRow { id, families, statuses, when, then }
}

const SESSION_MONEY_AUTH: &[Reason] =
    &[Reason::SessionExpired, Reason::Billing, Reason::AuthPermanent, Reason::Auth];

/// Statuses, in order. Of two rows for one status the one with the narrower condition stands first.
pub(super) const STATUS: &[StatusRow] = &[
    status("status-402-no-text", ALL, &[(402, 402)], When::NoText, Then::Give(Reason::Billing)),
    status("status-402-own", FROM_5, &[(402, 402)], When::LeadsText, Then::OwnPayment),
    status("status-402", ALL, &[(402, 402)], When::Always, Then::Payment),
    status("status-429-billing", FROM_7, &[(429, 429)], When::Unpaid, Then::Give(Reason::Billing)),
    status("status-429", ALL, &[(429, 429)], When::Always, Then::Give(Reason::RateLimit)),
    status("status-401-hook", F9, &[(401, 401), (403, 403)], When::Hooked, Then::Keep),
    status(
        "status-401-permanent",
        ALL,
        &[(401, 401), (403, 403)],
        When::Speaks(Theme::AuthPermanent),
        Then::Give(Reason::AuthPermanent),
    ),
    status(
        "status-401-billing",
        FROM_5,
        &[(401, 401), (403, 403)],
        When::Judged(&[Reason::Billing]),
        Then::Keep,
    ),
    status("status-401", ALL, &[(401, 401), (403, 403)], When::Always, Then::Give(Reason::Auth)),
    status("status-408", ALL, &[(408, 408)], When::Always, Then::Give(Reason::Timeout)),
    status("status-410-text", FROM_5, &[(410, 410)], When::Judged(SESSION_MONEY_AUTH), Then::Keep),
    status("status-410", FROM_5, &[(410, 410)], When::Always, Then::Give(Reason::Timeout)),
    status(
        "status-any-overflow",
        F9,
        &[(i64::MIN, i64::MAX)],
        When::Judged(&[Reason::ContextOverflow]),
        Then::Keep,
    ),
    status(
        "status-404-overflow",
        F5.or(F7),
        &[(404, 404)],
        When::Judged(&[Reason::ContextOverflow]),
        Then::Keep,
    ),
    status("status-404-text", FROM_5, &[(404, 404)], When::Judged(SESSION_MONEY_AUTH), Then::Keep),
    status("status-404-format", F9, &[(404, 404)], When::Judged(&[Reason::Format]), Then::Keep),
    status("status-404", FROM_5, &[(404, 404)], When::Always, Then::Give(Reason::ModelNotFound)),
    status(
        "status-503-overloaded",
        F3,
        &[(503, 503), (499, 499)],
        When::Speaks(Theme::Overloaded),
        Then::Give(Reason::Overloaded),
    ),
    status(
        "status-503-overloaded",
        F5.or(F7),
        &[(503, 503), (499, 499)],
        When::Judged(&[Reason::Overloaded]),
        Then::Keep,
    ),
    status("status-503", UP_TO_7, &[(503, 503), (499, 499)], When::Always, Then::Give(Reason::Timeout)),
    status(
        "status-5xx-server-error",
        F7,
        &[(500, 500), (502, 502), (504, 504)],
        When::Judged(&[Reason::ServerError]),
        Then::Keep,
    ),
    status("status-500", F5.or(F7), &[(500, 500)], When::Always, Then::Give(Reason::Timeout)),
    status("status-502", UP_TO_7, &[(502, 502), (504, 504)], When::Always, Then::Give(Reason::Timeout)),
    status("status-529", ALL, &[(529, 529)], When::Always, Then::Give(Reason::Overloaded)),
    status(
        "status-5xx-text",
        F9,
        &[(499, 499), (500, 599)],
        When::Judged(&[Reason::Overloaded, Reason::ServerError]),
        Then::Keep,
    ),
    status("status-5xx-format", F9, &[(500, 599)], When::Judged(&[Reason::Format]), Then::Keep),
    status(
        "status-5xx-timeout",
        F9,
        &[(499, 499), (504, 504), (522, 522), (524, 524)],
        When::Always,
        Then::Give(Reason::Timeout),
    ),
    status("status-5xx", F9, &[(500, 599)], When::Always, Then::Give(Reason::ServerError)),
    status(
        "status-400-billing",
        F3,
        &[(400, 400), (422, 422)],
        When::Speaks(Theme::Billing),
        Then::Give(Reason::Billing),
    ),
    status("status-400-text", F5, &[(400, 400), (422, 422)], When::JudgedUnless(&[]), Then::Keep),
    status(
        "status-400-text",
        FROM_7,
        &[(400, 400), (422, 422)],
        When::JudgedUnless(&[Reason::ServerError]),
        Then::Keep,
    ),
    status("status-400-no-body", FROM_5, &[(400, 400), (422, 422)], When::NoBody, Then::Nothing),
    status("status-400", ALL, &[(400, 400), (422, 422)], When::Always, Then::Give(Reason::Format)),
];

/// Statuses that make a whole HTML page a failure of the transport, whatever it says (2026.5 on).
pub(super) const HTML_STATUSES: &[(i64, i64)] = &[(408, 408), (499, 499), (500, 599)];

/// Statuses that mean a passing failure when they lead a text.
pub(super) const LEADING_STATUSES: &[(&str, i64, Reason)] = &[
    ("leading-529", 529, Reason::Overloaded),
    ("leading-499", 499, Reason::Timeout),
    ("leading-500", 500, Reason::Timeout),
    ("leading-502", 502, Reason::Timeout),
    ("leading-503", 503, Reason::Timeout),
    ("leading-504", 504, Reason::Timeout),
    ("leading-521", 521, Reason::Timeout),
    ("leading-522", 522, Reason::Timeout),
    ("leading-523", 523, Reason::Timeout),
    ("leading-524", 524, Reason::Timeout),
];

/// One row of the tables of codes and types; compared without blanks around and case.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRow {
    pub(super) id: &'static str,
    pub(super) families: Families,
    pub(super) names: &'static [&'static str],
    pub(super) reason: Reason,
}

const fn name(
    id: &'static str,
    families: Families,
    names: &'static [&'static str],
    reason: Reason,
) -> NameRow {
    NameRow { id, families, names, reason }
}

/// The error's code.
pub(super) const CODES: &[NameRow] = &[
    name("code-unknown-parameter", F9, &["UNKNOWN_PARAMETER"], Reason::Format),
    name(
        "code-rate-limit",
        FROM_5,
        &[
            "RESOURCE_EXHAUSTED",
            "RATE_LIMIT",
            "RATE_LIMITED",
            "RATE_LIMIT_EXCEEDED",
            "TOO_MANY_REQUESTS",
            "THROTTLED",
            "THROTTLING",
            "THROTTLINGEXCEPTION",
            "THROTTLING_EXCEPTION",
        ],
        Reason::RateLimit,
    ),
    name("code-deactivated-workspace", FROM_7, &["DEACTIVATED_WORKSPACE"], Reason::AuthPermanent),
    name("code-profile-unavailable", F9, &["SELECTED_AUTH_PROFILE_UNAVAILABLE"], Reason::Auth),
    name("code-overloaded", FROM_5, &["OVERLOADED", "OVERLOADED_ERROR"], Reason::Overloaded),
    name(
        "code-network",
        ALL,
        &[
            "ETIMEDOUT",
            "ESOCKETTIMEDOUT",
            "ECONNRESET",
            "ECONNABORTED",
            "ECONNREFUSED",
            "ENETUNREACH",
            "EHOSTUNREACH",
            "EHOSTDOWN",
            "ENETRESET",
            "EPIPE",
            "EAI_AGAIN",
        ],
        Reason::Timeout,
    ),
    name(
        "code-transport",
        F9,
        &[
            "ENOTFOUND",
            "ENETDOWN",
            "EADDRNOTAVAIL",
            "EPROTO",
            "UND_ERR_CONNECT_TIMEOUT",
            "UND_ERR_DNS_RESOLVE_FAILED",
            "UND_ERR_CONNECT",
            "UND_ERR_SOCKET",
            "UND_ERR_HEADERS_TIMEOUT",
            "UND_ERR_BODY_TIMEOUT",
            "ERR_HTTP2_INVALID_SESSION",
            "ERR_SSL_WRONG_VERSION_NUMBER",
            "ERR_SSL_PROTOCOL_RETURNED_AN_ERROR",
            "ERR_WEBSOCKET_TRANSPORT",
            "ERR_STREAM_PREMATURE_CLOSE",
        ],
        Reason::Timeout,
    ),
];

/// The error's type, and in 2026.9 the type that its JSON body names.
pub(super) const TYPES: &[NameRow] = &[
    name("type-invalid-request", F9, &["INVALID_REQUEST_ERROR"], Reason::Format),
    name("type-server-error", FROM_7, &["SERVER_ERROR", "UPSTREAM_ERROR"], Reason::ServerError),
    name("type-overloaded", FROM_7, &["OVERLOADED_ERROR"], Reason::Overloaded),
];

/// Codes of a refused TLS certificate (2026.9).
pub(super) const CERTIFICATE_CODES: NameRow = name(
    "code-certificate",
    F9,
    &[
        "ERR_TLS_CERT_ALTNAME_INVALID",
        "HOSTNAME_MISMATCH",
        "CERT_CHAIN_TOO_LONG",
        "CERT_HAS_EXPIRED",
        "CERT_NOT_YET_VALID",
        "CERT_REJECTED",
        "CERT_REVOKED",
        "CERT_SIGNATURE_FAILURE",
        "CERT_UNTRUSTED",
        "CRL_HAS_EXPIRED",
        "CRL_NOT_YET_VALID",
        "CRL_SIGNATURE_FAILURE",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "ERROR_IN_CERT_NOT_AFTER_FIELD",
        "ERROR_IN_CERT_NOT_BEFORE_FIELD",
        "ERROR_IN_CRL_LAST_UPDATE_FIELD",
        "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
        "INVALID_CA",
        "INVALID_PURPOSE",
        "PATH_LENGTH_EXCEEDED",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
        "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
        "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
        "UNABLE_TO_GET_CRL",
        "UNABLE_TO_GET_ISSUER_CERT",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    Reason::TlsCertificate,
);

/// One question to a provider's hook (2026.9); they outrank the general tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookRow {
    pub(super) providers: &'static [&'static str],
    pub(super) ask: Ask,
    pub(super) reason: Reason,
}

/// What a hook looks at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ask {
    Words(Theme),
    /// Words, and neither status, code nor type were given.
    WordsAlone(Theme),
    /// A rule id, and the code compared without blanks around and case.
    Code(&'static str, &'static str),
    /// A rule id, and the type compared likewise.
    Type(&'static str, &'static str),
}

const fn hook(providers: &'static [&'static str], ask: Ask, reason: Reason) -> HookRow {
    HookRow { providers, ask, reason }
}

const GOOGLE: &[&str] = &["google", "google-gemini-cli"];
const OLLAMA: &[&str] = &["ollama", "ollama-cloud"];

/// The hooks, in order.
pub(super) const HOOKS: &[HookRow] = &[
    hook(&["openai"], Ask::Words(Theme::OpenaiOverflow), Reason::ContextOverflow),
    hook(&["openai"], Ask::Code("openai-server-error", "SERVER_ERROR"), Reason::ServerError),
    hook(&["openai"], Ask::Code("openai-insufficient-quota", "INSUFFICIENT_QUOTA"), Reason::Billing),
    hook(&["anthropic"], Ask::Type("anthropic-type-rate-limit", "RATE_LIMIT_ERROR"), Reason::RateLimit),
    hook(&["anthropic"], Ask::Type("anthropic-type-api-error", "API_ERROR"), Reason::ServerError),
    hook(&["anthropic"], Ask::Code("anthropic-code-rate-limit", "RATE_LIMIT_ERROR"), Reason::RateLimit),
    hook(&["anthropic"], Ask::Code("anthropic-code-api-error", "API_ERROR"), Reason::ServerError),
    hook(GOOGLE, Ask::Code("google-unavailable", "UNAVAILABLE"), Reason::Overloaded),
    hook(GOOGLE, Ask::Code("google-deadline", "DEADLINE_EXCEEDED"), Reason::Timeout),
    hook(GOOGLE, Ask::Code("google-internal", "INTERNAL"), Reason::ServerError),
    hook(OLLAMA, Ask::Words(Theme::OllamaOverflow), Reason::ContextOverflow),
    hook(OLLAMA, Ask::Words(Theme::OllamaStream), Reason::ServerError),
    hook(&["openrouter"], Ask::Words(Theme::OpenrouterHookKey), Reason::Billing),
    hook(&["openrouter"], Ask::Words(Theme::OpenrouterError), Reason::Timeout),
    hook(&["together"], Ask::Words(Theme::TogetherLimit), Reason::RateLimit),
    hook(&["xai"], Ask::Words(Theme::XaiCredits), Reason::Billing),
    hook(&["xai"], Ask::Words(Theme::XaiRate), Reason::RateLimit),
    hook(&["xai"], Ask::WordsAlone(Theme::XaiInternal), Reason::ServerError),
];
