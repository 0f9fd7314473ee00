//! The failover engine: pure (no I/O, no clock, no environment) and one for all releases.
//! Releases differ by data (`rules`) and a few named switches.

pub mod chain;
pub mod classify;
pub mod facts;
pub mod ids;
mod js;
mod models;
pub mod notice;
pub mod order;
pub mod rules;
pub mod run;
pub mod session;
pub mod state;
pub mod stored;
pub mod types;
pub mod usage;
pub mod view;

pub use facts::ProfileFacts;
pub use ids::{AgentId, ModelId, ModelRef, ProfileId, ProviderId};
pub use rules::RuleSet;
pub use state::{AuthState, UsageMap, UsageStats};
pub use types::{Family, Reason};
pub use view::EngineConfig;
