//! Looking: every agent is read once, one after the other, and every rule is asked.

use std::path::PathBuf;

use super::finding::Finding;
use super::rule::{Check, Rule};
use super::rules;
use super::scan::{AgentScan, Scan};
use crate::base::error::{Error, Result};
use crate::base::time::Millis;
use crate::installation::machine::Machine;
use crate::store::import::Preferences;
use crate::store::{Agent, Reader};

/// Which rules are asked.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only these; all when empty.
    pub only: Vec<String>,
    /// Not these.
    pub skip: Vec<String>,
    /// How conflicts of an import are decided.
    pub prefer: Preferences,
}

impl Selection {
    /// Whether the rule is asked.
    #[must_use]
    pub fn takes(&self, id: &str) -> bool {
        let named = |ids: &[String]| ids.iter().any(|known| known == id);
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

/// Looks at these agents and what they share.
///
/// # Errors
/// The shared store can't be read at all for a reason that is no finding (`Busy`, `Failed`).
pub fn examine(
    machine: &Machine,
    agents: &[&Agent],
    now: Millis,
    state_dir: Option<PathBuf>,
    selection: &Selection,
) -> Result<Vec<Finding>> {
    let scan = Scan::new(machine, agents, now, state_dir, &selection.prefer)?;
    let asked: Vec<&Rule> = rules::rules().iter().copied().filter(|rule| selection.takes(rule.id)).collect();
    let mut found = Vec::new();
    for rule in &asked {
        if let Check::Before(check) = rule.check {
            check(&scan, &mut found);
        }
    }
    let reader = match Reader::new(&machine.installation) {
        Ok(reader) => Some(reader),
        Err(error) => {
            unreadable(&scan, None, &error, selection, &mut found)?;
            None
        }
    };
    let main_dir = machine.installation.main_dir();
    let shared = machine.installation.generation() == crate::store::Generation::SharedStore;
    let main_too = agents.iter().any(|agent| agent.dir == main_dir);
    let mut first = true;
    for agent in agents {
        for rule in &asked {
            if let Check::Folder(check) = rule.check {
                check(&scan, agent, &mut found);
            }
        }
        let Some(reader) = &reader else { continue };
        let view = match reader.read(agent) {
            Ok(store) => machine.view(store),
            Err(error) => {
                unreadable(&scan, Some(agent), &error, selection, &mut found)?;
                continue;
            }
        };
        let profiles = machine.profiles(&view, now);
        let inherited = std::mem::take(&mut first) && (shared || !main_too);
        let agent = AgentScan::new(&scan, agent, &view, profiles, inherited);
        agent.collect();
        for rule in &asked {
            if let Check::Agent(check) = rule.check {
                check(&agent, &mut found);
            }
        }
    }
    for rule in &asked {
        if let Check::After(check) = rule.check {
            check(&scan, &mut found);
        }
    }
    Ok(found)
}

/// A store that can't be read is a finding of the rule that its error belongs to.
fn unreadable(
    scan: &Scan<'_>,
    agent: Option<&Agent>,
    error: &Error,
    selection: &Selection,
    found: &mut Vec<Finding>,
) -> Result<()> {
    let finding = rules::unreadable(scan, agent, error)?;
    let known = found.iter().any(|known| known.id == finding.id && known.place.path == finding.place.path);
    if selection.takes(finding.id) && !known {
        found.push(finding);
    }
    Ok(())
}
