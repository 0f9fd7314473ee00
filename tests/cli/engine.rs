//! `route`, `simulate`, `classify`, `rules`

use std::io::Write;
use std::process::Stdio;

use crate::harness::{NOW, Run, Sandbox};

fn piped(sandbox: &Sandbox, args: &[&str], input: &str) -> Run {
    let mut command = sandbox.command(args);
    command
        .args(["--now", &NOW.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    sandbox.done(child.wait_with_output().unwrap())
}

#[test]
fn route_says_what_comes_next_and_what_is_passed_over() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run(["route"]).expect_status(0).snapshot());
    let json = sandbox.run(["route", "--json"]).expect_status(0).json();
    assert_eq!(json["turn"]["chosen"]["profile"], "openai:spare");
    assert_eq!(json["turn"]["candidates"][0], "openai/gpt-x");
    sandbox.run(["route", "--session", "nobody"]).expect_status(3);
    sandbox.run(["route", "--all-agents"]).expect_status(2);
}

#[test]
fn a_script_takes_what_it_leaves_out_from_the_machine() {
    let sandbox = Sandbox::demo();
    let run = piped(
        &sandbox,
        &["simulate", "-", "--trace"],
        "{replies: [{provider: 'openai', then: [{status: 402, message: 'Insufficient credits'}]}]}",
    );
    insta::assert_snapshot!(run.expect_status(0).snapshot());
    let empty = Sandbox::empty();
    piped(&empty, &["simulate", "-"], "{}").expect_status(3);
}

#[test]
fn mistakes_in_a_script_are_named_at_their_place() {
    let sandbox = Sandbox::empty();
    let run = piped(&sandbox, &["simulate", "-"], "{\n  replyes: [],\n  steps: [{advance: '5 parsecs'}],\n}");
    insta::assert_snapshot!(run.expect_status(2).snapshot());
}

#[test]
fn a_failed_expectation_is_exit_6_with_a_diff() {
    let sandbox = Sandbox::empty();
    let script = "{rules: '2026.9', start: '2026-07-04T12:00:00Z', config: {agents: {defaults: {model: 'openai/gpt-x'}}},
        store: {profiles: {'openai:a': {type: 'api_key', provider: 'openai'}}},
        expect: [{chosen: 'openai/gpt-y', profile: 'openai:a'}]}";
    let run = piped(&sandbox, &["simulate", "-"], script).expect_status(6);
    insta::assert_snapshot!(run.snapshot());
}

#[test]
fn several_scripts_close_with_a_count() {
    let sandbox = Sandbox::empty();
    let tour = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let run = sandbox.run(["simulate", tour]).expect_status(0);
    assert!(run.stderr.ends_with(" scripts, 0 failed\n"), "{}", run.stderr);
    let json = sandbox.run(["simulate", tour, "--json"]).expect_status(0).json();
    assert_eq!((&json["version"], &json["failed"]), (&1.into(), &0.into()));
}

#[test]
fn the_same_script_gives_the_same_bytes() {
    let sandbox = Sandbox::empty();
    let tour = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let once = sandbox.run(["simulate", tour, "--json", "--rules", "2026.7"]);
    let twice = sandbox.run(["simulate", tour, "--json", "--rules", "2026.7"]);
    assert_eq!(once.stdout, twice.stdout);
}

#[test]
fn batch_keeps_the_order_and_goes_on_after_a_bad_line() {
    let sandbox = Sandbox::empty();
    let input = "429 Too many requests\n{\"status\":401,\"message\":\"bad key\"}\n{\"broken\n\n{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n{\"code\":503}\n";
    let run = piped(&sandbox, &["classify", "--batch", "--rules", "2026.9"], input).expect_status(1);
    insta::assert_snapshot!(run.snapshot());
}

#[test]
fn one_error_is_explained() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(
        sandbox.run(["classify", "--status", "402", "Insufficient credits", "--rules", "2026.9"]).snapshot()
    );
    insta::assert_snapshot!(
        sandbox.run(["classify", "--json", "--rules", "2026.5", "529 overloaded"]).snapshot()
    );
    sandbox.run(["classify"]).expect_status(2);
    sandbox.run(["classify", "x", "--rules", "2026.99"]).expect_status(2);
}

#[test]
fn rules_are_listed_shown_and_compared() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(["rules", "list"]).expect_status(0).snapshot());
    insta::assert_snapshot!(
        sandbox.run(["rules", "diff", "2026.7", "documented"]).expect_status(0).snapshot()
    );
    let shown = sandbox.run(["rules", "show", "2026.9.6", "--json"]).expect_status(0).json();
    assert_eq!(shown["id"], "2026.9");
    let near = sandbox.run(["rules", "show", "documnted"]).expect_status(2);
    assert!(near.stderr.contains("did you mean \"documented\"?"), "{}", near.snapshot());
}

#[test]
fn an_operators_own_rules_change_the_outcome() {
    let sandbox = Sandbox::empty();
    let file = sandbox.write(
        "ours.json5",
        "{base: '2026.9', classify: [{id: 'drained', pattern: 'pool drained', reason: 'overloaded'}]}",
    );
    let file = file.display().to_string();
    let answer =
        sandbox.run(["classify", "pool drained", "--json", "--rules", &file]).expect_status(0).json();
    assert_eq!((&answer["reason"], &answer["rule"]), (&"overloaded".into(), &"drained".into()));
    let bad = sandbox
        .write("bad.json5", "{base: '2026.9',\n constants: {'cooldown.biling.base': 1}}")
        .display()
        .to_string();
    let run = sandbox.run(["classify", "x", "--rules", &bad]).expect_status(2);
    assert!(run.stderr.contains(":2:") && run.stderr.contains("cooldown.billing.base"), "{}", run.snapshot());
}

#[test]
fn a_log_becomes_a_script_and_is_replayed() {
    let sandbox = Sandbox::demo();
    let log = concat!(
        r#"{"time":"2026-07-04T11:00:00Z","provider":"openai","model":"gpt-x","profile":"openai:spare","status":402,"message":"Insufficient credits"}"#,
        "\n"
    );
    let run = piped(&sandbox, &["simulate", "--from-log", "-", "--trace"], log).expect_status(0);
    assert!(run.stdout.contains("openai/gpt-x openai:spare: billing"), "{}", run.snapshot());
    let nothing = piped(&sandbox, &["simulate", "--from-log", "-"], "all is well\n").expect_status(2);
    assert!(nothing.stderr.contains("nothing in this log"), "{}", nothing.snapshot());
}

/// Reports 8434, 11972, 12022, 23516, 30484, 141257, 147644: replayed as scripts, each with its `expect`.
#[test]
fn incidents_from_public_reports_are_told_as_they_happened() {
    let sandbox = Sandbox::empty();
    let reports = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reports");
    let run = sandbox.run(["simulate", reports, "--trace"]).expect_status(0);
    insta::assert_snapshot!(run.snapshot().replace(env!("CARGO_MANIFEST_DIR"), "[PROJECT]"));
    assert!(
        run.stdout.contains("openai/c skipped")
            && run.stdout.contains("the failure of openai/b widened the window"),
        "{}",
        run.stdout
    );
}
