//! Rules about one string.

use super::{FROM_2026_6, FROM_2026_8};
use crate::config::schema::Version;

const ALWAYS: Version = (0, 0, 0);
const NO_END: Version = (u16::MAX, 0, 0);

pub(super) struct Row {
    pub(super) pattern: &'static str,
    pub(super) since: Version,
    /// The first release without the rule.
    pub(super) until: Version,
    pub(super) check: fn(&str, Version) -> bool,
    pub(super) message: &'static str,
}

const fn row(pattern: &'static str, check: fn(&str, Version) -> bool, message: &'static str) -> Row {
    Row { pattern, since: ALWAYS, until: NO_END, check, message }
}

const fn from(since: Version, row: Row) -> Row {
    Row { since, ..row }
}

const fn until(until: Version, row: Row) -> Row {
    Row { until, ..row }
}

const fn filled(pattern: &'static str) -> Row {
    row(pattern, |text, _| !text.trim().is_empty(), "must not be blank")
}

const DURATION: &str = "must be a duration such as 30m (units ms, s, m, h, d)";
const SIZE: &str = "must be a size such as 500mb (units b, kb, mb, gb, tb)";

pub(super) const ROWS: &[Row] = &[
    row("@agent.heartbeat.every", |text, _| text.is_empty() || duration(text).is_some(), DURATION),
    row("cron.sessionRetention", |text, _| duration(text).is_some(), DURATION),
    row("session.maintenance.pruneAfter", is_retention, DURATION),
    row("session.maintenance.resetArchiveRetention", is_retention, DURATION),
    from(
        FROM_2026_8,
        row(
            "cloudWorkers.profiles.*.suspendAfter",
            |text, _| duration(text).is_some_and(|ms| ms >= 60_000.0),
            "must be a duration of at least 1m",
        ),
    ),
    row("session.maintenance.maxDiskBytes", |text, _| is_size(text), SIZE),
    row("session.maintenance.highWaterBytes", |text, _| is_size(text), SIZE),
    row("cron.runLog.maxBytes", |text, _| is_size(text), SIZE),
    row("@agent.compaction.maxActiveTranscriptBytes", |text, _| is_size(text), SIZE),
    row("@agent.compaction.memoryFlush.forceFlushTranscriptBytes", |text, _| is_size(text), SIZE),
    row(
        "session.maintenance.archiveDashboardAfter",
        |text, _| duration(text).is_some_and(|ms| ms > 0.0),
        DURATION,
    ),
    row("session.maintenance.preserveRecent", |text, _| duration(text).is_some_and(|ms| ms > 0.0), DURATION),
    row(
        "hooks.mappings.*.transform.module",
        |text, _| is_inner_path(text),
        "must be a relative path without ..",
    ),
    row(
        "secrets.providers.*.command",
        |text, _| is_executable(text),
        "must be a program without shell characters",
    ),
    row("secrets.providers.*.command", |text, _| is_absolute(text), "must be an absolute path"),
    row("secrets.providers.*.trustedDirs.*", |text, _| is_absolute(text), "must be an absolute path"),
    row("@agent.sandbox.docker.binds.*", |text, _| is_bind(text), BIND),
    from(FROM_2026_6, row("@agent.sandbox.browser.binds.*", |text, _| is_bind(text), BIND)),
    row("@agent.sandbox.docker.seccompProfile", is_confined, "must not be unconfined"),
    row("@agent.sandbox.docker.apparmorProfile", is_confined, "must not be unconfined"),
    from(FROM_2026_6, filled("gateway.tls.certPath")),
    from(FROM_2026_6, filled("gateway.tls.keyPath")),
    until(
        FROM_2026_6,
        row("proxy.proxyUrl", |text, _| has_scheme(text, &["http"]), "must start with http://"),
    ),
    from(
        FROM_2026_6,
        row(
            "proxy.proxyUrl",
            |text, _| has_scheme(text, &["http", "https"]),
            "must start with http:// or https://",
        ),
    ),
    until(
        FROM_2026_8,
        row(
            "gateway.controlUi.chatMessageMaxWidth",
            |text, _| is_css_width(text),
            "must be a CSS width such as 960px or min(1280px, 82%)",
        ),
    ),
    filled("hooks.mappings.*.channel"),
    until(FROM_2026_8, filled("memory.qmd.searchTool")),
    from(FROM_2026_8, filled("agents.defaults.authInheritance.agentId")),
    from(FROM_2026_8, filled("agents.defaults.heartbeat.agentId")),
    from(FROM_2026_8, filled("agents.defaults.sessionStore.agentId")),
    from(FROM_2026_8, filled("agents.defaults.systemAgent.agentId")),
    from(FROM_2026_8, filled("@agent.tools.github.gitAuthor.email")),
    from(FROM_2026_8, filled("@agent.tools.github.gitAuthor.name")),
    from(FROM_2026_8, filled("tools.github.gitAuthor.email")),
    from(FROM_2026_8, filled("tools.github.gitAuthor.name")),
    from(FROM_2026_8, filled("cloudWorkers.profiles.*.provider")),
    from(FROM_2026_8, filled("gateway.auth.trustedProxy.cloudflareAccessOidc.githubAccountIdClaim")),
    from(FROM_2026_8, filled("gateway.auth.trustedProxy.cloudflareAccessOidc.providerId")),
    from(FROM_2026_8, filled("gateway.controlUi.environment.label")),
    from(FROM_2026_8, filled("gateway.roles.default")),
    from(FROM_2026_8, filled("gateway.roles.definitions.*.accessPolicyPlugin")),
    from(FROM_2026_8, filled("gateway.roles.definitions.*.agents.*")),
    from(FROM_2026_8, filled("mcp.servers.*.oauth.authProfileId")),
    from(FROM_2026_6, filled("mcp.servers.*.oauth.scope")),
    from(FROM_2026_6, filled("mcp.servers.*.toolFilter.exclude.*")),
    from(FROM_2026_6, filled("mcp.servers.*.toolFilter.include.*")),
    from(FROM_2026_8, filled("nodeHost.mcp.servers.*.oauth.authProfileId")),
    from(FROM_2026_8, filled("nodeHost.mcp.servers.*.oauth.scope")),
    from(FROM_2026_8, filled("nodeHost.mcp.servers.*.toolFilter.exclude.*")),
    from(FROM_2026_8, filled("nodeHost.mcp.servers.*.toolFilter.include.*")),
    from(FROM_2026_8, filled("nodeHost.workerRuns.containerImage")),
    from(FROM_2026_8, filled("secrets.egressProxy.allowedHosts.*")),
    from(FROM_2026_8, filled("secrets.egressProxy.bypassHosts.*")),
    from(FROM_2026_8, filled("talk.agentId")),
    from(FROM_2026_8, filled("tools.media.*.preferredModel")),
    from(
        FROM_2026_8,
        row(
            "worktreeRoot",
            |text, _| is_absolute(text.trim()) || is_home(text.trim()),
            "must be an absolute path or start with ~",
        ),
    ),
    from(
        FROM_2026_8,
        row("desktop.host.passwordFile", |text, _| is_absolute(text.trim()), "must be an absolute path"),
    ),
    from(
        FROM_2026_8,
        row(
            "gateway.publicOrigin",
            |text, _| is_public_origin(text),
            "must be an https origin without a path",
        ),
    ),
    from(
        FROM_2026_8,
        row(
            "gateway.portals.ingress.domain",
            |text, _| is_domain(text),
            "must be a DNS domain such as example.com",
        ),
    ),
    from(
        FROM_2026_8,
        row(
            "models.catalogRefresh.url",
            |text, _| is_secure_url(text),
            "must be an https URL, or http on localhost",
        ),
    ),
    from(
        FROM_2026_8,
        row(
            "mcp.apps.sandboxOrigin",
            |text, _| origin(text).is_some(),
            "must be an http(s) origin without a path",
        ),
    ),
    from(
        FROM_2026_8,
        row("mcp.servers.*.url", |text, _| has_scheme(text, &["http", "https"]), "must be an http(s) URL"),
    ),
    from(
        FROM_2026_8,
        row(
            "@agent.decisionModel",
            |text, _| text.trim().is_empty() || is_model_ref(text),
            "must be provider/model, or empty",
        ),
    ),
];

const BIND: &str = "must be /host/path:/container/path with an absolute host path";

fn is_confined(text: &str, _: Version) -> bool {
    !text.trim().eq_ignore_ascii_case("unconfined")
}

/// Zero is refused from 2026.8 on.
fn is_retention(text: &str, version: Version) -> bool {
    duration(text).is_some_and(|ms| ms > 0.0 || version < FROM_2026_8)
}

/// Milliseconds of `30`, `30m`, `1.5h`, `1h30m`; the unit doesn't matter to a bare number here.
pub(super) fn duration(text: &str) -> Option<f64> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return None;
    }
    if text.ends_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return decimal(&text);
    }
    let mut rest = text.as_str();
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|&at| at > 0)?;
        let number = decimal(&rest[..digits])?;
        rest = &rest[digits..];
        let units = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0), ("d", 86_400_000.0)];
        let (unit, factor) = units.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
        sum += number * factor;
        rest = &rest[unit.len()..];
    }
    Some(sum)
}

/// `12` or `1.5`, nothing shorter.
fn decimal(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(whole) && digits(fraction)).then(|| text.parse().ok()).flatten()
}

fn is_size(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let unit = matches!(&text[split..], "" | "b" | "k" | "kb" | "m" | "mb" | "g" | "gb" | "t" | "tb");
    unit && decimal(&text[..split]).is_some()
}

fn is_inner_path(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && !text.starts_with(['/', '~'])
        && !text.contains(':')
        && !text.split(['/', '\\']).any(|part| part == "..")
}

fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    text.starts_with('/') || drive || text.strip_prefix(r"\\").is_some_and(|rest| rest.contains('\\'))
}

fn is_home(text: &str) -> bool {
    text == "~" || text.starts_with("~/")
}

/// A path, or a bare name; no quotes, control or shell characters.
pub(super) fn is_executable(text: &str) -> bool {
    let text = text.trim();
    let wrong = |c: char| c.is_control() || matches!(c, ';' | '&' | '|' | '`' | '$' | '<' | '>' | '"' | '\'');
    if text.is_empty() || text.contains(wrong) {
        return false;
    }
    let path = text.starts_with(['.', '~']) || text.contains(['/', '\\']) || is_absolute(text);
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    path || (!text.starts_with('-') && text.chars().all(name))
}

fn is_bind(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix("//?/")).unwrap_or(text);
    text.starts_with('/') || (is_absolute(text) && !text.starts_with('\\'))
}

fn has_scheme(text: &str, schemes: &[&str]) -> bool {
    text.trim().split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty() && schemes.iter().any(|name| scheme.eq_ignore_ascii_case(name))
    })
}

/// Scheme and host of an origin: nothing after the host and port but a slash.
fn origin(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.trim().split_once("://")?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let fits =
        has_scheme(text, &["http", "https"]) && !rest.is_empty() && !rest.contains(['/', '?', '#', '@']);
    fits.then_some((scheme, rest))
}

fn is_local(host: &str) -> bool {
    let name = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
    matches!(name, Some("localhost" | "127.0.0.1" | "[::1]"))
}

fn is_public_origin(text: &str) -> bool {
    origin(text).is_some_and(|(scheme, host)| scheme.eq_ignore_ascii_case("https") || is_local(host))
}

fn is_secure_url(text: &str) -> bool {
    has_scheme(text, &["https"])
        || (has_scheme(text, &["http"])
            && text
                .split_once("://")
                .is_some_and(|(_, rest)| is_local(rest.split(['/', '?', '#']).next().unwrap_or_default())))
}

fn is_domain(text: &str) -> bool {
    let label = |part: &str| {
        (1..64).contains(&part.len())
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.contains('.')
        && text.split('.').all(label)
        && !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_css_width(text: &str) -> bool {
    let text = text.trim();
    let simple = |text: &str| {
        let number = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let unit = &text[number..];
        number > 0
            && (unit == "%" || (!unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic())))
    };
    let function =
        ["min(", "max(", "clamp(", "calc(", "fit-content("].iter().any(|name| text.starts_with(name));
    simple(text)
        || (function && text.ends_with(')'))
        || matches!(text, "none" | "min-content" | "max-content" | "fit-content")
}

/// `provider/model`, neither part blank.
pub(super) fn is_model_ref(text: &str) -> bool {
    text.trim()
        .split_once('/')
        .is_some_and(|(provider, model)| !provider.trim().is_empty() && !model.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each asked from 2026.9.6 with `agents.defaults.heartbeat.every`.
    #[test]
    fn durations() {
        for (text, fits) in [
            ("30m", true),
            ("30", true),
            ("0", true),
            ("1h30m", true),
            ("1.5h", true),
            (" 30m ", true),
            ("5d", true),
            ("500ms", true),
            ("-5m", false),
            ("30 m", false),
            ("1w", false),
            ("abc", false),
            ("1h30", false),
            (".5h", false),
        ] {
            assert_eq!(duration(text).is_some(), fits, "{text}");
        }
        assert_eq!(duration("1h30m"), Some(5_400_000.0));
    }

    /// Each asked from 2026.9.6 with `session.maintenance.maxDiskBytes`.
    #[test]
    fn sizes() {
        for (text, fits) in [
            ("1mb", true),
            ("1", true),
            ("0", true),
            ("1.5gb", true),
            ("1MB", true),
            ("x", false),
            ("-1mb", false),
            ("1 mb", false),
            ("", false),
        ] {
            assert_eq!(is_size(text), fits, "{text}");
        }
    }

    /// Each asked from 2026.9.6.
    #[test]
    fn paths() {
        for (text, fits) in
            [("../x", false), ("a/x.js", true), (r"a\..\x.js", false), ("~/x.js", false), ("/x", false)]
        {
            assert_eq!(is_inner_path(text), fits, "{text}");
        }
        for (text, fits) in
            [("/a:/b:ro", true), ("~/a:/b", false), ("abc", false), ("", false), (r"C:\a:/b", true)]
        {
            assert_eq!(is_bind(text), fits, "{text}");
        }
    }
}
