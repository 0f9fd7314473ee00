//! `clawctl simulate`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::base::env::Env;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::base::time::Millis;
use crate::commands::args::ListFormat;
use crate::commands::context::{Context, Layout};
use crate::config::{self, LoadOptions};
use crate::installation::machine::{Machine, Where};
use crate::installation::rulebook::Rulebook;
use crate::output::list::Tone;
use crate::output::redact::Redactor;
use crate::output::{json, when};
use crate::script::{self, Difference, Loader, ReplayResult, Script, Step, Turn};
use crate::store::sessions;

/// `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl simulate tests/scripts
  clawctl simulate incident.json5 --trace
  clawctl simulate incident.json5 --rules 2026.7 --compare 2026.9
  clawctl simulate --from-log gateway.log --trace
  echo '{replies: [{then: [{status: 429}]}]}' | clawctl simulate - --trace

What a script leaves out (config, store, sessions) comes from this machine, read-only. README.md
describes the format.")]
pub struct Simulate {
    /// Script files (JSON5, or JSONL with one script a line), folders of them, or - for stdin
    #[arg(value_name = "SCRIPT", required_unless_present = "from_log", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub scripts: Vec<PathBuf>,
    /// Build a script from a gateway's log (JSONL or console lines; - for stdin) and replay it
    #[arg(long, value_name = "FILE", conflicts_with = "scripts", value_hint = ValueHint::FilePath)]
    pub from_log: Option<PathBuf>,
    /// Rule set, release, or rule-set file, whatever the script says
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
    /// Replay with these rules too, and print the turns that differ
    #[arg(long, value_name = "R2")]
    pub compare: Option<String>,
    /// Tell every turn as a story
    #[arg(long)]
    pub trace: bool,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Simulate) -> anyhow::Result<ExitStatus> {
    let forced = Rulebook::named(Some(&args.rules), &context.env.current_dir)?;
    let other = match args.compare.as_deref() {
        Some(text) => Some(Rulebook::named(Some(text), &context.env.current_dir)?.ok_or_else(|| {
            Error::usage("--compare takes a rule set, not \"auto\"").hint("see them: clawctl rules list")
        })?),
        None => None,
    };
    let layout = context.layout(ListFormat::Auto);
    let mut machine = None;
    let (scripts, broken) = match &args.from_log {
        Some(path) => (vec![logged(context, &mut machine, path, forced.as_ref())?], 0),
        None => written(context, &args.scripts)?,
    };
    let one = scripts.len() + broken == 1 && args.scripts.iter().all(|path| !context.path(path).is_dir());
    let mut results = Vec::new();
    for (mut script, folder) in scripts {
        let loader = Files { folder: &folder, env: &context.env, now: context.now };
        script::load(&mut script, &loader).map_err(|error| *error)?;
        let given = machine_for(context, &mut machine, &script)?;
        let chosen;
        let book = match (&forced, script.rules.as_deref()) {
            (Some(book), _) => book,
            (None, Some(named)) => {
                chosen = Rulebook::named(Some(named), &folder)?
                    .map_or_else(|| auto(&script, &given), |book| book.because("script"));
                &chosen
            }
            (None, None) => {
                chosen = auto(&script, &given);
                &chosen
            }
        };
        context.redact.know(script::profile_ids(&script, &given).iter().map(String::as_str));
        let result = replay(&script, &given, book);
        let compared = other.as_ref().map(|other| {
            let right = replay(&script, &given, other);
            (script::compare(&result, &right), right)
        });
        if layout != Layout::Json {
            print(context, &result, compared.as_ref(), args.trace)?;
        }
        results.push((result, compared));
    }
    let failed = results.iter().filter(|(result, _)| !result.expectations.failed.is_empty()).count() + broken;
    if layout == Layout::Json {
        print_json(context, results, failed, one)?;
    } else if !one {
        context.ui.note(format!("{} scripts, {failed} failed", results.len() + broken));
    }
    Ok(match (broken, failed) {
        (0, 0) => ExitStatus::Ok,
        (0, _) => ExitStatus::Findings,
        _ => ExitStatus::Usage,
    })
}

/// The scripts of these files with the folders that their paths are seen from, and how many files
/// can't be used; their mistakes are printed.
fn written(context: &mut Context<'_, '_>, paths: &[PathBuf]) -> Result<(Vec<(Script, PathBuf)>, usize)> {
    let mut scripts = Vec::new();
    let mut broken = 0;
    for source in sources(context, paths)? {
        match script::parse(&source.text, &source.label) {
            Ok(parsed) => scripts.extend(parsed.into_iter().map(|script| (script, source.folder.clone()))),
            Err(errors) => {
                errors.iter().for_each(|error| context.ui.error(error));
                broken += 1;
            }
        }
    }
    Ok((scripts, broken))
}

/// The script that a gateway's log speaks of.
fn logged(
    context: &mut Context<'_, '_>,
    machine: &mut Option<Option<Machine>>,
    path: &Path,
    forced: Option<&Rulebook>,
) -> Result<(Script, PathBuf)> {
    let source = sources(context, &[path.to_path_buf()])?.pop();
    let source = source.ok_or_else(|| Error::nothing("there is no log").at(path))?;
    let found = context.machine()?;
    let agents = found.agents(&context.global.agents())?;
    let view = match agents.first() {
        Some(agent) => found.read(agent)?,
        None => found.read(found.installation.default_agent()?)?,
    };
    let rules = forced.map_or(&view.rules.set, |book| &book.set);
    let profiles: Vec<&str> = view.store.profiles.keys().map(crate::store::ProfileId::as_str).collect();
    let script = script::from_log(&source.text, &source.label, rules, &profiles).map_err(|error| *error)?;
    *machine = Some(Some(found));
    Ok((script, source.folder))
}

/// A script's text, and the folder that its paths are seen from.
struct Source {
    label: String,
    text: String,
    folder: PathBuf,
}

/// Files, stdin, and the scripts of folders in the order of their names.
fn sources(context: &mut Context<'_, '_>, paths: &[PathBuf]) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            let mut text = String::new();
            context
                .ui
                .input()
                .read_to_string(&mut text)
                .map_err(|error| Error::io("read the script from stdin", Path::new("-"), error))?;
            sources.push(Source { label: "stdin".to_owned(), text, folder: context.env.current_dir.clone() });
            continue;
        }
        let full = context.path(path);
        let mut files = vec![(path.display().to_string(), full.clone())];
        if full.is_dir() {
            files = folder(path, &full)?;
            if files.is_empty() {
                return Err(Error::nothing("the folder holds no scripts (.json5, .json, .jsonl)").at(path));
            }
        }
        for (label, file) in files {
            let text =
                fs::read_to_string(&file).map_err(|error| Error::io("read the script", &file, error))?;
            let folder = file.parent().unwrap_or(&context.env.current_dir).to_path_buf();
            sources.push(Source { label, text, folder });
        }
    }
    Ok(sources)
}

fn folder(shown: &Path, full: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = fs::read_dir(full).map_err(|error| Error::io("list the folder", full, error))?;
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension().is_some_and(|end| end == "json5" || end == "json" || end == "jsonl")
                && path.is_file()
        })
        .filter_map(|path| Some((shown.join(path.file_name()?).display().to_string(), path)))
        .collect();
    files.sort();
    Ok(files)
}

/// Reads configs and stores that a script names.
struct Files<'a> {
    folder: &'a Path,
    env: &'a Env,
    now: Millis,
}

impl Loader for Files<'_> {
    fn config(&self, path: &str) -> Result<Value, Box<Error>> {
        let path = self.folder.join(path);
        let loaded = config::load(&path, self.env, &LoadOptions::default());
        if !loaded.exists() {
            return Err(Box::new(Error::nothing("the script's config isn't there").at(&path)));
        }
        if let Some(error) = loaded.error() {
            return Err(Box::new(error));
        }
        Ok(loaded.value().cloned().unwrap_or_default())
    }

    /// A state folder (of its default agent), or one JSON document.
    fn store(&self, path: &str) -> Result<Value, Box<Error>> {
        let path = self.folder.join(path);
        if path.is_dir() {
            let place = Where::Real { state_dir: Some(path), config: None };
            let machine = Machine::find(&place, self.env, self.now)?;
            let agent = machine.installation.default_agent()?;
            return Ok(machine.read(agent)?.document());
        }
        let text = fs::read_to_string(&path)
            .map_err(|error| Box::new(Error::io("read the script's store", &path, error)))?;
        json5::from_str(&text).map_err(|_| {
            // The parser's words could repeat a secret of the store.
            Box::new(
                Error::failed("the script's store isn't JSON").at(&path).hint(
                    "name a state folder, or a JSON file with profiles, order, usageStats and lastGood",
                ),
            )
        })
    }
}

/// What the script takes from this machine; an installation is looked for only when it is needed.
fn machine_for(
    context: &mut Context<'_, '_>,
    machine: &mut Option<Option<Machine>>,
    script: &Script,
) -> Result<script::Machine> {
    let needed = script.config.is_none() || script.store.is_none() || script.sessions.is_none();
    let agent = script.agent.clone().or_else(|| context.global.agent.first().cloned());
    let mut given = script::Machine {
        agent: agent.clone().unwrap_or_else(|| "main".to_owned()),
        now: context.now,
        ..script::Machine::default()
    };
    if script.config.is_some() && script.store.is_some() {
        return Ok(given);
    }
    if needed && machine.is_none() {
        *machine = Some(match context.machine() {
            Ok(found) => Some(found),
            Err(error) if error.kind == ErrorKind::Nothing && stands_alone(script) => None,
            Err(error) => return Err(error),
        });
    }
    let Some(Some(machine)) = machine.as_ref() else {
        if stands_alone(script) {
            return Ok(given);
        }
        return Err(Error::nothing(
            "the script takes its config or store from this machine, and there is none",
        )
        .at(&script.origin.label)
        .hint("give the script a config and a store, or name an installation with --state-dir"));
    };
    fill(context, machine, script, agent.as_deref(), &mut given)?;
    Ok(given)
}

/// A script that brings profiles can run where no OpenClaw is installed.
fn stands_alone(script: &Script) -> bool {
    script.store.is_some()
}

/// Takes config, store, sessions and variables from the installation.
pub(super) fn fill(
    context: &Context<'_, '_>,
    machine: &Machine,
    script: &Script,
    agent: Option<&str>,
    given: &mut script::Machine,
) -> Result<()> {
    let agent = match agent {
        Some(id) => machine.installation.agent(&crate::store::AgentId::new(id))?,
        None => match machine.agents(&context.global.agents())?.first() {
            Some(agent) => agent,
            None => machine.installation.default_agent()?,
        },
    };
    let view = machine.read(agent)?;
    given.agent = agent.id.to_string();
    given.config = machine.config.value().cloned().unwrap_or_default();
    given.store = view.document();
    given.rules_why = view.rules.set.id.clone();
    given.env = machine
        .env
        .iter()
        .filter(|(name, _)| name.starts_with("OPENCLAW_") || name.ends_with("_API_KEY"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let stored = sessions::read(&machine.installation, agent)?;
    let mut taken = IndexMap::new();
    // A script may call a session by the end of its key; it is then known by that name.
    for name in mentioned(script) {
        if let Some((key, entry)) = sessions::find(&stored, &name)
            && let Some(entry) = entry.as_object()
        {
            taken.insert(key.to_owned(), (name, entry.clone()));
        }
    }
    given.sessions = stored
        .iter()
        .filter_map(|(key, entry)| match taken.get(key) {
            Some(named) => Some(named.clone()),
            None => Some((key.clone(), entry.as_object()?.clone())),
        })
        .collect();
    Ok(())
}

/// The sessions that the script's steps name.
fn mentioned(script: &Script) -> Vec<String> {
    let main = || "main".to_owned();
    let mut names: Vec<String> = script
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Send(send) => Some(send.session.clone().unwrap_or_else(main)),
            Step::Pick { session, .. } | Step::Patch { session, .. } => {
                Some(session.clone().unwrap_or_else(main))
            }
            Step::Reset(session) | Step::Compact(session) => Some(session.clone()),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        names.push(main());
    }
    names.sort();
    names.dedup();
    names
}

/// `--rules auto`: the script's config, then the machine's choice, else the newest.
pub(super) fn auto(script: &Script, given: &script::Machine) -> Rulebook {
    let config = script::config_of(script, given);
    if let Some(release) = config::last_touched_version(config)
        && let Ok(set) = script::find_rules(release)
    {
        return Rulebook::new(set, format!("meta.lastTouchedVersion in the config is {release}"));
    }
    if script.store.is_none()
        && let Ok(set) = script::find_rules(&given.rules_why)
    {
        return Rulebook::new(set, "this machine's store".to_owned());
    }
    Rulebook::newest()
}

/// Replays with these rules.
pub(super) fn replay(script: &Script, given: &script::Machine, book: &Rulebook) -> ReplayResult {
    let given = script::Machine { rules_why: book.why.clone(), ..given.clone() };
    script::replay(script, &given, &book.set, book.classifier())
}

type Compared = (Vec<Difference>, ReplayResult);

fn print(
    context: &mut Context<'_, '_>,
    result: &ReplayResult,
    compared: Option<&Compared>,
    trace: bool,
) -> anyhow::Result<()> {
    let name = result.script.as_deref().unwrap_or("script");
    let redact = &context.redact;
    let out = context.ui.out();
    writeln!(out, "{} (rules {}: {})", text::text(name), result.rules.id, text::text(&result.rules.why))?;
    if trace {
        print_story(out, result, redact)?;
    } else {
        for (index, turn) in result.turns.iter().enumerate() {
            writeln!(out, "  {:>2}  {}", index + 1, redact.scrub(&turn_line(turn)))?;
        }
    }
    if let Some((differences, right)) = compared {
        if differences.is_empty() {
            writeln!(out, "  the same with {}", right.rules.id)?;
        }
        for difference in differences {
            let (turn, field) = (difference.turn + 1, &difference.field);
            let why = redact.scrub(&difference.why);
            writeln!(out, "  turn {turn} differs in {field}: {}", text::text(&why))?;
        }
    }
    let expectations = &result.expectations;
    let bad = Tone::Bad.style();
    for failure in &expectations.failed {
        writeln!(
            out,
            "  {bad}expect[{}].{} doesn't hold{bad:#} (step {})",
            failure.item, failure.key, failure.step
        )?;
        writeln!(out, "      (- expected, + got)")?;
        for line in failure.diff.lines() {
            writeln!(out, "      {}", text::text(&redact.scrub(line)))?;
        }
    }
    if expectations.checked > 0 && expectations.failed.is_empty() {
        let good = Tone::Good.style();
        writeln!(out, "  {good}as expected{good:#} ({} checked)", expectations.checked)?;
    }
    Ok(())
}

/// Every turn told.
fn print_story(out: &mut dyn Write, result: &ReplayResult, redact: &Redactor) -> std::io::Result<()> {
    for story in script::story(result) {
        writeln!(out, "  {}", text::text(&story.head))?;
        for line in &story.lines {
            let (mark, tone) = match line.kind {
                "ok" => ("+", Tone::Good),
                "error" => ("x", Tone::Bad),
                "skip" => ("-", Tone::Wait),
                _ => ("*", Tone::Dim),
            };
            let style = tone.style();
            writeln!(out, "    {style}{mark}{style:#} {}", text::text(&redact.scrub(&line.text)))?;
        }
        writeln!(out, "    => {}", text::text(&redact.scrub(&story.end)))?;
    }
    Ok(())
}

/// A turn in one line: `12:00:00Z s1: openai/gpt-x -> anthropic/claude-x (anthropic:default), 3 attempts`.
fn turn_line(turn: &Turn) -> String {
    let requests: u32 = turn.attempts.iter().map(|attempt| attempt.requests).sum();
    let end = match &turn.chosen {
        Some(chosen) => {
            let profile = chosen.profile.as_deref().unwrap_or("-");
            format!("answered by {}/{} {profile}", chosen.provider, chosen.model)
        }
        None => match &turn.summary {
            Some(summary) => format!("{}: {}", turn.outcome.as_str(), summary.text),
            None => turn.outcome.as_str().to_owned(),
        },
    };
    let text = format!(
        "{} {}: {} -> {end} ({}, {})",
        when::iso(Millis(turn.at)),
        turn.session,
        turn.requested,
        counted(turn.attempts.len(), "attempt"),
        counted(requests as usize, "request"),
    );
    text::text(&text).into_owned()
}

/// `1 attempt`, `2 attempts`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[derive(Serialize)]
struct Both {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<String>,
    left: ReplayResult,
    right: ReplayResult,
    differences: Vec<Difference>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum One {
    Result(Box<ReplayResult>),
    Both(Box<Both>),
}

/// One script is its result; several are `{version, results, failed}`.
fn print_json(
    context: &mut Context<'_, '_>,
    results: Vec<(ReplayResult, Option<Compared>)>,
    failed: usize,
    one: bool,
) -> std::io::Result<()> {
    let mut documents: Vec<One> = results
        .into_iter()
        .map(|(left, compared)| match compared {
            None => One::Result(Box::new(left)),
            Some((differences, right)) => {
                let script = left.script.clone();
                One::Both(Box::new(Both { version: json::VERSION, script, left, right, differences }))
            }
        })
        .collect();
    if one {
        let Some(only) = documents.pop() else { return Ok(()) };
        let only = context.redact.scrub_json(serde_json::to_value(&only)?);
        return json::write(context.ui.out(), &only);
    }
    let documents = context.redact.scrub_json(serde_json::to_value(&documents)?);
    context.print_json(serde_json::json!({ "results": documents, "failed": failed }))
}
