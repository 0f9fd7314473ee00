//! The walk over the tables.

use std::cell::Cell;

use super::ecma::Lazy;
use super::order::{self, Ask, Judge, NameRow, Only, Then, When};
use super::pattern::{Builder, Gate, Literals, Matcher, Scan};
use super::text::{self, Leading};
use super::words::Theme;
use super::{F3, F9, FROM_7, Signal, UP_TO_7, Verdict};
use crate::engine::types::{Family, Reason};

/// A reason, and the row that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) reason: Reason,
    pub(super) rule: &'static str,
}

/// The built-in tables of one family.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) family: Family,
    literals: Literals,
    themes: Vec<CompiledTheme>,
}

#[derive(Debug)]
struct CompiledTheme {
    gate: Gate,
    rows: Vec<(&'static str, Matcher)>,
}

const UNSEEN: u8 = 0;
const NO_MATCH: u8 = 1;

/// A text under judgement. Each theme is searched at most once.
struct View<'c, 't> {
    tables: &'c Compiled,
    scan: Scan<'t>,
    memo: [Cell<u8>; Theme::ALL.len()],
}

impl Compiled {
    pub(super) fn new(family: Family) -> Self {
        let mut builder = Builder::default();
        let themes = Theme::ALL
            .iter()
            .map(|theme| {
                let rows: Vec<_> = theme
                    .rows()
                    .iter()
                    .filter(|row| row.families.has(family))
                    .map(|row| (row.id, builder.matcher(&row.test)))
                    .collect();
                CompiledTheme { gate: Gate::over(rows.iter().map(|(_, matcher)| matcher)), rows }
            })
            .collect();
        Self { family, literals: builder.finish(), themes }
    }

    fn view<'c, 't>(&'c self, text: &'t str) -> View<'c, 't> {
        View {
            tables: self,
            scan: self.literals.scan(text),
            memo: [const { Cell::new(UNSEEN) }; Theme::ALL.len()],
        }
    }

    /// The reason for an error and its row, and whether the text looks like a context overflow.
    pub(super) fn judge(&self, signal: &Signal<'_>) -> Verdict<'static> {
        let view = signal.message.filter(|text| !text.is_empty()).map(|text| self.view(text));
        let view = view.as_ref();
        let found =
            if F3.has(self.family) { self.status_first(signal, view) } else { self.text_first(signal, view) };
        let overflow = view.is_some_and(View::likely_overflow);
        match found {
            Some(found) => Verdict { reason: Some(found.reason), rule: found.rule, overflow },
            None => {
                let rule = view.and_then(|view| view.theme(Theme::Image)).unwrap_or("none");
                Verdict { reason: None, rule, overflow }
            }
        }
    }

    /// 2026.3: a status or a code decides without regard to what the text was judged to be.
    fn status_first(&self, signal: &Signal<'_>, view: Option<&View<'_, '_>>) -> Option<Found> {
        let given = Given { signal, view, status: signal.status, judged: None, hooked: false };
        self.by_status(&given)
            .or_else(|| self.by_name(order::CODES, signal.code))
            .or_else(|| view?.theme(Theme::Timeout).map(|rule| Found { reason: Reason::Timeout, rule }))
            .or_else(|| view?.judge(signal))
    }

    /// From 2026.5: the text is judged, then the status decides, confirms or overrides.
    fn text_first(&self, signal: &Signal<'_>, view: Option<&View<'_, '_>>) -> Option<Found> {
        let newest = F9.has(self.family);
        let status = signal.status.or_else(|| view?.own_status());
        let html = || {
            let view = view?;
            let transport = covers(order::HTML_STATUSES, status?);
            (transport && text::is_html(self.family, view.scan.raw)).then_some(())
        };
        if !newest && html().is_some() {
            return Some(Found { reason: Reason::Timeout, rule: "html-page" });
        }
        let by_message = view.and_then(|view| view.judge(signal));
        let by_text = merge(self.family, by_message, self.by_details(signal));
        let by_type = || self.by_name(order::TYPES, signal.error_type);
        if !newest {
            let judged = by_text.or_else(by_type);
            let by_code = self.by_name(order::CODES, signal.code);
            if by_code.is_some_and(|found| found.reason == Reason::AuthPermanent) {
                return by_code;
            }
            let given = Given { signal, view, status, judged, hooked: false };
            return match self.by_status(&given) {
                Some(found) => Some(found),
                None => by_code.or(judged),
            };
        }

        let hooked = self.by_hook(signal, view, status, by_message.is_some());
        if hooked.is_none() && status.is_none() {
            let by_code = self.by_name(&[order::CERTIFICATE_CODES], signal.code);
            let by_words = || {
                let rule = view?.theme(Theme::Certificate)?;
                Some(Found { reason: Reason::TlsCertificate, rule })
            };
            if let Some(found) = by_code.or_else(by_words) {
                return Some(found);
            }
        }
        if hooked.is_none() && html().is_some() {
            let given = Given { signal, view: None, status, judged: None, hooked: false };
            return self.by_status(&given);
        }
        let by_code = self
            .by_name(order::CODES, signal.code)
            .or_else(|| self.by_name(order::CODES, view?.body_code()?.as_deref()));
        let judged = match (hooked, by_code) {
            (Some(_), _) => hooked,
            (None, Some(code)) if code.reason == Reason::Format => by_code,
            (None, _) => merge(self.family, by_text.or_else(by_type), by_code),
        };
        if by_code.is_some_and(|found| found.reason == Reason::AuthPermanent) {
            return by_code;
        }
        let given = Given { signal, view, status, judged, hooked: hooked.is_some() };
        self.by_status(&given).or(by_code).or(judged)
    }

    /// The first of the body's strings that says something.
    fn by_details(&self, signal: &Signal<'_>) -> Option<Found> {
        if !FROM_7.has(self.family) {
            return None;
        }
        let bare = Signal { error_type: None, ..*signal };
        let texts = signal.details.iter().filter(|text| !text.is_empty());
        texts.map(|text| self.view(text)).find_map(|view| view.judge(&bare))
    }

    fn by_name(&self, table: &[NameRow], name: Option<&str>) -> Option<Found> {
        let name = text::trim(name?);
        table
            .iter()
            .filter(|row| row.families.has(self.family))
            .find(|row| row.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
            .map(|row| Found { reason: row.reason, rule: row.id })
    }

    /// 2026.9: providers' own hooks. They are asked when something but the text is known, when the
    /// text speaks of context and length, or when the text alone said nothing.
    fn by_hook(
        &self,
        signal: &Signal<'_>,
        view: Option<&View<'_, '_>>,
        status: Option<i64>,
        judged: bool,
    ) -> Option<Found> {
        let provider = signal.provider?;
        let status = signal.status.or(status.filter(|status| matches!(status, 401 | 403 | 429)));
        let alone = status.is_none() && signal.code.is_none() && signal.error_type.is_none();
        let candidate = || {
            view.is_some_and(|view| {
                view.theme(Theme::OverflowCandidate).is_some() && view.theme(Theme::RateLimit).is_none()
            })
        };
        if alone && judged && !candidate() {
            return None;
        }
        let is = |value: Option<&str>, name: &str| {
            value.is_some_and(|value| text::trim(value).eq_ignore_ascii_case(name))
        };
        order::HOOKS
            .iter()
            .filter(|row| row.providers.iter().any(|id| id.eq_ignore_ascii_case(provider)))
            .find_map(|row| {
                let rule = match row.ask {
                    Ask::Words(theme) => view?.theme(theme),
                    Ask::WordsAlone(theme) if alone => view?.theme(theme),
                    Ask::WordsAlone(_) => None,
                    Ask::Code(id, name) => is(signal.code, name).then_some(id),
                    Ask::Type(id, name) => is(signal.error_type, name).then_some(id),
                };
                Some(Found { reason: row.reason, rule: rule? })
            })
    }

    fn by_status(&self, given: &Given<'_, '_, '_>) -> Option<Found> {
        let status = given.status?;
        for row in order::STATUS {
            if !row.families.has(self.family)
                || !covers(row.statuses, status)
                || !given.holds(row.when, self.family, status)
            {
                continue;
            }
            return match row.then {
                Then::Give(reason) => Some(Found { reason, rule: row.id }),
                Then::Keep => given.judged,
                Then::Nothing => None,
                Then::Payment => given.view.map(View::payment),
                Then::OwnPayment => {
                    let view = given.view?;
                    match view.text_payment() {
                        Some(found) => Some(found),
                        None if given.signal.status.is_some() => Some(view.payment()),
                        None => given.judged,
                    }
                }
            };
        }
        None
    }
}

/// What the status table looks at.
struct Given<'s, 'c, 't> {
    signal: &'s Signal<'s>,
    view: Option<&'s View<'c, 't>>,
    status: Option<i64>,
    judged: Option<Found>,
    hooked: bool,
}

impl Given<'_, '_, '_> {
    fn holds(&self, when: When, family: Family, status: i64) -> bool {
        let judged = self.judged.map(|found| found.reason);
        match when {
            When::Always => true,
            When::NoText => self.view.is_none(),
            When::LeadsText => {
                self.view.is_some_and(|view| view.leading().is_some_and(|own| own.status == status))
            }
            When::Judged(reasons) => judged.is_some_and(|reason| reasons.contains(&reason)),
            When::JudgedUnless(reasons) => judged.is_some_and(|reason| !reasons.contains(&reason)),
            When::Hooked => self.hooked && judged.is_some(),
            When::Speaks(theme) => self.view.is_some_and(|view| view.theme(theme).is_some()),
            When::Unpaid => self.unpaid(),
            When::NoBody => self.view.is_none_or(|view| {
                view.scan.trimmed.is_empty() || text::is_no_body(family, view.scan.raw, status)
            }),
        }
    }

    /// Whether a 429 is about money. `insufficient account balance` is so only from providers that
    /// mean it, or when the body's type says so.
    fn unpaid(&self) -> bool {
        const MEAN_IT: [&str; 3] = ["xai", "moonshot", "kimi"];
        let ambiguous = self.view.is_some_and(View::ambiguous_balance);
        if !ambiguous && self.judged.is_some_and(|found| found.reason == Reason::Billing) {
            return true;
        }
        let mean_it =
            || self.signal.provider.is_some_and(|id| MEAN_IT.iter().any(|part| contains_any_case(id, part)));
        self.view.is_some_and(|view| view.theme(Theme::Billing).is_some()) && (!ambiguous || mean_it())
    }
}

impl View<'_, '_> {
    /// The theme's first row that matches.
    fn theme(&self, theme: Theme) -> Option<&'static str> {
        let theme = match theme {
            Theme::Billing => self.billing_theme()?,
            other => other,
        };
        let index = theme as usize;
        let table = self.tables.themes.get(index)?;
        let memo = self.memo.get(index)?;
        let row = match memo.get() {
            NO_MATCH => return None,
            UNSEEN => {
                let row = if table.gate.open(&self.scan) {
                    table.rows.iter().position(|(_, matcher)| matcher.matches(&self.scan))
                } else {
                    None
                };
                memo.set(row.and_then(|row| u8::try_from(row + 2).ok()).unwrap_or(NO_MATCH));
                row?
            }
            known => usize::from(known - 2),
        };
        table.rows.get(row).map(|(id, _)| *id)
    }

    /// Long texts are documents that may mention money: to 2026.7 only a plain 402 counts above
    /// 512 characters, in 2026.9 nothing counts in a text with several headings (report 12022).
    fn billing_theme(&self) -> Option<Theme> {
        const LONG: usize = 512;
        if UP_TO_7.has(self.tables.family) {
            let long = text::longer_than(self.scan.raw, LONG);
            Some(if long { Theme::LongBilling } else { Theme::Billing })
        } else {
            (!text::is_document(self.scan.raw)).then_some(Theme::Billing)
        }
    }

    fn leading(&self) -> Option<Leading<'_>> {
        text::leading_status(self.tables.family, self.scan.trimmed)
    }

    /// The status that leads the text, behind `error:` perhaps.
    fn own_status(&self) -> Option<i64> {
        let bare = text::strip_error_prefix(self.scan.trimmed);
        text::leading_status(self.tables.family, bare).map(|leading| leading.status)
    }

    fn judge(&self, signal: &Signal<'_>) -> Option<Found> {
        for step in order::TEXT {
            if !step.families.has(self.tables.family) {
                continue;
            }
            if let Judge::Words { theme, reason, only } = step.judge {
                if let Some(rule) = self.theme(theme).filter(|_| self.allows(only, signal)) {
                    return reason.map(|reason| Found { reason, rule });
                }
            } else if let Some(found) = self.special(step.judge, signal) {
                return Some(found);
            }
        }
        None
    }

    fn allows(&self, only: Only, signal: &Signal<'_>) -> bool {
        let provider = || text::trim(signal.provider.unwrap_or_default());
        match only {
            Only::Always => true,
            Only::Unless(themes) => themes.iter().all(|theme| self.theme(*theme).is_none()),
            Only::Provider(id) => provider().eq_ignore_ascii_case(id),
            Only::ProviderLike(part) => contains_any_case(provider(), part),
            Only::NotLeading(status) => self.leading().is_none_or(|leading| leading.status != status),
        }
    }

    fn special(&self, judge: Judge, signal: &Signal<'_>) -> Option<Found> {
        match judge {
            Judge::Words { .. } => None,
            Judge::Payment => self.text_payment(),
            Judge::LeadingStatus => {
                let status = self.leading()?.status;
                let row = order::LEADING_STATUSES.iter().find(|(_, known, _)| *known == status);
                row.map(|(rule, _, reason)| Found { reason: *reason, rule })
            }
            Judge::ServerType => {
                self.theme(Theme::BodyType)?;
                let named = text::body(self.tables.family, self.scan.raw)?.error_type;
                let found = self.tables.by_name(order::TYPES, named.as_deref())?;
                let counts = found.reason == Reason::ServerError;
                (counts && self.allows(order::REFUSED_OR_UNPAID, signal)).then_some(found)
            }
            Judge::Server => self.server(),
            Judge::BodyType => {
                let given = self.tables.by_name(order::TYPES, signal.error_type);
                if given.is_none() && self.theme(Theme::BodyType).is_none() {
                    return None;
                }
                match text::body(self.tables.family, self.scan.raw).and_then(|body| body.error_type) {
                    Some(named) => self.tables.by_name(order::TYPES, Some(&named)),
                    None => given,
                }
            }
            Judge::OwnStatus => {
                let status = Some(self.own_status()?);
                let bare = Signal { status: None, ..*signal };
                self.tables.by_status(&Given {
                    signal: &bare,
                    view: Some(self),
                    status,
                    judged: None,
                    hooked: false,
                })
            }
        }
    }

    /// `status: internal server error` counts with a code of 500 or when nothing else is said;
    /// otherwise the rest of the text is judged.
    fn server(&self) -> Option<Found> {
        static LINE: Lazy = Lazy::new(r"\bstatus:\s*internal server error\b");
        let found = |rule| Found { reason: Reason::Timeout, rule };
        if let Some(rule) = self.theme(Theme::ServerStatus) {
            return Some(found(rule));
        }
        let rule = self.theme(Theme::Server)?;
        if rule != "server-internal" {
            return Some(found(rule));
        }
        match LINE.without_first(self.scan.trimmed) {
            None => Some(found(rule)),
            Some(rest) if text::trim(&rest).is_empty() => Some(found("server-status-line")),
            Some(rest) => self.tables.view(&rest).theme(Theme::Server).map(found),
        }
    }

    fn body_code(&self) -> Option<Option<String>> {
        self.theme(Theme::BodyCode)?;
        Some(text::body(self.tables.family, self.scan.raw)?.code)
    }

    /// What a text that speaks of a 402 itself means by it.
    fn text_payment(&self) -> Option<Found> {
        if self.theme(Theme::Says402).is_some() {
            return Some(self.payment());
        }
        self.theme(Theme::Leads402)?;
        let rest = text::payment_text(self.tables.family, self.scan.raw);
        let known = (!rest.is_empty()).then(|| self.tables.view(&rest).payment_row()).flatten();
        known.map(|_| self.payment())
    }

    /// The text as the text of a 402.
    fn payment(&self) -> Found {
        let rest = text::payment_text(self.tables.family, self.scan.raw);
        if rest.is_empty() {
            return Found { reason: Reason::Billing, rule: "402-bare" };
        }
        self.tables.view(&rest).payment_row().unwrap_or(Found { reason: Reason::Billing, rule: "402-other" })
    }

    fn payment_row(&self) -> Option<Found> {
        order::PAYMENT
            .iter()
            .find_map(|(theme, reason)| Some(Found { reason: *reason, rule: self.theme(*theme)? }))
    }

    /// `insufficient account balance`, unless the body's type speaks of money too.
    fn ambiguous_balance(&self) -> bool {
        let family = self.tables.family;
        let says_money = |text: &str| {
            let named = text::body(family, text).and_then(|body| body.error_type);
            named.is_some_and(|named| {
                [named.replace('_', " "), named]
                    .iter()
                    .any(|name| self.tables.view(name).theme(Theme::Billing).is_some())
            })
        };
        self.theme(Theme::AccountBalance).is_some()
            && !says_money(self.scan.raw)
            && !self.leading().is_some_and(|leading| says_money(leading.rest))
    }

    /// The release's separate test for a likely context overflow.
    fn likely_overflow(&self) -> bool {
        let speaks = |theme| self.theme(theme).is_some();
        let newest = F9.has(self.tables.family);
        if newest && text_over_rate(self) {
            return self.explicit_overflow();
        }
        let any = speaks(Theme::OverflowHint) || self.explicit_overflow();
        if !any
            || speaks(Theme::TokenRate)
            || speaks(Theme::Reasoning)
            || speaks(Theme::Billing)
            || speaks(Theme::SmallWindow)
            || speaks(Theme::RateLimit)
        {
            return false;
        }
        self.explicit_overflow()
            || (!speaks(Theme::PromptTemplate) && !speaks(Theme::RateHint) && speaks(Theme::OverflowHint))
    }

    fn explicit_overflow(&self) -> bool {
        let speaks = |theme| self.theme(theme).is_some();
        !speaks(Theme::TokenRate)
            && !speaks(Theme::Reasoning)
            && (speaks(Theme::Overflow)
                || (speaks(Theme::VendorOverflow)
                    && !(F9.has(self.tables.family) && speaks(Theme::RateLimit))))
    }
}

fn text_over_rate(view: &View<'_, '_>) -> bool {
    view.theme(Theme::RateLimit).is_some() && text::over_token_rate(view.scan.raw)
}

/// What two sources say together: an overflow outranks all, anything outranks a mere format error,
/// and in 2026.9 money in the second outranks a rate in the first.
fn merge(family: Family, first: Option<Found>, second: Option<Found>) -> Option<Found> {
    let (Some(a), Some(b)) = (first, second) else { return first.or(second) };
    Some(match (a.reason, b.reason) {
        (Reason::ContextOverflow, _) => a,
        (_, Reason::ContextOverflow) | (Reason::Format, _) => b,
        (Reason::RateLimit, Reason::Billing) if F9.has(family) => b,
        _ => a,
    })
}

fn covers(ranges: &[(i64, i64)], status: i64) -> bool {
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&status))
}

fn contains_any_case(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

impl Compiled {
    /// The status, given or leading in the text.
    pub(super) fn status_of(&self, signal: &Signal<'_>) -> Option<i64> {
        signal.status.or_else(|| {
            let bare = text::strip_error_prefix(text::trim(signal.message?));
            text::leading_status(self.family, bare).map(|leading| leading.status)
        })
    }
}

#[cfg(test)]
impl Compiled {
    /// Every expression compiles, every row waits for a literal, and all literals fit.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.literals.len() == 0 || self.literals.len() > super::pattern::Mask::CAPACITY {
            return Err(format!("{} literals", self.literals.len()));
        }
        for (id, matcher) in self.themes.iter().flat_map(|theme| &theme.rows) {
            matcher.check().map_err(|problem| format!("{id}: {problem}"))?;
        }
        Ok(())
    }

    /// The first row that answers otherwise when no literal is waited for.
    pub(super) fn first_difference_without_shortcuts(&self, text: &str) -> Option<&'static str> {
        let scan = self.literals.scan(text);
        self.themes.iter().find_map(|theme| {
            let first = theme.rows.iter().find(|(_, matcher)| {
                let slow = matcher.matches_slowly(&scan);
                slow != matcher.matches(&scan) || (slow && !theme.gate.open(&scan))
            });
            first.map(|(id, _)| *id)
        })
    }
}
