//! The command line as users and scripts see it: cleared environment, fixed clock, and snapshots
//! that show status, stdout and stderr together.

mod auth;
mod backups;
mod bad_input;
mod cooldowns;
mod engine;
mod harness;
mod output;
mod read_only;
mod secrets;
