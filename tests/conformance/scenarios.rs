//! Recorded runs of real releases against the engine: `scripts/ID.json`, `observed/RELEASE.jsonl`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clawctl::engine::classify::Classifier;
use clawctl::engine::rules::RuleSet;
use clawctl::script::{Machine, Outcome, Script, Turn, parse, replay};
use serde_json::{Value, json};

use super::Tally;

/// A window set by a second failure inside of it is measured from that failure, so it is shorter by
/// the time that the real calls took; the virtual ones take none.
const REAL_CALLS_TAKE: i64 = 15_000;

/// Runs every observed file in `dir`; prints a line per file and one JSON line per disagreement.
///
/// # Errors
/// None: what can't be read is a failed test.
pub fn run(dir: &Path, tally: &mut Tally) -> Result<(), String> {
    let scripts = read_scripts(&dir.join("scripts"));
    for file in files(&dir.join("observed"), "jsonl") {
        let release = file.file_stem().and_then(|stem| stem.to_str()).expect("a release as file name");
        let (mut agree, mut count) = (0, 0);
        let text = std::fs::read_to_string(&file).expect("a readable file");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let observed: Value = serde_json::from_str(line).expect("JSON lines");
            let id = observed["script"].as_str().expect("a script's id");
            count += 1;
            match disagreement(release, scripts.get(id), &observed) {
                None => agree += 1,
                Some(what) => println!("{}", json!({"script": id, "release": release, "disagrees": what})),
            }
        }
        println!("scenarios {release} agree {agree} of {count}");
        tally.agreed += agree;
        tally.asked += count;
    }
    Ok(())
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

fn read_scripts(dir: &Path) -> BTreeMap<String, Script> {
    files(dir, "json")
        .into_iter()
        .map(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).expect("a file name").to_string();
            let text = std::fs::read_to_string(&file).expect("a readable file");
            let mut scripts = parse(&text, &name).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            let id = file.file_stem().and_then(|stem| stem.to_str()).expect("a file name").to_string();
            (id, scripts.remove(0))
        })
        .collect()
}

fn disagreement(release: &str, script: Option<&Script>, observed: &Value) -> Option<Value> {
    let Some(script) = script else { return Some(json!("no such script")) };
    let rules = RuleSet::for_release(release).expect("a release");
    let classifier = Classifier::for_family(rules.family);
    let machine = Machine { agent: "main".into(), ..Machine::default() };
    let turns = observed["turns"].as_array().expect("turns");
    for (index, wanted) in turns.iter().enumerate() {
        // Windows are recorded after every turn; a replay that ends there has them in `final`.
        let mut part = script.clone();
        cut_after_send(&mut part, index);
        let result = replay(&part, &machine, &rules, classifier);
        let Some(turn) = result.turns.get(index) else {
            return Some(json!({"turn": index, "missing": true}));
        };
        let calls = calls(turn);
        let jitter = release.starts_with("2026.9");
        if !same_calls(&calls, wanted["calls"].as_array().expect("calls"), jitter) {
            return Some(json!({"turn": index, "calls": calls, "observed": wanted["calls"]}));
        }
        let answered = turn.outcome == Outcome::Answered;
        let chosen = turn.chosen.as_ref().map(|chosen| {
            let model = format!("{}/{}", chosen.provider, chosen.model);
            chosen.profile.as_ref().map_or(model.clone(), |profile| format!("{model} {profile}"))
        });
        if json!(chosen) != wanted["chosen"] || json!(answered) != wanted["answered"] {
            return Some(json!({"turn": index, "chosen": chosen, "answered": answered,
                "observed": {"chosen": wanted["chosen"], "answered": wanted["answered"]}}));
        }
        let usage = &result.final_state.usage_stats;
        let wanted_usage = wanted["usage"].as_object().expect("usage");
        let profiles: std::collections::BTreeSet<&String> = usage.keys().chain(wanted_usage.keys()).collect();
        for profile in profiles {
            let got = usage.get(profile).map(windows_left).unwrap_or_default();
            let seen = wanted_usage.get(profile).map(windows_seen).unwrap_or_default();
            if !same_windows(&got, &seen) {
                return Some(json!({"turn": index, "profile": profile, "windows": format!("{got:?}"),
                    "observed": format!("{seen:?}"), "stats": usage.get(profile)}));
            }
        }
    }
    None
}

fn cut_after_send(script: &mut Script, index: usize) {
    let sends =
        script.steps.iter().enumerate().filter(|(_, step)| matches!(step, clawctl::script::Step::Send(_)));
    if let Some((step, _)) = sends.collect::<Vec<_>>().get(index) {
        script.steps.truncate(step + 1);
    }
    script.expect.clear();
}

fn calls(turn: &Turn) -> Vec<Value> {
    let mut calls: Vec<(String, u32, Value)> = Vec::new();
    for line in &turn.attempts {
        let call = format!("{}/{} {}", line.provider, line.model, line.profile.as_deref().unwrap_or("-"));
        let last = if line.result == "ok" { json!("ok") } else { json!(line.status) };
        match calls.last_mut() {
            Some((before, requests, kept)) if *before == call => {
                *requests += line.requests;
                *kept = last;
            }
            _ => calls.push((call, line.requests, last)),
        }
    }
    calls
        .into_iter()
        .map(|(call, requests, last)| json!({"call": call, "requests": requests, "last": last}))
        .collect()
}

/// In 2026.9 the number of repeats after 5xx and 529 depends on jitter: one more or less is the same.
fn same_calls(got: &[Value], seen: &[Value], jitter: bool) -> bool {
    got.len() == seen.len()
        && got.iter().zip(seen).all(|(got, seen)| {
            let requests = |call: &Value| call["requests"].as_i64().unwrap_or(0);
            let loose = jitter && seen["last"].as_i64().is_some_and(|status| status >= 500);
            let off = (requests(got) - requests(seen)).abs();
            got["call"] == seen["call"] && off <= i64::from(loose)
        })
}

type Seen = (String, Option<String>, Option<String>, i64);

/// Kind, reason, model and length of every window; the end is measured from the last failure.
fn windows_left(stats: &Value) -> Vec<Seen> {
    let failed_at = stats["lastFailureAt"].as_i64().unwrap_or(0);
    windows_with(stats, |kind| stats[format!("{kind}Until")].as_i64().map(|until| until - failed_at))
}

fn windows_seen(stats: &Value) -> Vec<Seen> {
    windows_with(stats, |kind| stats[format!("{kind}LastsMs")].as_i64())
}

fn windows_with(stats: &Value, lasts: impl Fn(&str) -> Option<i64>) -> Vec<Seen> {
    let text = |key: String| stats[key].as_str().map(str::to_string);
    ["cooldown", "disabled", "blocked"]
        .into_iter()
        .filter_map(|kind| {
            let lasts = lasts(kind)?;
            Some((kind.to_string(), text(format!("{kind}Reason")), text(format!("{kind}Model")), lasts))
        })
        .collect()
}

fn same_windows(got: &[Seen], seen: &[Seen]) -> bool {
    got.len() == seen.len()
        && got.iter().zip(seen).all(|(got, seen)| {
            (&got.0, &got.1, &got.2) == (&seen.0, &seen.1, &seen.2)
                && (got.3 - seen.3).abs() <= REAL_CALLS_TAKE
        })
}
