//! State that processes and machines share: robots.txt answers, the lease to request one, and the time of the next
//! request to an origin.
//!
//! A store keeps three kinds of state for an origin:
//!
//! | | content | reason for sharing |
//! |---|---|---|
//! | entry | an opaque, sealed [`Entry`] | each robots.txt is requested once for all |
//! | lease | the task that requests robots.txt now | N processes with a cache miss make one request |
//! | pace | the time of the next request | N processes together send no faster than one |
//!
//! The caller gives the time as `now`. A store shared by machines uses its own clock instead, since the clocks of
//! machines differ. So waits are returned as durations.
//!
//! # Clock changes and lost data
//!
//! A store cuts times that are further ahead than possible: a slot or a hold is at most
//! [`furthest`](SlotRequest::furthest) from now, a lease at most as long as the one requested. If a row was written in
//! the future, its times are shifted to count from now. So after a clock is set back or a machine restarts, no request
//! waits longer, and none starts too early.
//!
//! An emptied store has lost the slots taken a moment ago. So every origin without a row waits one interval from that
//! time on. Slots that were [handed on](SlotRequest::is_handed_on) are never confirmed. So an emptied store keeps the
//! end of the last such slot, and every origin without a row waits one interval from that end.
//!
//! | store | shared by | puts/s | gets/s | leases/s | slots/s |
//! |---|---|---|---|---|---|
//! | [`MemoryStore`] | the tasks of a process | 660,000 | 1,100,000 | 510,000 | 1,600,000 |
//! | `EmbeddedStore` | the processes of a machine | 28,000 | 66,000 | 49,000 | 130,000 |
//! | `RedisStore` | machines | 35,000 | 110,000 | 22,000 | 19,000 |
//!
//! The rates are for 64 concurrent tasks on 5,000 origins with entries of 2 kB: the slower of two runs on two idle
//! cores. Each lease is taken and released. A single task reaches a twentieth to a fifth of these rates, and half or
//! more with the store in memory. `examples/store_rates.rs` measures them:
//!
//! ```sh
//! cargo run --release -p comity-client --no-default-features --features embedded,redis \
//!     --example store_rates -- redis://127.0.0.1:6379
//! ```
//!
//! Lost data costs a request: a missing entry is requested again. A store must never return an incomplete entry, and
//! never grant two leases or two slots at once.

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

/// Parses an origin that a store wrote. Returns `None` if the text is not an origin in its serialized form.
#[cfg(any(feature = "embedded", feature = "redis"))]
fn origin_of(text: &str) -> Option<Origin> {
    Origin::of(&text.parse().ok()?).filter(|origin| origin.as_str() == text)
}

/// A store of the state of origins that processes and machines share. See the [module](self).
///
/// In addition to the contracts of its methods, a store guarantees the following:
///
/// - **No span is too long.** Times saturate at the end of their range; they never wrap. A hold of any length is kept.
///   It ends early only for a request whose [`furthest`](SlotRequest::furthest) is shorter.
/// - **State is removed in time, and not before.** A lease may be removed ten minutes after its end. A pace may be
///   removed when its holds have ended and its last slot is further back than both ten minutes and the longest interval
///   requested. An entry may be dropped at any time.
/// - **Its size is bounded.** The store bounds its entries. Removable leases and paces are swept while leases and slots
///   are taken, a bounded number of rows at a time. So even a process that makes one request contributes.
/// - **Accepted writes are visible** to all users of the store when the future completes. A future that is dropped may
///   or may not have taken effect.
///
/// The feature `testing` adds the checks that this crate's own stores pass: `store::conformance`.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Returns the entry of an origin. An entry with a broken seal counts as absent and is removed.
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>>;

    /// Writes an entry, replacing the previous one. With a lease, the entry is written only while that lease is the
    /// latest one for this origin, so that a late holder cannot overwrite the entry of its successor. An accepted write
    /// releases the lease. Returns true if the write was accepted. A bounded store may drop the entry at once.
    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Removes an entry. Returns true if there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Requests the lease to fetch the origin's robots.txt, for at most `ttl`, which is cut to [`LONGEST_LEASE`]. The
    /// answer includes the current entry.
    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<LeaseAnswer, StoreError>>;

    /// Returns the entry of an origin, or, without one, requests its lease as [`acquire`](Store::acquire) does. If the
    /// lease is granted, the slot of the first request is taken as [`reserve_and_hold`](Store::reserve_and_hold) does.
    /// A store may do all of it in one transaction.
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
            let (LeaseAnswer::Granted { lease, .. }, Some(first)) = (&acquired, first) else {
                return Ok(EntryOrLease::Lease(acquired, None));
            };
            match self.reserve_and_hold(first.pace_of, &first.slot, first.lane_hold, now).await {
                Ok(slot) => Ok(EntryOrLease::Lease(acquired, Some(slot))),
                Err(error) => {
                    self.release(lease.clone()).await?;
                    Err(error)
                }
            }
        })
    }

    /// Releases a lease before its expiry. Releasing a lease that is no longer held is not an error.
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
    /// another lane is held until `until_in` from now, as [`hold`](Store::hold) does, in one transaction if the store
    /// supports it. A slot that is not taken, or begins later, holds nothing.
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

    /// Returns whether the slot that a request took at `taken` is still valid at `now`, after the wait for it.
    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> BoxFuture<'a, Result<SlotStatus, StoreError>>;

    /// Gives back the slot that a request took or may have taken, unless a later one was taken after it.
    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Holds a lane: no slot begins until `until_in` from now, as `Retry-After` requires. A hold never shortens
    /// another. It does not move slots that were already taken; their requests see the hold when they
    /// [confirm](Store::confirm) the slot.
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

    /// Removes every entry that was put before `before`, and keeps leases and paces. With `None`, removes everything,
    /// and the store counts as emptied. Returns the number of entries removed.
    ///
    /// An emptied store keeps no data about origins except one time: the end of the last slot that was handed on.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>>;
}

/// The exclusive right to fetch an origin's robots.txt, for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a lease that is dropped is held until it runs out; release it"]
pub struct Lease {
    pub(crate) origin: Origin,
    /// Fencing number. It grows with every lease of the origin while the store has the previous one, so that a late
    /// holder can be rejected.
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

/// Longest duration of a lease.
pub const LONGEST_LEASE: Duration = Duration::from_secs(3600);

/// The answer to a request for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeaseAnswer {
    /// The lease is granted.
    Granted {
        /// The lease.
        lease: Lease,
        /// The entry of the origin as it was when the lease was granted.
        entry: Option<Entry>,
    },
    /// Another task holds the lease, for at most this long.
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
    Lease(LeaseAnswer, Option<Slot>),
}

/// The first HTTP request under a lease. It needs its own slot.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FirstRequest<'a> {
    /// The origin under whose name the pace is kept.
    pub pace_of: &'a Origin,
    /// The request for the slot.
    pub slot: SlotRequest,
    /// The lane to hold, and for how long from now, if the slot begins at once.
    pub lane_hold: (Lane, Duration),
}

impl<'a> FirstRequest<'a> {
    /// Creates a request that uses the pace of `pace_of` and holds the lane `lane_hold`.
    pub fn new(pace_of: &'a Origin, slot: SlotRequest, lane_hold: (Lane, Duration)) -> Self {
        FirstRequest { pace_of, slot, lane_hold }
    }
}

comity::words! {
    /// The kind of resource that is requested from an origin. Each lane has its own pace.
    #[derive(Default, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Lane as "lane" {
        /// Pages and all other resources.
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
    /// Number that identifies the request in the store. It is unique and not 0.
    pub number: u64,
    /// The lane.
    pub lane: Lane,
    /// Minimum distance of the slot from the end of the previous one.
    pub interval: Duration,
    /// How much later than the slot's start the request may begin. The slot ends after this window, and the next slot
    /// keeps its distance from that end.
    pub window: Duration,
    /// Longest wait for the slot. A slot further off is not taken.
    pub max_wait: Duration,
    /// The greatest possible distance of a slot or the end of a hold. Slots further off are not taken, and stored times
    /// further off are cut. All users of a store must use the same value.
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
    /// The next slot is this far off: beyond `max_wait` or `furthest`. No slot was taken.
    TooFar(Duration),
}

impl Slot {
    /// Returns true if the slot is taken and begins at once.
    pub fn is_now(self) -> bool {
        self == Slot::Taken(Duration::ZERO)
    }
}

/// The status of a slot after the wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlotStatus {
    /// The slot is valid. The request may begin.
    Valid,
    /// A [hold](Store::hold) set after the slot was taken delays it for this long.
    Held(Duration),
    /// The store has lost the slot, and may have given it to another request.
    Forgotten,
}

/// The kind of a store's failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    /// The store cannot be reached, or does not answer in time. The operation may have taken effect.
    Down,
    /// The disk is full.
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
    /// Creates an error. The message names the store and a remedy.
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
