//! `clawctl route`

use clap::Args;
use serde::Serialize;

use super::auth::order::explain;
use super::simulate;
use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::args::ListFormat;
use crate::commands::context::{Context, Layout};
use crate::engine::order::OrderQuery;
use crate::installation::rulebook::Rulebook;
use crate::output::json::v1;
use crate::output::list::Tone;
use crate::script::{self, Script, Send, Step, Turn};

/// `route`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl route
  clawctl route --session agent:main:main
  clawctl route --model anthropic/claude-x --source cron --json

Exit status 6 says that nothing would be tried.")]
pub struct Route {
    /// Model of this one message
    #[arg(long, value_name = "REF")]
    pub model: Option<String>,
    /// Session key; its pins and overrides count
    #[arg(long, value_name = "KEY")]
    pub session: Option<String>,
    /// Where the message comes from
    #[arg(long, value_name = "S", default_value = "default",
          value_parser = ["default", "agent", "user", "cron", "heartbeat", "cli", "hook"])]
    pub source: String,
    /// Rule set, release, or rule-set file
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
}

#[derive(Serialize)]
struct Routed {
    rules: v1::Rules,
    agent: String,
    turn: Turn,
    orders: Vec<v1::ExplainedOrder>,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Route) -> anyhow::Result<ExitStatus> {
    let forced = Rulebook::named(Some(&args.rules), &context.env.current_dir)?;
    let machine = context.machine()?;
    let script = Script {
        name: Some("route".to_owned()),
        steps: vec![Step::Send(Send {
            session: args.session.clone(),
            model: args.model.clone(),
            source: script::Source::ALL
                .into_iter()
                .find(|source| source.as_str() == args.source)
                .unwrap_or_default(),
            ..Send::default()
        })],
        ..Script::default()
    };
    let mut given = script::Machine { now: context.now, ..script::Machine::default() };
    let agents = machine.agents(&context.global.agents())?;
    let [agent] = agents[..] else {
        return Err(Error::usage("route looks at one agent").hint("name one: --agent main").into());
    };
    let view = machine.read(agent)?;
    context.store_notes(&view);
    simulate::fill(context, &machine, &script, Some(agent.id.as_str()), &mut given)?;
    if let Some(session) = &args.session
        && !given.sessions.contains_key(session)
    {
        return Err(Error::nothing(format!("agent {} has no session {session}", agent.id)).into());
    }
    let book = match forced {
        Some(book) => book,
        None => Rulebook::new(view.rules.set.clone(), view.rules.why.clone()),
    };
    let mut result = simulate::replay(&script, &given, &book);
    let story = script::story(&result);
    let Some(turn) = result.turns.pop() else {
        return Err(Error::failed("the route has no turn").into());
    };
    let chosen = turn.chosen.is_some();
    let mut orders = Vec::new();
    for candidate in &turn.candidates {
        let (provider, model) = candidate.split_once('/').unwrap_or((candidate, ""));
        if orders.iter().any(|order: &v1::ExplainedOrder| order.provider == provider) {
            continue;
        }
        let query = OrderQuery { provider, now: context.now, preferred: None, model: Some(model) };
        let order = machine.order(&view, query);
        orders.push(explain::document(context, &machine, &view, provider.to_owned(), &order));
    }
    if context.layout(ListFormat::Auto) == Layout::Json {
        let rules = v1::Rules { id: book.set.id.clone(), why: book.why.clone() };
        let routed = serde_json::to_value(Routed { rules, agent: agent.id.to_string(), turn, orders })?;
        let routed = context.redact.scrub_json(routed);
        context.print_json(routed)?;
    } else {
        print(context, &turn, &story, &orders)?;
        context.ui.note(format!("rules {} ({})", book.set.id, book.why));
    }
    Ok(if chosen { ExitStatus::Ok } else { ExitStatus::Findings })
}

fn print(
    context: &mut Context<'_, '_>,
    turn: &Turn,
    story: &[script::Story],
    orders: &[v1::ExplainedOrder],
) -> anyhow::Result<()> {
    let redact = &context.redact;
    let out = context.ui.out();
    match &turn.chosen {
        Some(chosen) => {
            let good = Tone::Good.style();
            let profile = chosen.profile.as_deref().unwrap_or("without a profile");
            let text = format!("{}/{}", chosen.provider, chosen.model);
            writeln!(
                out,
                "next     {good}{}{good:#} with {}",
                text::text(&text),
                text::text(&redact.scrub(profile))
            )?;
        }
        None => {
            let bad = Tone::Bad.style();
            writeln!(out, "next     {bad}nothing would be tried{bad:#}")?;
        }
    }
    writeln!(out, "asked    {} ({})", text::text(&turn.requested), turn.source)?;
    writeln!(out, "chain    {}", text::text(&turn.candidates.join(" -> ")))?;
    for line in story.iter().flat_map(|story| &story.lines).filter(|line| line.kind != "ok") {
        writeln!(out, "passed   {}", text::text(&redact.scrub(&line.text)))?;
    }
    if let (None, Some(summary)) = (&turn.chosen, &turn.summary) {
        writeln!(out, "because  {}", text::text(&redact.scrub(&summary.text)))?;
    }
    for order in orders {
        writeln!(out, "\n{} ({})", text::text(&order.provider), text::text(&order.source_text))?;
        if order.profiles.is_empty() {
            writeln!(out, "   -  no profile")?;
        }
        for profile in &order.profiles {
            let rank = profile.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            writeln!(out, "  {rank:>2}  {}  {}", text::text(&profile.id), text::text(&profile.text))?;
        }
    }
    Ok(())
}
