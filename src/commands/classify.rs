//! `clawctl classify`

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::base::exit::ExitStatus;
use crate::base::text;
use crate::commands::args::ListFormat;
use crate::commands::complete;
use crate::commands::context::{Context, Layout};
use crate::engine::classify::{Classifier, Signal};
use crate::engine::usage::{self, CooldownSettings, Failure};
use crate::engine::{EngineConfig, Reason, RuleSet, UsageStats};
use crate::installation::machine::Machine;
use crate::installation::rulebook::Rulebook;
use crate::output::when;

/// `classify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  clawctl classify --status 429 'Rate limit reached for requests'
  clawctl classify --provider openrouter '402 Insufficient credits'
  clawctl classify --batch < errors.jsonl

With --batch every line of stdin is one error: a JSON object with message, status, code, type and
provider (all optional), or the plain text. One JSON object a line comes out, in the same order; a
line that can't be read gets {\"line\": N, \"error\": ...} and makes the exit status 1.")]
pub struct Classify {
    /// The error's text: plain, a JSON body, with a leading status or without
    #[arg(value_name = "TEXT", required_unless_present_any = ["batch", "status", "code", "type"], conflicts_with = "batch")]
    pub text: Option<String>,
    /// HTTP status
    #[arg(long, value_name = "N", conflicts_with = "batch")]
    pub status: Option<i64>,
    /// The error's code: insufficient_quota, ECONNRESET ...
    #[arg(long, value_name = "C", conflicts_with = "batch")]
    pub code: Option<String>,
    /// The error's type: overloaded_error ...
    #[arg(long = "type", id = "type", value_name = "T", conflicts_with = "batch")]
    pub error_type: Option<String>,
    /// Provider; some wordings count only for some providers
    #[arg(long, short, value_name = "PROVIDER", add = complete::providers())]
    pub provider: Option<String>,
    /// Rule set, release, or rule-set file
    #[arg(long, value_name = "R", default_value = "auto")]
    pub rules: String,
    /// Read errors from stdin, one a line
    #[arg(long)]
    pub batch: bool,
}

/// A longer line is no error text; reading it whole could fill the memory.
const MAX_LINE: u64 = 4 * 1024 * 1024;

pub(crate) fn run(context: &mut Context<'_, '_>, args: &Classify) -> anyhow::Result<ExitStatus> {
    let book = match Rulebook::named(Some(&args.rules), &context.env.current_dir)? {
        Some(book) => book,
        None => of_machine(context),
    };
    if args.batch {
        return batch(context, book.classifier(), args.provider.as_deref());
    }
    let signal = Signal {
        status: args.status,
        code: args.code.as_deref(),
        error_type: args.error_type.as_deref(),
        message: args.text.as_deref(),
        provider: args.provider.as_deref(),
        ..Signal::default()
    };
    let verdict = book.classifier().classify(&signal);
    let then = consequence(&book.set, verdict.reason, args.provider.as_deref());
    if context.layout(ListFormat::Auto) == Layout::Json {
        context.print_json(Answer {
            reason: verdict.reason,
            rule: verdict.rule,
            overflow: verdict.overflow,
            then,
            rules: crate::output::json::v1::Rules { id: book.set.id.clone(), why: book.why.clone() },
        })?;
        return Ok(ExitStatus::Ok);
    }
    let reason = verdict.reason.map_or("none", Reason::as_str);
    let out = context.ui.out();
    writeln!(out, "reason    {reason}")?;
    writeln!(out, "rule      {}", verdict.rule)?;
    if verdict.overflow {
        writeln!(out, "overflow  likely: the conversation may be too long for the model")?;
    }
    writeln!(out, "then      {then}")?;
    writeln!(out, "rules     {} ({})", text::text(&book.set.id), text::text(&book.why))?;
    Ok(ExitStatus::Ok)
}

/// What `auto` finds on this machine; the newest rules where there is no installation.
fn of_machine(context: &mut Context<'_, '_>) -> Rulebook {
    let Ok(machine) = Machine::find(&context.global.place(), &context.env, context.now) else {
        return Rulebook::newest();
    };
    let choice =
        machine.agents(&context.global.agents()).ok().and_then(|agents| machine.read(agents.first()?).ok());
    match choice {
        Some(view) => Rulebook::new(view.rules.set, view.rules.why),
        None => Rulebook::newest(),
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    reason: Option<Reason>,
    rule: &'a str,
    overflow: bool,
    then: String,
    rules: crate::output::json::v1::Rules,
}

/// What the runner does about a first failure of this reason.
fn consequence(rules: &RuleSet, reason: Option<Reason>, provider: Option<&str>) -> String {
    let Some(reason) = reason else {
        return "no reason to fail over: the error is handed back, or repeated, as it is".to_owned();
    };
    if reason == Reason::ContextOverflow {
        return "stays with compaction: no other profile is tried for it".to_owned();
    }
    let provider = rules.providers.normalize(provider.unwrap_or_default()).into_owned();
    let settings = CooldownSettings::new(rules, &EngineConfig::default().auth.cooldowns, &provider);
    let now = crate::base::time::Millis(1_000_000_000_000);
    let mut stats = UsageStats::default();
    usage::fail(rules, &settings, &mut stats, Failure { now, reason, model: Some("m") });
    let window = usage::windows(rules, &stats, now).into_iter().max_by_key(|window| window.until);
    let unmarked = rules.run.unmarked.contains(reason);
    let exempt = usage::is_exempt(rules, &provider);
    let window = match window {
        _ if exempt => "sets no window that counts (this provider bypasses cooldowns)".to_owned(),
        _ if unmarked => "sets no window".to_owned(),
        Some(window) => {
            let scope = if window.model.is_some() { " for that model" } else { "" };
            format!(
                "a first failure sets a {} of {}{scope}",
                window.kind.as_str(),
                when::duration(window.until - now)
            )
        }
        None => "sets no window".to_owned(),
    };
    let next = if reason == Reason::Format && rules.run.format_skips_profiles {
        "the next model is tried"
    } else {
        "the next profile is tried, then the next model"
    };
    format!("{window}; {next}")
}

/// One line of input as JSON. Unknown members are ignored: logs carry more.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
    #[serde(default)]
    status: Option<i64>,
    #[serde(borrow, default)]
    code: Option<Code<'a>>,
    #[serde(borrow, default, alias = "errorType")]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    provider: Option<Cow<'a, str>>,
    /// A provider's own error body, not a record of ours.
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Code<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Number(i64),
}

#[derive(Serialize)]
struct Line<'a> {
    line: u64,
    reason: Option<Reason>,
    rule: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overflow: bool,
}

#[derive(Serialize)]
struct BadLine {
    line: u64,
    error: String,
}

/// Classifies stdin line by line, in constant memory.
fn batch(
    context: &mut Context<'_, '_>,
    classifier: &Classifier,
    provider: Option<&str>,
) -> anyhow::Result<ExitStatus> {
    let mut bad = 0_u64;
    let mut complaints = Vec::new();
    {
        let (input, out) = context.ui.input_and_out();
        let mut input = BufReader::with_capacity(256 * 1024, input);
        let mut out = io::BufWriter::with_capacity(256 * 1024, out);
        let mut buffer = Vec::new();
        let mut number = 0_u64;
        loop {
            buffer.clear();
            let read = Read::by_ref(&mut input).take(MAX_LINE).read_until(b'\n', &mut buffer)?;
            if read == 0 {
                break;
            }
            number += 1;
            let whole = buffer.last() == Some(&b'\n') || (read as u64) < MAX_LINE;
            let answer = if whole {
                line(classifier, &buffer, number, provider)
            } else {
                skip_line(&mut input)?;
                Err(format!("longer than {MAX_LINE} bytes"))
            };
            match answer {
                Ok(Some(answer)) => serde_json::to_writer(&mut out, &answer)?,
                Ok(None) => continue,
                Err(error) => {
                    bad += 1;
                    if complaints.len() < 20 {
                        complaints.push(format!("line {number}: {error}"));
                    }
                    serde_json::to_writer(&mut out, &BadLine { line: number, error })?;
                }
            }
            out.write_all(b"\n")?;
        }
        out.flush()?;
    }
    for complaint in &complaints {
        context.ui.warn(complaint);
    }
    if bad > complaints.len() as u64 {
        context.ui.warn(format!("and {} more lines that can't be read", bad - complaints.len() as u64));
    }
    Ok(if bad == 0 { ExitStatus::Ok } else { ExitStatus::Failed })
}

/// Reads on to the end of a line that is too long.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// One line; a blank one is `None`.
fn line<'c>(
    classifier: &'c Classifier,
    bytes: &[u8],
    number: u64,
    provider: Option<&str>,
) -> Result<Option<Line<'c>>, String> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to()))?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let record = if text.trim_start().starts_with('{') {
        let record: Record<'_> =
            serde_json::from_str(text).map_err(|error| format!("not a JSON record: {error}"))?;
        Some(record).filter(|record| record.error.is_none() && record.says_something())
    } else {
        None
    };
    let code;
    let signal = match &record {
        Some(record) => {
            code = match &record.code {
                Some(Code::Text(text)) => Some(Cow::Borrowed(&**text)),
                Some(Code::Number(number)) => Some(Cow::Owned(number.to_string())),
                None => None,
            };
            Signal {
                status: record.status,
                code: code.as_deref(),
                error_type: record.r#type.as_deref(),
                message: record.message.as_deref(),
                provider: record.provider.as_deref().or(provider),
                ..Signal::default()
            }
        }
        None => Signal { message: Some(text), provider, ..Signal::default() },
    };
    let verdict = classifier.classify(&signal);
    Ok(Some(Line { line: number, reason: verdict.reason, rule: verdict.rule, overflow: verdict.overflow }))
}

impl Record<'_> {
    fn says_something(&self) -> bool {
        self.message.is_some() || self.status.is_some() || self.code.is_some()
    }
}
