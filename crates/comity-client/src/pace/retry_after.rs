//! The header field `Retry-After`: the minimum delay before the next request to an origin (RFC 9110 §10.2.3).

use std::fmt;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode, header};

/// The delay that an origin requires before the next request.
///
/// Its JSON fields are `duration_seconds` and `asked_seconds`.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity_client::pace::RetryAfter;
/// use http::{HeaderMap, HeaderValue, header};
///
/// let mut headers = HeaderMap::new();
/// headers.insert(header::RETRY_AFTER, HeaderValue::from_static("3600"));
/// let cap = Duration::from_secs(300);
/// let retry_after = RetryAfter::read(&headers, SystemTime::now(), cap).ok_or("no such field")?;
/// assert_eq!(retry_after.duration, cap);
/// assert_eq!(retry_after.asked, Some(Duration::from_secs(3_600)), "cut");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RetryAfter {
    /// The length of the hold, counted from the arrival of the answer.
    #[serde(rename = "duration_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub duration: Duration,
    /// The delay in the header, if it exceeds the setting `max_retry_after` and was reduced to it.
    #[serde(rename = "asked_seconds", with = "crate::seconds::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub asked: Option<Duration>,
}

/// Writes the delay, such as `Retry-After 120 s`, and its limit: `Retry-After 600 s, capped at 300 s`.
impl fmt::Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Retry-After ")?;
        write_capped(f, self.duration, self.asked)
    }
}

/// Writes a time in seconds. If it was reduced, writes the requested time, and the limit.
pub(super) fn write_capped(
    f: &mut fmt::Formatter<'_>,
    granted: Duration,
    asked: Option<Duration>,
) -> fmt::Result {
    // With one decimal, which is omitted if it is zero.
    let seconds = |time: Duration| (time.as_secs_f64() * 10.0).round() / 10.0;
    match asked {
        Some(asked) => write!(f, "{} s, capped at {} s", seconds(asked), seconds(granted)),
        None => write!(f, "{} s", seconds(granted)),
    }
}

impl RetryAfter {
    /// Returns true if an answer with this status is temporary, so that its `Retry-After` applies.
    pub(crate) fn applies_to(status: StatusCode) -> bool {
        matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    }

    /// Reads the header of an answer that arrived at `now`. The value is a date or a number of seconds. A fraction is
    /// accepted, although the RFC does not allow it. A delay longer than `cap` is reduced to `cap`. Of several fields,
    /// the longest delay applies. A date in the past is a delay of zero. Returns `None` if the field is missing or
    /// invalid.
    pub fn read(headers: &HeaderMap, now: SystemTime, cap: Duration) -> Option<RetryAfter> {
        let values = headers.get_all(header::RETRY_AFTER).iter();
        let asked = values.filter_map(|value| asked(value.to_str().ok()?.trim(), now)).max()?;
        let duration = asked.min(cap);
        Some(RetryAfter { duration, asked: (asked > duration).then_some(asked) })
    }
}

fn asked(value: &str, now: SystemTime) -> Option<Duration> {
    let is_number = value.starts_with(|first: char| first.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number {
        // A number that overflows becomes the largest duration.
        return value.parse().ok().map(|s: f64| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
    }
    Some(httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: Duration = Duration::from_secs(784_111_777);
    const CAP: Duration = Duration::from_secs(300);

    fn read(values: &[&str]) -> Option<(f64, Option<f64>)> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::RETRY_AFTER, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let read = RetryAfter::read(&headers, SystemTime::UNIX_EPOCH + NOW, CAP)?;
        Some((read.duration.as_secs_f64(), read.asked.map(|asked| asked.as_secs_f64())))
    }

    #[test]
    fn retry_after_in_seconds_or_as_date_is_cut_at_the_limit() {
        for (value, expected) in [
            ("120", Some((120.0, None))),
            (" 7 ", Some((7.0, None))),
            ("0", Some((0.0, None))),
            ("1.5", Some((1.5, None))),
            ("300", Some((300.0, None))),
            ("301", Some((300.0, Some(301.0)))),
            ("99999999999999999999999", Some((300.0, Some(Duration::MAX.as_secs_f64())))),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some((60.0, None))),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some((60.0, None))),
            ("Sun Nov  6 08:50:37 1994", Some((60.0, None))),
            ("Sun, 06 Nov 1994 09:49:37 GMT", Some((300.0, Some(3_600.0)))),
            ("Sun, 06 Nov 1994 08:49:36 GMT", Some((0.0, None))),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some((0.0, None))),
            ("-5", None),
            ("1e9", None),
            ("inf", None),
            (".5", None),
            ("1.2.3", None),
            ("5s", None),
            ("tomorrow", None),
            ("Sun, 06 Nov 1994 08:50:37", None),
            ("\u{e4}", None),
            ("", None),
        ] {
            assert_eq!(read(&[value]), expected, "`{value}`");
        }
    }

    #[test]
    fn retry_after_in_words_has_the_requested_and_the_granted_delay() {
        let mut headers = HeaderMap::new();
        for (value, text) in [
            ("600", "Retry-After 600 s, capped at 300 s"),
            ("120", "Retry-After 120 s"),
            ("1.52", "Retry-After 1.5 s"),
        ] {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(value));
            let read = RetryAfter::read(&headers, SystemTime::UNIX_EPOCH + NOW, CAP).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn longest_of_several_retry_after_fields_applies() {
        assert_eq!(read(&["5", "Sun, 06 Nov 1994 08:50:37 GMT", "soon"]), Some((60.0, None)));
        assert_eq!(read(&[]), None);
    }
}
