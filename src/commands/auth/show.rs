//! `clawctl auth show`

use anyhow::Context as _;
use clap::Args;
use serde_json::{Map, Value, json};

use super::list::{json_profile, state_text, tone};
use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::base::time::Millis;
use crate::commands::agents::{json_rules, no_such_profile};
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::commands::cooldowns::show::json_window;
use crate::engine::order::OrderQuery;
use crate::installation::machine::{AgentView, Machine};
use crate::installation::status::ProfileStatus;
use crate::output::json::{put_time, v1};
use crate::output::when;
use crate::store::{FingerprintKey, ProfileId};

/// `auth show`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  clawctl auth show openai:work --fingerprint")]
pub struct AuthShow {
    /// Profile id, as auth list prints it
    #[arg(value_name = "ID", add = complete::profiles())]
    pub id: String,
    /// Add a short keyed fingerprint of each secret, to compare copies within this run
    #[arg(long)]
    pub fingerprint: bool,
}

pub(crate) fn run(context: &mut Context<'_, '_>, args: &AuthShow) -> anyhow::Result<ExitStatus> {
    let machine = context.machine()?;
    let agents = machine.agents(&context.global.agents())?;
    let key = if args.fingerprint { Some(FingerprintKey::random()?) } else { None };
    let mut shown = Vec::new();
    let mut missing = None;
    for view in machine.views(&agents)? {
        let view = view?;
        context.store_notes(&view);
        let statuses = machine.profiles(&view, context.now);
        match statuses.iter().find(|status| status.profile.id.as_str() == args.id) {
            Some(status) => {
                let document = document(context, &machine, &view, status, key.as_ref());
                if context.layout(crate::commands::args::ListFormat::Auto) != Layout::Json {
                    print(context, &document, status)?;
                }
                shown.push(document);
            }
            None => missing = Some(no_such_profile(context, &view, &args.id)),
        }
    }
    match missing {
        Some(error) if shown.is_empty() => return Err(error.into()),
        _ => {}
    }
    if context.layout(crate::commands::args::ListFormat::Auto) == Layout::Json {
        context.print_json(v1::AuthShow { agents: shown })?;
    }
    Ok(ExitStatus::Ok)
}

fn document(
    context: &mut Context<'_, '_>,
    machine: &Machine,
    view: &AgentView,
    status: &ProfileStatus<'_>,
    key: Option<&FingerprintKey>,
) -> v1::ShownProfile {
    let credential = &status.profile.credential;
    let order = machine.order(
        view,
        OrderQuery { provider: &status.provider, now: context.now, preferred: None, model: None },
    );
    let order_path = match &order.source {
        crate::engine::order::OrderSource::Stored(provider) => {
            view.store.state.order.get(provider).map(|order| order.source.path.display().to_string())
        }
        crate::engine::order::OrderSource::ConfigOrder(_) => {
            Some(machine.installation.places.config.display().to_string())
        }
        _ => None,
    };
    let id = &status.profile.id;
    v1::ShownProfile {
        agent: view.store.agent.to_string(),
        rules: json_rules(view),
        profile: json_profile(context, status),
        credential: if context.redact.is_on() { Value::Null } else { credential.masked() },
        secrets: credential
            .secrets()
            .iter()
            .map(|field| v1::SecretField {
                field: field.name.clone(),
                kind: field.secret.kind().name(),
                chars: field.secret.chars(),
                fingerprint: key.map(|key| field.secret.fingerprint(key)),
            })
            .collect(),
        refs: credential
            .refs()
            .iter()
            .map(|reference| {
                json!({ "field": reference.field, "source": reference.source,
                        "provider": reference.provider, "id": reference.id })
            })
            .collect(),
        usage: usage_with_iso(view, id),
        windows: machine
            .windows(view, context.now, false)
            .iter()
            .filter(|row| row.profile == *id)
            .map(|row| json_window(context, row))
            .collect(),
        order_source: order.source.as_str(),
        order_path,
    }
}

/// The entry as stored, each time with its twin.
fn usage_with_iso(view: &AgentView, id: &ProfileId) -> Map<String, Value> {
    let stored = view
        .store
        .state
        .usage
        .get(id)
        .and_then(|usage| serde_json::from_str::<Map<String, Value>>(usage.value.as_str()).ok());
    let mut out = Map::new();
    for (name, value) in stored.unwrap_or_default() {
        let is_time = name.ends_with("Until") || name.ends_with("At") || name == "lastUsed";
        match value.as_i64().filter(|_| is_time) {
            Some(time) => put_time(&mut out, &name, Some(Millis(time))),
            None => {
                out.insert(name, value);
            }
        }
    }
    out
}

fn print(
    context: &mut Context<'_, '_>,
    document: &v1::ShownProfile,
    status: &ProfileStatus<'_>,
) -> anyhow::Result<()> {
    let now = context.now;
    let style = tone(&status.state).style();
    let state = state_text(status, now);
    let profile = &document.profile;
    let mut lines: Vec<(&str, String)> = vec![
        ("profile", profile.id.clone()),
        ("agent", document.agent.clone()),
        ("provider", profile.provider.clone()),
        ("type", profile.kind.clone()),
    ];
    lines.extend(profile.label.clone().map(|label| ("label", label)));
    lines.push(("state", state.clone()));
    lines.push(("rank", profile.rank.map_or_else(|| "not used".to_owned(), |rank| rank.to_string())));
    let order = match &document.order_path {
        Some(path) => format!("{} ({path})", order_words(document.order_source)),
        None => order_words(document.order_source).to_owned(),
    };
    lines.push(("ranked by", order));
    lines.push(("lives", format!("{} ({})", profile.lives, profile.path)));
    if let Some(shadowed) = &status.profile.shadows {
        lines.push(("shadows", format!("an inherited copy ({})", shadowed.path.display())));
    }
    lines.extend(profile.expires_iso.clone().map(|expires| ("expires", expires)));
    for secret in &document.secrets {
        let fingerprint = secret
            .fingerprint
            .as_ref()
            .map_or_else(String::new, |fingerprint| format!(", fingerprint {fingerprint}"));
        lines.push((
            "secret",
            format!("{}: {}, {} chars{fingerprint}", secret.field, secret.kind, secret.chars),
        ));
    }
    for reference in &document.refs {
        let text = |key: &str| reference[key].as_str().unwrap_or_default().to_owned();
        lines.push((
            "ref",
            format!("{}: {} {} ({})", text("field"), text("source"), text("id"), text("provider")),
        ));
    }
    for window in &document.windows {
        let until = window.until.map(Millis).unwrap_or_default();
        let reason = window.reason.as_deref().unwrap_or("no reason");
        let model = window.model.as_ref().map_or_else(String::new, |model| format!(" for {model}"));
        lines.push((
            "window",
            format!(
                "{} ({reason}){model}, ends {} ({}), {}",
                window.kind.unwrap_or_default(),
                when::relative(until, now),
                when::iso(until),
                window.ends_by,
            ),
        ));
    }
    for (name, value) in &document.usage {
        if !name.ends_with("Iso") {
            let twin = document.usage.get(&format!("{name}Iso")).and_then(Value::as_str);
            let text = twin.map_or_else(|| value.to_string(), str::to_owned);
            lines.push(("usage", format!("{name}: {text}")));
        }
    }
    let out = context.ui.out();
    for (name, text) in lines {
        let text = text::text(&text);
        if name == "state" {
            writeln!(out, "{name:<10} {style}{text}{style:#}").context("print")?;
        } else {
            writeln!(out, "{name:<10} {text}").context("print")?;
        }
    }
    Ok(())
}

/// Where an order comes from, for people.
pub(super) fn order_words(source: &str) -> &'static str {
    match source {
        "stored" => "the stored order",
        "config-order" => "auth.order in the config",
        "config-profiles" => "the profiles that auth.profiles names, by type and last use",
        _ => "the stored profiles, by type and last use",
    }
}
