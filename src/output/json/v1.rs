//! The documents of layout version 1. Fields are only ever added.

mod doctor;

pub use doctor::*;
use serde::Serialize;
use serde_json::{Map, Value};

use super::VERSION;
use crate::base::time::Millis;
use crate::output::when;

/// A document with its version in front.
#[derive(Debug, Serialize)]
pub struct Document<T> {
    version: u32,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Document<T> {
    /// Puts the version in front.
    pub const fn new(body: T) -> Self {
        Self { version: VERSION, body }
    }
}

/// A time in ms.
pub(crate) fn ms(time: Option<Millis>) -> Option<i64> {
    time.map(|time| time.0)
}

/// Its RFC 3339 twin.
pub(crate) fn iso(time: Option<Millis>) -> Option<String> {
    time.map(when::iso)
}

/// A rule set and why it was taken.
#[derive(Debug, Serialize)]
pub struct Rules {
    /// `2026.9`.
    pub id: String,
    /// Why.
    pub why: String,
}

/// Something that a list should mention.
#[derive(Debug, Serialize)]
pub struct Note {
    /// The file that it is about.
    pub path: String,
    /// One sentence.
    pub text: String,
}

/// `auth list`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthList {
    /// The state folder.
    pub state_dir: String,
    /// Where the data is: `json`, `agent-database`, `shared-store`.
    pub generation: &'static str,
    /// One entry for each agent asked for.
    pub agents: Vec<AgentProfiles>,
}

/// An agent's profiles.
#[derive(Debug, Serialize)]
pub struct AgentProfiles {
    /// The agent.
    pub agent: String,
    /// The rules that its ranks and states follow.
    pub rules: Rules,
    /// Its profiles, in the store's sequence.
    pub profiles: Vec<Profile>,
    /// Remarks on the store.
    pub notes: Vec<Note>,
}

/// One profile.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Its id.
    pub id: String,
    /// Its provider.
    pub provider: String,
    /// `api_key`, `token`, `oauth`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `displayName`, else the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// `ok`, `expires`, `expired-refreshable`, `expired`, `cooldown`, `disabled`, `blocked`,
    /// `unresolved-ref`, `invalid`.
    pub state: &'static str,
    /// The same for people.
    pub state_text: String,
    /// When the state ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// RFC 3339 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_iso: Option<String>,
    /// The reason of the window, or the releases' code of what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The only model that the window holds for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `expires` of the credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// RFC 3339 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_iso: Option<String>,
    /// When it last answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<i64>,
    /// RFC 3339 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_iso: Option<String>,
    /// Place in its provider's order, from 1; null when it isn't used.
    pub rank: Option<usize>,
    /// `own`, `inherited`, `shared`.
    pub lives: &'static str,
    /// The file or database that it is in.
    pub path: String,
    /// An inherited copy of the same id is hidden by it.
    pub shadows_inherited: bool,
}

/// `auth show`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthShow {
    /// One entry for each agent asked for.
    pub agents: Vec<ShownProfile>,
}

/// A profile in full.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownProfile {
    /// The agent.
    pub agent: String,
    /// The rules that rank and state follow.
    pub rules: Rules,
    /// As in `auth list`.
    pub profile: Profile,
    /// The credential, secrets masked.
    pub credential: Value,
    /// Its secrets.
    pub secrets: Vec<SecretField>,
    /// References to secrets elsewhere.
    pub refs: Vec<Value>,
    /// The usageStats entry, each time with its RFC 3339 twin.
    pub usage: Map<String, Value>,
    /// Active windows.
    pub windows: Vec<Window>,
    /// Where the order that ranks it comes from: `stored`, `config-order`, `config-profiles`, `store`.
    pub order_source: &'static str,
    /// The document of that order, when it is a stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_path: Option<String>,
}

/// A secret, masked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretField {
    /// The member.
    pub field: String,
    /// `api key`, `token` ...
    pub kind: &'static str,
    /// Its length.
    pub chars: usize,
    /// Keyed fingerprint, comparable within this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// `auth order get`.
#[derive(Debug, Serialize)]
pub struct OrderGet {
    /// One entry for each agent asked for.
    pub agents: Vec<AgentOrders>,
}

/// Stored orders of an agent.
#[derive(Debug, Serialize)]
pub struct AgentOrders {
    /// The agent.
    pub agent: String,
    /// By provider.
    pub orders: Vec<StoredOrder>,
}

/// A stored order.
#[derive(Debug, Serialize)]
pub struct StoredOrder {
    /// The provider, as stored.
    pub provider: String,
    /// The profiles, first choice first.
    pub order: Vec<String>,
    /// `own`, `inherited`, `shared`, or `config` for `auth.order`.
    pub lives: &'static str,
    /// The file or database.
    pub path: String,
}

/// `auth order explain`.
#[derive(Debug, Serialize)]
pub struct OrderExplain {
    /// One entry for each agent asked for.
    pub agents: Vec<ExplainedOrder>,
}

/// An effective order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedOrder {
    /// The agent.
    pub agent: String,
    /// The provider.
    pub provider: String,
    /// The rules.
    pub rules: Rules,
    /// `stored`, `config-order`, `config-profiles`, `store`.
    pub source: &'static str,
    /// The same in words.
    pub source_text: String,
    /// The order.
    pub order: Vec<String>,
    /// Every profile that it could have taken.
    pub profiles: Vec<ExplainedProfile>,
}

/// Why a profile stands where it stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedProfile {
    /// The profile.
    pub id: String,
    /// From 1; null when it isn't used.
    pub rank: Option<usize>,
    /// Whether it can be used, windows aside.
    pub eligible: bool,
    /// The releases' code: `ok`, `provider_mismatch` ...
    pub reason_code: &'static str,
    /// What it is ranked by, or why it isn't.
    pub text: String,
    /// End of the window that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooling_until: Option<i64>,
    /// RFC 3339 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooling_until_iso: Option<String>,
}

/// What a write changed, or would change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Write {
    /// Nothing was written: `--dry-run`.
    pub dry_run: bool,
    /// Whether anything differs.
    pub changed: bool,
    /// Each member.
    pub changes: Vec<MemberChange>,
    /// Files and databases written.
    pub written: Vec<String>,
    /// The backup made before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// The command that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// What else to know: a lock that was removed, a database that waits for the release's doctor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What a running gateway does with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<String>,
}

/// One JSON member that changed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberChange {
    /// The agent.
    pub agent: String,
    /// The file or database.
    pub path: String,
    /// Where in the document.
    pub json_path: String,
    /// The value before; null: not there.
    pub before: Option<Value>,
    /// The value after; null: removed.
    pub after: Option<Value>,
}

/// `cooldowns show`.
#[derive(Debug, Serialize)]
pub struct Cooldowns {
    /// One entry for each agent asked for.
    pub agents: Vec<AgentCooldowns>,
}

/// An agent's windows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCooldowns {
    /// The agent.
    pub agent: String,
    /// The rules that the windows follow.
    pub rules: Rules,
    /// The windows.
    pub windows: Vec<Window>,
    /// Providers none of whose profiles can be used now.
    pub providers_without_usable_profile: Vec<String>,
}

/// A window, or with `--all` a profile without one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// The profile, or `inline-api-key:<provider>`.
    pub profile: String,
    /// Its provider.
    pub provider: String,
    /// `cooldown`, `disabled`, `blocked`; null without a window.
    pub kind: Option<&'static str>,
    /// Whether it holds now.
    pub active: bool,
    /// A reason of a failure, or `subscription_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The only model that it holds for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who reported a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// RFC 3339 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_iso: Option<String>,
    /// How long it still holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_ms: Option<i64>,
    /// `errorCount`.
    pub error_count: u64,
    /// `heals by itself` or `needs operator`; with `--all` also `usable`, `expired`, `bypasses cooldowns`.
    pub ends_by: &'static str,
    /// The window that a failure right after this one's end would set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextWindow>,
    /// The file or database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A window that isn't there yet.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextWindow {
    /// `cooldown`, `disabled`, `blocked`.
    pub kind: &'static str,
    /// Its length.
    pub lasts_ms: i64,
}

/// `backup list`.
#[derive(Debug, Serialize)]
pub struct BackupList {
    /// Newest first.
    pub backups: Vec<Backup>,
}

/// `backup prune`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupPrune {
    /// Nothing was removed.
    pub dry_run: bool,
    /// The snapshots that were (or would be) removed, newest first.
    pub removed: Vec<String>,
    /// How many are left.
    pub kept: usize,
}

/// A snapshot.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// Its name.
    pub id: String,
    /// Its folder.
    pub path: String,
    /// When it was made.
    pub created_at: i64,
    /// RFC 3339 of it.
    pub created_at_iso: String,
    /// Why.
    pub reason: String,
    /// The command that made it.
    pub command: String,
    /// What it holds.
    pub files: Vec<BackupFile>,
    /// `undo` has used it.
    pub undone: bool,
}

/// A file of a snapshot.
#[derive(Debug, Serialize)]
pub struct BackupFile {
    /// Where it was copied from.
    pub original: String,
    /// Its size.
    pub bytes: u64,
    /// Hex SHA-256 of the copy.
    pub sha256: String,
}

/// The overview of `clawctl` alone.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The state folder.
    pub state_dir: String,
    /// Why this one.
    pub state_dir_why: String,
    /// The config file.
    pub config: String,
    /// `ok`, `missing`, or what is wrong with it.
    pub config_state: String,
    /// Where the data is.
    pub generation: &'static str,
    /// The agents.
    pub agents: Vec<OverviewAgent>,
}

/// An agent in the overview.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewAgent {
    /// The agent.
    pub agent: String,
    /// Its rules.
    pub rules: Rules,
    /// How many profiles it can use.
    pub profiles: usize,
    /// How many of them are usable now.
    pub usable: usize,
    /// Active windows.
    pub windows: usize,
    /// Providers none of whose profiles can be used now.
    pub providers_without_usable_profile: Vec<String>,
}
