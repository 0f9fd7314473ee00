//! `clawctl auth remove`

use clap::Args;

use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::agents::no_such_profile;
use crate::commands::args::WriteArgs;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::commands::write::{carry_out, plan_for};
use crate::installation::machine::Machine;
use crate::store::{Change, Origin, ProfileId};

/// `auth remove`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth remove openai:old --dry-run
  clawctl auth remove openai:old --agent ops --yes")]
pub struct AuthRemove {
    /// Profile id, as auth list prints it
    #[arg(value_name = "ID", add = complete::profiles())]
    pub id: String,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &AuthRemove) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents_to_write(&context.global.agents())?;
    let id = ProfileId::new(args.id.trim());
    let mut plans = Vec::new();
    for view in machine.views(&agents)? {
        let view = view?;
        let Some(profile) = view.store.profiles.get(&id) else {
            return Err(no_such_profile(context, &view, id.as_str()).into());
        };
        // A profile of main is every agent's; one of the shared store belongs to all and to none.
        if profile.origin() == Origin::Main {
            return Err(Error::usage(format!(
                "agent {} inherits {} from main",
                view.store.agent,
                context.redact.id(id.as_str())
            ))
            .at(&profile.source.path)
            .hint("to remove it for every agent: add --agent main")
            .into());
        }
        if profile.origin() == Origin::Shared {
            context.ui.warn("this profile is in the shared store: it goes for every agent");
        }
        plans.push(plan_for(&machine, &view, &[Change::RemoveProfile { profile: id.clone() }])?);
    }
    mentioned_in_config(context, &machine, &id);
    let question = format!("Remove {}?", context.redact.id(id.as_str()));
    carry_out(context, &machine, &plans, &args.write, Some(&question), "auth remove")
}

/// The config is the user's own text: what it says of the profile is reported, never rewritten.
fn mentioned_in_config(context: &mut Context<'_, '_>, machine: &Machine, id: &ProfileId) {
    let auth = &machine.engine_config.auth;
    let config = machine.installation.places.config.display();
    let shown = context.redact.id(id.as_str());
    if auth.profiles.contains_key(id.as_str()) {
        context.ui.warn(format!("{config} still names it: auth.profiles.{shown}"));
    }
    for (provider, order) in &auth.order {
        if order.iter().any(|listed| listed.as_str() == id.as_str()) {
            context.ui.warn(format!("{config} still names it: auth.order.{provider}"));
        }
    }
}
