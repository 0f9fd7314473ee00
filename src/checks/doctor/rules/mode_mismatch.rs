//! the config names another mode or provider than the credential has.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    id: "mode-mismatch",
    severity: Severity::Error,
    looks_at: LooksAt::Credentials,
    summary: "the config names another mode or provider than the credential has",
    explanation: "Such a profile is never used: auth.profiles of the config must name the credential's type (oauth there accepts a token too) and its provider.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for status in agent.own_profiles() {
        let id = status.profile.id.as_str();
        let Some(configured) = agent.scan.machine.engine_config.auth.profiles.get(id) else { continue };
        let names = &agent.rules().providers;
        let kind = status.profile.credential.kind().as_str();
        let foreign = names.for_credentials(&configured.provider) != status.provider;
        let fits = kind == configured.mode || (configured.mode == "oauth" && kind == "token");
        if is_non_canonical(&status.profile.credential, id) {
            continue;
        }
        let (what, field, wanted) = if foreign {
            (format!("provider \"{}\"", configured.provider), "provider", status.provider.as_str())
        } else if !fits {
            (format!("mode \"{}\"", configured.mode), "mode", kind)
        } else {
            continue;
        };
        found.push(
            RULE.finding(format!(
                "the config names {what} for {id}, which is of {field} \"{wanted}\": it is never used"
            ))
            .at(agent.config_path())
            .of_agent(agent.id())
            .of_profile(id)
            .json_path(&["auth", "profiles", id, field])
            .next(format!("write \"{field}\": \"{wanted}\" there, or remove the entry")),
        );
    }
}
