//! Times as signatures and keys write them: whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns a time in seconds since 1970, rounded down; a time before 1970 is zero.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the time that is so many seconds after 1970; `None` if this machine cannot tell it.
pub(crate) fn at(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Returns the time that is so much later, or the latest one that can be written in a signature.
pub(crate) fn later(time: SystemTime, by: Duration) -> SystemTime {
    time.checked_add(by).unwrap_or(time)
}
