//! An agent's own model without fallbacks (report 79369).

use super::chains::{agents, defaults};
use super::{Check, Group, Input, check};
use crate::config::{Finding, Severity};
use crate::config::{Kind, Node};

pub(super) const CHECK: Check = check(
    "agent-model-is-strict",
    Group::Lint,
    Severity::Warning,
    "an agent's own model that loses the fallbacks of the defaults",
    "An agent with its own model is strict: it uses agents.defaults.model.fallbacks only if its model is an object with its own, non-empty fallbacks. A bare string has none.",
);

pub(super) fn run(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let inherited = defaults(input.tree)
        .and_then(|(_, node)| node.member("model")?.value.member("fallbacks"))
        .filter(|member| !member.value.elements().is_empty());
    let Some(inherited) = inherited else { return };
    for (path, agent) in agents(input.tree) {
        let Some(model) = agent.member("model") else { continue };
        let path = path.key("model");
        let (strict, primary) = match &model.value.kind {
            Kind::String(text) => (!text.trim().is_empty(), text.as_str()),
            Kind::Object(_) => {
                let primary = model.value.member("primary").and_then(|member| member.value.as_str());
                // `fallbacks: []` is a wish to be strict.
                (primary.is_some() && model.value.member("fallbacks").is_none(), primary.unwrap_or_default())
            }
            _ => (false, ""),
        };
        if !strict {
            continue;
        }
        let listed: Vec<String> = inherited
            .value
            .elements()
            .iter()
            .filter_map(Node::as_str)
            .map(|text| format!("\"{text}\""))
            .collect();
        let message = "this agent's model has no fallbacks: those of agents.defaults.model don't apply to it";
        findings.push(
            Finding::new(CHECK.id, CHECK.severity, message)
                .at_path(path)
                .at(model.value.span)
                .label(inherited.value.span, "not used by this agent")
                .hint(format!(
                    "to keep them write {{ primary: \"{primary}\", fallbacks: [{}] }}",
                    listed.join(", ")
                ))
                .hint(format!("to stay strict on purpose write {{ primary: \"{primary}\", fallbacks: [] }}")),
        );
    }
}
