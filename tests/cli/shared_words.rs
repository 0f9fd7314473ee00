//! What every command reads in the same way: release numbers.

use crate::harness::Sandbox;

/// The release that a command line works for, or `None` when it refuses.
type Reading = fn(&Sandbox, &str) -> Option<String>;

fn rules_flag(sandbox: &Sandbox, release: &str) -> Option<String> {
    let run = sandbox.run(["route", "--agent", "main", "--json", "--rules", release]);
    (run.status != 2).then(|| run.json()["rules"]["id"].as_str().expect("an id").to_owned())
}

fn rules_show(sandbox: &Sandbox, release: &str) -> Option<String> {
    let run = sandbox.run(["rules", "show", release, "--json"]);
    (run.status != 2).then(|| run.json()["id"].as_str().expect("an id").to_owned())
}

fn script(sandbox: &Sandbox, release: &str) -> Option<String> {
    let path =
        sandbox.write("script.json5", &format!(r#"{{ rules: "{release}", store: {{}}, config: {{}} }}"#));
    let run = sandbox.run(["simulate", path.to_str().expect("UTF-8"), "--json"]);
    (run.status != 2).then(|| run.json()["rules"]["id"].as_str().expect("an id").to_owned())
}

fn last_touched(sandbox: &Sandbox, release: &str) -> Option<String> {
    sandbox.write("openclaw.json", &format!(r#"{{"meta": {{"lastTouchedVersion": "{release}"}}}}"#));
    let run = sandbox.run(["route", "--agent", "main", "--json"]);
    let rules = &run.json()["rules"];
    let why = rules["why"].as_str().expect("a reason");
    why.contains("lastTouchedVersion").then(|| rules["id"].as_str().expect("an id").to_owned())
}

/// The rule set to which the schema that `config validate` takes belongs.
fn validate(sandbox: &Sandbox, release: &str) -> Option<String> {
    sandbox.write("openclaw.json", "{}");
    let run = sandbox.run(["config", "validate", "--json", "--for", release]);
    let taken = (run.status != 2)
        .then(|| run.json()["targets"][0]["release"].as_str().expect("a release").to_owned())?;
    rules_show(sandbox, &taken)
}

const READERS: [(&str, Reading); 5] = [
    ("--rules", rules_flag),
    ("rules show", rules_show),
    ("a script's rules", script),
    ("meta.lastTouchedVersion", last_touched),
    ("--for", validate),
];

#[test]
fn every_command_takes_the_same_release_numbers() {
    for (release, expected) in [
        ("2026.5.7", Some("2026.5")),
        ("2026.7.1", Some("2026.7")),
        ("v2026.7.1", Some("2026.7")),
        ("2026.7.1-2", Some("2026.7")),
        ("v2026.9.6-beta.2", Some("2026.9")),
        ("2026.9.6+abc", Some("2026.9")),
        ("vv2026.9.6", None),
        ("V2026.9.6", None),
        ("2026.9.6.1", None),
        ("2026.13.1", None),
        ("2026.9.+6", None),
        ("2026.9.6-", None),
        ("latest", None),
    ] {
        for (name, reading) in READERS {
            let sandbox = Sandbox::empty();
            sandbox.json_store(
                "main",
                r#"{"openai:a":{"type":"api_key","provider":"openai","key":"made-up"}}"#,
                "{}",
            );
            assert_eq!(reading(&sandbox, release).as_deref(), expected, "{release} by {name}");
        }
    }
}
