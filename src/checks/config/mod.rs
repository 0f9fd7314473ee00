//! What a schema can't say. One file a lint; [`ALL`] lists every check of `config validate`.

mod agent_model_is_strict;
mod auth_order;
mod auth_profiles;
mod chains;
mod cooldowns;
mod fallbacks;
mod key_moved;
mod model_refs;
mod plain_secret;
mod single;

use std::collections::BTreeSet;

use crate::base::error::{Error, Result};
use crate::config::Loaded;
use crate::config::Node;
use crate::config::schema::{self, Target};
use crate::config::{Finding, Severity};

/// Which part of validation a check belongs to; `--only schema` means the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Reading the files.
    Syntax,
    /// What the release accepts.
    Schema,
    /// What is probably not meant.
    Lint,
}

/// A check that `config validate` makes.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Kebab-case name.
    pub id: &'static str,
    /// Which part.
    pub group: Group,
    /// Usual severity.
    pub severity: Severity,
    /// One line.
    pub summary: &'static str,
    /// What it is about and what to do.
    pub help: &'static str,
}

/// A profile of the store, as far as lints look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreProfile {
    /// `openai:default`
    pub id: String,
    /// The provider, as the credential says.
    pub provider: String,
    /// `api_key`, `token` or `oauth`.
    pub kind: String,
}

/// The profiles that an agent can use, for `--with-store`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreView {
    /// All of them, inherited ones too.
    pub profiles: Vec<StoreProfile>,
}

/// What a lint looks at.
struct Input<'a> {
    loaded: &'a Loaded,
    tree: &'a Node,
    target: &'a Target,
    store: Option<&'a StoreView>,
}

const fn check(
    id: &'static str,
    group: Group,
    severity: Severity,
    summary: &'static str,
    help: &'static str,
) -> Check {
    Check { id, group, severity, summary, help }
}

/// Every check, in the order in which they run.
pub const ALL: &[Check] = &[
    check(
        "unreadable",
        Group::Syntax,
        Severity::Error,
        "the file can't be read",
        "Permissions, a folder of that name, or more than 16 MiB.",
    ),
    check(
        "syntax",
        Group::Syntax,
        Severity::Error,
        "the file is no JSON5",
        "OpenClaw reads JSON5: comments, trailing commas, keys without quotes and single quotes are fine. Up to ten errors of a file are shown; what follows an error is read as far as it makes sense.",
    ),
    check(
        "duplicate-key",
        Group::Syntax,
        Severity::Warning,
        "a key stands twice in one object",
        "The last one counts, silently. Remove the one that isn't meant.",
    ),
    check(
        "reserved-key",
        Group::Syntax,
        Severity::Warning,
        "a key that JavaScript takes for itself",
        "OpenClaw never sees the key __proto__.",
    ),
    check(
        "not-utf8",
        Group::Syntax,
        Severity::Warning,
        "the file isn't UTF-8",
        "OpenClaw replaces the bytes that it can't read; save the file as UTF-8.",
    ),
    check(
        "include",
        Group::Syntax,
        Severity::Error,
        "an $include that can't be resolved",
        "An include is relative to the file that names it and must stay, also after symlinks, in the config's folder or one of OPENCLAW_INCLUDE_ROOTS; at most ten files deep, 2 MiB a file, no hard links, no circles.",
    ),
    check(
        "env-file",
        Group::Syntax,
        Severity::Error,
        "an --env-file can't be read",
        "Correct the path; it is relative to the working folder.",
    ),
    check(
        "env-missing",
        Group::Syntax,
        Severity::Warning,
        "a ${VAR} without a value",
        "OpenClaw leaves the text as it is and the feature that needs it doesn't work. Set the variable, pass --env-file, or skip variables with --no-env. $${VAR} stands for the text ${VAR}.",
    ),
    check(
        "unknown-key",
        Group::Schema,
        Severity::Error,
        "a key that the release doesn't know",
        "The release refuses the whole config. A near key or the release that knows it is named; nothing is dropped silently.",
    ),
    check("missing-key", Group::Schema, Severity::Error, "a key that must be there", "Add it."),
    check(
        "wrong-type",
        Group::Schema,
        Severity::Error,
        "a value of the wrong type",
        "Write a value of the named type.",
    ),
    check(
        "wrong-value",
        Group::Schema,
        Severity::Error,
        "a value that isn't one of those allowed",
        "Write one of the named values.",
    ),
    check(
        "out-of-bounds",
        Group::Schema,
        Severity::Error,
        "a value outside of what the release takes",
        "Bounds, patterns, and settings that don't go together.",
    ),
    key_moved::CHECK,
    model_refs::INVALID,
    model_refs::UNKNOWN_ALIAS,
    model_refs::UNKNOWN_PROVIDER,
    fallbacks::REPEATED,
    fallbacks::EQUALS_PRIMARY,
    fallbacks::NOT_ALLOWED,
    agent_model_is_strict::CHECK,
    auth_order::UNKNOWN,
    auth_order::OTHER_PROVIDER,
    auth_order::DUPLICATE,
    auth_profiles::NOT_IN_STORE,
    auth_profiles::MISMATCH,
    single::WITHOUT_PROFILE,
    cooldowns::CONTRADICTION,
    cooldowns::IMPLAUSIBLE,
    plain_secret::CHECK,
    single::SINGLE_PROVIDER,
    single::SINGLE_PROFILE,
];

type Run = fn(&Input<'_>, &mut Vec<Finding>);

const LINTS: &[Run] = &[
    key_moved::run,
    model_refs::run,
    fallbacks::run,
    agent_model_is_strict::run,
    auth_order::run,
    auth_profiles::run,
    cooldowns::run,
    plain_secret::run,
    single::run,
];

/// The check of this name, for `--explain`.
///
/// # Errors
/// Usage: there is none; names a near one.
pub fn explain(id: &str) -> Result<&'static Check> {
    ALL.iter().find(|check| check.id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> Error {
    let known: Vec<String> = ALL.iter().map(|check| check.id.to_owned()).collect();
    let error = Error::usage(format!("there is no check \"{id}\""));
    match schema::nearest(id, &known) {
        Some(near) => error.hint(format!("did you mean \"{near}\"?")),
        None => error.hint(format!("checks: schema, lint, {}", known.join(", "))),
    }
}

/// `--only` and `--skip`: names of checks, or of the groups `schema` (reading the files included)
/// and `lint`.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    only: Option<BTreeSet<&'static str>>,
    skip: BTreeSet<&'static str>,
}

impl Selection {
    /// Reads the names.
    ///
    /// # Errors
    /// Usage: an unknown name.
    pub fn new(only: &[String], skip: &[String]) -> Result<Self> {
        let only = if only.is_empty() { None } else { Some(names(only)?) };
        Ok(Self { only, skip: names(skip)? })
    }

    /// Whether findings of this check are wanted. A config that can't be read is always one.
    #[must_use]
    pub fn takes(&self, id: &str) -> bool {
        !self.skip.contains(id) && self.only.as_ref().is_none_or(|only| only.contains(id))
    }

    /// The checks that are wanted.
    pub fn checks(&self) -> impl Iterator<Item = &'static Check> {
        ALL.iter().filter(|check| self.takes(check.id))
    }
}

fn names(given: &[String]) -> Result<BTreeSet<&'static str>> {
    let mut names = BTreeSet::new();
    for name in given.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty()) {
        let fits = |check: &&Check| match name {
            "schema" => check.group != Group::Lint,
            "lint" => check.group == Group::Lint,
            _ => check.id == name,
        };
        let before = names.len();
        names.extend(ALL.iter().filter(fits).map(|check| check.id));
        if names.len() == before
            && !ALL.iter().any(|check| check.id == name)
            && !matches!(name, "schema" | "lint")
        {
            return Err(unknown(name));
        }
    }
    Ok(names)
}

/// Everything that is wrong with a loaded config for a release, in the order of the files.
#[must_use]
pub fn validate(
    loaded: &Loaded,
    target: &Target,
    store: Option<&StoreView>,
    selection: &Selection,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = loaded.findings().to_vec();
    // Half of a config says nothing about what is missing, unknown or not meant.
    if let Some(tree) = loaded.tree().filter(|_| !loaded.has_errors()) {
        findings.extend(schema::check(loaded, target));
        let input = Input { loaded, tree, target, store };
        for run in LINTS {
            run(&input, &mut findings);
        }
    }
    findings.retain(|finding| selection.takes(finding.id));
    findings.sort_by_key(|finding| finding.span.map(|span| (span.file, span.start)));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kebab_case_and_unique() {
        for (at, check) in ALL.iter().enumerate() {
            assert!(
                check.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'8'),
                "{}",
                check.id
            );
            assert!(ALL[..at].iter().all(|other| other.id != check.id), "{}", check.id);
            assert!(check.help.ends_with('.') && !check.summary.ends_with('.'), "{}", check.id);
        }
    }

    #[test]
    fn selections() {
        let of = |only: &[&str], skip: &[&str]| {
            let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            Selection::new(&own(only), &own(skip))
        };
        let schema = of(&["schema"], &["env-missing"]).unwrap();
        assert!(schema.takes("syntax") && schema.takes("unknown-key"));
        assert!(!schema.takes("plain-secret") && !schema.takes("env-missing"));
        assert!(of(&[], &["lint"]).unwrap().takes("include"));
        let error = of(&["plain-secrets"], &[]).unwrap_err();
        assert_eq!(error.hints, ["did you mean \"plain-secret\"?"]);
    }
}
