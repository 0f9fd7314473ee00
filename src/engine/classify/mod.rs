//! Which failover reason a provider's error means, release by release.
//!
//! The rules are ordered tables (one row, one stable id); a row says for which families it holds.
//! One engine walks them: the text is judged first, then the status decides, confirms or
//! overrides. All matching is linear in the length of the text.

use std::sync::OnceLock;

use super::types::{Family, Reason};

/// What is known about one failed call. Everything is optional; use `..Signal::default()`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signal<'a> {
    /// The HTTP status, when it came apart from the text. A status that leads the text
    /// (`429 ...`, `HTTP 503: ...`) is found there and needs no entry here.
    pub status: Option<i64>,
    /// The error's code: a provider's (`insufficient_quota`) or Node's (`ECONNRESET`).
    pub code: Option<&'a str>,
    /// The error's type (`overloaded_error`).
    pub error_type: Option<&'a str>,
    /// Plain text, or a JSON or HTML body, optionally with a leading status.
    pub message: Option<&'a str>,
    /// The provider's id; some wordings count only for some providers.
    pub provider: Option<&'a str>,
}

/// The classifier's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'c> {
    /// The reason, or none: then the release doesn't treat the error as a reason to fail over.
    pub reason: Option<Reason>,
    /// The id of the row that decided, `none` when no row matched.
    pub rule: &'c str,
    /// The release's own, separate test of the text for a likely context overflow. It looks at
    /// the message alone and can hold beside any reason.
    pub overflow: bool,
}

/// An operator's own row, tried before the built-in ones, in the order given.
///
/// Every condition that is present must hold; a row without any condition is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// A kebab-case id, unlike every built-in id.
    pub id: String,
    /// The reason that the row gives; none means "no reason to fail over".
    pub reason: Option<Reason>,
    /// A regular expression (`regex` crate syntax, case-insensitive) searched in the message.
    pub pattern: Option<String>,
    /// One of these statuses, given or leading in the message.
    pub statuses: Vec<i64>,
    /// One of these codes, compared without regard to case.
    pub codes: Vec<String>,
    /// One of these error types, compared without regard to case.
    pub error_types: Vec<String>,
    /// One of these providers, compared without regard to case.
    pub providers: Vec<String>,
    /// Free text for `rules show`.
    pub note: Option<String>,
}

/// Why an operator's row was refused.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// The id isn't kebab-case.
    #[error("rule id {id:?} isn't kebab-case (lower-case letters, digits, single hyphens)")]
    BadId {
        /// The id as given.
        id: String,
    },
    /// The id is taken.
    #[error("rule id {id:?} is taken")]
    DuplicateId {
        /// The id as given.
        id: String,
    },
    /// The row would match every error.
    #[error(
        "rule {id:?} has no condition (pattern, statuses, codes, errorTypes or providers) and would match everything"
    )]
    NoCondition {
        /// The row's id.
        id: String,
    },
    /// The pattern doesn't compile.
    #[error("rule {id:?}: the pattern doesn't compile: {source}")]
    BadPattern {
        /// The row's id.
        id: String,
        /// What the regex parser said.
        source: Box<regex::Error>,
    },
}

/// One row as `rules show` prints it and `rules diff` compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowInfo {
    /// The row's stable kebab-case id.
    pub id: String,
    /// The reason that the row gives; none means "no reason to fail over".
    pub reason: Option<Reason>,
    /// The condition in words: statuses, providers, and the patterns that count in this family.
    pub pattern: String,
    /// Why the row is there, or empty.
    pub note: String,
}

/// The rules of one family, compiled. Cheap to share, and free of locks.
#[derive(Debug)]
pub struct Classifier {
    family: Family,
    extra: Vec<ExtraRow>,
}

#[derive(Debug)]
struct ExtraRow {
    row: Row,
    pattern: Option<regex::Regex>,
}

impl Classifier {
    /// The family's built-in rules, compiled once per process.
    #[must_use]
    pub fn for_family(family: Family) -> &'static Self {
        static BUILT: [OnceLock<Classifier>; 4] = [const { OnceLock::new() }; 4];
        BUILT[family as usize].get_or_init(|| Self { family, extra: Vec::new() })
    }

    /// The family's rules with an operator's own rows before them.
    ///
    /// # Errors
    /// A row without condition, an id that is malformed or taken, a pattern that doesn't compile.
    pub fn with_rows(family: Family, extra: Vec<Row>) -> Result<Self, RowError> {
        let mut rows = Vec::with_capacity(extra.len());
        for row in extra {
            let pattern = match &row.pattern {
                Some(text) => {
                    Some(regex::RegexBuilder::new(text).case_insensitive(true).build().map_err(|source| {
                        RowError::BadPattern { id: row.id.clone(), source: Box::new(source) }
                    })?)
                }
                None => None,
            };
            rows.push(ExtraRow { row, pattern });
        }
        Ok(Self { family, extra: rows })
    }

    /// The family.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The reason for this error and the row that gave it. Linear in the length of the text.
    #[must_use]
    pub fn classify(&self, signal: &Signal<'_>) -> Verdict<'_> {
        for extra in &self.extra {
            let text = signal.message.unwrap_or_default();
            if extra.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
                return Verdict { reason: extra.row.reason, rule: &extra.row.id, overflow: false };
            }
        }
        Verdict { reason: None, rule: "none", overflow: false }
    }

    /// Every row that holds for this family, in the order in which they are tried.
    pub fn rows(&self) -> impl Iterator<Item = RowInfo> {
        self.extra.iter().map(|extra| RowInfo {
            id: extra.row.id.clone(),
            reason: extra.row.reason,
            pattern: extra.row.pattern.clone().unwrap_or_default(),
            note: extra.row.note.clone().unwrap_or_default(),
        })
    }
}
