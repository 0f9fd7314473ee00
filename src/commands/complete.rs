//! What the shell offers for profile ids, providers, agents and snapshots. The words typed so far say
//! which installation and which agents are meant; whatever can't be read offers nothing.

use std::ffi::OsString;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::base::env::Env;
use crate::base::time::Clock;
use crate::installation::machine::{AgentView, Machine, Where, WhichAgents};
use crate::store::backup;

/// Rules of `doctor`.
#[must_use]
pub fn rules() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        crate::checks::doctor::rules()
            .iter()
            .map(|rule| word(rule.id, Some(rule.summary.to_owned())))
            .collect()
    })
}

/// Agents of the installation.
#[must_use]
pub fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        offer(|machine, _| {
            machine.installation.agents().iter().map(|agent| word(agent.id.as_str(), None)).collect()
        })
    })
}

/// Profile ids of the agents; those of `--provider` when it was typed.
#[must_use]
pub fn profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        offer(|machine, words| {
            let provider = words.value("--provider").or_else(|| words.value("-p"));
            views(machine, words)
                .iter()
                .flat_map(|view| {
                    let names = &view.rules.set.providers;
                    let wanted =
                        provider.as_deref().map(|provider| names.for_credentials(provider).into_owned());
                    machine
                        .profiles(view, Clock::System.now())
                        .into_iter()
                        .filter(move |status| wanted.as_ref().is_none_or(|wanted| status.provider == *wanted))
                        .map(|status| {
                            let state = status.state.text(Clock::System.now());
                            word(status.profile.id.as_str(), Some(format!("{}, {state}", status.provider)))
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        })
    })
}

/// Providers that have a profile.
#[must_use]
pub fn providers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        offer(|machine, words| {
            let mut providers: Vec<String> = views(machine, words)
                .iter()
                .flat_map(|view| {
                    machine
                        .profiles(view, Clock::System.now())
                        .into_iter()
                        .map(|status| status.provider)
                        .collect::<Vec<_>>()
                })
                .collect();
            providers.sort();
            providers.dedup();
            providers.iter().map(|provider| word(provider, None)).collect()
        })
    })
}

/// Snapshots, newest first.
#[must_use]
pub fn backups() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        offer(|machine, _| {
            let (backups, _) = backup::list(&machine.installation).unwrap_or_default();
            backups.iter().map(|backup| word(backup.id.as_str(), Some(backup.command.clone()))).collect()
        })
    })
}

fn word(value: &str, help: Option<String>) -> CompletionCandidate {
    CompletionCandidate::new(value).help(help.map(Into::into))
}

/// The words of the command line that is being completed: what follows `--` in the shell's call.
struct Words(Vec<OsString>);

impl Words {
    fn typed() -> Self {
        Self(std::env::args_os().skip_while(|word| word != "--").skip(1).collect())
    }

    fn values(&self, flag: &str) -> Vec<String> {
        let mut values = Vec::new();
        let mut words = self.0.iter().filter_map(|word| word.to_str());
        while let Some(word) = words.next() {
            if word == flag {
                values.extend(words.next().map(str::to_owned));
            } else if let Some(value) = word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            }
        }
        values
    }

    fn value(&self, flag: &str) -> Option<String> {
        self.values(flag).pop()
    }

    fn agents(&self) -> WhichAgents {
        let ids: Vec<String> = self.values("--agent").into_iter().filter(|agent| !agent.is_empty()).collect();
        match self.0.iter().any(|word| word == "--all-agents") {
            true => WhichAgents::All,
            false if ids.is_empty() => WhichAgents::Default,
            false => WhichAgents::Named(ids),
        }
    }
}

fn offer(candidates: impl Fn(&Machine, &Words) -> Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let words = Words::typed();
    let place = Where::Real {
        state_dir: words.value("--state-dir").map(Into::into),
        config: words.value("--config").map(Into::into),
    };
    let machine = Machine::find(&place, &Env::of_process(), Clock::System.now());
    machine.map(|machine| candidates(&machine, &words)).unwrap_or_default()
}

/// The stores of the agents that were typed, as far as they can be read.
fn views(machine: &Machine, words: &Words) -> Vec<AgentView> {
    let Ok(agents) = machine.agents(&words.agents()) else { return Vec::new() };
    let Ok(views) = machine.views(&agents) else { return Vec::new() };
    views.filter_map(Result::ok).collect()
}
