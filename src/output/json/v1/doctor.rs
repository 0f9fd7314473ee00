//! `doctor`.

use serde::Serialize;

use super::MemberChange;

/// `doctor`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doctor {
    /// The state folder.
    pub state_dir: String,
    /// Where the data is: `json`, `agent-database`, `shared-store`.
    pub generation: &'static str,
    /// How many agents were looked at.
    pub agents: usize,
    /// What is wrong; after `--fix`, what is left.
    pub findings: Vec<DoctorFinding>,
    /// How many of each severity.
    pub summary: DoctorSummary,
    /// What `--fix` did; null without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<DoctorRepair>,
}

/// How many findings of each severity.
#[derive(Debug, Default, Serialize)]
pub struct DoctorSummary {
    /// OpenClaw fails, or a credential is unused or at risk.
    pub error: usize,
    /// Probably not meant.
    pub warning: usize,
    /// The rest.
    pub info: usize,
    /// Those that `--fix` or `--fix=all` repairs.
    pub fixable: usize,
}

/// One finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFinding {
    /// The rule.
    pub id: &'static str,
    /// `error`, `warning`, `info`.
    pub severity: &'static str,
    /// What is wrong, one sentence.
    pub message: String,
    /// The file, folder or database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Where in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_path: Option<String>,
    /// The command that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How `--fix` repairs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<DoctorFix>,
}

/// A repair.
#[derive(Debug, Serialize)]
pub struct DoctorFix {
    /// What it does.
    pub title: String,
    /// `safe`, or `dropping` (`--fix=all`).
    pub safety: &'static str,
}

/// What `--fix` did, or with `--dry-run` would do first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorRepair {
    /// Nothing was written.
    pub dry_run: bool,
    /// Each fix that was applied and read back.
    pub applied: Vec<DoctorApplied>,
    /// Fixes that can't be applied.
    pub refused: Vec<DoctorRefused>,
    /// Files, folders and databases that were changed.
    pub written: Vec<String>,
    /// Backups made before each write, in sequence.
    pub backups: Vec<String>,
    /// The commands that take it back, to be run in this sequence.
    pub undo: Vec<String>,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// What a running gateway does with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<String>,
}

/// A fix that was applied.
#[derive(Debug, Serialize)]
pub struct DoctorApplied {
    /// The finding that it repaired.
    pub finding: DoctorFinding,
    /// The JSON members that changed.
    pub changes: Vec<MemberChange>,
}

/// A fix that can't be applied.
#[derive(Debug, Serialize)]
pub struct DoctorRefused {
    /// The finding that stays.
    pub finding: DoctorFinding,
    /// Why.
    pub why: String,
}

/// `doctor rules`.
#[derive(Debug, Serialize)]
pub struct DoctorRules {
    /// Every rule.
    pub rules: Vec<DoctorRule>,
}

/// `doctor explain`, and an entry of `doctor rules`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorRule {
    /// Its id.
    pub id: &'static str,
    /// How bad its findings usually are.
    pub severity: &'static str,
    /// What it looks at.
    pub looks_at: &'static str,
    /// What it finds.
    pub summary: &'static str,
    /// Why that matters, and what the fix does.
    pub explanation: &'static str,
}
