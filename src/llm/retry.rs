//! Delays between attempts: those of the SDK's `RetryMixin`, and those that a server asks for.
//!
//! Pure. As in the SDK, `num_retries` is the total number of attempts.

use crate::llm::options::{DEFAULTS, LlmOptions};
use std::time::Duration;

/// The highest number of attempts.
pub fn attempts(options: &LlmOptions) -> u32 {
    options.num_retries.unwrap_or(DEFAULTS.num_retries).max(1)
}

/// The delay after a failed attempt, counted from 1: it grows exponentially, is at least as long as the server asks, and
/// at most `retry_max_wait`.
pub fn next_delay(options: &LlmOptions, attempt: u32, retry_after: Option<Duration>) -> Duration {
    let seconds = |value: Option<u32>, default: u32| Duration::from_secs(value.unwrap_or(default).into());
    let shortest = seconds(options.retry_min_wait, DEFAULTS.retry_min_wait);
    let longest = seconds(options.retry_max_wait, DEFAULTS.retry_max_wait);
    let power = 2f64.powi(attempt.saturating_sub(1).min(64) as i32);
    let backoff =
        seconds_of(options.retry_multiplier.unwrap_or(DEFAULTS.retry_multiplier) * power).unwrap_or(longest);
    let backoff = backoff.min(longest).max(shortest);
    match retry_after {
        Some(requested) => backoff.max(requested.min(longest)),
        None => backoff,
    }
}

/// The delay that the headers of a response ask for. `now` is in milliseconds since the epoch.
pub fn retry_after(headers: &[(String, String)], now: f64) -> Option<Duration> {
    let value = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.trim());
    if let Some(milliseconds) = value("retry-after-ms").and_then(|value| value.parse::<u32>().ok()) {
        return Some(Duration::from_millis(milliseconds.into()));
    }
    let value = value("retry-after")?;
    // Some servers send fractions of a second.
    if let Some(seconds) = value.split('.').next().and_then(|integer| integer.parse::<u32>().ok()) {
        let has_fraction = value.contains('.');
        return Some(Duration::from_secs(u64::from(seconds) + u64::from(has_fraction)));
    }
    let until = http_date(value)? - now / 1000.0;
    seconds_of(until.max(0.0))
}

/// A duration in whole microseconds; `None` if it is negative, or longer than any timer can wait for, where the function of
/// the standard library still gives one.
pub(super) fn seconds_of(seconds: f64) -> Option<Duration> {
    let micros = seconds * 1e6;
    (0.0..1e18).contains(&micros).then_some(Duration::from_micros(micros.ceil() as u64))
}

/// Seconds since the epoch of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<f64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut fields = text.split_once(", ")?.1.split([' ', ':']);
    let mut number = || fields.next()?.parse::<i64>().ok();
    let day = number()?;
    let month = fields.next().filter(|name| name.len() == 3).and_then(|name| MONTHS.find(name))? / 3;
    let mut number = || fields.next()?.parse::<i64>().ok();
    let (year, hour, minute, second) = (number()?, number()?, number()?, number()?);
    if !(1970..10_000).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    // Days of a calendar whose year begins in March, so that the leap day is the last of its year.
    let month = i64::try_from(month).ok()?;
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.into(), value.into())]
    }

    #[test]
    fn delays_equal_those_of_the_sdk() {
        let options = LlmOptions::new("m");
        let waits: Vec<u64> = (1..=6).map(|attempt| next_delay(&options, attempt, None).as_secs()).collect();
        assert_eq!(waits, [8, 16, 32, 64, 64, 64]);
        assert_eq!(next_delay(&options, u32::MAX, None).as_secs(), 64);
        let quick = LlmOptions { retry_min_wait: Some(0), retry_multiplier: Some(0.5), ..options };
        assert_eq!(next_delay(&quick, 1, None), Duration::from_millis(500));
    }

    #[test]
    fn the_delay_of_a_server_is_limited_by_the_longest_wait() {
        let options = LlmOptions::new("m");
        let wait = |asked| next_delay(&options, 1, Some(Duration::from_secs(asked))).as_secs();
        assert_eq!((wait(1), wait(20), wait(3600)), (8, 20, 64));
    }

    #[test]
    fn num_retries_is_the_total_number_of_attempts() {
        let of = |num_retries| attempts(&LlmOptions { num_retries, ..LlmOptions::new("m") });
        assert_eq!((of(None), of(Some(0)), of(Some(1)), of(Some(3))), (5, 1, 1, 3));
    }

    #[test]
    fn headers_may_be_seconds_milliseconds_or_dates() {
        let at = |name, value| retry_after(&headers(name, value), 784_111_777_000.0);
        assert_eq!(at("retry-after", "20"), Some(Duration::from_secs(20)));
        assert_eq!(at("retry-after", "1.5"), Some(Duration::from_secs(2)));
        assert_eq!(at("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(at("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), Some(Duration::from_secs(10)));
        assert_eq!(at("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT"), Some(Duration::ZERO));
        for odd in
            ["", "soon", "-1", "Sun, 99 Nov 1994 08:49:47 GMT", "Sun, 06 é 1994 08:49:47 GMT", "Sun, 06 anF"]
        {
            assert_eq!(at("retry-after", odd), None, "{odd}");
        }
    }

    #[test]
    fn dates_around_leap_days_are_read() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0.0));
        assert_eq!(http_date("Tue, 29 Feb 2000 12:00:00 GMT"), Some(951_825_600.0));
        assert_eq!(http_date("Wed, 01 Mar 2000 00:00:00 GMT"), Some(951_868_800.0));
        assert_eq!(http_date("Fri, 31 Dec 2027 23:59:59 GMT"), Some(1_830_297_599.0));
    }
}
