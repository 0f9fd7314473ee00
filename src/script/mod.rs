//! Error scripts: what a person writes, what a replay on a virtual clock answers, and how two
//! answers are compared. Nothing here reads a file, the clock or the environment: the caller
//! passes the machine's config and store, and a loader for files that a script names.

mod model;
mod parse;
mod result;
mod span;
mod units;

pub use model::{
    CooldownExpect, Expect, ExpectWindow, Given, Origin, Reply, ReplyKind, ReplyRule, ResetAt, Resume,
    Script, Send, SkipMark, Source, Step,
};
pub use parse::{ScriptError, parse};
pub use result::{
    AttemptLine, CandidateRef, ExpectationFailure, Expectations, FinalState, Outcome, ReplayResult,
    RulesChoice, Skipped, Summary, Turn, WindowLine,
};
