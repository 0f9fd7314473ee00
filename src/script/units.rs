//! Durations (`45s`, `1h30m`, `250ms`) and times relative to the start (`+4m`, `-10s`).

use crate::base::time::Millis;

/// Reads a duration: numbers with the units `ms`, `s`, `m`, `h`, `d`.
///
/// # Errors
/// The text is none.
pub fn duration(text: &str) -> Result<Millis, String> {
    let refuse = || {
        format!("\"{text}\" is no duration: write a number with ms, s, m, h or d, as \"45s\" or \"1h30m\"")
    };
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(refuse());
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(refuse)?;
        let number: f64 = rest[..digits].parse().map_err(|_| refuse())?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let scale = match &rest[..letters] {
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return Err(refuse()),
        };
        total += number * scale;
        rest = rest[letters..].trim_start();
    }
    // A thousand years: nothing beyond is meant, and sums of it stay far from the end of i64.
    if total > 3.2e13 {
        return Err(format!("\"{text}\" is longer than a thousand years"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
    Ok(Millis(total.round() as i64))
}

/// The offset that a text such as `+4m` or `-10s` means; none when it isn't one.
#[must_use]
pub fn relative(text: &str) -> Option<Millis> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    duration(&text[1..]).ok().map(|offset| Millis(sign * offset.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units_and_sums() {
        assert_eq!(duration("250ms"), Ok(Millis(250)));
        assert_eq!(duration("1.5s"), Ok(Millis(1_500)));
        assert_eq!(duration("1h30m"), Ok(Millis(5_400_000)));
        assert_eq!(duration("1d 2h"), Ok(Millis(93_600_000)));
    }

    #[test]
    fn refuses_what_is_no_duration() {
        for text in ["", "20", "s", "3 weeks", "-5s", "1.2.3s", "9999999d", "٣s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn relative_needs_a_sign() {
        assert_eq!(relative("+4m"), Some(Millis(240_000)));
        assert_eq!(relative("-10s"), Some(Millis(-10_000)));
        assert_eq!(relative("4m"), None);
        assert_eq!(relative("-key-abc"), None);
    }
}
