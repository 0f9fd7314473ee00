//! `cooldowns show` and `cooldowns clear`

use serde_json::{Value, json};

use crate::harness::{NOW, Sandbox};

fn with_usage(usage: Value) -> Sandbox {
    let sandbox = Sandbox::empty();
    let profiles = json!({
        "openai:a": {"type": "api_key", "provider": "openai", "key": "made-up-a"},
        "google:default": {"type": "api_key", "provider": "google", "key": "made-up-g"},
        "openrouter:default": {"type": "api_key", "provider": "openrouter", "key": "made-up-o"},
    });
    sandbox.agent_database(
        "main",
        &profiles.to_string(),
        &json!({"version": 1, "usageStats": usage}).to_string(),
    );
    sandbox
}

#[test]
fn show_in_all_layouts() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run(["cooldowns", "show", "--format", "table"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["cooldowns", "show"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["cooldowns", "show", "--json", "--provider", "openai"]).snapshot());
    insta::assert_snapshot!(sandbox.run(["cooldowns", "show", "--all", "--format", "table"]).snapshot());
}

#[test]
fn a_provider_without_usable_profile_is_exit_6() {
    let sandbox =
        with_usage(json!({"openai:a": {"disabledUntil": NOW + 60_000, "disabledReason": "billing"}}));
    sandbox.run(["cooldowns", "show"]).expect_status(6);
    sandbox.run(["cooldowns", "show", "--provider", "google"]).expect_status(0);
    let scoped =
        with_usage(json!({"openai:a": {"cooldownUntil": NOW + 60_000, "cooldownReason": "rate_limit",
        "cooldownModel": "gpt-x"}}));
    scoped.run(["cooldowns", "show"]).expect_status(0);
}

/// Report 3604: a window that has passed, and a provider that bypasses cooldowns, are usable.
#[test]
fn report_3604_expired_windows_and_exempt_providers_are_usable() {
    let sandbox = with_usage(json!({
        "google:default": {"cooldownUntil": NOW - 1_274_000, "errorCount": 3},
        "openrouter:default": {"cooldownUntil": NOW + 60_000, "errorCount": 1},
    }));
    let shown = sandbox.run(["cooldowns", "show", "--json"]).expect_status(0).json();
    let windows = shown["agents"][0]["windows"].as_array().expect("windows");
    assert_eq!(windows.len(), 1, "{shown}");
    assert_eq!(windows[0]["endsBy"], "bypasses cooldowns");
    let all = sandbox.run(["cooldowns", "show", "--all", "--json"]).json();
    let google = all["agents"][0]["windows"]
        .as_array()
        .expect("windows")
        .iter()
        .find(|row| row["provider"] == "google");
    assert_eq!(google.expect("a row")["endsBy"], "expired");
    let list = sandbox.run(["auth", "list", "--json"]).json();
    for profile in list["agents"][0]["profiles"].as_array().expect("profiles") {
        assert_eq!(profile["state"], "ok", "{profile}");
    }
}

/// Reports 90702, 114834, 133065: a subscription limit is "blocked".
#[test]
fn report_90702_a_subscription_limit_is_blocked() {
    let until = NOW + 6 * 86_400_000;
    let sandbox =
        with_usage(json!({"openai:a": {"blockedUntil": until, "blockedReason": "subscription_limit",
        "blockedSource": "wham"}}));
    let list = sandbox.run(["auth", "list", "--json", "--provider", "openai"]).json();
    assert_eq!(list["agents"][0]["profiles"][0]["state"], "blocked");
    let shown = sandbox.run(["cooldowns", "show", "--json"]).expect_status(6).json();
    let window = &shown["agents"][0]["windows"][0];
    assert_eq!(
        (&window["kind"], &window["source"], &window["until"]),
        (&json!("blocked"), &json!("wham"), &json!(until))
    );
}

/// Report 58565: a dead key needs somebody, a rate limit doesn't.
#[test]
fn report_58565_dead_keys_and_rate_limits_differ() {
    let sandbox = with_usage(json!({
        "openai:a": {"cooldownUntil": NOW + 30_000, "cooldownReason": "auth", "errorCount": 1},
        "google:default": {"cooldownUntil": NOW + 30_000, "cooldownReason": "rate_limit", "errorCount": 1},
    }));
    let shown = sandbox.run(["cooldowns", "show", "--json"]).json();
    let ends: Vec<_> = shown["agents"][0]["windows"]
        .as_array()
        .expect("windows")
        .iter()
        .map(|w| w["endsBy"].clone())
        .collect();
    assert_eq!(ends, ["needs operator", "heals by itself"]);
}

/// Reports 21574, 92444, 115642, 19211: every window field and counter goes, lastUsed stays.
#[test]
fn report_19211_clear_leaves_no_window_field_behind() {
    let usage = json!({"lastUsed": NOW - 5, "mine": {"kept": 1.50}, "errorCount": 3, "lastFailureAt": NOW - 4, "lastProbeAt": NOW - 3,
        "failureCounts": {"billing": 3}, "cooldownUntil": NOW + 1, "cooldownReason": "auth", "cooldownModel": "m",
        "disabledUntil": NOW + 86_400_000, "disabledReason": "billing", "blockedUntil": NOW + 9,
        "blockedReason": "subscription_limit", "blockedSource": "wham", "blockedModel": "m", "blockedScope": "model"});
    let sandbox = with_usage(json!({"openai:a": usage, "google:default": {"errorCount": 1}}));
    sandbox.run(["cooldowns", "clear", "openai:a", "--yes"]).expect_status(0);
    let shown = sandbox.run(["auth", "show", "openai:a", "--json"]).json();
    let usage = shown["agents"][0]["usage"].as_object().expect("usage");
    let mut left: Vec<&str> =
        usage.keys().map(String::as_str).filter(|name| !name.ends_with("Iso")).collect();
    left.sort_unstable();
    assert_eq!(left, ["lastProbeAt", "lastUsed", "mine"]);
    let other = sandbox.run(["auth", "show", "google:default", "--json"]).json();
    assert_eq!(other["agents"][0]["usage"]["errorCount"], 1);
}

/// Report 135835: a key that stands in the config has a row of its own; it can be cleared.
#[test]
fn report_135835_inline_keys_are_listed_and_cleared() {
    let sandbox = with_usage(
        json!({"inline-api-key:deepseek": {"disabledUntil": NOW + 60_000, "disabledReason": "billing"}}),
    );
    let shown = sandbox.run(["cooldowns", "show", "--json"]).json();
    assert_eq!(shown["agents"][0]["windows"][0]["profile"], "inline-api-key:deepseek");
    sandbox.run(["cooldowns", "clear", "inline-api-key:deepseek", "--yes"]).expect_status(0);
    let shown = sandbox.run(["cooldowns", "show", "--json"]).json();
    assert_eq!(shown["agents"][0]["windows"], json!([]));
}

/// Report 145933: a list without ids or mails, for pasting.
#[test]
fn report_145933_redacted_lists_name_no_profile() {
    let sandbox = Sandbox::demo();
    std::fs::write(
        sandbox.home().join("down.json5"),
        "{replies: [{provider: 'openai', then: [{status: 401}]}]}",
    )
    .unwrap();
    for args in [
        &["cooldowns", "show", "--redact-ids"][..],
        &["cooldowns", "show", "--redact-ids", "--json", "--all"],
        &["auth", "list", "--redact-ids", "--all-agents"],
        &["auth", "list", "--redact-ids", "--all-agents", "--json"],
        &["auth", "order", "get", "--redact-ids", "--json"],
        &["auth", "order", "explain", "--provider", "anthropic", "--redact-ids"],
        &["auth", "show", "anthropic:casey@example.com", "--redact-ids", "--json"],
        &["auth", "order", "set", "--provider", "openai", "openai:spare", "--dry-run", "--redact-ids"],
        &["cooldowns", "clear", "--all", "--dry-run", "--redact-ids"],
        &["route", "--redact-ids"],
        &["route", "--redact-ids", "--json"],
        &["simulate", "down.json5", "--trace", "--redact-ids"],
        &["simulate", "down.json5", "--redact-ids", "--json"],
        &["doctor", "--redact-ids", "--fail-on", "never"],
    ] {
        let run = sandbox.run(args.iter().copied());
        let all = format!("{}{}", run.stdout, run.stderr);
        for word in ["@example.com", "openai:work", "openai:spare", "casey", "team key"] {
            assert!(!all.contains(word), "{args:?} shows {word}:\n{all}");
        }
    }
    // Every command gives the same profile the same stand-in.
    let list = sandbox.run(["auth", "list", "--redact-ids", "--json"]).json();
    let spare = list["agents"][0]["profiles"][1]["id"].as_str().expect("an id").to_owned();
    assert!(sandbox.run(["route", "--redact-ids"]).stdout.contains(&spare));
}

#[test]
fn clearing_asks_at_a_terminal_and_needs_yes_elsewhere() {
    let sandbox = Sandbox::demo();
    let before = sandbox.tree();
    let run = sandbox.run(["cooldowns", "clear", "openai:work"]).expect_status(2);
    insta::assert_snapshot!(run.snapshot());
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn watch_needs_a_terminal() {
    let sandbox = Sandbox::demo();
    let command = sandbox.command(["cooldowns", "show", "--watch"]);
    let run = sandbox.finish(command).expect_status(2);
    assert!(run.stderr.contains("--watch needs a terminal"), "{}", run.snapshot());
}
