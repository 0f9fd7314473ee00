//! Real OpenClaw releases and clawctl on the same state: each reads what the other wrote.
//!
//! One release for each generation of stores: 2026.5.7, 2026.7.1, 2026.9.6. They are installed on the
//! first run (`setup.sh`); a test that can't get them fails. Every test works on a home of its own.

mod documents;
mod first_database;
mod gateway;
mod import;
mod lists;
mod openclaw;
mod orders;
mod reads;
mod windows;
mod writers;

/// A test for each release.
macro_rules! on_each_release {
    ($check:ident) => {
        mod $check {
            use crate::openclaw::Release;

            #[test]
            fn json_files() {
                super::$check(Release::Json);
            }

            #[test]
            fn agent_databases() {
                super::$check(Release::AgentDatabase);
            }

            #[test]
            fn shared_store() {
                super::$check(Release::SharedStore);
            }
        }
    };
}
pub(crate) use on_each_release;
