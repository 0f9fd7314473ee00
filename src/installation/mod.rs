//! One installation put together: places, config, stores, the rules that hold there, and what every
//! profile is good for right now.

pub mod demo;
pub mod machine;
pub mod rulebook;
pub mod status;
