//! Where robots.txt answers live, who may ask for one, and when the next request to an origin may begin: what processes
//! and machines share.
//!
//! A store knows three things about an origin:
//!
//! | | what | why it is shared |
//! |---|---|---|
//! | entry | an opaque, sealed [`Entry`] | a robots.txt is asked for once, whoever wants it |
//! | lease | who asks for robots.txt right now | N processes that miss make one request |
//! | pace | when the next request may begin | N processes together come no faster than one |
//!
//! Times are given by the caller as `now`; a store shared by machines uses a clock of its own instead, since machines
//! disagree about the time. That is why waits are answered as durations.
//!
//! # Clocks that are set, stores that forget
//!
//! A store does not believe a time further ahead than it can be: a slot or a hold at most
//! [`furthest`](SlotRequest::furthest) from now, a lease at most as long as the one that is asked for. What was written
//! in the future keeps the spans that it was written with, counted from now. So a clock that is set back, or a machine
//! that was started again, makes nobody wait longer than without, and nobody come too early.
//!
//! A store that was emptied does not know who had a slot a moment ago. It makes every origin that it does not know wait
//! one interval from then on.
//!
//! | store | shared by | puts/s | gets/s | leases/s | slots/s |
//! |---|---|---|---|---|---|
//! | [`MemoryStore`] | the tasks of a process | 620,000 | 850,000 | 610,000 | 990,000 |
//! | `EmbeddedStore` | the processes of a machine | 13,000 | 49,000 | 20,000 | 50,000 |
//! | `RedisStore` | machines | 17,000 | 79,000 | 16,000 | 18,000 |
//!
//! That is 64 tasks at once on 5,000 origins with entries of 2 kB, the slower of two runs on two cores of a 2.5 GHz Xeon
//! that had much other work as well (its load was 33); a lease is taken and given back. One task alone gets a tenth to four
//! fifths of that.
//! `examples/store_rates.rs` measures it:
//!
//! ```sh
//! cargo run --release -p comity-client --no-default-features --features embedded,redis \
//!     --example store_rates -- redis://127.0.0.1:6379
//! ```
//!
//! What a store loses, costs a request: an entry that is gone is asked for again. What it must never do is hand out an
//! entry that was not written whole, or two leases or two slots at once.

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

#[cfg(feature = "embedded")]
pub use embedded::EmbeddedStore;
pub use entry::Entry;
pub use memory::MemoryStore;
pub use options::{Location, StoreOptions, UnknownLocation, WhenDown};
#[cfg(feature = "redis")]
pub use redis::RedisStore;

/// The origin that a store wrote down; `None` if it is none, or not as we write it.
#[cfg(any(feature = "embedded", feature = "redis"))]
fn origin_of(text: &str) -> Option<Origin> {
    Origin::of(&text.parse().ok()?).filter(|origin| origin.as_str() == text)
}

/// What processes and machines share about origins. See the [module](self).
///
/// What a store has to promise beyond what its methods say:
///
/// - **No span is too long.** Times stop at the end of what can be counted; they never wrap. A hold of any length is kept,
///   and ends only for a request whose [`furthest`](SlotRequest::furthest) says that it cannot be so long.
/// - **It forgets in time, and not before.** A lease may be forgotten ten minutes after its end. A pace may be forgotten
///   when its holds have ended and its last slot is further back than ten minutes and than the longest interval that it
///   was asked with. An entry may be dropped at any time.
/// - **It does not grow.** Entries are bounded by the store. What may be forgotten is swept while leases and slots are
///   taken, a bounded number of rows at a time, so that a process that lives for one request does its share.
/// - **What was accepted is there** when the future is done, for all who share the store; a future that is dropped may
///   have done its work or not.
///
/// The feature `testing` brings the checks that this crate's own stores pass: `store::conformance`.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// The entry of an origin. One that fails its own check counts as absent and is removed.
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>>;

    /// Writes an entry, replacing what was there. With a lease, only while that lease is the latest one handed out for
    /// this origin: whoever lost its lease must not overwrite what its successor wrote. What is accepted gives the
    /// lease back. Says whether it was accepted (a store that is bounded may drop it at once).
    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Removes an entry. Says whether there was one.
    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Asks to be the one who asks the origin for its robots.txt, for no longer than `ttl`, which is at most
    /// [`LONGEST_LEASE`]. The entry as it is now comes with the lease.
    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<Acquired, StoreError>>;

    /// Returns the entry of an origin, or else asks for its lease, as [`acquire`](Store::acquire) does. If the lease is
    /// granted, the slot of the first request is taken, as [`reserve_and_hold`](Store::reserve_and_hold) does. A store
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

    /// Gives a lease back before its time. One that is no longer held is no error.
    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes the next slot of an origin: it is later than the end of the last one by the request's interval, and no
    /// earlier than the end of a [hold](Store::hold). If the slot is too far off, it is not taken. A request that took
    /// the last slot is told about that one again.
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>>;

    /// Takes the next slot of an origin, as [`reserve`](Store::reserve) does. If it is taken and begins at once, slots of
    /// another lane are kept back until `until_in` from now, as [`hold`](Store::hold) does: both in one visit, where a
    /// store can. A slot that is not taken, or lies ahead, keeps nobody back.
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

    /// Says whether the slot that a request took at `taken`, and has waited for, still counts. It does not if the store
    /// has forgotten it since, and may have given it to somebody else.
    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Gives the slot back that a request took, or may have taken, unless a later one was taken after it.
    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Keeps slots of a lane back until `until_in` from now: what `Retry-After` asks for. A hold never shortens another.
    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// The origins that have an entry, in order, from the first one after `after`, at most `limit` of them.
    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>>;

    /// Removes every entry that was put before `before`, while leases and pace stay. With `None`, everything goes, and
    /// the store is one that was emptied. Says how many entries there were.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>>;
}

/// The right to ask an origin for its robots.txt, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a lease that is dropped is held until it runs out; release it"]
pub struct Lease {
    pub(crate) origin: Origin,
    /// Grows with every lease of the origin, as long as the store knows of the one before: the fence against a holder that
    /// comes back late.
    pub(crate) number: u64,
}

impl Lease {
    /// Returns a lease on an origin. No two leases of an origin have the same number.
    pub fn new(origin: Origin, number: u64) -> Self {
        Lease { origin, number }
    }

    /// The origin.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The longest that a lease is granted for.
pub const LONGEST_LEASE: Duration = Duration::from_secs(3600);

/// The answer to a request for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acquired {
    /// It is ours.
    Granted {
        /// The lease.
        lease: Lease,
        /// The entry of the origin as it was when the lease was granted.
        entry: Option<Entry>,
    },
    /// Somebody else has it, and holds it for no longer than this.
    Held(Duration),
}

/// What is known about an origin, or who may find out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryOrLease {
    /// The entry of the origin.
    Entry(Entry),
    /// There is no entry: the answer to a request for the lease. With a lease comes the slot of the first request, if one
    /// was asked for.
    Lease(Acquired, Option<Slot>),
}

/// The request that follows when a lease is granted: it is made in a slot of its own.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FirstRequest<'a> {
    /// Under whose name the pace is kept.
    pub pace_of: &'a Origin,
    /// The slot.
    pub slot: SlotRequest,
    /// The lane that is kept back until so long from now, if the slot begins at once.
    pub apart: (Lane, Duration),
}

impl<'a> FirstRequest<'a> {
    /// Returns a request whose pace is kept under the name of `pace_of`, and that keeps a lane back.
    pub fn new(pace_of: &'a Origin, slot: SlotRequest, apart: (Lane, Duration)) -> Self {
        FirstRequest { pace_of, slot, apart }
    }
}

/// What is asked for at an origin: each has a pace of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Lane {
    /// Pages, and whatever else is fetched.
    #[default]
    Pages,
    /// robots.txt.
    RobotsTxt,
    /// robots.txt on behalf of another origin that redirects there.
    Redirected,
}

impl Lane {
    /// Its name, as stores write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Lane::Pages => "pages",
            Lane::RobotsTxt => "robots_txt",
            Lane::Redirected => "redirected",
        }
    }
}

/// What a slot is asked for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotRequest {
    /// By what the store knows who took a slot: a number that no other request has. Not 0.
    pub number: u64,
    /// In which lane.
    pub lane: Lane,
    /// How far the slot has to be from the end of the one before it.
    pub interval: Duration,
    /// How much later than the slot its owner may begin: the slot ends that much later, and the next one keeps its
    /// distance from there.
    pub window: Duration,
    /// How far off the slot may be, so that it is taken.
    pub max_wait: Duration,
    /// How far off a slot or the end of a hold can be at all. What is further off is not taken, nor believed. All who
    /// share a store have to agree about it.
    pub furthest: Duration,
}

impl SlotRequest {
    /// A request for a page, with a number by chance. No slot is further off than ten minutes, or twice the interval.
    pub fn new(interval: Duration, max_wait: Duration) -> SlotRequest {
        SlotRequest {
            number: fastrand::u64(1..),
            lane: Lane::Pages,
            interval,
            window: Duration::ZERO,
            max_wait,
            furthest: interval.saturating_mul(2).max(Duration::from_secs(600)),
        }
    }
}

/// The answer to a request for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The slot is taken: begin after this wait.
    Taken(Duration),
    /// The next slot is this far off: further than the caller would wait, or than a slot can be. Nothing was taken.
    TooFar(Duration),
}

impl Slot {
    /// Whether it is taken, and begins at once.
    pub fn is_now(self) -> bool {
        self == Slot::Taken(Duration::ZERO)
    }
}

/// What kind of trouble a store has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    /// It cannot be reached, or does not answer in time. What was asked for may have been done.
    Down,
    /// There is no room to write.
    Full,
    /// What is kept for this origin, or this question, cannot be dealt with. Other origins have no part in it.
    Data,
    /// Anything else.
    #[default]
    Other,
}

/// Why a store did not do what it was asked for.
#[derive(Debug)]
pub struct StoreError {
    message: String,
    fault: StoreFault,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error, in words that name the store and the way out.
    pub fn new(message: impl Into<String>) -> Self {
        StoreError { message: message.into(), fault: StoreFault::Other, source: None }
    }

    /// With the error behind it.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        StoreError { source: Some(source.into()), ..self }
    }

    /// With what kind of trouble it is.
    #[must_use]
    pub fn with_fault(self, fault: StoreFault) -> Self {
        StoreError { fault, ..self }
    }

    /// What kind of trouble it is.
    pub fn fault(&self) -> StoreFault {
        self.fault
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
