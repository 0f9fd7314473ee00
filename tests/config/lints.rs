use std::path::Path;

use clawctl::base::env::Env;
use clawctl::checks::config::{Selection, StoreProfile, StoreView, validate};
use clawctl::config::{Finding, LoadOptions, Loaded, Severity, fix, load_bytes, schema};

fn loaded(text: &str) -> Loaded {
    let env = Env::new([("SET", "value")], "/");
    load_bytes(Path::new("openclaw.json"), text.as_bytes().to_vec(), &env, &LoadOptions::default())
}

fn store(profiles: &[(&str, &str, &str)]) -> StoreView {
    let own = |text: &str| text.to_owned();
    let profiles = profiles.iter().map(|(id, provider, kind)| StoreProfile {
        id: own(id),
        provider: own(provider),
        kind: own(kind),
    });
    StoreView { profiles: profiles.collect() }
}

fn found(text: &str, release: &str, store: Option<&StoreView>) -> (Loaded, Vec<Finding>) {
    let loaded = loaded(text);
    let target = schema::target(release).unwrap();
    let findings = validate(&loaded, &target, store, &Selection::default());
    (loaded, findings)
}

/// `line:column id path: message`.
fn lines(text: &str, release: &str, store: Option<&StoreView>) -> Vec<String> {
    let (loaded, findings) = found(text, release, store);
    findings
        .iter()
        .map(|finding| {
            let origin = loaded.origin_of(finding.span.unwrap());
            let path = finding.path.clone().unwrap_or_default();
            format!("{}:{} {} {path}: {}", origin.line, origin.column, finding.id, finding.message)
        })
        .collect()
}

/// The file after one round of repairs.
fn fixed(text: &str, release: &str) -> Option<String> {
    let (loaded, findings) = found(text, release, None);
    fix::fix(&loaded, &findings).into_iter().next().map(|file| file.text)
}

/// Report 79369: an agent with a bare model string has no fallbacks.
#[test]
fn report_79369_agent_model_is_strict() {
    let text = "{agents: {
  defaults: {model: {primary: 'openai/a', fallbacks: ['anthropic/b']}},
  list: [
    {id: 'main', model: 'openai/c'},
    {id: 'object', model: {primary: 'openai/c'}},
    {id: 'own', model: {primary: 'openai/c', fallbacks: ['anthropic/d']}},
    {id: 'wish', model: {primary: 'openai/c', fallbacks: []}},
    {id: 'inherits', model: {fallbacks: ['anthropic/d']}},
    {id: 'none'},
  ],
}}";
    let message = "this agent's model has no fallbacks: those of agents.defaults.model don't apply to it";
    assert_eq!(
        lines(text, "2026.7", None),
        [
            format!("4:25 agent-model-is-strict agents.list[0].model: {message}"),
            format!("5:27 agent-model-is-strict agents.list[1].model: {message}"),
        ]
    );
    let (_, findings) = found(text, "2026.7", None);
    assert_eq!(
        findings[0].hints[0],
        r#"to keep them write { primary: "openai/c", fallbacks: ["anthropic/b"] }"#
    );
}

#[test]
fn model_references() {
    let text = "{agents: {defaults: {
  models: {'openai/gpt': {alias: 'Fast'}, 'own/x': {}},
  model: {primary: 'fast', fallbacks: ['fasst', 'openai/', 'antropic/claude', 'own/x', 'zzz/y', '${SET}']},
  imageModel: '',
}}, models: {providers: {own: {baseUrl: 'http://x', models: []}}}}";
    assert_eq!(
        lines(text, "2026.5", None),
        [
            "3:40 model-alias-unknown agents.defaults.model.fallbacks[0]: \"fasst\" is no alias, so it means a model of the default provider",
            "3:49 model-ref-invalid agents.defaults.model.fallbacks[1]: this names no model",
            "3:60 model-provider-unknown agents.defaults.model.fallbacks[2]: nothing describes the provider \"antropic\"",
            "3:60 fallback-not-allowed agents.defaults.model.fallbacks[2]: \"antropic/claude\" isn't allowed, but runs can fall back to it",
            "3:88 model-provider-unknown agents.defaults.model.fallbacks[4]: nothing describes the provider \"zzz\"",
            "3:88 fallback-not-allowed agents.defaults.model.fallbacks[4]: \"zzz/y\" isn't allowed, but runs can fall back to it",
            "3:97 model-alias-unknown agents.defaults.model.fallbacks[5]: \"value\" is no alias, so it means a model of the default provider",
        ]
    );
}

#[test]
fn fallbacks_that_do_nothing_are_removed() {
    let text = "{
  // the chain
  agents: { defaults: { model: {
    primary: \"openai/a\", // first
    fallbacks: [
      \"anthropic/b\",
      \"OpenAI/a\", // the primary again
      \"anthropic/b\", // twice
      \"google/c\"
    ],
  } } },
}
";
    assert_eq!(
        lines(text, "2026.7", None),
        [
            "7:7 fallback-equals-primary agents.defaults.model.fallbacks[1]: this fallback is the primary itself",
            "8:7 fallback-repeated agents.defaults.model.fallbacks[2]: this fallback stands in the list already",
        ]
    );
    let expected = text.replace("      \"OpenAI/a\", // the primary again\n", "      // the primary again\n");
    let expected = expected.replace("      \"anthropic/b\", // twice\n", "      // twice\n");
    assert_eq!(fixed(text, "2026.7").unwrap(), expected);
    assert_eq!(fixed(&expected, "2026.7"), None);
}

#[test]
fn orders() {
    let text = "{auth: {
  profiles: {'openai:a': {provider: 'openai', mode: 'api_key'}, 'x:b': {provider: 'anthropic', mode: 'oauth'}},
  order: {openai: ['openai:a', 'openai:a', 'x:b', 'openai:z', 'anthropic:c'], google: ['google:q']},
}}";
    assert_eq!(
        lines(text, "2026.7", None),
        [
            "3:32 auth-order-duplicate auth.order.openai[1]: \"openai:a\" stands in the order already",
            "3:44 auth-order-other-provider auth.order.openai[2]: \"x:b\" is a profile of anthropic, not of openai",
            "3:51 auth-order-unknown-profile auth.order.openai[3]: there is no profile \"openai:z\"",
            "3:63 auth-order-other-provider auth.order.openai[4]: \"anthropic:c\" looks like a profile of another provider than openai",
        ]
    );
    assert!(fixed(text, "2026.7").unwrap().contains("['openai:a', 'x:b', "));
    let store = store(&[("openai:a", "openai", "oauth"), ("openai:z", "openai", "api_key")]);
    assert_eq!(
        lines(text, "2026.7", Some(&store)),
        [
            "2:53 auth-profile-mismatch auth.profiles.openai:a.mode: the config says api_key, the store says oauth: the credential isn't used",
            "2:65 auth-profile-not-in-store auth.profiles.x:b: the store has no credential of this name",
            "3:32 auth-order-duplicate auth.order.openai[1]: \"openai:a\" stands in the order already",
            "3:44 auth-order-unknown-profile auth.order.openai[2]: there is no profile \"x:b\"",
            "3:63 auth-order-unknown-profile auth.order.openai[4]: there is no profile \"anthropic:c\"",
            "3:88 auth-order-unknown-profile auth.order.google[0]: there is no profile \"google:q\"",
        ]
    );
}

#[test]
fn cooldowns_that_contradict_themselves() {
    let text = "{auth: {cooldowns: {billingBackoffHours: 30, authPermanentMaxMinutes: 5, failureWindowHours: 86400, billingBackoffHoursByProvider: {openai: 48}}}}";
    assert_eq!(
        lines(text, "2026.7", None),
        [
            "1:42 cooldowns-contradictory auth.cooldowns.billingBackoffHours: billingBackoffHours is above billingMaxHours, which is 24: the ceiling always holds",
            "1:71 cooldowns-contradictory auth.cooldowns.authPermanentMaxMinutes: authPermanentMaxMinutes is below authPermanentBackoffMinutes, which is 10: the ceiling always holds",
            "1:94 cooldowns-implausible auth.cooldowns.failureWindowHours: 86400 is more than 720: is the unit right?",
        ]
    );
    assert_eq!(
        lines("{auth: {cooldowns: {billingBackoffHours: 5, billingMaxHours: 24}}}", "2026.7", None).len(),
        0
    );
}

/// Report 124268: the release that refuses the key says what holds instead.
#[test]
fn report_124268_says_what_holds_instead() {
    let (_, findings) = found("{auth: {cooldowns: {billingBackoffHours: 30}}}", "2026.9", None);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].id, findings[0].severity), ("unknown-key", Severity::Error));
    assert!(
        findings[0].hints[0].starts_with("removed: 2026.8 and later always use"),
        "{:?}",
        findings[0].hints
    );
}

#[test]
fn plain_secrets_by_path_only() {
    let text = "{gateway: {auth: {token: 'abcdefgh', password: '${SET}'}}, models: {providers: {x: {baseUrl: 'u', models: [{id: 'a', name: 'n', maxTokens: 1000}], apiKey: {source: 'env', provider: 'default', id: 'KEY'}}}}}";
    let (_, findings) = found(text, "2026.7", None);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].id, "plain-secret");
    assert_eq!(findings[0].path.as_ref().unwrap().to_string(), "gateway.auth.token");
    assert!(!format!("{:?}", findings[0]).contains("abcdefgh"));
}

#[test]
fn chains_without_anything_to_fall_back_to() {
    let text = "{agents: {defaults: {model: {primary: 'openai/a', fallbacks: ['openai/b']}}}}";
    assert_eq!(
        lines(text, "2026.7", None),
        ["1:29 single-provider-chain agents.defaults.model: every model of this chain is of openai"]
    );
    let text = "{agents: {defaults: {model: 'openai/a', models: {}}}}";
    let one = store(&[("openai:a", "openai", "api_key")]);
    assert_eq!(
        lines(text, "2026.7", Some(&one)),
        [
            "1:29 single-profile-provider agents.defaults.model: this is the only model, and openai has one profile"
        ]
    );
    assert_eq!(
        lines(text, "2026.7", Some(&store(&[]))),
        ["1:29 provider-without-profile agents.defaults.model: no credential of openai is known"]
    );
}

/// Report 11696: a repair keeps comments, includes and variables as they are.
#[test]
fn report_11696_repairs_change_nothing_else() {
    let text = "{
  // agents of the house
  \"agents\": {
    \"list\": [ // two
      { \"id\": \"main\", \"default\": true, \"name\": \"${SET}\" }, // first
      {
        \"id\": \"work\", // second
        \"workspace\": \"~/w\",
      },
    ],
  },
  \"tools\": { \"exec\": { 'timeoutSec': 30 } },
}
";
    let expected = "{
  // agents of the house
  \"agents\": {
    \"entries\": { // two
      \"main\": { \"default\": true, \"name\": \"${SET}\" }, // first
      \"work\": {
        // second
        \"workspace\": \"~/w\",
      },
    },
  },
  \"tools\": { \"exec\": { 'timeoutSeconds': 30 } },
}
";
    assert_eq!(fixed(text, "2026.9").unwrap(), expected);
    let (_, after) = found(expected, "2026.9", None);
    assert!(after.is_empty(), "{after:?}");
}

/// With `--for` a newer release: what an upgrade needs.
#[test]
fn upgrades_are_listed() {
    let text = "{messages: {tts: {auto: 'off'}}, canvasHost: {}, agents: {list: [{id: 'a'}], defaults: {memorySearch: {}, contextTokens: 5}}, session: {idleMinutes: 3}, worktreeRoot: '/x'}";
    let (_, findings) = found(text, "2026.9", None);
    let all: Vec<String> =
        findings.iter().map(|finding| format!("{} {}", finding.id, finding.path.clone().unwrap())).collect();
    assert_eq!(
        all,
        [
            "unknown-key messages.tts",
            "unknown-key canvasHost",
            "key-moved agents.list",
            "unknown-key agents.defaults.memorySearch",
            "key-moved agents.defaults.contextTokens",
            "unknown-key session.idleMinutes",
        ]
    );
    assert_eq!(findings[0].hints, ["moved to tts"]);
    let (_, older) = found(text, "2026.5", None);
    assert_eq!(older[0].hints, ["2026.9.6 knows it: it is newer than 2026.5.7"]);
}

#[test]
fn a_broken_config_has_only_its_own_findings() {
    let (_, findings) = found("{agents: {defaults: {modle: }}", "2026.9", None);
    assert_eq!(findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["syntax", "syntax"]);
}
