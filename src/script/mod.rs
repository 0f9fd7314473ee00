//! Error scripts: what a person writes, what a replay on a virtual clock answers, and how two
//! answers are compared. Nothing here reads a file, the clock or the environment: the caller
//! passes the machine's config and store, and a loader for files that a script names.
//!
//! A send runs as `openclaw agent` runs a message, which is what the recorded scenarios show:
//! nothing is bound to the session. `via: "channel"` (the default for groups and heartbeats) runs it
//! as a gateway's channel does: the session is bound to a profile and, in 2026.5 and 2026.7, to the
//! fallback that answered. What a gateway keeps in memory (probe times, skip marks) lives until a
//! `restart`; two sends without an `advance` between them say nothing about the time that lies
//! between them, so probes that are spaced out (30 s, 5 min) count as due for the second.

mod compare;
mod expect;
mod from_log;
mod model;
mod parse;
mod render;
mod replay;
mod result;
mod rules_file;
mod span;
#[cfg(test)]
mod tests;
mod text;
mod trace;
mod units;

pub use crate::engine::session::Source;
pub use compare::{Difference, compare};
pub use from_log::from_log;
pub use model::{
    CooldownExpect, Expect, ExpectWindow, Given, Origin, Reply, ReplyKind, ReplyRule, ResetAt, Resume,
    Script, Send, SkipMark, Step,
};
pub use parse::{ScriptError, parse};
pub use replay::{Loader, Machine, NoFiles, config_of, load, profile_ids, replay};
pub use result::{
    AttemptLine, CandidateRef, DecisionLine, ExpectationFailure, Expectations, FinalState, Outcome,
    ReplayResult, RulesChoice, Skipped, Summary, Turn, WindowLine,
};
pub use rules_file::{RulesFile, find as find_rules, parse_rules};
pub use trace::{Story, StoryLine, story};
