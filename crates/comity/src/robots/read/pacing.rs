//! The pace that a file asks for: `Crawl-delay`, `Request-rate` and `Visit-time`.
//!
//! None of them is in RFC 9309, but each was documented by some operator. Values that cannot be read are ignored.

use std::time::Duration;

use super::syntax::trim_ascii;

/// The pace and the hours that a file asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pacing {
    pub crawl_delay: Option<Duration>,
    pub request_rate: Option<RequestRate>,
    pub visit_time: Option<VisitTime>,
}

/// A number of documents per time: `Request-rate: 1/10s 1800-1900` (Seznam; 1996 extension).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RequestRate {
    /// The number of documents.
    pub documents: u32,
    /// The number of seconds for them.
    pub seconds: u32,
    /// The hours in which it holds, if not always.
    pub window: Option<VisitTime>,
}

impl RequestRate {
    /// Reads `documents/time[unit] [from-to]`; units are `s` (default), `m`, `h` and `d`.
    pub fn parse(value: &[u8]) -> Option<RequestRate> {
        let text = std::str::from_utf8(value).ok()?.trim();
        let (rate, window) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let (documents, time) = rate.split_once('/')?;
        let digits = time.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match time[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        let documents = number(documents)?;
        let seconds = number(digits)?.saturating_mul(unit);
        let window = if window.is_empty() { None } else { Some(VisitTime::parse(window.as_bytes())?) };
        (documents > 0 && seconds > 0).then_some(RequestRate { documents, seconds, window })
    }

    /// Reads `documents/seconds` and nothing else, as Python's `urllib.robotparser` does. It also accepts a rate of no
    /// documents, or in no time.
    pub(crate) fn parse_plain(value: &[u8]) -> Option<RequestRate> {
        let (documents, seconds) = std::str::from_utf8(value).ok()?.split_once('/')?;
        Some(RequestRate { documents: number(documents)?, seconds: number(seconds)?, window: None })
    }

    /// Reads `documents/time[unit] [HHMM-HHMM]`, as Protego does. A third word makes it ignore the hours.
    pub(crate) fn parse_protego(value: &[u8]) -> Option<RequestRate> {
        let words: Vec<&str> = std::str::from_utf8(value).ok()?.split_whitespace().collect();
        let (documents, time) = words.first()?.split_once('/')?;
        let unit = match time.as_bytes().last()?.to_ascii_lowercase() {
            b's' => Some(1),
            b'm' => Some(60),
            b'h' => Some(3_600),
            b'd' => Some(86_400),
            _ => None,
        };
        let time = if unit.is_some() { &time[..time.len() - 1] } else { time };
        let (documents, seconds) =
            (python_int(documents)?, python_int(time)?.saturating_mul(unit.unwrap_or(1)));
        let window = match words[..] {
            [_, window] => Some(VisitTime::period(window, '-')?),
            _ => None,
        };
        (documents > 0 && seconds > 0).then_some(RequestRate { documents, seconds, window })
    }

    /// Returns the time between two documents; zero for a rate of no documents, which the dialect `urllib` reads.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.seconds.into()).checked_div(self.documents).unwrap_or_default()
    }
}

/// The hours in which to come: `Visit-time: 0600-0845`, hours and minutes UTC (1996 extension).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VisitTime {
    /// Minutes after midnight UTC at which the window opens.
    pub from_minute: u16,
    /// Minutes after midnight UTC at which it closes. Smaller than `from_minute` if it spans midnight.
    pub to_minute: u16,
}

impl VisitTime {
    /// Reads `HHMM-HHMM`; a colon in the times, an hour of one digit, spaces around the dash and spaces instead of it are
    /// accepted.
    pub fn parse(value: &[u8]) -> Option<VisitTime> {
        let text = std::str::from_utf8(value).ok()?.trim();
        let (from, to) = text.split_once('-').or_else(|| text.split_once([' ', '\t']))?;
        Some(VisitTime { from_minute: minute_of_day(from)?, to_minute: minute_of_day(to)? })
    }

    /// Reads `HHMM-HHMM` or `HHMM HHMM`, as Protego does: no colons, and no 24 o'clock.
    pub(crate) fn parse_protego(value: &[u8]) -> Option<VisitTime> {
        let text = std::str::from_utf8(value).ok()?;
        VisitTime::period(text, '-').or_else(|| VisitTime::period(text, ' '))
    }

    fn period(text: &str, separator: char) -> Option<VisitTime> {
        let (from, to) = text.split_once(separator)?;
        let minute = |time: &str| {
            let time = time.trim();
            let is_plain = (3..=4).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
            minute_of_day(time).filter(|minute| is_plain && *minute < 24 * 60)
        };
        Some(VisitTime { from_minute: minute(from)?, to_minute: minute(to)? })
    }

    /// Returns true if a time of day, in minutes after midnight UTC, is inside the window.
    ///
    /// ```
    /// use comity::robots::VisitTime;
    /// let night = VisitTime::parse(b"2200-0400").unwrap();
    /// assert!(night.contains(23 * 60));
    /// assert!(night.contains(60));
    /// assert!(!night.contains(12 * 60));
    /// ```
    pub fn contains(&self, minute: u16) -> bool {
        if self.from_minute <= self.to_minute {
            (self.from_minute..=self.to_minute).contains(&minute)
        } else {
            minute >= self.from_minute || minute <= self.to_minute
        }
    }
}

/// `HHMM`, `HMM` or either with a colon before the minutes.
fn minute_of_day(text: &str) -> Option<u16> {
    let digits: String = text.trim().chars().filter(|c| *c != ':').collect();
    if !(3..=4).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(digits.len() - 2);
    let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
    (minutes < 60 && hours * 60 + minutes <= 24 * 60).then_some(hours * 60 + minutes)
}

/// Returns the number that `text` writes in digits and nothing else, at most `u32::MAX`.
fn number(text: &str) -> Option<u32> {
    whole_number(text).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns the number that `text` writes in digits and nothing else, at most `u64::MAX`.
fn whole_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Digits fail to parse only when the number is too large.
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Returns the longer of the delay before and that of one more `Crawl-delay`.
pub(crate) fn longest_delay(before: Option<Duration>, value: &[u8]) -> Option<Duration> {
    before.max(seconds(text_of(value)))
}

/// Returns the delay of one more `Crawl-delay`, or the one before if it has none.
pub(crate) fn last_delay(before: Option<Duration>, value: &[u8]) -> Option<Duration> {
    seconds(text_of(value)).or(before)
}

/// Returns the delay that Python's `float` reads, if it is a finite number, 0 or more.
pub(crate) fn python_float(value: &[u8]) -> Option<Duration> {
    seconds(&without_underscores(text_of(value))?)
}

/// Returns the whole number that Python's `int` reads.
fn python_int(text: &str) -> Option<u32> {
    let text = without_underscores(text)?;
    number(text.strip_prefix('+').unwrap_or(&text))
}

/// Returns a number without the underscores that Python allows between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_between =
        |at: usize| is_digit(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_digit(bytes.get(at + 1));
    memchr::memchr_iter(b'_', bytes).all(is_between).then(|| text.replace('_', ""))
}

/// Returns a whole number of seconds.
pub(crate) fn whole_seconds(value: &[u8]) -> Option<Duration> {
    whole_number(text_of(value)).map(Duration::from_secs)
}

/// Returns a value without white space around it; empty if it is not UTF-8.
fn text_of(value: &[u8]) -> &str {
    std::str::from_utf8(&value[trim_ascii(value, 0..value.len())]).unwrap_or_default()
}

/// Returns a number of seconds, 0 or more, with or without a fraction; at most `Duration::MAX`.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E'));
    if !is_plain {
        return None;
    }
    let seconds: f64 = text.parse().ok()?;
    // Of the numbers that `is_plain` admits, only negative ones and too large ones do not convert.
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_rates_have_units_and_windows() {
        let rate = RequestRate::parse(b"1/10s 1800-1900").expect("a rate");
        assert_eq!((rate.documents, rate.seconds), (1, 10));
        assert_eq!(rate.window, VisitTime::parse(b"1800 - 19:00"));
        assert_eq!(RequestRate::parse(b"10/1m").map(|rate| rate.interval()), Some(Duration::from_secs(6)));
        for bad in ["1", "a/b", "0/1", "1/0", "1/10y", "1/10s later", "-1/5"] {
            assert_eq!(RequestRate::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn visit_times_are_written_in_many_ways() {
        let morning = Some(VisitTime { from_minute: 4 * 60, to_minute: 8 * 60 + 45 });
        for text in ["0400-0845", "04:00 - 08:45", "400-845", "0400 0845", " 0400\t0845 "] {
            assert_eq!(VisitTime::parse(text.as_bytes()), morning, "{text}");
        }
        for bad in ["", "0400", "4-8", "0400-", "0400-0845-1000", "0400 0845 1000", "2500-2600", "0460-0500"]
        {
            assert_eq!(VisitTime::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_crawl_delay_is_a_number_of_seconds() {
        assert_eq!(seconds("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(seconds("10"), Some(Duration::from_secs(10)));
        for bad in ["", "-1", "5s", "inf", "nan", "1,5"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn number_too_large_for_its_type_saturates() {
        for large in ["18446744073709551616", "1e400", "99999999999999999999999"] {
            assert_eq!(seconds(large), Some(Duration::MAX), "{large}");
        }
        assert_eq!(whole_seconds(b"4294967296"), Some(Duration::from_secs(4_294_967_296)));
        assert_eq!(whole_seconds(b"18446744073709551616"), Some(Duration::from_secs(u64::MAX)));
        for rate in ["1/4294967296", "1/4294967295d"] {
            let seconds = RequestRate::parse(rate.as_bytes()).map(|rate| rate.seconds);
            assert_eq!(seconds, Some(u32::MAX), "{rate}");
        }
    }
}
