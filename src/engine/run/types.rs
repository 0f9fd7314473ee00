//! What a run is asked for, what it changes and what it tells.

use std::sync::Arc;

use indexmap::IndexMap;

use super::fault::Fault;
use crate::base::time::Millis;
use crate::engine::ids::{ModelRef, ProfileId, ProviderId};
use crate::engine::state::AuthState;
use crate::engine::types::Reason;
use crate::engine::usage::Window;

/// What a gateway keeps in memory; a restart forgets it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// When a cooling provider was last probed (ms since 1970), by `agent provider`.
    pub cooldown_probes: IndexMap<String, Millis>,
    /// When an override's origin was last tried (ms since 1970), by `session provider/model`.
    pub origin_probes: IndexMap<String, Millis>,
    /// Candidates passed over, by `session provider/model [profile]`.
    pub skips: IndexMap<String, SkipMark>,
}

/// A candidate passed over after an auth failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkipMark {
    /// Until then (ms since 1970).
    pub until: Millis,
    /// Why.
    pub reason: Reason,
}

/// Everything that a run changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The store.
    pub auth: AuthState,
    /// The gateway's memory.
    pub memory: Memory,
    /// The clock (ms since 1970).
    pub now: Millis,
    /// The failures that set the windows of this replay, by profile.
    pub set_by: IndexMap<ProfileId, SetBy>,
}

/// The failure that set a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetBy {
    /// The window's end (ms since 1970).
    pub until: Millis,
    /// When it failed (ms since 1970).
    pub at: Millis,
    /// Why; 2026.3 doesn't store it.
    pub reason: Reason,
}

/// The profile that a session or a send binds the run to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The profile.
    pub profile: ProfileId,
    /// The user chose it.
    pub by_user: bool,
    /// It holds for candidates of this provider.
    pub provider: ProviderId,
}

/// What a run is asked for.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The agent, for the probe throttle.
    pub agent: &'a str,
    /// The session, for skip marks.
    pub session: &'a str,
    /// The chain, the requested model first.
    pub candidates: &'a [ModelRef],
    /// The profile that the run is bound to.
    pub pin: Option<&'a Pin>,
    /// Whether the release thinks that there are fallbacks.
    pub fallbacks_configured: bool,
    /// A run of the image model: no cooldown is looked at, any error goes on.
    pub image: bool,
}

/// A provider's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What kind.
    pub kind: AnswerKind,
    /// How long it took (ms).
    pub takes: Millis,
    /// The user switches to this model during the call.
    pub switch_to: Option<ModelRef>,
    /// When the subscription window that the error speaks of resets (ms since 1970).
    pub resets_at: Option<Millis>,
}

/// What kind of answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerKind {
    /// A proper one.
    Ok,
    /// One without content.
    Empty,
    /// None: the user aborted.
    Abort,
    /// An error, or none in time.
    Fault(Arc<Fault>),
}

/// Whoever answers in place of the providers.
pub trait Upstream {
    /// Answers one request. `now` is when it was sent (ms since 1970).
    fn answer(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>, now: Millis) -> Answer;
}

/// What the runner did after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Handed the answer on.
    Answer,
    /// Took the next profile.
    RotateProfile,
    /// Took the next model.
    NextModel,
    /// Went to the model that the user switched to.
    SwitchModel,
    /// Ended the run with the error as it is.
    Stop,
    /// Ended the run: nothing was left.
    Fail,
}

impl Then {
    /// As JSON spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::RotateProfile => "rotate_profile",
            Self::NextModel => "next_model",
            Self::SwitchModel => "switch_model",
            Self::Stop => "stop",
            Self::Fail => "fail",
        }
    }
}

/// Calls of one profile and model in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Index in the chain.
    pub candidate: usize,
    /// The profile; none: the run has none.
    pub profile: Option<ProfileId>,
    /// The last answer.
    pub last: AnswerKind,
    /// How many requests the provider got.
    pub requests: u32,
    /// How long the runner waited between and after them (ms).
    pub waited: Millis,
    /// What came next.
    pub then: Then,
    /// The window that the failure set.
    pub window: Option<Window>,
    /// The failure widened a window that held for another model to every model (report 141257).
    pub widened: bool,
    /// The call was a probe of a cooling profile.
    pub probe: bool,
}

impl Attempt {
    /// Why it failed.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match &self.last {
            AnswerKind::Fault(fault) if fault.overflow => Some(Reason::ContextOverflow),
            AnswerKind::Fault(fault) => fault.reason,
            AnswerKind::Empty => Some(Reason::EmptyResponse),
            AnswerKind::Ok | AnswerKind::Abort => None,
        }
    }
}

/// Why a candidate wasn't called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipWhy {
    /// Its provider's credentials were refused; until then (ms since 1970).
    Auth(Option<Millis>),
    /// Every profile is in a window; the soonest end (ms since 1970).
    Cooldown(Option<Millis>),
    /// The provider was probed in this run already.
    Probed,
    /// It failed with auth in this session; passed over until then (ms since 1970).
    Remembered(Millis),
    /// There is no usable credential.
    NoCredential,
    /// The user's profile can't be used for it.
    PinUnusable(ProfileId),
    /// Its provider's certificate was refused in this run.
    Certificate,
}

/// A candidate that wasn't called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Index in the chain.
    pub candidate: usize,
    /// The failover reason.
    pub reason: Option<Reason>,
    /// Why.
    pub why: SkipWhy,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// This candidate answered, through this profile.
    Answered(usize, Option<ProfileId>),
    /// Nothing was left.
    Failed,
    /// An error at which the release stops.
    Stopped,
    /// The user aborted.
    Aborted,
}

/// What happened, in order, for decision records.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A candidate failed, with its reason and text.
    Failed(usize, Option<Reason>, String),
    /// A candidate was passed over.
    Skipped(usize, Option<Reason>),
    /// A cooling candidate is called all the same.
    Probed(usize, Option<Reason>),
    /// A candidate answered.
    Succeeded(usize),
}

/// A run, told.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What was called.
    pub attempts: Vec<Attempt>,
    /// What wasn't.
    pub skips: Vec<Skip>,
    /// The first candidate that was neither called nor skipped.
    pub reached: usize,
    /// How it ended.
    pub end: RunEnd,
    /// For decision records.
    pub events: Vec<Event>,
    /// The user switched to this model.
    pub switched: Option<ModelRef>,
}
