//! Parses texts and numbers as times.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};

/// Parses a time in the formats of tables and archives. Returns microseconds since 1970.
///
/// Accepts RFC 3339 and similar formats, dates of HTTP and mail, the digits of CDX (`20240301120000`, perhaps only up to the
/// day), and a number of seconds, milliseconds, microseconds or nanoseconds since 1970. A date without a time means the
/// beginning of the day. A time without a zone is in UTC.
pub(crate) fn micros(text: &str) -> Option<i64> {
    let text = text.trim();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits(text) {
        return digits(text);
    }
    match text.split_once('.') {
        Some((whole, fraction)) if is_digits(whole) && is_digits(fraction) => of_float(text.parse().ok()?),
        _ => of_system_time(comity::date::any(text)?),
    }
}

/// Formats of the times in a column, in the syntax of `strptime`. If the list is empty, the formats of [`micros`] are used.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeFormats(Vec<String>);

/// The error for an unusable time format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a time format: {problem}; use the syntax of strptime, such as %d/%m/%Y or %B %d, %Y",
    comity::shown::bytes(.format.as_bytes())
)]
pub struct TimeFormatError {
    format: String,
    problem: String,
}

impl TimeFormats {
    /// Adds a format. Checks that it is valid and contains a date.
    pub(crate) fn push(&mut self, format: &str) -> Result<(), TimeFormatError> {
        let failed = |problem: String| TimeFormatError { format: format.to_owned(), problem };
        let sample = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        let sample = strtime::format(format, &sample).map_err(|error| failed(error.to_string()))?;
        let read = strtime::parse(format, &sample).map_err(|error| failed(error.to_string()))?;
        instant(&read).ok_or_else(|| failed("it contains no date".to_owned()))?;
        self.0.push(format.to_owned());
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses a text by the first format that matches.
    pub(crate) fn micros(&self, text: &str) -> Option<i64> {
        if self.0.is_empty() {
            return micros(text);
        }
        self.0.iter().find_map(|format| instant(&strtime::parse(format, text.trim()).ok()?))
    }
}

/// Converts a parsed time to microseconds since 1970. The default time is the beginning of the day, and the default zone is
/// UTC.
fn instant(read: &BrokenDownTime) -> Option<i64> {
    let time = match read.offset() {
        Some(offset) => offset.to_timestamp(read.to_datetime().ok()?).ok()?,
        None => match read.to_timestamp() {
            Ok(time) => time,
            Err(_) => Offset::UTC.to_timestamp(read.to_datetime().ok()?).ok()?,
        },
    };
    Some(time.as_microsecond())
}

/// Converts a number with a fraction to microseconds since 1970. The size of the number determines its unit.
pub(crate) fn of_float(number: f64) -> Option<i64> {
    const SECONDS: std::ops::Range<f64> = 1e8..1e10;
    let micros = match number {
        _ if number.fract() == 0.0 && (0.0..1e18).contains(&number) => return of_number(number as i64),
        number if SECONDS.contains(&number) => number * 1e6,
        number if SECONDS.contains(&(number / 1e3)) && number >= 1e12 => number * 1e3,
        _ => return None,
    };
    Some(micros.round() as i64)
}

/// Converts a number to microseconds since 1970, by the number of its digits.
pub(crate) fn of_number(number: i64) -> Option<i64> {
    u64::try_from(number).ok().and_then(|number| digits(&number.to_string()))
}

fn of_system_time(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_micros()).ok(),
        Err(before) => Some(-i64::try_from(before.duration().as_micros()).ok()?),
    }
}

/// Parses a time that consists of digits. Calendar dates and times have 8, 10, 12, 14 or 17 digits. Times since 1970 have 9
/// or 10, 13, 16 or 19 digits.
///
/// Ten digits that could be an hour from 1990 to 2039 are an hour. As seconds since 1970, they would be in 2033 or later. A
/// year or a month alone is not a time.
fn digits(text: &str) -> Option<i64> {
    match text.len() {
        10 if matches!(text.get(..3), Some("199" | "200" | "201" | "202" | "203"))
            && calendar(text).is_some() =>
        {
            calendar(text)
        }
        8 | 12 | 14 | 17 => calendar(text),
        9 | 10 => text.parse::<i64>().ok()?.checked_mul(1_000_000),
        13 => text.parse::<i64>().ok()?.checked_mul(1_000),
        16 => text.parse().ok(),
        19 => Some(text.parse::<i64>().ok()? / 1_000),
        _ => None,
    }
}

fn calendar(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize, without: i16| match text.get(from..to) {
        Some(part) => part.parse::<i16>().ok(),
        None => Some(without),
    };
    let small = |from: usize, without: i8| i8::try_from(number(from, from + 2, i16::from(without))?).ok();
    let year = number(0, 4, 0)?;
    let thousandths = i32::from(number(14, 17, 0)?);
    let (month, day, hour, minute, second) =
        (small(4, 1)?, small(6, 1)?, small(8, 0)?, small(10, 0)?, small(12, 0)?);
    let time = DateTime::new(year, month, day, hour, minute, second, thousandths * 1_000_000).ok()?;
    Some(Offset::UTC.to_timestamp(time).ok()?.as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::{TimeFormats, micros};

    #[test]
    fn every_format_of_a_time_is_parsed() {
        let moment = Some(1_709_294_400_000_000);
        for text in [
            "2024-03-01T12:00:00Z",
            "2024-03-01T13:00:00+01:00",
            "2024-03-01 12:00:00",
            "2024-03-01T12:00:00.000Z",
            "Fri, 01 Mar 2024 12:00:00 GMT",
            "20240301120000",
            "202403011200",
            "20240301120000000",
            "1709294400",
            "1709294400.0",
            "1709294400000.0",
            "2024030112",
            "1709294400000",
            "1709294400000000",
            "1709294400000000000",
            "  1709294400 ",
        ] {
            assert_eq!(micros(text), moment, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_time_is_rejected() {
        for text in [
            "",
            "yesterday",
            "20241301000000",
            "20240230",
            "1",
            "2024",
            "202403",
            "-1709294400",
            "1.5",
            "01/05/2023",
            "May 1, 2023",
            "99999999999999999999",
            "2024-03-01T25:00:00Z",
            "０１",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
    }

    #[test]
    fn requested_formats_replace_the_default_formats() {
        let mut formats = TimeFormats::default();
        for format in ["%d/%m/%Y", "%B %d, %Y", "%d/%b/%Y:%H:%M:%S %z"] {
            formats.push(format).expect(format);
        }
        for (text, seconds) in [
            ("01/05/2023", Some(1_682_899_200)),
            ("May 1, 2023", Some(1_682_899_200)),
            ("01/May/2023:02:00:00 +0200", Some(1_682_899_200)),
            ("31/02/2023", None),
            ("2023-05-01", None),
            ("1682899200", None),
        ] {
            assert_eq!(formats.micros(text), seconds.map(|seconds: i64| seconds * 1_000_000), "{text}");
        }
        for format in ["", "%H:%M", "%Q", "no format"] {
            assert!(formats.push(format).is_err(), "{format}");
        }
    }
}
