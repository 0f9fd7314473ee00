//! The words by which errors are told apart, theme by theme.
//!
//! To extend: add a row to its theme, with an id of its own and the families for which it holds.
//! The same id may stand twice with different families when a release changed the test.

use super::pattern::Test::{self, All, Any, Has, Is, Not, OverTokenRate, ReBare, ReRaw, Word};
use super::pattern::{Expr, re};
use super::{ALL, F3, F5, F7, F9, FROM_5, FROM_7, Families, UP_TO_7};

/// One row: an id, the families for which it holds, and the test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) id: &'static str,
    pub(super) families: Families,
    pub(super) test: Test,
}

const fn row(id: &'static str, families: Families, test: Test) -> Row {
    Row { id, families, test }
}

macro_rules! themes {
    ($($(#[$doc:meta])* $name:ident = $rows:ident,)*) => {
        /// What a text can speak of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Theme { $($(#[$doc])* $name,)* }

        impl Theme {
            pub(super) const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The theme's rows for every family.
            pub(super) const fn rows(self) -> &'static [Row] {
                match self { $(Self::$name => $rows,)* }
            }
        }
    };
}

themes! {
    /// Images that are too large: no credential or model would help.
    Image = IMAGE,
    /// The model takes no images.
    ImageInput = IMAGE_INPUT,
    /// The Claude CLI is logged out.
    ClaudeCliLogin = CLAUDE_CLI_LOGIN,
    /// The session file itself is malformed.
    Transcript = TRANSCRIPT,
    /// The provider's session or conversation is gone.
    Session = SESSION,
    /// The model is unknown, retired or misspelt.
    Model = MODEL,
    /// Vendor wordings: quota and throttling.
    VendorLimit = VENDOR_LIMIT,
    /// Vendor wordings: not warmed up.
    VendorLoad = VENDOR_LOAD,
    /// Vendor wordings: the model was switched off.
    VendorModel = VENDOR_MODEL,
    /// Tokens per minute: a rate, not the size of the context.
    TokenRate = TOKEN_RATE,
    /// The endpoint insists on reasoning.
    Reasoning = REASONING,
    /// The context is too long.
    Overflow = OVERFLOW,
    /// The context is too long, in one vendor's words.
    VendorOverflow = VENDOR_OVERFLOW,
    /// The context is too long, looked at last (2026.9).
    LateOverflow = LATE_OVERFLOW,
    /// Speaks of context and of length: what provider hooks are asked about.
    OverflowCandidate = OVERFLOW_CANDIDATE,
    /// The model's window is too small to work with at all.
    SmallWindow = SMALL_WINDOW,
    /// A hint at rates that speaks against overflow.
    RateHint = RATE_HINT,
    /// A loose hint at overflow.
    OverflowHint = OVERFLOW_HINT,
    /// A prompt template failed; not about length (2026.9).
    PromptTemplate = PROMPT_TEMPLATE,
    /// The replayed history is refused.
    Replay = REPLAY,
    /// The text says 402 in so many words.
    Says402 = SAYS_402,
    /// The text starts with a bare 402.
    Leads402 = LEADS_402,
    /// A 402: a quota that refreshes by itself.
    PayWindow = PAY_WINDOW,
    /// A 402: money.
    PayExplicit = PAY_EXPLICIT,
    /// A 402: a limit that passes.
    PayLimit = PAY_LIMIT,
    /// Money.
    Billing = BILLING,
    /// Money, in texts above 512 characters (to 2026.7).
    LongBilling = LONG_BILLING,
    /// `insufficient account balance`: money for some providers, a rate for the rest.
    AccountBalance = ACCOUNT_BALANCE,
    /// An OpenRouter key's own limit.
    OpenrouterKey = OPENROUTER_KEY,
    /// OpenRouter: `Provider returned error`.
    OpenrouterError = OPENROUTER_ERROR,
    /// Daily, weekly, monthly limits.
    Periodic = PERIODIC,
    /// The same, when the text speaks of money too.
    PeriodicBilling = PERIODIC_BILLING,
    /// Too many requests.
    RateLimit = RATE_LIMIT,
    /// No capacity.
    Overloaded = OVERLOADED,
    /// The provider ended its answer with `error`.
    FinishError = FINISH_ERROR,
    /// A JSON body names a server error, spelled without blanks.
    ServerType = SERVER_TYPE,
    /// A body's type that says whose fault it was, to be read from the parsed body.
    BodyType = BODY_TYPE,
    /// A body's code that says what happened, to be read from the parsed body.
    BodyCode = BODY_CODE,
    /// OpenAI's internal error with a request id.
    InternalError = INTERNAL_ERROR,
    /// An OAuth login that can't be refreshed any more.
    OauthRefresh = OAUTH_REFRESH,
    /// A credential refused for good.
    AuthPermanent = AUTH_PERMANENT,
    /// A credential refused.
    Auth = AUTH,
    /// `An unknown error occurred`.
    UnknownStream = UNKNOWN_STREAM,
    /// A 5xx in words.
    ServerStatus = SERVER_STATUS,
    /// The provider failed.
    Server = SERVER,
    /// A JSON `api_error` with words of a passing failure.
    ApiErrorBody = API_ERROR_BODY,
    /// The request's shape is refused.
    Format = FORMAT,
    /// The provider said that it has no details.
    NoDetails = NO_DETAILS,
    /// No answer, or a broken connection.
    Timeout = TIMEOUT,
    /// A TLS certificate is refused.
    Certificate = CERTIFICATE,
    /// Asked of OpenAI's hook.
    OpenaiOverflow = OPENAI_OVERFLOW,
    /// Asked of Ollama's hook.
    OllamaOverflow = OLLAMA_OVERFLOW,
    /// Asked of Ollama's hook.
    OllamaStream = OLLAMA_STREAM,
    /// Asked of OpenRouter's hook.
    OpenrouterHookKey = OPENROUTER_HOOK_KEY,
    /// Asked of Together's hook.
    TogetherLimit = TOGETHER_LIMIT,
    /// Asked of xAI's hook.
    XaiCredits = XAI_CREDITS,
    /// Asked of xAI's hook.
    XaiRate = XAI_RATE,
    /// Asked of xAI's hook.
    XaiInternal = XAI_INTERNAL,
}

const fn expr(needs: &'static [&'static str], source: &'static str) -> Expr {
    Expr { needs, source }
}

const IMAGE: &[Row] = &[
    row("image-dimensions", ALL, Has("image dimensions exceed max allowed size")),
    row("image-size", UP_TO_7, All(&[Has("image exceeds"), Has("mb")])),
    row("image-size", F9, re(&["image exceeds", "mb"], r"image exceeds[\s\S]*mb")),
];

const IMAGE_INPUT: &[Row] = &[
    row(
        "image-input-unsupported",
        F9,
        Any(&[
            Word("does not support image input"),
            Word("does not support image inputs"),
            Word("unsupported image input"),
        ]),
    ),
    row("image-input-no-endpoint", F9, All(&[Word("support image input"), Word("no endpoints found")])),
];

const CLAUDE_CLI_LOGIN: &[Row] = &[
    row(
        "claude-cli-logged-out",
        F9,
        re(&["please run /login"], r"\bnot logged in\b\s*·\s*please run /login\b"),
    ),
    row(
        "claude-cli-session-expired",
        F9,
        re(
            &["oauth session expired and could not be refreshed"],
            r"\bfailed to authenticate:\s*oauth session expired and could not be refreshed\b",
        ),
    ),
];

const TRANSCRIPT: &[Row] = &[row("transcript-entry-invalid", F9, Word("invalid session transcript entry"))];

const SESSION: &[Row] = &[
    row(
        "session-gone",
        UP_TO_7,
        Any(&[
            Has("session not found"),
            Has("session does not exist"),
            Has("session expired"),
            Has("session invalid"),
            Has("no such session"),
            Has("invalid session"),
            Has("session id not found"),
        ]),
    ),
    row(
        "session-gone",
        F9,
        Any(&[
            Word("session not found"),
            Word("session does not exist"),
            Word("session expired"),
            Word("session invalid"),
            Word("no such session"),
            Word("invalid session"),
            Word("session id not found"),
        ]),
    ),
    row(
        "conversation-gone",
        UP_TO_7,
        Any(&[
            Has("conversation not found"),
            Has("conversation does not exist"),
            Has("conversation expired"),
            Has("conversation invalid"),
            Has("conversation id not found"),
        ]),
    ),
    row(
        "conversation-gone",
        F9,
        Any(&[
            Word("conversation not found"),
            Word("conversation does not exist"),
            Word("conversation expired"),
            Word("conversation invalid"),
            Word("conversation id not found"),
        ]),
    ),
    row("conversation-none", F5.or(F7), Has("no conversation found")),
    row("conversation-none", F9, Word("no conversation found")),
];

const NOT_FOUND: Test = re(&["not", "found"], r"not[_\-\s]?found");

const MODEL: &[Row] = &[
    row("model-no-endpoints", FROM_5, Has("no endpoints found for")),
    row("model-router", FROM_5, Word("router not found")),
    row("model-unknown", ALL, Has("unknown model")),
    row("model-not-found", F3, Any(&[Has("model not found"), Has("model_not_found")])),
    row("model-not-found", FROM_5, re(&["model", "not", "found"], r"model[_\-\s]?not[_\-\s]?found")),
    row("model-somewhere-not-found", F9, re(&["not found", "model"], r"\bmodel\b.{0,60}?\bnot found\b")),
    row("model-404", F3, All(&[Word("404"), re(&["not", "found"], r"not[-_ ]?found")])),
    row("model-404", FROM_5, All(&[Word("404"), NOT_FOUND])),
    row("model-not-found-error", ALL, Has("not_found_error")),
    row("model-not-supported", FROM_7, Word("not supported model")),
    row(
        "model-chatgpt-account",
        F9,
        re(
            &["is not supported when using", "with a chatgpt account"],
            r"\bmodel\b[^.]{0,120}?\bis not supported when using\b[^.]{0,80}?\bwith a ChatGPT account\b",
        ),
    ),
    row("model-named-not-found", FROM_5, All(&[re(&["model:"], r"model:\s*[a-z0-9._/-]+"), NOT_FOUND])),
    row("model-path-not-found", ALL, re(&["models/", " is not found"], r"models/[^\s]+ is not found")),
    row("model-does-not-exist", ALL, All(&[Has("does not exist"), Has("model")])),
    row("model-selected-not-found", FROM_7, All(&[Has("selected model"), NOT_FOUND])),
    row(
        "model-deprecated",
        FROM_5,
        All(&[Has("deprecated"), Has("model"), Any(&[Has("upgrade to"), Has("transition to")])]),
    ),
    row("model-stealth", FROM_5, All(&[Has("stealth model"), Has("find it here")])),
    row("model-id-invalid", FROM_5, Has("is not a valid model id")),
    row("model-invalid", ALL, All(&[Has("invalid model"), Not(&Has("invalid model reference"))])),
];

const VENDOR_LIMIT: &[Row] = &[
    row("vendor-throttling", F5.or(F7), Word("throttlingexception")),
    row(
        "vendor-concurrency",
        F5.or(F7),
        Any(&[Word("concurrency limit reached"), Word("concurrency limit has been reached")]),
    ),
    row(
        "vendor-workers-ai",
        FROM_5,
        re(&["workers_ai", "quota limit exceeded"], r"\bworkers_ai\b.*\bquota limit exceeded\b"),
    ),
];

const VENDOR_LOAD: &[Row] = &[row("vendor-model-not-ready", FROM_5, Word("modelnotreadyexception"))];

const VENDOR_MODEL: &[Row] = &[row(
    "vendor-model-deactivated",
    FROM_5,
    Any(&[Has("model_deactivated"), Has("model_is_deactivated"), Has("model has been deactivated")]),
)];

const TOKENS_A_MINUTE: Test = Any(&[Word("tpm"), Has("tokens per minute")]);

const TOKEN_RATE: &[Row] = &[
    row("tokens-per-minute", UP_TO_7, TOKENS_A_MINUTE),
    row("tokens-per-minute", F9, All(&[TOKENS_A_MINUTE, Not(&OverTokenRate)])),
];

const REASONING: &[Row] = &[
    row(
        "reasoning-required",
        ALL,
        Any(&[Has("reasoning is mandatory"), Has("reasoning is required"), Has("requires reasoning")]),
    ),
    row("reasoning-cannot-be-disabled", ALL, All(&[Has("reasoning"), Has("cannot be disabled")])),
];

const OVERFLOW_CHINESE: Test = Any(&[
    Has("上下文过长"),
    Has("上下文超出"),
    Has("上下文长度超"),
    Has("超出最大上下文"),
    Has("请压缩上下文"),
]);

const CONFIGURED_SIZE: Test = re(
    &["but the configured context size is"],
    r"prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?",
);

const OVERFLOW: &[Row] = &[
    row("overflow-request-too-large", ALL, Has("request_too_large")),
    row("overflow-label", F9, Has("context_overflow")),
    row("overflow-configured-size", FROM_7, CONFIGURED_SIZE),
    row(
        "overflow-invalid-argument",
        F5.or(F7),
        All(&[Has("maximum number of tokens"), Has("invalid_argument")]),
    ),
    row(
        "overflow-invalid-argument",
        F9,
        re(
            &["maximum number of tokens", "invalid_argument"],
            r"invalid_argument[\s\S]*maximum number of tokens",
        ),
    ),
    row("overflow-request-maximum", ALL, Has("request exceeds the maximum size")),
    row("overflow-context-length", ALL, Has("context length exceeded")),
    row("overflow-maximum-length", ALL, Has("maximum context length")),
    row("overflow-prompt-is-too-long", ALL, Has("prompt is too long")),
    row("overflow-prompt-too-long", FROM_5, Has("prompt too long")),
    row("overflow-model-window", ALL, Has("exceeds model context window")),
    row("overflow-token-limit", ALL, Has("model token limit")),
    row("overflow-input-maximum", F5.or(F7), All(&[Has("maximum number of tokens"), Has("input exceeds")])),
    row(
        "overflow-input-maximum",
        F9,
        re(&["maximum number of tokens", "input exceeds"], r"input exceeds[\s\S]*maximum number of tokens"),
    ),
    row(
        "overflow-out-of-room",
        F7,
        All(&[
            Any(&[Has("ran out of room"), Has("ran out of space")]),
            Any(&[Has("context window"), Has("context length")]),
        ]),
    ),
    row(
        "overflow-out-of-room",
        F9,
        All(&[Any(&[Has("ran out of room"), Has("ran out of space")]), Has("context window")]),
    ),
    row(
        "overflow-request-size",
        UP_TO_7,
        All(&[Has("request size exceeds"), Any(&[Has("context window"), Has("context length")])]),
    ),
    row(
        "overflow-request-size",
        F9,
        re(&["request size exceeds", "context window"], r"request size exceeds[\s\S]*context window"),
    ),
    row("overflow-openclaw", ALL, Has("context overflow:")),
    row("overflow-context-limit", ALL, Has("exceed context limit")),
    row("overflow-models-maximum", UP_TO_7, Has("exceeds the model's maximum context")),
    row(
        "overflow-models-maximum",
        F9,
        Any(&[Has("exceeds the model's maximum context"), Has("exceeds the models maximum context")]),
    ),
    row("overflow-max-tokens", UP_TO_7, All(&[Has("max_tokens"), Has("exceed"), Has("context")])),
    row(
        "overflow-max-tokens",
        F9,
        re(&["max_tokens", "exceed", "context"], r"max_tokens[\s\S]*exceed[\s\S]*context"),
    ),
    row("overflow-input-length", UP_TO_7, All(&[Has("input length"), Has("exceed"), Has("context")])),
    row(
        "overflow-input-length",
        F9,
        re(&["input length", "exceed", "context"], r"input length[\s\S]*exceed[\s\S]*context"),
    ),
    row(
        "overflow-input-longer",
        F9,
        re(
            &["is longer than", "context length"],
            r"input \([\d,]+\s*tokens?\) is longer than (?:the )?model'?s context length",
        ),
    ),
    row("overflow-413", UP_TO_7, All(&[Has("413"), Has("too large")])),
    row("overflow-413", F9, re(&["413", "too large"], r"413[\s\S]*too large")),
    row("overflow-window-exceeded", ALL, Has("context_window_exceeded")),
    row(
        "overflow-model-limit",
        F9,
        re(&["exceeds the model limit"], r"input length [\d,]+\s+tokens? exceeds the model limit"),
    ),
    row("overflow-chinese", ALL, OVERFLOW_CHINESE),
];

const SPEAKS_OF_CONTEXT: Test = Any(&[
    Word("context"),
    Word("window"),
    Word("prompt"),
    Word("token"),
    Word("tokens"),
    Word("input"),
    Word("request"),
    Word("model"),
]);

const SPEAKS_OF_LENGTH: Test = Any(&[
    re(&["too"], r"\btoo\s+(?:large|long|many)\b"),
    Word("exceed"),
    Word("exceeds"),
    Word("exceeded"),
    Word("exceeding"),
    Word("overflow"),
    Word("limit"),
    Word("maximum"),
    Word("max"),
]);

const OVERFLOW_CANDIDATE: &[Row] =
    &[row("overflow-candidate", FROM_5, All(&[SPEAKS_OF_LENGTH, SPEAKS_OF_CONTEXT]))];

const VENDOR_OVERFLOW: &[Row] = &[
    row(
        "vendor-overflow-google",
        FROM_5,
        Word("input token count exceeds the maximum number of input tokens"),
    ),
    row("vendor-overflow-this-model", FROM_5, Word("input is too long for this model")),
    row("vendor-overflow-input-tokens", FROM_5, Word("input exceeds the maximum number of tokens")),
    row(
        "vendor-overflow-ollama",
        FROM_5,
        re(&["ollama error:"], r"\bollama error:\s*context length exceeded\b"),
    ),
    row(
        "vendor-overflow-total-tokens",
        FROM_5,
        All(&[
            re(
                &["total token", "exceed"],
                r"\btotal tokens?.*exceeds? (?:the )?(?:model(?:'s)? )?(?:max|maximum|limit)",
            ),
            SPEAKS_OF_LENGTH,
            SPEAKS_OF_CONTEXT,
        ]),
    ),
    row(
        "vendor-overflow-available-size",
        FROM_5,
        re(
            &["available context size"],
            r"\b(?:request|prompt) \(\d[\d,]*\s*tokens?\) exceeds (?:the )?available context size\b",
        ),
    ),
    row("vendor-overflow-size-exceeded", F9, Word("context size has been exceeded")),
    row(
        "vendor-overflow-for-model",
        FROM_5,
        Any(&[
            Word("input too long for model"),
            Word("input too long for the model"),
            Word("input is too long for model"),
            Word("input is too long for the model"),
        ]),
    ),
];

const LATE_OVERFLOW: &[Row] = &[
    row("late-overflow-prompt", F9, Has("prompt is too long")),
    row("late-overflow-request", F9, Has("request_too_large")),
    row(
        "late-overflow-input-and-max-tokens",
        F9,
        re(
            &["exceed context limit:"],
            r"input length and `?max_tokens`? exceed context limit: [\d,]+ \+ [\d,]+ > [\d,]+",
        ),
    ),
    row("late-overflow-requested-model", F9, Has("input is too long for requested model")),
    row("late-overflow-window", F9, Has("exceeds the context window")),
    row(
        "late-overflow-maximum",
        F9,
        re(
            &["maximum context length"],
            r"exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))",
        ),
    ),
    row(
        "late-overflow-token-count",
        F9,
        re(&["exceeds the maximum", "input token count"], r"input token count.*exceeds the maximum"),
    ),
    row(
        "late-overflow-prompt-length",
        F9,
        re(&["maximum prompt length is"], r"maximum prompt length is \d+"),
    ),
    row("late-overflow-reduce-messages", F9, Has("reduce the length of the messages")),
    row(
        "late-overflow-length-is",
        F9,
        re(&["maximum context length is"], r"maximum context length is \d+ tokens"),
    ),
    row(
        "late-overflow-allowed-length",
        F9,
        re(
            &["maximum allowed input length"],
            r"exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?",
        ),
    ),
    row(
        "late-overflow-longer",
        F9,
        re(
            &["is longer than the model"],
            r"input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)",
        ),
    ),
    row("late-overflow-limit-of", F9, re(&["exceeds the limit of"], r"exceeds the limit of \d+")),
    row(
        "late-overflow-available-size",
        F9,
        Any(&[Has("exceeds the available context size"), Has("context size has been exceeded")]),
    ),
    row("late-overflow-greater", F9, Has("greater than the context length")),
    row("late-overflow-exceeds-limit", F9, Has("context window exceeds limit")),
    row("late-overflow-model-limit", F9, Has("exceeded model token limit")),
    row(
        "late-overflow-tokens-in-request",
        F9,
        re(&["in request more than max token"], r"tokens? in request more than max tokens? allowed"),
    ),
    row("late-overflow-prompt-max", F9, re(&["prompt exceeds max"], r"prompt exceeds max(?:imum)? length")),
    row(
        "late-overflow-mistral",
        F9,
        re(&["maximum context length"], r"too large for model with \d+ maximum context length"),
    ),
    row("late-overflow-configured-size", F9, CONFIGURED_SIZE),
    row("late-overflow-window-exceeded", F9, Has("model_context_window_exceeded")),
    row(
        "late-overflow-prompt-exceeded",
        F9,
        Any(&[
            Has("prompt too long; exceeded context length"),
            Has("prompt too long; exceeded max context length"),
        ]),
    ),
    row(
        "late-overflow-length-exceeded",
        F9,
        re(&["context", "length", "exceeded"], r"context[_ ]length[_ ]exceeded"),
    ),
    row("late-overflow-too-many-tokens", F9, Has("too many tokens")),
    row("late-overflow-token-limit", F9, Has("token limit exceeded")),
    row(
        "late-overflow-413",
        F9,
        Test::ReRaw(expr(&["413", "(no body)"], r"^413\s*(?:status code)?\s*\(no body\)")),
    ),
];

const SMALL_WINDOW: &[Row] = &[row(
    "context-window-too-small",
    ALL,
    re(&["context window"], r"context window.*(?:too small|minimum is)"),
)];

const RATE_HINT: &[Row] = &[
    row(
        "rate-hint",
        ALL,
        Any(&[
            Has("rate limit"),
            Has("too many requests"),
            Has("requests per minute"),
            Has("requests per hour"),
            Has("requests per day"),
            Has("quota"),
            Has("throttl"),
            Has("tokens per day"),
        ]),
    ),
    row("rate-hint-429", ALL, re(&["429"], r"429\b")),
];

const OVERFLOW_HINT: &[Row] = &[
    row("overflow-hint-context", ALL, re(&["overflow", "context"], r"context.*overflow")),
    row(
        "overflow-hint-window",
        ALL,
        re(
            &["context window"],
            r"context window.*(?:too (?:large|long)|exceed|over|limit|max(?:imum)?|requested|sent|tokens)",
        ),
    ),
    row(
        "overflow-hint-prompt",
        ALL,
        re(&["prompt"], r"prompt.*(?:too (?:large|long)|exceed|over|limit|max(?:imum)?)"),
    ),
    row(
        "overflow-hint-request",
        ALL,
        All(&[
            Any(&[Has("request"), Has("input")]),
            Any(&[Has("context"), Has("window"), Has("length"), Has("token")]),
            re(
                &[],
                r"(?:request|input).*(?:context|window|length|token).*(?:too (?:large|long)|exceed|over|limit|max(?:imum)?)",
            ),
        ]),
    ),
];

const PROMPT_TEMPLATE: &[Row] = &[row("prompt-template", F9, Has("prompt template"))];

const REPLAY: &[Row] = &[
    row(
        "replay-response-id",
        F9,
        re(
            &["previous_response_id"],
            r"\bprevious_response_id\b.*\b(?:invalid|unknown|not found|does not exist|expired|mismatch)\b",
        ),
    ),
    row(
        "replay-tool-input",
        F9,
        re(&["tool_"], r"\btool_(?:use|call)\.(?:input|arguments)\b.*\b(?:missing|required)\b"),
    ),
    row("replay-role", F9, Any(&[Word("incorrect role information"), Word("roles must alternate")])),
    row("replay-item-id", F9, Word("input item id does not belong to this connection")),
    row(
        "replay-thinking-signature",
        F9,
        All(&[
            Word("thinking"),
            Word("signature"),
            Any(&[
                re(&["signature"], r"\b(?:invalid|expired)\b.*\bsignature\b"),
                re(&["signature"], r"\bsignature\b.*\b(?:invalid|expired)\b"),
            ]),
        ]),
    ),
];

const FIELD_402: Test = re(&["402"], r#"(?:status|code)["']?\s*[:=]\s*402\b"#);
const HTTP_402: Test = re(&["402", "http"], r"\bhttp\s*402\b");
const ERROR_402: Test = re(&["402", "error"], r"\berror(?:\s+code)?\s*[:=]?\s*402\b");
const GOT_402: Test = re(&["402"], r"\b(?:got|returned|received)\s+(?:a\s+)?402\b");
const PAYMENT_402: Test = re(&["402", "payment"], r"^402\s+payment");

const SAYS_402: &[Row] = &[
    row("402-field", ALL, FIELD_402),
    row("402-http", ALL, HTTP_402),
    row("402-error", ALL, ERROR_402),
    row("402-got", ALL, GOT_402),
    row("402-payment", ALL, re(&["402", "payment required"], r"^402\s+payment required\b")),
    row("402-points", ALL, re(&["402", "used up your points"], r"^402\s+.*used up your points\b")),
    row(
        "402-no-asset",
        FROM_5,
        re(&["402", "no available asset for api access"], r"^402\s+no available asset for api access\b"),
    ),
];

const LEADS_402: &[Row] = &[row("402-leading", FROM_5, re(&["402"], r"^402\b"))];

const PAY_WINDOW: &[Row] = &[row(
    "402-quota-window",
    ALL,
    All(&[
        Has("subscription quota limit"),
        Any(&[Has("automatic quota refresh"), Has("rolling time window")]),
    ]),
)];

const PAY_EXPLICIT: &[Row] = &[
    row(
        "402-explicit",
        ALL,
        Any(&[
            Has("insufficient credits"),
            Has("insufficient quota"),
            Has("credit balance"),
            Has("insufficient balance"),
            Has("plans & billing"),
            Has("add more credits"),
            Has("top up"),
            Has("billing hard limit"),
            Has("hard limit reached"),
        ]),
    ),
    row(
        "402-plan-limit",
        ALL,
        All(&[
            Has("limit"),
            Any(&[Has("upgrade your plan"), Has("upgrade plan"), Has("current plan"), Has("subscription")]),
        ]),
    ),
    row("402-maximum-allowed", ALL, All(&[Has("maximum allowed"), Has("limit")])),
];

const PERIODS: Test = Any(&[Has("daily"), Has("weekly"), Has("monthly")]);
const SPEND_LIMIT: Test = Any(&[Has("spend limit"), Has("spending limit")]);

const PAY_LIMIT: &[Row] = &[
    row(
        "402-try-again",
        ALL,
        All(&[
            Any(&[Has("try again"), Has("retry"), Has("temporary"), Has("cooldown")]),
            Any(&[Has("usage limit"), Has("rate limit"), Has("organization usage")]),
        ]),
    ),
    row("402-periodic-limit", ALL, All(&[PERIODS, Any(&[Has("usage limit"), SPEND_LIMIT])])),
    row("402-periodic-reset", ALL, All(&[PERIODS, Has("limit"), Has("reset")])),
    row(
        "402-scoped-limit",
        ALL,
        All(&[
            Any(&[Has("organization"), Has("workspace")]),
            Has("limit"),
            Any(&[SPEND_LIMIT, Has("billing period"), Has("exceeded"), Has("reached"), Has("exhausted")]),
        ]),
    ),
];

const ZAI_NO_ACCESS: Test = re(&["1311"], r#""code"\s*:\s*1311\b"#);
const VOLCENGINE_SUBSCRIPTION: Test = re(&["invalidsubscription"], r#""code"\s*:\s*"InvalidSubscription""#);

const BILLING: &[Row] = &[
    row("billing-402-field", ALL, FIELD_402),
    row("billing-402-http", ALL, HTTP_402),
    row("billing-402-error", ALL, ERROR_402),
    row("billing-402-got", UP_TO_7, GOT_402),
    row(
        "billing-402-got",
        F9,
        // "got 402 records" is a count.
        ReBare(expr(&["402"], r"\b(?:got|returned|received)\s+(?:a\s+)?402\b(\s+records\b)?")),
    ),
    row("billing-402-payment", ALL, PAYMENT_402),
    row("billing-payment-required", ALL, Has("payment required")),
    row("billing-insufficient-credits", ALL, Has("insufficient credits")),
    row("billing-all-credits-used", FROM_5, re(&["credits", "used"], r"used\s+all\s+available\s+credits")),
    row("billing-spend-limit", FROM_5, re(&["spend", "limit"], r"spend(?:ing)?\s+limit")),
    row("billing-insufficient-quota", ALL, Any(&[Has("insufficient quota"), Has("insufficient_quota")])),
    row("billing-usage-plan", F9, Any(&[Word("gousagelimiterror"), Word("freeusagelimiterror")])),
    row("billing-available-balance", F9, Has("available balance")),
    row("billing-out-of-budget", F9, Has("out of budget")),
    row("billing-credit-balance", ALL, Has("credit balance")),
    row("billing-plans-page", ALL, Has("plans & billing")),
    row("billing-insufficient-balance", F3, Has("insufficient balance")),
    row(
        "billing-insufficient-balance",
        FROM_5,
        Any(&[Has("insufficient balance"), Has("insufficient_balance")]),
    ),
    row(
        "billing-insufficient-some-balance",
        FROM_5,
        re(&["insufficient", "balance"], r"\binsufficient\s+\w+\s+balance\b"),
    ),
    row("billing-usd-or-diem", ALL, Has("insufficient usd or diem balance")),
    row("billing-more-credits", ALL, re(&["credits", "require"], r"requires?\s+more\s+credits")),
    row("billing-extra-usage-out", FROM_5, Has("out of extra usage")),
    row("billing-extra-usage-draw", FROM_5, Has("draw from your extra usage")),
    row("billing-extra-usage-required", FROM_5, Has("extra usage is required")),
    row("billing-chinese", FROM_5, Any(&[Has("余额不足"), Has("欠费")])),
    row("billing-volcengine-subscription", FROM_7, VOLCENGINE_SUBSCRIPTION),
    row(
        "billing-coding-plan",
        FROM_7,
        re(&["plan subscription"], r"\bdoes not have a valid coding\s*plan subscription\b"),
    ),
    row("billing-zai-1311", FROM_5, ZAI_NO_ACCESS),
    row(
        "billing-plan-without-access",
        FROM_7,
        re(
            &["include", "subscription"],
            r"\bcurrent\s+subscription\s+plan\b.*\b(?:does\s+not|doesn't|not)\b.*\binclude\s+access\b",
        ),
    ),
    row(
        "billing-plan-without-model",
        FROM_7,
        re(&["available", "plan", "model"], r"\bmodel\b.*\bnot\s+available\b.*\bcurrent\s+plan\b"),
    ),
    row(
        "billing-heading",
        F3,
        All(&[BILLING_HEAD, Any(&[Has("upgrade"), Has("credits"), Has("payment"), Has("plan")])]),
    ),
    row(
        "billing-heading",
        FROM_5,
        All(&[
            BILLING_HEAD,
            Any(&[
                Has("upgrade"),
                Has("credits"),
                Has("payment"),
                Has("purchase"),
                Has("subscription"),
                Has("plan"),
            ]),
        ]),
    ),
];

const BILLING_HEAD: Test = All(&[
    Any(&[Has("billing"), Has("credit"), Has("payment required"), Has("402")]),
    ReRaw(expr(
        &[],
        r"^(?:error[:\s-]+)?billing(?:\s+error)?(?:[:\s-]+|$)|^(?:error[:\s-]+)?(?:credit balance|insufficient credits?|payment required|http\s*402\b)",
    )),
]);

const LONG_BILLING: &[Row] = &[
    row("long-billing-402-field", UP_TO_7, FIELD_402),
    row("long-billing-402-http", UP_TO_7, HTTP_402),
    row("long-billing-402-error", UP_TO_7, ERROR_402),
    row("long-billing-402-payment", UP_TO_7, PAYMENT_402),
    row("long-billing-zai-1311", F5.or(F7), ZAI_NO_ACCESS),
    row("long-billing-volcengine-subscription", F7, VOLCENGINE_SUBSCRIPTION),
];

const ACCOUNT_BALANCE: &[Row] = &[row(
    "account-balance",
    FROM_7,
    re(&["insufficient", "balance"], r"\binsufficient\s+account\s+balance\b"),
)];

const OPENROUTER_KEY: &[Row] = &[
    row(
        "openrouter-key-limit",
        F5.or(F7),
        re(&["limit", "key"], r"\bkey\s+limit\s*(?:exceeded|reached|hit)\b"),
    ),
    row(
        "openrouter-key-budget",
        F7,
        re(&["limit", "budget"], r"\bapi\s+key\s+budget\s+limit\s*(?:exceeded|reached|hit)\b"),
    ),
];

const OPENROUTER_ERROR: &[Row] = &[row("openrouter-provider-error", FROM_5, Has("provider returned error"))];

const PERIODIC_LIMIT: Test = All(&[
    PERIODS,
    re(&["limit"], r"\b(?:daily|weekly|monthly)(?:/(?:daily|weekly|monthly))* (?:usage )?limits?\b"),
]);

const PERIODIC: &[Row] = &[row("periodic-limit", ALL, PERIODIC_LIMIT)];

const PERIODIC_BILLING: &[Row] = &[row("periodic-limit-unpaid", ALL, PERIODIC_LIMIT)];

const RATE_LIMIT: &[Row] = &[
    row("rate-limit", ALL, Any(&[Has("rate limit"), Has("rate_limit")])),
    row("rate-limit-too-many-requests", ALL, Has("too many requests")),
    row("rate-limit-429", UP_TO_7, Has("429")),
    row("rate-limit-429-leading", F9, re(&["429"], r"^429\b")),
    row(
        "rate-limit-429-status",
        F9,
        re(
            &["429"],
            r#"\b(?:https?|status(?:[ _-]?code)?|response(?:[ _-]?code)?|http(?:[ _-]?status)?)\b[\s:=#"'(]{0,6}429\b"#,
        ),
    ),
    row("rate-limit-429-field", F9, re(&["429"], r#"["'](?:status|code)["']\s*:\s*429\b"#)),
    row(
        "rate-limit-429-words",
        F9,
        re(
            &["429"],
            r"\b429\b[\s:)\].,-]*(?:rate[_ -]?limit(?:ed|ing)?|too many requests|resource has been exhausted|quota(?:\s+(?:exceeded|exhausted|depleted|reached))?)\b",
        ),
    ),
    row("rate-limit-concurrent", FROM_5, Has("too many concurrent requests")),
    row("rate-limit-throttled", F5.or(F7), Any(&[Has("throttling"), Has("throttled")])),
    row(
        "rate-limit-throttled",
        F9,
        Any(&[
            Word("throttling"),
            Word("throttled"),
            Word("throttlingexception"),
            Word("throttling_exception"),
        ]),
    ),
    row(
        "rate-limit-concurrency",
        F9,
        re(&["concurrency limit"], r"\bconcurrency limit\b.*\b(?:breached|reached)\b"),
    ),
    row("rate-limit-cooldown", ALL, Has("model_cooldown")),
    row("rate-limit-current-quota", ALL, Has("exceeded your current quota")),
    row(
        "rate-limit-resource-exhausted",
        UP_TO_7,
        Any(&[Has("resource has been exhausted"), Has("resource_exhausted")]),
    ),
    row(
        "rate-limit-resource-exhausted",
        F9,
        Any(&[
            Word("resource exhausted"),
            Word("resource_exhausted"),
            Word("resource-exhausted"),
            Word("resourceexhausted"),
        ]),
    ),
    row("rate-limit-quota-exceeded", UP_TO_7, Has("quota exceeded")),
    row(
        "rate-limit-quota-exceeded",
        F9,
        Any(&[Word("quota exceeded"), Word("quota_exceeded"), Word("quota-exceeded"), Word("quotaexceeded")]),
    ),
    row("rate-limit-usage-limit", ALL, Has("usage limit")),
    row("rate-limit-tpm", ALL, Word("tpm")),
    row("rate-limit-tokens", ALL, Any(&[Has("tokens per minute"), Has("tokens per day")])),
    row(
        "rate-limit-chinese",
        FROM_5,
        Any(&[
            Has("请求过于频繁"),
            Has("调用频率"),
            Has("频率限制"),
            Has("配额不足"),
            Has("配额已用尽"),
            Has("额度不足"),
            Has("额度已用尽"),
        ]),
    ),
];

const OVERLOADED: &[Row] = &[
    row("overloaded", ALL, Has("overloaded")),
    row("overloaded-high-demand", ALL, Has("high demand")),
    row(
        "overloaded-unavailable",
        UP_TO_7,
        All(&[
            Any(&[Has("service unavailable"), Has("service_unavailable")]),
            Any(&[Has("overload"), Has("capacity"), Has("high_demand")]),
            re(
                &[],
                r"service[_ ]unavailable.*(?:overload|capacity|high[_ ]demand)|(?:overload|capacity|high[_ ]demand).*service[_ ]unavailable",
            ),
        ]),
    ),
    row(
        "overloaded-unavailable",
        F9,
        Any(&[
            Word("service unavailable"),
            Word("service_unavailable"),
            Word("service temporarily unavailable"),
            Word("service temporarily_unavailable"),
            Word("service_temporarily unavailable"),
            Word("service_temporarily_unavailable"),
        ]),
    ),
    row("overloaded-capacity", FROM_5, re(&["at capacity", "model"], r"\bmodel\s+(?:is\s+)?at capacity\b")),
    row("overloaded-high-load", FROM_5, Has("high load")),
    row("overloaded-chinese", FROM_5, Any(&[Has("服务过载"), Has("当前负载过高")])),
    row("overloaded-chinese-traffic", FROM_7, Has("访问量过大")),
];

const FINISH_ERROR: &[Row] =
    &[row("finish-reason-error", F9, re(&["reason:", "error"], r"\b(?:finish_)?reason:\s*error\b"))];

const SERVER_TYPE: &[Row] = &[row(
    "server-error-type",
    FROM_7,
    Any(&[
        Has("\"type\":\"server_error\""),
        Has("\"code\":\"server_error\""),
        Has("\"type\":\"upstream_error\""),
        Has("\"code\":\"upstream_error\""),
    ]),
)];

const BODY_TYPE: &[Row] = &[row(
    "body-type",
    FROM_7,
    Any(&[Has("server_error"), Has("upstream_error"), Has("invalid_request_error"), Has("overloaded_error")]),
)];

const BODY_CODE: &[Row] = &[row("body-code", F9, Has("\"code\""))];

const INTERNAL_ERROR: &[Row] = &[row(
    "internal-error-with-id",
    FROM_7,
    All(&[
        Has("an error occurred while processing your request"),
        Any(&[
            Has("help.openai.com"),
            re(&["request", "id"], r"request[\s_-]*id\s*[:#]?\s*[a-z0-9][a-z0-9_-]{6,}[a-z0-9]"),
        ]),
    ]),
)];

const CLAUDE_CLI_REFUSED: Test = re(
    &["claude-cli"],
    r"\bclaude-cli\b[\s\S]+?\b(?:failed to authenticate|401\s+invalid authentication credentials)\b",
);

const REFRESH_FAILED: Test = Any(&[
    Has("oauth token refresh failed"),
    Has("access token could not be refreshed"),
    Has("authentication session could not be refreshed automatically"),
    CLAUDE_CLI_REFUSED,
]);

const OAUTH_REFRESH: &[Row] = &[
    row("oauth-refresh-token-reused", FROM_7, All(&[Has("refresh_token_reused"), REFRESH_FAILED])),
    row("oauth-refresh-token-expired", F9, All(&[Has("refresh_token_expired"), REFRESH_FAILED])),
    row("oauth-invalid-grant", FROM_7, All(&[Has("invalid_grant"), REFRESH_FAILED])),
    row("oauth-token-invalidated", FROM_7, All(&[Has("token_invalidated"), REFRESH_FAILED])),
    row(
        "oauth-sign-in-again",
        F7,
        All(&[Any(&[Has("signing in again"), Has("sign in again")]), REFRESH_FAILED]),
    ),
    row(
        "oauth-sign-in-again",
        F9,
        All(&[
            Any(&[Has("sign_in_again"), Has("signing in again"), Has("sign in again"), Has("log in again")]),
            REFRESH_FAILED,
        ]),
    ),
    row("oauth-invalid-refresh-token", F7, All(&[Has("invalid refresh token"), REFRESH_FAILED])),
    row(
        "oauth-invalid-refresh-token",
        F9,
        All(&[Any(&[Has("invalid refresh token"), Has("invalid_refresh_token")]), REFRESH_FAILED]),
    ),
    row("oauth-revoked", FROM_7, All(&[Any(&[Has("revoked"), Has("expired or revoked")]), REFRESH_FAILED])),
    row("oauth-claude-cli-refused", FROM_7, CLAUDE_CLI_REFUSED),
];

const AUTH_PERMANENT: &[Row] = &[
    row(
        "auth-permanent-key-revoked",
        F3,
        re(&["api", "key"], r"api[_ ]?key[_ ]?(?:revoked|invalid|deactivated|deleted)"),
    ),
    row(
        "auth-permanent-key-revoked",
        FROM_5,
        re(&["api", "key"], r"api[_ ]?key[_ ]?(?:revoked|deactivated|deleted)"),
    ),
    row("auth-permanent-invalid-key", F3, Has("invalid_api_key")),
    row(
        "auth-permanent-workspace",
        FROM_7,
        Any(&[Has("deactivated workspace"), Has("deactivated_workspace")]),
    ),
    row(
        "auth-permanent-key-disabled",
        ALL,
        Any(&[Has("key has been disabled"), Has("key has been revoked")]),
    ),
    row("auth-permanent-account", ALL, Has("account has been deactivated")),
    row("auth-permanent-not-validated", F3, NOT_VALIDATED),
    row("auth-permanent-permission", F3, Has("permission_error")),
    row("auth-permanent-organization", ALL, Has("not allowed for this organization")),
];

const NOT_VALIDATED: Test =
    re(&["could not "], r"could not (?:authenticate|validate).*(?:api[_ ]?key|credentials)");

const AUTH: &[Row] = &[
    row("auth-invalid-key", UP_TO_7, re(&["invalid", "api", "key"], r"invalid[_ ]?api[_ ]?key")),
    row(
        "auth-invalid-key",
        F9,
        re(
            &["api", "key", "valid"],
            r"invalid[_ ]?api[_ ]?key(?:[^a-z0-9]|$)|api[_ ]?key(?:[_ ]?(?:is[_ ]?)?(?:invalid|not[_ ]?valid)(?:[^a-z0-9]|$))",
        ),
    ),
    row("auth-not-validated", FROM_5, NOT_VALIDATED),
    row("auth-permission", FROM_5, Has("permission_error")),
    row("auth-incorrect-key", ALL, Has("incorrect api key")),
    row("auth-invalid-token", ALL, Has("invalid token")),
    row("auth-authentication", ALL, Any(&[Has("authentication"), Has("re-authenticate")])),
    row("auth-refresh-failed", ALL, Has("oauth token refresh failed")),
    row("auth-unauthorized", ALL, Has("unauthorized")),
    row("auth-forbidden", ALL, Any(&[Has("forbidden"), Has("access denied")])),
    row("auth-permissions", ALL, Has("insufficient permission")),
    row("auth-scope", ALL, Any(&[Has("missing scope:"), Has("missing scopes:")])),
    row("auth-expired", ALL, Has("expired")),
    row("auth-401", ALL, Any(&[Word("401"), Word("403")])),
    row("auth-no-credentials", ALL, Any(&[Has("no credentials found"), Has("no api key found")])),
    row(
        "auth-token-unreadable",
        FROM_5,
        re(&["failed to ", "token"], r"\bfailed to (?:extract|parse|validate|decode)\b.*\btoken\b"),
    ),
    row("auth-zai-1113", FROM_5, re(&["1113"], r#""code"\s*:\s*1113\b"#)),
    row(
        "auth-chinese",
        FROM_5,
        Any(&[Has("无权访问"), Has("认证失败"), Has("鉴权失败"), Has("密钥无效"), Has("apikey 无效")]),
    ),
    row(
        "auth-baidu",
        FROM_7,
        Any(&[
            Word("ce-011"),
            All(&[
                Any(&[Has("违规请求"), Has("禁止访问")]),
                re(
                    &[],
                    r"(?:当前\s*ak|ce-011).*?(?:违规请求|禁止访问)|(?:违规请求|禁止访问).*?(?:当前\s*ak|ce-011)",
                ),
            ]),
        ]),
    ),
];

const UNKNOWN_STREAM: &[Row] = &[row(
    "unknown-stream-error",
    FROM_5,
    Any(&[Is("an unknown error occurred"), Is("an unknown error occurred.")]),
)];

const INTERNAL_STATUS: Test =
    re(&["status:", "internal server error"], r"\bstatus:\s*internal server error\b");

const SERVER_STATUS: &[Row] = &[
    row(
        "server-status-500",
        FROM_5,
        All(&[INTERNAL_STATUS, re(&["500", "code"], r#"\bcode["']?\s*[:=]\s*500\b"#)]),
    ),
    row("server-http-5xx", FROM_5, re(&["http"], r"\bHTTP\s+5\d\d\b")),
];

const SERVER: &[Row] = &[
    row("server-processing", FROM_5, Has("an error occurred while processing")),
    row("server-internal", FROM_5, Any(&[Has("internal server error"), Has("internal_error")])),
    row("server-error", FROM_5, Has("server_error")),
    row(
        "server-unavailable",
        F5.or(F7),
        Any(&[Has("service temporarily unavailable"), Has("service_unavailable")]),
    ),
    row("server-gateway", FROM_5, Any(&[Has("bad gateway"), Has("gateway timeout")])),
    row("server-upstream", FROM_5, Any(&[Has("upstream error"), Has("upstream connect error")])),
    row("server-connection-reset", FROM_5, Has("connection reset")),
    row(
        "server-chinese",
        FROM_5,
        Any(&[Has("内部错误"), Has("服务器错误"), Has("系统错误"), Has("系统繁忙"), Has("系统异常")]),
    ),
];

const API_ERROR_BODY: &[Row] = &[
    row("api-error-body", F3, All(&[Has("\"type\":\"api_error\""), Has("internal server error")])),
    row(
        "api-error-body",
        FROM_5,
        All(&[
            Has("\"type\":\"api_error\""),
            Any(&[
                Has("internal server error"),
                Has("overload"),
                Has("temporarily unavailable"),
                Has("service unavailable"),
                Has("unknown error"),
                Has("server error"),
                Has("bad gateway"),
                Has("gateway timeout"),
                Has("upstream error"),
                Has("backend error"),
                Has("try again later"),
                Has("unexpected error"),
                re(&["temporarily", "unable"], r"temporarily.+unable"),
            ]),
        ]),
    ),
];

const FORMAT: &[Row] = &[
    row("format-string-pattern", ALL, Has("string should match pattern")),
    row("format-tool-use-id", ALL, Any(&[Has("tool_use.id"), Has("tool_use_id")])),
    row("format-invalid-request", ALL, Has("invalid request format")),
    row("format-tool-call-id", ALL, re(&["tool call id was", "must be"], r"tool call id was.*must be")),
    row("format-prefill", FROM_7, Has("does not support assistant message prefill")),
    row("format-last-message", FROM_7, Has("conversation must end with a user message")),
    row(
        "format-harness",
        FROM_7,
        re(
            &["agent harness ", "provider is not one of"],
            r"agent harness .* does not support .*provider is not one of",
        ),
    ),
];

const NO_DETAILS: &[Row] =
    &[row("no-error-details", FROM_5, Is("unknown error (no error details in response)"))];

const TIMEOUT: &[Row] = &[
    row("timeout", ALL, Any(&[Has("timeout"), Has("timed out")])),
    row("timeout-unavailable", UP_TO_7, Has("service unavailable")),
    row("timeout-deadline", ALL, Has("deadline exceeded")),
    row(
        "timeout-got-internal",
        FROM_5,
        All(&[
            re(&["got status:"], r"\bgot status:\s*internal\b"),
            re(&["500", "code"], r#"\bcode["']?\s*[:=]\s*500\b"#),
        ]),
    ),
    row(
        "timeout-status-internal",
        FROM_5,
        All(&[
            re(&["500", "code"], r#"["']code["']\s*:\s*500\b"#),
            re(&["status", "internal"], r#"["']status["']\s*:\s*["']internal["']"#),
        ]),
    ),
    row(
        "timeout-network",
        ALL,
        Any(&[
            Has("connection error"),
            Has("network error"),
            Has("network request failed"),
            Has("fetch failed"),
            Has("socket hang up"),
        ]),
    ),
    row(
        "timeout-stream-disconnected",
        F9,
        re(
            &["stream disconnected before completion"],
            r"^stream disconnected before completion(?::[\s\S]*)?$",
        ),
    ),
    row(
        "timeout-premature-close",
        F9,
        re(
            &["premature close of server response"],
            r"^premature close of server response while trying to fetch\b",
        ),
    ),
    row(
        "timeout-stream-ended",
        F9,
        re(
            &["stream ended"],
            r"^(?:[\w -]*stream ended (?:before (?:message_?stop|(?:a )?terminal (?:finish reason|response event|event))|without (?:a terminal )?finish[_ ]reason)|Responses stream ended with unresolved tool calls)[.!]?$",
        ),
    ),
    row(
        "timeout-chinese",
        FROM_5,
        Any(&[
            Has("网络错误"),
            Has("网络异常"),
            Has("服务暂时不可用"),
            Has("服务繁忙"),
            Has("请求超时"),
            Has("连接超时"),
            Has("连接错误"),
        ]),
    ),
    row(
        "timeout-node-code",
        ALL,
        Any(&[
            Word("econnrefused"),
            Word("econnreset"),
            Word("econnaborted"),
            Word("enetunreach"),
            Word("ehostunreach"),
            Word("ehostdown"),
            Word("enetreset"),
            Word("etimedout"),
            Word("esockettimedout"),
            Word("epipe"),
            Word("enotfound"),
            Word("eai_again"),
        ]),
    ),
    row("timeout-no-chunks", ALL, re(&["without sending", "chunk"], r"without sending (?:any )?chunks?")),
    row(
        "timeout-stop-reason",
        F3,
        re(&["reason:"], r"\breason:\s*(?:abort|error|malformed_response|network_error)\b"),
    ),
    row(
        "timeout-stop-reason",
        F5.or(F7),
        re(&["reason:"], r"\b(?:finish_)?reason:\s*(?:abort|error|malformed_response|network_error)\b"),
    ),
    row(
        "timeout-stop-reason",
        F9,
        re(&["reason:"], r"\b(?:finish_)?reason:\s*(?:abort|malformed_response|network_error)\b"),
    ),
    row("timeout-aborted", FROM_5, Word("operation was aborted")),
    row(
        "timeout-stream-closed",
        FROM_5,
        Any(&[
            Word("stream closed"),
            Word("stream aborted"),
            Word("stream was closed"),
            Word("stream was aborted"),
        ]),
    ),
    row("timeout-terminated", FROM_5, Is("terminated")),
    row("timeout-stream-read", FROM_7, Is("stream_read_error")),
    row(
        "timeout-undici",
        FROM_5,
        re(
            &["und_err_"],
            r"\bund_err_(?:socket|connect|headers?|body|req_content_length_mismatch|aborted|closed)\b",
        ),
    ),
    row("timeout-request-failed", FROM_5, Is("request failed")),
    row("timeout-retries-exhausted", FROM_5, Word("request failed after repeated internal retries")),
    row("timeout-llm-request-failed", FROM_7, Is("llm request failed.")),
];

const CERTIFICATE: &[Row] = &[
    row(
        "certificate-hostname",
        F9,
        Any(&[
            re(&["hostname/ip does not match"], r"hostname/ip does not match certificate(?:'s)? altnames"),
            Has("hostname mismatch"),
            re(&["altnames", "host:"], r"host: .+ is not in the cert(?:ificate)?(?:'s)? altnames"),
        ]),
    ),
    row(
        "certificate-invalid",
        F9,
        Any(&[
            Has("certificate has expired"),
            Has("certificate is not yet valid"),
            Has("self signed certificate"),
            Has("self-signed certificate"),
            Has("unable to get local issuer certificate"),
            Has("unable to verify the first certificate"),
        ]),
    ),
];

const OPENAI_OVERFLOW: &[Row] = &[row(
    "openai-content-filter-length",
    F9,
    re(&["content_filter"], r"content_filter.*(?:prompt|input).*(?:too long|exceed)"),
)];

const OLLAMA_OVERFLOW: &[Row] = &[
    row(
        "ollama-context",
        F9,
        re(&["ollama"], r"\bollama\b.*(?:context length|too many tokens|context window)"),
    ),
    row(
        "ollama-truncating",
        F9,
        re(&["truncating input", "too long"], r"\btruncating input\b.*\btoo long\b"),
    ),
];

const OLLAMA_STREAM: &[Row] =
    &[row("ollama-stream-ended", F9, Is("ollama api stream ended without a final response"))];

const OPENROUTER_HOOK_KEY: &[Row] = &[row(
    "openrouter-key-limit",
    F9,
    re(&["limit", "key"], r"\b(?:api\s+key\s+budget|key)\s+limit\s*(?:exceeded|reached|hit)\b"),
)];

const TOGETHER_LIMIT: &[Row] = &[row(
    "together-concurrency",
    F9,
    re(&["concurrency limit"], r"\bconcurrency limit\b.*\b(?:breached|reached)\b"),
)];

const XAI_CREDITS: &[Row] = &[row(
    "xai-credits",
    F9,
    Any(&[
        Word("used all available credits"),
        Word("run out of credits"),
        Word("monthly spending limit"),
        Word("purchase more credits"),
        Word("raise your spending limit"),
        Word("need a grok subscription"),
    ]),
)];

const XAI_RATE: &[Row] =
    &[row("xai-rate-limit", F9, Any(&[Word("rate limit exceeded"), Word("too many requests")]))];

const XAI_INTERNAL: &[Row] = &[row("xai-internal-error", F9, Word("internal error during token generation"))];
