//! What the shell offers for profile ids, providers, agents and snapshots.

use clap_complete::engine::ArgValueCandidates;

/// Agents of the installation.
#[must_use]
pub fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(Vec::new)
}

/// Profile ids of the agent.
#[must_use]
pub fn profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(Vec::new)
}

/// Providers that have a profile.
#[must_use]
pub fn providers() -> ArgValueCandidates {
    ArgValueCandidates::new(Vec::new)
}

/// Snapshots, newest first.
#[must_use]
pub fn backups() -> ArgValueCandidates {
    ArgValueCandidates::new(Vec::new)
}
