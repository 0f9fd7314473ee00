//! The rules, one file each; the file is named like the rule.

mod agent_db_owner_mismatch;
mod clock_skew;
mod counters_without_window;
mod duplicate_refresh_token;
mod duplicate_secret;
mod expires_in_seconds;
mod file_permissions;
mod folder_permissions;
mod integrity;
mod interrupted_import;
mod key_length_differs;
mod key_looks_like_command;
mod last_good_unknown;
mod legacy_conflict;
mod legacy_not_imported;
mod legacy_unparsable;
mod mixed_types_without_order;
mod mode_mismatch;
mod no_usable_secret;
mod non_canonical_field;
mod not_a_database;
mod oauth_callback_pasted;
mod oauth_expired_refreshable;
mod oauth_without_refresh;
mod order_duplicate;
mod order_under_alias;
mod order_unknown_profile;
mod order_without_usable_profile;
mod orphan_agent_folder;
mod orphan_usage_stats;
mod profile_not_in_config;
mod profile_only_in_config;
mod provider_spelling;
mod provider_without_profile;
mod schema_newer;
mod session_override_without_source;
mod session_pin_gone;
mod session_pinned_off_primary;
mod shared_store_marker_invalid;
mod stale_lock_files;
mod store_empty_backup_found;
mod store_unreadable;
mod stuck_window;
mod support;
mod symlinked_store;
mod token_expired;
mod unresolved_ref;
mod wal_on_readonly;
mod window_implausible;
mod window_unit;

mod prelude {
    pub(super) use serde_json::Value;

    pub(super) use super::support::*;
    pub(super) use crate::base::time::Millis;
    pub(super) use crate::checks::doctor::finding::Finding;
    pub(super) use crate::checks::doctor::fix::Fix;
    pub(super) use crate::checks::doctor::rule::{Check, LooksAt, Rule};
    pub(super) use crate::checks::doctor::scan::{AgentScan, Scan};
    pub(super) use crate::config::Severity;
    pub(super) use crate::store::{Change, ProfileId};
}

use super::rule::Rule;
use crate::engine::rules::nearest;

pub(super) use support::unreadable;

/// Every rule, in the order in which they are asked and listed.
static ALL: &[&Rule] = &[
    &interrupted_import::RULE,
    &legacy_not_imported::RULE,
    &legacy_conflict::RULE,
    &legacy_unparsable::RULE,
    &store_empty_backup_found::RULE,
    &not_a_database::RULE,
    &integrity::RULE,
    &store_unreadable::RULE,
    &schema_newer::RULE,
    &agent_db_owner_mismatch::RULE,
    &shared_store_marker_invalid::RULE,
    &wal_on_readonly::RULE,
    &symlinked_store::RULE,
    &stale_lock_files::RULE,
    &file_permissions::RULE,
    &folder_permissions::RULE,
    &orphan_agent_folder::RULE,
    &order_without_usable_profile::RULE,
    &order_unknown_profile::RULE,
    &order_duplicate::RULE,
    &order_under_alias::RULE,
    &last_good_unknown::RULE,
    &orphan_usage_stats::RULE,
    &window_unit::RULE,
    &window_implausible::RULE,
    &stuck_window::RULE,
    &counters_without_window::RULE,
    &clock_skew::RULE,
    &non_canonical_field::RULE,
    &provider_spelling::RULE,
    &mode_mismatch::RULE,
    &no_usable_secret::RULE,
    &unresolved_ref::RULE,
    &token_expired::RULE,
    &expires_in_seconds::RULE,
    &oauth_expired_refreshable::RULE,
    &oauth_without_refresh::RULE,
    &key_looks_like_command::RULE,
    &oauth_callback_pasted::RULE,
    &key_length_differs::RULE,
    &duplicate_refresh_token::RULE,
    &duplicate_secret::RULE,
    &mixed_types_without_order::RULE,
    &profile_only_in_config::RULE,
    &profile_not_in_config::RULE,
    &provider_without_profile::RULE,
    &session_pin_gone::RULE,
    &session_override_without_source::RULE,
    &session_pinned_off_primary::RULE,
];

/// Every rule, by what it looks at.
#[must_use]
pub fn rules() -> &'static [&'static Rule] {
    ALL
}

/// The rule of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// The id most like this one.
#[must_use]
pub fn near(id: &str) -> Option<String> {
    nearest(id, ALL.iter().map(|rule| rule.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_here_is_a_rule_that_is_asked() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/checks/doctor/rules");
        let mut files: Vec<String> = std::fs::read_dir(dir)
            .expect("the folder of the rules")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".rs", ""))
            .filter(|name| name != "mod" && name != "support")
            .map(|name| name.replace('_', "-"))
            .collect();
        let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
        files.sort_unstable();
        ids.sort_unstable();
        assert_eq!(files, ids);
    }

    #[test]
    fn ids_are_unique_and_in_kebab_case() {
        let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
        let kebab = |id: &str| id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(ids.iter().all(|id| kebab(id)), "{ids:?}");
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for rule in rules() {
            assert!(!rule.summary.ends_with('.') && rule.explanation.ends_with('.'), "{}", rule.id);
        }
    }
}
