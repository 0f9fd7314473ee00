//! Facts about OpenClaw that every room shares; no room of its own stands below but `base`.

pub mod release;
