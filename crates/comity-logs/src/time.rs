//! Times in microseconds since 1970.

use std::time::{Duration, SystemTime};

pub(crate) const SECOND: i64 = 1_000_000;
pub(crate) const DAY: i64 = 86_400 * SECOND;

/// Returns the current time, in microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Converts a time to [`SystemTime`]. Returns `None` for times before 1970.
pub(crate) fn system_time(micros: i64) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(u64::try_from(micros).ok()?))
}

/// Formats a time as text, such as `2026-11-21T06:20:10Z`. Returns `None` for times before 1970.
pub(crate) fn stamp(micros: i64) -> Option<String> {
    comity::rfc3339::seconds(system_time(micros)?)
}
