//! Exit statuses: the scripting contract (README.md, "Exit status").

use std::process::ExitCode;

/// What the process reports to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitStatus {
    /// Everything asked for was done.
    Ok = 0,
    /// The command failed.
    Failed = 1,
    /// Wrong flag, duplicate id, profile of another provider.
    Usage = 2,
    /// No state folder, file, agent or profile of that name.
    Nothing = 3,
    /// Another process holds the store, or changed it meanwhile: try again.
    Busy = 4,
    /// The store is newer than this tool knows, or damaged; nothing was written.
    Damaged = 5,
    /// Findings at or above `--fail-on`, a failed `expect`, no usable profile.
    Findings = 6,
    /// Ended by ctrl-c.
    Interrupted = 130,
}

impl ExitStatus {
    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}

/// The list printed by `--help`, the man pages and README.md.
pub const EXIT_STATUS_HELP: &str = "\
Exit status:
  0    fine
  1    the command failed
  2    usage: wrong flag, duplicate id, profile of another provider
  3    nothing to inspect: no state folder, file, agent or profile of that name
  4    busy or changed meanwhile: try again
  5    store newer than this tool knows, or damaged (nothing was written)
  6    findings at or above --fail-on, a failed expect, no usable profile
  130  interrupted";
