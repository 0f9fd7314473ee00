//! What a script says, as data.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::base::time::Millis;
use crate::engine::session::Source;

/// Where a script came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file's name as the user gave it; `-` is stdin.
    pub label: String,
    /// The line of a JSONL file, from 1; none for a file that is one script.
    pub line: Option<usize>,
}

/// Config or store: a file, or given in the script.
#[derive(Clone, PartialEq)]
pub enum Given {
    /// The path of a file or folder, read through the caller's loader.
    Path(String),
    /// It stands alone and is never merged with the machine's.
    Inline(Value),
}

/// What is given may hold secrets, so it doesn't show.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Self::Inline(_) => f.write_str("Inline(..)"),
        }
    }
}

/// One script. Everything is optional; `Script::default()` asks what the next message would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// Where it came from.
    pub origin: Origin,
    /// A name for messages and the result.
    pub name: Option<String>,
    /// A rule set or release; none is `auto`.
    pub rules: Option<String>,
    /// When the replay starts; none is now.
    pub start: Option<Millis>,
    /// The agent that runs; none is the machine's default.
    pub agent: Option<String>,
    /// The config; none is the machine's.
    pub config: Option<Given>,
    /// The auth store (`profiles`, `order`, `usageStats`, `lastGood`); none is the machine's.
    /// Times may be strings relative to the start.
    pub store: Option<Given>,
    /// Session entries by key; none means the machine's.
    pub sessions: Option<IndexMap<String, Map<String, Value>>>,
    /// Environment variables that OpenClaw would see.
    pub env: IndexMap<String, String>,
    /// What providers answer; the first that matches.
    pub replies: Vec<ReplyRule>,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Checked right after each send, in order.
    pub expect: Vec<Expect>,
    /// What an earlier replay kept in memory (`final.resume`).
    pub resume: Option<Resume>,
}

/// Answers of one provider, profile or model.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyRule {
    /// Only this provider.
    pub provider: Option<String>,
    /// Only this profile.
    pub profile: Option<String>,
    /// Only this model (the id without its provider, or the full ref).
    pub model: Option<String>,
    /// Used up in order; the last one repeats.
    pub then: Vec<Reply>,
}

/// What kind of answer a reply is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReplyKind {
    /// An answer.
    #[default]
    Ok,
    /// No answer in time.
    Timeout,
    /// The user aborts the run during the call.
    Abort,
    /// An answer without content.
    Empty,
    /// An error; the other fields say which.
    Error,
}

/// One answer of a provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// What kind of answer.
    pub kind: ReplyKind,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The error's text.
    pub message: Option<String>,
    /// The error's code.
    pub code: Option<String>,
    /// The error's type.
    pub error_type: Option<String>,
    /// The raw body: text, or JSON.
    pub body: Option<Value>,
    /// Response headers, names in lower case.
    pub headers: IndexMap<String, String>,
    /// How long the provider asks to wait (ms).
    pub retry_after: Option<Millis>,
    /// When a subscription window resets.
    pub reset_at: Option<ResetAt>,
    /// The stop reason of an answer that ended badly.
    pub stop_reason: Option<String>,
    /// The category of a final refusal.
    pub refusal: Option<String>,
    /// The user switches to this model during the call.
    pub switch_to: Option<String>,
    /// How long the call lasts on the clock (ms).
    pub takes: Millis,
}

/// When a subscription window resets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetAt {
    /// A point in time.
    At(Millis),
    /// This long after the answer (ms).
    In(Millis),
}

/// One message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Send {
    /// The session's key; `main` unless named.
    pub session: Option<String>,
    /// A model for this send only.
    pub model: Option<String>,
    /// A profile for this send only, as a user pin.
    pub profile: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// The heartbeat's own model.
    pub heartbeat_model: Option<String>,
    /// The caller's own fallbacks (`payload.fallbacks`); an empty list is strict.
    pub fallbacks: Option<Vec<String>>,
    /// A group or channel.
    pub group: bool,
    /// A run of the image model.
    pub image: bool,
    /// Through a gateway's channel, or as `openclaw agent` runs; none: a channel for groups and
    /// heartbeats, else as `openclaw agent`.
    pub channel: Option<bool>,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A message comes in.
    Send(Send),
    /// Time passes (ms). Between two sends without such a step nobody said how much time lies between
    /// them, so probes that the gateway spaces out (30 s, 5 min) count as due again.
    Advance(Millis),
    /// The user picks a model (and profile); `default` unpins.
    Pick {
        /// The session's key.
        session: Option<String>,
        /// `provider/model`, `provider/model@profile` or `default`.
        model: String,
    },
    /// `/reset` of a session.
    Reset(String),
    /// A compaction of a session.
    Compact(String),
    /// The gateway restarts: what it kept in memory is gone.
    Restart,
    /// A config change, as a JSON merge patch.
    Set(Value),
    /// Session fields as another writer leaves them; null removes one.
    Patch {
        /// The session's key.
        session: Option<String>,
        /// The fields.
        set: Map<String, Value>,
    },
}

/// What a send should do; every key is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expect {
    /// `provider/model` that answered; `Some(None)` means nobody did.
    pub chosen: Option<Option<String>>,
    /// The profile that answered.
    pub profile: Option<Option<String>>,
    /// answered, failed, ended or aborted.
    pub outcome: Option<String>,
    /// `provider/model profile result` of each attempt, in order.
    pub attempts: Option<Vec<String>>,
    /// A part of one of the notices; `Some(None)` means no notice at all.
    pub notice: Option<Option<String>>,
    /// Windows by profile; `None` means that the profile has none.
    pub cooldowns: Vec<CooldownExpect>,
}

/// The window that a profile should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CooldownExpect {
    /// The profile's id.
    pub profile: String,
    /// What its window should look like; none: no active window.
    pub window: Option<ExpectWindow>,
}

/// Parts of a window; those left out aren't checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectWindow {
    /// cooldown, disabled or blocked.
    pub kind: Option<String>,
    /// Its reason.
    pub reason: Option<String>,
    /// The only model that it blocks; `Some(None)`: all of them.
    pub model: Option<Option<String>>,
    /// Its end minus the failure that set it (ms).
    pub lasts: Option<Millis>,
}

/// What a gateway keeps in memory between turns; `final.resume` of a result.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Resume {
    /// The virtual clock at the end (ms since 1970).
    pub now: Option<i64>,
    /// When each provider (`agent provider`) was last probed inside its cooldown.
    pub cooldown_probes: IndexMap<String, i64>,
    /// When the origin of an auto override was last probed (`session primary`).
    pub origin_probes: IndexMap<String, i64>,
    /// Candidates that are skipped until then (`session provider model [profile]`).
    pub skips: IndexMap<String, SkipMark>,
    /// Sessions that were reset and not used since.
    pub new_sessions: Vec<String>,
    /// Pinned sessions that were told about the configured primary (`session pinned primary`).
    pub told_pinned: Vec<String>,
    /// Time was stated (`advance`) since the last send; see `Step::Advance`.
    pub time_stated: bool,
    /// What a session is told with its next answer.
    pub pending_notices: IndexMap<String, Vec<String>>,
    /// How many answers of each reply rule are used up.
    pub replies_used: Vec<usize>,
}

/// A remembered failure of a later candidate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkipMark {
    /// Until when it is skipped (ms since 1970).
    pub until: i64,
    /// Why.
    pub reason: String,
}
