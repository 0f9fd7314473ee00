//! The JSON5 reader of configs: no panic, no endless run, and every place lies inside of the text.
#![no_main]

use std::path::Path;

use clawctl::config::{LoadOptions, load_bytes};
use clawctl::base::env::Env;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let env = Env::new([("SET", "value")], "/");
    let loaded = load_bytes(Path::new("/nowhere/openclaw.json"), bytes.to_vec(), &env, &LoadOptions::default());
    for finding in loaded.findings() {
        if let Some(span) = finding.span {
            let length = loaded.source(span.file).text.len() as u32;
            assert!(span.start <= span.end && span.end <= length, "{finding:?} is outside of {length} bytes");
        }
    }
});
