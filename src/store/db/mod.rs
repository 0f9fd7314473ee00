//! OpenClaw's databases: [`pages`] reads rows without a trace, [`sqlite`] does everything else.

pub(crate) mod pages;
pub(crate) mod rows;
pub(crate) mod sqlite;
