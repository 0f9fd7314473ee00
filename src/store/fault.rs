//! One place that every effect on disk passes, so that a test can stop the process at each of them.
//!
//! Built with the feature `fault-injection`, a process started with `CLAWCTL_FAULT_AT=N` aborts at its
//! N-th step, and `CLAWCTL_FAULT_LOG=FILE` appends the name of every step to a file. Without the
//! feature (the default) a step is nothing at all.

/// Tells that this effect is about to happen, or (names ending in `.done`) has just happened.
#[cfg(not(feature = "fault-injection"))]
#[inline]
pub(crate) fn step(_name: &str) {}

/// Tells that this effect is about to happen, or (names ending in `.done`) has just happened.
#[cfg(feature = "fault-injection")]
pub(crate) fn step(name: &str) {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);

    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(path) = std::env::var_os("CLAWCTL_FAULT_LOG")
        && let Ok(mut log) = std::fs::File::options().create(true).append(true).open(path)
    {
        let _ = writeln!(log, "{number} {name}");
    }
    let wanted = std::env::var("CLAWCTL_FAULT_AT").ok().and_then(|text| text.parse::<u32>().ok());
    if wanted == Some(number) {
        std::process::abort();
    }
}
