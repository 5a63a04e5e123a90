//! A store for one process, from a program's own storage of entries.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::locks::OriginLocks;
use super::{
    Entries, Entry, Lane, Lease, LeaseAnswer, MemoryStore, Reply, Slot, SlotRequest, SlotStatus, Store, Turns,
};
use crate::{Moment, Origin};

/// Storage of entries without leases and turns. [`LocalStore`] makes it a store.
///
/// `examples/rust/src/bin/custom_store.rs` of the repository keeps entries as files in a folder.
pub trait Answers: fmt::Debug + Send + Sync + 'static {
    /// Returns the entry of an origin. An incomplete entry counts as absent ([`Entry::open`]).
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>>;

    /// Writes an entry, replacing the previous one. `now` is the time at which the entry was written, for
    /// [`purge`](Answers::purge). Concurrent calls are for different origins.
    fn put<'a>(&'a self, origin: &'a Origin, entry: &'a Entry, now: SystemTime) -> Reply<'a, ()>;

    /// Removes an entry. Returns true if there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool>;

    /// Returns at most `limit` origins that have an entry, in the order of [`Origin`], beginning after the origin `after`.
    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>>;

    /// Removes all entries that were written before the time `before`, or all entries with `None`. Returns the number
    /// of removed entries.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64>;
}

/// A store that keeps entries in [`Answers`], and leases and turns in memory. So only one process at a time can use it.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Mutex;
/// use std::time::SystemTime;
///
/// use comity_client::store::{Answers, Entry, LocalStore, Reply, StoreError};
/// use comity_client::{Client, Origin};
///
/// #[derive(Debug, Default)]
/// struct Map(Mutex<BTreeMap<Origin, (Entry, SystemTime)>>);
///
/// impl Map {
///     fn with<T: Send + 'static>(
///         &self,
///         change: impl FnOnce(&mut BTreeMap<Origin, (Entry, SystemTime)>) -> T,
///     ) -> Reply<'_, T> {
///         let done = self.0.lock().map(|mut map| change(&mut map));
///         let done = done.map_err(|_| StoreError::new("a task panicked"));
///         Box::pin(std::future::ready(done))
///     }
/// }
///
/// impl Answers for Map {
///     fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
///         self.with(|map| map.get(origin).map(|(entry, _)| entry.clone()))
///     }
///
///     fn put<'a>(&'a self, origin: &'a Origin, entry: &'a Entry, now: SystemTime) -> Reply<'a, ()> {
///         self.with(|map| drop(map.insert(origin.clone(), (entry.clone(), now))))
///     }
///
///     fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
///         self.with(|map| map.remove(origin).is_some())
///     }
///
///     fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
///         self.with(|map| {
///             let later = map.keys().filter(|origin| after.is_none_or(|after| *origin > after));
///             later.take(limit).cloned().collect()
///         })
///     }
///
///     fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
///         self.with(|map| {
///             let entries = map.len();
///             map.retain(|_, (_, put)| before.is_some_and(|before| *put >= before));
///             (entries - map.len()) as u64
///         })
///     }
/// }
///
/// let client = Client::builder("ExampleBot").store(LocalStore::new(Map::default())).build()?;
/// # Ok::<(), comity_client::ClientBuildError>(())
/// ```
#[derive(Debug)]
pub struct LocalStore<A> {
    answers: A,
    /// Store of leases and turns. It contains no entries.
    memory: MemoryStore,
    /// An origin is locked from the check of its lease until the entry is written, so that the next holder of the lease
    /// writes later.
    locks: OriginLocks,
}

impl<A: Answers> LocalStore<A> {
    /// Creates a store that keeps its entries in `answers`. It has no leases and turns yet.
    pub fn new(answers: A) -> Self {
        LocalStore { answers, memory: MemoryStore::new().max_bytes(0), locks: OriginLocks::new() }
    }

    /// Returns the storage of the entries.
    pub fn answers(&self) -> &A {
        &self.answers
    }
}

impl<A: Answers> Entries for LocalStore<A> {
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
        self.answers.get(origin)
    }

    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
        self.answers.list(after, limit)
    }

    fn acquire<'a>(&'a self, origin: &'a Origin, ttl: Duration, now: Moment) -> Reply<'a, LeaseAnswer> {
        Box::pin(async move {
            let _lock = self.locks.lock(origin).await;
            // The entry is read first, since a lease that was granted to a cancelled call would stay until it expires.
            let entry = self.answers.get(origin).await?;
            Ok(match self.memory.acquire(origin, ttl, now).await? {
                LeaseAnswer::Granted { lease, .. } => LeaseAnswer::Granted { lease, entry },
                held => held,
            })
        })
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> Reply<'a, bool> {
        Box::pin(async move {
            let _lock = self.locks.lock(origin).await;
            // The store in memory checks that the lease is the latest lease, and releases it.
            let is_accepted = self.memory.put(origin, entry, lease, now).await?;
            if is_accepted {
                self.answers.put(origin, entry, now).await?;
            }
            Ok(is_accepted)
        })
    }

    fn release<'a>(&'a self, lease: Lease) -> Reply<'a, ()> {
        self.memory.release(lease)
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
        Box::pin(async move {
            let _lock = self.locks.lock(origin).await;
            self.answers.remove(origin).await
        })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
        Box::pin(async move {
            let removed = self.answers.purge(before).await?;
            if before.is_none() {
                // After this call, every origin waits one interval.
                self.memory.purge(None).await?;
            }
            Ok(removed)
        })
    }
}

impl<A: Answers> Turns for LocalStore<A> {
    fn reserve<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest, now: Moment) -> Reply<'a, Slot> {
        self.memory.reserve(origin, request, now)
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> Reply<'a, SlotStatus> {
        self.memory.confirm(origin, request, taken, now)
    }

    fn hold<'a>(&'a self, origin: &'a Origin, lane: Lane, until_in: Duration, now: Moment) -> Reply<'a, ()> {
        self.memory.hold(origin, lane, until_in, now)
    }

    fn give_back<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest) -> Reply<'a, ()> {
        self.memory.give_back(origin, request)
    }
}

impl<A: Answers> Store for LocalStore<A> {}
