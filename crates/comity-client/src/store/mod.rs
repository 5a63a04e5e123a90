//! What processes and machines share: robots.txt answers, who may ask for one, and when the next request to an origin
//! may begin.
//!
//! A store knows three things about an origin:
//!
//! | | what | why it is shared |
//! |---|---|---|
//! | entry | an opaque, sealed [`Entry`] | a robots.txt is asked for once, whoever wants it |
//! | lease | who asks for robots.txt right now | N processes that miss make one request |
//! | pace | when the next request may begin | N processes together come no faster than one |
//!
//! The caller gives the time as `now`. A store shared by machines uses a clock of its own instead, since machines
//! disagree about the time. That is why waits are returned as durations.
//!
//! # Clocks that are set, stores that forget
//!
//! A store does not believe a time further ahead than possible: a slot or a hold is at most
//! [`furthest`](SlotRequest::furthest) from now, a lease at most as long as the one requested. Rows that were written
//! in the future keep their spans, counted from now. So if a clock is set back or a machine is started again, nobody
//! waits longer than without, and nobody comes too early.
//!
//! A store that was emptied does not know who had a slot a moment ago. From then on, every origin that it does not know
//! waits one interval. Slots that were [handed on](SlotRequest::is_handed_on) are confirmed by nobody. So a store that
//! was emptied still knows when the last of them ends, and every origin that it does not know waits one interval from
//! then on.
//!
//! | store | shared by | puts/s | gets/s | leases/s | slots/s |
//! |---|---|---|---|---|---|
//! | [`MemoryStore`] | the tasks of a process | 660,000 | 1,100,000 | 510,000 | 1,600,000 |
//! | `EmbeddedStore` | the processes of a machine | 28,000 | 66,000 | 49,000 | 130,000 |
//! | `RedisStore` | machines | 35,000 | 110,000 | 22,000 | 19,000 |
//!
//! That is 64 tasks at once on 5,000 origins with entries of 2 kB, the slower of two runs on two cores without other
//! work; a lease is taken and given back. One task alone gets a twentieth to a fifth of that; with the store in memory,
//! half or more.
//! `examples/store_rates.rs` measures it:
//!
//! ```sh
//! cargo run --release -p comity-client --no-default-features --features embedded,redis \
//!     --example store_rates -- redis://127.0.0.1:6379
//! ```
//!
//! Data that a store loses costs a request: a missing entry is requested again. A store must never return an entry that
//! was not written whole, and never grant two leases or two slots at once.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::{BoxFuture, Moment, Origin};

#[cfg(feature = "testing")]
pub mod conformance;
#[cfg(feature = "embedded")]
pub mod embedded;
mod entry;
mod memory;
mod options;
#[cfg(feature = "redis")]
pub mod redis;
mod slots;
mod table;
mod when_down;

#[cfg(feature = "embedded")]
pub use embedded::{EmbeddedEntries, EmbeddedStore};
pub use entry::Entry;
pub use memory::MemoryStore;
pub use options::{StoreLocation, StoreOptions, UnknownLocation};
#[cfg(feature = "redis")]
pub use redis::RedisStore;
pub use when_down::WhenDown;

/// Parses the origin that a store wrote. Returns `None` if it is not an origin, or not in the form that we write.
#[cfg(any(feature = "embedded", feature = "redis"))]
fn origin_of(text: &str) -> Option<Origin> {
    Origin::of(&text.parse().ok()?).filter(|origin| origin.as_str() == text)
}

/// A store of what processes and machines share about origins. See the [module](self).
///
/// Beyond what its methods say, a store promises the following:
///
/// - **No span is too long.** Times saturate at the end of their range; they never wrap. A hold of any length is kept.
///   It ends early only for a request whose [`furthest`](SlotRequest::furthest) says that it cannot be so long.
/// - **It forgets in time, and not before.** A lease may be forgotten ten minutes after its end. A pace may be forgotten
///   when its holds have ended and its last slot is further back than ten minutes and than the longest interval that it
///   was asked with. An entry may be dropped at any time.
/// - **It does not grow.** The store bounds its entries. Whatever may be forgotten is swept while leases and slots are
///   taken, a bounded number of rows at a time, so that even a process that lives for one request does its share.
/// - **What was accepted is visible** to all who share the store when the future completes. A future that is dropped
///   may or may not have done its work.
///
/// The feature `testing` brings the checks that this crate's own stores pass: `store::conformance`.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Returns the entry of an origin. An entry with a broken seal counts as absent and is removed.
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>>;

    /// Writes an entry, replacing the one before. With a lease, it is written only while that lease is the latest one
    /// for this origin, so that a late holder cannot overwrite what its successor wrote. A write that is accepted gives
    /// the lease back. Returns whether it was accepted. A bounded store may drop the entry at once.
    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Removes an entry. Returns true if there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Requests the right to ask the origin for its robots.txt, for no longer than `ttl`, which is at most
    /// [`LONGEST_LEASE`]. The current entry comes with the lease.
    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<Acquired, StoreError>>;

    /// Returns the entry of an origin, or else requests its lease as [`acquire`](Store::acquire) does. If the lease is
    /// granted, the slot of the first request is taken as [`reserve_and_hold`](Store::reserve_and_hold) does. A store
    /// that can does all of it in one visit.
    fn get_or_acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        first: Option<FirstRequest<'a>>,
        now: Moment,
    ) -> BoxFuture<'a, Result<EntryOrLease, StoreError>> {
        Box::pin(async move {
            if let Some(entry) = self.get(origin).await? {
                return Ok(EntryOrLease::Entry(entry));
            }
            let acquired = self.acquire(origin, ttl, now).await?;
            let (Acquired::Granted { lease, .. }, Some(first)) = (&acquired, first) else {
                return Ok(EntryOrLease::Lease(acquired, None));
            };
            match self.reserve_and_hold(first.pace_of, &first.slot, first.apart, now).await {
                Ok(slot) => Ok(EntryOrLease::Lease(acquired, Some(slot))),
                Err(error) => {
                    self.release(lease.clone()).await?;
                    Err(error)
                }
            }
        })
    }

    /// Gives a lease back before its time. Giving back a lease that is no longer held is not an error.
    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes the next slot of an origin. It is later than the end of the last one by the request's interval, and no
    /// earlier than the end of a [hold](Store::hold). If the slot is too far off, it is not taken. A request that took
    /// the last slot gets the same slot again.
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>>;

    /// Takes the next slot of an origin, as [`reserve`](Store::reserve) does. If the slot is taken and begins at once,
    /// slots of another lane are kept back until `until_in` from now, as [`hold`](Store::hold) does, in the same visit
    /// where a store can do that. A slot that is not taken, or lies ahead, keeps nothing back.
    fn reserve_and_hold<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        (lane, until_in): (Lane, Duration),
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        Box::pin(async move {
            let slot = self.reserve(origin, request, now).await?;
            if slot.is_now() {
                self.hold(origin, lane, until_in, now).await?;
            }
            Ok(slot)
        })
    }

    /// Returns the standing of the slot that a request took at `taken`, and has waited for until `now`.
    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> BoxFuture<'a, Result<Standing, StoreError>>;

    /// Gives back the slot that a request took or may have taken, unless a later one was taken after it.
    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Keeps slots of a lane back until `until_in` from now, as `Retry-After` asks. A hold never shortens another. It
    /// does not move slots that were taken already; those who wait for them learn of it when they
    /// [confirm](Store::confirm) them.
    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the origins that have an entry, in order, beginning after `after`, and at most `limit` of them.
    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>>;

    /// Removes every entry that was put before `before`, and keeps leases and paces. With `None`, it removes
    /// everything, and the store counts as emptied. Returns the number of entries removed.
    ///
    /// An emptied store keeps nothing about any origin. It keeps one time: the end of the last slot that was handed on.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>>;
}

/// The right to ask an origin for its robots.txt, for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a lease that is dropped is held until it runs out; release it"]
pub struct Lease {
    pub(crate) origin: Origin,
    /// A number that grows with every lease of the origin, as long as the store knows the one before. It fences off a
    /// holder that comes back late.
    pub(crate) number: u64,
}

impl Lease {
    /// Creates a lease on an origin. No two leases of an origin may have the same number.
    pub fn new(origin: Origin, number: u64) -> Self {
        Lease { origin, number }
    }

    /// Returns the origin.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the number.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The longest time that a lease is granted for.
pub const LONGEST_LEASE: Duration = Duration::from_secs(3600);

/// The answer to a request for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acquired {
    /// The lease is granted.
    Granted {
        /// The lease.
        lease: Lease,
        /// The entry of the origin as it was when the lease was granted.
        entry: Option<Entry>,
    },
    /// Another task holds it, for no longer than this.
    Held(Duration),
}

/// The entry of an origin, or the answer to a request for its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryOrLease {
    /// The entry of the origin.
    Entry(Entry),
    /// The origin has no entry. Holds the answer to the request for the lease, and, if the lease was granted and a slot
    /// requested, the slot of the first request.
    Lease(Acquired, Option<Slot>),
}

/// The request that its sender makes when a lease is granted. It needs a slot of its own.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FirstRequest<'a> {
    /// The origin under whose name the pace is kept.
    pub pace_of: &'a Origin,
    /// The request for the slot.
    pub slot: SlotRequest,
    /// The lane that is kept back until this long from now, if the slot begins at once.
    pub apart: (Lane, Duration),
}

impl<'a> FirstRequest<'a> {
    /// Creates a request whose pace is kept under the name of `pace_of`, and that keeps a lane back.
    pub fn new(pace_of: &'a Origin, slot: SlotRequest, apart: (Lane, Duration)) -> Self {
        FirstRequest { pace_of, slot, apart }
    }
}

comity::words! {
    /// The kind of resource that is requested from an origin. Each lane has a pace of its own.
    #[derive(Default, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Lane {
        /// Pages, and whatever else is fetched.
        #[default]
        Pages = "pages",
        /// robots.txt.
        RobotsTxt = "robots_txt",
        /// robots.txt on behalf of another origin that redirects there.
        Redirected = "redirected",
    }
}

/// A request for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotRequest {
    /// A number by which the store knows who took a slot. It is unique to the request, and not 0.
    pub number: u64,
    /// The lane.
    pub lane: Lane,
    /// The distance of the slot from the end of the one before it.
    pub interval: Duration,
    /// How much later than the slot its owner may begin. The slot ends that much later, and the next one keeps its
    /// distance from its end.
    pub window: Duration,
    /// The longest wait for the slot. If it is further off, it is not taken.
    pub max_wait: Duration,
    /// The greatest possible distance of a slot or the end of a hold. Anything further off is neither taken nor
    /// believed. All who share a store have to use the same value.
    pub furthest: Duration,
    /// True if the slot is handed on to another program. That program uses it without [confirming](Store::confirm) it.
    pub is_handed_on: bool,
}

impl SlotRequest {
    /// Creates a request for a page, with a random number. No slot is further off than ten minutes, or twice the
    /// interval.
    pub fn new(interval: Duration, max_wait: Duration) -> SlotRequest {
        SlotRequest {
            number: fastrand::u64(1..),
            lane: Lane::Pages,
            interval,
            window: Duration::ZERO,
            max_wait,
            furthest: interval.saturating_mul(2).max(Duration::from_secs(600)),
            is_handed_on: false,
        }
    }
}

/// The answer to a request for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The slot is taken. The request may begin after this wait.
    Taken(Duration),
    /// The next slot is this far off, which is further than the caller would wait, or than a slot can be. No slot was
    /// taken.
    TooFar(Duration),
}

impl Slot {
    /// Returns true if it is taken and begins at once.
    pub fn is_now(self) -> bool {
        self == Slot::Taken(Duration::ZERO)
    }
}

/// The standing of a slot when its time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The slot still counts. The request may begin.
    Valid,
    /// A [hold](Store::hold) that came after the slot was taken keeps it back for this long.
    Held(Duration),
    /// The store has forgotten the slot, and may have given it to another request.
    Forgotten,
}

/// The kind of a store's failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    /// The store cannot be reached, or does not answer in time. The operation may have been done.
    Down,
    /// There is no space to write.
    Full,
    /// The data of this origin, or this request, cannot be handled. Other origins are not affected.
    Data,
    /// Any other failure.
    #[default]
    Other,
}

/// The reason why a store failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", source.as_ref().map(|source| format!(": {source}")).unwrap_or_default())]
pub struct StoreError {
    message: String,
    fault: StoreFault,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// Creates an error. The message names the store and the way out.
    pub fn new(message: impl Into<String>) -> Self {
        StoreError { message: message.into(), fault: StoreFault::Other, source: None }
    }

    /// Creates the error for a task that ended without a result: it panicked, or its runtime shut down.
    pub(crate) fn of_task(task: &str, error: tokio::task::JoinError) -> Self {
        let end = if error.is_panic() { "panicked" } else { "was cancelled: the runtime is shutting down" };
        StoreError::new(format!("{task} {end}")).because(error)
    }

    /// Adds the underlying error.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        StoreError { source: Some(source.into()), ..self }
    }

    /// Sets the kind of the failure.
    #[must_use]
    pub fn with_fault(self, fault: StoreFault) -> Self {
        StoreError { fault, ..self }
    }

    /// Returns the kind of the failure.
    pub fn fault(&self) -> StoreFault {
        self.fault
    }
}
