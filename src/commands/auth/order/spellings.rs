//! Stored orders of a provider, however the provider is spelled.

use crate::installation::machine::AgentView;
use crate::store::Source;

/// The keys under which the agent's own state holds an order of this provider.
pub(super) fn own_spellings<'a>(view: &'a AgentView, provider: &str) -> impl Iterator<Item = &'a str> {
    let names = &view.rules.set.providers;
    let wanted = names.for_credentials(provider).into_owned();
    let keys = view.store.own_state.order.keys().map(String::as_str);
    keys.filter(move |key| names.for_credentials(key) == wanted)
}

/// The document of an order of this provider that the agent inherits.
pub(super) fn inherited<'a>(view: &'a AgentView, provider: &str) -> Option<&'a Source> {
    let names = &view.rules.set.providers;
    let wanted = names.for_credentials(provider);
    let mut orders = view.store.state.order.iter();
    orders.find(|(key, _)| names.for_credentials(key) == wanted).map(|(_, order)| &*order.source)
}
