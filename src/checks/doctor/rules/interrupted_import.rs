//! An import was interrupted.

use super::prelude::*;
use crate::checks::doctor::fix::Action;
use crate::store::import;

pub(super) static RULE: Rule = Rule {
    id: "interrupted-import",
    severity: Severity::Error,
    looks_at: LooksAt::Import,
    summary: "an import was interrupted",
    explanation: "Its journal is still there: the store was written, but not every source was moved yet, or nothing is certain. The fix finishes it: sources that are still as they were imported are moved, others are looked at anew.",
    check: Check::Before(check),
};

fn check(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let installation = &scan.machine.installation;
    let pending = match import::pending(installation) {
        Ok(pending) => pending,
        Err(error) => {
            let path = error.place.as_ref().and_then(|place| place.path.clone()).unwrap_or_default();
            found.push(
                RULE.finding(error.message.clone())
                    .at(path)
                    .next("move it away: it isn't needed to import again"),
            );
            return;
        }
    };
    for journal in pending {
        let Some(agent) = scan.agents.iter().find(|agent| agent.id == journal.agent) else { continue };
        let left = journal.files().filter(|path| path.exists()).count();
        let what = if journal.is_written() {
            format!("the store was written, {left} of its files are still to be moved")
        } else {
            "it is uncertain whether the store was written".to_owned()
        };
        found.push(
            RULE.finding(format!("an import of agent {} was interrupted: {what}", agent.id))
                .at(journal.path(installation))
                .of_agent(&agent.id)
                .next(scan.command(None, &["doctor", "--fix"]))
                .fixed_by(Fix::action("finish the import", &agent.id, Action::ResumeImport)),
        );
    }
}
