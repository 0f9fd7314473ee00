//! From a run to the turn of a result: texts, decision records, the summary of a failure.

use super::result::{AttemptLine, CandidateRef, DecisionLine, Outcome, Skipped, Summary, Turn, WindowLine};
use super::text::Secrets;
use crate::base::time::Millis;
use crate::engine::ids::ModelRef;
use crate::engine::run::{AnswerKind, Attempt, Event, Run, RunEnd, Skip, SkipWhy};
use crate::engine::session::Selection;
use crate::engine::types::Reason;
use crate::engine::usage::Window;

pub(super) struct TurnFacts<'a, F: FnOnce() -> Option<Millis>> {
    pub step: usize,
    pub at: Millis,
    pub session: &'a str,
    pub selection: &'a Selection,
    pub run: &'a Run,
    pub notices: Vec<String>,
    pub secrets: &'a Secrets,
    pub soonest: F,
    pub now: Millis,
}

pub(super) fn turn<F: FnOnce() -> Option<Millis>>(facts: TurnFacts<'_, F>) -> Turn {
    let TurnFacts { step, at, session, selection, run, notices, secrets, soonest, now } = facts;
    let names: Vec<String> = selection.candidates.iter().map(ModelRef::to_string).collect();
    let attempts: Vec<AttemptLine> =
        run.attempts.iter().map(|attempt| attempt_line(attempt, selection, secrets)).collect();
    let skipped: Vec<Skipped> =
        run.skips.iter().map(|skip| skipped_line(skip, selection, &run.attempts)).collect();
    let outcome = match &run.end {
        RunEnd::Answered(..) => Outcome::Answered,
        RunEnd::Failed if selection.refused.is_some() => Outcome::Ended,
        RunEnd::Failed => Outcome::Failed,
        RunEnd::Stopped => Outcome::Ended,
        RunEnd::Aborted => Outcome::Aborted,
    };
    let chosen = match &run.end {
        RunEnd::Answered(index, profile) => Some(CandidateRef {
            provider: selection.candidates[*index].provider.to_string(),
            model: selection.candidates[*index].model.to_string(),
            profile: profile.as_ref().map(ToString::to_string),
        }),
        _ => None,
    };
    let summary = match outcome {
        Outcome::Answered | Outcome::Aborted => None,
        Outcome::Ended => Some(summary_of_end(run, selection, &attempts, &names)),
        Outcome::Failed => Some(summary_of_failure(run, &attempts, &skipped, &names, soonest(), now)),
    };
    Turn {
        step,
        at: at.0,
        at_iso: at.to_rfc3339(),
        session: session.to_string(),
        requested: selection.requested.to_string(),
        source: selection.label.into(),
        decisions: decisions(run, &names, outcome, secrets),
        candidates: names,
        attempts,
        skipped,
        chosen,
        outcome,
        notices,
        summary,
    }
}

fn attempt_line(attempt: &Attempt, selection: &Selection, secrets: &Secrets) -> AttemptLine {
    let candidate = &selection.candidates[attempt.candidate];
    let fault = match &attempt.last {
        AnswerKind::Fault(fault) => Some(fault),
        _ => None,
    };
    let (result, reason) = match &attempt.last {
        AnswerKind::Ok => ("ok", None),
        AnswerKind::Empty if attempt.then.as_str() == "answer" => ("ok", None),
        AnswerKind::Abort => ("error", Some("aborted")),
        _ => ("error", attempt.reason().map(Reason::as_str)),
    };
    AttemptLine {
        provider: candidate.provider.to_string(),
        model: candidate.model.to_string(),
        profile: attempt.profile.as_ref().map(ToString::to_string),
        result: result.into(),
        reason: reason.map(Into::into),
        rule: fault.map(|fault| fault.rule.clone()),
        status: fault.and_then(|fault| fault.status),
        code: fault.and_then(|fault| fault.code.as_deref().map(|code| secrets.clean(code))),
        message: fault.filter(|fault| !fault.text.is_empty()).map(|fault| secrets.clean(&fault.text)),
        requests: attempt.requests,
        wait_ms: attempt.waited.0,
        then: attempt.then.as_str().into(),
        window: attempt.window.as_ref().map(window_line),
    }
}

fn window_line(window: &Window) -> WindowLine {
    WindowLine {
        kind: window.kind.as_str().into(),
        until: window.until.0,
        until_iso: window.until.to_rfc3339(),
        model: window.model.as_deref().map(str::to_string),
    }
}

/// Whose failure made a window count for the skipped candidate too (report 141257).
fn widened_by(skip: &Skip, selection: &Selection, attempts: &[Attempt]) -> String {
    let provider = &selection.candidates[skip.candidate].provider;
    let widened = attempts.iter().rev().find(|attempt| {
        attempt.widened
            && attempt.candidate < skip.candidate
            && selection.candidates[attempt.candidate].provider == *provider
    });
    match widened.and_then(|attempt| Some((attempt.candidate, attempt.profile.as_ref()?))) {
        Some((candidate, profile)) => {
            format!(
                "; the failure of {} widened the window of {profile} to every model",
                selection.candidates[candidate]
            )
        }
        None => String::new(),
    }
}

fn skipped_line(skip: &Skip, selection: &Selection, attempts: &[Attempt]) -> Skipped {
    let candidate = &selection.candidates[skip.candidate];
    let provider = &candidate.provider;
    let until = |end: Option<Millis>| {
        end.and_then(Millis::to_rfc3339).map_or_else(String::new, |end| format!(" until {end}"))
    };
    let why = match &skip.why {
        SkipWhy::Auth(end) => {
            format!("the credentials of {provider} were refused: every profile is out{}", until(*end))
        }
        SkipWhy::Cooldown(end) if skip.reason == Some(Reason::Billing) => {
            format!("every {provider} profile is disabled{}", until(*end))
        }
        SkipWhy::Cooldown(end) => {
            let widened = widened_by(skip, selection, attempts);
            format!("every {provider} profile is cooling down for this model{}{widened}", until(*end))
        }
        SkipWhy::Probed => format!("{provider} is cooling down and was probed once in this run"),
        SkipWhy::Remembered(end) => {
            format!(
                "it failed in this session (OPENCLAW_FALLBACK_SKIP_TTL_MS): passed over{}",
                until(Some(*end))
            )
        }
        SkipWhy::NoCredential => format!("{provider} has no usable credential"),
        SkipWhy::PinUnusable(profile) => format!("the pinned profile {profile} can't be used for {provider}"),
        SkipWhy::Certificate => format!("the certificate of {provider} was refused in this run"),
    };
    Skipped {
        candidate: candidate.to_string(),
        reason: skip.reason.map(|reason| reason.as_str().into()),
        why,
    }
}

fn attempt_summary(line: &AttemptLine) -> String {
    let profile = line.profile.as_deref().unwrap_or("-");
    let reason = line.reason.as_deref().unwrap_or("no reason");
    let status = line.status.map_or_else(String::new, |status| format!(" ({status})"));
    let detail = line.message.as_deref().map_or_else(String::new, |message| format!(": {message}"));
    format!("{}/{} {profile} {reason}{status}{detail}", line.provider, line.model)
}

fn summary_of_end(run: &Run, selection: &Selection, attempts: &[AttemptLine], names: &[String]) -> Summary {
    let text = match (&selection.refused, run.attempts.last()) {
        (Some(refused), _) => refused.clone(),
        (None, Some(last)) => match &last.last {
            AnswerKind::Fault(fault) if fault.refusal.is_some() => {
                "the provider refused the request for good".into()
            }
            AnswerKind::Fault(fault) if fault.overflow => {
                "the conversation is too long for the model: the run stops here and compaction is next".into()
            }
            _ => "this release stops the run at such an error and shows it as it is".into(),
        },
        (None, None) => "nothing could be run".into(),
    };
    Summary {
        text,
        attempts: attempts.iter().map(attempt_summary).collect(),
        not_reached: names.get(run.reached..).unwrap_or_default().to_vec(),
        soonest_retry_at: None,
        soonest_retry_at_iso: None,
    }
}

fn summary_of_failure(
    run: &Run,
    attempts: &[AttemptLine],
    skipped: &[Skipped],
    names: &[String],
    soonest: Option<Millis>,
    now: Millis,
) -> Summary {
    let mut reasons: Vec<&str> = attempts
        .iter()
        .filter(|line| line.result != "ok")
        .map(|line| line.reason.as_deref().unwrap_or("unknown"))
        .chain(skipped.iter().map(|skip| skip.reason.as_deref().unwrap_or("unknown")))
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    let state = match reasons.as_slice() {
        ["rate_limit"] => "are rate-limited",
        ["billing"] => "are out of credit",
        ["auth" | "auth_permanent"] | ["auth", "auth_permanent"] => "were refused their credentials",
        ["overloaded"] => "are overloaded",
        _ => "failed",
    };
    let end = soonest.filter(|end| *end > now).and_then(Millis::to_rfc3339);
    let until = end.as_deref().map_or_else(String::new, |end| match state {
        "failed" => format!("; the first window ends {end}"),
        _ => format!(" until {end}"),
    });
    let unreached = names.len().saturating_sub(run.reached);
    let rest = if unreached == 0 { String::new() } else { format!(", {unreached} not reached") };
    let counts = format!("{} tried, {} skipped{rest}", run_count(attempts), skipped.len());
    Summary {
        text: format!("all models {state}{until} ({counts})"),
        attempts: attempts.iter().map(attempt_summary).collect(),
        not_reached: names.get(run.reached..).unwrap_or_default().to_vec(),
        soonest_retry_at: soonest.map(|end| end.0),
        soonest_retry_at_iso: end,
    }
}

/// Models that were called.
fn run_count(attempts: &[AttemptLine]) -> usize {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for line in attempts {
        let model = (line.provider.as_str(), line.model.as_str());
        if !seen.contains(&model) {
            seen.push(model);
        }
    }
    seen.len()
}

/// The first failure of a turn in the words of OpenClaw's notice.
pub(super) fn first_reason(run: &Run) -> String {
    let failures: Vec<Option<Reason>> = run
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Failed(_, reason, _) | Event::Skipped(_, reason) => Some(*reason),
            Event::Probed(..) | Event::Succeeded(_) => None,
        })
        .collect();
    let Some(first) = failures.first() else { return "selected model unavailable".into() };
    let words = first.map_or_else(|| "unknown".to_string(), |reason| reason.as_str().replace('_', " "));
    match failures.len() {
        1 => words,
        count => format!("{words} (+{} more attempts)", count - 1),
    }
}

fn decisions(run: &Run, names: &[String], outcome: Outcome, secrets: &Secrets) -> Vec<DecisionLine> {
    let last = run.events.len().saturating_sub(1);
    let lines = run.events.iter().enumerate().map(|(place, event)| {
        let (decision, index, reason, detail) = match event {
            Event::Failed(index, reason, detail) => {
                let detail = (!detail.is_empty()).then(|| secrets.clean(detail));
                ("candidate_failed", *index, Some(reason.unwrap_or(Reason::Unknown)), detail)
            }
            Event::Skipped(index, reason) => ("skip_candidate", *index, *reason, None),
            Event::Probed(index, reason) => ("probe_cooldown_candidate", *index, *reason, None),
            Event::Succeeded(index) => ("candidate_succeeded", *index, None, None),
        };
        let final_outcome = match event {
            Event::Succeeded(_) => "succeeded",
            _ if place == last && outcome != Outcome::Answered => "chain_exhausted",
            _ => "next_fallback",
        };
        let next = names.get(index + 1).filter(|_| final_outcome == "next_fallback");
        DecisionLine {
            decision: decision.into(),
            candidate: names[index].clone(),
            fallback_step_from_model: names[index].clone(),
            fallback_step_to_model: next.cloned(),
            fallback_step_from_failure_reason: reason.map(|reason| reason.as_str().into()),
            fallback_step_from_failure_detail: detail,
            fallback_step_final_outcome: final_outcome.into(),
        }
    });
    lines.collect()
}
