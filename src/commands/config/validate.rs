//! `clawctl config validate`

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use serde::Serialize;

use super::reading::{ConfigChecks, ConfigRead, load, missing, own_config, selection, target};
use crate::base::error::{Error, Result};
use crate::base::exit::ExitStatus;
use crate::checks::config::{self as lints, StoreProfile, StoreView};
use crate::commands::args::DiagnosticFormat;
use crate::commands::args::FailOn;
use crate::commands::context::Context;
use crate::config::{FileId, Finding, Loaded, Span};
use crate::output::diagnostics::{self, Check, Diagnostic, Place, Report};

/// `config validate`.
#[derive(Debug, Args)]
#[command(after_help = "A folder means its *.json and *.json5 files, and every openclaw.json below it;
files that another one includes aren't checked on their own.

Examples:
  clawctl config validate
  clawctl config validate --for 2026.9 deploy/
  clawctl config validate --no-env --fail-on warning --format github openclaw.json
  clawctl config validate --format sarif openclaw.json > clawctl.sarif
  envsubst < template.json5 | clawctl config validate -
  clawctl config validate --explain agent-model-is-strict")]
pub struct ConfigValidate {
    /// Files or folders; - is standard input [default: the installation's config]
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Which checks
    #[command(flatten)]
    pub checks: ConfigChecks,
    /// How to read
    #[command(flatten)]
    pub read: ConfigRead,
    /// Compare with the profiles of the agent's store on this machine
    #[arg(long)]
    pub with_store: bool,
    /// Exit with 6 when something at least this bad is found
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// Layout of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiagnosticFormat::Auto)]
    pub format: DiagnosticFormat,
    /// Say what a check is about, and stop
    #[arg(long, value_name = "ID", conflicts_with_all = ["files", "with_store"])]
    pub explain: Option<String>,
}

/// Files that a folder may hold, so that a wrong folder doesn't take forever.
const MAX_FILES: usize = 10_000;

pub(crate) fn run(context: &mut Context<'_, '_>, args: &ConfigValidate) -> anyhow::Result<ExitStatus> {
    if let Some(id) = &args.explain {
        return explain(context, id, args);
    }
    let selection = selection(&args.checks)?;
    let store = if args.with_store { Some(store(context)?) } else { None };
    let loaded = load_all(context, args)?;
    let mut validated = Vec::with_capacity(loaded.len());
    for loaded in &loaded {
        let (target, why) = target(&args.checks, loaded)?;
        let findings = lints::validate(loaded, &target, store.as_ref(), &selection);
        validated.push((loaded, target, why, findings));
    }
    let mut diagnostics: Vec<Diagnostic<'_>> = validated
        .iter()
        .flat_map(|(loaded, _, _, findings)| findings.iter().map(|finding| diagnostic(loaded, finding)))
        .collect();
    if context.redact.is_on() {
        for (loaded, _, _, _) in &validated {
            redact(context, loaded, &mut diagnostics);
        }
    }
    let checks: Vec<Check<'_>> = selection.checks().map(shown_check).collect();
    let files: Vec<PathBuf> = loaded.iter().map(|loaded| loaded.path().to_path_buf()).collect();
    let current_dir = context.env.current_dir.clone();
    let report = Report {
        command: "config validate",
        files: &files,
        checks: &checks,
        diagnostics: &diagnostics,
        current_dir: &current_dir,
        fails_from: args.fail_on.least(),
        excerpts: !context.redact.is_on(),
    };
    let format = if context.global.json { DiagnosticFormat::Json } else { args.format };
    match format {
        DiagnosticFormat::Json => {
            let targets = validated.iter().map(|(loaded, target, why, _)| ShownTarget {
                path: loaded.path().display().to_string(),
                release: target.release.clone(),
                why: why.clone(),
                includes: loaded.sources()[1..]
                    .iter()
                    .map(|source| source.path.display().to_string())
                    .collect(),
            });
            let document =
                Document { targets: targets.collect(), report: diagnostics::json::document(&report) };
            context.print_json(document)?;
        }
        DiagnosticFormat::Sarif => diagnostics::sarif::write(context.ui.out(), &report)?,
        DiagnosticFormat::Github => diagnostics::github::write(context.ui.out(), &report)?,
        DiagnosticFormat::Junit => diagnostics::junit::write(context.ui.out(), &report)?,
        DiagnosticFormat::Auto | DiagnosticFormat::Human => {
            let width = context.ui.width.map_or(120, usize::from);
            diagnostics::human::write(context.ui.out(), &report, width)?;
            for (loaded, target, why, _) in &validated {
                let path = report.shown(loaded.path());
                context.ui.note(format!("{path}: checked for {} ({why})", target.release));
            }
        }
    }
    let fails = diagnostics.iter().any(|found| args.fail_on.fails(found.severity));
    Ok(if fails { ExitStatus::Findings } else { ExitStatus::Ok })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    targets: Vec<ShownTarget>,
    #[serde(flatten)]
    report: diagnostics::json::Document,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownTarget {
    path: String,
    release: String,
    why: String,
    includes: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownCheck<'a> {
    id: &'a str,
    severity: &'a str,
    summary: &'a str,
    help: &'a str,
}

fn explain(context: &mut Context<'_, '_>, id: &str, args: &ConfigValidate) -> anyhow::Result<ExitStatus> {
    let check = lints::explain(id)?;
    if context.global.json || args.format == DiagnosticFormat::Json {
        let check = ShownCheck {
            id: check.id,
            severity: check.severity.name(),
            summary: check.summary,
            help: check.help,
        };
        context.print_json(check)?;
    } else {
        let out = context.ui.out();
        writeln!(out, "{} ({}): {}\n\n{}", check.id, check.severity.name(), check.summary, check.help)?;
    }
    Ok(ExitStatus::Ok)
}

fn shown_check(check: &'static lints::Check) -> Check<'static> {
    Check { id: check.id, summary: check.summary, help: check.help, severity: check.severity }
}

/// The profiles that the agent can use.
fn store(context: &mut Context<'_, '_>) -> Result<StoreView> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let mut view = StoreView::default();
    for agent in machine.views(&agents)? {
        for profile in agent?.store.profiles.values() {
            let provider = profile.credential.provider().unwrap_or_default().to_owned();
            let kind = profile.credential.kind().as_str().to_owned();
            view.profiles.push(StoreProfile { id: profile.id.to_string(), provider, kind });
        }
    }
    Ok(view)
}

/// The named files, those of the named folders, or the installation's config.
fn load_all(context: &mut Context<'_, '_>, args: &ConfigValidate) -> Result<Vec<Loaded>> {
    let named: Vec<PathBuf> =
        if args.files.is_empty() { vec![own_config(context)?] } else { args.files.clone() };
    let mut all: Vec<(Loaded, bool)> = Vec::new();
    for path in named {
        let folder = path.as_os_str() != "-" && context.path(&path).is_dir();
        let files = if folder { of_folder(&context.path(&path))? } else { vec![path.clone()] };
        if files.is_empty() {
            return Err(Error::nothing("there is no config in this folder").at(&path).hint("name the files"));
        }
        for file in files {
            let loaded = load(context, &file, &args.read)?;
            if !loaded.exists() {
                return Err(missing(loaded.path()));
            }
            all.push((loaded, folder));
        }
    }
    // In a folder, a file that another one includes is a part, not a config.
    let parts: Vec<PathBuf> = all
        .iter()
        .flat_map(|(loaded, _)| loaded.sources()[1..].iter().map(|source| source.path.clone()))
        .collect();
    all.retain(|(loaded, folder)| !folder || !parts.iter().any(|part| part == loaded.path()));
    Ok(all.into_iter().map(|(loaded, _)| loaded).collect())
}

fn of_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        let entries = std::fs::read_dir(&at).map_err(|error| Error::io("read the folder", &at, error))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().ok();
            if kind.is_some_and(|kind| kind.is_dir()) {
                if !name.starts_with('.') && name != "node_modules" {
                    folders.push(path);
                }
            } else if is_config(&name, at == folder) {
                found.push(path);
            }
            if found.len() > MAX_FILES {
                return Err(Error::failed("more than 10,000 configs").at(folder).hint("name the files"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_config(name: &str, top: bool) -> bool {
    let stem = name.strip_suffix(".json5").or_else(|| name.strip_suffix(".json"));
    stem.is_some_and(|stem| top || matches!(stem, "openclaw" | "clawdbot") || stem.ends_with(".openclaw"))
}

fn place(loaded: &Loaded, span: Span) -> Place<'_> {
    let source = loaded.source(span.file);
    let range = span.start as usize..span.end as usize;
    Place { path: &source.path, text: Some((source.text.as_str(), range)) }
}

pub(super) fn diagnostic<'a>(loaded: &'a Loaded, finding: &'a Finding) -> Diagnostic<'a> {
    let main = Span { file: FileId(0), start: 0, end: 0 };
    Diagnostic {
        id: finding.id,
        severity: finding.severity,
        message: finding.message.clone(),
        file: Some(loaded.path()),
        place: Some(place(loaded, finding.span.unwrap_or(main))),
        subject: finding.path.as_ref().filter(|path| !path.is_root()).map(ToString::to_string),
        labels: finding.labels.iter().map(|label| (place(loaded, label.span), label.text.clone())).collect(),
        hints: finding.hints.clone(),
        fix: finding.fix.as_ref().map(|fix| format!("clawctl config fix can {}", fix.title)),
    }
}

/// Hides profile ids and mails in the texts.
fn redact(context: &mut Context<'_, '_>, loaded: &Loaded, diagnostics: &mut [Diagnostic<'_>]) {
    let Some(config) = loaded.partial_value() else { return };
    let auth = &config["auth"];
    let mut ids: Vec<String> =
        auth["profiles"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect();
    let orders = auth["order"].as_object().into_iter().flatten();
    ids.extend(
        orders
            .flat_map(|(_, order)| order.as_array().into_iter().flatten())
            .filter_map(|id| id.as_str().map(str::to_owned)),
    );
    // The longest first: one id may start another.
    ids.sort_by_key(|id| std::cmp::Reverse(id.len()));
    for id in ids.iter().filter(|id| !id.is_empty()) {
        let stand_in = context.redact.id(id);
        for found in diagnostics.iter_mut() {
            let texts = found.subject.iter_mut().chain(&mut found.hints).chain(&mut found.fix);
            for text in texts.chain(std::iter::once(&mut found.message)) {
                *text = text.replace(id.as_str(), &stand_in);
            }
        }
    }
}
