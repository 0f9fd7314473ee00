//! What a script may say, what its mistakes are answered with, and what sessions do over turns.

use serde_json::{Value, json};

use super::{Machine, ReplayResult, ReplyKind, Step, compare, parse, replay};
use crate::base::time::Millis;
use crate::engine::classify::Classifier;
use crate::engine::rules::RuleSet;

fn mistakes(text: &str) -> Vec<String> {
    let errors = parse(text, "a.json5").expect_err("a mistake");
    errors.iter().map(|error| format!("{error} [{}]", error.hints.join("; "))).collect()
}

#[test]
fn an_empty_script_is_one_send() {
    let script = parse("{}", "a.json5").expect("valid").remove(0);
    assert_eq!(script.steps, [Step::Send(super::Send::default())]);
}

#[test]
fn unknown_keys_name_place_and_neighbour() {
    assert_eq!(
        mistakes("{\n  // why\n  repiles: [],\n}"),
        ["unknown key \"repiles\" (a.json5:3:3: repiles) [did you mean \"replies\"?]"]
    );
    assert_eq!(
        mistakes("{steps: [{send: {sesion: 's'}}, {advnce: '1s'}]}"),
        [
            "unknown key \"sesion\" (a.json5:1:18: steps[0].send.sesion) [did you mean \"session\"?]",
            "unknown key \"advnce\" (a.json5:1:34: steps[1].advnce) [did you mean \"advance\"?]",
        ]
    );
}

#[test]
fn wrong_values_name_their_place() {
    assert_eq!(
        mistakes("{steps: [{advance: '20'}]}"),
        [
            "\"20\" is no duration: write a number with ms, s, m, h or d, as \"45s\" or \"1h30m\" (a.json5:1:20: steps[0].advance) []"
        ]
    );
    assert_eq!(
        mistakes("{replies: [{then: []}]}"),
        ["expected a list with at least one reply (a.json5:1:19: replies[0].then) []"]
    );
    assert_eq!(
        mistakes("{steps: [{send: {source: 'cronn'}}]}"),
        ["\"cronn\" isn't known here (a.json5:1:26: steps[0].send.source) [did you mean \"cron\"?]"]
    );
    assert_eq!(
        mistakes("{expect: [{}, {}]}"),
        ["2 items, but only 1 sends: item n is checked after send n (a.json5:1:10: expect) []"]
    );
    assert!(mistakes("{a: 1, a: 2}")[0].contains("stands twice"));
    assert!(mistakes("{version: 2}")[0].contains("version 2 isn't known"));
    assert!(mistakes("[1, 2")[0].contains("a.json5:1:"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(mistakes(&deep)[0].contains("nesting"), "{}", mistakes(&deep)[0]);
}

#[test]
fn jsonl_is_one_script_a_line() {
    let scripts = parse("{name: 'a'}\n\n{name: 'b'}\n", "-").expect("valid");
    assert_eq!(scripts.iter().map(|script| script.origin.line).collect::<Vec<_>>(), [Some(1), Some(3)]);
    let errors = parse("{name: 'a'}\n{nam: 'b'}\n", "many.jsonl").expect_err("a mistake");
    assert_eq!(errors[0].to_string(), "unknown key \"nam\" (many.jsonl:2:2: nam)");
}

#[test]
fn replies_are_read_in_every_form() {
    let text = "{replies: [{then: ['ok', 'timeout', 'abort', 'empty', {status: 200, message: 'HTTP 402'},
        {takes: '8s'}, {stopReason: 'error'}, {refusal: {category: 'x'}}, {resetIn: '2h', status: 429}]}]}";
    let script = parse(text, "a").expect("valid").remove(0);
    let kinds: Vec<ReplyKind> = script.replies[0].then.iter().map(|reply| reply.kind).collect();
    use ReplyKind::{Abort, Empty, Error, Ok, Timeout};
    assert_eq!(kinds, [Ok, Timeout, Abort, Empty, Ok, Ok, Error, Error, Error]);
}

fn script(extra: Value) -> Value {
    let mut script = json!({
        "start": 1_783_166_400_000_i64,
        "config": {
            "agents": {"defaults": {"model": {"primary": "alpha/a1", "fallbacks": ["beta/b1"]}}},
            "auth": {"order": {"alpha": ["alpha:one", "alpha:two"]}},
        },
        "store": {"profiles": {
            "alpha:one": {"type": "api_key", "provider": "alpha"}, "alpha:two": {"type": "api_key", "provider": "alpha"},
            "beta:one": {"type": "api_key", "provider": "beta"},
        }},
    });
    for (key, value) in extra.as_object().expect("an object") {
        script[key] = value.clone();
    }
    script
}

fn run(extra: Value, rules: &str) -> ReplayResult {
    let script =
        parse(&script(extra).to_string(), "test").unwrap_or_else(|errors| panic!("{errors:?}")).remove(0);
    let rules = RuleSet::builtin(rules).expect("a rule set");
    let machine = Machine { agent: "main".into(), now: Millis(0), ..Machine::default() };
    replay(&script, &machine, &rules, Classifier::for_family(rules.family))
}

fn calls(result: &ReplayResult) -> Vec<Vec<String>> {
    result.turns.iter().map(super::expect::attempt_words).collect()
}

const DEAD: &str = "Incorrect API key provided";

#[test]
fn a_channel_binds_a_session_to_its_first_profile() {
    let steps = json!([
        {"send": {"via": "channel"}}, {"set": {"auth": {"order": {"alpha": ["alpha:two", "alpha:one"]}}}},
        {"send": {"via": "channel"}}, {"send": {"session": "other"}},
    ]);
    for rules in ["2026.3", "2026.5", "2026.7", "2026.9"] {
        let result = run(json!({"steps": steps}), rules);
        let expected = ["alpha/a1 alpha:one ok", "alpha/a1 alpha:one ok", "alpha/a1 alpha:two ok"];
        assert_eq!(calls(&result).concat(), expected, "{rules}");
        assert_eq!(result.final_state.sessions["main"]["authProfileOverride"], "alpha:one");
        assert_eq!(result.final_state.sessions["main"]["authProfileOverrideSource"], "auto");
    }
}

#[test]
fn a_compaction_takes_the_next_profile_up_to_2026_7() {
    let steps = json!([{"send": {"via": "channel"}}, {"compact": "main"}, {"send": {"via": "channel"}}]);
    let second = |rules| calls(&run(json!({"steps": steps}), rules))[1].clone();
    assert_eq!(second("2026.7"), ["alpha/a1 alpha:two ok"]);
    assert_eq!(second("2026.9"), ["alpha/a1 alpha:one ok"]);
}

#[test]
fn a_channel_keeps_the_fallback_up_to_2026_7_and_its_origin_is_tried_again() {
    let replies = json!([{"provider": "alpha", "then": [
        {"status": 401, "message": DEAD}, {"status": 401, "message": DEAD}, "ok"]}]);
    let steps = json!([{"send": {"via": "channel"}}, {"advance": "2m"}, {"send": {"via": "channel"}}]);
    let result = run(json!({"replies": replies, "steps": steps}), "2026.7");
    assert_eq!(calls(&result)[0].last().map(String::as_str), Some("beta/b1 beta:one ok"));
    // The origin wasn't tried yet, so it is due; it answers and the override goes.
    assert_eq!(result.turns[1].source, "auto");
    assert_eq!(calls(&result)[1], ["alpha/a1 alpha:one ok"]);
    assert!(!result.final_state.sessions["main"].contains_key("modelOverride"));
    assert_eq!(result.turns[1].notices, ["↪️ Model Fallback cleared: alpha/a1 (was beta/b1)"]);
    let newer = run(
        json!({"replies": [{"provider": "alpha", "then": [{"status": 401, "message": DEAD}]}]}),
        "2026.9",
    );
    assert!(!newer.final_state.sessions["main"].contains_key("modelOverride"));
}

#[test]
fn an_origin_waits_five_minutes_between_tries() {
    let entry = json!({"s": {"providerOverride": "beta", "modelOverride": "b1", "modelOverrideSource": "auto",
        "modelOverrideFallbackOriginProvider": "alpha", "modelOverrideFallbackOriginModel": "a1"}});
    let replies = json!([{"provider": "alpha", "then": [{"status": 400, "message": "Invalid value for parameter: x"}]}]);
    let send = json!({"send": {"session": "s"}});
    let steps = json!([send, {"advance": "4m"}, send, {"advance": "2m"}, send]);
    let result = run(json!({"sessions": entry, "replies": replies, "steps": steps}), "2026.7");
    let firsts: Vec<String> = calls(&result).into_iter().map(|turn| turn[0].clone()).collect();
    assert_eq!(firsts, ["alpha/a1 alpha:one format", "beta/b1 beta:one ok", "alpha/a1 alpha:one format"]);
}

#[test]
fn probes_of_a_cooling_provider_keep_half_a_minute_apart() {
    let usage = json!({"errorCount": 1, "disabledUntil": "+100s", "disabledReason": "billing",
        "failureCounts": {"billing": 1}, "lastFailureAt": "-1s"});
    let mut extra = json!({"replies": [{"provider": "alpha", "then": [{"status": 402, "message": "Insufficient credits"}]}],
        "steps": [{"send": {}}, {"advance": "10s"}, {"send": {}}, {"advance": "25s"}, {"send": {}}]});
    let base = script(json!({}));
    extra["store"] = base["store"].clone();
    extra["store"]["usageStats"] = json!({"alpha:one": usage, "alpha:two": usage});
    let result = run(extra, "2026.7");
    let probed: Vec<bool> = calls(&result).iter().map(|turn| turn[0].starts_with("alpha")).collect();
    assert_eq!(probed, [true, false, true]);
    assert_eq!(result.turns[1].skipped[0].reason.as_deref(), Some("billing"));
}

#[test]
fn a_live_switch_jumps_to_a_later_candidate_and_stays() {
    let replies = json!([{"provider": "alpha", "then": [{"status": 500, "switchTo": "beta/b1"}]}]);
    let result = run(json!({"replies": replies, "steps": [{"send": {}}, {"send": {}}]}), "2026.9");
    assert_eq!(calls(&result)[0][1], "beta/b1 beta:one ok");
    assert_eq!(result.turns[0].attempts[0].then, "switch_model");
    assert_eq!(result.final_state.sessions["main"]["modelOverrideSource"], "user");
    assert_eq!(result.turns[1].source, "user");
}

#[test]
fn groups_hear_nothing_of_fallbacks_in_2026_9() {
    let replies = json!([{"provider": "alpha", "then": [{"status": 401, "message": DEAD}]}]);
    let steps = json!([{"send": {"group": true}}]);
    let notices = |rules| run(json!({"replies": replies, "steps": steps}), rules).turns[0].notices.clone();
    assert_eq!(notices("2026.7"), ["↪️ Model Fallback: beta/b1 (selected alpha/a1; auth)"]);
    assert!(notices("2026.9").is_empty());
}

#[test]
fn sources_decide_about_fallbacks() {
    let replies = json!([{"model": "a2", "then": [{"status": 401, "message": DEAD}]}]);
    let chain = |send: Value, rules| {
        run(json!({"replies": replies, "steps": [{"send": send}]}), rules).turns[0].candidates.clone()
    };
    assert_eq!(chain(json!({"model": "alpha/a2", "source": "cli"}), "2026.9"), ["alpha/a2"]);
    assert_eq!(chain(json!({"model": "alpha/a2", "source": "cron"}), "2026.9"), ["alpha/a2", "beta/b1"]);
    assert_eq!(
        chain(json!({"model": "alpha/a2", "source": "cron", "fallbacks": []}), "2026.9"),
        ["alpha/a2"]
    );
    assert_eq!(
        chain(json!({"model": "alpha/a2", "source": "hook"}), "2026.5"),
        ["alpha/a2", "beta/b1", "alpha/a1"]
    );
    assert_eq!(chain(json!({"model": "alpha/a2", "source": "user"}), "2026.3"), ["alpha/a2", "beta/b1"]);
    assert_eq!(
        chain(json!({"source": "heartbeat", "heartbeatModel": "beta/b1"}), "2026.9"),
        ["beta/b1", "alpha/a1"]
    );
}

#[test]
fn an_image_run_looks_at_no_window_and_goes_on_after_any_error() {
    let base = script(json!({}));
    let mut store = base["store"].clone();
    store["usageStats"] = json!({"alpha:one": {"cooldownUntil": "+4m", "cooldownReason": "auth", "failureCounts": {"auth": 1}},
        "alpha:two": {"cooldownUntil": "+5m", "cooldownReason": "auth", "failureCounts": {"auth": 1}}});
    let mut config = base["config"].clone();
    config["agents"]["defaults"]["imageModel"] = json!({"primary": "alpha/pic", "fallbacks": ["beta/pic"]});
    let replies = json!([{"provider": "alpha", "then": [{"status": 400, "message": "Invalid image"}]}]);
    let result = run(
        json!({"store": store, "config": config, "replies": replies, "steps": [{"send": {"image": true}}]}),
        "2026.9",
    );
    assert_eq!(result.turns[0].candidates, ["alpha/pic", "beta/pic"]);
    assert_eq!(calls(&result)[0], ["alpha/pic alpha:one format", "beta/pic beta:one ok"]);
}

#[test]
fn a_server_of_ones_own_needs_no_profile() {
    let base = script(json!({}));
    let mut config = base["config"].clone();
    config["agents"]["defaults"]["model"] = json!({"primary": "mine/m", "fallbacks": ["theirs/m"]});
    config["models"] = json!({"providers": {"mine": {"baseUrl": "http://127.0.0.1:9/v1"}, "theirs": {"baseUrl": "https://api.example.com"}}});
    let replies =
        json!([{"provider": "mine", "then": [{"status": 400, "message": "Invalid value for parameter: x"}]}]);
    let result = run(json!({"config": config, "replies": replies}), "2026.7");
    assert_eq!(calls(&result)[0], ["mine/m - format"]);
    assert_eq!(result.turns[0].skipped[0].why, "theirs has no usable credential");
}

#[test]
fn a_pick_outside_of_the_allow_list_is_refused() {
    let base = script(json!({}));
    let mut config = base["config"].clone();
    config["agents"]["defaults"]["modelPolicy"] = json!({"allow": ["beta/*"]});
    let steps = json!([{"pick": {"model": "gamma/g1"}}, {"send": {}}, {"send": {"model": "gamma/g1", "source": "user"}}]);
    let result = run(json!({"config": config, "steps": steps}), "2026.9");
    let told = "Model override \"gamma/g1\" is not allowed by agents.defaults.modelPolicy.allow.";
    assert_eq!(result.turns[0].notices, [told]);
    assert_eq!(result.turns[0].chosen.as_ref().map(|chosen| chosen.model.as_str()), Some("a1"));
    assert_eq!(result.turns[1].summary.as_ref().map(|summary| summary.text.as_str()), Some(told));
    assert_eq!(result.turns[1].outcome.as_str(), "ended");
}

#[test]
fn a_failed_turn_sums_up_what_was_tried_skipped_and_when_it_may_work() {
    let replies = json!([{"then": [{"status": 402, "message": "Insufficient credits"}]}]);
    let result = run(json!({"replies": replies}), "2026.9");
    let summary = result.turns[0].summary.as_ref().expect("a summary");
    assert_eq!(summary.text, "all models are out of credit until 2026-07-04T12:10:00Z (2 tried, 0 skipped)");
    assert_eq!(summary.attempts.len(), 3);
    assert_eq!(summary.soonest_retry_at, Some(1_783_167_000_000));
    assert!(summary.not_reached.is_empty());
    let decisions: Vec<&str> = result.turns[0].decisions.iter().map(|record| &*record.decision).collect();
    assert_eq!(decisions, ["candidate_failed", "candidate_failed"]);
    assert_eq!(result.turns[0].decisions[1].fallback_step_final_outcome, "chain_exhausted");
}

#[test]
fn report_12022_a_success_that_mentions_402_is_a_success() {
    let replies = json!([{"then": [{"status": 200, "message": "HTTP 402, insufficient credits"}]}]);
    assert_eq!(run(json!({"replies": replies}), "2026.9").turns[0].outcome.as_str(), "answered");
}

#[test]
fn report_147644_a_request_above_a_ceiling_goes_on_in_2026_9() {
    let replies = json!([{"provider": "alpha", "then": [{"status": 413, "message": "TPM: Limit 8000, Requested 10250"}]}]);
    let result = run(json!({"replies": replies}), "2026.9");
    assert_eq!(result.turns[0].chosen.as_ref().map(|chosen| chosen.provider.as_str()), Some("beta"));
}

#[test]
fn report_8434_an_unexpected_tool_use_id_burns_no_other_profile() {
    let text = "messages.1.content.0: unexpected tool_use_id found in tool_result blocks";
    let replies = json!([{"provider": "alpha", "then": [{"status": 400, "message": text}]}]);
    let result = run(json!({"replies": replies}), "2026.9");
    assert_eq!(result.turns[0].outcome.as_str(), "answered");
    assert!(
        result
            .final_state
            .usage_stats
            .get("alpha:one")
            .is_none_or(|stats| stats.get("cooldownUntil").is_none())
    );
}

#[test]
fn report_141257_a_sibling_failure_widens_the_window() {
    let base = script(json!({}));
    let mut config = base["config"].clone();
    config["agents"]["defaults"]["model"] = json!({"primary": "beta/x", "fallbacks": ["beta/y", "beta/z"]});
    let not_found = json!([{"status": 404, "message": "The model does not exist"}]);
    let replies = json!([{"model": "x", "then": not_found}, {"model": "y", "then": not_found}]);
    let result = run(json!({"config": config, "replies": replies}), "2026.9");
    assert_eq!(result.turns[0].skipped[0].candidate, "beta/z");
    assert_eq!(result.turns[0].outcome.as_str(), "failed");
}

#[test]
fn secrets_in_a_providers_text_are_masked() {
    let replies = json!([{"then": [{"status": 401, "message": "Incorrect API key provided: sk-abcdefghijklmnopqrstu"}]}]);
    let text = serde_json::to_string(&run(json!({"replies": replies}), "2026.9")).expect("JSON");
    assert!(text.contains("****") && !text.contains("abcdefgh"));
}

#[test]
fn expectations_that_fail_say_what_happened() {
    let expect = json!([{"chosen": "beta/b1", "attempts": ["alpha/a1 alpha:one auth"], "cooldowns": {"alpha:one": {"kind": "cooldown"}}}]);
    let result = run(json!({"expect": expect}), "2026.9");
    let failed: Vec<(&str, &str)> = result
        .expectations
        .failed
        .iter()
        .map(|failure| (failure.key.as_str(), failure.diff.as_str()))
        .collect();
    assert_eq!(
        failed,
        [
            ("chosen", "- beta/b1\n+ alpha/a1"),
            ("attempts", "- alpha/a1 alpha:one auth\n+ alpha/a1 alpha:one ok"),
            ("cooldowns.alpha:one", "- cooldown\n+ (none)"),
        ]
    );
}

#[test]
fn equal_results_have_no_differences() {
    let result = run(json!({}), "2026.9");
    assert!(compare(&result, &result).is_empty());
}

#[test]
fn an_answer_without_a_body_can_stand_for_an_overflow() {
    // Real runs of a 400 and a 413 with an empty body: how often the first model is asked, and how
    // the turn ends.
    for (status, rules, requests, outcome) in [
        (400, "2026.3", 1, "ended"),
        (400, "2026.5", 5, "answered"),
        (400, "2026.7", 7, "ended"),
        (400, "2026.9", 4, "answered"),
        (413, "2026.7", 7, "ended"),
        (413, "2026.9", 1, "ended"),
    ] {
        let replies = json!([{"provider": "alpha", "then": [{"status": status, "body": ""}]}]);
        let turn = &run(json!({"replies": replies}), rules).turns[0];
        assert_eq!(
            (turn.attempts[0].requests, turn.outcome.as_str()),
            (requests, outcome),
            "{status} {rules}"
        );
    }
    // The compaction after the first request works out in 2026.7, and so does the message then.
    let replies = json!([{"provider": "alpha", "then": [{"status": 400, "body": ""}, "ok"]}]);
    let turn = &run(json!({"replies": replies}), "2026.7").turns[0];
    assert_eq!((turn.attempts[0].requests, turn.outcome.as_str()), (3, "answered"));
}
