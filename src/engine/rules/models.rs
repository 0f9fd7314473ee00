//! How a release spells model ids: other names, and prefixes that come and go.

use super::super::ids::fold;

type Pairs = &'static [(&'static str, &'static str)];

/// The spelling of one provider's models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSpelling {
    /// The provider.
    pub provider: &'static str,
    /// The provider's own prefix is dropped this many times at most.
    pub own_prefixes: u8,
    /// Other names, in lower case; compared without case.
    pub aliases: Pairs,
    /// Other names, compared letter by letter.
    pub exact_aliases: Pairs,
    /// A model without a slash gets the provider in front.
    pub prefix_when_bare: bool,
    /// A `claude-` model gets `anthropic/` in front.
    pub prefix_claude: bool,
}

impl ModelSpelling {
    pub(super) const PLAIN: Self = Self {
        provider: "",
        own_prefixes: 0,
        aliases: &[],
        exact_aliases: &[],
        prefix_when_bare: false,
        prefix_claude: false,
    };
}

/// Spellings of model ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelNames {
    /// The provider's own prefix is dropped from every model (2026.7 on).
    pub drops_own_prefix: bool,
    /// Case doesn't matter in front of a `claude-` model (2026.5 on).
    pub folds_claude: bool,
    /// Names of Google's models behind `google/`, at any provider that sells them (2026.7 on).
    pub google: Pairs,
    /// Providers with spellings of their own.
    pub providers: &'static [ModelSpelling],
}

impl ModelNames {
    /// The model as the release spells it; the provider must be normalized already.
    #[must_use]
    pub fn normalize(&self, provider: &str, model: &str) -> String {
        let own_prefixes = u8::from(self.drops_own_prefix);
        self.spell(provider, strip_own(provider, model, own_prefixes))
    }

    /// As [`Self::normalize`], for a provider of the config that speaks another one's API: its prefix
    /// isn't its own, and Google's models are found behind a slash.
    #[must_use]
    pub fn normalize_configured(&self, provider: &str, model: &str) -> String {
        let model = self.spell(provider, model);
        match model.split_once('/') {
            Some((vendor, rest)) if vendor != "google" && rest.starts_with("google/") => {
                let renamed = self.google_name(rest);
                if renamed == rest { model } else { format!("{}/{renamed}", fold(vendor)) }
            }
            _ => self.google_name(&model),
        }
    }

    fn spell(&self, provider: &str, model: &str) -> String {
        let Some(spelling) = self.providers.iter().find(|spelling| spelling.provider == provider) else {
            return model.to_owned();
        };
        let model = strip_own(provider, model, spelling.own_prefixes);
        let folded = model.to_lowercase();
        let alias = spelling.aliases.iter().find(|(alias, _)| *alias == folded);
        let exact = spelling.exact_aliases.iter().find(|(alias, _)| *alias == model);
        let mut model =
            alias.or(exact).map_or_else(|| self.behind_google(spelling, model), |(_, id)| (*id).to_owned());
        let bare = !model.is_empty() && !model.contains('/');
        let claude = model.starts_with("claude-")
            || (self.folds_claude && model.to_lowercase().starts_with("claude-"));
        if bare && spelling.prefix_claude && claude {
            model.insert_str(0, "anthropic/");
        } else if bare && spelling.prefix_when_bare {
            model = format!("{provider}/{model}");
        }
        model
    }

    fn behind_google(&self, spelling: &ModelSpelling, model: &str) -> String {
        if spelling.provider.starts_with("google") { self.google_name(model) } else { model.to_owned() }
    }

    fn google_name(&self, model: &str) -> String {
        let behind = model.strip_prefix("google/");
        let renamed = behind.and_then(|rest| self.google.iter().find(|(alias, _)| *alias == rest));
        renamed.map_or_else(|| model.to_owned(), |(_, id)| format!("google/{id}"))
    }
}

fn strip_own<'a>(provider: &str, model: &'a str, times: u8) -> &'a str {
    let mut model = model;
    for _ in 0..times {
        match model.get(..provider.len()) {
            Some(prefix) if prefix.eq_ignore_ascii_case(provider) => {
                let Some(rest) = model[provider.len()..].strip_prefix('/') else { break };
                model = rest;
            }
            _ => break,
        }
    }
    model
}

const GOOGLE_OLD: Pairs = &[
    ("gemini-3-pro", "gemini-3-pro-preview"),
    ("gemini-3-flash", "gemini-3-flash-preview"),
    ("gemini-3.1-pro", "gemini-3.1-pro-preview"),
    ("gemini-3.1-flash-lite", "gemini-3.1-flash-lite-preview"),
    ("gemini-3.1-flash", "gemini-3-flash-preview"),
    ("gemini-3.1-flash-preview", "gemini-3-flash-preview"),
];

const GOOGLE: Pairs = &[
    ("gemini-3-pro", "gemini-3.1-pro-preview"),
    ("gemini-3-pro-preview", "gemini-3.1-pro-preview"),
    ("gemini-3-flash", "gemini-3-flash-preview"),
    ("gemini-3.1-pro", "gemini-3.1-pro-preview"),
    ("gemini-3.1-flash-lite-preview", "gemini-3.1-flash-lite"),
    ("gemini-3.1-flash", "gemini-3-flash-preview"),
    ("gemini-3.1-flash-preview", "gemini-3-flash-preview"),
    ("gemma-4-26b", "gemma-4-26b-a4b-it"),
];

const GOOGLE_WITHOUT_CASE: Pairs = {
    // The last name is compared letter by letter.
    let (without_case, _) = GOOGLE.split_at(GOOGLE.len() - 1);
    without_case
};

const CLAUDE_4: Pairs = &[
    ("opus-4.6", "claude-opus-4-6"),
    ("opus-4.5", "claude-opus-4-5"),
    ("sonnet-4.6", "claude-sonnet-4-6"),
    ("sonnet-4.5", "claude-sonnet-4-5"),
];

const GATEWAY_CLAUDE: Pairs = &[
    ("opus-4.6", "claude-opus-4-6"),
    ("sonnet-5", "claude-sonnet-5"),
    ("sonnet", "claude-sonnet-4-6"),
    ("sonnet-4.6", "claude-sonnet-4-6"),
];

const XAI_FAST: [(&str, &str); 2] =
    [("grok-4-fast-reasoning", "grok-4-fast"), ("grok-4-1-fast-reasoning", "grok-4-1-fast")];

const XAI_4_20: Pairs = &[
    XAI_FAST[0],
    XAI_FAST[1],
    ("grok-4.20-experimental-beta-0304-reasoning", "grok-4.20-beta-latest-reasoning"),
    ("grok-4.20-experimental-beta-0304-non-reasoning", "grok-4.20-beta-latest-non-reasoning"),
    ("grok-4.20-reasoning", "grok-4.20-beta-latest-reasoning"),
    ("grok-4.20-non-reasoning", "grok-4.20-beta-latest-non-reasoning"),
];

const PLAIN: ModelSpelling = ModelSpelling::PLAIN;

/// Checked against 2026.3.13.
pub(super) const R2026_3: ModelNames = ModelNames {
    drops_own_prefix: false,
    folds_claude: false,
    google: &[],
    providers: &[
        ModelSpelling { provider: "anthropic", aliases: CLAUDE_4, ..PLAIN },
        ModelSpelling { provider: "vercel-ai-gateway", aliases: CLAUDE_4, prefix_claude: true, ..PLAIN },
        ModelSpelling { provider: "google", exact_aliases: GOOGLE_OLD, ..PLAIN },
        ModelSpelling { provider: "google-vertex", exact_aliases: GOOGLE_OLD, ..PLAIN },
        ModelSpelling { provider: "openrouter", prefix_when_bare: true, ..PLAIN },
    ],
};

/// Checked against 2026.5.7.
pub(super) const R2026_5: ModelNames = ModelNames {
    drops_own_prefix: false,
    folds_claude: true,
    google: &[],
    providers: &[
        ModelSpelling { provider: "anthropic", aliases: CLAUDE_4, ..PLAIN },
        ModelSpelling { provider: "vercel-ai-gateway", aliases: CLAUDE_4, prefix_claude: true, ..PLAIN },
        ModelSpelling { provider: "google", aliases: GOOGLE_OLD, ..PLAIN },
        ModelSpelling { provider: "google-vertex", aliases: GOOGLE_OLD, ..PLAIN },
        ModelSpelling { provider: "huggingface", own_prefixes: 1, ..PLAIN },
        ModelSpelling { provider: "nvidia", prefix_when_bare: true, ..PLAIN },
        ModelSpelling { provider: "openrouter", prefix_when_bare: true, ..PLAIN },
        ModelSpelling { provider: "xai", aliases: XAI_4_20, ..PLAIN },
    ],
};

/// Checked against 2026.7.1.
pub(super) const R2026_7: ModelNames = ModelNames {
    drops_own_prefix: true,
    folds_claude: true,
    google: GOOGLE,
    providers: &[
        ModelSpelling {
            provider: "anthropic",
            own_prefixes: 1,
            aliases: &[
                ("opus-4.8", "claude-opus-4-8"),
                ("opus", "claude-opus-4-8"),
                ("opus-4.6", "claude-opus-4-6"),
                ("mythos-5", "claude-mythos-5"),
                ("sonnet-5", "claude-sonnet-5"),
                ("sonnet", "claude-sonnet-5"),
                ("sonnet-4.6", "claude-sonnet-4-6"),
            ],
            ..PLAIN
        },
        ModelSpelling {
            provider: "vercel-ai-gateway",
            aliases: GATEWAY_CLAUDE,
            prefix_claude: true,
            ..PLAIN
        },
        ModelSpelling { provider: "google", aliases: GOOGLE_WITHOUT_CASE, exact_aliases: GOOGLE, ..PLAIN },
        ModelSpelling {
            provider: "google-gemini-cli",
            aliases: GOOGLE_WITHOUT_CASE,
            exact_aliases: GOOGLE,
            ..PLAIN
        },
        ModelSpelling {
            provider: "google-vertex",
            aliases: GOOGLE_WITHOUT_CASE,
            exact_aliases: GOOGLE,
            ..PLAIN
        },
        ModelSpelling { provider: "huggingface", own_prefixes: 2, ..PLAIN },
        ModelSpelling { provider: "nvidia", prefix_when_bare: true, ..PLAIN },
        ModelSpelling { provider: "openrouter", prefix_when_bare: true, ..PLAIN },
        ModelSpelling { provider: "xai", aliases: XAI_4_20, ..PLAIN },
        TOGETHER,
    ],
};

const TOGETHER: ModelSpelling = ModelSpelling {
    provider: "together",
    exact_aliases: &[("moonshotai/Kimi-K2.5", "moonshotai/Kimi-K2.6")],
    ..PLAIN
};

/// Checked against 2026.9.6.
pub(super) const R2026_9: ModelNames = ModelNames {
    drops_own_prefix: true,
    folds_claude: true,
    google: GOOGLE,
    providers: &[
        ModelSpelling {
            provider: "anthropic",
            own_prefixes: 1,
            aliases: &[
                ("fable", "claude-fable-5-1"),
                ("fable-5", "claude-fable-5"),
                ("fable-5.1", "claude-fable-5-1"),
                ("fable-5-1", "claude-fable-5-1"),
                ("haiku", "claude-haiku-4-5"),
                ("opus-5.5", "claude-opus-5-5"),
                ("opus-5-5", "claude-opus-5-5"),
                ("opus-5", "claude-opus-5"),
                ("opus", "claude-opus-5"),
                ("opus-4.8", "claude-opus-4-8"),
                ("opus-4.7", "claude-opus-4-7"),
                ("opus-4.6", "claude-opus-4-6"),
                ("mythos-5", "claude-mythos-5"),
                ("sonnet-5", "claude-sonnet-5"),
                ("sonnet", "claude-sonnet-5"),
                ("sonnet-4.6", "claude-sonnet-4-6"),
            ],
            ..PLAIN
        },
        ModelSpelling {
            provider: "vercel-ai-gateway",
            aliases: GATEWAY_CLAUDE,
            prefix_claude: true,
            ..PLAIN
        },
        ModelSpelling { provider: "google", aliases: GOOGLE_WITHOUT_CASE, exact_aliases: GOOGLE, ..PLAIN },
        ModelSpelling {
            provider: "google-gemini-cli",
            aliases: GOOGLE_WITHOUT_CASE,
            exact_aliases: GOOGLE,
            ..PLAIN
        },
        ModelSpelling {
            provider: "google-vertex",
            aliases: GOOGLE_WITHOUT_CASE,
            exact_aliases: GOOGLE,
            ..PLAIN
        },
        ModelSpelling { provider: "huggingface", own_prefixes: 2, ..PLAIN },
        ModelSpelling { provider: "nvidia", prefix_when_bare: true, ..PLAIN },
        ModelSpelling { provider: "openrouter", prefix_when_bare: true, ..PLAIN },
        ModelSpelling {
            provider: "xai",
            aliases: &[
                ("grok-4.3-latest", "grok-4.3"),
                ("grok-4.5-latest", "grok-4.5"),
                ("grok-4.7-latest", "grok-4.7"),
                ("grok-build-latest", "grok-4.5"),
                XAI_FAST[0],
                XAI_FAST[1],
            ],
            ..PLAIN
        },
        TOGETHER,
    ],
};
