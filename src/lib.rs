//! clawctl: admin toolkit for people who run OpenClaw gateways.

pub mod engine;
pub mod env;
pub mod error;
pub mod exit;
pub mod script;
pub mod time;
