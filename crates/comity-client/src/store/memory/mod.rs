//! A store in the memory of one process.
//!
//! The size of all entries is limited. Leases and paces are small, so their number is not limited. Instead, the store
//! removes obsolete rows whenever a table has doubled in size. The row of a lease is obsolete ten minutes after the end
//! of the lease. A pace is obsolete when its last slot is older than both ten minutes and its longest interval, and no
//! hold is left.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::slots::{self, HandedOn, KEPT_AT_LEAST, NEVER, Slots, nanos, ticks};
use super::table::Table;
use super::{
    Entries, Entry, LONGEST_LEASE, Lane, Lease, LeaseAnswer, Reply, Slot, SlotRequest, SlotStatus, Store,
    Turns,
};
use crate::lock::lock;
use crate::{Moment, Origin};

mod entries;

use entries::CachedEntries;

/// A store in the memory of one process. [`MemoryStore::max_bytes`] limits its size.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity_client::store::{Entries, Entry, MemoryStore, Slot, SlotRequest, Turns};
/// use comity_client::{Clock, Origin, SystemClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new().max_bytes(16 << 20);
/// let origin = Origin::of(&"https://example.com/a".parse()?).ok_or("no origin")?;
/// assert!(store.put(&origin, &Entry::seal(b"User-agent: *"), None, SystemTime::now()).await?);
/// assert_eq!(store.list(None, 10).await?, [origin.clone()]);
///
/// let (second, now) = (Duration::from_secs(1), SystemClock.moment());
/// let request = || SlotRequest::new(second, second);
/// assert_eq!(store.reserve(&origin, &request(), now).await?, Slot::Taken(Duration::ZERO));
/// assert_eq!(store.reserve(&origin, &request(), now).await?, Slot::Taken(second));
/// assert_eq!(store.reserve(&origin, &request(), now).await?, Slot::TooFar(2 * second));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    entries: Mutex<CachedEntries>,
    leases: Mutex<Leases>,
    pace: Mutex<Paces>,
}

#[derive(Debug, Default)]
struct Leases {
    /// Highest number of all leases that this store granted or recorded.
    highest: u64,
    held: Table<Origin, HeldLease>,
}

/// The latest lease of an origin.
#[derive(Debug)]
struct HeldLease {
    number: u64,
    ends: i64,
    released: bool,
}

impl HeldLease {
    /// Returns the remaining time of the lease, or `None` if it has ended. `ttl`, the duration of the lease requested
    /// now, is the maximum.
    fn wait(&mut self, ttl: Duration, now: i64) -> Option<Duration> {
        self.ends = self.ends.min(slots::later(now, ttl));
        (!self.released && self.ends > now).then(|| slots::until(self.ends, now))
    }
}

#[derive(Debug)]
struct Paces {
    rows: Table<(Origin, Lane), Slots>,
    /// Time at which the store was emptied. A purge does not know the current time, so it sets the maximum. The next
    /// call replaces the maximum by the current time.
    emptied: i64,
    handed_on: HandedOn,
}

impl Paces {
    fn get(&mut self, origin: &Origin, lane: Lane) -> Option<&mut Slots> {
        self.rows.rows.get_mut(&(origin.clone(), lane))
    }

    fn of(&mut self, origin: &Origin, lane: Lane, now: i64) -> &mut Slots {
        self.rows.sweep(|slots| slots.is_over(now));
        self.emptied = slots::emptied(self.emptied, now);
        let lost_until = self.emptied.max(self.handed_on.floor(now));
        self.rows.rows.entry((origin.clone(), lane)).or_insert(Slots::since(lost_until))
    }

    fn reserve(&mut self, origin: &Origin, request: &SlotRequest, now: i64) -> Slot {
        let slot = self.of(origin, request.lane, now).reserve(request, now);
        self.handed_on.note(request, slot, now);
        slot
    }
}

impl MemoryStore {
    /// Default limit for the size of the entries: 64 MiB.
    pub const DEFAULT_MAX_BYTES: usize = 64 << 20;

    /// Creates an empty store.
    pub fn new() -> Self {
        MemoryStore {
            entries: Mutex::new(CachedEntries::new(Self::DEFAULT_MAX_BYTES)),
            leases: Mutex::default(),
            pace: Mutex::new(Paces { rows: Table::default(), emptied: NEVER, handed_on: HandedOn::NONE }),
        }
    }

    /// Sets the maximum size of all entries. The size of an entry is its key, its sealed bytes and 200 bytes of
    /// overhead. The least recently used entries are evicted first. An entry larger than the limit is not stored. With
    /// a limit of 0, the store contains no entries, but leases and paces still work.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        MemoryStore { entries: Mutex::new(CachedEntries::new(max_bytes)), ..self }
    }

    /// Returns the size of all entries in bytes, counted as for [`MemoryStore::max_bytes`].
    pub fn bytes(&self) -> usize {
        lock(&self.entries).bytes()
    }

    fn put_now(&self, origin: &Origin, entry: &Entry, lease: Option<&Lease>, now: SystemTime) -> bool {
        // The table of leases stays locked while the entry is written. So no other task gets the lease before the write
        // is complete.
        let mut leases = lock(&self.leases);
        if let Some(lease) = lease {
            let Some(holding) = leases.held.rows.get_mut(origin) else { return false };
            if lease.origin != *origin || holding.number != lease.number {
                return false;
            }
            holding.released = true;
        }
        lock(&self.entries).put(origin, entry, nanos(now));
        true
    }

    fn acquire_now(&self, origin: &Origin, ttl: Duration, now: i64) -> LeaseAnswer {
        let ttl = ttl.min(LONGEST_LEASE);
        let mut leases = lock(&self.leases);
        if let Some(wait) = leases.held.rows.get_mut(origin).and_then(|holding| holding.wait(ttl, now)) {
            return LeaseAnswer::Held(wait);
        }
        // This store uses only odd lease numbers, and a server only even ones. So numbers never collide while this
        // store replaces a server that is down.
        let number = (leases.highest + 1) | 1;
        leases.note(origin, number, ttl, now);
        LeaseAnswer::Granted {
            lease: Lease::new(origin.clone(), number),
            entry: lock(&self.entries).get(origin),
        }
    }

    fn release_now(&self, lease: &Lease) {
        if let Some(holding) = lock(&self.leases).held.rows.get_mut(&lease.origin)
            && holding.number == lease.number
        {
            holding.released = true;
        }
    }

    fn empty(&self) -> u64 {
        // All functions acquire these locks in this order, to avoid a deadlock.
        let mut leases = lock(&self.leases);
        let mut pace = lock(&self.pace);
        leases.held = Table::default();
        pace.rows = Table::default();
        pace.emptied = i64::MAX;
        pace.handed_on.forget_origins();
        lock(&self.entries).purge(None)
    }
}

/// Methods for `RedisStore`, which uses a store in memory while its server is down.
#[cfg(feature = "redis")]
impl MemoryStore {
    /// Records a lease that the server granted.
    pub(super) fn note_lease(&self, lease: &Lease, ttl: Duration, now: Moment) {
        lock(&self.leases).note(&lease.origin, lease.number, ttl, ticks(now));
    }

    /// Returns the remaining time of an origin's lease, or `None` if no task holds the lease.
    pub(super) fn lease_wait(&self, origin: &Origin, ttl: Duration, now: Moment) -> Option<Duration> {
        lock(&self.leases).held.rows.get_mut(origin)?.wait(ttl, ticks(now))
    }

    /// Returns the wait for the next slot, without reserving the slot.
    pub(super) fn slot_wait(&self, origin: &Origin, request: &SlotRequest, now: Moment) -> Duration {
        let mut pace = lock(&self.pace);
        let slots = pace.get(origin, request.lane);
        slots.map_or(Duration::ZERO, |slots| slots.wait(request, ticks(now)))
    }

    /// Records a slot that was reserved on the server.
    pub(super) fn note_slot(&self, origin: &Origin, request: &SlotRequest, wait: Duration, now: Moment) {
        let (mut pace, now) = (lock(&self.pace), ticks(now));
        pace.of(origin, request.lane, now).note(request, wait, now);
        pace.handed_on.note(request, Slot::Taken(wait), now);
    }
}

impl Leases {
    fn note(&mut self, origin: &Origin, number: u64, ttl: Duration, now: i64) {
        self.highest = self.highest.max(number);
        self.held.sweep(|holding| slots::later(holding.ends, KEPT_AT_LEAST) < now);
        self.held
            .rows
            .insert(origin.clone(), HeldLease { number, ends: slots::later(now, ttl), released: false });
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        MemoryStore::new()
    }
}

impl Entries for MemoryStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
        Box::pin(async move { Ok(lock(&self.entries).get(origin)) })
    }

    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
        Box::pin(async move { Ok(lock(&self.entries).list(after, limit)) })
    }

    fn acquire<'a>(&'a self, origin: &'a Origin, ttl: Duration, now: Moment) -> Reply<'a, LeaseAnswer> {
        Box::pin(async move { Ok(self.acquire_now(origin, ttl, ticks(now))) })
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> Reply<'a, bool> {
        Box::pin(async move { Ok(self.put_now(origin, entry, lease, now)) })
    }

    fn release<'a>(&'a self, lease: Lease) -> Reply<'a, ()> {
        Box::pin(async move {
            self.release_now(&lease);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
        Box::pin(async move { Ok(lock(&self.entries).remove(origin)) })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
        Box::pin(async move {
            Ok(match before {
                Some(before) => lock(&self.entries).purge(Some(nanos(before))),
                None => self.empty(),
            })
        })
    }
}

impl Turns for MemoryStore {
    fn reserve<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest, now: Moment) -> Reply<'a, Slot> {
        let now = ticks(now);
        Box::pin(async move { Ok(lock(&self.pace).reserve(origin, request, now)) })
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> Reply<'a, SlotStatus> {
        Box::pin(async move {
            let mut pace = lock(&self.pace);
            if pace.emptied >= ticks(taken) {
                return Ok(SlotStatus::Forgotten);
            }
            let slots = pace.get(origin, request.lane);
            Ok(slots.map_or(SlotStatus::Valid, |slots| slots.slot_status(request, ticks(now))))
        })
    }

    fn hold<'a>(&'a self, origin: &'a Origin, lane: Lane, until_in: Duration, now: Moment) -> Reply<'a, ()> {
        let now = ticks(now);
        Box::pin(async move {
            lock(&self.pace).of(origin, lane, now).hold(until_in, now);
            Ok(())
        })
    }

    fn give_back<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest) -> Reply<'a, ()> {
        Box::pin(async move {
            if let Some(slots) = lock(&self.pace).get(origin, request.lane) {
                slots.give_back(request.number);
            }
            Ok(())
        })
    }
}

impl Store for MemoryStore {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::slots::length;
    use crate::store::table::FIRST_SWEEP;

    fn origin(number: usize) -> Origin {
        Origin::of(&format!("https://{number}.example").parse().unwrap()).unwrap()
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn reserve(
        store: &MemoryStore,
        origin: &Origin,
        interval: Duration,
        max_wait: Duration,
        now: i64,
    ) -> Slot {
        let request = SlotRequest { furthest: Duration::MAX, ..SlotRequest::new(interval, max_wait) };
        lock(&store.pace).of(origin, Lane::Pages, now).reserve(&request, now)
    }

    #[test]
    fn paces_and_leases_are_swept_after_their_end() {
        let store = MemoryStore::new();
        let slow = origin(0);
        let hour = 3600 * SECOND;
        for slot in [Duration::ZERO, hour] {
            assert_eq!(reserve(&store, &slow, hour, hour, 0), Slot::Taken(slot));
        }
        // Simulates almost two hours with one new origin per second.
        for second in 1..=7000 {
            let now = length(SECOND) * second;
            let origin = origin(usize::try_from(second).unwrap());
            reserve(&store, &origin, SECOND, SECOND, now);
            assert!(matches!(store.acquire_now(&origin, SECOND, now), LeaseAnswer::Granted { .. }));
        }
        let paces = lock(&store.pace).rows.rows.len();
        assert!(paces <= 2 * FIRST_SWEEP, "{paces}");
        assert!(lock(&store.leases).held.rows.len() <= 2 * FIRST_SWEEP);
        // The row of the slow origin is still stored: its second slot began after an hour, so the third begins after
        // two hours.
        let now = length(hour) * 2 - 1;
        assert_eq!(reserve(&store, &slow, hour, SECOND, now), Slot::Taken(Duration::from_nanos(1)));
    }
}
