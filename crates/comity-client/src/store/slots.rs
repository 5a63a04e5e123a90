//! Computes slots, for all stores. A slot is a window of time in which one request to an origin may begin.
//!
//! Times are 64-bit nanoseconds since the zero of the store's clock, and saturate instead of wrapping. The row of an
//! unused origin is removed when its last slot can no longer delay the next one.
//!
//! Stored times can be wrong: a clock may be set back, a machine may restart, or another program may write a false row.
//! So each row contains the time at which it was written. If that time is too far in the future, all times of the row
//! are moved back by the difference. A time beyond the caller's limit is reduced to that limit.

use std::time::{Duration, SystemTime};

use super::{Slot, SlotRequest, SlotStatus};
use crate::Moment;

/// Minimum time for which the state of an origin is kept after its last use.
pub(super) const KEPT_AT_LEAST: Duration = Duration::from_secs(600);

/// Time of an event that never happened: earlier than all other times.
pub(super) const NEVER: i64 = i64::MIN;

/// Maximum time by which a row may be dated in the future without a correction. Such times are normal, since callers
/// read the clock before they wait for a lock.
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

/// Returns the duration from `now` to `time`, or zero if `time` has passed.
pub(super) fn until(time: i64, now: i64) -> Duration {
    Duration::from_nanos(u64::try_from(time.saturating_sub(now)).unwrap_or(0))
}

/// Returns the recorded time at which a store was emptied, or `now` if the record is too far in the future.
pub(super) fn emptied(time: i64, now: i64) -> i64 {
    if time > later(now, TOLERANCE) { now } else { time }
}

/// The pace of one origin in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// End of the last reserved slot: the latest time at which its request may begin.
    pub(super) last: i64,
    /// Number of the request that reserved the last slot; 0 if the slot was given back.
    pub(super) number: u64,
    /// Value of `last` before the last slot was reserved. It is restored if that slot is given back.
    pub(super) before: i64,
    /// Latest end of all holds. No slot begins before it.
    pub(super) held: i64,
    /// Longest interval of all requests so far, in nanoseconds.
    pub(super) longest: i64,
    /// Time at which the row was written.
    pub(super) written: i64,
}

impl Slots {
    /// Creates the state of an origin without a row. Lost slots of the origin may end as late as `lost_until`, which is
    /// [`NEVER`] if the store has lost no slots.
    pub(super) const fn since(lost_until: i64) -> Slots {
        Slots { last: lost_until, number: 0, before: lost_until, held: NEVER, longest: 0, written: NEVER }
    }

    /// Returns the wait for the slot of `request`: the last slot if `request` reserved it, otherwise the next slot.
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

    /// Reserves the next slot unless it is too far off. A request that reserved the last slot gets the same slot again.
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

    /// Records that `request` reserved the slot that begins after `wait`.
    pub(super) fn note(&mut self, request: &SlotRequest, wait: Duration, now: i64) {
        if !self.is_of(request) {
            self.before = self.last;
        }
        self.last = self.last.max(later(now, wait.saturating_add(request.window)));
        self.number = request.number;
        self.longest = self.longest.max(length(request.interval));
        self.written = self.written.max(now);
    }

    /// Returns the status of a slot that begins now: valid, or delayed by a hold.
    pub(super) fn slot_status(mut self, request: &SlotRequest, now: i64) -> SlotStatus {
        self.cut_times(request.furthest, now);
        match until(self.held, now) {
            Duration::ZERO => SlotStatus::Valid,
            rest => SlotStatus::Held(rest),
        }
    }

    /// Gives back the slot of the request `number`, unless a later slot was reserved. Returns true if the slot was
    /// given back.
    pub(super) fn give_back(&mut self, number: u64) -> bool {
        let is_last = self.number == number && number != 0;
        if is_last {
            self.last = self.before;
            self.number = 0;
        }
        is_last
    }

    /// Adds a hold: no slot of the lane begins before `now` plus `until_in`.
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

    /// Reduces times that are later than `furthest` from now to that limit.
    pub(super) fn cut_times(&mut self, furthest: Duration, now: i64) {
        self.count_from(now);
        let most = later(now.max(self.written), furthest);
        self.held = self.held.min(most);
        self.last = self.last.min(most);
    }

    /// Corrects the row after a clock was set back: if the row was written in the future, moves its times back by the
    /// difference.
    pub(super) fn count_from(&mut self, now: i64) {
        let Slots { last, before, held, written, .. } = self;
        count_from(now, written, [last, before, held]);
    }
}

/// Moves `times` back by the distance of `written` from `now`, if `written` is in the future beyond [`TOLERANCE`].
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

/// Record of the slots of all origins that were [handed on](SlotRequest::is_handed_on) to other programs. Those
/// programs use their slots even after the store has lost the rows of the origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandedOn {
    /// Latest end of all slots that were handed on.
    pub(super) until: i64,
    /// Value of `until` when the store was emptied. Lost slots of an origin without a row may end as late as this time.
    pub(super) floor: i64,
    /// Time at which the record was written.
    pub(super) written: i64,
}

impl HandedOn {
    /// Record of a store that has handed on no slot.
    pub(super) const NONE: HandedOn = HandedOn { until: NEVER, floor: NEVER, written: NEVER };

    /// Records the slot if it was reserved and is handed on.
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

    /// Merges the record of the earlier store that this store replaces, and records that this store was emptied.
    #[cfg(feature = "embedded")]
    pub(super) fn take_over(&mut self, earlier: HandedOn) {
        self.until = self.until.max(earlier.until);
        self.written = self.written.max(earlier.written);
        self.forget_origins();
    }

    /// Returns the time until which lost, handed-on slots of an origin without a row may last.
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
    fn handed_on_slots_delay_other_origins_only_after_the_store_was_emptied() {
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
