//! `clawctl cooldowns show`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::agents::{each_agent, json_rules, no_such_provider, providers};
use crate::commands::args::ListFormatArg;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::installation::machine::Machine;
use crate::installation::status::{WindowStatus, exhausted_providers};
use crate::output::json::v1;
use crate::output::list::{Column, Field, Tone, column};
use crate::output::when;

/// `cooldowns show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl cooldowns show
  clawctl cooldowns show --watch --interval 5
  clawctl cooldowns show --all-agents --json

Columns of --format tsv: agent, profile, provider, kind, reason, model, source, ends, errors, next time, ends by.")]
pub struct CooldownsShow {
    /// Refresh in place until ctrl-c; needs a terminal
    #[arg(long, conflicts_with_all = ["json", "now"])]
    pub watch: bool,
    /// Seconds between refreshes
    #[arg(long, value_name = "SECONDS", default_value_t = 2, requires = "watch",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub interval: u64,
    /// Only this provider
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Also profiles without an active window: expired windows, counters, usable ones
    #[arg(long)]
    pub all: bool,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 11] = [
    column("agent"),
    column("profile"),
    column("provider").only_tsv(),
    column("kind"),
    column("reason"),
    column("model"),
    column("source"),
    column("ends"),
    column("errors").right(),
    column("next time"),
    column("ends by"),
];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &CooldownsShow) -> anyhow::Result<ExitStatus> {
    if args.watch {
        return watch(context, args);
    }
    let layout = context.layout(args.format.format);
    let machine = context.machine()?;
    let (agents, status) = look(context, &machine, args)?;
    let exhausted = agents.iter().any(|agent| !agent.providers_without_usable_profile.is_empty());
    if layout == Layout::Json {
        context.print_json(v1::Cooldowns { agents })?;
    } else {
        print(context, layout, &agents)?;
    }
    Ok(if exhausted && status == ExitStatus::Ok { ExitStatus::Findings } else { status })
}

/// One look at the stores; with several agents, the status says whether one can't be read.
fn look(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    args: &CooldownsShow,
) -> anyhow::Result<(Vec<v1::AgentCooldowns>, ExitStatus)> {
    let agents = machine.agents(&context.global.agents())?;
    let mut looked = Vec::new();
    let mut missing = None;
    let status = each_agent(context, machine, &agents, |context, view| {
        let wanted =
            args.provider.as_ref().map(|provider| view.rules.set.providers.for_credentials(provider));
        let is_wanted = |provider: &str| wanted.as_ref().is_none_or(|wanted| **wanted == *provider);
        let mut rows = machine.windows(view, context.now, true);
        rows.retain(|row| is_wanted(&row.provider));
        if let Some(provider) = &args.provider
            && rows.is_empty()
            && !providers(view).iter().any(|known| is_wanted(known))
        {
            missing.get_or_insert_with(|| no_such_provider(view, provider));
            return Ok(());
        }
        rows.retain(|row| args.all || row.active);
        let mut exhausted = exhausted_providers(&machine.profiles(view, context.now));
        exhausted.retain(|provider| is_wanted(provider));
        looked.push(v1::AgentCooldowns {
            agent: view.store.agent.to_string(),
            rules: json_rules(view),
            windows: rows.iter().map(|row| json_window(context, row)).collect(),
            providers_without_usable_profile: exhausted,
        });
        Ok(())
    })?;
    match missing {
        Some(error) if looked.is_empty() => Err(error.into()),
        _ => Ok((looked, status)),
    }
}

/// The window for JSON.
pub(in crate::commands) fn json_window(context: &mut Context<'_, '_>, row: &WindowStatus) -> v1::Window {
    let window = row.window.as_ref();
    let until = window.map(|window| window.until);
    let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
    v1::Window {
        profile: context.redact.id(row.profile.as_str()),
        provider: row.provider.clone(),
        kind: window.map(|window| window.kind.as_str()),
        active: row.active,
        reason: window.and_then(|window| text(&window.reason)),
        model: window.and_then(|window| text(&window.model)),
        source: window.and_then(|window| text(&window.source)),
        until: v1::ms(until),
        until_iso: v1::iso(until),
        remaining_ms: until.filter(|_| row.active).map(|until| (until - context.now).0),
        error_count: row.errors,
        ends_by: ends_by(row),
        next: row
            .next
            .as_ref()
            .map(|next| v1::NextWindow { kind: next.window.kind.as_str(), lasts_ms: next.lasts.0 }),
        path: row.source.as_ref().map(|path| path.display().to_string()),
    }
}

fn ends_by(row: &WindowStatus) -> &'static str {
    match (&row.window, row.active) {
        (None, _) => "usable",
        (Some(_), false) => "expired",
        _ if row.exempt => "bypasses cooldowns",
        _ if row.needs_operator() => "needs operator",
        _ => "heals by itself",
    }
}

fn print(context: &mut Context<'_, '_>, layout: Layout, agents: &[v1::AgentCooldowns]) -> anyhow::Result<()> {
    let several = agents.len() > 1 || layout == Layout::Tsv;
    let rows: Vec<Vec<Field>> = agents
        .iter()
        .flat_map(|agent| agent.windows.iter().map(move |window| (agent, window)))
        .map(|(agent, window)| row(context, agent, window, several))
        .collect();
    if rows.is_empty() {
        context.nothing("no windows: every profile can be used as far as cooldowns go");
    } else {
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    for agent in agents {
        for provider in &agent.providers_without_usable_profile {
            let why = format!("auth order explain --provider {provider} --agent {}", agent.agent);
            let why = context.suggested(&why);
            context.ui.warn(format!("agent {}: no usable profile of {provider}; why: {why}", agent.agent));
        }
    }
    Ok(())
}

fn row(
    context: &Context<'_, '_>,
    agent: &v1::AgentCooldowns,
    window: &v1::Window,
    several: bool,
) -> Vec<Field> {
    let now = context.now;
    let until = window.until.map(crate::base::time::Millis);
    let ends = match until {
        Some(until) => {
            let text = format!("{} ({})", when::relative(until, now), when::local(until, now));
            Field::new(text).machine(when::iso(until))
        }
        None => Field::new(""),
    };
    let next = window.next.as_ref().map_or_else(String::new, |next| {
        format!("{} {}", next.kind, when::duration(crate::base::time::Millis(next.lasts_ms)))
    });
    let tone = match window.ends_by {
        "needs operator" => Tone::Bad,
        "heals by itself" => Tone::Wait,
        _ => Tone::Dim,
    };
    vec![
        Field::new(if several { agent.agent.as_str() } else { "" }),
        Field::new(window.profile.as_str()),
        Field::new(window.provider.as_str()),
        Field::new(window.kind.unwrap_or_default()),
        Field::new(window.reason.as_deref().unwrap_or_default()),
        Field::new(window.model.as_deref().unwrap_or_default()),
        Field::new(window.source.as_deref().unwrap_or_default()),
        ends,
        Field::new(window.error_count.to_string()),
        Field::new(next),
        Field::new(window.ends_by).tone(tone),
    ]
}

/// Refreshes in place until ctrl-c, which leaves the terminal as it was (exit 130).
fn watch(context: &mut Context<'_, '_>, args: &CooldownsShow) -> anyhow::Result<ExitStatus> {
    if !context.ui.terminal.stdout {
        return Err(Error::usage("--watch needs a terminal")
            .hint("in a script, call it without --watch: clawctl cooldowns show --json")
            .into());
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    // The alternate screen and the hidden cursor are given back on every way out of this function.
    let mut screen = Screen::enter(context)?;
    let result = screen.run(args, &stop);
    let leave = screen.leave();
    result?;
    leave?;
    Ok(ExitStatus::Interrupted)
}

struct Screen<'c, 'a, 'io> {
    context: &'c mut Context<'a, 'io>,
}

impl<'c, 'a, 'io> Screen<'c, 'a, 'io> {
    fn enter(context: &'c mut Context<'a, 'io>) -> std::io::Result<Self> {
        context.ui.control("\x1b[?1049h\x1b[?25l")?;
        Ok(Self { context })
    }

    fn leave(&mut self) -> std::io::Result<()> {
        self.context.ui.control("\x1b[?25h\x1b[?1049l")
    }

    fn run(&mut self, args: &CooldownsShow, stop: &AtomicBool) -> anyhow::Result<()> {
        let interval = Duration::from_secs(args.interval);
        let machine = self.context.machine()?;
        while !stop.load(Ordering::Relaxed) {
            let context = &mut *self.context;
            context.now = context.clock.now();
            context.ui.look_at_width();
            let looked = look(context, &machine, args);
            context.ui.control("\x1b[H\x1b[2J")?;
            let title = format!(
                "cooldowns at {}, every {} s, ctrl-c ends",
                when::local(context.now, context.now),
                args.interval
            );
            writeln!(context.ui.out(), "{title}\n")?;
            match looked {
                Ok((agents, _)) => print(context, Layout::Table, &agents)?,
                // A store that is busy right now is worth another look.
                Err(error) => writeln!(context.ui.out(), "{error}")?,
            }
            context.ui.out().flush()?;
            let started = Instant::now();
            while started.elapsed() < interval && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }
}

impl Drop for Screen<'_, '_, '_> {
    fn drop(&mut self) {
        // Already left on the usual way; this is for errors and panics.
        let _ = self.leave();
    }
}
