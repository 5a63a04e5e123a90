//! Stores: state about origins that processes and machines share. It consists of robots.txt answers, leases, and the
//! times of requests.
//!
//! A store keeps three kinds of state for an origin:
//!
//! | | content | reason for sharing |
//! |---|---|---|
//! | entry | an opaque, sealed [`Entry`] with the answers for robots.txt | each robots.txt is requested once for all processes |
//! | lease | the right of one task to request robots.txt | N processes with a cache miss send one request |
//! | pace | the *slot* of the last request: the window of time in which it may begin | N processes together keep the interval between requests |
//!
//! A request reserves a slot, waits for it, and [confirms](Turns::confirm) that the slot is still valid. Slots are at
//! least one interval apart. A *hold* delays all slots of an origin's [`Lane`], for example because of a `Retry-After`.
//! The caller passes the current time as `now`. A store that is shared by machines uses its own clock instead, since
//! the clocks of machines differ. Therefore stores return waits as durations.
//!
//! [`Entries`] has the methods for entries and leases, [`Turns`] those for paces, and [`Store`] consists of both. A
//! program that keeps entries elsewhere implements [`Answers`] and opens a [`LocalStore`].
//!
//! # Clock changes and lost data
//!
//! A store reduces times that are impossibly far ahead: a slot or the end of a hold is at most
//! [`furthest`](SlotRequest::furthest) from now, and a lease ends at most after the duration that is requested now. If
//! a row was written more than a minute in the future, its times are moved back by the difference. So after a clock is
//! set back or a machine restarts, requests do not wait longer, and do not begin too early.
//!
//! An emptied store has lost the latest slots. So every origin without a row waits one interval from the time at which
//! the store was emptied. Slots that were [handed on](SlotRequest::is_handed_on) to other programs are not confirmed.
//! So an emptied store keeps the end of the last such slot, and every origin without a row waits one interval from that
//! end. A cluster keeps an end for each group of origins.
//!
//! | store | shared by | puts/s | gets/s | leases/s | slots/s |
//! |---|---|---|---|---|---|
//! | [`MemoryStore`] | the tasks of a process | 660,000 | 1,100,000 | 510,000 | 1,600,000 |
//! | `EmbeddedStore` | the processes of a machine | 9,500 | 140,000 | 37,000 | 95,000 |
//! | `RedisStore` | machines | 35,000 | 110,000 | 22,000 | 19,000 |
//!
//! The rates are for 64 concurrent tasks on 5,000 origins with entries of 2 kB: the slower of two runs on two idle
//! cores. Each lease is acquired and released. A single task reaches between a twentieth and two fifths of these rates;
//! with the store in memory, at least half. `examples/store_rates.rs` measures them:
//!
//! ```sh
//! cargo run --release -p comity-client --no-default-features --features embedded,redis \
//!     --example store_rates -- redis://127.0.0.1:6379
//! ```
//!
//! A store may lose entries, since a missing robots.txt is requested again. A store must never return an incomplete
//! entry, and never grant two leases or two slots at once.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::{BoxFuture, Moment, Origin};

#[cfg(feature = "testing")]
pub mod conformance;
#[cfg(feature = "embedded")]
pub mod embedded;
mod entry;
mod local;
mod locks;
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
pub use local::{Answers, LocalStore};
pub use memory::MemoryStore;
pub use options::{StoreLocation, StoreOptions, UnknownLocation};
#[cfg(feature = "redis")]
pub use redis::RedisStore;
pub use when_down::WhenDown;

/// The reply of a store: a future, since a store may be on another machine.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Parses an origin that a store wrote. Returns `None` if the text is not an origin in its serialized form.
#[cfg(any(feature = "embedded", feature = "redis"))]
fn origin_of(text: &str) -> Option<Origin> {
    Origin::of(&text.parse().ok()?).filter(|origin| origin.as_str() == text)
}

/// The entries of a store, with the leases on the requests that replace them.
///
/// A store for one process implements [`Answers`] instead, which has no leases, and becomes a [`LocalStore`].
///
/// In addition to the contracts of its methods, a store guarantees the following:
///
/// - **Only unused leases are removed**, ten minutes after their end at the earliest. An entry may be removed at any
///   time.
/// - **Its size is limited.** The store limits the size of its entries. Requests for leases also remove unused leases.
/// - **Accepted writes are visible** to all users of the store when the future completes. If a future is dropped, the
///   write may or may not have happened.
pub trait Entries: fmt::Debug + Send + Sync + 'static {
    /// Returns the entry of an origin. An incomplete entry counts as absent and is removed.
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>>;

    /// Returns at most `limit` origins that have an entry, in the order of [`Origin`], beginning after the origin `after`.
    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>>;

    /// Requests the lease for the origin's robots.txt. It lasts at most `ttl` and at most [`LONGEST_LEASE`]. The answer
    /// includes the current entry.
    fn acquire<'a>(&'a self, origin: &'a Origin, ttl: Duration, now: Moment) -> Reply<'a, LeaseAnswer>;

    /// Writes an entry, replacing the previous one. With a lease, the entry is written only if that lease is the latest
    /// lease of the origin. So the holder of an expired lease cannot overwrite a newer entry. An accepted write
    /// releases that lease. Returns true if the write was accepted. A store with a size limit may remove the entry at
    /// once.
    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> Reply<'a, bool>;

    /// Releases a lease before its expiry. Releasing a lease that is no longer held is not an error.
    fn release<'a>(&'a self, lease: Lease) -> Reply<'a, ()>;

    /// Removes an entry. Returns true if there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool>;

    /// Removes all entries that were written before the time `before`, and keeps leases and paces. With `None`, removes
    /// all data, paces included, and the store counts as emptied. Returns the number of removed entries.
    ///
    /// An emptied store contains only two times: the time at which it was emptied, and the end of the last slot that
    /// was handed on.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64>;
}

/// The turns of requests: the slots and the holds of each origin.
///
/// In addition to the contracts of its methods, a store guarantees the following:
///
/// - **Durations may have any length.** Times saturate at the end of their range; they never wrap. A hold may have any
///   length. It ends early only for a request whose [`furthest`](SlotRequest::furthest) is shorter.
/// - **Only unused paces are removed**: their holds have ended, and their last slot is older than both ten minutes and
///   the longest requested interval. Requests for slots also remove unused paces.
/// - **Accepted writes are visible** to all users of the store when the future completes. If a future is dropped, the
///   write may or may not have happened.
pub trait Turns: fmt::Debug + Send + Sync + 'static {
    /// Reserves the next slot of an origin. The slot begins one `request.interval` after the end of the last slot, but
    /// not before now or the end of a [hold](Turns::hold). If it is too far off, no slot is reserved. A request that
    /// reserved the last slot gets the same slot again.
    fn reserve<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest, now: Moment) -> Reply<'a, Slot>;

    /// Reserves the next slot of an origin, as [`reserve`](Turns::reserve) does. If the slot begins at once, also adds
    /// a hold to another lane, as [`hold`](Turns::hold) does. If no slot is reserved, or if the slot begins later, no
    /// hold is added.
    ///
    /// The default implementation runs both steps one after the other. A store can override it to run them in one round
    /// trip.
    fn reserve_and_hold<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        (lane, until_in): (Lane, Duration),
        now: Moment,
    ) -> Reply<'a, Slot> {
        Box::pin(async move {
            let slot = self.reserve(origin, request, now).await?;
            if slot.is_now() {
                self.hold(origin, lane, until_in, now).await?;
            }
            Ok(slot)
        })
    }

    /// Returns whether the slot that a request reserved at the time `taken` is still valid at `now`. Called after the
    /// wait for the slot.
    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> Reply<'a, SlotStatus>;

    /// Adds a hold to a lane, for example because of a `Retry-After`: no slot begins before `now` plus `until_in`. A
    /// hold never shortens another hold. Reserved slots do not move. Their requests get the hold when they
    /// [confirm](Turns::confirm) the slot.
    fn hold<'a>(&'a self, origin: &'a Origin, lane: Lane, until_in: Duration, now: Moment) -> Reply<'a, ()>;

    /// Gives back the slot that a request reserved or may have reserved, unless a later slot was reserved.
    fn give_back<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest) -> Reply<'a, ()>;
}

/// A store: [`Entries`], [`Turns`], and an operation that combines both.
///
/// `impl Store for MyStore {}` is enough. The feature `testing` adds the checks that this crate's own stores pass:
/// `store::conformance`.
pub trait Store: Entries + Turns {
    /// Returns the entry of an origin. If the entry is absent, requests the lease, as [`acquire`](Entries::acquire)
    /// does. If the lease is granted, reserves the slot of the first request, as
    /// [`reserve_and_hold`](Turns::reserve_and_hold) does.
    ///
    /// The default implementation runs these steps one after the other. A store can override it to run them in one
    /// round trip.
    fn get_or_acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        first: Option<FirstRequest<'a>>,
        now: Moment,
    ) -> Reply<'a, EntryOrLease> {
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
}

/// The exclusive right to fetch an origin's robots.txt, for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a lease that is dropped is held until it expires; release it"]
pub struct Lease {
    pub(crate) origin: Origin,
    /// Fencing number. Each lease of an origin has a higher number than the lease before, if the store still has that
    /// lease. So the store can reject a write with an older lease.
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

/// Maximum duration of a lease.
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
    /// The origin has no entry. Contains the answer to the request for the lease. If the lease was granted and a slot
    /// was requested, also contains the slot of the first request.
    Lease(LeaseAnswer, Option<Slot>),
}

/// The first HTTP request under a lease, which needs a slot.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FirstRequest<'a> {
    /// The origin under which the pace is stored.
    pub pace_of: &'a Origin,
    /// The request for the slot.
    pub slot: SlotRequest,
    /// The lane that is held if the slot begins at once, and the duration of the hold from now.
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
        /// Not used by this client: a redirect to the robots.txt of another origin uses the lane `robots_txt` of that
        /// origin.
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
    /// Minimum time from the end of the previous slot to the start of this slot.
    pub interval: Duration,
    /// Maximum time from the start of the slot to the start of the request. The slot ends after this window, and the
    /// interval to the next slot is counted from that end.
    pub window: Duration,
    /// Maximum wait for the slot. A slot further off is not reserved.
    pub max_wait: Duration,
    /// Maximum time from now to the end of a slot or a hold. A later slot is not reserved, and later stored times are
    /// reduced to this limit. All users of a store must use the same value.
    pub furthest: Duration,
    /// True if the slot is handed on to another program, which uses it without [confirming](Turns::confirm) it.
    pub is_handed_on: bool,
}

impl SlotRequest {
    /// Creates a request in the lane of pages, with a random number. `furthest` is twice the interval, but at least ten
    /// minutes.
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
    /// The slot is reserved. The request may begin after this wait.
    Taken(Duration),
    /// No slot was reserved, since the wait for the next slot exceeds `max_wait` or `furthest`. Contains this wait.
    TooFar(Duration),
}

impl Slot {
    /// Returns true if the slot is reserved and begins at once.
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
    /// A [hold](Turns::hold) that was added later delays the slot by this duration.
    Held(Duration),
    /// The store has lost the slot, and may have given it to another request.
    Forgotten,
}

/// The kind of a store error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    /// The store cannot be reached, or does not answer in time. The operation may have succeeded.
    Down,
    /// The disk is full.
    Full,
    /// The stored data of this origin, or this request, is invalid. Other origins are not affected.
    Data,
    /// Any other failure.
    #[default]
    Other,
}

/// The error of a store.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", source.as_ref().map(|source| format!(": {source}")).unwrap_or_default())]
pub struct StoreError {
    message: String,
    fault: StoreFault,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// Creates an error. The message should name the store and a remedy.
    pub fn new(message: impl Into<String>) -> Self {
        StoreError { message: message.into(), fault: StoreFault::Other, source: None }
    }

    /// Creates the error for a task that ended without a result, because it panicked or its runtime was shut down.
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
