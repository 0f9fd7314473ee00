//! Recorded answers of real releases against the engine.
//!
//! Without environment the project's own copies are run (`tests/conformance/vectors`);
//! `CLAWCTL_VECTORS=DIR` runs those in DIR instead: `cases/NAME.jsonl` holds one question a line,
//! line n of `expect/RELEASE/NAME.jsonl` is that release's answer to it.
//!
//! The recorded verdicts on configs (`configs`, or `CLAWCTL_CONFIGS=DIR`) hold `cases/*.json5` and
//! `expect/RELEASE.jsonl`.
//!
//! The recorded runs (`tests/conformance/scenarios`, or those in `CLAWCTL_SCENARIOS=DIR`) hold error
//! scripts in `scripts/ID.json` and what a release did with them in `observed/RELEASE.jsonl`.
//!
//! For each file and release one line `NAME RELEASE agree N of M` is printed, and each
//! disagreement as one JSON line.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the report is the output")]

mod classify;
mod configs;
mod files;
mod scenarios;
mod state;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value, json};

/// Modules that answer questions as a release does; each returns none for an operation that isn't
/// its own.
const ANSWERERS: &[fn(&str, &Value) -> Option<Value>] = &[classify::answer, state::answer];

/// A kind of recordings: the variable that names another folder, the project's own folder beside
/// this file, and what runs them.
struct Suite {
    variable: &'static str,
    own: &'static str,
    run: fn(&Path, &mut Tally) -> Result<(), String>,
}

const SUITES: &[Suite] = &[
    Suite { variable: "CLAWCTL_VECTORS", own: "vectors", run: vectors },
    Suite { variable: "CLAWCTL_SCENARIOS", own: "scenarios", run: scenarios::run },
    Suite { variable: "CLAWCTL_CONFIGS", own: "configs", run: configs::run },
];

/// How many recordings were compared, and how many of them agreed.
#[derive(Default)]
pub struct Tally {
    /// These agreed.
    pub agreed: usize,
    /// All.
    pub asked: usize,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--list") {
        SUITES.iter().for_each(|suite| println!("{}: test", suite.own));
        return ExitCode::SUCCESS;
    }
    let mut passed = 0;
    let mut failed = 0;
    // Somebody who names a folder wants that one measured, not the project's own copies as well.
    let given = SUITES.iter().any(|suite| std::env::var_os(suite.variable).is_some());
    for suite in SUITES {
        if given && std::env::var_os(suite.variable).is_none() {
            continue;
        }
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(suite.own);
        let folder = std::env::var_os(suite.variable).map_or_else(own, PathBuf::from);
        let mut tally = Tally::default();
        let outcome = (suite.run)(&folder, &mut tally);
        passed += tally.agreed;
        failed += tally.asked - tally.agreed;
        // A suite that compared nothing has failed: its folder is empty or its questions unknown.
        if let Err(problem) = outcome.and_then(|()| match tally.asked {
            0 => Err(format!("{}: nothing to compare", folder.display())),
            _ => Ok(()),
        }) {
            eprintln!("{}: {problem}", suite.own);
            failed += 1;
        }
    }
    let result = if failed > 0 { "FAILED" } else { "ok" };
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs every file of cases against every release that has answers to it.
fn vectors(folder: &Path, tally: &mut Tally) -> Result<(), String> {
    let releases = files::names(&folder.join("expect"), None)?;
    for name in files::names(&folder.join("cases"), Some("jsonl"))? {
        let cases = files::lines(&folder.join("cases").join(&name))?;
        for release in &releases {
            let path = folder.join("expect").join(release).join(&name);
            if !path.exists() {
                continue;
            }
            let expected = files::lines(&path)?;
            if expected.len() != cases.len() {
                return Err(format!(
                    "{}: {} answers to {} cases",
                    path.display(),
                    expected.len(),
                    cases.len()
                ));
            }
            let stem = name.trim_end_matches(".jsonl");
            let mut asked = 0;
            let mut agreed = 0;
            for (case, expected) in cases.iter().zip(&expected) {
                let answer = ANSWERERS.iter().find_map(|answerer| answerer(release, case));
                let answer = answer.unwrap_or_else(|| json!({ "unknown operation": case["op"] }));
                asked += 1;
                if compared(case, expected) == compared(case, &answer) {
                    agreed += 1;
                } else {
                    let line = json!({
                        "file": stem, "release": release, "case": case, "expected": expected, "answer": answer,
                    });
                    println!("{line}");
                }
            }
            println!("{stem} {release} agree {agreed} of {asked}");
            tally.asked += asked;
            tally.agreed += agreed;
        }
    }
    Ok(())
}

/// The part of an answer that counts: of `classify` the reason, of `order` the order, of every
/// other operation all but the id.
fn compared(case: &Value, answer: &Value) -> Value {
    let counts: fn(&str) -> bool = match case["op"].as_str() {
        Some("classify") => |name| name == "reason",
        Some("order") => |name| name == "order",
        _ => |name| name != "id",
    };
    let members = answer.as_object().into_iter().flatten().filter(|(name, _)| counts(name));
    let members: Map<_, _> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
    Value::Object(members)
}
