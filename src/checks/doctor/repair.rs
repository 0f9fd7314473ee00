//! Repairing: the fixes that were asked for, through the store's one writer, until nothing is left to
//! do.
//!
//! Fixes of one look are written together, each file in one transaction or one rename. Two that
//! touch the same member don't meet in one write: the second is for the next look, which sees what the
//! first one made of it.

use std::path::PathBuf;

use super::config_credentials;
use super::examine::{Selection, examine};
use super::finding::Finding;
use super::fix::{Action, Fix, Safety};
use crate::base::error::{Error, ErrorKind, Result};
use crate::installation::machine::Machine;
use crate::store::apply::apply_all;
use crate::store::change::Edit;
use crate::store::import::{self, Imported, Preferences};
use crate::store::plan::plan;
use crate::store::{
    AgentId, AuthStore, BackupId, Change, MemberChange, Plan, Reader, WriteContext, atomic, lock,
};

/// No chain of fixes is longer: each look repairs what the one before uncovered.
const MOST_LOOKS: usize = 10;

/// A fix that was applied and read back.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The finding that it repaired.
    pub finding: Finding,
    /// The members of stores that it changed.
    pub members: Vec<MemberChange>,
}

/// What a repair did, and what is left.
#[derive(Debug, Default)]
pub struct Repair {
    /// The fixes that were applied.
    pub applied: Vec<Applied>,
    /// Findings whose fix can't be applied, and why.
    pub refused: Vec<(Finding, String)>,
    /// What the last look found.
    pub remaining: Vec<Finding>,
    /// One for each write, in sequence.
    pub backups: Vec<BackupId>,
    /// Files, folders and databases that were changed.
    pub paths: Vec<PathBuf>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// What a fix would change.
#[derive(Debug)]
struct Prepared<'a> {
    finding: &'a Finding,
    plan: Option<Plan>,
    /// What it does outside of stores.
    other: Vec<&'a Action>,
}

/// The agent's fixes that this level allows, with what they would change, in the sequence in which
/// they are written; and those that can't be.
struct Round<'a> {
    prepared: Vec<Prepared<'a>>,
    refused: Vec<(&'a Finding, Error)>,
}

fn wanted(finding: &Finding, level: Safety) -> Option<&Fix> {
    finding.fix.as_ref().filter(|fix| fix.safety <= level)
}

fn imports(fix: &Fix) -> bool {
    fix.actions.iter().any(Action::is_import)
}

fn prepare<'a>(machine: &Machine, findings: &'a [Finding], level: Safety) -> Result<Round<'a>> {
    let mut round = Round { prepared: Vec::new(), refused: Vec::new() };
    let mut accepted: Vec<Edit> = Vec::new();
    let mut store: Option<(AgentId, AuthStore)> = None;
    for finding in findings {
        let Some(fix) = wanted(finding, level).filter(|fix| !imports(fix)) else { continue };
        let changes: Vec<Change> = fix
            .actions
            .iter()
            .filter_map(|action| match action {
                Action::Store(change) => Some(change.clone()),
                _ => None,
            })
            .collect();
        let other = fix.actions.iter().filter(|action| !matches!(action, Action::Store(_))).collect();
        let plan = if changes.is_empty() {
            None
        } else {
            if store.as_ref().is_none_or(|(agent, _)| *agent != fix.agent) {
                let agent = machine.installation.agent(&fix.agent)?;
                store = Some((fix.agent.clone(), Reader::new(&machine.installation)?.read(agent)?));
            }
            let Some((_, store)) = &store else { continue };
            match plan(&machine.installation, store, &changes) {
                Ok(plan) => Some(plan),
                Err(error) => {
                    round.refused.push((finding, error));
                    continue;
                }
            }
        };
        let edits = plan.iter().flat_map(|plan| &plan.edits);
        let clashes = |edit: &Edit| accepted.iter().any(|taken| edit.overlaps(taken) && !edit.is_same(taken));
        if edits.clone().any(clashes) {
            continue;
        }
        accepted.extend(edits.cloned());
        round.prepared.push(Prepared { finding, plan, other });
    }
    Ok(round)
}

/// What `--fix` would do first, for `--dry-run`: the findings whose fixes would be applied, with the
/// members they change.
///
/// # Errors
/// A store can't be read.
pub fn planned(
    machine: &Machine,
    findings: &[Finding],
    level: Safety,
    prefer: &Preferences,
) -> Result<Vec<Applied>> {
    let mut applied = Vec::new();
    let mut shown = Vec::new();
    for finding in findings {
        let Some(fix) = wanted(finding, level).filter(|fix| imports(fix)) else { continue };
        let mut members = Vec::new();
        for action in &fix.actions {
            // One import makes up for all findings about its files: its changes are shown once.
            let key = (&fix.agent, action.import_key());
            if !shown.contains(&key) {
                shown.push(key);
                members.extend(import_members(machine, &fix.agent, action, prefer)?);
            }
        }
        applied.push(Applied { finding: finding.clone(), members });
    }
    let round = prepare(machine, findings, level)?;
    applied.extend(round.prepared.into_iter().map(|prepared| Applied {
        finding: prepared.finding.clone(),
        members: prepared.plan.map(|plan| plan.members).unwrap_or_default(),
    }));
    Ok(applied)
}

fn import_members(
    machine: &Machine,
    agent: &AgentId,
    action: &Action,
    prefer: &Preferences,
) -> Result<Vec<MemberChange>> {
    let installation = &machine.installation;
    let agent = installation.agent(agent)?;
    match action {
        Action::Import => import::plan(installation, agent, config_credentials::of(machine, agent), prefer)
            .map(|plan| plan.members),
        Action::ImportArchive { path } => {
            import::plan_from_archive(installation, agent, path, prefer).map(|plan| plan.members)
        }
        _ => Ok(Vec::new()),
    }
}

/// Repairs what these findings and the looks after it allow.
///
/// # Errors
/// A write failed; what was written before it is in the backups that the error names.
pub fn repair(
    machine: &mut Machine,
    agents: &[AgentId],
    findings: Vec<Finding>,
    level: Safety,
    state_dir: Option<PathBuf>,
    selection: &Selection,
    context: &WriteContext,
) -> Result<Repair> {
    let mut repair = Repair { remaining: findings, ..Repair::default() };
    finish_interrupted(machine, agents, &mut repair, &state_dir, context)?;
    let mut failed: Vec<(Finding, Error)> = Vec::new();
    for _ in 0..MOST_LOOKS {
        let findings = std::mem::take(&mut repair.remaining);
        if !run_imports(machine, &findings, level, &mut repair, &mut failed, &selection.prefer, context)? {
            let round = prepare(machine, &findings, level)?;
            let is_done = round.prepared.is_empty();
            if is_done {
                failed.extend(round.refused.into_iter().map(|(finding, error)| (finding.clone(), error)));
                repair.remaining = findings;
                break;
            }
            apply(machine, round.prepared, &mut repair, context)?;
        }
        machine.installation.refresh();
        let agents = agents.iter().map(|id| machine.installation.agent(id)).collect::<Result<Vec<_>>>()?;
        repair.remaining = examine(machine, &agents, context.now, state_dir.clone(), selection)?;
    }
    let busy = failed.iter().position(|(_, error)| error.kind == ErrorKind::Busy);
    if let Some(index) = busy.filter(|_| repair.applied.is_empty()) {
        return Err(failed.swap_remove(index).1);
    }
    repair.refused = failed.into_iter().map(|(finding, error)| (finding, told(&error))).collect();
    Ok(repair)
}

/// What an earlier run left half-done comes first, whichever rules are asked: the same command again
/// finishes it.
fn finish_interrupted(
    machine: &Machine,
    agents: &[AgentId],
    repair: &mut Repair,
    state_dir: &Option<PathBuf>,
    context: &WriteContext,
) -> Result<()> {
    const RULE: &str = "interrupted-import";
    let known = repair.remaining.iter().any(|finding| finding.id == RULE);
    if known || import::pending(&machine.installation).is_ok_and(|pending| pending.is_empty()) {
        return Ok(());
    }
    let only = Selection { only: vec![RULE.to_owned()], ..Selection::default() };
    let agents = agents.iter().map(|id| machine.installation.agent(id)).collect::<Result<Vec<_>>>()?;
    let found = examine(machine, &agents, context.now, state_dir.clone(), &only)?;
    repair.remaining.splice(0..0, found);
    Ok(())
}

/// An error in one line, with its cause.
fn told(error: &Error) -> String {
    match &error.source {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// How an import ended: for every finding that waits for it.
type Outcome = Result<(), (ErrorKind, String)>;

/// Runs the imports among the fixes, each once; whether there was one.
fn run_imports(
    machine: &Machine,
    findings: &[Finding],
    level: Safety,
    repair: &mut Repair,
    failed: &mut Vec<(Finding, Error)>,
    prefer: &Preferences,
    context: &WriteContext,
) -> Result<bool> {
    // One import makes up for every finding about its files: it runs once, with one outcome.
    let mut outcomes: Vec<((&AgentId, Option<_>), Outcome)> = Vec::new();
    let mut any = false;
    for finding in findings {
        let Some(fix) = wanted(finding, level).filter(|fix| imports(fix)) else { continue };
        let known = |(known, _): &(Finding, Error)| known.id == finding.id && known.place == finding.place;
        if failed.iter().any(known) {
            continue;
        }
        let mut members = Vec::new();
        let mut first_error = None;
        let mut result = Ok(());
        for action in &fix.actions {
            let key = (&fix.agent, action.import_key());
            let before: Option<Outcome> =
                outcomes.iter().find(|(known, _)| *known == key).map(|(_, outcome)| Outcome::clone(outcome));
            let outcome = match before {
                Some(outcome) => outcome,
                None => {
                    let outcome = match run_import(machine, &fix.agent, action, prefer, context) {
                        Ok(imported) => {
                            members.extend(take(repair, imported));
                            Ok(())
                        }
                        Err(error) => {
                            let outcome = Err((error.kind, told(&error)));
                            first_error = Some(error);
                            outcome
                        }
                    };
                    outcomes.push((key, outcome.clone()));
                    outcome
                }
            };
            result = result.and(outcome);
        }
        match result {
            Ok(()) => {
                any = true;
                repair.applied.push(Applied { finding: finding.clone(), members });
            }
            Err((kind, message)) => {
                let error = first_error.unwrap_or_else(|| Error::new(kind, message));
                failed.push((finding.clone(), error));
            }
        }
    }
    Ok(any)
}

/// Adds what an import did, apart from the members that it changed.
fn take(repair: &mut Repair, imported: Imported) -> Vec<MemberChange> {
    repair.backups.extend(imported.backup);
    repair.remarks.extend(imported.remarks);
    let moved = imported.moved.into_iter();
    repair.remarks.extend(moved.map(|(from, to)| format!("moved {} to {}", from.display(), to.display())));
    add_paths(&mut repair.paths, imported.paths);
    imported.members
}

fn run_import(
    machine: &Machine,
    agent: &AgentId,
    action: &Action,
    prefer: &Preferences,
    context: &WriteContext,
) -> Result<Imported> {
    let installation = &machine.installation;
    let agent = installation.agent(agent)?;
    match action {
        Action::Import => {
            let plan = import::plan(installation, agent, config_credentials::of(machine, agent), prefer)?;
            if plan.does_something() {
                import::import(installation, &plan, context)
            } else {
                Ok(Imported::default())
            }
        }
        Action::ImportArchive { path } => {
            let plan = import::plan_from_archive(installation, agent, path, prefer)?;
            import::import(installation, &plan, context)
        }
        Action::ResumeImport => {
            let journal =
                import::pending(installation)?.into_iter().find(|journal| journal.agent == agent.id);
            journal.map_or_else(
                || Ok(Imported::default()),
                |journal| import::resume(installation, &journal, context),
            )
        }
        Action::Archive { path } => import::archive_unread(installation, path, context),
        _ => Ok(Imported::default()),
    }
}

fn add_paths(known: &mut Vec<PathBuf>, mut paths: Vec<PathBuf>) {
    paths.sort();
    for path in paths {
        if !known.contains(&path) {
            known.push(path);
        }
    }
}

fn apply(
    machine: &Machine,
    prepared: Vec<Prepared<'_>>,
    repair: &mut Repair,
    context: &WriteContext,
) -> Result<()> {
    let plans: Vec<&Plan> = prepared.iter().filter_map(|prepared| prepared.plan.as_ref()).collect();
    let written = apply_all(&machine.installation, &plans, context)?;
    repair.backups.extend(written.backup);
    repair.remarks.extend(written.remarks);
    let mut paths = written.paths;
    for prepared in prepared {
        for action in prepared.other {
            paths.push(act(action)?);
        }
        let members = prepared.plan.map(|plan| plan.members).unwrap_or_default();
        repair.applied.push(Applied { finding: prepared.finding.clone(), members });
    }
    add_paths(&mut repair.paths, paths);
    Ok(())
}

/// What a fix does outside of stores; each of these is done or not at all, and may be done again.
fn act(action: &Action) -> Result<PathBuf> {
    match action {
        Action::RemoveTemporary { path } => atomic::remove(path).map(|()| path.clone()),
        Action::SetMode { path, mode } => atomic::set_mode(path, *mode).map(|()| path.clone()),
        Action::RemoveLock { path } => lock::remove_abandoned(path).map(|()| path.clone()),
        // Stores go through the store's writer, imports come before.
        Action::Store(_)
        | Action::Import
        | Action::ImportArchive { .. }
        | Action::ResumeImport
        | Action::Archive { .. } => Err(Error::failed("no action outside of stores")),
    }
}
