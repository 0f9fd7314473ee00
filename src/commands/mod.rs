//! The commands: the path of a module is the command's name. Each has its arguments (a doc comment is the
//! help text) beside its `run`, which asks the domain and prints.

mod agents;
pub mod args;
pub mod auth;
pub mod backup;
pub mod classify;
pub mod complete;
pub mod completions;
pub mod config;
pub mod context;
pub mod cooldowns;
pub mod doctor;
pub mod man;
pub mod overview;
pub mod route;
pub mod rules;
pub mod simulate;
pub mod undo;
mod write;
