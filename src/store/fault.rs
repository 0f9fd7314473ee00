//! One place that every effect on disk passes, so that a test can stop the process at each of them.
//!
//! Built with the feature `fault-injection`, a process started with `CLAWCTL_FAULT_AT=N` aborts at its
//! N-th step, with `CLAWCTL_FAULT_FULL_AT=N` finds the disk full from its N-th step on, with
//! `CLAWCTL_FAULT_PAUSE_AT=N` waits at its N-th step until the file `CLAWCTL_FAULT_PAUSE_UNTIL` is
//! there, and `CLAWCTL_FAULT_LOG=FILE` appends the name of every step to a file. Without the feature
//! (the default) a step is nothing at all.

/// Tells that this effect is about to happen, or (names ending in `.done`) has just happened.
#[cfg(not(feature = "fault-injection"))]
#[inline]
pub(crate) fn step(_name: &str) {}

/// Fails like a full disk, when a test wants that, before something is written.
///
/// # Errors
/// Never, without the feature.
#[cfg(not(feature = "fault-injection"))]
#[inline]
pub(crate) fn space() -> std::io::Result<()> {
    Ok(())
}

#[cfg(feature = "fault-injection")]
pub(crate) use injected::{space, step};

#[cfg(feature = "fault-injection")]
mod injected {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    static COUNT: AtomicU32 = AtomicU32::new(0);

    fn wanted(name: &str) -> Option<u32> {
        std::env::var(name).ok().and_then(|text| text.parse().ok())
    }

    /// Tells that this effect is about to happen, or (names ending in `.done`) has just happened.
    pub(crate) fn step(name: &str) {
        let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(path) = std::env::var_os("CLAWCTL_FAULT_LOG")
            && let Ok(mut log) = std::fs::File::options().create(true).append(true).open(path)
        {
            let _ = writeln!(log, "{number} {name}");
        }
        if wanted("CLAWCTL_FAULT_AT") == Some(number) {
            std::process::abort();
        }
        if wanted("CLAWCTL_FAULT_PAUSE_AT") == Some(number)
            && let Some(path) = std::env::var_os("CLAWCTL_FAULT_PAUSE_UNTIL")
        {
            let mut reached = path.clone();
            reached.push(".reached");
            let _ = std::fs::write(reached, name);
            while !std::path::Path::new(&path).exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Fails like a full disk, from the step on that the test names.
    ///
    /// # Errors
    /// `ENOSPC`.
    pub(crate) fn space() -> std::io::Result<()> {
        let is_full = wanted("CLAWCTL_FAULT_FULL_AT").is_some_and(|at| COUNT.load(Ordering::Relaxed) >= at);
        if is_full { Err(rustix::io::Errno::NOSPC.into()) } else { Ok(()) }
    }
}
