//! When the next request to an origin may begin: the arithmetic that every store shares.
//!
//! Times are nanoseconds since the zero of the clock that the store goes by, in 64 bits, and stop at the ends instead of
//! wrapping. An origin that was not asked about for a while is forgotten, but never while its last slot could still keep
//! the next one back.
//!
//! A clock may be set, a machine started again, a row forged. So a row says when it was written: one from the future
//! keeps the spans that it was written with, counted from now. And nothing further ahead than the caller calls possible
//! is believed.

use std::time::{Duration, SystemTime};

use super::{Slot, SlotRequest};
use crate::Moment;

/// What is kept about an origin stays at least this long after it last counted.
pub(super) const KEPT_AT_LEAST: Duration = Duration::from_secs(600);

/// A time that has always gone by.
pub(super) const NEVER: i64 = i64::MIN;

/// How much later than now a row may have been written: callers look at the clock before they stand in line.
pub(super) const TOLERANCE: Duration = Duration::from_secs(60);

/// A time of day as a number of nanoseconds since 1970.
pub(super) fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => length(after),
        Err(before) => -length(before.duration()),
    }
}

/// A time of day that was a number.
#[cfg(feature = "embedded")]
pub(super) fn time(nanos: i64) -> SystemTime {
    let from_epoch = Duration::from_nanos(nanos.unsigned_abs());
    let time = match nanos {
        0.. => SystemTime::UNIX_EPOCH.checked_add(from_epoch),
        _ => SystemTime::UNIX_EPOCH.checked_sub(from_epoch),
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A moment as a number of nanoseconds since the clock's zero.
pub(super) fn ticks(moment: Moment) -> i64 {
    length(moment.since_zero())
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

/// When a store was emptied, as far as it can be believed: a time in the future stands for now.
pub(super) fn emptied(time: i64, now: i64) -> i64 {
    if time > later(now, TOLERANCE) { now } else { time }
}

/// The pace of one origin in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// The end of the last slot that was taken: whoever has it may begin as late as that.
    pub(super) last: i64,
    /// The number of the request that took it; 0 if it was given back.
    pub(super) number: u64,
    /// What `last` was before.
    pub(super) before: i64,
    /// The end of the longest hold.
    pub(super) held: i64,
    /// The longest interval that a slot was taken with, in nanoseconds.
    pub(super) longest: i64,
    /// When this was written.
    pub(super) written: i64,
}

impl Slots {
    /// An origin of which nothing is known since a time, at which somebody may have had a slot; or [`NEVER`].
    pub(super) const fn since(forgotten: i64) -> Slots {
        Slots { last: forgotten, number: 0, before: forgotten, held: NEVER, longest: 0, written: NEVER }
    }

    /// How far off the slot of a request is: the last one if it has taken that, else the next.
    pub(super) fn wait(&self, request: &SlotRequest, now: i64) -> Duration {
        if self.is_of(request) {
            return until(self.last, now).saturating_sub(request.window);
        }
        let free = if self.last == NEVER { NEVER } else { later(self.last, request.interval) };
        until(free.max(self.held), now)
    }

    fn is_of(&self, request: &SlotRequest) -> bool {
        self.number == request.number && request.number != 0
    }

    /// Takes the next slot unless it is too far off. A request that took the last slot is told about it again.
    pub(super) fn reserve(&mut self, request: &SlotRequest, now: i64) -> Slot {
        self.believe(request.furthest, now);
        let wait = self.wait(request, now);
        if self.is_of(request) {
            return Slot::Taken(wait);
        }
        let furthest = wait.saturating_add(request.window);
        if wait > request.max_wait || furthest > request.furthest {
            return Slot::TooFar(wait);
        }
        self.note(request, wait, now);
        Slot::Taken(wait)
    }

    /// A slot was taken.
    pub(super) fn note(&mut self, request: &SlotRequest, wait: Duration, now: i64) {
        if !self.is_of(request) {
            self.before = self.last;
        }
        self.last = self.last.max(later(now, wait.saturating_add(request.window)));
        self.number = request.number;
        self.longest = self.longest.max(length(request.interval));
        self.written = self.written.max(now);
    }

    /// Gives a slot back, unless a later one was taken after it. Says whether anything has changed.
    pub(super) fn give_back(&mut self, number: u64) -> bool {
        let is_last = self.number == number && number != 0;
        if is_last {
            self.last = self.before;
            self.number = 0;
        }
        is_last
    }

    /// Keeps slots back.
    pub(super) fn hold(&mut self, until_in: Duration, now: i64) {
        self.count_from(now);
        self.held = self.held.max(later(now, until_in));
        self.written = self.written.max(now);
    }

    /// Whether nothing that happened here can keep anybody back any more.
    pub(super) fn is_over(&self, now: i64) -> bool {
        let kept = self.longest.max(length(KEPT_AT_LEAST));
        self.held < now && self.last.saturating_add(kept) < now
    }

    /// Believes nothing that is further ahead than it can be.
    pub(super) fn believe(&mut self, furthest: Duration, now: i64) {
        self.count_from(now);
        let most = later(now.max(self.written), furthest);
        self.held = self.held.min(most);
        self.last = self.last.min(most);
    }

    /// What was written in the future, by a clock that was set back since, counts from now.
    pub(super) fn count_from(&mut self, now: i64) {
        let ahead = self.written.saturating_sub(now);
        if ahead <= length(TOLERANCE) {
            return;
        }
        for time in [&mut self.last, &mut self.before, &mut self.held] {
            if *time != NEVER {
                *time = time.saturating_sub(ahead);
            }
        }
        self.written = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn request(interval: Duration, max_wait: Duration) -> SlotRequest {
        SlotRequest { furthest: Duration::MAX, ..SlotRequest::new(interval, max_wait) }
    }

    #[cfg(feature = "embedded")]
    #[test]
    fn times_survive_as_numbers() {
        for nanoseconds in [0, 1, -1, 1_700_000_000_123_456_789, -86_400_000_000_000] {
            assert_eq!(nanos(time(nanoseconds)), nanoseconds);
        }
    }

    #[test]
    fn what_cannot_be_counted_stops_at_the_end() {
        let mut slots = Slots::since(NEVER);
        slots.hold(Duration::MAX, 5);
        assert_eq!(slots.held, i64::MAX);
        assert!(matches!(slots.reserve(&request(Duration::ZERO, SECOND), 5), Slot::TooFar(_)));
    }

    #[test]
    fn an_origin_is_over_when_its_longest_interval_has_gone_by() {
        let hour = Duration::from_secs(3600);
        let mut slots = Slots::since(NEVER);
        slots.reserve(&request(hour, Duration::ZERO), 0);
        slots.reserve(&request(Duration::ZERO, Duration::ZERO), 1);
        assert!(!slots.is_over(length(hour)));
        assert!(!slots.is_over(length(hour) + 1));
        assert!(slots.is_over(length(hour) + 2));
        slots.hold(2 * hour, 0);
        assert!(!slots.is_over(length(2 * hour)));
    }

    #[test]
    fn the_next_slot_keeps_its_distance_from_the_end_of_the_last_one() {
        let mut slots = Slots::since(NEVER);
        let wide = SlotRequest { window: SECOND / 20, ..request(SECOND, SECOND * 9) };
        assert_eq!(slots.reserve(&wide, 0), Slot::Taken(Duration::ZERO));
        assert_eq!(slots.reserve(&request(SECOND, SECOND * 9), 0), Slot::Taken(SECOND + SECOND / 20));
        assert_eq!(slots.reserve(&request(SECOND, SECOND * 9), 0), Slot::Taken(SECOND * 2 + SECOND / 20));
    }

    #[test]
    fn a_request_that_is_told_again_gets_the_same_slot() {
        let mut slots = Slots::since(NEVER);
        slots.reserve(&request(SECOND, SECOND), 0);
        let lost = SlotRequest { window: SECOND / 20, ..request(SECOND, SECOND * 9) };
        assert_eq!(slots.reserve(&lost, 0), Slot::Taken(SECOND));
        assert_eq!(slots.reserve(&lost, length(SECOND / 2)), Slot::Taken(SECOND / 2));
    }
}
