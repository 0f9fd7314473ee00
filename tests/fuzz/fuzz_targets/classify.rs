//! The classifier: no panic, and the same verdict twice.
#![no_main]

use clawctl::engine::Family;
use clawctl::engine::classify::{Classifier, Signal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Option<i16>, Option<&str>, Option<&str>, &str)| {
    let (status, code, provider, message) = input;
    let signal =
        Signal { status: status.map(i64::from), code, provider, message: Some(message), ..Signal::default() };
    for family in Family::ALL {
        let classifier = Classifier::for_family(family);
        assert_eq!(classifier.classify(&signal), classifier.classify(&signal));
    }
});
