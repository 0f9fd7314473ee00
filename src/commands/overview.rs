//! `clawctl` alone: what is here, and what to type next.

use crate::base::error::ErrorKind;
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::agents::json_rules;
use crate::commands::args::ListFormat;
use crate::commands::context::{Context, Layout};
use crate::installation::status::exhausted_providers;
use crate::output::json::v1;

pub(crate) fn run(context: &mut Context<'_, '_>) -> anyhow::Result<ExitStatus> {
    let machine = match context.machine() {
        Ok(machine) => machine,
        Err(error) if error.kind == ErrorKind::Nothing => {
            return Err(error.hint("try clawctl on a sample installation: clawctl --demo auth list").into());
        }
        Err(error) => return Err(error.into()),
    };
    let places = &machine.installation.places;
    let agents: Vec<_> = machine.installation.agents().iter().collect();
    let mut found = Vec::with_capacity(agents.len());
    for view in machine.views(&agents)? {
        let view = view?;
        let profiles = machine.profiles(&view, context.now);
        found.push(v1::OverviewAgent {
            agent: view.store.agent.to_string(),
            rules: json_rules(&view),
            profiles: profiles.len(),
            usable: profiles.iter().filter(|status| status.is_usable()).count(),
            windows: machine.windows(&view, context.now, false).len(),
            providers_without_usable_profile: exhausted_providers(&profiles),
        });
    }
    let config_state = match machine.config_problem() {
        Some(problem) => problem.to_string(),
        None if machine.config.exists() => "ok".to_owned(),
        None => "missing".to_owned(),
    };
    let overview = v1::Overview {
        state_dir: places.state_dir.display().to_string(),
        state_dir_why: places.state_dir_reason.to_string(),
        config: places.config.display().to_string(),
        config_state,
        generation: machine.installation.generation().name(),
        agents: found,
    };
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(overview)?;
        return Ok(ExitStatus::Ok);
    }
    let out = context.ui.out();
    writeln!(out, "state folder  {} ({})", text::text(&overview.state_dir), overview.state_dir_why)?;
    writeln!(out, "config        {} ({})", text::text(&overview.config), text::text(&overview.config_state))?;
    writeln!(out, "stores        {}", overview.generation)?;
    for agent in &overview.agents {
        writeln!(
            out,
            "agent         {}: {} profiles, {} usable now, {} active windows; rules {}",
            text::text(&agent.agent),
            agent.profiles,
            agent.usable,
            agent.windows,
            agent.rules.id
        )?;
        for provider in &agent.providers_without_usable_profile {
            writeln!(out, "              no usable profile of {}", text::text(provider))?;
        }
    }
    writeln!(out, "\nWhat to type next:")?;
    for (command, what) in NEXT {
        writeln!(out, "  {command:<46} {what}")?;
    }
    Ok(ExitStatus::Ok)
}

const NEXT: [(&str, &str); 5] = [
    ("clawctl auth list", "profiles, their state and rank"),
    ("clawctl cooldowns show", "what is waiting, and until when"),
    ("clawctl auth order explain --provider openai", "why this profile and not the other"),
    ("clawctl auth order set --provider openai IDS", "steer the order"),
    ("clawctl help", "everything else"),
];
