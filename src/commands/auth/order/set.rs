//! `clawctl auth order set`

use clap::Args;

use super::spellings;
use crate::base::error::Error;
use crate::base::exit::ExitStatus;
use crate::commands::agents::no_such_profile;
use crate::commands::args::WriteArgs;
use crate::commands::complete;
use crate::commands::context::Context;
use crate::commands::write::{carry_out, plan_for};
use crate::installation::machine::AgentView;
use crate::store::{Change, ProfileId};

/// `auth order set`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth order set --provider openai openai:work openai:spare
  clawctl auth order set --provider openai openai:work --agent ops --dry-run")]
pub struct OrderSet {
    /// Provider whose order is set
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: String,
    /// Profile ids, first choice first
    #[arg(value_name = "ID", required = true, num_args = 1.., add = complete::profiles())]
    pub ids: Vec<String>,
    /// Accept ids of profiles that don't exist (yet)
    #[arg(long)]
    pub allow_missing: bool,
    /// Write options
    #[command(flatten)]
    pub write: WriteArgs,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &OrderSet) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents_to_write(&context.global.agents())?;
    let ids: Vec<ProfileId> = args.ids.iter().map(|id| ProfileId::new(id.trim())).collect();
    for (index, id) in ids.iter().enumerate() {
        if ids[..index].contains(id) {
            return Err(Error::usage(format!("{} is named twice", context.redact.id(id.as_str())))
                .hint("name every profile once, first choice first")
                .into());
        }
    }
    let mut plans = Vec::new();
    for view in machine.views(&agents)? {
        let view = view?;
        check(context, &view, args, &ids)?;
        let changes = changes(&view, &args.provider, &ids);
        plans.push(plan_for(&machine, &view, &changes)?);
    }
    carry_out(context, &machine, &plans, &args.write, None, "auth order set")
}

/// Every id must be a profile that the agent can use, of that provider.
fn check(
    context: &mut Context<'_, '_>,
    view: &AgentView,
    args: &OrderSet,
    ids: &[ProfileId],
) -> Result<(), Error> {
    let names = &view.rules.set.providers;
    let wanted = names.for_credentials(&args.provider);
    if wanted.is_empty() {
        return Err(Error::usage("the provider is empty").hint("give one: --provider openai"));
    }
    const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];
    if let Some(name) = std::iter::once(&*wanted)
        .chain(ids.iter().map(ProfileId::as_str))
        .find(|name| RESERVED.contains(name))
    {
        return Err(Error::usage(format!("{name} is a reserved name, never a provider or profile")));
    }
    for id in ids {
        match view.store.profiles.get(id) {
            Some(profile) => {
                let provider = profile.credential.provider().unwrap_or_default();
                if names.for_credentials(provider) != wanted {
                    let shown = context.redact.id(id.as_str());
                    return Err(Error::usage(format!(
                        "{shown} is a profile of {provider}, not of {}",
                        args.provider
                    ))
                    .hint(format!(
                        "list that provider's profiles: clawctl auth list --provider {} --agent {}",
                        args.provider, view.store.agent
                    )));
                }
            }
            None if args.allow_missing => {}
            None => {
                return Err(no_such_profile(context, view, id.as_str())
                    .hint("to store an id that doesn't exist yet, add --allow-missing"));
            }
        }
    }
    Ok(())
}

/// The order under the provider's proper name; other spellings of it go, since releases read only
/// the first that they find (report 118730).
fn changes(view: &AgentView, provider: &str, ids: &[ProfileId]) -> Vec<Change> {
    let names = &view.rules.set.providers;
    let key = names.for_credentials(provider).into_owned();
    let mut changes = spellings::own_spellings(view, provider)
        .filter(|spelling| *spelling != key)
        .map(|spelling| Change::ClearOrder { provider: spelling.to_owned() })
        .collect::<Vec<_>>();
    changes.push(Change::SetOrder { provider: key, order: ids.to_vec() });
    changes
}
