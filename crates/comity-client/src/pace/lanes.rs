//! What this process knows about the origins that it is asking: permits, the last begin, `Retry-After`, slots to give back.
//!
//! A lane lives as long as somebody waits or works in it, or something in it still keeps requests apart; then it goes at
//! the next sweep. The map is swept whenever it has doubled, so that it holds no more than twice the lanes in use.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::store::{self, SlotRequest};
use crate::{Moment, Origin};

/// The lanes of all origins.
#[derive(Debug)]
pub(super) struct Lanes {
    permits: usize,
    map: Mutex<Map>,
}

#[derive(Debug)]
struct Map {
    lanes: HashMap<(Origin, store::Lane), Arc<Lane>>,
    /// Sweep before there are more than this.
    sweep_at: usize,
}

const SWEEP_FROM: usize = 64;

impl Lanes {
    /// Lanes that are `concurrency` requests wide.
    pub(super) fn new(concurrency: NonZeroU32) -> Self {
        let permits = usize::try_from(concurrency.get()).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Lanes { permits, map: Mutex::new(Map { lanes: HashMap::new(), sweep_at: SWEEP_FROM }) }
    }

    /// The lane of an origin. All who ask get the same one while anybody has it.
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

    /// The lane of an origin, if there is one.
    pub(super) fn known(&self, origin: &Origin, lane: store::Lane) -> Option<Arc<Lane>> {
        lock(&self.map).lanes.get(&(origin.clone(), lane)).cloned()
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        lock(&self.map).lanes.len()
    }
}

impl Map {
    fn sweep(&mut self, now: Moment) {
        // A lane is handed out under the lock only, so nobody can take up one that is dropped here.
        self.lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || !lane.is_idle(now));
        self.sweep_at = (2 * self.lanes.len()).max(SWEEP_FROM);
        self.lanes.shrink_to(self.sweep_at);
    }
}

/// What is known about one origin.
#[derive(Debug)]
pub(super) struct Lane {
    /// One for each request that may be under way.
    pub(super) permits: Arc<Semaphore>,
    times: Mutex<Times>,
    /// Slots of waits that were cancelled where nothing could be done about it.
    left: Mutex<Vec<SlotRequest>>,
}

#[derive(Debug, Default)]
struct Times {
    /// When the last request began, and its interval.
    begun: Option<Span>,
    /// When an answer asked us to stay away, and for how long.
    held: Option<Span>,
    /// Until when the store need not be asked for a slot with no interval.
    free_until: Option<Moment>,
    /// The longest interval that was asked for.
    longest: Duration,
}

/// Some time from a moment.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Moment,
    length: Duration,
}

impl Span {
    fn remaining(&self, now: Moment) -> Duration {
        self.left(self.length, now)
    }

    /// What would be left of it, were it this long.
    fn left(&self, length: Duration, now: Moment) -> Duration {
        length.saturating_sub(now.since(self.from))
    }
}

/// A store that had nothing against a request without an interval is not asked again for this long: another process's
/// `Retry-After` is heard of that much later.
const FREE_FOR: Duration = Duration::from_millis(250);

/// Why a request may not begin yet, as far as this process knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// The last one began less than an interval ago: for so much longer.
    Interval(Duration),
    /// The origin asked us to stay away: for so much longer.
    Held(Duration),
}

impl Rest {
    pub(super) fn duration(self) -> Duration {
        match self {
            Rest::Interval(duration) | Rest::Held(duration) => duration,
        }
    }
}

impl Lane {
    fn new(permits: usize) -> Self {
        Lane { permits: Arc::new(Semaphore::new(permits)), times: Mutex::default(), left: Mutex::default() }
    }

    /// Begins a request, if nothing keeps it back: afterwards the next one is kept back by this one.
    pub(super) fn begin(&self, interval: Duration, now: Moment) -> Result<(), Rest> {
        let mut times = lock(&self.times);
        match times.rest(interval, now) {
            Some(rest) => Err(rest),
            None => {
                times.begun = Some(Span { from: now, length: interval });
                Ok(())
            }
        }
    }

    /// The request that began last went out at this moment.
    pub(super) fn sent(&self, interval: Duration, at: Moment) {
        let mut times = lock(&self.times);
        if times.begun.is_none_or(|begun| begun.from < at) {
            times.begun = Some(Span { from: at, length: interval });
        }
    }

    /// What keeps back a request with the interval of the one before, if its slot was so wide.
    pub(super) fn rest(&self, window: Duration, now: Moment) -> Option<Rest> {
        let times = lock(&self.times);
        let interval = times.begun.map_or(Duration::ZERO, |begun| match begun.length {
            Duration::ZERO => Duration::ZERO,
            interval => interval.saturating_add(window),
        });
        times.rest(interval, now)
    }

    /// The longest interval that was asked for so far, this one included.
    pub(super) fn longest(&self, interval: Duration) -> Duration {
        let mut times = lock(&self.times);
        times.longest = times.longest.max(interval);
        times.longest
    }

    /// Whether nothing in it keeps requests back any longer.
    fn is_idle(&self, now: Moment) -> bool {
        let times = lock(&self.times);
        let begun = times.begun.map_or(Duration::ZERO, |begun| begun.remaining(now));
        times.held(now).is_zero() && begun.is_zero() && lock(&self.left).is_empty()
    }

    /// Keeps requests back. Never shortens what was asked for before.
    pub(super) fn hold(&self, length: Duration, now: Moment) {
        let mut times = lock(&self.times);
        if length > times.held(now) {
            times.held = Some(Span { from: now, length });
        }
        times.free_until = None;
    }

    /// Whether the store has said just now that it has nothing against a request without an interval.
    pub(super) fn is_free(&self, now: Moment) -> bool {
        lock(&self.times).free_until.is_some_and(|until| now < until)
    }

    /// The store has said so.
    pub(super) fn set_free(&self, now: Moment) {
        lock(&self.times).free_until = Some(now + FREE_FOR);
    }

    /// Leaves a slot to whoever comes next, to give it back.
    pub(super) fn leave(&self, request: SlotRequest) {
        lock(&self.left).push(request);
    }

    /// Returns whether slots were left.
    pub(super) fn has_left(&self) -> bool {
        !lock(&self.left).is_empty()
    }

    /// The slots that were left.
    pub(super) fn left(&self) -> Vec<SlotRequest> {
        std::mem::take(&mut *lock(&self.left))
    }

    /// For how much longer the origin asked us to stay away.
    pub(super) fn held(&self, now: Moment) -> Duration {
        lock(&self.times).held(now)
    }
}

impl Times {
    fn held(&self, now: Moment) -> Duration {
        self.held.map_or(Duration::ZERO, |held| held.remaining(now))
    }

    fn rest(&self, interval: Duration, now: Moment) -> Option<Rest> {
        // The interval of the one who comes counts, as in a store.
        let begun = self.begun.map_or(Duration::ZERO, |begun| begun.left(interval, now));
        let held = self.held(now);
        match begun.max(held) {
            Duration::ZERO => None,
            longest if longest == held => Some(Rest::Held(held)),
            longest => Some(Rest::Interval(longest)),
        }
    }
}

/// Nothing panics while it holds a lock here, and a half-made change is no danger: take it as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_begin_keeps_the_next_one_back() {
        let lane = Lane::new(1);
        assert_eq!(lane.begin(SECOND, START), Ok(()));
        assert_eq!(lane.begin(SECOND, START + SECOND / 4), Err(Rest::Interval(SECOND * 3 / 4)));
        assert_eq!(lane.begin(SECOND * 5, START + SECOND), Err(Rest::Interval(SECOND * 4)));
        assert_eq!(lane.begin(SECOND, START + SECOND), Ok(()));
        assert_eq!(lane.begin(Duration::ZERO, START + SECOND), Ok(()));
    }

    #[test]
    fn the_longest_hold_counts() {
        let lane = Lane::new(1);
        lane.hold(SECOND * 10, START);
        lane.hold(SECOND * 2, START + SECOND);
        assert_eq!(lane.begin(SECOND, START + SECOND), Err(Rest::Held(SECOND * 9)));
        lane.hold(SECOND * 20, START + SECOND);
        assert_eq!(lane.begin(SECOND, START + SECOND * 11), Err(Rest::Held(SECOND * 10)));
        assert_eq!(lane.begin(SECOND, START + SECOND * 21), Ok(()));
    }

    #[test]
    fn lanes_vanish_when_nothing_is_in_them() {
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
        assert!(Arc::ptr_eq(&waiting, &lanes.of(&origin(1), PAGES, now)), "somebody has it");
        assert_eq!(
            lanes.of(&origin(0), PAGES, now).held(now),
            SECOND * 980_000,
            "what was asked for is not forgotten"
        );
    }

    #[test]
    fn lanes_in_use_are_all_kept() {
        let lanes = Lanes::new(NonZeroU32::MIN);
        let kept: Vec<_> = (0..1_000).map(|number| lanes.of(&origin(number), PAGES, START)).collect();
        for (number, lane) in kept.iter().enumerate() {
            assert!(Arc::ptr_eq(lane, &lanes.of(&origin(number as u32), PAGES, START)));
        }
        assert_eq!(lanes.len(), 1_000);
    }
}
