//! `clawctl auth order clear`

use clap::Args;

use super::spellings;
use crate::base::exit::ExitStatus;
use crate::commands::agents::{no_such_provider, providers};
use crate::commands::args::WriteArgs;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::commands::write::{carry_out, plan_for};
use crate::store::Change;

/// `auth order clear`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth order clear --provider openai")]
pub struct OrderClear {
    /// Provider whose stored order is removed
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &OrderClear) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents_to_write(&context.global.agents())?;
    let mut plans = Vec::new();
    for view in machine.views(&agents)? {
        let view = view?;
        let wanted = view.rules.set.providers.for_credentials(&args.provider).into_owned();
        let spellings: Vec<String> =
            spellings::own_spellings(&view, &args.provider).map(str::to_owned).collect();
        if spellings.is_empty() {
            if !providers(&view).contains(&wanted) {
                return Err(no_such_provider(&view, &args.provider).into());
            }
            if let Some(order) = spellings::inherited(&view, &args.provider) {
                context.ui.note(format!(
                    "agent {} has no order of its own for {}; the one in force is {} ({})",
                    view.store.agent,
                    args.provider,
                    order.origin.name(),
                    order.path.display()
                ));
            }
        }
        let changes: Vec<Change> =
            spellings.into_iter().map(|provider| Change::ClearOrder { provider }).collect();
        plans.push(plan_for(&machine, &view, &changes)?);
    }
    carry_out(context, &machine, &plans, &args.write, None, "auth order clear")
}
