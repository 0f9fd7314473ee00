//! `clawctl auth ...`

pub mod list;
pub mod order;
pub mod remove;
pub mod show;
