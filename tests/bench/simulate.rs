//! Replays by hand: `cargo bench --bench simulate`. Prints attempts per second and the time of a turn
//! early and late in a long script; the second must not grow with the first.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark reports on stdout")]

use std::time::Instant;

use clawctl::engine::classify::Classifier;
use clawctl::engine::rules::RuleSet;
use clawctl::script::{Machine, ReplayResult, Script, parse, replay};
use serde_json::json;

/// Every turn: two profiles of the primary fail, a fallback fails, the last model answers.
fn script(turns: usize) -> Script {
    let step = json!({"send": {"session": "s1"}});
    let gap = json!({"advance": "2m"});
    let steps: Vec<_> = (0..turns).flat_map(|_| [step.clone(), gap.clone()]).collect();
    let text = json!({
        "start": 1_783_166_400_000_i64,
        "config": {"agents": {"defaults": {"model": {"primary": "alpha/a1", "fallbacks": ["beta/b1", "gamma/g1"]}}}},
        "store": {"profiles": {
            "alpha:one": {"type": "api_key", "provider": "alpha"}, "alpha:two": {"type": "api_key", "provider": "alpha"},
            "beta:one": {"type": "api_key", "provider": "beta"}, "gamma:one": {"type": "api_key", "provider": "gamma"},
        }},
        "replies": [
            {"provider": "alpha", "then": [{"status": 401, "message": "Incorrect API key provided"}]},
            {"provider": "beta", "then": [{"status": 404, "message": "The model b1 does not exist"}]},
        ],
        "steps": steps,
    });
    parse(&text.to_string(), "bench").expect("a valid script").remove(0)
}

/// Seconds that this thread has had a processor, where the system tells it; unlike the clock on the
/// wall they don't count the other programs of a busy machine.
fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanos| nanos / 1e9)
}

/// How long a replay takes: on a processor, else by the clock; and by the clock.
struct Took {
    busy: f64,
    wall: f64,
}

fn timed(turns: usize, rules: &RuleSet) -> (Took, ReplayResult) {
    let script = script(turns);
    let machine = Machine { agent: "main".into(), ..Machine::default() };
    let classifier = Classifier::for_family(rules.family);
    let (start, before) = (Instant::now(), busy());
    let result = replay(&script, &machine, rules, classifier);
    let wall = start.elapsed().as_secs_f64();
    let spent = before.and_then(|before| Some(busy()? - before));
    (Took { busy: spent.unwrap_or(wall), wall }, result)
}

fn main() {
    for id in RuleSet::IDS {
        let rules = RuleSet::builtin(id).expect("a rule set");
        timed(200, &rules);
        let (short, _) = timed(2_000, &rules);
        let (long, result) = timed(40_000, &rules);
        let attempts: usize = result.turns.iter().map(|turn| turn.attempts.len()).sum();
        let per_turn = |seconds: f64, turns: f64| seconds * 1e6 / turns;
        println!(
            "simulate {id}: {:.0} attempts/s of one core, {:.0} by the clock ({attempts} attempts); a turn takes {:.1} us in a script of 2,000 turns, {:.1} us in one of 40,000",
            attempts as f64 / long.busy,
            attempts as f64 / long.wall,
            per_turn(short.busy, 2_000.0),
            per_turn(long.busy, 40_000.0),
        );
    }
}
