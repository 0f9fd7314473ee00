//! The number of a release, as `2026.7.1`: read and compared here and nowhere else.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Year, month, and the number in that month: what a release brings depends on these alone, so that a
/// pre-release counts as the release that it leads to.
pub type Numbers = (u16, u8, u16);

/// A release: `2026.7.1`, `2026.9.0-beta.2` before it leads to 2026.9.0, `2026.7.1-2` a correction after
/// 2026.7.1. A month alone, as `2026.9`, stands for that month's last release.
///
/// The spelling is what the releases read in `meta.lastTouchedVersion`: blanks around it and a small `v`
/// before it don't count, a large one is none (2026.3.13 compares such a number with nothing).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Release {
    year: u16,
    month: u8,
    number: Option<u16>,
    stage: Stage,
}

/// Where a release stands beside the one of its numbers. Ordered: before it, it, after it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stage {
    /// `-beta.2`, by its parts.
    Before(Vec<Part>),
    Final,
    /// `-2`: corrected and published again.
    Corrected(u32),
}

/// A part of `beta.2`: numbers come before words, and a shorter list before a longer one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Number(u32),
    Word(String),
}

/// The text is no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no release: write it like 2026.7.1")]
pub struct NoRelease;

impl Release {
    /// Year, month, number; a month alone has the highest.
    #[must_use]
    pub fn numbers(&self) -> Numbers {
        (self.year, self.month, self.number.unwrap_or(u16::MAX))
    }

    /// Year and month.
    #[must_use]
    pub const fn month(&self) -> (u16, u8) {
        (self.year, self.month)
    }
}

impl FromStr for Release {
    type Err = NoRelease;

    fn from_str(text: &str) -> Result<Self, NoRelease> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        // What stands behind `+` names a build of the same release.
        let text = match text.split_once('+') {
            Some((text, build)) => words(build).and(Some(text)).ok_or(NoRelease)?,
            None => text,
        };
        let (core, suffix) = text.split_once('-').map_or((text, None), |(core, suffix)| (core, Some(suffix)));
        let mut numbers = core.split('.');
        let mut next = || numbers.next().map(|digits| number::<u16>(digits).ok_or(NoRelease)).transpose();
        let (Some(year), Some(month)) = (next()?, next()?) else { return Err(NoRelease) };
        let number = next()?;
        if numbers.next().is_some() || !(2000..3000).contains(&year) || !(1..=12).contains(&month) {
            return Err(NoRelease);
        }
        let stage = match suffix {
            None => Stage::Final,
            Some(_) if number.is_none() => return Err(NoRelease),
            Some(suffix) => stage(suffix).ok_or(NoRelease)?,
        };
        Ok(Self { year, month: u8::try_from(month).map_err(|_| NoRelease)?, number, stage })
    }
}

fn stage(suffix: &str) -> Option<Stage> {
    let parts = words(suffix)?;
    Some(match parts.as_slice() {
        [Part::Number(correction)] => Stage::Corrected(*correction),
        _ => Stage::Before(parts),
    })
}

/// `beta.2` in its parts, or `None` when it is written otherwise.
fn words(text: &str) -> Option<Vec<Part>> {
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    text.split('.')
        .map(|word| match number(word) {
            Some(number) => Some(Part::Number(number)),
            None => (!word.is_empty() && plain(word)).then(|| Part::Word(word.to_ascii_lowercase())),
        })
        .collect()
}

/// Digits alone: Rust's own reading would take a `+` before them.
fn number<T: FromStr>(digits: &str) -> Option<T> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |release: &Self| (release.numbers(), release.number.is_none());
        key(self).cmp(&key(other)).then_with(|| self.stage.cmp(&other.stage))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.year, self.month)?;
        if let Some(number) = self.number {
            write!(f, ".{number}")?;
        }
        match &self.stage {
            Stage::Final => Ok(()),
            Stage::Corrected(number) => write!(f, "-{number}"),
            Stage::Before(parts) => parts.iter().enumerate().try_for_each(|(index, part)| {
                let joint = if index == 0 { '-' } else { '.' };
                match part {
                    Part::Number(number) => write!(f, "{joint}{number}"),
                    Part::Word(word) => write!(f, "{joint}{word}"),
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(text: &str) -> Release {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn releases_are_read_as_they_are_written() {
        for (text, shown, numbers) in [
            ("2026.7.1", "2026.7.1", (2026, 7, 1)),
            (" v2026.9.0-beta.2\n", "2026.9.0-beta.2", (2026, 9, 0)),
            ("2026.7.1-2", "2026.7.1-2", (2026, 7, 1)),
            ("2026.7.35", "2026.7.35", (2026, 7, 35)),
            ("2026.9.6+abc.1", "2026.9.6", (2026, 9, 6)),
            ("2026.9.6-rc-1", "2026.9.6-rc-1", (2026, 9, 6)),
            ("2026.9", "2026.9", (2026, 9, u16::MAX)),
            ("2026.09.06", "2026.9.6", (2026, 9, 6)),
        ] {
            assert_eq!(release(text).to_string(), shown, "{text:?}");
            assert_eq!(release(text).numbers(), numbers, "{text:?}");
            assert_eq!(release(shown), release(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_release() {
        for text in [
            "",
            "latest",
            "2026",
            "2026.x",
            "2026.13.1",
            "2026.0.1",
            "1.2.3",
            "2026.9.6.1",
            "vv2026.9.6",
            "V2026.9.6",
            "v 2026.9.6",
            "2026.9.+6",
            "2026.9.-6",
            "2026.9.6-",
            "2026.9.6-a..b",
            "2026.9.6-b\u{e4}",
            "2026.9-beta.1",
            "2026.9.6 beta",
            "2026..6",
            "2026.9.",
            ".9.6",
            "2026.9.99999",
            "2026.9.6+",
            "documented",
            "2026.9.6-beta_1",
            "\u{662}026.9.6",
        ] {
            assert_eq!(text.parse::<Release>(), Err(NoRelease), "{text:?}");
        }
    }

    #[test]
    fn pre_releases_come_before_and_corrections_after() {
        let ordered = [
            "2025.12.30",
            "2026.3.13",
            "2026.3.31",
            "2026.7.1-alpha",
            "2026.7.1-beta",
            "2026.7.1-beta.2",
            "2026.7.1-beta.10",
            "2026.7.1",
            "2026.7.1-1",
            "2026.7.1-2",
            "2026.7.1-10",
            "2026.7.2",
            "2026.7.35",
            "2026.7",
            "2026.8.0",
            "2026.10.1",
        ]
        .map(release);
        assert!(ordered.is_sorted_by(|a, b| a < b));
    }
}
