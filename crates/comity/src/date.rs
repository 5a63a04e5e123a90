//! Dates in web pages, feeds and sitemaps.
//!
//! Two families of formats exist: the format of mail and HTTP, and the W3C profile of ISO 8601. [`any`] accepts both.
//! [`duration`] parses the durations in settings.

use std::fmt;
use std::time::{Duration, SystemTime};

use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};

/// The precision of a W3C date: the year, the month, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Precision {
    /// `2026`
    Year,
    /// `2026-11`
    Month,
    /// `2026-11-21`
    Day,
    /// `2026-11-21T06:20Z`
    Minute,
    /// `2026-11-21T06:20:10Z`
    Second,
    /// `2026-11-21T06:20:10.5Z`
    Fraction,
}

/// Parses a date in the format of mail and HTTP (RFC 9110 §5.6.7) or in the W3C profile of ISO 8601. Other notations of
/// ISO 8601 are accepted, such as a space instead of the `T`; a time without a zone is in UTC. Returns `None` for any
/// other text.
///
/// ```
/// let time = comity::date::any("Fri, 01 Mar 2024 12:00:00 GMT");
/// assert!(time.is_some());
/// assert_eq!(comity::date::any("2024-03-01 12:00:00"), time);
/// ```
pub fn any(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let other = || {
        let text = text.replacen(' ', "T", 1);
        // The parser of times without a zone ignores the offset of a time with one.
        if let Ok(time) = text.parse::<Timestamp>() {
            return Some(time.into());
        }
        instant(text.parse::<DateTime>().ok()?, Offset::UTC)
    };
    w3c(text).map(|(time, _)| time).or_else(|| internet(text)).or_else(other)
}

/// Parses a duration: a number of seconds, or numbers with units (`500ms`, `20s`, `10m`, `12h`, `30d`).
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(comity::date::duration("0.5"), Ok(Duration::from_millis(500)));
/// assert_eq!(comity::date::duration("1h 30m"), Ok(Duration::from_secs(5_400)));
/// ```
///
/// # Errors
///
/// Returns [`InvalidDuration`] for any other text, such as a negative duration.
pub fn duration(text: &str) -> Result<Duration, InvalidDuration> {
    let invalid = || InvalidDuration { text: text.to_owned() };
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| invalid());
    }
    let span: Span = text.parse().map_err(|_| invalid())?;
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| invalid())?;
    Duration::try_from(signed).map_err(|_| invalid())
}

/// The error for a text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDuration {
    text: String,
}

impl fmt::Display for InvalidDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a duration; write 0.5, 500ms, 20s, 10m, 12h or 30d", self.text)
    }
}

impl std::error::Error for InvalidDuration {}

/// Parses the dates of RFC 822, 1123, 2822 and 5322 (`Fri, 25 Jun 2010 15:00:00 EST`), RFC 850 (`Friday, 25-Jun-10
/// 15:00:00 EST`) and the form of C's `asctime` (`Fri Jun 25 15:00:00 2010`, UTC). The name of the day is not checked.
/// A missing time is the start of the day, and a missing zone is UTC.
pub(crate) fn internet(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    if !text.is_ascii() || text.len() > 100 {
        return None;
    }
    let dated = match text.split_once(',') {
        Some((_, dated)) => dated,
        None => text,
    };
    let mut words =
        dated.split(|c: char| c == '-' || c.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let first = words.next()?;
    if first.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return asctime(text);
    }
    let (day, month, year) = (first.parse().ok()?, month(words.next()?)?, year(words.next()?)?);
    // The zone may be `-0500`, so the rest is taken from the original text.
    let rest = after_words(dated, 3).trim();
    let (clock, zone) = rest.split_once(' ').unwrap_or((rest, ""));
    let date = Date::new(year, month, day).ok()?;
    instant(self::clock(date, clock)?, self::zone(zone.trim())?)
}

/// Parses `Fri Jun 25 15:00:00 2010`, with or without the name of the day.
fn asctime(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let words = if words.len() == 5 { &words[1..] } else { &words[..] };
    let &[name, day, clock, year] = words else { return None };
    let date = Date::new(self::year(year)?, month(name)?, day.parse().ok()?).ok()?;
    instant(self::clock(date, clock)?, Offset::UTC)
}

/// Returns the text after the first words, which end at hyphens and white space.
fn after_words(text: &str, count: usize) -> &str {
    let is_break = |c: char| c == '-' || c.is_ascii_whitespace();
    let mut rest = text.trim_start_matches(is_break);
    for _ in 0..count {
        rest = rest.trim_start_matches(|c| !is_break(c));
        rest = rest.trim_start();
        rest = rest.strip_prefix('-').unwrap_or(rest);
    }
    rest
}

fn month(name: &str) -> Option<i8> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = name.trim_end_matches('.').get(..3)?;
    let index = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    i8::try_from(index + 1).ok()
}

/// Parses a year. A year of two or three digits is expanded as in RFC 2822 §4.3.
fn year(digits: &str) -> Option<i16> {
    let year: i16 = digits.parse().ok()?;
    match digits.len() {
        2 if year < 50 => Some(year + 2000),
        2 | 3 => Some(year + 1900),
        4 => Some(year),
        _ => None,
    }
}

/// Parses `15:00` or `15:00:00`. An empty text is midnight.
fn clock(date: Date, clock: &str) -> Option<DateTime> {
    if clock.is_empty() {
        return Some(date.at(0, 0, 0, 0));
    }
    let mut parts = clock.split(':').map(|part| part.parse::<i8>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    // A leap second is read as the second before it.
    let second = parts.next().unwrap_or(Some(0))?;
    if parts.next().is_some() || second > 60 {
        return None;
    }
    let second = second.min(59);
    date.at(0, 0, 0, 0).with().hour(hour).minute(minute).second(second).build().ok()
}

/// Parses `GMT`, `EST`, `+0200`, `+02:00`. An empty text is UTC.
fn zone(zone: &str) -> Option<Offset> {
    // A comment may follow: `+0200 (CEST)`.
    let zone = zone.split_ascii_whitespace().next().unwrap_or("");
    let hours = match zone.to_ascii_uppercase().as_str() {
        "" | "GMT" | "UT" | "UTC" | "Z" => 0,
        "EST" | "CDT" => -5,
        "EDT" => -4,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        "BST" | "CET" | "WEST" => 1,
        "CEST" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "JST" => 9,
        _ => return offset(zone),
    };
    Offset::from_hours(hours).ok()
}

/// Parses `+0200` or `+02:00`.
fn offset(zone: &str) -> Option<Offset> {
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replacen(':', "", 1);
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i32, i32) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Parses the six forms of the W3C's note on date and time formats, as used in sitemaps. Dates without a time are in
/// UTC. A missing month or day is 1. A time must be followed by a zone.
pub(crate) fn w3c(text: &str) -> Option<(SystemTime, Precision)> {
    let text = text.trim();
    let (date, clock) = match text.split_once('T') {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let (date, precision) = w3c_date(date)?;
    let Some(clock) = clock else {
        return Some((instant(date.at(0, 0, 0, 0), Offset::UTC)?, precision));
    };
    let at = clock.find(['Z', '+', '-']).filter(|_| precision == Precision::Day)?;
    let (clock, zone) = clock.split_at(at);
    let zone = if zone == "Z" { Offset::UTC } else { offset(zone).filter(|_| zone.len() == 6)? };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let precision = match (clock.len(), fraction) {
        (5, None) => Precision::Minute,
        (8, None) => Precision::Second,
        (8, Some(digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Precision::Fraction
        }
        _ => return None,
    };
    let whole = instant(self::clock(date, clock)?, zone)?;
    // Digits beyond nanoseconds are dropped.
    let nanos = fraction.map_or(0, |digits| {
        digits
            .bytes()
            .chain(std::iter::repeat(b'0'))
            .take(9)
            .fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'))
    });
    Some((whole + std::time::Duration::from_nanos(nanos.into()), precision))
}

/// Parses `2026`, `2026-11` or `2026-11-21`.
fn w3c_date(text: &str) -> Option<(Date, Precision)> {
    let is_digits =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('-');
    let year = parts.next().filter(|part| is_digits(part, 4))?.parse().ok()?;
    let mut two = || match parts.next() {
        None => Some(None),
        Some(part) if is_digits(part, 2) => part.parse::<i8>().ok().map(Some),
        Some(_) => None,
    };
    let (month, day) = (two()?, two()?);
    let precision = match (month, day) {
        (None, _) => Precision::Year,
        (_, None) => Precision::Month,
        _ => Precision::Day,
    };
    if parts.next().is_some() {
        return None;
    }
    Some((Date::new(year, month.unwrap_or(1), day.unwrap_or(1)).ok()?, precision))
}

/// Returns the instant of a date and time. A timestamp of `jiff` is not sufficient: its range ends on 9999-12-30.
fn instant(datetime: DateTime, offset: Offset) -> Option<SystemTime> {
    let since_epoch = datetime.duration_since(EPOCH) - SignedDuration::from_secs(offset.seconds().into());
    if since_epoch.is_negative() {
        SystemTime::UNIX_EPOCH.checked_sub(since_epoch.unsigned_abs())
    } else {
        SystemTime::UNIX_EPOCH.checked_add(since_epoch.unsigned_abs())
    }
}

/// Returns the date and time in UTC, within the years -9999 to 9999.
#[cfg(feature = "sitemap")]
pub(crate) fn civil(time: SystemTime) -> Option<DateTime> {
    let since_epoch = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => SignedDuration::try_from(after).ok()?,
        Err(before) => -SignedDuration::try_from(before.duration()).ok()?,
    };
    EPOCH.checked_add(since_epoch).ok()
}

/// The epoch of `SystemTime`.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn seconds(time: SystemTime) -> u64 {
        time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
    }

    #[test]
    fn duration_with_or_without_unit_is_parsed() {
        for (text, millis) in [
            ("0", 0),
            ("0.5", 500),
            ("500ms", 500),
            (" 2s ", 2_000),
            ("90", 90_000),
            ("1.5m", 90_000),
            ("12h", 43_200_000),
            ("7d", 604_800_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for wrong in [
            "",
            "s",
            "-1",
            "-1h",
            "1h ago",
            "1mo",
            "1.2.3",
            "NaN",
            "1e400",
            "99999999999999999999d",
            "1\u{e9}",
        ] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn date_of_mail_or_http_is_parsed() {
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("6 Nov 1994 08:49:37 +0000", 784_111_777),
            ("06 Nov 94 03:49 EST", 784_111_740),
            ("Fri, 25 Jun 2010 15:00:00 PST", 1_277_506_800),
            ("25 Jun 2010 15:00:00 PST", 1_277_506_800),
            ("Sun, 06 Nov 1994 06:49:37 -0200 (somewhere)", 784_111_777),
            ("25-Jun-2010 15:00:00 -0500", 1_277_496_000),
            ("25 Jun 2010", 1_277_424_000),
        ] {
            assert_eq!(internet(text).map(seconds), Some(expected), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_date_is_rejected() {
        for text in [
            "",
            "tomorrow",
            "32 Jun 2010",
            "25 Foo 2010",
            "25 Jun 2010 25:00",
            "25 Jun 2010 15:00 +99",
            "-",
            ",",
        ] {
            assert_eq!(internet(text), None, "{text}");
            assert_eq!(any(text), None, "{text}");
        }
    }

    #[test]
    fn offset_in_any_form_is_applied() {
        for text in [
            "1997-07-16 12:00:00+02:00",
            "1997-07-16T12:00:00+0200",
            "1997-07-16T10:00:00",
            "1997-07-16 10:00:00Z",
        ] {
            assert_eq!(any(text).map(seconds), Some(869_047_200), "{text}");
        }
        assert_eq!(any("25 Jun 2010 15:00:60 GMT"), any("25 Jun 2010 15:00:59 GMT"));
        assert_eq!(any("25 Jun 2010 15:00:61 GMT"), None);
    }

    #[test]
    fn each_w3c_form_is_parsed() {
        for (text, expected, precision) in [
            ("1997", 852_076_800, Precision::Year),
            ("1997-07", 867_715_200, Precision::Month),
            ("1997-07-16", 869_011_200, Precision::Day),
            ("1997-07-16T19:20+01:00", 869_077_200, Precision::Minute),
            ("1997-07-16T19:20:30+01:00", 869_077_230, Precision::Second),
            ("1997-07-16T19:20:30.45+01:00", 869_077_230, Precision::Fraction),
            ("1997-07-16T18:20:30Z", 869_077_230, Precision::Second),
        ] {
            let (time, read) = w3c(text).unwrap();
            assert_eq!((seconds(time), read), (expected, precision), "{text}");
        }
        let (time, _) = w3c("1970-01-01T00:00:00.45Z").unwrap();
        assert_eq!(time, SystemTime::UNIX_EPOCH + Duration::from_millis(450));
    }

    #[test]
    fn other_form_is_not_w3c_but_may_be_a_date() {
        for text in ["1997-07-16T19:20:30", "1997-07-16 19:20:30", "1997-07-16T19:20:30.5"] {
            assert_eq!(w3c(text), None, "{text}");
            assert!(any(text).is_some(), "{text}");
        }
        for text in [
            "1997-7-16",
            "97-07-16",
            "1997-13-01",
            "1997-07T10:00Z",
            "1997-07-16T19:20:30+0100",
            "1997-07-16T",
        ] {
            assert_eq!(w3c(text), None, "{text}");
        }
    }

    #[test]
    fn last_second_of_the_year_9999_is_a_date() {
        assert_eq!(w3c("9999-12-31T23:59:59Z").map(|(time, _)| seconds(time)), Some(253_402_300_799));
        assert!(w3c("0000-01-01T00:00:00+14:00").is_some());
    }

    #[test]
    fn date_before_the_epoch_is_parsed() {
        assert_eq!(w3c("1969").unwrap().0, SystemTime::UNIX_EPOCH - Duration::from_secs(365 * 86_400));
    }
}
