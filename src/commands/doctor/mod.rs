//! `clawctl doctor`

pub mod explain;
pub mod rules;

use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use self::explain::DoctorExplain;
use self::rules::{DoctorRules, rule_id};
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::checks::doctor::{self, Applied, Finding, Repair, Safety, Selection, examine, planned, repair};
use crate::commands::args::DiagnosticFormat;
use crate::commands::args::FailOn;
use crate::commands::context::Context;
use crate::commands::write::{gateway, undo_command};
use crate::config::Severity;
use crate::installation::machine::Machine;
use crate::output::diagnostics::{self, Check, Diagnostic, Place, Report};
use crate::output::json::v1;
use crate::store::import::{Preferences, Side};
use crate::store::{Agent, AgentId, MemberChange, ProfileId, WriteContext};

/// `doctor`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Looks at every agent, unless --agent names some.

Examples:
  clawctl doctor
  clawctl doctor --fix --dry-run --diff
  clawctl doctor --fix --only legacy-not-imported
  clawctl doctor explain order-unknown-profile"
)]
pub struct Doctor {
    /// List the rules, or explain one
    #[command(subcommand)]
    pub command: Option<DoctorCommand>,
    /// Repair what can be repaired without loss; =all also drops data that nobody can use
    #[arg(long, value_enum, value_name = "LEVEL", num_args = 0..=1, require_equals = true,
          default_missing_value = "safe")]
    pub fix: Option<FixLevel>,
    /// Say what --fix would do, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show every JSON member that --fix changes (or would change), with secrets masked
    #[arg(long)]
    pub diff: bool,
    /// Ask only this rule; may be given several times
    #[arg(long, value_name = "ID", value_parser = rule_id, add = crate::commands::complete::rules())]
    pub only: Vec<String>,
    /// Don't ask this rule; may be given several times
    #[arg(long, value_name = "ID", value_parser = rule_id, add = crate::commands::complete::rules())]
    pub skip: Vec<String>,
    /// Decide conflicts of an import: store, file, or ID=store and ID=file for one profile
    #[arg(long, value_name = "SIDE", value_parser = preference, requires = "fix")]
    pub prefer: Vec<(Option<ProfileId>, Side)>,
    /// Exit with 6 when something at least this bad is left
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Warning)]
    pub fail_on: FailOn,
    /// Layout of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiagnosticFormat::Auto)]
    pub format: DiagnosticFormat,
}

/// What belongs to `doctor`.
#[derive(Debug, Subcommand)]
pub enum DoctorCommand {
    /// List the rules
    Rules(DoctorRules),
    /// Explain a rule: what it finds, why that matters, what its fix does
    Explain(DoctorExplain),
}

/// `--fix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FixLevel {
    /// What loses nothing.
    Safe,
    /// Also what drops data that nobody can use.
    All,
}

impl FixLevel {
    /// What such a repair may cost.
    #[must_use]
    pub const fn safety(self) -> Safety {
        match self {
            Self::Safe => Safety::Safe,
            Self::All => Safety::Dropping,
        }
    }
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Doctor) -> anyhow::Result<ExitStatus> {
    match &args.command {
        None => look(context, args),
        Some(DoctorCommand::Rules(args)) => rules::run(context, args),
        Some(DoctorCommand::Explain(args)) => explain::run(context, args),
    }
}

fn look(context: &mut Context<'_, '_>, args: &Doctor) -> anyhow::Result<ExitStatus> {
    let mut machine = context.machine()?;
    let agents: Vec<AgentId> = chosen(context, &machine)?.into_iter().map(|agent| agent.id.clone()).collect();
    let mut selection =
        Selection { only: args.only.clone(), skip: args.skip.clone(), prefer: preferences(args) };
    let state_dir = context.global.state_dir.clone();
    let found = {
        let agents = chosen(context, &machine)?;
        let mut found = examine(&machine, &agents, context.now, state_dir.clone(), &selection)?;
        if args.fix.is_some() && !args.dry_run && ask(context, &found, &mut selection)? {
            found = examine(&machine, &agents, context.now, state_dir.clone(), &selection)?;
        }
        found
    };
    let level = args.fix.unwrap_or(FixLevel::Safe).safety();
    let only_shows = args.dry_run || (args.diff && args.fix.is_none());
    let outcome = if only_shows {
        Repair {
            applied: planned(&machine, &found, level, &selection.prefer)?,
            remaining: found,
            ..Repair::default()
        }
    } else if args.fix.is_some() {
        let write = WriteContext { now: context.now, command: command(args) };
        repair(&mut machine, &agents, found, level, state_dir, &selection, &write)?
    } else {
        Repair { remaining: found, ..Repair::default() }
    };
    let repaired = (only_shows || args.fix.is_some()).then_some(only_shows);
    report(context, &machine, args, &outcome, repaired, agents.len())?;
    let fails = outcome.remaining.iter().any(|finding| args.fail_on.fails(finding.severity));
    Ok(if fails { ExitStatus::Findings } else { ExitStatus::Ok })
}

/// Every agent, unless some are named: what is wrong with one may be another's doing.
fn chosen<'m>(context: &Context<'_, '_>, machine: &'m Machine) -> anyhow::Result<Vec<&'m Agent>> {
    if context.global.agent.is_empty() {
        return Ok(machine.installation.agents().iter().collect());
    }
    Ok(machine.agents(&context.global.agents())?)
}

/// The answers given with `--prefer`.
fn preferences(args: &Doctor) -> Preferences {
    let mut prefer = Preferences::default();
    for (id, side) in &args.prefer {
        match id {
            Some(id) => {
                prefer.by_id.insert(id.clone(), *side);
            }
            None => prefer.all = Some(*side),
        }
    }
    prefer
}

/// Asks at a terminal which side of each conflict is kept; whether there was an answer.
fn ask(context: &mut Context<'_, '_>, found: &[Finding], selection: &mut Selection) -> anyhow::Result<bool> {
    let mut answered = false;
    for finding in found.iter().filter(|finding| finding.id == "legacy-conflict" && finding.fix.is_none()) {
        let Some(id) = &finding.place.profile else { continue };
        let question = redacted(context, finding, &finding.message);
        let answer =
            context.ui.choose(&question, &["decide later", "keep the store's", "take the file's"])?;
        let side = match answer {
            Some(1) => Side::Store,
            Some(2) => Side::File,
            _ => continue,
        };
        selection.prefer.by_id.insert(ProfileId::new(id.as_str()), side);
        answered = true;
    }
    Ok(answered)
}

/// The command as the backup's manifest names it.
fn command(args: &Doctor) -> String {
    let mut command = "doctor --fix".to_owned();
    if args.fix == Some(FixLevel::All) {
        command.push_str("=all");
    }
    for (option, ids) in [("--only", &args.only), ("--skip", &args.skip)] {
        for id in ids {
            command.push_str(&format!(" {option} {id}"));
        }
    }
    command
}

fn report(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    args: &Doctor,
    outcome: &Repair,
    dry_run: Option<bool>,
    agents: usize,
) -> anyhow::Result<()> {
    let wrote = !outcome.paths.is_empty();
    let gateway = if wrote { gateway(machine) } else { None };
    let undo: Vec<String> =
        outcome.backups.iter().rev().map(|backup| undo_command(context, backup.as_str())).collect();
    let json = context.global.json || args.format == DiagnosticFormat::Json;
    if json {
        let document = v1::Doctor {
            state_dir: machine.installation.places.state_dir.display().to_string(),
            generation: machine.installation.generation().name(),
            agents,
            findings: outcome.remaining.iter().map(|finding| json_finding(context, finding)).collect(),
            summary: summary(&outcome.remaining),
            repair: dry_run.map(|dry_run| v1::DoctorRepair {
                dry_run,
                applied: outcome.applied.iter().map(|applied| json_applied(context, applied)).collect(),
                refused: outcome
                    .refused
                    .iter()
                    .map(|(finding, why)| v1::DoctorRefused {
                        finding: json_finding(context, finding),
                        why: redacted(context, finding, why),
                    })
                    .collect(),
                written: outcome.paths.iter().map(|path| path.display().to_string()).collect(),
                backups: outcome.backups.iter().map(ToString::to_string).collect(),
                undo,
                remarks: outcome.remarks.clone(),
                gateway: gateway.clone(),
            }),
        };
        context.print_json(document)?;
    } else if matches!(
        args.format,
        DiagnosticFormat::Sarif | DiagnosticFormat::Github | DiagnosticFormat::Junit
    ) {
        for_machines(context, args, &outcome.remaining)?;
    } else {
        for applied in &outcome.applied {
            show_applied(context, applied, dry_run == Some(true), args.diff)?;
        }
        if dry_run != Some(true) || !outcome.applied.is_empty() {
            for finding in &outcome.remaining {
                show(context, finding)?;
            }
        }
        for (index, (finding, why)) in outcome.refused.iter().enumerate() {
            // Several findings may wait for one import.
            if !outcome.refused[..index].iter().any(|(_, said)| said == why) {
                let text = redacted(context, finding, why);
                context.ui.warn(format!("{} can't be fixed: {text}", finding.id));
            }
        }
        for remark in &outcome.remarks {
            context.ui.note(remark);
        }
        for path in &outcome.paths {
            context.ui.note(format!("changed and read back: {}", path.display()));
        }
        if !undo.is_empty() {
            context.ui.note(format!("undo: {}", undo.join(" && ")));
        }
        context.ui.note(conclusion(&outcome.remaining, outcome.applied.len(), dry_run, agents));
    }
    if let Some(text) = gateway {
        context.ui.warn(text);
    }
    Ok(())
}

/// The layouts that CI systems read: what is left, whatever was repaired.
fn for_machines(context: &mut Context<'_, '_>, args: &Doctor, findings: &[Finding]) -> anyhow::Result<()> {
    let selection = Selection { only: args.only.clone(), skip: args.skip.clone(), ..Selection::default() };
    let checks: Vec<Check<'_>> = doctor::rules()
        .iter()
        .filter(|rule| selection.takes(rule.id))
        .map(|rule| Check {
            id: rule.id,
            summary: rule.summary,
            help: rule.explanation,
            severity: rule.severity,
        })
        .collect();
    let mut files: Vec<PathBuf> = findings.iter().filter_map(|finding| finding.place.path.clone()).collect();
    files.sort();
    files.dedup();
    let mut diagnostics: Vec<Diagnostic<'_>> = Vec::with_capacity(findings.len());
    for finding in findings {
        let place = &finding.place;
        let agent = place.agent.as_ref().map(|agent| format!("agent {agent}"));
        let json_path = place.json_path.as_deref().map(|path| redacted(context, finding, path));
        let subject: Vec<String> = [agent, json_path].into_iter().flatten().collect();
        diagnostics.push(Diagnostic {
            id: finding.id,
            severity: finding.severity,
            message: redacted(context, finding, &finding.message),
            file: place.path.as_deref(),
            place: place.path.as_deref().map(|path| Place { path, text: None }),
            subject: (!subject.is_empty()).then(|| subject.join(", ")),
            labels: Vec::new(),
            hints: finding.next.iter().map(|next| redacted(context, finding, next)).collect(),
            fix: finding.fix.as_ref().map(|fix| {
                let title = redacted(context, finding, &fix.title);
                format!("clawctl doctor {}: {title}", option_of(fix.safety))
            }),
        });
    }
    let current_dir = context.env.current_dir.clone();
    let report = Report {
        command: "doctor",
        files: &files,
        checks: &checks,
        diagnostics: &diagnostics,
        current_dir: &current_dir,
        fails_from: args.fail_on.least(),
        excerpts: false,
    };
    let out = context.ui.out();
    match args.format {
        DiagnosticFormat::Github => diagnostics::github::write(out, &report)?,
        DiagnosticFormat::Junit => diagnostics::junit::write(out, &report)?,
        _ => crate::output::json::write(out, &diagnostics::sarif::log(&report))?,
    }
    Ok(())
}

/// The option that applies such a fix.
const fn option_of(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "--fix",
        Safety::Dropping => "--fix=all",
    }
}

fn summary(findings: &[Finding]) -> v1::DoctorSummary {
    let mut summary = v1::DoctorSummary::default();
    for finding in findings {
        match finding.severity {
            Severity::Error => summary.error += 1,
            Severity::Warning => summary.warning += 1,
            Severity::Info => summary.info += 1,
        }
        summary.fixable += usize::from(finding.fix.is_some());
    }
    summary
}

/// The last line for people.
fn conclusion(findings: &[Finding], applied: usize, dry_run: Option<bool>, agents: usize) -> String {
    let count = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    let mut text = match dry_run {
        Some(true) => {
            format!(
                "{} would be applied, nothing was written; ",
                count(applied, "fix").replace("fixs", "fixes")
            )
        }
        Some(false) => format!("{} applied and read back; ", count(applied, "fix").replace("fixs", "fixes")),
        None => String::new(),
    };
    let summary = summary(findings);
    if findings.is_empty() {
        text.push_str(&format!("nothing to report on {}", count(agents, "agent")));
        return text;
    }
    let parts =
        [count(summary.error, "error"), count(summary.warning, "warning"), format!("{} info", summary.info)];
    text.push_str(&format!("{} on {}", parts.join(", "), count(agents, "agent")));
    let safe = findings
        .iter()
        .filter(|finding| finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe))
        .count();
    if dry_run.is_none() && summary.fixable > 0 {
        let how = if safe == summary.fixable {
            "--fix"
        } else if safe == 0 {
            "--fix=all"
        } else {
            "--fix or --fix=all"
        };
        text.push_str(&format!("; clawctl doctor {how} repairs {}", summary.fixable));
    }
    text
}

/// A text with the ids in it replaced, when asked for.
fn redacted(context: &mut Context<'_, '_>, finding: &Finding, text: &str) -> String {
    if !context.redact.is_on() {
        return text.to_owned();
    }
    let mut ids: Vec<&String> = finding.place.profile.iter().chain(&finding.mentions).collect();
    // Longest first: one id may be the start of another.
    ids.sort_by_key(|id| std::cmp::Reverse(id.len()));
    ids.iter().fold(text.to_owned(), |text, id| text.replace(id.as_str(), &context.redact.id(id)))
}

fn json_finding(context: &mut Context<'_, '_>, finding: &Finding) -> v1::DoctorFinding {
    let place = &finding.place;
    let mut text = |text: &str| redacted(context, finding, text);
    v1::DoctorFinding {
        id: finding.id,
        severity: finding.severity.name(),
        message: text(&finding.message),
        path: place.path.as_ref().map(|path| path.display().to_string()),
        agent: place.agent.as_ref().map(ToString::to_string),
        profile: place.profile.as_deref().map(&mut text),
        json_path: place.json_path.as_deref().map(&mut text),
        next: finding.next.as_deref().map(&mut text),
        fix: finding
            .fix
            .as_ref()
            .map(|fix| v1::DoctorFix { title: text(&fix.title), safety: fix.safety.name() }),
    }
}

fn json_applied(context: &mut Context<'_, '_>, applied: &Applied) -> v1::DoctorApplied {
    let changes = applied
        .members
        .iter()
        .map(|member| v1::MemberChange {
            agent: applied.finding.fix.as_ref().map_or_else(String::new, |fix| fix.agent.to_string()),
            path: member.source.path.display().to_string(),
            json_path: json_path(context, member),
            before: value(context, member.before.as_deref()),
            after: value(context, member.after.as_deref()),
        })
        .collect();
    v1::DoctorApplied { finding: json_finding(context, &applied.finding), changes }
}

/// The member's path; the key of a profile is an id.
fn json_path(context: &mut Context<'_, '_>, member: &MemberChange) -> String {
    let mut keys = member.path.clone();
    if let [container, id, ..] = keys.as_mut_slice()
        && matches!(container.as_str(), "profiles" | "usageStats")
    {
        *id = context.redact.id(id);
    }
    keys.join(".")
}

/// A member's value; masked already where it holds secrets.
fn value(context: &mut Context<'_, '_>, text: Option<&str>) -> Option<Value> {
    let value: Value = serde_json::from_str(text?).ok()?;
    if !context.redact.is_on() {
        return Some(value);
    }
    Some(match value {
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).map(|id| Value::from(context.redact.id(id))).collect()
        }
        Value::String(id) => context.redact.id(&id).into(),
        Value::Object(_) => "[hidden]".into(),
        other => other,
    })
}

fn color(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// Path, agent and JSON path in one line.
fn place(context: &mut Context<'_, '_>, finding: &Finding) -> Option<String> {
    let place = &finding.place;
    let path = place.path.as_ref().map(|path| path.display().to_string());
    let agent = place.agent.as_ref().map(|agent| format!("agent {agent}"));
    let json_path = place.json_path.as_ref().map(|json_path| redacted(context, finding, json_path));
    let parts: Vec<String> = [path, agent, json_path].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn show(context: &mut Context<'_, '_>, finding: &Finding) -> io::Result<()> {
    let style = color(finding.severity);
    let message = redacted(context, finding, &finding.message);
    let place = place(context, finding);
    let fix = finding.fix.as_ref().map(|fix| (redacted(context, finding, &fix.title), option_of(fix.safety)));
    let next = finding.next.as_ref().map(|next| redacted(context, finding, next));
    let out = context.ui.out();
    writeln!(out, "{style}{}[{}]{style:#} {}", finding.severity.name(), finding.id, text::text(&message))?;
    if let Some(place) = place {
        writeln!(out, "    at: {}", text::text(&place))?;
    }
    if let Some((title, option)) = fix {
        writeln!(out, "   fix: {} ({option})", text::text(&title))?;
    }
    if let Some(next) = next {
        writeln!(out, "  next: {}", text::text(&next))?;
    }
    Ok(())
}

fn show_applied(
    context: &mut Context<'_, '_>,
    applied: &Applied,
    dry_run: bool,
    diff: bool,
) -> io::Result<()> {
    let finding = &applied.finding;
    let title = finding.fix.as_ref().map_or_else(String::new, |fix| redacted(context, finding, &fix.title));
    let place = place(context, finding).unwrap_or_default();
    let verb = if dry_run { "would fix" } else { "fixed" };
    writeln!(context.ui.out(), "{verb} {}: {} ({})", finding.id, text::text(&title), text::text(&place))?;
    if diff {
        for member in &applied.members {
            let path = json_path(context, member);
            let before = value(context, member.before.as_deref());
            let after = value(context, member.after.as_deref());
            let text =
                |value: Option<Value>| value.map_or_else(|| "(none)".to_owned(), |value| value.to_string());
            let out = context.ui.out();
            writeln!(out, "  {}", text::text(&path))?;
            writeln!(out, "  - {}", text::text(&text(before)))?;
            writeln!(out, "  + {}", text::text(&text(after)))?;
        }
    }
    Ok(())
}

fn preference(text: &str) -> Result<(Option<ProfileId>, Side), String> {
    let (id, side) = match text.rsplit_once('=') {
        Some((id, side)) => (Some(ProfileId::new(id.trim())), side),
        None => (None, text),
    };
    match side.trim() {
        "store" => Ok((id, Side::Store)),
        "file" => Ok((id, Side::File)),
        _ => Err("give store or file, or PROFILE=store or PROFILE=file".to_owned()),
    }
}
