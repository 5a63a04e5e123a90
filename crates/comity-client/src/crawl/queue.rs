//! The queue of a crawl. The next URL is the first URL of the origin that has been free for the longest time.
//!
//! The URLs of each origin form a line in the order of the source. A heap contains the origins whose next URL waits
//! only for the origin to become free, ordered by the time at which they are free. After a fetch, its origin returns to
//! the heap with the next time, behind origins that have been free for longer. So all origins take turns, each at its
//! own pace, and the heap has one item per origin, not per URL. This module does not read a clock. Times are durations
//! since the crawl began.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use crate::job::{Key, OriginWait};

/// A queued URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueuedUrl {
    pub(super) index: u64,
    pub(super) url: String,
}

/// The queue of a crawl.
#[derive(Debug)]
pub(super) struct Queue {
    per_origin: usize,
    lanes: HashMap<Key, OriginQueue>,
    /// Heap of the time at which an origin is free, a sequence number that orders equal times, and the origin.
    turns: BinaryHeap<Reverse<(Duration, u64, Key)>>,
    turn: u64,
    len: usize,
    bytes: usize,
}

/// The state of an origin with queued URLs or active fetches.
#[derive(Debug, Default)]
struct OriginQueue {
    urls: VecDeque<QueuedUrl>,
    /// Number of fetches that have begun and still occupy the origin.
    occupied: usize,
    /// True while a fetch has begun but not sent its first request. Until then, the time of the next request is
    /// unknown.
    is_starting: bool,
    /// True if the origin is in the heap.
    is_listed: bool,
    /// Time at which the origin was added to the heap, for the first URL of the line.
    headed: Duration,
    /// True if the origin waits for a `Retry-After`.
    is_held: bool,
}

/// A turn that was removed from the queue: the next URL to fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DueTurn {
    pub(super) key: Key,
    pub(super) queued: QueuedUrl,
    pub(super) waited: OriginWait,
}

impl Queue {
    /// Creates a queue that allows `per_origin` concurrent fetches per origin.
    pub(super) fn new(per_origin: usize) -> Self {
        Queue {
            per_origin: per_origin.max(1),
            lanes: HashMap::new(),
            turns: BinaryHeap::new(),
            turn: 0,
            len: 0,
            bytes: 0,
        }
    }

    /// Returns the number of queued URLs.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the total length of the queued URLs in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a URL to the end of the line of its origin. `rest` returns the time until the origin is free.
    pub(super) fn push(
        &mut self,
        key: Key,
        queued: QueuedUrl,
        now: Duration,
        rest: impl FnOnce() -> OriginWait,
    ) {
        self.len += 1;
        self.bytes += queued.url.len();
        self.lanes.entry(key.clone()).or_default().urls.push_back(queued);
        self.schedule(key, now, rest);
    }

    /// Returns the time of the next turn, and its origin.
    pub(super) fn next(&self) -> Option<(Duration, &Key)> {
        self.turns.peek().map(|Reverse((at, _, key))| (*at, key))
    }

    /// Returns the time from the insertion of the next turn into the heap to the turn.
    pub(super) fn waited(&self) -> Duration {
        let Some((at, key)) = self.next() else { return Duration::ZERO };
        self.lanes.get(key).map_or(Duration::ZERO, |lane| at.saturating_sub(lane.headed))
    }

    /// Moves the next turn to a later time, because another task has used the origin.
    pub(super) fn postpone(&mut self, now: Duration, rest: OriginWait) {
        let Some(Reverse((_, _, key))) = self.turns.pop() else { return };
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.is_held = rest.is_held;
            self.turn += 1;
            self.turns.push(Reverse((now.saturating_add(rest.duration), self.turn, key)));
        }
    }

    /// Removes and returns the next turn, even before its time. The caller must report when the fetch has
    /// [`begun`](Queue::begun) and, after that, when it has [`left`](Queue::left) the origin.
    pub(super) fn pop(&mut self) -> Option<DueTurn> {
        let Reverse((at, _, key)) = self.turns.pop()?;
        let lane = self.lanes.get_mut(&key)?;
        lane.is_listed = false;
        let queued = lane.urls.pop_front()?;
        lane.occupied += 1;
        lane.is_starting = true;
        self.len -= 1;
        self.bytes -= queued.url.len();
        let waited = OriginWait { duration: at.saturating_sub(lane.headed), is_held: lane.is_held };
        Some(DueTurn { key, queued, waited })
    }

    /// Removes and returns a URL that will not be fetched: the URL of the next turn or, without a turn, a URL of a busy
    /// origin.
    pub(super) fn discard(&mut self, now: Duration) -> Option<QueuedUrl> {
        if let Some(DueTurn { key, queued, .. }) = self.pop() {
            self.begun(key.clone(), now, OriginWait::default);
            self.left(key, now, OriginWait::default);
            return Some(queued);
        }
        let queued = self.lanes.values_mut().find_map(|lane| lane.urls.pop_front())?;
        self.len -= 1;
        self.bytes -= queued.url.len();
        Some(queued)
    }

    /// Records that the first request of the latest fetch of an origin has begun.
    pub(super) fn begun(&mut self, key: Key, now: Duration, rest: impl FnOnce() -> OriginWait) {
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.is_starting = false;
            self.schedule(key, now, rest);
        }
    }

    /// Records that a fetch no longer occupies its origin.
    pub(super) fn left(&mut self, key: Key, now: Duration, rest: impl FnOnce() -> OriginWait) {
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        lane.occupied = lane.occupied.saturating_sub(1);
        if lane.occupied == 0 && lane.urls.is_empty() {
            self.lanes.remove(&key);
            self.shrink();
        } else {
            self.schedule(key, now, rest);
        }
    }

    /// Adds an origin to the heap if its next URL waits only for the origin to become free.
    fn schedule(&mut self, key: Key, now: Duration, rest: impl FnOnce() -> OriginWait) {
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        if lane.is_listed || lane.is_starting || lane.urls.is_empty() || lane.occupied >= self.per_origin {
            return;
        }
        let rest = rest();
        (lane.is_listed, lane.headed, lane.is_held) = (true, now, rest.is_held);
        self.turn += 1;
        self.turns.push(Reverse((now.saturating_add(rest.duration), self.turn, key)));
    }

    /// Shrinks the tables after most origins were removed, to free their memory.
    fn shrink(&mut self) {
        const KEPT: usize = 1024;
        if self.lanes.capacity() > KEPT && self.lanes.len() < self.lanes.capacity() / 8 {
            self.lanes.shrink_to(2 * self.lanes.len());
            self.turns.shrink_to(2 * self.turns.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    const SECOND: Duration = Duration::from_secs(1);

    fn key(name: &str) -> Key {
        Origin::of(&format!("https://{name}.example/").parse().unwrap())
    }

    fn queued(index: u64) -> QueuedUrl {
        QueuedUrl { index, url: format!("https://example.com/{index}") }
    }

    fn free() -> OriginWait {
        OriginWait::default()
    }

    fn rest(seconds: u32) -> OriginWait {
        OriginWait { duration: SECOND * seconds, is_held: false }
    }

    /// Returns the index of the URL of the next turn.
    fn pop(queue: &mut Queue) -> u64 {
        queue.pop().unwrap().queued.index
    }

    #[test]
    fn queued_origins_take_turns_at_their_own_pace() {
        let mut queue = Queue::new(1);
        for (index, name) in ["a", "a", "b", "a", "b"].iter().enumerate() {
            queue.push(key(name), queued(index as u64), Duration::ZERO, free);
        }
        assert_eq!((pop(&mut queue), pop(&mut queue), queue.next()), (0, 2, None));
        queue.begun(key("a"), SECOND, || rest(10));
        queue.begun(key("b"), SECOND, free);
        assert_eq!(queue.next(), None, "one at a time");
        queue.left(key("b"), SECOND, free);
        queue.left(key("a"), SECOND, || rest(10));
        assert_eq!(queue.next(), Some((SECOND, &key("b"))));
        assert_eq!(pop(&mut queue), 4);
        assert_eq!(queue.next(), Some((SECOND * 11, &key("a"))));
        queue.postpone(SECOND * 11, rest(4));
        assert_eq!((queue.next().unwrap().0, queue.waited()), (SECOND * 15, SECOND * 14));
        assert_eq!((pop(&mut queue), queue.len()), (1, 1));
    }

    #[test]
    fn origin_with_free_permit_begins_the_next_url_after_the_previous_began() {
        let mut queue = Queue::new(2);
        (0..4).for_each(|index| queue.push(key("a"), queued(index), Duration::ZERO, free));
        assert_eq!((pop(&mut queue), queue.next()), (0, None));
        queue.begun(key("a"), Duration::ZERO, || rest(1));
        assert_eq!((queue.next().unwrap().0, pop(&mut queue)), (SECOND, 1));
        queue.begun(key("a"), SECOND, || rest(1));
        assert_eq!(queue.next(), None, "two at a time");
        queue.left(key("a"), SECOND, || rest(1));
        assert_eq!((queue.next().unwrap().0, pop(&mut queue)), (SECOND * 2, 2));
        queue.left(key("a"), SECOND * 2, free);
        assert_eq!(queue.next(), None, "the third has not begun");
    }

    #[test]
    fn origin_without_urls_is_removed_from_the_queue() {
        let mut queue = Queue::new(1);
        for index in 0..100_000 {
            queue.push(key(&index.to_string()), queued(index), Duration::ZERO, free);
        }
        assert!(queue.bytes() > 100_000);
        while let Some(turn) = queue.pop() {
            queue.begun(turn.key.clone(), Duration::ZERO, free);
            queue.left(turn.key, Duration::ZERO, free);
        }
        assert_eq!((queue.len(), queue.bytes(), queue.lanes.len()), (0, 0, 0));
        assert!(queue.lanes.capacity() < 10_000, "{}", queue.lanes.capacity());
    }
}
