//! What holds for every store, config and failure, whatever the rule set.

mod state;
