//! How many realistic error lines a second one core classifies, per family.
//!
//! Run with `cargo bench --bench classify`. Prints figures, asserts nothing.

#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::hint::black_box;
use std::time::Duration;
#[cfg(not(target_os = "linux"))]
use std::time::Instant;

use clawctl::engine::classify::{Classifier, Signal};
use clawctl::engine::types::Family;

/// Lines as providers send them, 80 to 300 bytes, with the status given apart or in the text.
const LINES: &[(Option<i64>, &str, &str)] = &[
    (
        Some(429),
        "openai",
        "Rate limit reached for gpt-5 in organization org-example on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.",
    ),
    (
        None,
        "anthropic",
        r#"529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}"#,
    ),
    (
        Some(402),
        "openrouter",
        "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 9010. To increase, add more credits",
    ),
    (
        Some(401),
        "openai",
        "Incorrect API key provided: sk-xx...xx. You can find your API key in the settings of your account at the provider's platform.",
    ),
    (
        None,
        "google",
        r#"got status: UNAVAILABLE. {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
    ),
    (
        Some(400),
        "anthropic",
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}"#,
    ),
    (
        None,
        "ollama",
        "request to http://127.0.0.1:11434/api/chat failed, reason: connect ECONNREFUSED 127.0.0.1:11434",
    ),
    (
        Some(500),
        "openai",
        "The server had an error while processing your request. Sorry about that! You can retry your request, or contact us through our help center.",
    ),
    (
        None,
        "mistral",
        "2026-06-01T12:00:00.123Z [agent/embedded] embedded run agent end: runId=4f1c2d3e isError=true model=large provider=mistral error=aborted by peer",
    ),
    (
        None,
        "zai",
        r#"{"error":{"code":"1302","message":"您的账户已达到速率限制，请您控制请求频率后重试，或联系客服提升限额"},"request_id":"2026060112000012345678"}"#,
    ),
    (
        Some(404),
        "google",
        "models/gemini-9-pro is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models",
    ),
    (
        None,
        "amazon-bedrock",
        "ThrottlingException: Too many requests, please wait before trying again. You have sent too many requests. Wait before trying again.",
    ),
    (
        None,
        "openai",
        "The gateway is starting, listening on the loopback address, agents loaded: main, support, night; sessions restored: 42; nothing to report here",
    ),
];

/// Time that this thread ran: on Linux the processor's, so that other work on the machine doesn't
/// count; elsewhere the wall's.
fn now() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        Duration::from_nanos(stat.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
    }
    #[cfg(not(target_os = "linux"))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

fn main() {
    let bytes: usize = LINES.iter().map(|(_, _, text)| text.len()).sum();
    println!("{} kinds of lines, {} bytes on average", LINES.len(), bytes / LINES.len());
    for family in Family::ALL {
        let started = now();
        let classifier = Classifier::for_family(family);
        let built = now() - started;
        let pass = || {
            for (status, provider, text) in LINES {
                let signal = Signal {
                    status: *status,
                    message: Some(text),
                    provider: Some(provider),
                    ..Signal::default()
                };
                black_box(classifier.classify(black_box(&signal)));
            }
        };
        pass();
        let mut passes = 0_u32;
        let started = now();
        let mut ran = Duration::ZERO;
        while ran < Duration::from_secs(1) {
            (0..1000).for_each(|_| pass());
            passes += 1000;
            ran = now() - started;
        }
        let rate = f64::from(passes) * LINES.len() as f64 / ran.as_secs_f64();
        println!("{:<7} {rate:>10.0} lines/s, tables built in {built:?}", family.id());
    }
}
