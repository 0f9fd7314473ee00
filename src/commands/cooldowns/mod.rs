//! `clawctl cooldowns ...`

pub mod clear;
pub mod show;
