//! The arithmetic of slots, which all stores share.
//!
//! Times are nanoseconds since the zero of the store's clock, in 64 bits, and saturate instead of wrapping. An unused
//! origin is removed after a while, but never while its last slot could still delay the next one.
//!
//! A clock may be set, a machine restarted, or a row forged. So a row holds the time of its writing. If a row was
//! written in the future, its times are shifted to count from now. A time beyond the caller's limit is cut to that
//! limit.

use std::time::{Duration, SystemTime};

use super::{Slot, SlotRequest, SlotStatus};
use crate::Moment;

/// Minimum time for which the state of an origin is kept after its last use.
pub(super) const KEPT_AT_LEAST: Duration = Duration::from_secs(600);

/// A time before all others.
pub(super) const NEVER: i64 = i64::MIN;

/// Accepted distance of a row's time in the future, since callers read the clock before they wait for a lock.
pub(super) const TOLERANCE: Duration = Duration::from_secs(60);

/// Returns a time of day as nanoseconds since 1970.
pub(super) fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => length(after),
        Err(before) => -length(before.duration()),
    }
}

/// Returns the time of day for nanoseconds since 1970.
#[cfg(feature = "embedded")]
pub(super) fn time(nanos: i64) -> SystemTime {
    let from_epoch = Duration::from_nanos(nanos.unsigned_abs());
    let time = match nanos {
        0.. => SystemTime::UNIX_EPOCH.checked_add(from_epoch),
        _ => SystemTime::UNIX_EPOCH.checked_sub(from_epoch),
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Returns a moment as nanoseconds since the clock's zero.
pub(super) fn ticks(moment: Moment) -> i64 {
    length(moment.since_zero())
}

/// Returns a duration in nanoseconds.
pub(super) fn length(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns the time that is `by` later.
pub(super) fn later(time: i64, by: Duration) -> i64 {
    time.saturating_add(length(by))
}

/// Returns the time from `now` to a later time; zero if that has passed.
pub(super) fn until(time: i64, now: i64) -> Duration {
    Duration::from_nanos(u64::try_from(time.saturating_sub(now)).unwrap_or(0))
}

/// Returns the time at which a store was emptied. A time in the future is replaced by `now`.
pub(super) fn emptied(time: i64, now: i64) -> i64 {
    if time > later(now, TOLERANCE) { now } else { time }
}

/// The pace of one origin in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// The end of the last slot that was taken. Its request may begin until then.
    pub(super) last: i64,
    /// The number of the request that took it; 0 if it was given back.
    pub(super) number: u64,
    /// The value of `last` before.
    pub(super) before: i64,
    /// The end of the longest hold.
    pub(super) held: i64,
    /// The longest interval of any slot, in nanoseconds.
    pub(super) longest: i64,
    /// Time at which the row was written.
    pub(super) written: i64,
}

impl Slots {
    /// Creates the state of an origin whose earlier slots were lost at the time `lost_until`, or that never had one
    /// ([`NEVER`]).
    pub(super) const fn since(lost_until: i64) -> Slots {
        Slots { last: lost_until, number: 0, before: lost_until, held: NEVER, longest: 0, written: NEVER }
    }

    /// Returns the wait for a request's slot: the last slot if the request took it, otherwise the next one.
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

    /// Takes the next slot unless it is too far off. A request that took the last slot gets it again.
    pub(super) fn reserve(&mut self, request: &SlotRequest, now: i64) -> Slot {
        self.cut_times(request.furthest, now);
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

    /// Records that a slot was taken.
    pub(super) fn note(&mut self, request: &SlotRequest, wait: Duration, now: i64) {
        if !self.is_of(request) {
            self.before = self.last;
        }
        self.last = self.last.max(later(now, wait.saturating_add(request.window)));
        self.number = request.number;
        self.longest = self.longest.max(length(request.interval));
        self.written = self.written.max(now);
    }

    /// Returns whether a hold delays a slot whose time has come.
    pub(super) fn slot_status(mut self, request: &SlotRequest, now: i64) -> SlotStatus {
        self.cut_times(request.furthest, now);
        match until(self.held, now) {
            Duration::ZERO => SlotStatus::Valid,
            rest => SlotStatus::Held(rest),
        }
    }

    /// Gives a slot back, unless a later one was taken after it. Returns true if anything has changed.
    pub(super) fn give_back(&mut self, number: u64) -> bool {
        let is_last = self.number == number && number != 0;
        if is_last {
            self.last = self.before;
            self.number = 0;
        }
        is_last
    }

    /// Holds the lane: no slot begins until `until_in` from now.
    pub(super) fn hold(&mut self, until_in: Duration, now: i64) {
        self.count_from(now);
        self.held = self.held.max(later(now, until_in));
        self.written = self.written.max(now);
    }

    /// Returns true if the row can no longer delay a request.
    pub(super) fn is_over(&self, now: i64) -> bool {
        let kept = self.longest.max(length(KEPT_AT_LEAST));
        self.held < now && self.last.saturating_add(kept) < now
    }

    /// Cuts times that are further ahead than `furthest`.
    pub(super) fn cut_times(&mut self, furthest: Duration, now: i64) {
        self.count_from(now);
        let most = later(now.max(self.written), furthest);
        self.held = self.held.min(most);
        self.last = self.last.min(most);
    }

    /// Shifts the times of a row written in the future to count from now, after a clock was set back.
    pub(super) fn count_from(&mut self, now: i64) {
        let Slots { last, before, held, written, .. } = self;
        count_from(now, written, [last, before, held]);
    }
}

/// Shifts times that were written in the future to count from now.
fn count_from<const N: usize>(now: i64, written: &mut i64, times: [&mut i64; N]) {
    let ahead = written.saturating_sub(now);
    if ahead <= length(TOLERANCE) {
        return;
    }
    for time in times {
        if *time != NEVER {
            *time = time.saturating_sub(ahead);
        }
    }
    *written = now;
}

/// The slots of all origins that were [handed on](SlotRequest::is_handed_on). They are used even if a store has lost
/// the origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandedOn {
    /// The end of the latest slot.
    pub(super) until: i64,
    /// The value of `until` when the store was emptied. An origin without a row may have had a slot until then.
    pub(super) floor: i64,
    /// Time at which the record was written.
    pub(super) written: i64,
}

impl HandedOn {
    /// No slot was handed on.
    pub(super) const NONE: HandedOn = HandedOn { until: NEVER, floor: NEVER, written: NEVER };

    /// Records a slot if it was taken and is handed on.
    pub(super) fn note(&mut self, request: &SlotRequest, slot: Slot, now: i64) {
        if let (Slot::Taken(wait), true) = (slot, request.is_handed_on) {
            self.count_from(now);
            self.until = self.until.max(later(now, wait.saturating_add(request.window)));
            self.written = self.written.max(now);
        }
    }

    /// Records that the store was emptied.
    pub(super) fn forget_origins(&mut self) {
        self.floor = self.until;
    }

    /// Takes over the record of the store that this one replaces.
    #[cfg(feature = "embedded")]
    pub(super) fn take_over(&mut self, earlier: HandedOn) {
        self.until = self.until.max(earlier.until);
        self.written = self.written.max(earlier.written);
        self.forget_origins();
    }

    /// Returns the time until which an origin without a row may have had a slot.
    pub(super) fn floor(&mut self, now: i64) -> i64 {
        self.count_from(now);
        self.floor
    }

    fn count_from(&mut self, now: i64) {
        let HandedOn { until, floor, written } = self;
        count_from(now, written, [until, floor]);
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
    fn times_are_unchanged_after_a_round_trip() {
        for nanoseconds in [0, 1, -1, 1_700_000_000_123_456_789, -86_400_000_000_000] {
            assert_eq!(nanos(time(nanoseconds)), nanoseconds);
        }
    }

    #[test]
    fn times_beyond_the_range_saturate() {
        let mut slots = Slots::since(NEVER);
        slots.hold(Duration::MAX, 5);
        assert_eq!(slots.held, i64::MAX);
        assert!(matches!(slots.reserve(&request(Duration::ZERO, SECOND), 5), Slot::TooFar(_)));
    }

    #[test]
    fn origin_is_removable_after_its_longest_interval() {
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
    fn next_slot_keeps_its_distance_from_the_end_of_the_last_slot() {
        let mut slots = Slots::since(NEVER);
        let wide = SlotRequest { window: SECOND / 20, ..request(SECOND, SECOND * 9) };
        assert_eq!(slots.reserve(&wide, 0), Slot::Taken(Duration::ZERO));
        assert_eq!(slots.reserve(&request(SECOND, SECOND * 9), 0), Slot::Taken(SECOND + SECOND / 20));
        assert_eq!(slots.reserve(&request(SECOND, SECOND * 9), 0), Slot::Taken(SECOND * 2 + SECOND / 20));
    }

    #[test]
    fn handed_on_slots_are_a_floor_only_after_the_store_was_emptied() {
        let taken = Slot::Taken(9 * SECOND);
        let own = request(SECOND, Duration::ZERO);
        let handed_on = SlotRequest { is_handed_on: true, window: SECOND, ..own };
        let mut known = HandedOn::NONE;
        known.note(&own, taken, 5);
        known.note(&handed_on, Slot::TooFar(9 * SECOND), 5);
        assert_eq!(known, HandedOn::NONE);
        known.note(&handed_on, taken, 5);
        assert_eq!(known.floor(5), NEVER);
        known.forget_origins();
        assert_eq!(known.floor(5), length(10 * SECOND) + 5);
        known.note(&handed_on, taken, length(SECOND));
        assert_eq!(known.floor(5), length(10 * SECOND) + 5);
    }

    #[test]
    fn handed_on_slots_keep_their_remaining_time_when_the_clock_is_set_back() {
        let handed_on = SlotRequest { is_handed_on: true, ..request(SECOND, Duration::ZERO) };
        let mut known = HandedOn::NONE;
        known.note(&handed_on, Slot::Taken(9 * SECOND), length(1000 * SECOND));
        known.forget_origins();
        assert_eq!(known.floor(length(SECOND)), length(10 * SECOND));
        assert_eq!(known.floor(length(SECOND * 2)), length(10 * SECOND), "the shift happens once");
    }

    #[test]
    fn request_repeated_in_memory_gets_the_same_slot() {
        let mut slots = Slots::since(NEVER);
        slots.reserve(&request(SECOND, SECOND), 0);
        let lost = SlotRequest { window: SECOND / 20, ..request(SECOND, SECOND * 9) };
        assert_eq!(slots.reserve(&lost, 0), Slot::Taken(SECOND));
        assert_eq!(slots.reserve(&lost, length(SECOND / 2)), Slot::Taken(SECOND / 2));
    }
}
