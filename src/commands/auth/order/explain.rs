//! `clawctl auth order explain`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::commands::agents::{each_agent, json_rules, no_such_provider, providers};
use crate::commands::args::ListFormatArg;
use crate::commands::auth::show::order_words;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::engine::order::{OrderEntry, OrderQuery, OrderResult, OrderSource};
use crate::installation::machine::{AgentView, Machine};
use crate::output::json::v1;
use crate::output::list::{Column, Field, Tone, column};
use crate::output::when;

/// `auth order explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth order explain --provider openai --model gpt-x

Columns of --format tsv: agent, provider, rank, profile, verdict, code, because, order from.")]
pub struct OrderExplain {
    /// Provider whose order is explained
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Model of that provider: windows scoped to other models don't count
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Session key: a profile that the session is pinned to goes first
    #[arg(long, value_name = "KEY")]
    pub session: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 8] = [
    column("agent"),
    column("provider").only_tsv(),
    column("rank").right(),
    column("profile"),
    column("verdict"),
    column("code").only_tsv(),
    column("because"),
    column("order from").only_tsv(),
];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &OrderExplain) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let layout = context.layout(args.format.format);
    let mut documents = Vec::new();
    let mut missing = None;
    let status = each_agent(context, &machine, &agents, |context, view| {
        let provider = view.rules.set.providers.for_credentials(&args.provider).into_owned();
        let pinned = match &args.session {
            Some(session) => machine.pinned_profile(&view.store.agent, session)?,
            None => None,
        };
        let order = machine.order(
            view,
            OrderQuery {
                provider: &args.provider,
                now: context.now,
                preferred: pinned.as_deref(),
                model: args.model.as_deref(),
            },
        );
        if !providers(view).contains(&provider) && order.entries.is_empty() {
            missing.get_or_insert_with(|| no_such_provider(view, &args.provider));
            return Ok(());
        }
        documents.push(document(context, &machine, view, provider, &order));
        Ok(())
    })?;
    match missing {
        Some(error) if documents.is_empty() => return Err(error.into()),
        _ => {}
    }
    if layout == Layout::Json {
        context.print_json(v1::OrderExplain { agents: documents })?;
        return Ok(status);
    }
    for document in &documents {
        if layout == Layout::Table {
            context.ui.note(format!(
                "{}: the order of {} comes from {}; rules {} ({})",
                document.agent,
                document.provider,
                document.source_text,
                document.rules.id,
                document.rules.why
            ));
        }
        let several = documents.len() > 1 || layout == Layout::Tsv;
        let rows: Vec<Vec<Field>> =
            document.profiles.iter().map(|profile| row(document, profile, several)).collect();
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    Ok(status)
}

fn row(document: &v1::ExplainedOrder, profile: &v1::ExplainedProfile, several: bool) -> Vec<Field> {
    let (verdict, tone) = match (profile.rank, profile.cooling_until) {
        (Some(_), None) => ("used", Tone::Good),
        (Some(_), Some(_)) => ("waits", Tone::Wait),
        (None, _) => ("left out", Tone::Bad),
    };
    vec![
        Field::new(if several { document.agent.as_str() } else { "" }),
        Field::new(document.provider.as_str()),
        Field::new(profile.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string())),
        Field::new(profile.id.as_str()),
        Field::new(verdict).tone(tone),
        Field::new(profile.reason_code),
        Field::new(profile.text.as_str()),
        Field::new(document.source),
    ]
}

pub(in crate::commands) fn document(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    view: &AgentView,
    provider: String,
    order: &OrderResult,
) -> v1::ExplainedOrder {
    v1::ExplainedOrder {
        agent: view.store.agent.to_string(),
        rules: json_rules(view),
        source: order.source.as_str(),
        source_text: source_text(machine, view, &order.source),
        order: order.ids.iter().map(|id| context.redact.id(id.as_str())).collect(),
        profiles: order
            .entries
            .iter()
            .map(|entry| {
                let cooling = entry.key.and_then(|key| key.cooling_until);
                v1::ExplainedProfile {
                    id: context.redact.id(entry.id.as_str()),
                    rank: entry.rank.map(|rank| rank + 1),
                    eligible: entry.eligibility.eligible,
                    reason_code: entry.eligibility.reason_code.as_str(),
                    text: because(context, &order.source, entry),
                    cooling_until: v1::ms(cooling),
                    cooling_until_iso: v1::iso(cooling),
                }
            })
            .collect(),
        provider,
    }
}

fn source_text(machine: &Machine, view: &AgentView, source: &OrderSource) -> String {
    match source {
        OrderSource::Stored(key) => match view.store.state.order.get(key) {
            Some(order) => format!(
                "the stored order of {key} ({}, {})",
                order.source.origin.name(),
                order.source.path.display()
            ),
            None => "the stored order".to_owned(),
        },
        OrderSource::ConfigOrder(key) => {
            format!("auth.order.{key} in {}", machine.installation.places.config.display())
        }
        OrderSource::Fallback(given) => format!(
            "{}, since {} names none that can be used",
            order_words("store"),
            source_text(machine, view, given)
        ),
        other => order_words(other.as_str()).to_owned(),
    }
}

/// What ranks the profile, or why it is left out.
fn because(context: &Context<'_, '_>, source: &OrderSource, entry: &OrderEntry) -> String {
    let Some(key) = entry.key else {
        return match entry.eligibility.reason_code {
            crate::engine::order::ReasonCode::Ok if source.is_explicit() => {
                "the order doesn't name it".to_owned()
            }
            crate::engine::order::ReasonCode::Ok => "auth.profiles doesn't name it".to_owned(),
            code => code.as_str().replace('_', " "),
        };
    };
    let mut parts = Vec::new();
    if key.preferred {
        parts.push("the session is pinned to it".to_owned());
    }
    if let Some(until) = key.cooling_until {
        parts.push(format!("in a window that ends {}", when::relative(until, context.now)));
    }
    match key.position {
        Some(position) => parts.push(format!("number {} of the order", position + 1)),
        None => {
            parts.push(key.kind.as_str().unwrap_or("unknown type").to_owned());
            if key.expired_access {
                parts.push("its access has expired".to_owned());
            }
            parts.push(match key.last_used.0 {
                0 => "never used".to_owned(),
                _ => format!("last used {}", when::relative(key.last_used, context.now)),
            });
        }
    }
    parts.join(", ")
}
