//! A store in the memory of one process.
//!
//! Entries are bounded by bytes. Leases and pace are small and bounded by time: what can no longer matter (a lease ten
//! minutes after its end, a pace whose last slot is further back than ten minutes and than the longest interval it was
//! asked with) is swept whenever a table has doubled.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::slots::{self, KEPT_AT_LEAST, Slots, nanos};
use super::{Acquired, Entry, Lease, Slot, Store, StoreError};
use crate::{BoxFuture, Origin};

mod entries;

use entries::Entries;

/// A store in memory, of one process. See [`MemoryStore::max_bytes`] for its bound.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity_client::Origin;
/// use comity_client::store::{Entry, MemoryStore, Slot, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new().max_bytes(16 << 20);
/// let origin = Origin::of(&"https://example.com/a".parse()?).ok_or("no origin")?;
/// let now = SystemTime::now();
/// assert!(store.put(&origin, &Entry::seal(b"User-agent: *"), None, now).await?);
/// assert_eq!(store.list(None, 10).await?, [origin.clone()]);
///
/// let second = Duration::from_secs(1);
/// assert_eq!(store.reserve(&origin, second, second, now).await?, Slot::Taken(Duration::ZERO));
/// assert_eq!(store.reserve(&origin, second, second, now).await?, Slot::Taken(second));
/// assert_eq!(store.reserve(&origin, second, second, now).await?, Slot::TooFar(2 * second));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    entries: Mutex<Entries>,
    leases: Mutex<Leases>,
    pace: Mutex<Table<Slots>>,
}

#[derive(Debug, Default)]
struct Leases {
    /// The highest number handed out, or heard of.
    highest: u64,
    held: Table<Holding>,
}

/// The latest lease of an origin.
#[derive(Debug)]
struct Holding {
    number: u64,
    ends: i64,
    released: bool,
}

impl Holding {
    fn wait(&self, now: i64) -> Option<Duration> {
        (!self.released && self.ends > now).then(|| slots::until(self.ends, now))
    }
}

impl MemoryStore {
    /// The bound that a new store has: 64 MiB.
    pub const DEFAULT_MAX_BYTES: usize = 64 << 20;

    /// An empty store.
    pub fn new() -> Self {
        MemoryStore {
            entries: Mutex::new(Entries::new(Self::DEFAULT_MAX_BYTES)),
            leases: Mutex::default(),
            pace: Mutex::default(),
        }
    }

    /// Bounds what entries take: keys, sealed bytes, and 200 bytes for each. What was not asked for longest goes first.
    /// An entry that is larger than everything is not kept; with 0, none is, while leases and pace work.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        MemoryStore { entries: Mutex::new(Entries::new(max_bytes)), ..self }
    }

    /// How many bytes the entries take now, counted as for [`MemoryStore::max_bytes`].
    pub fn bytes(&self) -> usize {
        open(&self.entries).bytes()
    }

    fn put_now(&self, origin: &Origin, entry: &Entry, lease: Option<&Lease>, now: SystemTime) -> bool {
        // The table of leases stays locked while the entry is written, so that no successor comes in between.
        let mut leases = open(&self.leases);
        if let Some(lease) = lease {
            let Some(holding) = leases.held.rows.get_mut(origin) else { return false };
            if lease.origin != *origin || holding.number != lease.number {
                return false;
            }
            holding.released = true;
        }
        open(&self.entries).put(origin, entry, nanos(now));
        true
    }

    fn acquire_now(&self, origin: &Origin, ttl: Duration, now: i64) -> Acquired {
        let mut leases = open(&self.leases);
        if let Some(wait) = leases.held.rows.get(origin).and_then(|holding| holding.wait(now)) {
            return Acquired::Held(wait);
        }
        // Odd numbers only: where this stands in for a server, the server's are even, and the two are never the same.
        let number = (leases.highest + 1) | 1;
        leases.note(origin, number, ttl, now);
        Acquired::Granted(Lease::new(origin.clone(), number))
    }

    fn release_now(&self, lease: &Lease) {
        if let Some(holding) = open(&self.leases).held.rows.get_mut(&lease.origin)
            && holding.number == lease.number
        {
            holding.released = true;
        }
    }

    fn pace_of<T>(&self, origin: &Origin, now: i64, change: impl FnOnce(&mut Slots) -> T) -> T {
        let mut pace = open(&self.pace);
        pace.sweep(|slots| slots.is_over(now));
        change(pace.rows.entry(origin.clone()).or_insert(Slots::NEW))
    }
}

/// What a store on a server needs of the one that stands in for it.
#[cfg(feature = "redis")]
impl MemoryStore {
    /// A lease was granted elsewhere.
    pub(super) fn note_lease(&self, lease: &Lease, ttl: Duration, now: SystemTime) {
        open(&self.leases).note(&lease.origin, lease.number, ttl, nanos(now));
    }

    /// How long the lease of an origin is held, if it is.
    pub(super) fn lease_wait(&self, origin: &Origin, now: SystemTime) -> Option<Duration> {
        open(&self.leases).held.rows.get(origin)?.wait(nanos(now))
    }

    /// How far off the next slot is. Nothing is taken.
    pub(super) fn slot_wait(&self, origin: &Origin, interval: Duration, now: SystemTime) -> Duration {
        open(&self.pace).rows.get(origin).map_or(Duration::ZERO, |slots| slots.wait(interval, nanos(now)))
    }

    /// A slot was taken elsewhere.
    pub(super) fn note_slot(&self, origin: &Origin, interval: Duration, wait: Duration, now: SystemTime) {
        self.pace_of(origin, nanos(now), |slots| slots.note(interval, wait, nanos(now)));
    }
}

impl Leases {
    fn note(&mut self, origin: &Origin, number: u64, ttl: Duration, now: i64) {
        self.highest = self.highest.max(number);
        self.held.sweep(|holding| slots::later(holding.ends, KEPT_AT_LEAST) < now);
        self.held
            .rows
            .insert(origin.clone(), Holding { number, ends: slots::later(now, ttl), released: false });
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        MemoryStore::new()
    }
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        Box::pin(async move {
            let entry = open(&self.entries).get(origin);
            Ok(entry.map(|entry| (*entry).clone()))
        })
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.put_now(origin, entry, lease, now)) })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(open(&self.entries).remove(origin)) })
    }

    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Acquired, StoreError>> {
        Box::pin(async move { Ok(self.acquire_now(origin, ttl, nanos(now))) })
    }

    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.release_now(&lease);
            Ok(())
        })
    }

    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        interval: Duration,
        max_wait: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        let now = nanos(now);
        Box::pin(async move { Ok(self.pace_of(origin, now, |slots| slots.reserve(interval, max_wait, now))) })
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        until_in: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let now = nanos(now);
        Box::pin(async move {
            self.pace_of(origin, now, |slots| slots.hold(until_in, now));
            Ok(())
        })
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>> {
        Box::pin(async move { Ok(open(&self.entries).list(after, limit)) })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move { Ok(open(&self.entries).purge(before.map(nanos))) })
    }
}

/// A table that is swept whenever it has doubled, so that sweeping costs each row a constant.
#[derive(Debug)]
struct Table<T> {
    rows: HashMap<Origin, T>,
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 1024;

impl<T> Table<T> {
    fn sweep(&mut self, over: impl Fn(&T) -> bool) {
        if self.rows.len() < self.sweep_at {
            return;
        }
        self.rows.retain(|_, row| !over(row));
        self.sweep_at = (self.rows.len() * 2).max(FIRST_SWEEP);
        self.rows.shrink_to(self.sweep_at);
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { rows: HashMap::new(), sweep_at: FIRST_SWEEP }
    }
}

/// Nobody who holds one of these locks can leave something half done that matters, so a panic elsewhere is no reason to
/// stop.
fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(number: usize) -> Origin {
        Origin::of(&format!("https://{number}.example").parse().unwrap()).unwrap()
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn pace_and_leases_are_swept_when_they_are_over_and_not_before() {
        let store = MemoryStore::new();
        let slow = origin(0);
        let hour = 3600 * SECOND;
        for slot in [Duration::ZERO, hour] {
            let taken = store.pace_of(&slow, 0, |slots| slots.reserve(hour, hour, 0));
            assert_eq!(taken, Slot::Taken(slot));
        }
        // Two hours, nearly, of one new origin a second.
        for second in 1..=7000 {
            let now = slots::length(SECOND) * second;
            let origin = origin(usize::try_from(second).unwrap());
            store.pace_of(&origin, now, |slots| slots.reserve(SECOND, SECOND, now));
            assert!(matches!(store.acquire_now(&origin, SECOND, now), Acquired::Granted(_)));
        }
        assert!(open(&store.pace).rows.len() <= 2 * FIRST_SWEEP, "{}", open(&store.pace).rows.len());
        assert!(open(&store.leases).held.rows.len() <= 2 * FIRST_SWEEP);
        // Its second slot was an hour off, and the hour after it counts.
        let now = slots::length(hour) * 2 - 1;
        let slot = store.pace_of(&slow, now, |slots| slots.reserve(hour, SECOND, now));
        assert_eq!(slot, Slot::Taken(Duration::from_nanos(1)));
    }
}
