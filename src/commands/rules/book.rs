//! A rule set that the command line names.

use crate::base::error::{Error, Result};
use crate::commands::context::Context;
use crate::installation::rulebook::Rulebook;

/// The rule set that an argument names.
pub(super) fn book(context: &Context<'_, '_>, text: &str) -> Result<Rulebook> {
    Rulebook::named(Some(text), &context.env.current_dir)?
        .ok_or_else(|| Error::usage("\"auto\" names no rule set here").hint("name one: clawctl rules list"))
}
