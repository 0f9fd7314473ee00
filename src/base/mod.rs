//! Leaves that know nothing of OpenClaw.

pub mod env;
pub mod error;
pub mod exit;
pub mod text;
pub mod time;
