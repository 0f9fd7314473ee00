//! `doctor`: what is wrong with an installation's credentials and their state, and how to repair it.
//!
//! A rule ([`Rule`], one file each in `rules/`) looks at the installation or at one agent and makes
//! [`Finding`]s; a [`Fix`] is data. [`examine`] runs the rules, [`repair`] applies fixes through the
//! store's one writer and looks again.

mod config_credentials;
mod examine;
mod finding;
mod fix;
mod repair;
mod rule;
mod rules;
mod scan;

pub use examine::{Selection, examine};
pub use finding::{Finding, Place};
pub use fix::{Action, Fix, Safety};
pub use repair::{Applied, Repair, planned, repair};
pub use rule::{LooksAt, Rule};
pub use rules::{by_id, near, rules};

pub use crate::config::Severity;
