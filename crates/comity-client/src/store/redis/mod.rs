//! A store on a server that a fleet shares: Redis (6 or later) or Valkey.
//!
//! | key | what |
//! |---|---|
//! | `comity:{https://example.com}:entry` | a hash of the sealed bytes and when they were put; expires |
//! | `…:lease` | the number of the lease that is held; expires with it |
//! | `…:fence` | the number of the latest lease, held or not |
//! | `…:pace` | a hash of the last slot, the end of the longest hold, the longest interval |
//!
//! Braces keep an origin's keys in one slot of a cluster. Leases, fenced writes and slots are short scripts that use the
//! server's clock, since machines disagree about the time.
//!
//! Every lease and every slot is noted in this process too, and a reservation takes the later of what both say. So pace
//! is kept when the server disappears ([`WhenDown::LocalOnly`]), and when it comes back without its memory. With
//! `LocalOnly`, entries are copied as they are read and written; while the server is away, the copies serve. What is
//! removed or purged then, is removed here only.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use futures_util::future::try_join_all;
use redis::{Cmd, Script};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::slots::{KEPT_AT_LEAST, nanos};
use super::{Acquired, Entry, Lease, MemoryStore, Slot, Store, StoreError};
use crate::{BoxFuture, Origin};

mod keys;
mod link;
mod options;

use keys::Keys;
use link::Link;
pub use options::{RedisOptions, WhenDown};

/// The longest duration that a script is told: a hundred years, so that sums stay exact in Lua's numbers.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Reservations of one origin come one after the other, so that this process knows about each before the next. Origins
/// share lanes, one for each value of an octet of their hash.
const LANES: usize = 256;

/// How many entries a purge has under way at once.
const PURGED_TOGETHER: usize = 256;

/// A store on a server that a fleet shares. See the [module](self).
///
/// ```no_run
/// use std::time::Duration;
///
/// use comity_client::store::RedisStore;
/// use comity_client::store::redis::WhenDown;
///
/// let store = RedisStore::options()
///     .prefix("crawl-7:")
///     .when_down(WhenDown::LocalOnly)
///     .response_timeout(Duration::from_millis(300))
///     .open("redis://:secret@cache.internal/2")?;
/// assert_eq!(format!("{store:?}"), "RedisStore { place: \"redis://cache.internal:6379/2\", down: false, .. }");
/// # Ok::<(), comity_client::store::StoreError>(())
/// ```
pub struct RedisStore {
    link: Link,
    options: RedisOptions,
    keys: Keys,
    scripts: Scripts,
    local: MemoryStore,
    lanes: Box<[Mutex<()>]>,
    hasher: RandomState,
}

struct Scripts {
    acquire: Script,
    release: Script,
    put: Script,
    reserve: Script,
    hold: Script,
    purge: Script,
}

impl RedisStore {
    /// A store on the server that `url` names, as [`RedisOptions::open`] says. It connects when it is first used.
    ///
    /// # Errors
    ///
    /// If the URL cannot be read.
    pub fn open(url: &str) -> Result<RedisStore, StoreError> {
        RedisOptions::default().open(url)
    }

    /// The options, to change and [open](RedisOptions::open).
    pub fn options() -> RedisOptions {
        RedisOptions::default()
    }

    fn new(link: Link, options: RedisOptions) -> RedisStore {
        let copies = match options.when_down {
            WhenDown::LocalOnly => options.local_bytes,
            WhenDown::Stop => 0,
        };
        RedisStore {
            link,
            keys: Keys::new(&options.prefix),
            scripts: Scripts {
                acquire: Script::new(include_str!("acquire.lua")),
                release: Script::new(include_str!("release.lua")),
                put: Script::new(include_str!("put.lua")),
                reserve: Script::new(include_str!("reserve.lua")),
                hold: Script::new(include_str!("hold.lua")),
                purge: Script::new(include_str!("purge.lua")),
            },
            local: MemoryStore::new().max_bytes(copies),
            lanes: (0..LANES).map(|_| Mutex::new(())).collect(),
            hasher: RandomState::new(),
            options,
        }
    }

    /// The server, without its password.
    pub fn place(&self) -> &str {
        self.link.place()
    }

    /// Asks the server whether it is there, whatever is configured for when it is down.
    ///
    /// # Errors
    ///
    /// If it does not answer, or refuses the password.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let answer: Option<String> = self.link.ask(&redis::cmd("PING")).await?;
        match answer {
            Some(_) => Ok(()),
            None => Err(StoreError::new(format!("store `{}` does not answer", self.place()))),
        }
    }

    /// Waits for the lane of an origin.
    async fn lane(&self, origin: &Origin) -> Option<MutexGuard<'_, ()>> {
        let lane = self.lanes.get(usize::from(self.hasher.hash_one(origin).to_le_bytes()[0]))?;
        Some(lane.lock().await)
    }

    async fn read(&self, origin: &Origin) -> Result<Option<Entry>, StoreError> {
        let read = Cmd::hget(self.keys.entry(origin), "sealed");
        let Some(sealed) = self.link.ask::<Option<Vec<u8>>>(&read).await? else {
            return self.local.get(origin).await;
        };
        let Some(sealed) = sealed else {
            self.local.remove(origin).await?;
            return Ok(None);
        };
        let Some(entry) = Entry::open(sealed) else {
            tracing::warn!(%origin, store = self.place(), "an entry is torn and removed");
            self.remove(origin).await?;
            return Ok(None);
        };
        if self.options.when_down == WhenDown::LocalOnly {
            self.local.put(origin, &entry, None, SystemTime::now()).await?;
        }
        Ok(Some(entry))
    }

    async fn write(
        &self,
        origin: &Origin,
        entry: &Entry,
        lease: Option<&Lease>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        if lease.is_some_and(|lease| lease.origin != *origin) {
            return Ok(false);
        }
        let mut put = self.scripts.put.key(self.keys.entry(origin));
        put.key(self.keys.fence(origin))
            .key(self.keys.lease(origin))
            .arg(entry.sealed())
            .arg(millis(self.options.expiry))
            .arg(lease.map_or(String::new(), |lease| lease.number.to_string()));
        match self.link.run::<bool>(&put).await? {
            // The server has the last word about leases.
            Some(true) => {
                if let Some(lease) = lease {
                    self.local.release(lease.clone()).await?;
                }
                self.local.put(origin, entry, None, now).await
            }
            Some(false) => Ok(false),
            None => self.local.put(origin, entry, lease, now).await,
        }
    }

    async fn lease(&self, origin: &Origin, ttl: Duration, now: SystemTime) -> Result<Acquired, StoreError> {
        // Whoever waits in this process for this process need not ask; and a lease from the time when the server was
        // down counts here until it ends.
        if let Some(wait) = self.local.lease_wait(origin, now) {
            return Ok(Acquired::Held(wait));
        }
        let mut acquire = self.scripts.acquire.key(self.keys.lease(origin));
        acquire
            .key(self.keys.fence(origin))
            .arg(millis(ttl))
            .arg(millis(ttl).saturating_add(millis(self.options.expiry)));
        match self.link.run::<(bool, u64)>(&acquire).await? {
            Some((true, number)) => {
                let lease = Lease::new(origin.clone(), number);
                self.local.note_lease(&lease, ttl, now);
                Ok(Acquired::Granted(lease))
            }
            Some((false, wait)) => Ok(Acquired::Held(Duration::from_millis(wait))),
            None => self.local.acquire(origin, ttl, now).await,
        }
    }

    async fn slot(
        &self,
        origin: &Origin,
        interval: Duration,
        max_wait: Duration,
        now: SystemTime,
    ) -> Result<Slot, StoreError> {
        // `now` was when the caller asked; it may have stood in the lane since.
        let asked = Instant::now();
        let _lane = self.lane(origin).await;
        let here = self.local.slot_wait(origin, interval, now);
        let limit = if here > max_wait { -1 } else { micros(max_wait) };
        let mut reserve = self.scripts.reserve.key(self.keys.pace(origin));
        reserve
            .arg(micros_up(interval))
            .arg(micros_up(here.saturating_sub(asked.elapsed())))
            .arg(limit)
            .arg(micros(KEPT_AT_LEAST));
        match self.link.run::<(bool, u64)>(&reserve).await? {
            Some((true, wait)) => {
                let wait = here.max(Duration::from_micros(wait));
                self.local.note_slot(origin, interval, wait, now);
                Ok(Slot::Taken(wait))
            }
            Some((false, wait)) => Ok(Slot::TooFar(here.max(Duration::from_micros(wait)))),
            None => self.local.reserve(origin, interval, max_wait, now).await,
        }
    }

    async fn keep_back(
        &self,
        origin: &Origin,
        until_in: Duration,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.local.hold(origin, until_in, now).await?;
        let mut hold = self.scripts.hold.key(self.keys.pace(origin));
        hold.arg(micros_up(until_in));
        self.link.run::<()>(&hold).await?;
        Ok(())
    }

    /// Gives each origin that has an entry to `each`, in no order, some more than once. `None` if the server is down.
    async fn scan(&self, mut each: impl FnMut(Origin) + Send) -> Result<Option<()>, StoreError> {
        let pattern = self.keys.every_entry();
        let mut cursor = 0_u64;
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(1000);
            let Some((next, keys)) = self.link.ask::<(u64, Vec<Vec<u8>>)>(&scan).await? else {
                return Ok(None);
            };
            keys.iter().filter_map(|key| self.keys.origin(key)).for_each(&mut each);
            if next == 0 {
                return Ok(Some(()));
            }
            cursor = next;
        }
    }

    async fn page(&self, after: Option<&Origin>, limit: usize) -> Result<Vec<Origin>, StoreError> {
        let mut page = BTreeSet::new();
        let scanned = self.scan(|origin| {
            if after.is_none_or(|after| origin > *after) {
                page.insert(origin);
                if page.len() > limit {
                    page.pop_last();
                }
            }
        });
        match scanned.await? {
            Some(()) => Ok(page.into_iter().collect()),
            None => self.local.list(after, limit).await,
        }
    }

    async fn clear(&self, before: Option<SystemTime>) -> Result<u64, StoreError> {
        let here = self.local.purge(before).await?;
        let mut origins = BTreeSet::new();
        if self.scan(|origin| origins.extend([origin])).await?.is_none() {
            return Ok(here);
        }
        let origins: Vec<Origin> = origins.into_iter().collect();
        let before = before.map_or(i64::MAX, |time| nanos(time).saturating_add(999).div_euclid(1000));
        let mut removed = 0;
        for some in origins.chunks(PURGED_TOGETHER) {
            let purged = some.iter().map(|origin| async move {
                let mut purge = self.scripts.purge.key(self.keys.entry(origin));
                purge.arg(before);
                self.link.run::<u64>(&purge).await
            });
            removed += try_join_all(purged).await?.into_iter().flatten().sum::<u64>();
        }
        Ok(removed)
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("place", &self.place())
            .field("down", &self.link.is_down())
            .finish_non_exhaustive()
    }
}

/// For an expiry: at least one, rounded up.
fn millis(duration: Duration) -> u64 {
    let duration = duration.min(LONGEST);
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX).max(1)
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.min(LONGEST).as_micros()).unwrap_or(i64::MAX)
}

fn micros_up(duration: Duration) -> i64 {
    micros(duration.saturating_add(Duration::from_nanos(999)))
}

impl Store for RedisStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        Box::pin(self.read(origin))
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(self.write(origin, entry, lease, now))
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let here = self.local.remove(origin).await?;
            let removed = self.link.ask(&Cmd::del(self.keys.entry(origin))).await?;
            Ok(removed.unwrap_or(here))
        })
    }

    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Acquired, StoreError>> {
        Box::pin(self.lease(origin, ttl, now))
    }

    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut release = self.scripts.release.key(self.keys.lease(&lease.origin));
            release.arg(lease.number.to_string());
            self.local.release(lease).await?;
            self.link.run::<()>(&release).await?;
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
        Box::pin(self.slot(origin, interval, max_wait, now))
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        until_in: Duration,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.keep_back(origin, until_in, now))
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>> {
        Box::pin(self.page(after, limit))
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(self.clear(before))
    }
}
