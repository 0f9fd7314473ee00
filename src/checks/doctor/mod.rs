//! `doctor`: what is wrong with an installation's credentials and their state, and how to repair it.
//!
//! A rule ([`Rule`], one file each in `rules/`) looks at the installation or at one agent and makes
//! [`Finding`]s; a [`Fix`] is data. [`examine`] runs the rules, [`repair`] applies fixes through the
//! store's one writer and looks again.

mod config_credentials;
mod finding;
mod fix;
mod registry;
mod repair;
mod rules;
mod scan;

pub use finding::{Finding, Place};
pub use fix::{Action, Fix, Safety};
pub use registry::{LooksAt, Rule, by_id, near, rules};
pub use repair::{Applied, Repair, planned, repair};
pub use scan::{Selection, examine};

pub use crate::config::Severity;
