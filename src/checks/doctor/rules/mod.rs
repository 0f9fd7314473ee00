//! The rules, one file each; the file is named like the rule.

mod support;

mod prelude {
    pub(super) use serde_json::Value;

    pub(super) use super::support::*;
    pub(super) use crate::base::time::Millis;
    pub(super) use crate::checks::doctor::finding::Finding;
    pub(super) use crate::checks::doctor::fix::Fix;
    pub(super) use crate::checks::doctor::registry::{Check, LooksAt, Rule};
    pub(super) use crate::checks::doctor::scan::{AgentScan, Scan};
    pub(super) use crate::config::Severity;
    pub(super) use crate::store::{Change, ProfileId};
}

pub(super) use support::unreadable;

macro_rules! rules {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        /// Every rule.
        pub(super) static ALL: &[&super::registry::Rule] = &[$(&$name::RULE),+];
    };
}

rules! {
    interrupted_import,
    legacy_not_imported,
    legacy_conflict,
    legacy_unparsable,
    store_empty_backup_found,
    not_a_database,
    integrity,
    store_unreadable,
    schema_newer,
    agent_db_owner_mismatch,
    shared_store_marker_invalid,
    wal_on_readonly,
    symlinked_store,
    stale_lock_files,
    file_permissions,
    folder_permissions,
    orphan_agent_folder,
    order_without_usable_profile,
    order_unknown_profile,
    order_duplicate,
    order_under_alias,
    last_good_unknown,
    orphan_usage_stats,
    window_unit,
    window_implausible,
    stuck_window,
    counters_without_window,
    clock_skew,
    non_canonical_field,
    provider_spelling,
    mode_mismatch,
    no_usable_secret,
    unresolved_ref,
    token_expired,
    expires_in_seconds,
    oauth_expired_refreshable,
    oauth_without_refresh,
    key_looks_like_command,
    oauth_callback_pasted,
    key_length_differs,
    duplicate_refresh_token,
    duplicate_secret,
    mixed_types_without_order,
    profile_only_in_config,
    profile_not_in_config,
    provider_without_profile,
    session_pin_gone,
    session_override_without_source,
    session_pinned_off_primary,
}
