//! `clawctl cooldowns clear`

use clap::Args;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::agents::{no_such_profile, no_such_provider};
use crate::commands::args::WriteArgs;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::commands::write::{carry_out, plan_for};
use crate::installation::machine::{AgentView, Machine};
use crate::store::{Change, ProfileId};

/// `cooldowns clear`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl cooldowns clear openai:work
  clawctl cooldowns clear --provider openai --yes
  clawctl cooldowns clear --all --all-agents --dry-run")]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(false))]
pub struct CooldownsClear {
    /// Profile ids, or inline-api-key:PROVIDER for a key that stands in the config
    #[arg(value_name = "ID", group = "which", add = complete::profiles())]
    pub ids: Vec<String>,
    /// Every profile of this provider
    #[arg(long, short, value_name = "PROVIDER", group = "which", add = complete::providers())]
    pub provider: Option<String>,
    /// Every profile of the agent
    #[arg(long, group = "which")]
    pub all: bool,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &CooldownsClear) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents_to_write(&context.global.agents())?;
    let mut plans = Vec::new();
    for view in machine.views(&agents)? {
        let view = view?;
        let ids = wanted(context, &machine, &view, args)?;
        let changes: Vec<Change> = ids.into_iter().map(|profile| Change::ClearUsage { profile }).collect();
        plans.push(plan_for(&machine, &view, &changes)?);
    }
    let question = "Clear these windows and counters?";
    carry_out(context, &machine, &plans, &args.write, Some(question), "cooldowns clear")
}

/// The rows of usageStats that are meant. A row may belong to a key in the config, or to a profile
/// that is gone.
fn wanted(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    view: &AgentView,
    args: &CooldownsClear,
) -> Result<Vec<ProfileId>, Error> {
    let rows = &view.store.state.usage;
    if args.all {
        return Ok(rows.keys().cloned().collect());
    }
    if let Some(provider) = &args.provider {
        let names = &view.rules.set.providers;
        let wanted = names.for_credentials(provider);
        let known: Vec<ProfileId> = machine
            .windows(view, context.now, true)
            .into_iter()
            .filter(|row| row.provider == *wanted)
            .map(|row| row.profile)
            .collect();
        if known.is_empty() {
            return Err(no_such_provider(view, provider));
        }
        let mut ids: Vec<ProfileId> = known.into_iter().filter(|id| rows.contains_key(id)).collect();
        ids.dedup();
        return Ok(ids);
    }
    let mut ids = Vec::with_capacity(args.ids.len());
    for id in &args.ids {
        let id = ProfileId::new(id.trim());
        if rows.contains_key(&id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        } else if !view.store.profiles.contains_key(&id) {
            return Err(no_such_profile(context, view, id.as_str()));
        }
    }
    Ok(ids)
}
