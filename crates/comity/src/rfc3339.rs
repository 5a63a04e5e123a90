//! Formats times as RFC 3339, in UTC.

use std::time::SystemTime;

use jiff::Timestamp;

/// First second that is formatted: the start of the year 1.
const FIRST: i64 = -62_135_596_800;
/// Last second that is formatted, the maximum of [`Timestamp`]: 9999-12-30T22:00:00Z.
const LAST: i64 = 253_402_207_200;

/// Formats a time to the second, such as `2026-11-21T06:20:10Z`. Returns `None` before the year 1 and after
/// 9999-12-30T22:00:00Z.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_500);
/// assert_eq!(comity::rfc3339::seconds(time).as_deref(), Some("1970-01-01T00:00:01Z"));
/// ```
pub fn seconds(time: SystemTime) -> Option<String> {
    let second = Timestamp::try_from(time).ok()?.as_second();
    (FIRST..=LAST).contains(&second).then(|| text(second))?
}

/// Formats a time to the millisecond, such as `2026-11-21T06:20:10.250Z`. Returns `None` before the year
/// -9999 and after 9999-12-30T22:00:00Z.
pub fn millis(time: SystemTime) -> Option<String> {
    let rounded = Timestamp::try_from(time).ok()?.round(jiff::Unit::Millisecond).ok()?;
    Some(format!("{rounded:.3}"))
}

/// Formats a time to the second. If [`seconds`] returns `None` for the time, the first or the last second is formatted
/// instead.
#[cfg(feature = "serde")]
pub(crate) fn bounded(time: SystemTime) -> Option<String> {
    seconds(time).or_else(|| text(if time < SystemTime::UNIX_EPOCH { FIRST } else { LAST }))
}

/// Formats a time with as many fractional digits as its precision needs.
#[cfg(feature = "page")]
pub(crate) fn exact(time: SystemTime) -> Option<String> {
    Some(Timestamp::try_from(time).ok()?.to_string())
}

/// Formats a number of seconds since 1970.
pub(crate) fn text(second: i64) -> Option<String> {
    Some(Timestamp::from_second(second).ok()?.to_string())
}
