//! Parses texts and numbers as times.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Parses a time as tables and archives write it, and returns microseconds since 1970. Accepts RFC 3339 and similar forms, dates
/// of HTTP and mail, digits of CDX (`20240301120000`, truncated anywhere), or a number of seconds, milliseconds, microseconds or
/// nanoseconds since 1970.
pub(crate) fn micros(text: &str) -> Option<i64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits(text);
    }
    of_system_time(comity::date::any(text)?)
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

/// Parses digits by their number: calendar dates and times have 4, 6, 8, 12, 14 or 17 digits, times since 1970 have 9 and 10, 13,
/// 16 or 19.
fn digits(text: &str) -> Option<i64> {
    match text.len() {
        4 | 6 | 8 | 12 | 14 | 17 => calendar(text),
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
    use super::micros;

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
            "99999999999999999999",
            "2024-03-01T25:00:00Z",
            "０１",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
    }
}
