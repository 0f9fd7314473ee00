//! `clawctl auth list`

use clap::Args;

use crate::base::exit::ExitStatus;
use crate::commands::agents::{each_agent, json_notes, json_rules, no_such_provider};
use crate::commands::args::ListFormatArg;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::installation::machine::AgentView;
use crate::installation::status::{ProfileStatus, State};
use crate::output::json::v1;
use crate::output::list::{Column, Field, Tone, column};
use crate::output::when;

/// `auth list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl auth list
  clawctl auth list --provider openai --agent ops
  clawctl auth list --all-agents --format tsv | cut -f1,2,6

Columns of --format tsv: agent, profile, provider, type, label, state, until, last used, rank, lives, shadows.")]
pub struct AuthList {
    /// Only this provider's profiles
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Layout of the output
    #[command(flatten)]
    pub format: ListFormatArg,
}

const COLUMNS: [Column; 11] = [
    column("agent"),
    column("profile"),
    column("provider"),
    column("type"),
    column("label"),
    column("state"),
    column("until").only_tsv(),
    column("last used"),
    column("rank").right(),
    column("lives"),
    column("shadows"),
];

pub(crate) fn run(context: &mut Context<'_, '_>, args: &AuthList) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let layout = context.layout(args.format.format);
    let mut rows = Vec::new();
    let mut documents = Vec::new();
    let mut shown = 0;
    let mut missing = None;
    let status = each_agent(context, &machine, &agents, |context, view| {
        let wanted =
            args.provider.as_ref().map(|provider| view.rules.set.providers.for_credentials(provider));
        let mut profiles = machine.profiles(view, context.now);
        profiles.retain(|status| wanted.as_ref().is_none_or(|wanted| status.provider == **wanted));
        if profiles.is_empty()
            && let Some(provider) = &args.provider
        {
            missing.get_or_insert_with(|| no_such_provider(view, provider));
        }
        shown += profiles.len();
        if layout == Layout::Json {
            documents.push(v1::AgentProfiles {
                agent: view.store.agent.to_string(),
                rules: json_rules(view),
                profiles: profiles.iter().map(|status| json_profile(context, status)).collect(),
                notes: json_notes(view),
            });
            return Ok(());
        }
        rows.extend(profiles.iter().map(|status| row(context, view, status, agents.len() > 1, layout)));
        if layout == Layout::Tsv {
            // Nothing is aligned there, so thousands of agents need no memory.
            context.print_list(layout, &COLUMNS, &rows)?;
            rows.clear();
        }
        Ok(())
    })?;
    if shown == 0
        && let Some(error) = missing
    {
        return Err(error.into());
    }
    if layout == Layout::Json {
        context.print_json(v1::AuthList {
            state_dir: machine.installation.places.state_dir.display().to_string(),
            generation: machine.installation.generation().name(),
            agents: documents,
        })?;
    } else if shown == 0 {
        context.nothing("no auth profiles");
    } else if !rows.is_empty() {
        context.print_list(layout, &COLUMNS, &rows)?;
    }
    Ok(status)
}

fn row(
    context: &mut Context<'_, '_>,
    view: &AgentView,
    status: &ProfileStatus<'_>,
    several: bool,
    layout: Layout,
) -> Vec<Field> {
    let now = context.now;
    let tone = tone(&status.state);
    let last_used = match status.last_used() {
        Some(used) => Field::new(when::ago(used, now)).machine(when::iso(used)),
        None => Field::new("never").machine("").tone(Tone::Dim),
    };
    let agent = if several || layout == Layout::Tsv { view.store.agent.as_str() } else { "" };
    let id = context.redact.id(status.profile.id.as_str());
    let label = context.redact.label(status.label()).unwrap_or_default();
    // In a table what the id says already would only take room.
    let said = id.strip_prefix(status.provider.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let provider = if said.is_some() { "" } else { status.provider.as_str() };
    let shown_label = if said == Some(label.as_str()) { String::new() } else { label.clone() };
    vec![
        Field::new(agent),
        Field::new(id.as_str()),
        Field::new(provider).machine(status.provider.as_str()),
        Field::new(status.profile.credential.kind().as_str()),
        Field::new(shown_label).machine(label),
        Field::new(state_text(status, now)).machine(status.state.name()).tone(tone),
        Field::new("").machine(status.state.until().map(when::iso).unwrap_or_default()),
        last_used,
        Field::new(status.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string())),
        Field::new(status.profile.origin().name()),
        Field::new(if status.profile.shadows.is_some() { "shadows inherited" } else { "" }),
    ]
}

/// The state for people, with a word on providers whose windows don't count.
pub(super) fn state_text(status: &ProfileStatus<'_>, now: crate::base::time::Millis) -> String {
    let text = status.state.text(now);
    if status.exempt && (status.usage.cooldown_until.is_some() || status.usage.disabled_until.is_some()) {
        format!("{text} (bypasses cooldowns)")
    } else {
        text
    }
}

pub(super) const fn tone(state: &State) -> Tone {
    match state {
        State::Ok | State::Expires(_) => Tone::Good,
        State::ExpiredRefreshable(_) | State::Window(_) => Tone::Wait,
        State::Expired(_) | State::UnresolvedRef(_) | State::Invalid(_) => Tone::Bad,
    }
}

/// The profile for JSON.
pub(super) fn json_profile(context: &mut Context<'_, '_>, status: &ProfileStatus<'_>) -> v1::Profile {
    let credential = &status.profile.credential;
    let (reason, model) = match &status.state {
        State::Window(window) => {
            (window.reason.as_deref().map(str::to_owned), window.model.as_deref().map(str::to_owned))
        }
        State::Invalid(code) => (Some(code.as_str().to_owned()), None),
        _ => (None, None),
    };
    v1::Profile {
        id: context.redact.id(status.profile.id.as_str()),
        provider: status.provider.clone(),
        kind: credential.kind().as_str().to_owned(),
        label: context.redact.label(status.label()),
        email: context.redact.label(credential.email()),
        state: status.state.name(),
        state_text: state_text(status, context.now),
        until: v1::ms(status.state.until()),
        until_iso: v1::iso(status.state.until()),
        reason,
        model,
        expires: v1::ms(credential.expires()),
        expires_iso: v1::iso(credential.expires()),
        last_used: v1::ms(status.last_used()),
        last_used_iso: v1::iso(status.last_used()),
        rank: status.rank,
        lives: status.profile.origin().name(),
        path: status.profile.source.path.display().to_string(),
        shadows_inherited: status.profile.shadows.is_some(),
    }
}
