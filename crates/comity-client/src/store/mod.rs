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
//! | store | shared by | puts/s | gets/s | leases/s | slots/s |
//! |---|---|---|---|---|---|
//! | [`MemoryStore`] | the tasks of a process | 200,000 | 230,000 | 450,000 | 590,000 |
//! | `EmbeddedStore` | the processes of a machine | 10,000 | 14,000 | 30,000 | 60,000 |
//! | `RedisStore` | machines | 19,000 | 17,000 | 9,000 | 14,000 |
//!
//! That is 64 tasks at once on 5,000 origins with entries of 2 kB, the slower of two runs on two cores of a 2.5 GHz Xeon
//! that had other work as well; a lease is taken and given back. One task alone gets a quarter to four fifths of that.
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

use crate::{BoxFuture, Origin};

#[cfg(feature = "embedded")]
pub mod embedded;
mod entry;
mod memory;
#[cfg(feature = "redis")]
pub mod redis;
mod slots;

#[cfg(feature = "embedded")]
pub use embedded::EmbeddedStore;
pub use entry::Entry;
pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub use redis::RedisStore;

/// The origin that a store wrote down; `None` if it is none, or not as we write it.
#[cfg(any(feature = "embedded", feature = "redis"))]
fn origin_of(text: &str) -> Option<Origin> {
    Origin::of(&text.parse().ok()?).filter(|origin| origin.as_str() == text)
}

/// What processes and machines share about origins. See the [module](self).
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

    /// Asks to be the one who asks the origin for its robots.txt, for no longer than `ttl`.
    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Acquired, StoreError>>;

    /// Gives a lease back before its time. One that is no longer held is no error.
    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes the next slot of an origin: no two slots are closer than the `interval` that the later one was asked with,
    /// and none is before the end of a [hold](Store::hold). If the slot is further off than `max_wait`, it is not taken.
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        interval: Duration,
        max_wait: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Slot, StoreError>>;

    /// Keeps slots back until `until_in` from now: what `Retry-After` asks for. A hold never shortens another.
    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        until_in: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// The origins that have an entry, in order, from the first one after `after`, at most `limit` of them.
    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>>;

    /// Removes every entry that was put before `before`; with `None`, every entry. Leases and pace stay. Says how many
    /// there were.
    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>>;
}

/// The right to ask an origin for its robots.txt, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a lease that is dropped is held until it runs out; release it"]
pub struct Lease {
    pub(crate) origin: Origin,
    /// Grows with every lease of the origin: the fence against a holder that comes back late.
    pub(crate) number: u64,
}

impl Lease {
    /// A lease on an origin. Numbers grow with every lease of the same origin.
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

/// The answer to a request for a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acquired {
    /// It is ours.
    Granted(Lease),
    /// Somebody else has it, and holds it for no longer than this.
    Held(Duration),
}

/// The answer to a request for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The slot is taken: begin after this wait.
    Taken(Duration),
    /// The next slot is this far off, further than the caller would wait. Nothing was taken.
    TooFar(Duration),
}

/// Why a store did not do what it was asked for.
#[derive(Debug)]
pub struct StoreError {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error, in words that name the store and the way out.
    pub fn new(message: impl Into<String>) -> Self {
        StoreError { message: message.into(), source: None }
    }

    /// With the error behind it.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        StoreError { source: Some(source.into()), ..self }
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
