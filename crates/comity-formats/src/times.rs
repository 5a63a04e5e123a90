//! Parses texts and numbers as times.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};

/// Parses a time as tables and archives write it, and returns microseconds since 1970. Accepts RFC 3339 and similar forms, dates
/// of HTTP and mail, digits of CDX (`20240301120000`, truncated to the day at most), or a number of seconds, milliseconds,
/// microseconds or nanoseconds since 1970. A date without a time is the beginning of its day, and a time without a zone is in UTC.
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

/// The forms of the times in a column, as for `strptime`. Without any, the usual forms are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeFormats(Vec<String>);

/// The form of times that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a form of times: {problem}; write one as for strptime, such as %d/%m/%Y or %B %d, %Y",
    comity::shown::bytes(.format.as_bytes())
)]
pub struct TimeFormatError {
    format: String,
    problem: String,
}

impl TimeFormats {
    /// Adds a form, if it can be read and names a date.
    pub(crate) fn push(&mut self, format: &str) -> Result<(), TimeFormatError> {
        let failed = |problem: String| TimeFormatError { format: format.to_owned(), problem };
        let sample = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        let sample = strtime::format(format, &sample).map_err(|error| failed(error.to_string()))?;
        let read = strtime::parse(format, &sample).map_err(|error| failed(error.to_string()))?;
        instant(&read).ok_or_else(|| failed("it names no date".to_owned()))?;
        self.0.push(format.to_owned());
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses a text in the first form that fits.
    pub(crate) fn micros(&self, text: &str) -> Option<i64> {
        if self.0.is_empty() {
            return micros(text);
        }
        self.0.iter().find_map(|format| instant(&strtime::parse(format, text.trim()).ok()?))
    }
}

/// Returns the instant of a parsed time. The default time is the beginning of the day, the default zone UTC.
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

/// Returns the microseconds of a number with a fraction, in the unit that its size suggests.
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

/// Returns the microseconds of a number: seconds since 1970, or fractions of them, or the fourteen digits of CDX.
pub(crate) fn of_number(number: i64) -> Option<i64> {
    u64::try_from(number).ok().and_then(|number| digits(&number.to_string()))
}

fn of_system_time(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_micros()).ok(),
        Err(before) => Some(-i64::try_from(before.duration().as_micros()).ok()?),
    }
}

/// Parses digits by their number: calendar dates and times have 8, 10, 12, 14 or 17 digits, times since 1970 have 9 and 10, 13, 16
/// or 19. Ten digits are an hour if they could be one since 1990: as seconds since 1970 they would be in 2033 or later. A year or a
/// month alone is not a time.
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
    fn one_moment_is_read_however_it_is_written() {
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
    fn what_is_no_time_is_none() {
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
    fn named_forms_are_the_only_ones_that_are_read() {
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
        for format in ["", "%H:%M", "%Q", "no form"] {
            assert!(formats.push(format).is_err(), "{format}");
        }
    }
}
