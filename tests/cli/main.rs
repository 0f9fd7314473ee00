//! The command line as users and scripts see it: cleared environment, fixed clock, and snapshots
//! that show status, stdout and stderr together.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod auth;
mod backups;
mod bad_input;
mod config;
mod cooldowns;
mod engine;
mod harness;
mod output;
mod read_only;
mod secrets;
mod shared_words;
