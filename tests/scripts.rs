//! The tour's scripts hold, and their stories and comparisons read as README shows them.

use std::path::{Path, PathBuf};

use clawctl::base::time::Millis;
use clawctl::engine::classify::Classifier;
use clawctl::engine::rules::RuleSet;
use clawctl::script::{Machine, ReplayResult, Script, compare, parse, replay, story};

fn tour() -> Vec<(String, Script)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
            let text = std::fs::read_to_string(&file).expect("a readable file");
            let script =
                parse(&text, &name).unwrap_or_else(|errors| panic!("{name}: {}", errors[0])).remove(0);
            (name, script)
        })
        .collect()
}

fn run(script: &Script, rules: &str) -> ReplayResult {
    let rules = RuleSet::builtin(rules).expect("a rule set");
    let machine = Machine { agent: "main".into(), now: Millis(0), ..Machine::default() };
    replay(script, &machine, &rules, Classifier::for_family(rules.family))
}

#[test]
fn every_tour_script_meets_its_expectations() {
    let tour = tour();
    assert!(tour.len() >= 8);
    for (name, script) in &tour {
        let result = run(script, script.rules.as_deref().expect("a rule set"));
        assert!(result.expectations.checked > 0, "{name} checks nothing");
        let failed: Vec<String> = result
            .expectations
            .failed
            .iter()
            .map(|failure| format!("{}\n{}", failure.key, failure.diff))
            .collect();
        assert!(failed.is_empty(), "{name}:\n{}\n{:#?}", failed.join("\n"), story(&result));
    }
}

#[test]
fn an_upgrade_reads_as_one_sentence() {
    let tour = tour();
    let (_, script) = tour.iter().find(|(name, _)| name.starts_with("09")).expect("the upgrade script");
    let differences = compare(&run(script, "2026.3"), &run(script, "2026.9"));
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].field, "chosen");
    assert_eq!(
        differences[0].why,
        "with 2026.3 the run stops at openai/gpt-x (no reason), with 2026.9 anthropic/claude-x answers (anthropic:default)"
    );
}

#[test]
fn a_story_tells_every_call() {
    let tour = tour();
    let (_, script) = &tour[0];
    let stories = story(&run(script, "2026.9"));
    assert_eq!(stories[0].head, "2026-07-04T12:00:00Z main asks for openai/gpt-x (default)");
    let lines: Vec<&str> = stories[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        lines,
        [
            "openai/gpt-x openai:a: billing \"402 Insufficient credits\"; next profile",
            "openai:a: disabled until 2026-07-04T12:10:00Z",
            "openai/gpt-x openai:b: billing \"402 Insufficient credits\"; next model",
            "openai:b: disabled until 2026-07-04T12:10:00Z",
            "anthropic/claude-x anthropic:default: answered",
            "the user reads: ↪️ Model Fallback: anthropic/claude-x (selected openai/gpt-x; billing)",
        ]
    );
    assert_eq!(stories[0].end, "answered by anthropic/claude-x");
    assert_eq!(
        stories[1].lines[0].text,
        "openai/gpt-x skipped: every openai profile is disabled until 2026-07-04T12:10:00Z"
    );
}
