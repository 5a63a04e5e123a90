//! Times in signatures and keys: whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns a time in seconds since 1970, rounded down. Returns zero for a time before 1970.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the time that is this number of seconds after the start of 1970; `None` if the system cannot represent it.
pub(crate) fn at(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Returns the time plus a duration, or the unchanged time if the system cannot represent the sum.
pub(crate) fn later(time: SystemTime, by: Duration) -> SystemTime {
    time.checked_add(by).unwrap_or(time)
}
