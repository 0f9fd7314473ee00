//! Points in time and durations as OpenClaw stores them: whole milliseconds since 1970, UTC.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// Milliseconds: a point in time since 1970 UTC, or a duration, as the name beside it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// This many seconds.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds * 1_000)
    }

    /// This many minutes.
    #[must_use]
    pub const fn from_mins(minutes: i64) -> Self {
        Self(minutes * 60_000)
    }

    /// This many hours.
    #[must_use]
    pub const fn from_hours(hours: i64) -> Self {
        Self(hours * 3_600_000)
    }

    /// RFC 3339 in UTC with as many digits as needed; `None` outside of the years 0 to 9999.
    #[must_use]
    pub fn to_rfc3339(self) -> Option<String> {
        const YEAR_10000: i64 = 253_402_300_800_000;
        const YEAR_0: i64 = -62_167_219_200_000;
        if !(YEAR_0..YEAR_10000).contains(&self.0) {
            return None;
        }
        DateTime::<Utc>::from_timestamp_millis(self.0)
            .map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl std::ops::Add for Millis {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl std::ops::Sub for Millis {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Reads a time given as RFC 3339 or as milliseconds since 1970.
///
/// # Errors
/// The text is neither.
pub fn parse_time(text: &str) -> Result<Millis, String> {
    let text = text.trim();
    if let Ok(millis) = text.parse::<i64>() {
        return Ok(Millis(millis));
    }
    DateTime::parse_from_rfc3339(text).map(|time| Millis(time.timestamp_millis())).map_err(|_| {
        format!("\"{text}\" is no time: give RFC 3339 (2026-07-04T12:00:00Z) or milliseconds since 1970")
    })
}

/// The clock that `run()` is given.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The machine's.
    System,
    /// Always this time.
    Fixed(Millis),
}

impl Clock {
    /// The time now.
    #[must_use]
    pub fn now(self) -> Millis {
        match self {
            Self::System => Millis(Utc::now().timestamp_millis()),
            Self::Fixed(now) => now,
        }
    }
}
