//! No output ever holds a secret, not in part.

use crate::harness::Sandbox;

const SECRETS: [&str; 6] = [
    "zq7-key-material",
    "zq7-token-material",
    "zq7-access-material",
    "zq7-refresh-material",
    "zq7-id-material",
    "zq7-unknown-material",
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    let [key, token, access, refresh, id, unknown] = SECRETS;
    let profiles = format!(
        r#"{{"openai:k":{{"type":"api_key","provider":"openai","key":"{key}","somethingNew":"{unknown}"}},
           "openai:t":{{"type":"token","provider":"openai","token":"{token}"}},
           "openai:o":{{"type":"oauth","provider":"openai","access":"{access}","refresh":"{refresh}","idToken":"{id}","metadata":{{"nested":"{unknown}"}}}}}}"#
    );
    sandbox.agent_database(
        "main",
        &profiles,
        r#"{"version":1,"order":{"openai":["openai:k"]},"usageStats":{"openai:k":{"errorCount":2}}}"#,
    );
    sandbox
}

#[test]
fn no_command_prints_a_secret() {
    let sandbox = sandbox();
    for args in [
        &["auth", "list", "--json", "-v"][..],
        &["auth", "show", "openai:k", "--fingerprint"],
        &["auth", "show", "openai:o", "--json", "--fingerprint"],
        &["auth", "show", "openai:t", "--json"],
        &["auth", "order", "set", "--provider", "openai", "openai:t", "-v"],
        &["auth", "order", "explain", "--provider", "openai", "--json"],
        &["cooldowns", "clear", "--all", "--yes", "--json"],
        &["backup", "create", "--json"],
        &["backup", "list", "--json"],
        &["undo", "--json"],
        &["route", "--json"],
        &["auth", "show", "zq7-key-material"],
    ] {
        let run = sandbox.run(args.iter().copied());
        let all = format!("{}{}", run.stdout, run.stderr);
        for secret in SECRETS {
            // An id that the user typed is no secret of the store.
            if args.contains(&secret) {
                continue;
            }
            for end in 8..=secret.len() {
                assert!(!all.contains(&secret[..end]), "{args:?} shows {}:\n{all}", &secret[..end]);
            }
        }
    }
}

#[test]
fn a_replay_masks_the_stores_secrets_in_messages() {
    let sandbox = sandbox();
    let script = sandbox.write(
        "leak.json5",
        r#"{replies: [{then: [{status: 401, message: "Incorrect API key: zq7-key-material"}]}]}"#,
    );
    let run = sandbox.run(["simulate", &script.display().to_string(), "--json"]).expect_status(0);
    assert!(!run.stdout.contains("zq7-key-material"), "{}", run.stdout);
}

#[test]
fn config_commands_hide_what_environments_headers_and_urls_hold() {
    let sandbox = Sandbox::empty();
    let file = sandbox.write(
        "openclaw.json",
        r#"{ env: { vars: { DB: "zq7-key-material" } }, zzz: 1, mcp: { servers: { a: { command: "x",
            args: ["--token", "zq7-token-material"], env: { B: "zq7-access-material" } } } },
          models: { providers: { p: { baseUrl: "https://u:zq7-refresh-material@host.example/v1?key=zq7-id-material",
            headers: { "X-Api-Key": "zq7-unknown-material" }, models: [], yyy: 1 } } } }"#,
    );
    let file = file.display().to_string();
    let mut outputs = vec![sandbox.run(["config", "validate", &file, "--for", "2026.9"])];
    for path in [
        "env",
        "env.vars",
        "env.vars.DB",
        "mcp.servers.a",
        "mcp.servers.a.env",
        "mcp.servers.a.args",
        "models.providers.p",
        "models.providers.p.headers",
    ] {
        outputs.push(sandbox.run(["config", "explain", path]));
    }
    for run in outputs {
        let all = format!("{}{}", run.stdout, run.stderr);
        for secret in SECRETS {
            assert!(!all.contains(&secret[..8]), "{all}");
        }
    }
}

/// What holds a config, a store or an environment shows none of it in a debug print.
#[test]
fn debug_prints_hold_no_secret() {
    use clawctl::{base::env::Env, config, script};
    let secret = SECRETS[0];
    let env = Env::new([("OPENAI_API_KEY", secret)], "/");
    let text = format!("{{ models: {{ providers: {{ p: {{ apiKey: \"{secret}\" }} }} }} }}");
    let loaded =
        config::load_bytes("/x.json5".as_ref(), text.into_bytes(), &env, &config::LoadOptions::default());
    assert!(loaded.value().is_some_and(|value| value.to_string().contains(secret)));
    let store = serde_json::json!({"profiles": {"openai:a": {"type": "api_key", "provider": "openai", "key": secret}}});
    let machine = script::Machine { store: store.clone(), ..script::Machine::default() };
    let script = script::Script { store: Some(script::Given::Inline(store)), ..script::Script::default() };
    let printed = format!("{env:?} {loaded:?} {machine:?} {script:?}");
    assert!(!printed.contains(&secret[..8]), "{printed}");
}

/// A secret whose quotes are missing is a syntax error; no message quotes it, in no format and from no
/// command (report: a key that begins with a digit went whole into an annotation).
#[test]
fn a_syntax_error_quotes_nothing_of_the_file() {
    for secret in ["9f86d081zq7material", "-zq7material", ".zq7material", "+zq7material", "#zq7material"] {
        let sandbox = Sandbox::empty();
        let text = format!("{{ models: {{ providers: {{ p: {{ apiKey: {secret} }} }} }} }}");
        let file = sandbox.write("openclaw.json", &text).display().to_string();
        for args in [
            &["config", "validate", &file][..],
            &["config", "validate", &file, "--format", "json"],
            &["config", "validate", &file, "--format", "sarif"],
            &["config", "validate", &file, "--format", "github"],
            &["config", "validate", &file, "--format", "junit"],
            &["config", "explain", "models"],
            &["config", "fix", &file],
            &["auth", "list"],
            &["route"],
            &["doctor", "--json"],
            &["cooldowns", "show", "--json"],
        ] {
            let run = sandbox.run(args.iter().copied());
            let all = format!("{}{}", run.stdout, run.stderr);
            assert!(!all.contains("zq7") && !all.contains("9f86"), "{args:?} {secret}:\n{all}");
        }
    }
}
