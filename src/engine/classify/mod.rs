//! Which failover reason a provider's error means, release by release.
//!
//! The rules are ordered tables (one row, one stable id); a row says for which families it holds.
//! One engine walks them: the text is judged first, then the status decides, confirms or
//! overrides. All matching is linear in the length of the text.

mod ecma;
mod engine;
mod list;
mod order;
mod pattern;
mod text;
mod words;

use std::collections::HashSet;
use std::sync::OnceLock;

use serde::Deserialize;

use self::engine::Compiled;
use super::types::{Family, Reason};
pub use text::body_details;

/// The families for which a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Families(u8);

const F3: Families = Families(1);
const F5: Families = Families(2);
const F7: Families = Families(4);
const F9: Families = Families(8);
const FROM_7: Families = F7.or(F9);
const FROM_5: Families = F5.or(FROM_7);
const UP_TO_7: Families = F3.or(F5).or(F7);
const ALL: Families = F3.or(FROM_5);

impl Families {
    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, family: Family) -> bool {
        self.0 >> (family as u8) & 1 == 1
    }
}

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
    /// Strings out of the response body, when it is known apart from the message, as
    /// [`body_details`] finds them. They count from 2026.7.
    pub details: &'a [String],
}

/// The classifier's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'c> {
    /// The reason, or none: then the release doesn't treat the error as a reason to fail over.
    pub reason: Option<Reason>,
    /// The id of the row that decided, `none` when none did. A row can decide that there is no
    /// reason: images that are too large fail everywhere.
    pub rule: &'c str,
    /// The release's own, separate test of the text for a likely context overflow. It looks at
    /// the message alone and can hold beside any reason.
    pub overflow: bool,
}

/// An operator's own row, tried before the built-in ones, in the order given.
///
/// Every condition that is present must hold; a row without any condition is refused. In a file
/// the members are spelled in camelCase, and an unknown one is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
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
    tables: &'static Compiled,
    extra: Vec<ExtraRow>,
}

#[derive(Debug)]
struct ExtraRow {
    row: Row,
    pattern: Option<regex::Regex>,
}

fn tables(family: Family) -> &'static Compiled {
    static BUILT: [OnceLock<Compiled>; Family::ALL.len()] = [const { OnceLock::new() }; Family::ALL.len()];
    BUILT[family as usize].get_or_init(|| Compiled::new(family))
}

impl Classifier {
    /// The family's built-in rules, compiled once per process.
    #[must_use]
    pub fn for_family(family: Family) -> &'static Self {
        static BUILT: [OnceLock<Classifier>; Family::ALL.len()] =
            [const { OnceLock::new() }; Family::ALL.len()];
        BUILT[family as usize].get_or_init(|| Self { tables: tables(family), extra: Vec::new() })
    }

    /// The family's rules with an operator's own rows before them.
    ///
    /// # Errors
    /// A row without condition, an id that is malformed or taken, a pattern that doesn't compile.
    pub fn with_rows(family: Family, extra: Vec<Row>) -> Result<Self, RowError> {
        let built_in = Self::for_family(family);
        let mut taken: HashSet<String> = built_in.rows().map(|info| info.id).collect();
        let mut rows = Vec::with_capacity(extra.len());
        for row in extra {
            if !is_kebab_case(&row.id) {
                return Err(RowError::BadId { id: row.id });
            }
            if !taken.insert(row.id.clone()) {
                return Err(RowError::DuplicateId { id: row.id });
            }
            if !row.has_condition() {
                return Err(RowError::NoCondition { id: row.id });
            }
            let pattern = match row.pattern.as_deref() {
                Some(source) => {
                    Some(regex::RegexBuilder::new(source).case_insensitive(true).build().map_err(
                        |source| RowError::BadPattern { id: row.id.clone(), source: Box::new(source) },
                    )?)
                }
                None => None,
            };
            rows.push(ExtraRow { row, pattern });
        }
        Ok(Self { tables: tables(family), extra: rows })
    }

    /// The family.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.tables.family
    }

    /// The reason for this error and the row that gave it. Linear in the length of the text.
    #[must_use]
    pub fn classify(&self, signal: &Signal<'_>) -> Verdict<'_> {
        let verdict = self.tables.judge(signal);
        match self.extra.iter().find(|extra| extra.holds(self.tables, signal)) {
            Some(extra) => Verdict { reason: extra.row.reason, rule: &extra.row.id, ..verdict },
            None => verdict,
        }
    }

    /// Every row that holds for this family, in the order in which they are tried: an operator's
    /// own, text, status, code, type, and the providers' hooks.
    pub fn rows(&self) -> impl Iterator<Item = RowInfo> {
        let own = self.extra.iter().map(|extra| extra.row.info());
        own.chain(list::rows(self.family()))
    }
}

impl Row {
    fn has_condition(&self) -> bool {
        self.pattern.is_some()
            || !self.statuses.is_empty()
            || !self.codes.is_empty()
            || !self.error_types.is_empty()
            || !self.providers.is_empty()
    }

    fn info(&self) -> RowInfo {
        let mut parts = Vec::new();
        if !self.statuses.is_empty() {
            let statuses: Vec<_> = self.statuses.iter().map(i64::to_string).collect();
            parts.push(format!("status {}", statuses.join(" or ")));
        }
        for (what, names) in
            [("code", &self.codes), ("type", &self.error_types), ("provider", &self.providers)]
        {
            if !names.is_empty() {
                parts.push(format!("{what} {}", names.join(" or ")));
            }
        }
        parts.extend(self.pattern.iter().map(|pattern| format!("/{pattern}/i")));
        RowInfo {
            id: self.id.clone(),
            reason: self.reason,
            pattern: parts.join(" and "),
            note: self.note.clone().unwrap_or_default(),
        }
    }
}

impl ExtraRow {
    fn holds(&self, tables: &Compiled, signal: &Signal<'_>) -> bool {
        let named = |names: &[String], value: Option<&str>| {
            names.is_empty()
                || value.is_some_and(|value| {
                    names.iter().any(|name| name.trim().eq_ignore_ascii_case(value.trim()))
                })
        };
        named(&self.row.codes, signal.code)
            && named(&self.row.error_types, signal.error_type)
            && named(&self.row.providers, signal.provider)
            && (self.row.statuses.is_empty()
                || tables.status_of(signal).is_some_and(|status| self.row.statuses.contains(&status)))
            && self
                .pattern
                .as_ref()
                .is_none_or(|pattern| signal.message.is_some_and(|message| pattern.is_match(message)))
    }
}

/// Lower-case letters, digits and single hyphens between them.
fn is_kebab_case(id: &str) -> bool {
    !id.is_empty()
        && id.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests;
