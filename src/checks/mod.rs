//! What a person is told about an installation and its config.

pub mod config;
pub mod doctor;
