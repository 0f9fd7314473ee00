//! a window ends later than any failure could have set it.

use super::prelude::*;
use crate::engine::usage::CooldownSettings;
use crate::output::when;

pub(super) static RULE: Rule = Rule {
    id: "window-implausible",
    severity: Severity::Warning,
    looks_at: LooksAt::Usage,
    summary: "a window ends later than any failure could have set it",
    explanation: "No ladder of the release is that long (with the config's auth.cooldowns); usually the clock was wrong, or a file was edited by hand (report 130322). The fix clears the profile's windows and counters, and keeps lastUsed.",
    check: Check::Agent(check),
};

fn check(agent: &AgentScan<'_>, found: &mut Vec<Finding>) {
    for (id, entry, members) in agent.usage() {
        let provider = agent.provider_of(id);
        let settings =
            CooldownSettings::new(agent.rules(), &agent.scan.machine.engine_config.auth.cooldowns, &provider);
        for (field, kind) in WINDOWS {
            let Some(until) = members.get(field).and_then(Value::as_f64) else { continue };
            let longest = settings.longest(agent.rules(), kind);
            let ahead = Millis(until as i64) - agent.now();
            if ahead.0 <= longest.0 {
                continue;
            }
            found.push(
                RULE.finding(format!(
                    "{field} of {id} is {} ahead; {} never sets one longer than {}",
                    when::duration(ahead),
                    agent.rules().id,
                    when::duration(longest)
                ))
                .in_source(&entry.source, agent.id())
                .json_path(&["usageStats", id.as_str(), field])
                .of_profile(id.as_str())
                .next(agent.command(&["cooldowns", "clear", id.as_str()]))
                .fixed_by(clear_windows(agent, id)),
            );
        }
    }
}
