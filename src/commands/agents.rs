//! What commands that look at agents share.

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::context::Context;
use crate::installation::machine::{AgentView, Machine};
use crate::output::json::v1;
use crate::store::Agent;

/// Looks at agents one after another. With several, one whose store can't be read is reported and the
/// others go on; the first such error decides the status that comes back.
///
/// # Errors
/// The only agent's store can't be read, or `look` failed in a way that isn't an agent's.
pub(super) fn each_agent(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    agents: &[&Agent],
    mut look: impl FnMut(&mut Context<'_, '_>, &AgentView) -> anyhow::Result<()>,
) -> anyhow::Result<ExitStatus> {
    let mut status = ExitStatus::Ok;
    for view in machine.views(agents)? {
        let looked = view.map_err(anyhow::Error::from).and_then(|view| {
            context.store_notes(&view);
            look(context, &view)
        });
        match looked.map_err(anyhow::Error::downcast::<Error>) {
            Ok(()) => {}
            Err(Ok(error)) if agents.len() > 1 => {
                context.ui.error(&error);
                if status == ExitStatus::Ok {
                    status = error.kind.status();
                }
            }
            Err(Ok(error)) => return Err(error.into()),
            Err(Err(other)) => return Err(other),
        }
    }
    Ok(status)
}

/// The notes of a store for JSON.
pub(super) fn json_notes(view: &AgentView) -> Vec<v1::Note> {
    view.store
        .notes
        .iter()
        .map(|note| v1::Note { path: note.path.display().to_string(), text: note.text.clone() })
        .collect()
}

/// The rule set for JSON.
pub(super) fn json_rules(view: &AgentView) -> v1::Rules {
    v1::Rules { id: view.rules.set.id.clone(), why: view.rules.why.clone() }
}

/// The near match of a name, for hints.
pub(super) fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Exit 3 for a profile that isn't there, with the near match.
pub(super) fn no_such_profile(context: &mut Context<'_, '_>, view: &AgentView, id: &str) -> Error {
    let known: Vec<&str> = view.store.profiles.keys().map(crate::store::ProfileId::as_str).collect();
    let near = near(id, known.iter().copied()).map(|near| context.redact.id(near));
    let error =
        Error::nothing(format!("agent {} has no profile {}", view.store.agent, context.redact.id(id)));
    let error = match near {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error,
    };
    let list = context.suggested(&format!("auth list --agent {}", view.store.agent));
    error.hint(format!("see what there is: {list}"))
}

/// Exit 3 for a provider without any profile, with the near match.
pub(super) fn no_such_provider(view: &AgentView, provider: &str) -> Error {
    let known: Vec<String> = providers(view);
    let error = Error::nothing(format!("agent {} has no profile of provider {provider}", view.store.agent));
    match near(provider, known.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None if known.is_empty() => error,
        None => error.hint(format!("providers with profiles: {}", known.join(", "))),
    }
}

/// The providers that an agent has profiles of, as the rules spell them.
pub(super) fn providers(view: &AgentView) -> Vec<String> {
    let names = &view.rules.set.providers;
    let mut providers: Vec<String> = view
        .store
        .profiles
        .values()
        .filter_map(|profile| profile.credential.provider())
        .map(|provider| names.for_credentials(provider).into_owned())
        .collect();
    providers.sort();
    providers.dedup();
    providers
}
