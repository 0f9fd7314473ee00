//! `openclaw.json`: JSON5 with places, includes, variables, and what can be wrong with it.
//!
//! [`load`] never fails: a broken config must not stop commands that don't need it. The result
//! holds what could be read ([`Loaded::value`]) and what was found ([`Loaded::findings`]).

pub mod edit;
mod envsub;
pub mod explain;
mod finding;
pub mod fix;
mod include;
mod load;
mod node;
mod parse;
mod path;
pub mod schema;
mod secret;
mod source;
mod view;

pub use envsub::{EnvOrigin, EnvRef, env_file_names, has_variable};
pub use finding::{Edit, Finding, Fix, Label, Severity};
pub use include::INCLUDE;
pub use load::{LoadOptions, Loaded, Origin, load, load_bytes, locate};
pub use node::{Kind, Member, Node};
pub use parse::{MAX_DEPTH, Parsed, parse};
pub use path::{JsonPath, Step};
pub use secret::{is_secret_key, masked};
pub use source::{FileId, Source, Span};
pub use view::{ConfiguredAgent, agents, gateway_port, last_touched_version};
