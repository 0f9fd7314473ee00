//! The built-in rule sets. Each was checked against its release with recorded answers and with
//! freshly drawn questions; a later one is written as what changed.

use std::collections::BTreeMap;

use crate::base::time::Millis;

use super::super::facts::RefForm;
use super::super::types::{Family, Reason};
use super::{
    AliasUse, Backoff, BlockedUse, ChainRules, CoerceRules, CooldownKey, CooldownRules, OrderRules,
    ProviderNames, ReasonSet, RuleSet, RunRules,
};
use super::{models, run};

/// The last time that JavaScript's `Date` knows.
const LAST_DATE: Millis = Millis(8_640_000_000_000_000);

/// Before 2026.3.28.
pub(super) fn r2026_3() -> RuleSet {
    let billing = Backoff { base: Millis::from_hours(5), max: Millis::from_hours(24) };
    RuleSet {
        id: Family::R2026_3.id().to_owned(),
        family: Family::R2026_3,
        checked_release: Family::R2026_3.checked_release(),
        about: "releases before 2026.3.28",
        run: RunRules::of_family(Family::R2026_3),
        cooldown: CooldownRules {
            regular_ladder: [1, 5, 25, 60].map(Millis::from_mins).to_vec(),
            rate_limit: None,
            billing,
            auth_permanent: billing,
            auth_permanent_as_billing: true,
            failure_window: Millis::from_hours(24),
            max_doublings: 10,
            min_backoff: Millis::from_mins(1),
            whole_millis: false,
            max_until: None,
            model_scoped: ReasonSet::default(),
            records_reason: false,
            keeps_rate_limit_count: false,
            cooldown_reason_outweighs: false,
            blocked: BlockedUse::Ignored,
            exempt_providers: ["openrouter", "kilocode"].map(str::to_owned).to_vec(),
            reason_priority: vec![
                Reason::AuthPermanent,
                Reason::Auth,
                Reason::Billing,
                Reason::Format,
                Reason::ModelNotFound,
                Reason::Overloaded,
                Reason::Timeout,
                Reason::RateLimit,
                Reason::Unknown,
            ],
            config_keys: vec![
                CooldownKey::BillingBackoffHours,
                CooldownKey::BillingBackoffHoursByProvider,
                CooldownKey::BillingMaxHours,
                CooldownKey::FailureWindowHours,
            ],
        },
        order: OrderRules {
            live_oauth_first: false,
            order_key_by_owner: false,
            gone_stored_order_falls_back: false,
            cooldown_by_model: false,
            aws_sdk_profiles: false,
            rejects_onboard_command: false,
            names_oauth_ref: false,
            honours_setup: false,
            max_expires: None,
            ref_forms: vec![RefForm::Full, RefForm::WithoutProvider, RefForm::Template],
        },
        chain: ChainRules {
            alias_use: AliasUse::Bare,
            knows_configured_providers: false,
            fallbacks_know_config: false,
            wildcards: false,
            agent_settings: false,
            default_model: "anthropic/claude-opus-4-6".to_owned(),
            foreign_provider_drops_fallbacks: true,
            allow_list_is_policy: false,
        },
        coerce: CoerceRules {
            canonical: false,
            reads_api_key_type: false,
            reads_refs_in_values: false,
            keeps_empty_order: true,
            keeps_setup: false,
            newest_usage_members: false,
            oauth_members: &[],
        },
        providers: ProviderNames {
            aliases: &[
                ("aws-bedrock", "amazon-bedrock"),
                ("bedrock", "amazon-bedrock"),
                ("bytedance", "volcengine"),
                ("doubao", "volcengine"),
                ("kimi-code", "kimi-coding"),
                ("opencode-go-auth", "opencode-go"),
                ("opencode-zen", "opencode"),
                ("qwen", "qwen-portal"),
                ("z-ai", "zai"),
                ("z.ai", "zai"),
            ],
            credentials_of: &[("byteplus-plan", "byteplus"), ("volcengine-plan", "volcengine")],
        },
        models: models::R2026_3,
        overridden: BTreeMap::new(),
    }
}

/// 2026.4.29 to 2026.5.11.
pub(super) fn r2026_5() -> RuleSet {
    let before = r2026_3();
    RuleSet {
        id: Family::R2026_5.id().to_owned(),
        family: Family::R2026_5,
        checked_release: Family::R2026_5.checked_release(),
        about: "releases 2026.4.29 to 2026.5.11",
        run: RunRules::of_family(Family::R2026_5),
        cooldown: CooldownRules {
            regular_ladder: vec![Millis::from_secs(30), Millis::from_mins(1), Millis::from_mins(5)],
            auth_permanent: Backoff { base: Millis::from_mins(10), max: Millis::from_mins(60) },
            auth_permanent_as_billing: false,
            model_scoped: ReasonSet::of(&[Reason::RateLimit]),
            records_reason: true,
            reason_priority: vec![
                Reason::AuthPermanent,
                Reason::Auth,
                Reason::Billing,
                Reason::Format,
                Reason::ModelNotFound,
                Reason::Overloaded,
                Reason::Timeout,
                Reason::RateLimit,
                Reason::EmptyResponse,
                Reason::NoErrorDetails,
                Reason::Unclassified,
                Reason::Unknown,
            ],
            config_keys: CooldownKey::ALL.to_vec(),
            ..before.cooldown
        },
        order: OrderRules {
            order_key_by_owner: true,
            ref_forms: vec![
                RefForm::Full,
                RefForm::WithoutProvider,
                RefForm::Template,
                RefForm::EnvMarker,
                RefForm::UnderscoreMarker,
            ],
            ..before.order
        },
        chain: ChainRules {
            alias_use: AliasUse::Any,
            knows_configured_providers: true,
            default_model: "openai/gpt-5.5".to_owned(),
            ..before.chain
        },
        models: models::R2026_5,
        coerce: CoerceRules { reads_refs_in_values: true, keeps_empty_order: false, ..before.coerce },
        providers: ProviderNames {
            aliases: &[
                ("aws-bedrock", "amazon-bedrock"),
                ("bedrock", "amazon-bedrock"),
                ("bytedance", "volcengine"),
                ("doubao", "volcengine"),
                ("kimi-code", "kimi"),
                ("kimi-coding", "kimi"),
                ("modelstudio", "qwen"),
                ("opencode-go-auth", "opencode-go"),
                ("opencode-zen", "opencode"),
                ("qwencloud", "qwen"),
                ("z-ai", "zai"),
                ("z.ai", "zai"),
            ],
            credentials_of: &[
                ("byteplus-plan", "byteplus"),
                ("claude-cli", "anthropic"),
                ("codex-cli", "openai-codex"),
                ("minimax-api", "minimax"),
                ("minimax-api-key-cn", "minimax"),
                ("minimax-api-lightning", "minimax"),
                ("minimax-cloud", "minimax"),
                ("modelstudio-api-key", "qwen"),
                ("modelstudio-api-key-cn", "qwen"),
                ("modelstudio-standard-api-key", "qwen"),
                ("modelstudio-standard-api-key-cn", "qwen"),
                ("openai-codex-import", "openai-codex"),
                ("volcengine-plan", "volcengine"),
            ],
        },
        ..before
    }
}

/// 2026.6 and 2026.7.
pub(super) fn r2026_7() -> RuleSet {
    let before = r2026_5();
    RuleSet {
        id: Family::R2026_7.id().to_owned(),
        family: Family::R2026_7,
        checked_release: Family::R2026_7.checked_release(),
        about: "releases 2026.6 and 2026.7",
        run: RunRules::of_family(Family::R2026_7),
        cooldown: CooldownRules {
            whole_millis: true,
            max_until: Some(LAST_DATE),
            model_scoped: ReasonSet::of(&[Reason::RateLimit, Reason::Timeout]),
            blocked: BlockedUse::Read,
            ..before.cooldown
        },
        order: OrderRules {
            gone_stored_order_falls_back: true,
            aws_sdk_profiles: true,
            rejects_onboard_command: true,
            names_oauth_ref: true,
            max_expires: Some(LAST_DATE),
            ref_forms: vec![
                RefForm::Full,
                RefForm::WithoutProvider,
                RefForm::Template,
                RefForm::Shorthand,
                RefForm::EnvMarker,
                RefForm::UnderscoreMarker,
            ],
            ..before.order
        },
        chain: ChainRules {
            alias_use: AliasUse::WithProvider,
            fallbacks_know_config: true,
            wildcards: true,
            foreign_provider_drops_fallbacks: false,
            ..before.chain
        },
        models: models::R2026_7,
        coerce: CoerceRules {
            canonical: true,
            reads_api_key_type: true,
            oauth_members: &[
                "access",
                "refresh",
                "idToken",
                "clientId",
                "enterpriseUrl",
                "projectId",
                "accountId",
                "chatgptPlanType",
            ],
            ..before.coerce
        },
        providers: ProviderNames {
            aliases: &[],
            credentials_of: &[
                ("byteplus-plan", "byteplus"),
                ("claude-cli", "anthropic"),
                ("minimax-api", "minimax"),
                ("minimax-api-key-cn", "minimax"),
                ("minimax-api-lightning", "minimax"),
                ("minimax-cloud", "minimax"),
                ("minimax-cn", "minimax"),
                ("minimax-portal-cn", "minimax-portal"),
                ("novita-ai", "novita"),
                ("novitaai", "novita"),
                ("volcengine-plan", "volcengine"),
            ],
        },
        ..before
    }
}

/// From 2026.9.5.
pub(super) fn r2026_9() -> RuleSet {
    let before = r2026_7();
    RuleSet {
        id: Family::R2026_9.id().to_owned(),
        family: Family::R2026_9,
        checked_release: Family::R2026_9.checked_release(),
        about: "releases from 2026.9.5",
        run: RunRules::of_family(Family::R2026_9),
        cooldown: CooldownRules {
            rate_limit: Some(Backoff { base: Millis::from_secs(30), max: Millis::from_hours(24) }),
            billing: Backoff { base: Millis::from_mins(10), max: Millis::from_hours(24) },
            auth_permanent: Backoff { base: Millis::from_mins(10), max: Millis::from_mins(60) },
            max_doublings: 62,
            min_backoff: Millis(1),
            model_scoped: ReasonSet::of(&[Reason::RateLimit, Reason::Timeout, Reason::ModelNotFound]),
            keeps_rate_limit_count: true,
            cooldown_reason_outweighs: true,
            blocked: BlockedUse::ReadScoped,
            reason_priority: vec![
                Reason::AuthPermanent,
                Reason::Auth,
                Reason::SessionExpired,
                Reason::Billing,
                Reason::Format,
                Reason::ModelNotFound,
                Reason::Overloaded,
                Reason::Timeout,
                Reason::RateLimit,
                Reason::EmptyResponse,
                Reason::NoErrorDetails,
                Reason::Unclassified,
                Reason::Unknown,
            ],
            config_keys: Vec::new(),
            ..before.cooldown
        },
        order: OrderRules {
            live_oauth_first: true,
            cooldown_by_model: true,
            honours_setup: true,
            ref_forms: vec![
                RefForm::Full,
                RefForm::WithoutProvider,
                RefForm::StoreSource,
                RefForm::Template,
                RefForm::Shorthand,
            ],
            ..before.order
        },
        chain: ChainRules {
            alias_use: AliasUse::OnePerModel,
            agent_settings: true,
            default_model: "openai/gpt-6-astra".to_owned(),
            allow_list_is_policy: true,
            ..before.chain
        },
        models: models::R2026_9,
        coerce: CoerceRules {
            keeps_setup: true,
            newest_usage_members: true,
            oauth_members: &[
                "access",
                "refresh",
                "idToken",
                "clientId",
                "enterpriseUrl",
                "projectId",
                "accountId",
                "chatgptPlanType",
                "subscriptionType",
                "rateLimitTier",
                "tokenEndpoint",
                "deviceAuthorizationEndpoint",
                "issuer",
                "authFlow",
            ],
            ..before.coerce
        },
        providers: ProviderNames {
            aliases: &[],
            credentials_of: &[
                ("claude-cli", "anthropic"),
                ("minimax-api", "minimax"),
                ("minimax-api-key-cn", "minimax"),
                ("minimax-api-lightning", "minimax"),
                ("minimax-cloud", "minimax"),
                ("minimax-cn", "minimax"),
                ("minimax-portal-cn", "minimax-portal"),
                ("x-ai", "xai"),
            ],
        },
        ..before
    }
}

/// 2026.3.28 to 2026.3.31: windows and reading of 2026.5 already, permanent-auth windows, default model
/// and, mostly, the classifier of 2026.3 (recorded: 2026.3.31).
pub(super) fn r2026_3_31() -> RuleSet {
    let (older, base) = (r2026_3(), r2026_5());
    RuleSet {
        id: "2026.3.31".to_owned(),
        family: Family::R2026_3,
        checked_release: "2026.3.31",
        about: "windows of 2026.5, permanent-auth windows of 2026.3; classification is the nearest, 2026.3",
        cooldown: CooldownRules {
            auth_permanent: older.cooldown.auth_permanent,
            auth_permanent_as_billing: true,
            reason_priority: older.cooldown.reason_priority,
            ..base.cooldown
        },
        chain: ChainRules { default_model: older.chain.default_model, ..base.chain },
        ..base
    }
}

/// 2026.4 before 2026.4.29 (recorded: 2026.4.15).
pub(super) fn r2026_4_15() -> RuleSet {
    let base = r2026_5();
    RuleSet {
        id: "2026.4.15".to_owned(),
        checked_release: "2026.4.15",
        about: "2026.5 with an earlier default model; classification is the nearest, 2026.5",
        cooldown: CooldownRules { reason_priority: r2026_3().cooldown.reason_priority, ..base.cooldown },
        chain: ChainRules { default_model: "openai/gpt-5.4".to_owned(), ..base.chain },
        ..base
    }
}

/// 2026.5.20 to 2026.5.28: 2026.7, but a timeout blocks the whole profile and the type `apiKey`
/// is none (recorded: 2026.5.28).
pub(super) fn r2026_5_28() -> RuleSet {
    let base = r2026_7();
    RuleSet {
        id: "2026.5.28".to_owned(),
        checked_release: "2026.5.28",
        about: "2026.7, but a timeout blocks the whole profile; classification is the nearest, 2026.7",
        cooldown: CooldownRules { model_scoped: ReasonSet::of(&[Reason::RateLimit]), ..base.cooldown },
        coerce: CoerceRules { reads_api_key_type: false, ..base.coerce },
        ..base
    }
}

/// 2026.5.12 to 2026.5.19: 2026.5.28 with the classifier of 2026.5 (recorded: 2026.5.19).
pub(super) fn r2026_5_19() -> RuleSet {
    let base = r2026_5_28();
    RuleSet {
        id: "2026.5.19".to_owned(),
        family: Family::R2026_5,
        checked_release: "2026.5.19",
        about: "2026.5.28 with the classification of 2026.5",
        run: RunRules { transport: run::Transport { outer_attempts: 4, ..base.run.transport }, ..base.run },
        ..base
    }
}

/// 2026.8.1 to 2026.9.1: order and reading of 2026.9 with the windows of 2026.7, which no key of the
/// config changes (recorded: 2026.8.2 and 2026.9.1). A profile gets 4 requests at 429, 3 at 500.
pub(super) fn r2026_8() -> RuleSet {
    let (older, base) = (r2026_7(), r2026_9());
    RuleSet {
        id: "2026.8".to_owned(),
        family: Family::R2026_7,
        checked_release: "2026.8.2",
        about: "order of 2026.9, windows of 2026.7; classification is the nearest, 2026.7",
        run: RunRules {
            transport: older.run.transport,
            same_model: run::SameModel { rate_limit_retries: 3, transient_retries: 0, ..base.run.same_model },
            ..base.run
        },
        cooldown: CooldownRules {
            rate_limit: None,
            billing: older.cooldown.billing,
            max_doublings: older.cooldown.max_doublings,
            min_backoff: older.cooldown.min_backoff,
            keeps_rate_limit_count: false,
            ..base.cooldown
        },
        chain: ChainRules { default_model: "openai/gpt-5.6-sol".to_owned(), ..base.chain },
        ..base
    }
}

/// 2026.9.2 to 2026.9.4: another default model (recorded: 2026.9.4).
pub(super) fn r2026_9_4() -> RuleSet {
    let base = r2026_9();
    RuleSet {
        id: "2026.9.4".to_owned(),
        checked_release: "2026.9.4",
        about: "2026.9 with an earlier default model; classification is the nearest, 2026.9",
        chain: ChainRules { default_model: "openai/gpt-5.6-sol".to_owned(), ..base.chain },
        ..base
    }
}

/// What OpenClaw's own failover page said in mid-2026.
pub(super) fn documented() -> RuleSet {
    let base = r2026_7();
    RuleSet {
        id: "documented".to_owned(),
        about: "OpenClaw's failover page of mid-2026: 2026.7 with a longer regular ladder",
        cooldown: CooldownRules {
            regular_ladder: [1, 5, 25, 60].map(Millis::from_mins).to_vec(),
            ..base.cooldown
        },
        ..base
    }
}
