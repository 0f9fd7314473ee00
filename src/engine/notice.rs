//! What the user is told about fallbacks: once per change.

use serde_json::{Map, Value, json};

use super::ids::ModelRef;
use super::rules::RunRules;

/// What a session was told last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// The model that was selected.
    pub selected: Option<String>,
    /// The model that answered.
    pub active: Option<String>,
}

impl Told {
    /// Reads it from a session entry.
    #[must_use]
    pub fn of(run: &RunRules, entry: &Map<String, Value>) -> Self {
        let text = |value: Option<&Value>| {
            value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_string)
        };
        if run.pins.notice_is_object {
            let notice = entry.get("fallbackNotice");
            let member = |key: &str| text(notice.and_then(|notice| notice.get(key)));
            Self { selected: member("selectedModel"), active: member("activeModel") }
        } else {
            Self {
                selected: text(entry.get("fallbackNoticeSelectedModel")),
                active: text(entry.get("fallbackNoticeActiveModel")),
            }
        }
    }

    fn is_fallback(&self) -> bool {
        matches!((&self.selected, &self.active), (Some(selected), Some(active)) if selected != active)
    }
}

/// Compares what answered with what the session was told, writes the new state into its entry and
/// returns what to say. `reason` is the first failure of the turn, in words.
pub fn after_answer(
    run: &RunRules,
    entry: &mut Map<String, Value>,
    selected: &ModelRef,
    active: &ModelRef,
    reason: &str,
) -> Option<String> {
    let told = Told::of(run, entry);
    if selected == active {
        forget(entry);
        let previous = told.active.clone()?;
        return told.is_fallback().then(|| format!("↪️ Model Fallback cleared: {selected} (was {previous})"));
    }
    let (selected_text, active_text) = (selected.to_string(), active.to_string());
    let same =
        told.selected.as_deref() == Some(&selected_text) && told.active.as_deref() == Some(&active_text);
    let notice =
        (!same).then(|| format!("↪️ Model Fallback: {active_text} (selected {selected_text}; {reason})"));
    if !same {
        forget(entry);
        if run.pins.notice_is_object {
            let state = json!({"selectedModel": selected_text, "activeModel": active_text, "reason": reason});
            entry.insert("fallbackNotice".into(), state);
        } else {
            entry.insert("fallbackNoticeSelectedModel".into(), selected_text.into());
            entry.insert("fallbackNoticeActiveModel".into(), active_text.into());
            entry.insert("fallbackNoticeReason".into(), reason.into());
        }
    }
    notice
}

/// Removes what the session was told.
pub fn forget(entry: &mut Map<String, Value>) {
    for key in
        ["fallbackNotice", "fallbackNoticeSelectedModel", "fallbackNoticeActiveModel", "fallbackNoticeReason"]
    {
        entry.shift_remove(key);
    }
}

/// What a session that the user pinned off the configured primary says.
#[must_use]
pub fn pinned_off(pinned: &ModelRef, primary: &ModelRef) -> String {
    format!(
        "This session is pinned to {pinned}; config primary {primary} will apply to new/unpinned sessions."
    )
}

/// What a pick outside of the allow list at this config path is answered with.
#[must_use]
pub fn not_allowed(model: &ModelRef, list: &str) -> String {
    format!("Model override \"{model}\" is not allowed by {list}.")
}
