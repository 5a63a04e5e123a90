//! A store for tests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use comity_client::store::{
    Entries, Entry, Lane, Lease, LeaseAnswer, MemoryStore, Slot, SlotRequest, SlotStatus, Store, StoreError,
    Turns,
};
use comity_client::{BoxFuture, Moment, Origin};

/// A store in memory that counts reads and releases, and rejects entries while `is_full` is set.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    store: MemoryStore,
    pub(crate) gets: AtomicUsize,
    pub(crate) releases: AtomicUsize,
    pub(crate) is_full: AtomicBool,
}

impl Entries for Watched {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        self.gets.fetch_add(1, Ordering::Relaxed);
        self.store.get(origin)
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>> {
        self.store.list(after, limit)
    }

    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<LeaseAnswer, StoreError>> {
        self.store.acquire(origin, ttl, now)
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        if self.is_full.load(Ordering::Relaxed) {
            return Box::pin(async { Err(StoreError::new("no space left on device")) });
        }
        self.store.put(origin, entry, lease, now)
    }

    fn release(&self, lease: Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.releases.fetch_add(1, Ordering::Relaxed);
        self.store.release(lease)
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.store.remove(origin)
    }

    fn purge(&self, before: Option<SystemTime>) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.store.purge(before)
    }
}

impl Turns for Watched {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        self.store.reserve(origin, request, now)
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> BoxFuture<'a, Result<SlotStatus, StoreError>> {
        self.store.confirm(origin, request, taken, now)
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.hold(origin, lane, until_in, now)
    }

    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.give_back(origin, request)
    }
}

impl Store for Watched {}
