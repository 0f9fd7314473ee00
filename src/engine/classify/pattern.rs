//! How a table row tests a text, and how rows become one automaton.
//!
//! Every literal of a family's tables goes into one Aho-Corasick automaton, so a text is read once
//! whatever the number of rows. A regular expression is tried only when the literals that it can't
//! do without were found, and is compiled on first use. Both are linear in the text.

use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::ecma::Lazy;
use super::text;

/// One condition on a text. Letters compare without regard to case (ASCII).
#[derive(Debug, Clone, Copy)]
pub(super) enum Test {
    /// Contains this; written in lower case.
    Has(&'static str),
    /// Contains this between word boundaries; written in lower case.
    Word(&'static str),
    /// Is this and nothing else, blanks around it aside; written in lower case.
    Is(&'static str),
    /// Matches a regular expression on the text without the blanks around it.
    Re(Expr),
    /// The same on the text as it came.
    ReRaw(Expr),
    /// The expression matches somewhere where its group 1 took no part.
    ReBare(Expr),
    /// Every one of these.
    All(&'static [Test]),
    /// At least one of these.
    Any(&'static [Test]),
    /// Not this. Only inside `All`, beside a test that asks for a literal.
    Not(&'static Test),
    /// States a tokens-per-minute limit and a request that is larger (report 147644).
    OverTokenRate,
}

/// A regular expression in ECMAScript's notation and meaning (see [`super::ecma`]).
#[derive(Debug, Clone, Copy)]
pub(super) struct Expr {
    /// Literals without which it can't match, all of them.
    pub(super) needs: &'static [&'static str],
    /// The expression.
    pub(super) source: &'static str,
}

/// Shorthand for the tables.
pub(super) const fn re(needs: &'static [&'static str], source: &'static str) -> Test {
    Test::Re(Expr { needs, source })
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, tests: &[Test], joint: &str| {
            for (index, test) in tests.iter().enumerate() {
                if index > 0 {
                    f.write_str(joint)?;
                }
                match test {
                    Test::All(inner) | Test::Any(inner) if inner.len() > 1 => write!(f, "({test})")?,
                    _ => write!(f, "{test}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Has(literal) => write!(f, "{literal:?}"),
            Self::Word(literal) => write!(f, "word {literal:?}"),
            Self::Is(literal) => write!(f, "exactly {literal:?}"),
            Self::Re(expr) => write!(f, "/{}/i", expr.source),
            Self::ReRaw(expr) => write!(f, "/{}/i untrimmed", expr.source),
            Self::ReBare(expr) => write!(f, "/{}/i without group 1", expr.source),
            Self::All(tests) => list(f, tests, " and "),
            Self::Any(tests) => list(f, tests, " or "),
            Self::Not(test) => write!(f, "not {test}"),
            Self::OverTokenRate => f.write_str("requested tokens above the stated limit per minute"),
        }
    }
}

const MASK_WORDS: usize = 8;

/// A set of literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mask([u64; MASK_WORDS]);

impl Mask {
    /// How many literals a family's tables can hold.
    #[cfg(test)]
    pub(super) const CAPACITY: usize = MASK_WORDS * 64;

    fn set(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn has(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn holds(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }

    fn join(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
}

/// A compiled [`Test`].
#[derive(Debug)]
enum Node {
    Has(usize),
    Word(usize),
    AnyHas(Mask),
    Is(&'static str),
    Re { needs: Mask, expr: Lazy, on: On },
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    OverTokenRate,
}

#[derive(Debug, Clone, Copy)]
enum On {
    Trimmed,
    Raw,
    Bare,
}

/// A compiled condition with the literals of which at least one must be there.
#[derive(Debug)]
pub(super) struct Matcher {
    anchors: Mask,
    node: Node,
}

/// Collects literals while tables are compiled.
#[derive(Debug, Default)]
pub(super) struct Builder {
    literals: Vec<&'static str>,
}

impl Builder {
    fn literal(&mut self, literal: &'static str) -> usize {
        if let Some(index) = self.literals.iter().position(|known| *known == literal) {
            return index;
        }
        self.literals.push(literal);
        self.literals.len() - 1
    }

    fn mask(&mut self, literals: &[&'static str]) -> Mask {
        let mut mask = Mask::default();
        for literal in literals {
            mask.set(self.literal(literal));
        }
        mask
    }

    fn node(&mut self, test: &Test) -> (Node, Mask) {
        match test {
            Test::Has(literal) => (Node::Has(self.literal(literal)), self.mask(&[literal])),
            Test::Word(literal) => (Node::Word(self.literal(literal)), self.mask(&[literal])),
            Test::Is(literal) => (Node::Is(literal), self.mask(&[literal])),
            Test::Re(expr) => self.expression(expr, On::Trimmed),
            Test::ReRaw(expr) => self.expression(expr, On::Raw),
            Test::ReBare(expr) => self.expression(expr, On::Bare),
            Test::All(tests) => {
                let mut anchors = None;
                let mut nodes = Vec::with_capacity(tests.len());
                for test in *tests {
                    let (node, own) = self.node(test);
                    if anchors.is_none() && own != Mask::default() {
                        anchors = Some(own);
                    }
                    nodes.push(node);
                }
                (Node::All(nodes), anchors.unwrap_or_default())
            }
            Test::Any(tests) => {
                let mut anchors = Mask::default();
                let mut nodes = Vec::with_capacity(tests.len());
                for test in *tests {
                    let (node, own) = self.node(test);
                    anchors.join(&own);
                    nodes.push(node);
                }
                if nodes.iter().all(|node| matches!(node, Node::Has(_))) {
                    (Node::AnyHas(anchors), anchors)
                } else {
                    (Node::Any(nodes), anchors)
                }
            }
            Test::Not(test) => (Node::Not(Box::new(self.node(test).0)), Mask::default()),
            Test::OverTokenRate => (Node::OverTokenRate, self.mask(&["requested"])),
        }
    }

    fn expression(&mut self, expr: &Expr, on: On) -> (Node, Mask) {
        let needs = self.mask(expr.needs);
        let anchors = self.mask(expr.needs.get(..1).unwrap_or_default());
        (Node::Re { needs, expr: Lazy::new(expr.source), on }, anchors)
    }

    pub(super) fn matcher(&mut self, test: &Test) -> Matcher {
        let (node, anchors) = self.node(test);
        Matcher { anchors, node }
    }

    pub(super) fn finish(self) -> Literals {
        let (ascii, other) = self.literals.iter().enumerate().partition(|(_, text)| text.is_ascii());
        Literals { ascii: Automaton::new(ascii), other: Automaton::new(other) }
    }
}

/// Every literal of a family. Those beyond ASCII have an automaton of their own, which only texts
/// beyond ASCII run through: it would double the other's size.
#[derive(Debug)]
pub(super) struct Literals {
    ascii: Automaton,
    other: Automaton,
}

#[derive(Debug)]
struct Automaton {
    /// None only when the tables outgrow the automaton's limits, which a test rules out.
    search: Option<AhoCorasick>,
    /// The literal behind each pattern.
    literals: Vec<usize>,
}

impl Automaton {
    fn new(literals: Vec<(usize, &&'static str)>) -> Self {
        let (literals, texts): (Vec<usize>, Vec<&'static str>) = literals.into_iter().unzip();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(texts)
            .ok();
        Self { search, literals }
    }
}

/// A text, and which literals it holds.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    pub(super) raw: &'t str,
    pub(super) trimmed: &'t str,
    found: Mask,
    bounded: Mask,
}

impl Literals {
    pub(super) fn scan<'t>(&self, raw: &'t str) -> Scan<'t> {
        let mut found = Mask::default();
        let mut bounded = Mask::default();
        let bytes = raw.as_bytes();
        let is_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let mut run = |automaton: &Automaton| {
            for hit in automaton.search.iter().flat_map(|search| search.find_overlapping_iter(bytes)) {
                let Some(&index) = automaton.literals.get(hit.pattern().as_usize()) else { continue };
                found.set(index);
                let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
                if !is_word(before) && !is_word(bytes.get(hit.end())) {
                    bounded.set(index);
                }
            }
        };
        run(&self.ascii);
        if !raw.is_ascii() {
            run(&self.other);
        }
        Scan { raw, trimmed: text::trim(raw), found, bounded }
    }

    /// How many literals there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let built = [&self.ascii, &self.other].into_iter().filter(|automaton| automaton.search.is_some());
        built.map(|automaton| automaton.literals.len()).sum()
    }
}

/// The union of the literals that a list of matchers can't do without.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Gate(Mask);

impl Gate {
    pub(super) fn over<'m>(matchers: impl IntoIterator<Item = &'m Matcher>) -> Self {
        let mut mask = Mask::default();
        for matcher in matchers {
            mask.join(&matcher.anchors);
        }
        Self(mask)
    }

    /// Whether any of the matchers could match.
    pub(super) fn open(&self, scan: &Scan<'_>) -> bool {
        self.0.meets(&scan.found)
    }
}

impl Matcher {
    pub(super) fn matches(&self, scan: &Scan<'_>) -> bool {
        self.anchors.meets(&scan.found) && self.node.matches(scan)
    }

    /// Every expression compiles and every matcher has a literal to wait for.
    #[cfg(test)]
    pub(super) fn check(&self) -> Result<(), String> {
        if self.anchors == Mask::default() {
            return Err("no literal to wait for".to_owned());
        }
        self.node.check()
    }

    /// The answer without any shortcut through literals; must equal [`Self::matches`].
    #[cfg(test)]
    pub(super) fn matches_slowly(&self, scan: &Scan<'_>) -> bool {
        self.node.matches_with(scan, false)
    }
}

impl Node {
    fn matches(&self, scan: &Scan<'_>) -> bool {
        self.matches_with(scan, true)
    }

    fn matches_with(&self, scan: &Scan<'_>, shortcut: bool) -> bool {
        match self {
            Self::Has(index) => scan.found.has(*index),
            Self::Word(index) => scan.bounded.has(*index),
            Self::AnyHas(mask) => mask.meets(&scan.found),
            Self::Is(literal) => scan.trimmed.eq_ignore_ascii_case(literal),
            Self::Re { needs, expr, on } => {
                (!shortcut || scan.found.holds(needs))
                    && match on {
                        On::Trimmed => expr.is_match(scan.trimmed),
                        On::Raw => expr.is_match(scan.raw),
                        On::Bare => expr.get().is_some_and(|re| {
                            re.captures_iter(scan.raw).any(|groups| groups.get(1).is_none())
                        }),
                    }
            }
            Self::All(nodes) => nodes.iter().all(|node| node.matches_with(scan, shortcut)),
            Self::Any(nodes) => nodes.iter().any(|node| node.matches_with(scan, shortcut)),
            Self::Not(node) => !node.matches_with(scan, shortcut),
            Self::OverTokenRate => text::over_token_rate(scan.raw),
        }
    }

    #[cfg(test)]
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Re { expr, .. } => {
                expr.get().map(|_| ()).ok_or_else(|| format!("doesn't compile: {}", expr.source))
            }
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().try_for_each(Self::check),
            Self::Not(node) => node.check(),
            _ => Ok(()),
        }
    }
}
