//! A store on servers that many machines share: Redis (6 or later) or Valkey. The servers are a single one, a master
//! that Sentinels watch, or a cluster.
//!
//! | key | value |
//! |---|---|
//! | `comity:1:{0}:https://example.com:entry` | a hash of the sealed bytes and the time of writing; expires |
//! | `…:lease` | the number of the current lease; expires when the lease ends |
//! | `…:fence` | the number of the latest lease, even if it has ended; expires |
//! | `…:pace:pages`, and one more key for each other [`Lane`] | a hash of the last slot, the number of its request, the slot before it, the latest end of all holds, the longest interval, and the time of writing; expires |
//! | `comity:1:{0}:epoch` | the start of the epoch, and the replication ID of the server: the server has all data that was written since then |
//! | `comity:1:{0}:handed_on` | a hash of the end of the last handed-on slot, the floor (see below), and the time of writing; expires |
//!
//! The number 1 is the format; clients of another format do not touch these keys. The number in braces is the bucket of
//! the origin. A cluster has 256 buckets, which it distributes over its masters; a single server has one. Each bucket
//! has an epoch, since a master of a cluster can lose its data alone. Short scripts on the server grant leases, write
//! entries and reserve slots. They use the server's clock, since the clocks of machines differ. If another program has
//! written a value to a key of an origin, only that origin is affected. The value is deleted and replaced, and a
//! warning is logged. If it was the pace, the origin waits one interval.
//!
//! # A server that loses data
//!
//! If the server has no epoch, a process begins one. Earlier slots are lost, so every origin waits one interval from
//! the start of the epoch. A slot is [confirmed](Turns::confirm) after the wait for it: it must belong to the current
//! epoch, and the server must still have it. So no request begins too early after `FLUSHALL` or a restart without data.
//! Each process also records its own leases and slots. A reservation includes a deadline. A reservation that reaches
//! the server too late reserves no slot. If its answer is late, the slot is given back. A process that has received the
//! server's time detects when the server's clock jumps ahead, and begins a new epoch.
//!
//! # Failover
//!
//! A replica that becomes the master may lack the last writes of the former master. It has another replication ID than
//! the epoch, as a restarted server has. So the first script on it begins a new epoch. The former master may still
//! grant slots to clients that have not detected the failover: a client requests the address of the master from the
//! Sentinels every second, and the servers of a cluster inform each other. So every origin waits one interval from five seconds
//! after the start of the epoch. Entries and leases that the replica lacks are lost, and robots.txt is requested again.
//!
//! # Handed-on slots
//!
//! Slots that were [handed on](SlotRequest::is_handed_on) to other programs are not confirmed. So the server returns
//! the end of the last such slot with each reservation. Each process records this end, and sends it with its next
//! reservation. If the server has lost its data, the end becomes the floor: every origin waits one interval from the
//! floor. A request that waits for an earlier slot is delayed to the floor when it confirms the slot.
//!
//! # Limits
//!
//! After a loss of data, the first reservations may come from processes that did not receive the latest end of a
//! handed-on slot. Their slots may begin too early, until a process that did receive the end sends it to the server. A
//! former master that is cut off from its replicas for longer than five seconds, but not from its clients, grants slots
//! at the same time as the new master; `min-replicas-to-write` limits this. The store cannot detect that a server
//! evicts keys, so set `maxmemory-policy noeviction`.
//!
//! With [`WhenDown::LocalOnly`], each process copies the entries that it reads and writes, and uses the copies while
//! the server is down. If an entry is removed or purged in that time, only the copy is removed.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::try_join_all;
use redis::{Cmd, Script};

use super::locks::OriginLocks;
use super::slots::{KEPT_AT_LEAST, nanos};
use super::{
    Entries, Entry, LONGEST_LEASE, Lane, Lease, LeaseAnswer, MemoryStore, Reply, Slot, SlotRequest,
    SlotStatus, Store, StoreError, StoreFault, Turns, WhenDown,
};
use crate::{Moment, Origin};

mod keys;
mod link;
mod open;
mod options;
mod server_state;

use keys::Keys;
use link::{Link, Request};
pub use options::RedisOptions;
use server_state::{HandedOnEnd, PendingSlot, ServerState};

/// Maximum duration that is passed to a script: a hundred years. The limit keeps sums exact in the numbers of Lua.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Maximum number of keys that a purge removes at the same time.
const ENTRIES_PER_PURGE: usize = 256;

/// A store on a server that many machines share. See the [module](self).
///
/// ```no_run
/// use std::time::Duration;
///
/// use comity_client::store::RedisStore;
/// use comity_client::store::WhenDown;
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
    /// The state of each bucket.
    states: Box<[ServerState]>,
    /// True if each bucket of a cluster has an epoch.
    has_begun: AtomicBool,
    /// Locks of reservations, so that this process records each reservation of an origin before it sends the next.
    locks: OriginLocks,
}

/// Declares the scripts. Each consists of the common functions in `prelude.lua` and the file of its name.
macro_rules! scripts {
    ($($name:ident),+) => {
        struct Scripts {
            $($name: Script,)+
        }

        impl Default for Scripts {
            fn default() -> Self {
                Scripts {
                    $($name: Script::new(concat!(
                        include_str!("prelude.lua"),
                        include_str!(concat!(stringify!($name), ".lua")),
                    )),)+
                }
            }
        }
    };
}

scripts!(acquire, begin, confirm, give_back, hold, purge, put, release, reserve);

/// The answer of `reserve.lua`: the result (1 reserved, 0 too far off, 2 too late); the wait, the server's time and its
/// epoch, all in µs; true if the value of another program was removed; the time in µs until the end of the last
/// handed-on slot.
type ReserveAnswer = (u8, u64, i64, i64, bool, u64);

/// The answer to `SCAN`: the next cursor, or 0 at the end; and keys.
type ScanStep = (u64, Vec<Vec<u8>>);

impl RedisStore {
    /// Creates a store on the servers at `url` with the default options. The store connects when it is first used.
    ///
    /// # Errors
    ///
    /// An error if the URL cannot be parsed.
    pub fn open(url: &str) -> Result<RedisStore, StoreError> {
        RedisOptions::default().open(url)
    }

    /// Returns the default options. [`RedisOptions::open`] creates a store with them.
    pub fn options() -> RedisOptions {
        RedisOptions::default()
    }

    fn new(link: Link, options: RedisOptions) -> RedisStore {
        let copies = match options.when_down {
            WhenDown::LocalOnly => options.local_bytes,
            WhenDown::Stop => 0,
        };
        let keys = Keys::new(&options.prefix, link.is_cluster());
        RedisStore {
            states: (0..keys.buckets()).map(|_| ServerState::default()).collect(),
            has_begun: AtomicBool::new(!link.is_cluster()),
            link,
            keys,
            scripts: Scripts::default(),
            local: MemoryStore::new().max_bytes(copies),
            locks: OriginLocks::new(),
            options,
        }
    }

    /// Returns the URL of the servers, without its password.
    pub fn place(&self) -> &str {
        self.link.place()
    }

    /// Sends `PING` to the server, or to every master of a cluster. Returns an error if a server is down, even with
    /// [`WhenDown::LocalOnly`].
    ///
    /// # Errors
    ///
    /// An error if the server does not answer, or rejects the password.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let answer: Option<String> = self.link.ask(&redis::cmd("PING")).await?;
        match answer {
            Some(_) => Ok(()),
            None => Err(StoreError::new(format!("store `{}` does not answer", self.place()))),
        }
    }

    /// Returns the state of the server that has the origin's keys.
    fn state(&self, origin: &Origin) -> &ServerState {
        &self.states[self.keys.bucket(origin) as usize]
    }

    async fn read(&self, origin: &Origin) -> Result<Option<Entry>, StoreError> {
        let read = Cmd::hget(self.keys.entry(origin), "sealed");
        let sealed = match self.link.ask::<Option<Vec<u8>>>(&read).await {
            Ok(Some(sealed)) => sealed,
            Ok(None) => return self.local.get(origin).await,
            // The value is not a hash, so another program wrote it.
            Err(error) if error.fault() == StoreFault::Data => {
                tracing::warn!(%origin, store = self.place(), %error, "the value of another program is removed");
                self.remove(origin).await?;
                None
            }
            Err(error) => return Err(error),
        };
        let Some(sealed) = sealed else {
            self.local.remove(origin).await?;
            return Ok(None);
        };
        let Some(entry) = Entry::open(sealed) else {
            tracing::warn!(%origin, store = self.place(), "an incomplete entry is removed");
            self.remove(origin).await?;
            return Ok(None);
        };
        self.copy(origin, &entry).await?;
        Ok(Some(entry))
    }

    /// Copies an entry to the local store, for use while the server is down.
    async fn copy(&self, origin: &Origin, entry: &Entry) -> Result<(), StoreError> {
        if self.options.when_down == WhenDown::LocalOnly {
            self.local.put(origin, entry, None, SystemTime::now()).await?;
        }
        Ok(())
    }

    /// Logs a warning if a script has removed the value of another program from a key of the origin.
    fn warn_if_replaced(&self, origin: &Origin, is_mended: bool) {
        if is_mended {
            tracing::warn!(%origin, store = self.place(), "the value of another program was removed and replaced");
        }
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
        let written = self.link.run::<(bool, bool)>(&put).await?;
        if let Some((_, is_mended)) = written {
            self.warn_if_replaced(origin, is_mended);
        }
        match written {
            // The server has checked that the lease is the latest, so the local store does not check it again.
            Some((true, _)) => {
                if let Some(lease) = lease {
                    self.local.release(lease.clone()).await?;
                }
                self.local.put(origin, entry, None, now).await
            }
            Some((false, _)) => Ok(false),
            None => self.local.put(origin, entry, lease, now).await,
        }
    }

    async fn lease(&self, origin: &Origin, ttl: Duration, now: Moment) -> Result<LeaseAnswer, StoreError> {
        let ttl = ttl.min(LONGEST_LEASE);
        // If a task of this process holds the lease, no request to the server is needed. A lease that was granted
        // locally while the server was down stays valid in this process until it ends.
        if let Some(wait) = self.local.lease_wait(origin, ttl, now) {
            return Ok(LeaseAnswer::Held(wait));
        }
        let mut acquire = self.scripts.acquire.key(self.keys.lease(origin));
        acquire
            .key(self.keys.fence(origin))
            .key(self.keys.entry(origin))
            .arg(millis(ttl))
            .arg(millis(ttl).saturating_add(millis(self.options.expiry)));
        let answer = self.link.run::<(bool, u64, Option<Vec<u8>>, bool)>(&acquire).await?;
        match answer {
            Some((true, number, sealed, is_mended)) => {
                self.warn_if_replaced(origin, is_mended);
                let lease = Lease::new(origin.clone(), number);
                self.local.note_lease(&lease, ttl, now);
                // An incomplete entry counts as absent. The holder of the lease replaces it.
                let entry = sealed.and_then(Entry::open);
                if let Some(entry) = &entry {
                    self.copy(origin, entry).await?;
                }
                Ok(LeaseAnswer::Granted { lease, entry })
            }
            Some((false, wait, ..)) => Ok(LeaseAnswer::Held(Duration::from_millis(wait))),
            None => self.local.acquire(origin, ttl, now).await,
        }
    }

    /// Reserves a slot. If the slot begins at once, also adds a hold to another lane.
    async fn slot(
        &self,
        origin: &Origin,
        request: &SlotRequest,
        lane_hold: Option<(Lane, Duration)>,
        now: Moment,
    ) -> Result<Slot, StoreError> {
        let slot = self.take_slot(origin, request, lane_hold, now).await?;
        if let (true, Some((lane, until_in))) = (slot.is_now(), lane_hold) {
            self.local.hold(origin, lane, until_in, now).await?;
        }
        Ok(slot)
    }

    async fn take_slot(
        &self,
        origin: &Origin,
        request: &SlotRequest,
        lane_hold: Option<(Lane, Duration)>,
        now: Moment,
    ) -> Result<Slot, StoreError> {
        // The caller read `now` before this call. The wait for the lock is measured and subtracted.
        let asked = Instant::now();
        self.begin_epochs().await?;
        let _guard = self.locks.lock(origin).await;
        let here = self.local.slot_wait(origin, request, now);
        let sent = Instant::now();
        let mut answer =
            self.request_slot(origin, request, lane_hold, here.saturating_sub(asked.elapsed())).await?;
        if matches!(answer, Some((2, ..))) {
            // The server rejected the request as too late. If the answer arrived in time, the server's clock has jumped
            // ahead.
            if sent.elapsed() < self.options.response_timeout {
                tracing::warn!(
                    store = self.place(),
                    "the store's clock was set ahead; its origins wait one interval"
                );
                self.begin_epoch(self.keys.bucket(origin), true).await?;
            }
            answer =
                self.request_slot(origin, request, lane_hold, here.saturating_sub(asked.elapsed())).await?;
        }
        let Some((state, wait, time, epoch, is_mended, _)) = answer else {
            return self.local.reserve(origin, &self.without_server(request), now).await;
        };
        self.warn_if_replaced(origin, is_mended);
        let wait = Duration::from_micros(wait);
        if state != 1 {
            return Ok(Slot::TooFar(here.max(wait)));
        }
        if !wait.is_zero() {
            let end = time.saturating_add(micros(wait)).saturating_add(micros_up(request.window));
            self.state(origin).add(request.number, PendingSlot { epoch, end });
        }
        let wait = here.max(wait);
        self.local.note_slot(origin, request, wait, now);
        Ok(Slot::Taken(wait))
    }

    async fn request_slot(
        &self,
        origin: &Origin,
        request: &SlotRequest,
        lane_hold: Option<(Lane, Duration)>,
        here: Duration,
    ) -> Result<Option<ReserveAnswer>, StoreError> {
        let sent = Instant::now();
        let is_far = here > request.max_wait || here.saturating_add(request.window) > request.furthest;
        let (state, bucket) = (self.state(origin), self.keys.bucket(origin));
        let deadline = state.deadline(sent, self.options.response_timeout);
        let mut reserve = self.scripts.reserve.key(self.keys.pace(origin, request.lane));
        reserve.key(self.keys.epoch(bucket)).key(self.keys.handed_on(bucket));
        if let Some((lane, _)) = lane_hold {
            reserve.key(self.keys.pace(origin, lane));
        }
        reserve
            .arg(micros_up(request.interval))
            .arg(micros_up(request.window))
            .arg(micros_up(here))
            .arg(if is_far { -1 } else { micros(request.max_wait) })
            .arg(micros(request.furthest))
            .arg(micros(KEPT_AT_LEAST))
            .arg(request.number.to_string())
            .arg(deadline.map_or(String::new(), |deadline| deadline.to_string()))
            .arg(lane_hold.map_or(0, |(_, until_in)| micros_up(until_in)))
            .arg(u8::from(request.is_handed_on));
        let sent_end = state.handed_on_end();
        match sent_end {
            Some(HandedOnEnd { epoch, until }) => {
                reserve.arg(epoch).arg(micros_up(until.saturating_duration_since(Instant::now())))
            }
            None => reserve.arg("").arg(0),
        };
        let answer = self.link.run::<ReserveAnswer>(&reserve).await;
        match answer {
            Ok(Some((2, _, time, ..))) => state.record_time(time, sent),
            Ok(Some((_, _, time, epoch, _, handed_on_end))) => {
                state.record_time(time, sent);
                let until = Instant::now() + Duration::from_micros(handed_on_end).min(LONGEST);
                state.record_handed_on(HandedOnEnd { epoch, until }, sent_end);
            }
            // The server may have reserved the slot, or may still reserve it.
            Ok(None) => self.give_back_in_background(origin, request),
            Err(ref error) if error.fault() == StoreFault::Down => {
                self.give_back_in_background(origin, request)
            }
            Err(_) => {}
        }
        answer
    }

    /// Returns the request to use while the server is down. Its interval is multiplied by the number of processes.
    fn without_server(&self, request: &SlotRequest) -> SlotRequest {
        let times = self.options.processes.get();
        SlotRequest {
            interval: request.interval.saturating_mul(times),
            furthest: request.furthest.saturating_mul(times),
            ..*request
        }
    }

    /// Begins a new epoch in a bucket that has none or, if `is_forced`, in any bucket. Returns `None` if the server is
    /// down.
    async fn begin_epoch(&self, bucket: u32, is_forced: bool) -> Result<Option<()>, StoreError> {
        let mut begin = self.scripts.begin.key(self.keys.epoch(bucket));
        begin.key(self.keys.handed_on(bucket)).arg(u8::from(is_forced));
        self.link.run(&begin).await
    }

    /// Begins the epochs of all buckets when a cluster is first used. Otherwise, the first origin of each bucket would
    /// wait one interval, whenever that is.
    async fn begin_epochs(&self) -> Result<(), StoreError> {
        if !self.has_begun.load(Ordering::Relaxed) && self.begin_all(false).await?.is_some() {
            self.has_begun.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn begin_all(&self, is_forced: bool) -> Result<Option<()>, StoreError> {
        // The first bucket loads the script.
        let first = self.begin_epoch(0, is_forced).await?;
        let others = (1..self.keys.buckets()).map(|bucket| self.begin_epoch(bucket, is_forced));
        Ok(first.and(try_join_all(others).await?.into_iter().collect()))
    }

    async fn slot_status(&self, origin: &Origin, request: &SlotRequest) -> Result<SlotStatus, StoreError> {
        // A slot that began at once, or was reserved locally while the server was down, needs no confirmation.
        let Some(taken) = self.state(origin).find(request.number) else { return Ok(SlotStatus::Valid) };
        let bucket = self.keys.bucket(origin);
        let mut confirm = self.scripts.confirm.key(self.keys.pace(origin, request.lane));
        confirm
            .key(self.keys.epoch(bucket))
            .key(self.keys.handed_on(bucket))
            .arg(taken.epoch)
            .arg(taken.end)
            .arg(micros(request.furthest));
        // After an error, the caller may confirm the slot again.
        let held = self.link.run::<i64>(&confirm).await?;
        self.state(origin).take(request.number);
        let Some(held) = held else { return Ok(SlotStatus::Valid) };
        match u64::try_from(held) {
            Ok(0) => Ok(SlotStatus::Valid),
            Ok(held) => {
                // The caller waits and confirms the slot again.
                self.state(origin).add(request.number, taken);
                Ok(SlotStatus::Held(Duration::from_micros(held)))
            }
            Err(_) => {
                self.local.give_back(origin, request).await?;
                Ok(SlotStatus::Forgotten)
            }
        }
    }

    /// Gives a slot back in the background. If the reservation is still in flight, the server processes it first.
    fn give_back_in_background(&self, origin: &Origin, request: &SlotRequest) {
        let (Some(connection), Ok(runtime)) = (self.link.connection(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let script = self.scripts.give_back.clone();
        let (key, number) = (self.keys.pace(origin, request.lane), request.number.to_string());
        runtime.spawn(async move {
            if let Err(error) = connection.run(script.key(key).arg(number)).await {
                tracing::debug!(%error, "could not give back a slot");
            }
        });
    }

    async fn return_slot(&self, origin: &Origin, request: &SlotRequest) -> Result<(), StoreError> {
        self.state(origin).take(request.number);
        self.local.give_back(origin, request).await?;
        let mut give_back = self.scripts.give_back.key(self.keys.pace(origin, request.lane));
        give_back.arg(request.number.to_string());
        self.link.run::<()>(&give_back).await.map(drop)
    }

    async fn hold_slots(
        &self,
        origin: &Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> Result<(), StoreError> {
        self.local.hold(origin, lane, until_in, now).await?;
        let mut hold = self.scripts.hold.key(self.keys.pace(origin, lane));
        hold.arg(micros_up(until_in));
        if let Some(is_mended) = self.link.run::<bool>(&hold).await? {
            self.warn_if_replaced(origin, is_mended);
        }
        Ok(())
    }

    /// Calls `each` with every key that matches a pattern, in any order. A key may occur more than once. Returns `None`
    /// if the server is down.
    async fn scan(
        &self,
        pattern: String,
        mut each: impl FnMut(Vec<u8>) + Send,
    ) -> Result<Option<()>, StoreError> {
        let step = |cursor: u64| {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(1000);
            scan
        };
        let first = self.link.send::<HashMap<String, ScanStep>>(Request::Masters(&step(0))).await?;
        let Some(first) = first else { return Ok(None) };
        for (master, (mut cursor, keys)) in first {
            keys.into_iter().for_each(&mut each);
            while cursor != 0 {
                let next = self.link.send::<ScanStep>(Request::Master(&step(cursor), &master)).await?;
                let Some((next, keys)) = next else { return Ok(None) };
                keys.into_iter().for_each(&mut each);
                cursor = next;
            }
        }
        Ok(Some(()))
    }

    async fn page(&self, after: Option<&Origin>, limit: usize) -> Result<Vec<Origin>, StoreError> {
        let mut page = BTreeSet::new();
        let scanned = self.scan(self.keys.every_entry(), |key| {
            let Some(origin) = self.keys.origin(&key) else { return };
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
        let Some(before) = before else { return self.empty().await };
        let here = self.local.purge(Some(before)).await?;
        let mut origins = BTreeSet::new();
        if self.scan(self.keys.every_entry(), |key| origins.extend(self.keys.origin(&key))).await?.is_none() {
            return Ok(here);
        }
        let origins: Vec<Origin> = origins.into_iter().collect();
        let before = nanos(before).saturating_add(999).div_euclid(1000);
        let mut removed = 0;
        for some in origins.chunks(ENTRIES_PER_PURGE) {
            let purged = some.iter().map(|origin| async move {
                let mut purge = self.scripts.purge.key(self.keys.entry(origin));
                purge.arg(before);
                self.link.run::<u64>(&purge).await
            });
            removed += try_join_all(purged).await?.into_iter().flatten().sum::<u64>();
        }
        Ok(removed)
    }

    /// Removes every key of origins, and begins new epochs.
    async fn empty(&self) -> Result<u64, StoreError> {
        let here = self.local.purge(None).await?;
        let mut keys = BTreeSet::new();
        if self.scan(self.keys.every_key(), |key| keys.extend([key])).await?.is_none() {
            return Ok(here);
        }
        self.begin_all(true).await?;
        let mut removed = 0;
        for some in keys.into_iter().collect::<Vec<_>>().chunks(ENTRIES_PER_PURGE) {
            let is_entry = |key: &&Vec<u8>| self.keys.origin(key).is_some();
            removed += some.iter().filter(is_entry).count() as u64;
            self.link.ask::<u64>(redis::cmd("UNLINK").arg(some)).await?;
        }
        // Slots that were reserved since the new epochs may have been removed with the keys, so other epochs begin.
        self.begin_all(true).await?;
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

/// Converts the lifetime of a key to milliseconds: rounded up, and at least one.
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

impl Entries for RedisStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
        Box::pin(self.read(origin))
    }

    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
        Box::pin(self.page(after, limit))
    }

    fn acquire<'a>(&'a self, origin: &'a Origin, ttl: Duration, now: Moment) -> Reply<'a, LeaseAnswer> {
        Box::pin(self.lease(origin, ttl, now))
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> Reply<'a, bool> {
        Box::pin(self.write(origin, entry, lease, now))
    }

    fn release<'a>(&'a self, lease: Lease) -> Reply<'a, ()> {
        Box::pin(async move {
            let mut release = self.scripts.release.key(self.keys.lease(&lease.origin));
            release.arg(lease.number.to_string());
            self.local.release(lease).await?;
            self.link.run::<()>(&release).await?;
            Ok(())
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
        Box::pin(async move {
            let here = self.local.remove(origin).await?;
            let removed = self.link.ask(&Cmd::del(self.keys.entry(origin))).await?;
            Ok(removed.unwrap_or(here))
        })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
        Box::pin(self.clear(before))
    }
}

impl Turns for RedisStore {
    fn reserve<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest, now: Moment) -> Reply<'a, Slot> {
        Box::pin(self.slot(origin, request, None, now))
    }

    fn reserve_and_hold<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        lane_hold: (Lane, Duration),
        now: Moment,
    ) -> Reply<'a, Slot> {
        Box::pin(self.slot(origin, request, Some(lane_hold), now))
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        _: Moment,
        _: Moment,
    ) -> Reply<'a, SlotStatus> {
        Box::pin(self.slot_status(origin, request))
    }

    fn hold<'a>(&'a self, origin: &'a Origin, lane: Lane, until_in: Duration, now: Moment) -> Reply<'a, ()> {
        Box::pin(self.hold_slots(origin, lane, until_in, now))
    }

    fn give_back<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest) -> Reply<'a, ()> {
        Box::pin(self.return_slot(origin, request))
    }
}

impl Store for RedisStore {}

#[cfg(test)]
mod tests {
    use testkit::redis::RedisServer;

    use super::*;
    use crate::{Clock, SystemClock};

    /// Changes the recorded time of the server, as if the server's clock had jumped ahead.
    #[tokio::test]
    async fn server_clock_that_jumps_ahead_begins_a_new_epoch() {
        let server = RedisServer::start();
        let store = RedisStore::open(&server.url()).unwrap();
        let mut raw = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        let id = "return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')";
        let id: String = redis::cmd("EVAL").arg(id).arg(0).query(&mut raw).unwrap();
        redis::Cmd::set(store.keys.epoch(0), format!("1 {id}")).exec(&mut raw).unwrap();
        let minute = Duration::from_secs(60);
        let origin = |host: &str| Origin::of(&format!("https://{host}/").parse().unwrap()).unwrap();
        let reserve = async |host: &str, request: &SlotRequest| {
            store.reserve(&origin(host), request, SystemClock.moment()).await.unwrap()
        };
        let request = || SlotRequest::new(minute, 10 * minute);
        let waiting = request();
        assert_eq!(reserve("a.example", &request()).await, Slot::Taken(Duration::ZERO));
        assert!(matches!(reserve("a.example", &waiting).await, Slot::Taken(wait) if wait > minute / 2));
        assert_eq!(reserve("b.example", &request()).await, Slot::Taken(Duration::ZERO));

        let hour_ago = SystemTime::now() - 60 * minute;
        store.states[0].record_time(nanos(hour_ago) / 1000, Instant::now());
        let after = reserve("c.example", &request()).await;
        assert!(matches!(after, Slot::Taken(wait) if wait > minute / 2), "{after:?}");
        let now = SystemClock.moment();
        let slot_status = store.confirm(&origin("a.example"), &waiting, now, now).await;
        assert_eq!(slot_status.unwrap(), SlotStatus::Forgotten, "earlier slots count as lost");
    }
}
