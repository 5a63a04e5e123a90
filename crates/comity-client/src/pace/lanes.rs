//! The local state of the pace. An origin has a lane for each kind of resource ([`store::Lane`]). The state of a lane
//! is its permits, the start of its last request, its `Retry-After`, and slots to give back.
//!
//! A lane is kept while a task uses it, or while it can still delay a request. After that, the next sweep removes it.
//! From 64 lanes on, the map is swept whenever it has doubled in size.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::holder::Holders;
use crate::lock::lock;
use crate::store::{self, SlotRequest};
use crate::{Moment, Origin};

/// The lanes of all origins.
#[derive(Debug)]
pub(super) struct Lanes {
    permits: usize,
    map: Mutex<LaneMap>,
}

#[derive(Debug)]
struct LaneMap {
    lanes: HashMap<(Origin, store::Lane), Arc<Lane>>,
    /// The number of lanes at which the map is swept.
    sweep_at: usize,
}

const SWEEP_FROM: usize = 64;

impl Lanes {
    /// Creates lanes with `concurrency` permits each.
    pub(super) fn new(concurrency: NonZeroU32) -> Self {
        let permits = usize::try_from(concurrency.get()).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Lanes { permits, map: Mutex::new(LaneMap { lanes: HashMap::new(), sweep_at: SWEEP_FROM }) }
    }

    /// Returns a lane of an origin, and creates it if it does not exist. All callers share the lane while it is in use.
    pub(super) fn of(&self, origin: &Origin, lane: store::Lane, now: Moment) -> Arc<Lane> {
        let key = (origin.clone(), lane);
        let mut map = lock(&self.map);
        if let Some(lane) = map.lanes.get(&key) {
            return Arc::clone(lane);
        }
        if map.lanes.len() >= map.sweep_at {
            map.sweep(now);
        }
        let lane = Arc::new(Lane::new(self.permits));
        map.lanes.insert(key, Arc::clone(&lane));
        lane
    }

    /// Returns a lane of an origin, if it exists.
    pub(super) fn known(&self, origin: &Origin, lane: store::Lane) -> Option<Arc<Lane>> {
        lock(&self.map).lanes.get(&(origin.clone(), lane)).cloned()
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        lock(&self.map).lanes.len()
    }
}

impl LaneMap {
    fn sweep(&mut self, now: Moment) {
        // Lanes are cloned only while the map is locked, so a lane that is dropped here is not in use.
        self.lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || !lane.is_idle(now));
        self.sweep_at = (2 * self.lanes.len()).max(SWEEP_FROM);
        self.lanes.shrink_to(self.sweep_at);
    }
}

/// The local state of one lane of an origin.
#[derive(Debug)]
pub(super) struct Lane {
    /// One permit for each concurrent request.
    pub(super) permits: Arc<Semaphore>,
    /// The requests that hold the permits.
    pub(super) holders: Holders,
    times: Mutex<Times>,
    /// Slots of cancelled waits that could not be given back without a runtime.
    left: Mutex<Vec<SlotRequest>>,
}

#[derive(Debug, Default)]
struct Times {
    /// Interval after the start of the last request.
    begun: Option<Span>,
    /// Hold by a `Retry-After`.
    held: Option<Span>,
    /// Time until which requests without an interval begin at once, without a call of the store.
    free_until: Option<Moment>,
    /// Longest interval of all requests so far.
    longest: Duration,
}

/// A span of time: its start and its length.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Moment,
    length: Duration,
}

impl Span {
    fn remaining(&self, now: Moment) -> Duration {
        self.left(self.length, now)
    }

    /// Returns the remaining time of a span with the same start and this length.
    fn left(&self, length: Duration, now: Moment) -> Duration {
        length.saturating_sub(now.since(self.from))
    }
}

/// Time for which requests without an interval do not call the store, after the store has reserved a slot that begins
/// at once. A `Retry-After` of another process takes effect at most this much later.
const FREE_FOR: Duration = Duration::from_millis(250);

/// The local reason why a request may not begin yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemainingWait {
    /// The last request began less than an interval ago. Contains the remaining time.
    Interval(Duration),
    /// A `Retry-After` of the origin delays requests. Contains the remaining time.
    Held(Duration),
}

impl RemainingWait {
    pub(super) fn duration(self) -> Duration {
        match self {
            RemainingWait::Interval(duration) | RemainingWait::Held(duration) => duration,
        }
    }
}

impl Lane {
    fn new(permits: usize) -> Self {
        Lane {
            permits: Arc::new(Semaphore::new(permits)),
            holders: Holders::default(),
            times: Mutex::default(),
            left: Mutex::default(),
        }
    }

    /// Records that a request begins now. The interval of the next request counts from this time. Returns an error if
    /// the interval or a hold delays the request.
    pub(super) fn begin(&self, interval: Duration, now: Moment) -> Result<(), RemainingWait> {
        let mut times = lock(&self.times);
        match times.rest(interval, now) {
            Some(rest) => Err(rest),
            None => {
                times.begun = Some(Span { from: now, length: interval });
                Ok(())
            }
        }
    }

    /// Records the time at which the last request was actually sent.
    pub(super) fn sent(&self, interval: Duration, at: Moment) {
        let mut times = lock(&self.times);
        if times.begun.is_none_or(|begun| begun.from < at) {
            times.begun = Some(Span { from: at, length: interval });
        }
    }

    /// Returns the reason that delays the next request. Assumes that the next request has the same interval as the last
    /// request. The window of a slot is added to the interval.
    pub(super) fn rest(&self, window: Duration, now: Moment) -> Option<RemainingWait> {
        let times = lock(&self.times);
        let interval = times.begun.map_or(Duration::ZERO, |begun| match begun.length {
            Duration::ZERO => Duration::ZERO,
            interval => interval.saturating_add(window),
        });
        times.rest(interval, now)
    }

    /// Records an interval, and returns the longest interval so far.
    pub(super) fn longest(&self, interval: Duration) -> Duration {
        let mut times = lock(&self.times);
        times.longest = times.longest.max(interval);
        times.longest
    }

    /// Returns true if the lane no longer delays any request.
    fn is_idle(&self, now: Moment) -> bool {
        let times = lock(&self.times);
        let begun = times.begun.map_or(Duration::ZERO, |begun| begun.remaining(now));
        times.held(now).is_zero() && begun.is_zero() && lock(&self.left).is_empty()
    }

    /// Adds a hold: requests do not begin for `length`. A hold never shortens an earlier hold.
    pub(super) fn hold(&self, length: Duration, now: Moment) {
        let mut times = lock(&self.times);
        if length > times.held(now) {
            times.held = Some(Span { from: now, length });
        }
        times.free_until = None;
    }

    /// Returns true if a request without an interval may begin without a call of the store.
    pub(super) fn is_free(&self, now: Moment) -> bool {
        lock(&self.times).free_until.is_some_and(|until| now < until)
    }

    /// Records that the store has reserved a slot that begins at once, for a request without an interval.
    pub(super) fn set_free(&self, now: Moment) {
        lock(&self.times).free_until = Some(now + FREE_FOR);
    }

    /// Adds a slot that the next task of the lane must give back.
    pub(super) fn defer_give_back(&self, request: SlotRequest) {
        lock(&self.left).push(request);
    }

    /// Returns true if there are slots to give back.
    pub(super) fn has_deferred(&self) -> bool {
        !lock(&self.left).is_empty()
    }

    /// Removes and returns the slots to give back.
    pub(super) fn left(&self) -> Vec<SlotRequest> {
        std::mem::take(&mut *lock(&self.left))
    }

    /// Returns the remaining time of the hold.
    pub(super) fn held(&self, now: Moment) -> Duration {
        lock(&self.times).held(now)
    }
}

impl Times {
    fn held(&self, now: Moment) -> Duration {
        self.held.map_or(Duration::ZERO, |held| held.remaining(now))
    }

    fn rest(&self, interval: Duration, now: Moment) -> Option<RemainingWait> {
        // The interval of the new request applies, not the interval of the last one, as in a store.
        let begun = self.begun.map_or(Duration::ZERO, |begun| begun.left(interval, now));
        let held = self.held(now);
        match begun.max(held) {
            Duration::ZERO => None,
            longest if longest == held => Some(RemainingWait::Held(held)),
            longest => Some(RemainingWait::Interval(longest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::after(Duration::ZERO);
    const PAGES: store::Lane = store::Lane::Pages;
    const SECOND: Duration = Duration::from_secs(1);

    fn origin(number: u32) -> Origin {
        Origin::of(&format!("https://{number}.example/").parse().unwrap()).unwrap()
    }

    #[test]
    fn started_request_delays_the_next_one() {
        let lane = Lane::new(1);
        assert_eq!(lane.begin(SECOND, START), Ok(()));
        assert_eq!(lane.begin(SECOND, START + SECOND / 4), Err(RemainingWait::Interval(SECOND * 3 / 4)));
        assert_eq!(lane.begin(SECOND * 5, START + SECOND), Err(RemainingWait::Interval(SECOND * 4)));
        assert_eq!(lane.begin(SECOND, START + SECOND), Ok(()));
        assert_eq!(lane.begin(Duration::ZERO, START + SECOND), Ok(()));
    }

    #[test]
    fn longest_hold_applies() {
        let lane = Lane::new(1);
        lane.hold(SECOND * 10, START);
        lane.hold(SECOND * 2, START + SECOND);
        assert_eq!(lane.begin(SECOND, START + SECOND), Err(RemainingWait::Held(SECOND * 9)));
        lane.hold(SECOND * 20, START + SECOND);
        assert_eq!(lane.begin(SECOND, START + SECOND * 11), Err(RemainingWait::Held(SECOND * 10)));
        assert_eq!(lane.begin(SECOND, START + SECOND * 21), Ok(()));
    }

    #[test]
    fn unused_lane_is_swept() {
        let lanes = Lanes::new(NonZeroU32::MIN);
        let held = lanes.of(&origin(0), PAGES, START);
        let waiting = lanes.of(&origin(1), PAGES, START);
        held.hold(SECOND * 1_000_000, START);
        drop(held);
        for number in 2..20_000 {
            let now = START + SECOND * number;
            let lane = lanes.of(&origin(number), PAGES, now);
            assert_eq!(lane.begin(SECOND, now), Ok(()));
            assert!(lanes.len() <= SWEEP_FROM + 1, "{} lanes", lanes.len());
        }
        let now = START + SECOND * 20_000;
        assert!(Arc::ptr_eq(&waiting, &lanes.of(&origin(1), PAGES, now)), "a task uses it");
        assert_eq!(
            lanes.of(&origin(0), PAGES, now).held(now),
            SECOND * 980_000,
            "a lane with a hold is kept"
        );
    }

    #[test]
    fn lanes_in_use_are_kept() {
        let lanes = Lanes::new(NonZeroU32::MIN);
        let kept: Vec<_> = (0..1_000).map(|number| lanes.of(&origin(number), PAGES, START)).collect();
        for (number, lane) in kept.iter().enumerate() {
            assert!(Arc::ptr_eq(lane, &lanes.of(&origin(number as u32), PAGES, START)));
        }
        assert_eq!(lanes.len(), 1_000);
    }
}
