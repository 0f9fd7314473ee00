//! What all writing commands share: plan for each agent, show, ask, apply, say how to undo.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::base::error::Result;
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::args::{ListFormat, WriteArgs};
use crate::commands::context::{Context, Layout};
use crate::installation::machine::{AgentView, Machine};
use crate::output::json::v1;
use crate::store::apply::apply_all;
use crate::store::plan::plan;
use crate::store::{Change, MemberChange, Plan, WriteContext};

/// The changes of one agent's store.
pub(super) struct Planned {
    agent: String,
    plan: Plan,
}

/// Finds out what the changes would write.
///
/// # Errors
/// The store can't be written safely.
pub(super) fn plan_for(machine: &Machine, view: &AgentView, changes: &[Change]) -> Result<Planned> {
    let plan = plan(&machine.installation, &view.store, changes)?;
    Ok(Planned { agent: view.store.agent.to_string(), plan })
}

/// Shows the plans and, unless `--dry-run`, applies them. `question` is asked first when given.
///
/// # Errors
/// A write failed: nothing is written then, unless the error says so.
pub(super) fn carry_out(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    plans: &[Planned],
    args: &WriteArgs,
    question: Option<&str>,
    command: &str,
) -> anyhow::Result<ExitStatus> {
    let json = context.layout(ListFormat::Auto) == Layout::Json;
    let changed = plans.iter().any(|planned| !planned.plan.members.is_empty());
    if !json {
        let ahead = args.dry_run || question.is_some();
        for planned in plans {
            show(context, planned, ahead)?;
        }
        // A question on stderr must not overtake what it is about.
        context.ui.out().flush()?;
    }
    let mut report = v1::Write {
        dry_run: args.dry_run,
        changed,
        changes: plans.iter().flat_map(|planned| json_changes(context, planned)).collect(),
        written: Vec::new(),
        backup: None,
        undo: None,
        remarks: Vec::new(),
        gateway: None,
    };
    let blocked: Vec<&str> = plans
        .iter()
        .filter(|planned| planned.plan.makes_blocking_database(&machine.installation))
        .map(|planned| planned.agent.as_str())
        .collect();
    let mut question = question.map(str::to_owned);
    if !blocked.is_empty() {
        let agents = blocked.join(", ");
        context.ui.warn(format!(
            "{agents} has no database yet. The one that this write makes has schema version 1: the release reads it, \
             but doesn't run that agent until its doctor has migrated it (openclaw doctor --fix). To do without: \
             run openclaw models auth order set once, which makes the release's own"
        ));
        question = Some(format!("Make the database of {agents} all the same?"));
    }
    if args.dry_run {
        context.ui.note("nothing was written (--dry-run)");
    } else if !changed {
        context.ui.note("nothing to change");
    } else {
        if let Some(question) = question
            && !context.ui.confirm(args.yes, &question)?
        {
            context.ui.note("nothing was written");
            return Ok(ExitStatus::Failed);
        }
        let write = WriteContext { now: context.now, command: command.to_owned() };
        let plans: Vec<&Plan> = plans.iter().map(|planned| &planned.plan).collect();
        let written = apply_all(&machine.installation, &plans, &write)?;
        for path in &written.paths {
            context.ui.note(format!("written and read back: {}", path.display()));
            report.written.push(path.display().to_string());
        }
        if let Some(backup) = written.backup {
            let undo = undo_command(context, backup.as_str());
            if machine.demo().is_some_and(|demo| !demo.is_kept()) {
                context
                    .ui
                    .note("the sample installation goes with this run; --demo=DIR keeps one to go on with");
            } else {
                context.ui.note(format!("backup {backup}; undo: {undo}"));
            }
            report.backup = Some(backup.to_string());
            report.undo = Some(undo);
        }
        for remark in written.remarks {
            context.ui.warn(&remark);
            report.remarks.push(remark);
        }
        report.gateway = gateway(machine);
        if let Some(text) = &report.gateway {
            context.ui.warn(text);
        }
    }
    if json {
        context.print_json(report)?;
    }
    Ok(ExitStatus::Ok)
}

/// The command that takes a write back.
pub(super) fn undo_command(context: &Context<'_, '_>, backup: &str) -> String {
    context.suggested(&format!("undo {}", text::shell_word(backup)))
}

/// `order.openai: ["a"] -> ["b"]`, on stdout.
fn show(context: &mut Context<'_, '_>, planned: &Planned, ahead: bool) -> anyhow::Result<()> {
    let verb = if ahead { "would change" } else { "change" };
    for member in &planned.plan.members {
        let before = value_text(context, member.before.as_deref());
        let after = value_text(context, member.after.as_deref());
        let path = json_path(context, member);
        writeln!(context.ui.out(), "{verb} {} of agent {}", text::text(&path), planned.agent)?;
        writeln!(context.ui.out(), "  before: {}\n  after:  {}", text::text(&before), text::text(&after))?;
        writeln!(context.ui.out(), "  in:     {}", text::text(&member.source.to_string()))?;
    }
    Ok(())
}

fn json_changes(context: &mut Context<'_, '_>, planned: &Planned) -> Vec<v1::MemberChange> {
    let value = |context: &mut Context<'_, '_>, text: Option<&str>| {
        text.and_then(|text| serde_json::from_str::<Value>(text).ok()).map(|value| redacted(context, value))
    };
    planned
        .plan
        .members
        .iter()
        .map(|member| v1::MemberChange {
            agent: planned.agent.clone(),
            path: member.source.path.display().to_string(),
            json_path: json_path(context, member),
            before: value(context, member.before.as_deref()),
            after: value(context, member.after.as_deref()),
        })
        .collect()
}

fn value_text(context: &mut Context<'_, '_>, text: Option<&str>) -> String {
    match text.map(serde_json::from_str::<Value>) {
        None => "(none)".to_owned(),
        Some(Ok(value)) => redacted(context, value).to_string(),
        // The store checked it when it planned; a text that isn't JSON is not repeated.
        Some(Err(_)) => "(unreadable)".to_owned(),
    }
}

/// Profile ids in the value replaced, when asked for. Only orders hold ids as values.
fn redacted(context: &mut Context<'_, '_>, value: Value) -> Value {
    if !context.redact.is_on() {
        return value;
    }
    match value {
        Value::Array(items) => items.into_iter().map(|item| redacted(context, item)).collect(),
        Value::String(id) => context.redact.id(&id).into(),
        other => other,
    }
}

/// The member's path; under `usageStats` the profile id is part of it.
fn json_path(context: &mut Context<'_, '_>, member: &MemberChange) -> String {
    if context.redact.is_on() && member.json_path.starts_with("usageStats") {
        return "usageStats.[hidden]".to_owned();
    }
    member.json_path.clone()
}

/// What a running gateway does with a write (seen with 2026.7.1 and 2026.9.6), when one answers.
pub(super) fn gateway(machine: &Machine) -> Option<String> {
    const PATIENCE: Duration = Duration::from_millis(150);
    // A sample installation has no gateway, whatever listens on that port.
    if machine.demo().is_some() {
        return None;
    }
    let port = machine.gateway_port();
    TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), PATIENCE).ok()?;
    Some(format!(
        "a gateway answers on port {port}: it works from its copy in memory and takes this over after its own \
         next write, one turn later. To make it take effect at once: openclaw gateway restart"
    ))
}
