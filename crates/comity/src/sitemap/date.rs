//! Dates in sitemaps: a point in time, and its precision.

use crate::finding::excerpt;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

pub use crate::date::Precision;

/// A point in time with its precision. It is displayed in one of the six formats of the W3C's note on date and time
/// formats.
///
/// Omitted parts have their lowest value: `2026` is the start of 2026 in UTC. The offset of a time zone is not stored:
/// times are displayed in UTC.
///
/// ```
/// use comity::sitemap::{Date, Precision};
///
/// let date: Date = "2026-11-21T07:20+01:00".parse()?;
/// assert_eq!(date.precision(), Precision::Minute);
/// assert_eq!(date.to_string(), "2026-11-21T06:20Z");
/// assert!("21 November 2026".parse::<Date>().is_err());
/// # Ok::<(), comity::sitemap::BadDate>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    time: SystemTime,
    precision: Precision,
}

impl Date {
    /// Creates a date. Returns `None` outside the years 0 to 9999, since the format has four digits.
    pub fn new(time: SystemTime, precision: Precision) -> Option<Self> {
        let year = crate::date::civil(time)?.year();
        (0..=9999).contains(&year).then_some(Date { time, precision })
    }

    /// Parses a date in one of the six formats.
    pub(super) fn w3c(text: &str) -> Option<Self> {
        let (time, precision) = crate::date::w3c(text)?;
        Date::new(time, precision)
    }

    /// Returns the day of a time without a zone, such as `2026-11-21T07:20:10` or `2026-11-21 07:20`.
    pub(super) fn day_of_local_time(text: &str) -> Option<Self> {
        let (day, time) =
            text.split_once(['T', ' ']).filter(|(day, time)| day.len() == 10 && time.len() < 20)?;
        Date::w3c(&format!("{day}T{time}Z"))?;
        Date::w3c(day)
    }

    /// Parses a date of an RSS feed, which has the format of mail and HTTP.
    pub(super) fn internet(text: &str) -> Option<Self> {
        Date::new(crate::date::internet(text)?, Precision::Second)
    }

    /// Returns the point in time: the start of the period that the precision covers.
    pub fn time(&self) -> SystemTime {
        self.time
    }

    /// Returns the precision.
    pub fn precision(&self) -> Precision {
        self.precision
    }
}

impl fmt::Display for Date {
    /// Writes the date in the W3C format of its precision, in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // [`Date::new`] rejects dates that cannot be converted.
        let Some(datetime) = crate::date::civil(self.time) else { return Ok(()) };
        // `2026-11-21T06:20:10.5`
        let text = format!("{datetime}");
        match self.precision {
            Precision::Year => f.write_str(&text[..4]),
            Precision::Month => f.write_str(&text[..7]),
            Precision::Day => f.write_str(&text[..10]),
            Precision::Minute => write!(f, "{}Z", &text[..16]),
            Precision::Second => write!(f, "{}Z", &text[..19]),
            Precision::Fraction if datetime.subsec_nanosecond() == 0 => write!(f, "{text}.0Z"),
            Precision::Fraction => write!(f, "{text}Z"),
        }
    }
}

impl FromStr for Date {
    type Err = BadDate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Date::w3c(text).ok_or_else(|| BadDate { text: excerpt(text) })
    }
}

/// The error for text in none of the six formats of the W3C's note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadDate {
    text: String,
}

impl fmt::Display for BadDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a date; write 2026-11-21 or 2026-11-21T06:20:10Z", self.text)
    }
}

impl std::error::Error for BadDate {}

#[cfg(feature = "serde")]
impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Date: String;);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Date {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn date_of_each_precision_is_shown_as_written() {
        for text in [
            "1997",
            "1997-07",
            "1997-07-16",
            "1997-07-16T19:20Z",
            "1997-07-16T19:20:30Z",
            "1997-07-16T19:20:30.45Z",
            "1997-07-16T19:20:30.0Z",
            "0001-01-01",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(text.parse::<Date>().map(|date| date.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn year_outside_the_range_is_rejected() {
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(400_000_000_000);
        assert_eq!(Date::new(far, Precision::Day), None);
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(62_167_219_201);
        assert_eq!(Date::new(early, Precision::Day), None);
    }
}
