//! The tables as `rules show` prints them.

use super::order::{self, Ask, Judge, Only, Then, When};
use super::words::Theme;
use super::{F9, FROM_5, FROM_7, RowInfo, UP_TO_7};
use crate::engine::types::{Family, Reason};

/// Every row that holds for the family, in the order in which the tables are tried; at the end the
/// words that decide nothing by themselves but are conditions of other rows.
pub(super) fn rows(family: Family) -> Vec<RowInfo> {
    let mut list = List { family, rows: Vec::new() };
    if F9.has(family) {
        list.hooks();
        list.names(&[order::CERTIFICATE_CODES], "code");
        list.theme(Theme::Certificate, Some(Reason::TlsCertificate), "no status");
    }
    if FROM_5.has(family) {
        let reason = (!F9.has(family)).then_some(Reason::Timeout);
        let note = if reason.is_none() { "judged by the status alone" } else { "" };
        list.push("html-page", reason, format!("{} and an HTML page", statuses(order::HTML_STATUSES)), note);
    }
    list.text();
    list.status();
    list.names(order::CODES, "code");
    if FROM_7.has(family) {
        list.names(order::TYPES, "type");
    }
    if FROM_5.has(family) {
        list.theme(Theme::TokenRate, None, "token rate: speaks against context overflow");
        list.theme(Theme::Reasoning, None, "reasoning: speaks against context overflow");
    }
    list.theme(Theme::AccountBalance, None, "money on a 429 only for xai, moonshot and kimi");
    list.rows
}

struct List {
    family: Family,
    rows: Vec<RowInfo>,
}

impl List {
    fn push(&mut self, id: &str, reason: Option<Reason>, pattern: String, note: &str) {
        self.rows.push(RowInfo { id: id.to_owned(), reason, pattern, note: note.to_owned() });
    }

    fn theme(&mut self, theme: Theme, reason: Option<Reason>, note: &str) {
        let family = self.family;
        for row in theme.rows().iter().filter(|row| row.families.has(family)) {
            self.push(row.id, reason, row.test.to_string(), note);
        }
    }

    fn text(&mut self) {
        let family = self.family;
        for step in order::TEXT.iter().filter(|step| step.families.has(family)) {
            match step.judge {
                Judge::Words { theme, reason, only } => {
                    self.theme(theme, reason, &condition(only));
                    if theme == Theme::Billing && UP_TO_7.has(self.family) {
                        self.theme(Theme::LongBilling, reason, "texts above 512 characters");
                    }
                }
                Judge::Payment => self.payment(),
                Judge::LeadingStatus => {
                    for (id, status, reason) in order::LEADING_STATUSES {
                        self.push(id, Some(*reason), format!("leading status {status}"), "");
                    }
                }
                Judge::Server => {
                    self.theme(Theme::ServerStatus, Some(Reason::Timeout), "");
                    let line = "only \"status: internal server error\"".to_owned();
                    self.push("server-status-line", Some(Reason::Timeout), line, "");
                    self.theme(Theme::Server, Some(Reason::Timeout), "");
                }
                // Their rows are those of the types and of the statuses.
                Judge::ServerType | Judge::BodyType | Judge::OwnStatus => {}
            }
        }
    }

    fn payment(&mut self) {
        let bare = "status 402 and nothing else".to_owned();
        self.push("402-bare", Some(Reason::Billing), bare, "");
        for (theme, reason) in order::PAYMENT {
            // These stand in the list in their own right.
            if *theme != Theme::RateLimit {
                self.theme(*theme, Some(*reason), "status 402, given or in the text");
            }
        }
        let other = "status 402 with any other text".to_owned();
        self.push("402-other", Some(Reason::Billing), other, "");
    }

    fn status(&mut self) {
        let family = self.family;
        for row in order::STATUS.iter().filter(|row| row.families.has(family)) {
            let (reason, note) = match row.then {
                Then::Give(reason) => (Some(reason), ""),
                Then::Keep => (None, "keeps the reason of the text, code, type or hook"),
                Then::Payment => (None, "judged as a 402"),
                Then::OwnPayment => (None, "judged as a 402 when the text says so"),
                Then::Nothing => (None, "the status says nothing"),
            };
            let mut pattern = statuses(row.statuses);
            match row.when {
                When::Always => {}
                When::NoText => pattern.push_str(" and no text"),
                When::LeadsText => pattern.push_str(" leading the text"),
                When::Judged(reasons) => {
                    pattern.push_str(&format!(" and judged {}", reason_names(reasons)));
                }
                When::JudgedUnless(reasons) => {
                    pattern.push_str(" and judged");
                    if !reasons.is_empty() {
                        pattern.push_str(&format!(" other than {}", reason_names(reasons)));
                    }
                }
                When::Hooked => pattern.push_str(" and judged by a provider's hook"),
                When::Speaks(theme) => pattern.push_str(&format!(" and text of {}", in_words(theme))),
                When::Unpaid => pattern.push_str(" and text beyond doubt about money"),
                When::NoBody => pattern.push_str(" and no body"),
            }
            self.push(row.id, reason, pattern, note);
        }
    }

    fn names(&mut self, table: &[order::NameRow], what: &str) {
        let family = self.family;
        for row in table.iter().filter(|row| row.families.has(family)) {
            self.push(row.id, Some(row.reason), format!("{what} {}", row.names.join(" or ")), "");
        }
    }

    fn hooks(&mut self) {
        for row in order::HOOKS {
            let note = format!("provider {}", row.providers.join(" or "));
            match row.ask {
                Ask::Words(theme) => self.theme(theme, Some(row.reason), &note),
                Ask::WordsAlone(theme) => {
                    let note = format!("{note}, without status, code and type");
                    self.theme(theme, Some(row.reason), &note);
                }
                Ask::Code(id, name) => self.push(id, Some(row.reason), format!("code {name}"), &note),
                Ask::Type(id, name) => self.push(id, Some(row.reason), format!("type {name}"), &note),
            }
        }
    }
}

fn condition(only: Only) -> String {
    match only {
        Only::Always => String::new(),
        Only::Unless(themes) => {
            let names: Vec<_> = themes.iter().map(|theme| in_words(*theme)).collect();
            format!("unless the text speaks of {}", names.join(", "))
        }
        Only::Provider(id) => format!("provider {id}"),
        Only::ProviderLike(part) => format!("provider with {part:?} in its id"),
        Only::NotLeading(status) => format!("unless the text starts with {status}"),
    }
}

/// `TokenRate` as `token rate`.
fn in_words(theme: Theme) -> String {
    let mut words = String::new();
    for c in format!("{theme:?}").chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

fn statuses(ranges: &[(i64, i64)]) -> String {
    let parts: Vec<_> = ranges
        .iter()
        .map(|range| match range {
            (i64::MIN, i64::MAX) => "any".to_owned(),
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from} to {to}"),
        })
        .collect();
    format!("status {}", parts.join(", "))
}

fn reason_names(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>().join(" or ")
}
