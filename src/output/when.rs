//! Times for people: "in 4 min", "3 days ago", and the local clock time.

use chrono::{DateTime, Local};

use crate::base::time::Millis;

const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];

/// A duration in its two largest units: `5 d 3 h`, `4 min`, `30 s`, `0 s`.
#[must_use]
pub fn duration(millis: Millis) -> String {
    // Rounded up, so that "0 s" never stands for a window that still holds.
    let total = millis.0.unsigned_abs().div_ceil(1_000).saturating_mul(1_000);
    let mut rest = i64::try_from(total).unwrap_or(i64::MAX);
    let mut parts = Vec::with_capacity(2);
    for (size, unit) in UNITS {
        let count = rest / size;
        if count > 0 {
            parts.push(format!("{count} {unit}"));
            rest %= size;
        }
        if parts.len() == 2 || (!parts.is_empty() && count == 0) {
            break;
        }
    }
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// `3 d ago`, in the largest unit alone: for what is long past, minutes don't matter.
#[must_use]
pub fn ago(time: Millis, now: Millis) -> String {
    let distance = duration(now - time);
    let largest: Vec<&str> = distance.split(' ').take(2).collect();
    format!("{} ago", largest.join(" "))
}

/// `in 4 min` or `3 d ago`, seen from `now`.
#[must_use]
pub fn relative(time: Millis, now: Millis) -> String {
    let distance = duration(time - now);
    if time.0 > now.0 { format!("in {distance}") } else { format!("{distance} ago") }
}

/// The local clock time, with the date when it is another day; empty outside of chrono's range.
#[must_use]
pub fn local(time: Millis, now: Millis) -> String {
    let at = |millis: Millis| DateTime::from_timestamp_millis(millis.0).map(|utc| utc.with_timezone(&Local));
    match (at(time), at(now)) {
        (Some(time), Some(now)) if time.date_naive() == now.date_naive() => {
            time.format("%H:%M:%S").to_string()
        }
        (Some(time), _) => time.format("%Y-%m-%d %H:%M").to_string(),
        (None, _) => String::new(),
    }
}

/// RFC 3339, or the bare number where the calendar ends.
#[must_use]
pub fn iso(time: Millis) -> String {
    time.to_rfc3339().unwrap_or_else(|| time.0.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_largest_units() {
        for (millis, text) in [
            (0, "0 s"),
            (1, "1 s"),
            (30_000, "30 s"),
            (60_000, "1 min"),
            (60_001, "1 min 1 s"),
            (3_600_000 + 120_000, "1 h 2 min"),
            (3_600_000 + 5_000, "1 h"),
            (6 * 86_400_000 + 3_600_000, "6 d 1 h"),
        ] {
            assert_eq!(duration(Millis(millis)), text, "{millis}");
        }
        assert_eq!(relative(Millis(10_000), Millis(70_000)), "1 min ago");
        assert_eq!(relative(Millis(i64::MAX), Millis(0)).get(..3), Some("in "));
    }
}
