//! a model chain names a provider without any credential.

use super::prelude::*;
use crate::base::text;
use crate::engine::chain;

pub(super) static RULE: Rule = Rule {
    id: "provider-without-profile",
    severity: Severity::Warning,
    looks_at: LooksAt::Config,
    summary: "a model chain names a provider without any credential",
    explanation: "A candidate without a credential is skipped at every turn: the chain is shorter than it looks. Credentials are looked for in the stores, in models.providers of the config, and in the provider's usual variable.",
    check: Check::Agent(check),
};

/// Providers that run on the machine itself, or sign with the machine's own identity.
const NEED_NONE: [&str; 8] =
    ["ollama", "lmstudio", "vllm", "sglang", "llamacpp", "amazon-bedrock", "google-vertex", "claude-cli"];

/// Variables that don't follow the pattern PROVIDER_API_KEY.
const VARIABLES: [(&str, &[&str]); 8] = [
    ("anthropic", &["ANTHROPIC_OAUTH_TOKEN"]),
    ("google", &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    ("github-copilot", &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"]),
    ("zai", &["ZAI_API_KEY", "Z_AI_API_KEY"]),
    ("huggingface", &["HF_TOKEN", "HUGGINGFACE_HUB_TOKEN"]),
    ("kimi-coding", &["KIMI_API_KEY"]),
    ("opencode", &["OPENCODE_API_KEY", "OPENCODE_ZEN_API_KEY"]),
    ("vercel-ai-gateway", &["AI_GATEWAY_API_KEY"]),
];

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    let machine = agent.scan.machine;
    let config = &machine.engine_config;
    let entry = if agent.scan.has_own_model(agent.id()) { config.agent(agent.id().as_str()) } else { None };
    let own = entry.and_then(|entry| entry.own.model.as_ref()).map(|model| (model, false));
    let defaults = config.defaults.model.as_ref().filter(|_| agent.is_first()).map(|model| (model, true));
    let mut seen: Vec<String> = Vec::new();
    for (model, is_default) in own.into_iter().chain(defaults) {
        let path: Vec<&str> = if is_default {
            vec!["agents", "defaults", "model"]
        } else {
            vec!["agents", agent.id().as_str(), "model"]
        };
        let refs = model.primary.iter().chain(model.fallbacks.iter().flatten());
        for raw in refs {
            let Some(parsed) = chain::parse_ref(agent.rules(), config, Some(agent.id().as_str()), raw) else {
                continue;
            };
            let provider = agent.rules().providers.for_credentials(parsed.provider.as_str()).into_owned();
            if seen.contains(&provider) || has_credential(agent, &provider) {
                continue;
            }
            let login = format!("openclaw models auth login --provider {}", text::shell_word(&provider));
            found.push(
                RULE.finding(format!(
                    "{raw} is in the model chain, but {provider} has no credential: it is always skipped"
                ))
                .at(agent.config_path())
                .of_agent(agent.id())
                .json_path(&path)
                .next(format!(
                    "{login}, or paste a key: openclaw models auth paste-api-key --provider {}",
                    text::shell_word(&provider)
                )),
            );
            seen.push(provider);
        }
    }
}

fn has_credential(agent: &AgentScan<'_>, provider: &str) -> bool {
    let machine = agent.scan.machine;
    let names = &agent.rules().providers;
    let variable = format!("{}_API_KEY", provider.to_uppercase().replace(['-', '.'], "_"));
    let special = VARIABLES.iter().find(|(known, _)| *known == provider).map_or(&[][..], |(_, names)| names);
    let configured = machine.engine_config.providers.iter().any(|(id, configured)| {
        let keyless = matches!(configured.auth.as_deref(), Some("aws-sdk" | "none"));
        let local = configured.base_url.as_deref().is_some_and(is_local);
        names.for_credentials(id) == provider && (configured.has_api_key || keyless || local)
    });
    NEED_NONE.contains(&provider)
        || agent.profiles.iter().any(|status| status.provider == provider)
        || configured
        || std::iter::once(variable.as_str())
            .chain(special.iter().copied())
            .any(|name| machine.has_variable(name))
}

fn is_local(url: &str) -> bool {
    ["://localhost", "://127.", "://[::1]", "://0.0.0.0", "://host.docker.internal"]
        .iter()
        .any(|host| url.contains(host))
}
