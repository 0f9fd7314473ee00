//! Recorded verdicts of `openclaw RELEASE config validate --json` against the schema check.
//!
//! `CLAWCTL_CONFIGS=DIR` names a folder with `cases/*.json5` and `expect/RELEASE.jsonl`
//! (`{"file":"000.json5","valid":true,"paths":[...]}`); without it the project's own copy is used.

use std::path::Path;

use clawctl::base::env::Env;
use clawctl::config::{LoadOptions, Severity, load, schema};
use serde_json::{Value, json};

use super::Tally;

/// Compares every recorded verdict; prints `configs RELEASE agree N of M` and each disagreement as
/// a JSON line.
///
/// # Errors
/// None: what can't be read is a failed test.
pub fn run(folder: &Path, tally: &mut Tally) -> Result<(), String> {
    for target in schema::releases() {
        let file = folder.join("expect").join(format!("{}.jsonl", target.release));
        let Ok(expected) = std::fs::read_to_string(&file) else { continue };
        let mut lines = Vec::new();
        let mut all = 0;
        for line in expected.lines().filter(|line| !line.trim().is_empty()) {
            all += 1;
            let expected: Value = serde_json::from_str(line).expect("a JSON line");
            let name = expected["file"].as_str().expect("file");
            let loaded = load(&folder.join("cases").join(name), &environment(), &LoadOptions::default());
            let found: Vec<_> = loaded
                .findings()
                .iter()
                .cloned()
                .chain(schema::check(&loaded, &target))
                .filter(|finding| finding.severity == Severity::Error)
                .collect();
            if found.is_empty() != (expected["valid"] == true) {
                let shown: Vec<String> = found
                    .iter()
                    .map(|finding| {
                        format!("{}: {}", finding.path.clone().unwrap_or_default(), finding.message)
                    })
                    .collect();
                lines.push(
                    json!({"release": target.release, "file": name, "expected": expected, "found": shown}),
                );
            }
        }
        println!("configs {} agree {} of {all}", target.release, all - lines.len());
        for line in &lines {
            println!("{line}");
        }
        tally.asked += all;
        tally.agreed += all - lines.len();
    }
    Ok(())
}

/// The environment in which the verdicts were recorded.
fn environment() -> Env {
    Env::new([("HOME", "/home/user"), ("SET_VAR", "hello"), ("EMPTY_VAR", "")], "/")
}
