//! Parses the times of logs.
//!
//! All parsers of formats use these functions. They reject a date without a time of day, and a number with an unusual number of
//! digits. A time without a zone counts as UTC, and is marked.

use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::Offset;

use super::scan::number;

/// A time in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// Microseconds since 1970.
    pub(super) micros: i64,
    /// True if the text has no zone.
    pub(super) is_zoneless: bool,
}

impl Time {
    pub(super) const fn utc(micros: i64) -> Time {
        Time { micros, is_zoneless: false }
    }
}

/// Parses a whole text as a time, with or without brackets.
pub(super) fn time(text: &[u8]) -> Option<Time> {
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"[").map_or(text, |text| text.strip_suffix(b"]").unwrap_or(text));
    if let Some((time, length)) = prefix(text) {
        return (length == text.len()).then_some(time);
    }
    // A date of HTTP, such as `Sat, 21 Nov 2026 06:20:00 GMT`, has a zone or is in UTC.
    let text = std::str::from_utf8(text).ok().filter(|text| text.starts_with(|c: char| c.is_alphabetic()))?;
    let since = comity::date::any(text)?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(Time::utc)
}

/// Parses the time at the beginning of a text. Returns the time and its length.
pub(super) fn prefix(text: &[u8]) -> Option<(Time, usize)> {
    clf(text).or_else(|| iso(text)).or_else(|| epoch(text))
}

/// Parses a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The number of digits determines the unit.
fn epoch(text: &[u8]) -> Option<(Time, usize)> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    let value: i64 = number(&text[..whole])?;
    let (scale, divisor) = match whole {
        9 | 10 => (1_000_000, 1),
        13 => (1_000, 1),
        16 => (1, 1),
        19 => (1, 1_000),
        _ => return None,
    };
    let fraction = match text.get(whole) {
        Some(b'.') => digits(&text[whole + 1..]),
        _ => 0,
    };
    let length = if fraction > 0 { whole + 1 + fraction } else { whole };
    // A following letter, dot, dash or colon would make the text a word or a date.
    if text.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'))
    {
        return None;
    }
    let parts = if fraction > 0 { &text[whole + 1..length] } else { b"" };
    let micros = value.checked_mul(scale)? / divisor + millionths(parts) * scale / 1_000_000;
    Some((Time::utc(micros), length))
}

/// Returns the first six digits of a fraction as millionths.
fn millionths(digits: &[u8]) -> i64 {
    digits.iter().chain(b"000000").take(6).fold(0, |all, digit| all * 10 + i64::from(digit - b'0'))
}

fn two(text: &[u8], at: usize) -> Option<i64> {
    match text.get(at..at + 2) {
        Some([a @ b'0'..=b'9', b @ b'0'..=b'9']) => Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')),
        _ => None,
    }
}

/// Returns the number of a month by its English abbreviation.
pub(super) fn month(name: &[u8]) -> Option<i64> {
    Some(match name {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// Parses `21/Nov/2026:06:20:00`. A fraction and a zone may follow.
fn clf(text: &[u8]) -> Option<(Time, usize)> {
    if text.len() < 20 || text[2] != b'/' || text[6] != b'/' || text[11] != b':' {
        return None;
    }
    let date = (two(text, 7)? * 100 + two(text, 9)?, month(&text[3..6])?, two(text, 0)?);
    of_clock(text, date, 12)
}

/// Parses `2026-11-21T06:20:00`. The date may contain slashes, and a space, `t` or `_` may replace the `T`. A fraction and a
/// zone may follow.
fn iso(text: &[u8]) -> Option<(Time, usize)> {
    let is_dated = text.len() >= 19
        && matches!(text[4], b'-' | b'/')
        && text[7] == text[4]
        && matches!(text[10], b'T' | b't' | b' ' | b'_');
    if !is_dated {
        return None;
    }
    let date = (two(text, 0)? * 100 + two(text, 2)?, two(text, 5)?, two(text, 8)?);
    of_clock(text, date, 11)
}

/// Parses the time of day at a position, and the zone after it.
fn of_clock(text: &[u8], (year, month, day): (i64, i64, i64), at: usize) -> Option<(Time, usize)> {
    let (hour, minute, second) = (two(text, at)?, two(text, at + 3)?, two(text, at + 6)?);
    if text[at + 2] != b':' || text[at + 5] != b':' || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let mut end = at + 8;
    let mut micros = 0;
    if matches!(text.get(end), Some(b'.' | b',')) {
        let digits = text[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            micros = millionths(&text[end + 1..end + 1 + digits]);
            end += 1 + digits;
        }
    }
    let zone = zone(&text[end..]);
    let (offset, length) = zone.unwrap_or((0, 0));
    end += length;
    // `06:20:001` is not a time of day, and `06:20:00abc` has an unknown zone.
    if text.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60;
    Some((Time { micros: seconds * 1_000_000 + micros, is_zoneless: zone.is_none() }, end))
}

/// Parses a zone such as ` +0000`, `+00:00`, `+00`, `Z` or ` UTC`. Returns the offset in minutes, and the length.
fn zone(text: &[u8]) -> Option<(i64, usize)> {
    let space = usize::from(text.first() == Some(&b' '));
    let rest = &text[space..];
    match rest {
        [b'Z' | b'z', ..] => Some((0, space + 1)),
        [b'U', b'T', b'C', ..] | [b'G', b'M', b'T', ..] => Some((0, space + 3)),
        [sign @ (b'+' | b'-'), ..] => {
            let hours = two(rest, 1)?;
            let (minutes, length) = match rest.get(3) {
                Some(b':') => (two(rest, 4)?, 6),
                Some(byte) if byte.is_ascii_digit() => (two(rest, 3)?, 5),
                _ => (0, 3),
            };
            if hours > 15 || minutes > 59 {
                return None;
            }
            let offset = hours * 60 + minutes;
            Some((if *sign == b'-' { -offset } else { offset }, space + length))
        }
        _ => None,
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar. The computation uses years that begin in
/// March, so that leap days are at the end of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Parses the time at the beginning of a text by a format of `strftime`. Returns the time and its length.
pub(super) fn by_format(format: &str, text: &[u8]) -> Option<(Time, usize)> {
    let (parsed, length) = BrokenDownTime::parse_prefix(format, text).ok()?;
    let offset = parsed.offset();
    // A date without a time of day is rejected.
    parsed.timestamp().map(drop).or_else(|| parsed.hour().map(drop))?;
    let micros = match parsed.to_timestamp() {
        Ok(time) => time.as_microsecond(),
        Err(_) => {
            let civil: DateTime = parsed.to_datetime().ok()?;
            offset.unwrap_or(Offset::UTC).to_timestamp(civil).ok()?.as_microsecond()
        }
    };
    let is_zoneless = offset.is_none() && parsed.timestamp().is_none() && parsed.iana_time_zone().is_none();
    Some((Time { micros, is_zoneless }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: i64 = 1_795_242_000_000_000;

    #[test]
    fn every_format_of_a_time_is_parsed() {
        for (text, is_zoneless, fraction) in [
            ("21/Nov/2026:06:20:00 +0000", false, 0),
            ("21/Nov/2026:07:20:00 +0100", false, 0),
            ("20/Nov/2026:22:20:00 -0800", false, 0),
            ("[21/Nov/2026:06:20:00 +0000]", false, 0),
            ("21/Nov/2026:06:20:00.123 +0000", false, 123_000),
            ("21/Nov/2026:06:20:00.123", true, 123_000),
            ("21/Nov/2026:06:20:00", true, 0),
            ("2026-11-21T06:20:00Z", false, 0),
            ("2026-11-21T06:20:00.123456789Z", false, 123_456),
            ("2026-11-21T07:20:00+01:00", false, 0),
            ("2026-11-21T07:20:00+0100", false, 0),
            ("2026-11-21 06:20:00", true, 0),
            ("2026-11-21 06:20:00,5", true, 500_000),
            ("2026-11-21 06:20:00 UTC", false, 0),
            ("2026/11/21 06:20:00.123", true, 123_000),
            ("1795242000", false, 0),
            ("1795242000.123", false, 123_000),
            ("1795242000123", false, 123_000),
            ("1795242000123.5", false, 123_500),
            ("1795242000123456", false, 123_456),
            ("1795242000123456789", false, 123_456),
            ("Sat, 21 Nov 2026 06:20:00 GMT", false, 0),
        ] {
            let expected = Some(Time { micros: MOMENT + fraction, is_zoneless });
            assert_eq!(time(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(time(b"29/Feb/2024:12:00:00 +0000"), Some(Time::utc(1_709_208_000_000_000)));
        assert_eq!(time(b"01/Jan/1970:00:00:00 +0000"), Some(Time::utc(0)));
    }

    #[test]
    fn incomplete_or_invalid_time_is_rejected() {
        for text in [
            "",
            "-",
            "21/Nov/2026",
            "2026-11-21",
            "2026",
            "1200",
            "20261121",
            "0.123",
            "1795242000x",
            "1.5e9",
            "21/Foo/2026:06:20:00 +0000",
            "41/Nov/2026:06:20:00 +0000",
            "30/Feb/2026:06:20:00 +0000",
            "21/Nov/2026:24:20:00 +0000",
            "21/Nov/2026:06:20:00 0000",
            "21/Nov/2026:06:20:001",
            "2026-13-21T06:20:00Z",
            "2026-11-21T06:20:00Q",
            "99999999999999999999",
            "2026-11-21T06:20",
            "21/Nov/2026:06:20:00 +9900",
        ] {
            assert_eq!(time(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn strftime_format_parses_the_beginning_of_a_text() {
        let read = |format, text: &str| by_format(format, text.as_bytes());
        let zoneless = Time { micros: MOMENT, is_zoneless: true };
        assert_eq!(read("%Y-%m-%d %H:%M:%S", "2026-11-21 06:20:00 rest"), Some((zoneless, 19)));
        assert_eq!(read("%d/%b/%Y %T %z", "21/Nov/2026 07:20:00 +0100 x"), Some((Time::utc(MOMENT), 26)));
        assert_eq!(read("%s", "1795242000 x"), Some((Time::utc(MOMENT), 10)));
        assert_eq!(read("%Y-%m-%d", "2026-11-21"), None, "no time of day");
        assert_eq!(read("%Y-%m-%d %H:%M:%S", "21/Nov/2026"), None);
    }
}
