//! `clawctl auth order get`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::commands::agents::each_agent;
use crate::commands::args::ListFormatArg;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::output::json::v1;
use crate::output::list::{Column, Field, column};

/// `auth order get`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth order get
  clawctl auth order get --provider openai --agent ops

Columns of --format tsv: agent, provider, position, profile, from.")]
pub struct OrderGet {
    /// Only this provider's order
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 5] =
    [column("agent"), column("provider"), column("position").right(), column("profile"), column("from")];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &OrderGet) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let layout = context.layout(args.format.format);
    let several = agents.len() > 1 || layout == Layout::Tsv;
    let mut documents = Vec::new();
    let mut rows = Vec::new();
    let status = each_agent(context, &machine, &agents, |context, view| {
        let names = &view.rules.set.providers;
        let wanted = args.provider.as_ref().map(|provider| names.for_credentials(provider));
        let is_wanted =
            |provider: &str| wanted.as_ref().is_none_or(|wanted| names.for_credentials(provider) == *wanted);
        let mut orders: Vec<v1::StoredOrder> = Vec::new();
        for (provider, order) in view.store.state.order.iter().filter(|(provider, _)| is_wanted(provider)) {
            orders.push(v1::StoredOrder {
                provider: provider.clone(),
                order: order.value.iter().map(|id| context.redact.id(id.as_str())).collect(),
                lives: order.source.origin.name(),
                path: order.source.path.display().to_string(),
            });
        }
        for (provider, ids) in machine.engine_config.auth.order.iter().filter(|(key, _)| is_wanted(key)) {
            orders.push(v1::StoredOrder {
                provider: provider.clone(),
                order: ids.iter().map(|id| context.redact.id(id.as_str())).collect(),
                lives: "config",
                path: machine.installation.places.config.display().to_string(),
            });
        }
        for order in &orders {
            for (index, id) in order.order.iter().enumerate() {
                let agent = if several { view.store.agent.as_str() } else { "" };
                rows.push(vec![
                    Field::new(agent),
                    Field::new(order.provider.as_str()),
                    Field::new((index + 1).to_string()),
                    Field::new(id.as_str()),
                    Field::new(order.lives),
                ]);
            }
        }
        documents.push(v1::AgentOrders { agent: view.store.agent.to_string(), orders });
        Ok(())
    })?;
    if layout == Layout::Json {
        context.print_json(v1::OrderGet { agents: documents })?;
    } else if rows.is_empty() {
        context.nothing("no order is stored; profiles are tried by type and last use");
    } else {
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    Ok(status)
}
