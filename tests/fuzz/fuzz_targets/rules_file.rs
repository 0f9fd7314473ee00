//! Rule-set files: reading never panics.
#![no_main]

use clawctl::script::parse_rules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = parse_rules(text, "fuzz");
});
