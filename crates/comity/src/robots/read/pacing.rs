//! The pace that a file sets: `Crawl-delay`, `Request-rate` and `Visit-time`.
//!
//! RFC 9309 does not define these directives, but operators have documented each of them. Values that cannot be read
//! are ignored.

use std::borrow::Cow;
use std::time::Duration;

use super::space::trim_ascii;
use crate::words::words;

words! {
    /// The kind of record that sets the minimum time between two requests.
    DelaySource as "source of a delay" {
        /// `Crawl-delay`.
        CrawlDelay = "crawl_delay",
        /// `Request-rate`.
        RequestRate = "request_rate",
    }
}

/// The pace and the visiting hours that a file sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pacing {
    pub crawl_delay: Option<Duration>,
    pub request_rate: Option<RequestRate>,
    pub visit_time: Option<VisitTime>,
}

impl Pacing {
    /// Returns the longer of two times: the crawl delay, and the interval of the rate. See
    /// [`Rules::delay`](crate::robots::Rules::delay).
    pub(crate) fn delay(&self, minute: Option<u16>) -> Option<(Duration, DelaySource)> {
        let counts = |rate: &RequestRate| {
            rate.window.is_none_or(|hours| minute.is_some_and(|minute| hours.contains(minute)))
        };
        let rate = self.request_rate.filter(counts).map(|rate| rate.interval()).unwrap_or_default();
        let delay = self.crawl_delay.unwrap_or_default();
        let longer =
            if rate > delay { (rate, DelaySource::RequestRate) } else { (delay, DelaySource::CrawlDelay) };
        (!longer.0.is_zero()).then_some(longer)
    }
}

/// A number of documents per time: `Request-rate: 1/10s 1800-1900` (Seznam; 1996 extension).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RequestRate {
    /// The number of documents, at most 4,294,967,295. If `seconds` is reduced to fit its type, this number is reduced
    /// in proportion, but not below 1.
    pub documents: u32,
    /// The number of seconds in which the documents may be fetched, at most 4,294,967,295.
    pub seconds: u32,
    /// The hours in which the rate applies; null if it always applies.
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
        let (documents, seconds) = fitted(digits_of(documents)?, digits_of(digits)?, unit);
        let window = if window.is_empty() { None } else { Some(VisitTime::parse(window.as_bytes())?) };
        (documents > 0 && seconds > 0).then_some(RequestRate { documents, seconds, window })
    }

    /// Reads only `documents/seconds`, as Python's `urllib.robotparser` does. Zero documents and zero seconds are
    /// accepted, too.
    pub(crate) fn parse_plain(value: &[u8]) -> Option<RequestRate> {
        let text = with_ascii_digits(std::str::from_utf8(value).ok()?);
        let (documents, seconds) = text.split_once('/')?;
        let (documents, seconds) = fitted(digits_of(documents)?, digits_of(seconds)?, 1);
        Some(RequestRate { documents, seconds, window: None })
    }

    /// Reads `documents/time[unit] [HHMM-HHMM]`, as Protego does. If there is a third word, the hours are ignored.
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
        let (documents, seconds) = (python_int(documents)?, python_int(time)?);
        let (documents, seconds) = fitted(digits_of(&documents)?, digits_of(&seconds)?, unit.unwrap_or(1));
        let window = match words[..] {
            [_, window] => Some(VisitTime::period(window, '-')?),
            _ => None,
        };
        (documents > 0 && seconds > 0).then_some(RequestRate { documents, seconds, window })
    }

    /// Returns the time between two documents. It is zero for a rate of zero documents or zero seconds, which the
    /// dialects `urllib` and `urllib-2026` accept.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.seconds.into()).checked_div(self.documents).unwrap_or_default()
    }
}

/// The hours for visits: `Visit-time: 0600-0845`, hours and minutes in UTC (1996 extension).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VisitTime {
    /// Minutes after midnight UTC at which the window opens.
    pub from_minute: u16,
    /// Minutes after midnight UTC at which the window closes. Smaller than `from_minute` if the window spans midnight.
    pub to_minute: u16,
}

impl VisitTime {
    /// Reads `HHMM-HHMM`. A colon in the times, an hour of one digit, and spaces around or instead of the dash are
    /// accepted, too.
    pub fn parse(value: &[u8]) -> Option<VisitTime> {
        let text = std::str::from_utf8(value).ok()?.trim();
        let (from, to) = text.split_once('-').or_else(|| text.split_once([' ', '\t']))?;
        Some(VisitTime { from_minute: minute_of_day(from)?, to_minute: minute_of_day(to)? })
    }

    /// Reads `HHMM-HHMM` or `HHMM HHMM`, as Protego does. Colons, and the time `2400`, are not accepted.
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

/// Reads `HHMM` or `HMM`. Colons are ignored.
fn minute_of_day(text: &str) -> Option<u16> {
    let digits: String = text.trim().chars().filter(|c| *c != ':').collect();
    if !(3..=4).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(digits.len() - 2);
    let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
    (minutes < 60 && hours * 60 + minutes <= 24 * 60).then_some(hours * 60 + minutes)
}

/// Returns the digits of a number without leading zeros, or `None` if `text` contains anything else.
fn digits_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| match text.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    })
}

/// Converts the digits of a rate to the types of [`RequestRate`]: documents and seconds. `unit` is the number of
/// seconds in the rate's unit of time.
///
/// If only the seconds were reduced, the rate would be faster than the file permits. If the seconds do not fit into
/// their type, the documents are therefore reduced in proportion.
fn fitted(documents: &str, seconds: &str, unit: u32) -> (u32, u32) {
    const MOST: u32 = u32::MAX;
    /// Maximum number of digits of a number whose product with `MOST` always fits in 128 bits.
    const WIDTH: usize = 28;

    let most_documents = documents.parse().unwrap_or(MOST);
    if let Some(seconds) = seconds.parse().ok().and_then(|seconds: u32| seconds.checked_mul(unit)) {
        return (most_documents, seconds);
    }
    let excess = documents.len().max(seconds.len()).saturating_sub(WIDTH);
    let leading = |digits: &str| {
        let kept = digits.get(..digits.len().saturating_sub(excess)).unwrap_or_default();
        kept.parse::<u128>().unwrap_or_default()
    };
    // The omitted digits are rounded up for the seconds, and down for the documents.
    let divisor = (leading(seconds) + u128::from(excess > 0)) * u128::from(unit);
    let fewer = leading(documents) * u128::from(MOST) / divisor;
    (u32::try_from(fewer).unwrap_or(MOST).clamp(most_documents.min(1), most_documents), MOST)
}

/// Returns the longer of the previous delay and the delay in the next `Crawl-delay`.
pub(crate) fn longest_delay(before: Option<Duration>, value: &[u8]) -> Option<Duration> {
    before.max(seconds(text_of(value)))
}

/// Returns the rate with the longest interval: the previous one, or the rate in the next `Request-rate`.
pub(crate) fn slowest_rate(before: Option<RequestRate>, value: &[u8]) -> Option<RequestRate> {
    let rates = before.into_iter().chain(RequestRate::parse(value));
    // Among equal intervals, a rate without hours is stricter. Otherwise, the last one counts.
    rates.max_by_key(|rate| (rate.interval(), rate.window.is_none()))
}

/// Returns the delay that robotexclusionrulesparser reads: any number of 0 or more that Python's `float` accepts,
/// including infinity, after the removal of control characters.
pub(crate) fn float_seconds(value: &[u8]) -> Option<Duration> {
    let text: Vec<u8> = value.iter().copied().filter(|byte| *byte >= b' ').collect();
    saturated(python_float(&text)?)
}

/// Returns the delay that Protego reads: a finite number of 0 or more that Python's `float` accepts.
pub(crate) fn finite_seconds(value: &[u8]) -> Option<Duration> {
    saturated(python_float(value).filter(|seconds| seconds.is_finite())?)
}

/// Returns the delay that `urllib.robotparser` reads: a whole number of seconds, in the digits of any script.
pub(crate) fn python_whole_seconds(value: &[u8]) -> Option<Duration> {
    whole_seconds(with_ascii_digits(text_of(value)).as_bytes())
}

/// Returns the number that Python's `float` reads from a value.
fn python_float(value: &[u8]) -> Option<f64> {
    without_underscores(&with_ascii_digits(text_of(value).trim()))?.parse().ok()
}

/// Returns the digits of a whole number that Python's `int` reads.
fn python_int(text: &str) -> Option<String> {
    /// Maximum number of digits that Python converts.
    const MAX_DIGITS: usize = 4_300;

    let text = without_underscores(&with_ascii_digits(text.trim()))?;
    let digits = text.strip_prefix('+').unwrap_or(&text);
    (digits.len() <= MAX_DIGITS).then(|| digits.to_owned())
}

/// Replaces the decimal digits of other scripts by ASCII digits. Python's `int` and `float` accept the digits of all
/// scripts.
fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    /// The zeros of Unicode 14 beyond ASCII. The other nine digits of a script follow its zero.
    const ZEROS: [u32; 65] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
        0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
        0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066,
        0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
        0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
        0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
    ];

    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let ascii = |character: char| {
        let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= u32::from(character))].last();
        let digit = zero.and_then(|zero| char::from_digit(u32::from(character) - zero, 10));
        digit.unwrap_or(character)
    };
    Cow::Owned(text.chars().map(ascii).collect())
}

/// Returns a number without the underscores that Python allows between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_between =
        |at: usize| is_digit(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_digit(bytes.get(at + 1));
    memchr::memchr_iter(b'_', bytes).all(is_between).then(|| text.replace('_', ""))
}

/// Returns a whole number of seconds, at most `u64::MAX`.
pub(crate) fn whole_seconds(value: &[u8]) -> Option<Duration> {
    // Digits fail to parse only if the number is too large.
    digits_of(text_of(value)).map(|digits| Duration::from_secs(digits.parse().unwrap_or(u64::MAX)))
}

/// Returns a value without surrounding white space, or an empty text if the value is not UTF-8.
fn text_of(value: &[u8]) -> &str {
    std::str::from_utf8(&value[trim_ascii(value, 0..value.len())]).unwrap_or_default()
}

/// Reads a number of seconds, 0 or more, with or without a fraction; at most `Duration::MAX`.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E'));
    if !is_plain {
        return None;
    }
    saturated(text.parse().ok()?)
}

/// Returns a duration of 0 or more seconds, at most `Duration::MAX`.
pub(crate) fn saturated(seconds: f64) -> Option<Duration> {
    // Among numbers that are not negative, only too large numbers fail to convert.
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_rate_with_unit_and_window_is_read() {
        let rate = RequestRate::parse(b"1/10s 1800-1900").expect("a rate");
        assert_eq!((rate.documents, rate.seconds), (1, 10));
        assert_eq!(rate.window, VisitTime::parse(b"1800 - 19:00"));
        assert_eq!(RequestRate::parse(b"10/1m").map(|rate| rate.interval()), Some(Duration::from_secs(6)));
        for bad in ["1", "a/b", "0/1", "1/0", "1/10y", "1/10s later", "-1/5"] {
            assert_eq!(RequestRate::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn visit_time_in_each_notation_is_read() {
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
    fn crawl_delay_is_read_as_seconds() {
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
    }

    #[test]
    fn rate_with_too_large_numbers_is_never_faster_than_requested() {
        const MOST: u32 = u32::MAX;
        let nines = "9".repeat(5_000);
        for (documents, seconds, expected) in [
            ("1", "4294967295", (1, MOST)),
            ("1", "4294967296", (1, MOST)),
            ("1", "49711d", (1, MOST)),
            ("1", "4294967295d", (1, MOST)),
            ("1", &nines, (1, MOST)),
            ("5", "99999999999", (1, MOST)),
            ("4294967296", "10", (MOST, 10)),
            ("4294967296", "4294967296", (MOST, MOST)),
            ("18446744073709551616", "4722366482869645213696", (16_777_215, MOST)),
            ("18446744073709551616", "4294967296", (MOST, MOST)),
            (&nines, &nines, (MOST - 1, MOST)),
            (&nines, "7", (MOST, 7)),
            ("0000000000000000001", "00000000000000000000000000000000000010", (1, 10)),
        ] {
            let rate = RequestRate::parse(format!("{documents}/{seconds}").as_bytes());
            let rate = rate.map(|rate| (rate.documents, rate.seconds));
            assert_eq!(rate, Some(expected), "{documents:.30}/{seconds:.30}");
        }
        let none = RequestRate::parse_plain(format!("0/{nines}").as_bytes()).map(|rate| rate.documents);
        assert_eq!(none, Some(0));
    }

    #[test]
    fn number_is_read_as_in_python() {
        let infinite = Some(Duration::MAX);
        for (text, float, finite) in [
            ("1_000", Some(Duration::from_secs(1_000)), Some(Duration::from_secs(1_000))),
            ("1e19", Some(Duration::from_secs(10_000_000_000_000_000_000)), float_seconds(b"1e19")),
            ("1e300", infinite, infinite),
            ("1e400", infinite, None),
            ("inf", infinite, None),
            ("+Infinity", infinite, None),
            ("-inf", None, None),
            ("nan", None, None),
            ("1__0", None, None),
            ("\u{663}.\u{665}", Some(Duration::from_millis(3_500)), Some(Duration::from_millis(3_500))),
            ("\u{2003}\u{ff11}\u{1d7ff}", Some(Duration::from_secs(19)), Some(Duration::from_secs(19))),
            ("\u{b2}", None, None),
            ("\u{662}1\0", Some(Duration::from_secs(21)), None),
        ] {
            let read = (float_seconds(text.as_bytes()), finite_seconds(text.as_bytes()));
            assert_eq!(read, (float, finite), "{text}");
        }
        assert_eq!(python_whole_seconds("\u{967}\u{968}".as_bytes()), Some(Duration::from_secs(12)));
        assert_eq!(whole_seconds("\u{967}\u{968}".as_bytes()), None);
        let rate = |digits: usize| RequestRate::parse_protego(format!("1/{}", "9".repeat(digits)).as_bytes());
        assert_eq!((rate(4_300).map(|rate| rate.seconds), rate(4_301)), (Some(u32::MAX), None));
    }
}
