//! The output contract: pipes, colours, widths, hostile text, closed pipes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::harness::{NOW, Sandbox};

#[test]
fn help_lists_the_exit_statuses_of_every_command() {
    let sandbox = Sandbox::empty();
    for args in [
        &[][..],
        &["auth", "list"],
        &["auth", "order", "set"],
        &["cooldowns", "show"],
        &["simulate"],
        &["undo"],
    ] {
        let run = sandbox.finish(sandbox.command(args.iter().copied().chain(["--help"]))).expect_status(0);
        assert!(run.stdout.contains("Exit status:") && run.stdout.contains("130"), "{args:?}");
        assert!(run.stdout.ends_with('\n'));
    }
    insta::assert_snapshot!(sandbox.finish(sandbox.command(["-h"])).snapshot());
}

#[test]
fn colour_only_where_wanted() {
    let sandbox = Sandbox::demo();
    let table = ["auth", "list", "--format", "table"];
    assert!(!sandbox.run(table).stdout.contains('\x1b'));
    assert!(sandbox.run(table.into_iter().chain(["--color", "always"])).stdout.contains('\x1b'));
    for (name, colored) in [("CLICOLOR_FORCE", true), ("NO_COLOR", false)] {
        let mut command = sandbox.command(table);
        command.env(name, "1");
        assert_eq!(sandbox.finish(command).stdout.contains('\x1b'), colored, "{name}");
    }
}

#[test]
fn tables_fit_the_width_they_are_given() {
    let sandbox = Sandbox::demo();
    for columns in [40, 60, 100, 120] {
        let mut command = sandbox.command(["auth", "list", "--format", "table", "--now", &NOW.to_string()]);
        command.env("COLUMNS", columns.to_string());
        let run = sandbox.finish(command).expect_status(0);
        let widest = run.stdout.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        assert!(widest <= columns || columns < 80, "{columns}:\n{}", run.stdout);
        insta::assert_snapshot!(format!("width_{columns}"), run.snapshot());
    }
}

#[test]
fn control_and_bidi_characters_are_escaped() {
    let sandbox = Sandbox::empty();
    let profiles = "{\"openai:\\u001b[31mred\\u202eevil\\n\":{\"type\":\"api_key\",\"provider\":\"openai\",\"key\":\"made-up\",\"displayName\":\"a\\tb\\u0007\"}}";
    sandbox.agent_database("main", profiles, r#"{"version":1}"#);
    for args in [
        &["auth", "list"][..],
        &["auth", "list", "--format", "table"],
        &["auth", "order", "explain", "--provider", "openai"],
        &["cooldowns", "show", "--all"],
    ] {
        let run = sandbox.run(args.iter().copied());
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(!all.contains(['\x1b', '\u{202e}', '\u{7}']), "{args:?}: {all:?}");
        assert!(all.contains("\\u{1b}[31mred\\u{202e}evil"), "{args:?}: {all}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::empty();
    let many: Vec<String> = (0..4_000)
        .map(|n| format!(r#""openai:p{n}":{{"type":"api_key","provider":"openai","key":"made-up-{n}"}}"#))
        .collect();
    sandbox.agent_database("main", &format!("{{{}}}", many.join(",")), r#"{"version":1}"#);
    let mut child =
        sandbox.command(["auth", "list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn quiet_prints_only_data() {
    let sandbox = Sandbox::demo();
    let run =
        sandbox.run(["auth", "order", "set", "--provider", "openai", "openai:spare", "-q"]).expect_status(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn demo_starts_afresh_and_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let mut command =
        sandbox.command(["--demo", "auth", "order", "set", "--provider", "openai", "openai:spare"]);
    command.env("TMPDIR", sandbox.home()).env("OPENCLAW_STATE_DIR", "/nonexistent");
    sandbox.finish(command).expect_status(0);
    assert_eq!(sandbox.tree(), Vec::<String>::new());
    let taken = sandbox.write("file", "");
    let demo = format!("--demo={}", taken.parent().unwrap().display());
    sandbox.run([demo.as_str(), "auth", "list"]).expect_status(2);
}

#[test]
fn the_overview_says_what_is_here_and_what_to_type() {
    let sandbox = Sandbox::demo();
    insta::assert_snapshot!(sandbox.run([] as [&str; 0]).expect_status(0).snapshot());
}

#[test]
fn under_json_stderr_is_one_object_whatever_is_wrong() {
    let sandbox = Sandbox::demo();
    sandbox.write("openclaw.json", "{ broken");
    sandbox.write("bad.json5", "{ replyes: [], stepz: [] }");
    let bad = sandbox.state().join("bad.json5").display().to_string();
    for args in [
        &["auth", "show", "openai:wrk", "--agent", "main", "-v"][..],
        &["auth", "order", "set", "--provider", "openai", "openai:spare"],
        &["simulate", &bad],
        &["auth", "list", "--agent", "main"],
    ] {
        let run = sandbox.run(args.iter().copied().chain(["--json"]));
        let said: serde_json::Value =
            serde_json::from_str(&run.stderr).unwrap_or_else(|_| panic!("{}", run.snapshot()));
        assert_eq!(said["version"], 1);
        assert_eq!(said["error"].is_object(), run.status != 0, "{}", run.snapshot());
    }
    let run = sandbox.run(["simulate", &bad, "--json"]);
    let said: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(said["errors"].as_array().map(Vec::len), Some(2), "{said}");
}
