//! Dates in the files of other programs.

use crate::json::{FromJson as _, float};

/// Numbers below this are seconds since the Unix epoch, others milliseconds.
const FIRST_MILLISECONDS: f64 = 1e11;

/// A number as a date, in the form `2026-01-31T09:15:02.123Z`. `NaN` and negative numbers become the epoch.
pub fn of_number(number: f64) -> String {
    let milliseconds = if number.abs() < FIRST_MILLISECONDS { number * 1000.0 } else { number };
    // At most the year 9999; `NaN` becomes 0.
    let milliseconds = milliseconds.clamp(0.0, 253_402_300_799_999.0) as u64;
    let (seconds, fraction) = (milliseconds / 1000, milliseconds % 1000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{fraction:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// The date of a day since the Unix epoch, computed in years that begin in March, so that the leap day is the last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(719_468);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + is_next, month, date)
}

/// A date in JSON: a text, or a number.
pub fn read(json: &str) -> Option<String> {
    String::from_json(json).or_else(|| float(json).map(of_number))
}

/// Whether a text begins with a date: `2026-01-31…`.
pub fn is_date(text: &str) -> bool {
    let is_digit =
        |at: usize, byte: u8| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    let start = text.as_bytes().get(..10).unwrap_or_default();
    start.len() == 10
        && start.iter().enumerate().all(|(at, byte)| is_digit(at, *byte))
        && text.len() <= 40
        && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        assert_eq!(of_number(0.0), "1970-01-01T00:00:00.000Z");
        assert_eq!(of_number(1_767_268_800.5), "2026-01-01T12:00:00.500Z");
        assert_eq!(of_number(1_709_208_000_123.0), "2024-02-29T12:00:00.123Z");
        assert_eq!(of_number(951_782_400.0), "2000-02-29T00:00:00.000Z");
        assert_eq!(of_number(f64::NAN), "1970-01-01T00:00:00.000Z");
        assert_eq!(of_number(f64::INFINITY), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_text_that_begins_with_a_date_is_recognized() {
        for good in ["2026-01-31", "2026-01-31T09:15:02.123456", "2026-01-31 09:15:02+00:00"] {
            assert!(is_date(good), "{good}");
        }
        for bad in ["", "yesterday", "2026-1-31T00:00", "20260131T000000", "2026-01-31\n", "é026-01-31"] {
            assert!(!is_date(bad), "{bad}");
        }
    }
}
