//! What a replay answers: versioned, stable JSON (`simulate --json`).

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model::Resume;

/// The result of one script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayResult {
    /// Of this layout: 1.
    pub version: u32,
    /// The script's name, else where it came from.
    pub script: Option<String>,
    /// The rule set and why it was taken.
    pub rules: RulesChoice,
    /// One per send.
    pub turns: Vec<Turn>,
    /// What is left behind.
    #[serde(rename = "final")]
    pub final_state: FinalState,
    /// The script's own checks.
    pub expectations: Expectations,
}

/// A rule set and why it was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesChoice {
    /// `2026.9`, `documented`, ...
    pub id: String,
    /// `script`, or what `auto` found.
    pub why: String,
}

/// What one send did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The index of its step, from 0.
    pub step: usize,
    /// When it began (ms since 1970).
    pub at: i64,
    /// The same as RFC 3339.
    pub at_iso: Option<String>,
    /// The session's key.
    pub session: String,
    /// The model that the run asked for first, `provider/model`.
    pub requested: String,
    /// Where the selection came from: default, agent, auto, user, cron, heartbeat, cli, hook, image.
    pub source: Cow<'static, str>,
    /// The chain.
    pub candidates: Vec<String>,
    /// What was called, in order.
    pub attempts: Vec<AttemptLine>,
    /// What wasn't, and why.
    pub skipped: Vec<Skipped>,
    /// Who answered.
    pub chosen: Option<CandidateRef>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the user is told beside the answer.
    pub notices: Vec<String>,
    /// Of a failed turn.
    pub summary: Option<Summary>,
    /// OpenClaw's decision records.
    pub decisions: Vec<DecisionLine>,
}

/// One of OpenClaw's decision records, under its own names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionLine {
    /// candidate_failed, skip_candidate, probe_cooldown_candidate or candidate_succeeded.
    pub decision: Cow<'static, str>,
    /// `provider/model`.
    pub candidate: String,
    /// The same.
    pub fallback_step_from_model: String,
    /// The next candidate, when the run goes on to it.
    pub fallback_step_to_model: Option<String>,
    /// The failover reason.
    pub fallback_step_from_failure_reason: Option<Cow<'static, str>>,
    /// The provider's text, escaped and masked.
    pub fallback_step_from_failure_detail: Option<String>,
    /// next_fallback, succeeded or chain_exhausted.
    pub fallback_step_final_outcome: Cow<'static, str>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With an answer.
    Answered,
    /// Every candidate failed or was skipped.
    Failed,
    /// Context overflow, a refusal, or an error at which the release stops the run.
    Ended,
    /// The user aborted it.
    Aborted,
}

impl Outcome {
    /// As JSON spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Ended => "ended",
            Self::Aborted => "aborted",
        }
    }
}

/// Consecutive calls of one profile and model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptLine {
    /// The provider.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// The profile; none when the run has no profile.
    pub profile: Option<String>,
    /// `ok` or `error`.
    pub result: Cow<'static, str>,
    /// Why it failed; none when the release gave it no reason.
    pub reason: Option<Cow<'static, str>>,
    /// The classifier's row that decided.
    pub rule: Option<String>,
    /// The last answer's HTTP status.
    pub status: Option<i64>,
    /// The last answer's code.
    pub code: Option<String>,
    /// The last answer's text, escaped and masked.
    pub message: Option<String>,
    /// How many requests the provider got.
    pub requests: u32,
    /// How long was waited between them and after (ms).
    pub wait_ms: i64,
    /// What the runner did next: answer, retry_same, rotate_profile, next_model, stop, fail, switch_model.
    pub then: Cow<'static, str>,
    /// The window that the failure left on the profile.
    pub window: Option<WindowLine>,
}

/// A window as attempts show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowLine {
    /// cooldown, disabled or blocked.
    pub kind: Cow<'static, str>,
    /// Its end (ms since 1970).
    pub until: i64,
    /// The same as RFC 3339.
    pub until_iso: Option<String>,
    /// The only model that it blocks.
    pub model: Option<String>,
}

/// A candidate that wasn't called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// `provider/model`.
    pub candidate: String,
    /// The failover reason.
    pub reason: Option<Cow<'static, str>>,
    /// In words.
    pub why: String,
}

/// Provider, model and profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateRef {
    /// The provider.
    pub provider: String,
    /// The model's id.
    pub model: String,
    /// The profile; none when the run has no profile.
    pub profile: Option<String>,
}

/// Of a failed turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// One sentence: "all models are rate-limited until ...".
    pub text: String,
    /// `provider/model profile reason (status): detail` of each attempt.
    pub attempts: Vec<String>,
    /// Candidates that were neither called nor skipped, `provider/model`.
    pub not_reached: Vec<String>,
    /// When the first window ends (ms since 1970).
    pub soonest_retry_at: Option<i64>,
    /// The same as RFC 3339.
    pub soonest_retry_at_iso: Option<String>,
}

/// What is left behind; goes into another script as `store`, `sessions` and `resume`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalState {
    /// By profile, as OpenClaw stores it.
    pub usage_stats: Map<String, Value>,
    /// By key, as OpenClaw stores them.
    pub sessions: IndexMap<String, Map<String, Value>>,
    /// By provider.
    pub last_good: Map<String, Value>,
    /// What the gateway keeps in memory.
    pub resume: Resume,
}

/// The script's own checks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Expectations {
    /// How many sends were checked.
    pub checked: usize,
    /// Those that failed.
    pub failed: Vec<ExpectationFailure>,
}

/// One key of an `expect` item that didn't hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectationFailure {
    /// The index in `expect`, from 0.
    pub item: usize,
    /// The turn's step, from 0.
    pub step: usize,
    /// The key, as `attempts` or `cooldowns.openai:a.lasts`.
    pub key: String,
    /// What the script wants.
    pub expected: Value,
    /// What happened.
    pub got: Value,
    /// Both, line by line, for people.
    pub diff: String,
}
