//! Every rule of `doctor`: the state before, what is found, the state after `--fix=all`.
//!
//! `tests/rules/<rule id>/<case>.json` holds a case (see [`Case`]). Each is built as every generation of
//! stores that it names, looked at, repaired, repaired again and undone. Times are written
//! `"@now-5000"`. Made-up secrets contain "made-up", which no output may.

#![expect(clippy::print_stderr, reason = "says how much was tried")]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use harness::{Case, build, name, octal, sorted};
use serde_json::{Value, json};

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut count = 0;
    let mut failed = Vec::new();
    let mut ids = Vec::new();
    for rule in sorted(&dir).into_iter().filter(|path| path.is_dir()) {
        let id = name(&rule);
        ids.push(id.clone());
        for file in sorted(&rule) {
            let label = format!("{id}/{}", name(&file));
            if !wanted.is_empty() && !wanted.iter().any(|text| label.contains(text.as_str())) {
                continue;
            }
            let case = Case::read(&file);
            for generation in case.generations() {
                count += 1;
                let result = std::panic::catch_unwind(|| check(&id, &case, &generation));
                if result.is_err() {
                    eprintln!("FAILED: {label} ({generation})");
                    failed.push(format!("{label} ({generation})"));
                }
            }
        }
    }
    if wanted.is_empty() {
        let known: Vec<String> = rule_ids();
        // Its case needs a user without rights: tests/faults has it.
        let elsewhere = ["wal-on-readonly"];
        let untested: Vec<&String> =
            known.iter().filter(|id| !ids.contains(id) && !elsewhere.contains(&id.as_str())).collect();
        assert!(untested.is_empty(), "rules without a case in tests/rules: {untested:?}");
        let unknown: Vec<&String> = ids.iter().filter(|id| !known.contains(id)).collect();
        assert!(unknown.is_empty(), "cases of rules that don't exist: {unknown:?}");
    }
    assert!(failed.is_empty(), "{} of {count} failed: {failed:#?}", failed.len());
    assert!(count > 0, "no case ran");
    eprintln!("{count} cases of {} rules", ids.len());
}

fn rule_ids() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_clawctl"))
        .args(["doctor", "rules", "--json"])
        .output()
        .expect("run");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    listed["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| rule["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// Without backups and what SQLite leaves while a database is open.
fn without_backups(mut tree: BTreeMap<String, String>) -> BTreeMap<String, String> {
    tree.retain(|path, _| !path.contains("backups/") && !path.ends_with("-wal") && !path.ends_with("-shm"));
    tree
}

fn check(id: &str, case: &Case, generation: &str) {
    let home = build(case, generation);
    let before = home.tree();
    let (status, report) = home.doctor(&["--only", id]);
    let found = report["findings"].as_array().expect("findings");
    assert_eq!(found.len(), case.findings.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(&case.findings) {
        assert_eq!(found["id"], *id);
        for (key, value) in expected {
            match key.as_str() {
                "says" => {
                    let (message, says) =
                        (found["message"].as_str().expect("a message"), value.as_str().expect("text"));
                    assert!(message.contains(says), "\"{message}\" doesn't say \"{says}\"");
                }
                "next" => {
                    let (next, wanted) =
                        (found["next"].as_str().expect("a next step"), value.as_str().expect("text"));
                    assert!(next.contains(wanted), "\"{next}\" doesn't say \"{wanted}\"");
                }
                "fix" => assert_eq!(found["fix"]["safety"], *value, "{found:#}"),
                // What all agents share is of no agent.
                "agent" if generation == "shared" && value == "main" => {}
                key => assert_eq!(found[key], *value, "{key} of {found:#}"),
            }
        }
    }
    let fails = found.iter().any(|finding| finding["severity"] != "info");
    assert_eq!(status, if fails { 6 } else { 0 });
    // Looking and trying leave no trace.
    home.doctor(&["--only", id, "--fix=all", "--dry-run", "--diff"]);
    assert_eq!(home.tree(), before, "a look changed something");
    home.clawctl(&["doctor", "--fix=all", "--dry-run", "--diff"]);

    let agents: Vec<&String> = case.agents.keys().chain(case.after.keys()).collect();
    let stored: BTreeMap<&String, Value> = agents.iter().map(|id| (*id, home.stored(id))).collect();
    let compared = without_backups(home.tree());
    let (_, fixed) = home.doctor(&["--only", id, "--fix=all"]);
    assert_eq!(fixed["findings"].as_array().expect("findings").len(), case.left, "{fixed:#}");
    assert_eq!(fixed["repair"]["refused"], json!([]), "{fixed:#}");
    for agent in &agents {
        let expected = match case.after.get(*agent) {
            Some(after) => json!({"profiles": after.profiles, "state": after.state}),
            None => stored[agent].clone(),
        };
        assert_eq!(home.stored(agent), expected, "the store of {agent} after --fix=all");
    }
    for (path, mode) in &case.modes_after {
        let found = fs::metadata(home.path(path)).expect("stat").permissions().mode() & 0o777;
        assert_eq!(found, octal(mode), "the mode of {path}");
    }
    for path in &case.gone {
        assert!(home.path(path).symlink_metadata().is_err(), "{path} is still there");
    }
    let fixed_tree = home.tree();
    let (_, again) = home.doctor(&["--only", id, "--fix=all"]);
    assert_eq!(again["repair"]["applied"], json!([]), "a second --fix did something");
    assert_eq!(home.tree(), fixed_tree, "a second --fix changed something");

    let backups = fixed["repair"]["backups"].as_array().expect("backups").len();
    for _ in 0..backups {
        let undone = home.clawctl(&["undo"]);
        assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    }
    for agent in &agents {
        assert_eq!(home.stored(agent), stored[agent], "the store of {agent} after undo");
    }
    if backups == 0 && case.modes.is_empty() && case.gone.is_empty() {
        assert_eq!(without_backups(home.tree()), compared, "a fix without a backup changed something");
    }
}
