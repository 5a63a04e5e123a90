//! When the next request to an origin may begin: the arithmetic that every store shares.
//!
//! Times are nanoseconds since 1970 in 64 bits (until 2262) and stop at the ends instead of wrapping. An origin that was
//! not asked about for a while is forgotten, but never while its last slot could still keep the next one back.

use std::time::{Duration, SystemTime};

use super::Slot;

/// What is kept about an origin stays at least this long after it last counted.
pub(super) const KEPT_AT_LEAST: Duration = Duration::from_secs(600);

/// A time that has always gone by.
pub(super) const NEVER: i64 = i64::MIN;

/// A time as a number of nanoseconds.
pub(super) fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => length(after),
        Err(before) => -length(before.duration()),
    }
}

/// A time that was a number.
pub(super) fn time(nanos: i64) -> SystemTime {
    let from_epoch = Duration::from_nanos(nanos.unsigned_abs());
    let time = match nanos {
        0.. => SystemTime::UNIX_EPOCH.checked_add(from_epoch),
        _ => SystemTime::UNIX_EPOCH.checked_sub(from_epoch),
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A duration in nanoseconds.
pub(super) fn length(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// A time that much later.
pub(super) fn later(time: i64, by: Duration) -> i64 {
    time.saturating_add(length(by))
}

/// How long it is from `now` to a time; zero if it has gone by.
pub(super) fn until(time: i64, now: i64) -> Duration {
    Duration::from_nanos(u64::try_from(time.saturating_sub(now)).unwrap_or(0))
}

/// The pace of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// The last slot that was taken.
    pub(super) last: i64,
    /// The end of the longest hold.
    pub(super) held: i64,
    /// The longest interval that a slot was taken with, in nanoseconds.
    pub(super) longest: i64,
}

impl Slots {
    /// An origin that nobody asked about.
    pub(super) const NEW: Slots = Slots { last: NEVER, held: NEVER, longest: 0 };

    /// How far off the next slot is.
    pub(super) fn wait(&self, interval: Duration, now: i64) -> Duration {
        let free = if self.last == NEVER { NEVER } else { later(self.last, interval) };
        until(free.max(self.held), now)
    }

    /// Takes the next slot unless it is too far off.
    pub(super) fn reserve(&mut self, interval: Duration, max_wait: Duration, now: i64) -> Slot {
        let wait = self.wait(interval, now);
        if wait > max_wait {
            return Slot::TooFar(wait);
        }
        self.note(interval, wait, now);
        Slot::Taken(wait)
    }

    /// A slot was taken.
    pub(super) fn note(&mut self, interval: Duration, wait: Duration, now: i64) {
        self.last = self.last.max(later(now, wait));
        self.longest = self.longest.max(length(interval));
    }

    /// Keeps slots back.
    pub(super) fn hold(&mut self, until_in: Duration, now: i64) {
        self.held = self.held.max(later(now, until_in));
    }

    /// Whether nothing that happened here can keep anybody back any more.
    pub(super) fn is_over(&self, now: i64) -> bool {
        let kept = self.longest.max(length(KEPT_AT_LEAST));
        self.held < now && self.last.saturating_add(kept) < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_as_numbers() {
        for nanoseconds in [0, 1, -1, 1_700_000_000_123_456_789, -86_400_000_000_000] {
            assert_eq!(nanos(time(nanoseconds)), nanoseconds);
        }
    }

    #[test]
    fn what_cannot_be_counted_stops_at_the_end() {
        let mut slots = Slots::NEW;
        slots.hold(Duration::MAX, 5);
        assert_eq!(slots.held, i64::MAX);
        assert!(matches!(slots.reserve(Duration::ZERO, Duration::from_secs(1), 5), Slot::TooFar(_)));
    }

    #[test]
    fn an_origin_is_over_when_its_longest_interval_has_gone_by() {
        let hour = Duration::from_secs(3600);
        let mut slots = Slots::NEW;
        slots.reserve(hour, Duration::ZERO, 0);
        slots.reserve(Duration::ZERO, Duration::ZERO, 1);
        assert!(!slots.is_over(length(hour)));
        assert!(!slots.is_over(length(hour) + 1));
        assert!(slots.is_over(length(hour) + 2));
        slots.hold(2 * hour, 0);
        assert!(!slots.is_over(length(2 * hour)));
    }
}
