//! How results are printed. Knows data, not commands.

pub mod diagnostics;
pub mod json;
pub mod list;
pub mod redact;
pub mod when;
