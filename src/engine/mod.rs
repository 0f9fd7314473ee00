//! The failover engine: pure (no I/O, no clock, no environment) and one for all releases.
//! Releases differ by data (`rules`) and a few named switches.

pub mod classify;
pub mod types;

pub use types::{Family, Reason};
