//! Error scripts: reading never panics, and what can be read replays and ends, twice the same.
#![no_main]

use clawctl::engine::classify::Classifier;
use clawctl::engine::{Family, RuleSet};
use clawctl::script::{Machine, parse, replay};
use clawctl::base::time::Millis;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(scripts) = parse(text, "fuzz") else { return };
    let machine = Machine { agent: "main".into(), now: Millis(1_783_166_400_000), ..Machine::default() };
    for script in scripts.iter().filter(|script| script.steps.len() < 50) {
        for family in Family::ALL {
            let rules = RuleSet::of_family(family);
            let once = replay(script, &machine, &rules, Classifier::for_family(family));
            assert_eq!(once, replay(script, &machine, &rules, Classifier::for_family(family)));
        }
    }
});
