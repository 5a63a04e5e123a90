//! A store in a file that several processes share: SQLite with a write-ahead log.
//!
//! If a process is killed, the file stays intact and contains every entry that [`put`](Entries::put) reported as written.
//! After a power cut, the last commits may be missing. Each entry also has a seal that detects incomplete writes.
//!
//! If the file is deleted or replaced while it is open, the store detects the change, and opens or creates the file at
//! the path. Slots of the old file become invalid, but the record of slots that were
//! [handed on](SlotRequest::is_handed_on) to other programs is copied. On a full disk, new entries are not stored. Slots
//! and leases then use the space of a reserve file with the suffix `-room`. When that space is used up, the store
//! deletes its file and creates an empty one.
//!
//! The file must belong to this user or to root, and must not be a link; [`EmbeddedOptions::shared`] allows files of
//! other users. Versions of this crate with another storage format use separate tables in the same file.
//!
//! One thread writes and another thread reads. Concurrent writes share a transaction: while several tasks write, a
//! write waits up to a quarter of a millisecond for other writes. If only one task writes, its writes do not wait.
//! Readers do not wait for writers. Leases are acquired and slots reserved in write transactions, and only one process
//! at a time has a write transaction. A third thread starts when the write-ahead log has grown to 4 MiB, and copies the
//! log into the file. The log is at most 8 MiB long, plus the size of one transaction, unless another process reads for
//! a long time.
//!
//! The file must be on a local file system, since the write-ahead log needs memory that is shared between processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::slots::{nanos, ticks};
use super::{
    Entries, Entry, EntryOrLease, FirstRequest, LONGEST_LEASE, Lane, Lease, LeaseAnswer, Slot, SlotRequest,
    SlotStatus, Store, StoreError, StoreFault, Turns,
};
use crate::{BoxFuture, Moment, Origin};

mod batch;
mod log;
mod open;
mod origin_row;
mod queue;
mod read;
mod rows;
mod worker;

use batch::Batch;
use open::{OpenError, Opening, failed, refused};
pub use read::EmbeddedEntries;
use rows::OriginVisit;
use worker::{TransactionMode, Worker};

/// Number of requests for leases and slots between two steps of the sweep, which removes expired rows. The first
/// request of a process also runs a step.
const SWEEP_EVERY: u32 = 512;

/// A store in a file that several processes share. See the [module](self).
///
/// ```
/// use std::time::SystemTime;
///
/// use comity_client::Origin;
/// use comity_client::store::{EmbeddedStore, Entries, Entry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("robots.db");
/// let store = EmbeddedStore::open(&path)?;
/// let origin = Origin::of(&"https://example.com/".parse()?).ok_or("no origin")?;
/// store.put(&origin, &Entry::seal(b"User-agent: *"), None, SystemTime::now()).await?;
///
/// let another = EmbeddedStore::open(&path)?;
/// assert_eq!(another.get(&origin).await?.ok_or("gone")?.content(), b"User-agent: *");
/// assert!(another.verify().await?.is_sound());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct EmbeddedStore {
    path: Arc<PathBuf>,
    opening: Opening,
    options: EmbeddedOptions,
    writer: Worker,
    reader: Worker,
    taken: AtomicU32,
}

/// Options for opening an [`EmbeddedStore`].
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    max_bytes: u64,
    busy_timeout: Duration,
    is_shared: bool,
}

/// The origin, size and write time of an entry, for inspecting a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryInfo {
    /// The origin.
    pub origin: Origin,
    /// Size of the sealed entry, in bytes.
    pub sealed_bytes: u64,
    /// Time at which the entry was written.
    pub put: SystemTime,
}

/// The size of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Size {
    /// The number of entries.
    pub entries: u64,
    /// Size of all entries in bytes, counted as for [`EmbeddedOptions::max_bytes`].
    pub bytes: u64,
    /// Size of the file and its write-ahead log, in bytes.
    pub file_bytes: u64,
}

/// The result of [`EmbeddedStore::verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The number of entries read.
    pub entries: u64,
    /// Origins of incomplete entries, as written in the file.
    pub torn: Vec<String>,
    /// The problems that SQLite reports.
    pub problems: Vec<String>,
}

impl Verification {
    /// Returns true if no problem was found.
    pub fn is_sound(&self) -> bool {
        self.torn.is_empty() && self.problems.is_empty()
    }
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions { max_bytes: 512 << 20, busy_timeout: Duration::from_secs(10), is_shared: false }
    }
}

impl EmbeddedOptions {
    /// Sets the maximum total size of the keys and sealed entries, in bytes. The file is a little larger. The oldest
    /// entries are evicted first. An entry larger than the limit is not stored. The default is 512 MiB.
    #[must_use]
    pub fn max_bytes(self, max_bytes: u64) -> Self {
        EmbeddedOptions { max_bytes, ..self }
    }

    /// Sets the timeout of a wait for locks of other processes, at most a day. The default is 10 seconds.
    #[must_use]
    pub fn busy_timeout(self, busy_timeout: Duration) -> Self {
        // SQLite takes milliseconds as an i32.
        EmbeddedOptions { busy_timeout: busy_timeout.min(Duration::from_secs(24 * 60 * 60)), ..self }
    }

    /// Sets whether the file may belong to another user. If so, the group can read and write new files. The default is
    /// false, since a user who can write to the file controls the cached robots.txt files and the pace of requests.
    #[must_use]
    pub fn shared(self, is_shared: bool) -> Self {
        EmbeddedOptions { is_shared, ..self }
    }

    /// Opens the file, as [`EmbeddedStore::open`] does.
    ///
    /// # Errors
    ///
    /// As for [`EmbeddedStore::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<EmbeddedStore, StoreError> {
        let given = path.as_ref();
        let path = open::absolute(given).map_err(|error| refused(given, error.into()))?;
        let EmbeddedOptions { busy_timeout, is_shared, .. } = self;
        let opening = Opening { path: path.clone(), busy_timeout, is_shared };
        let path = Arc::new(path);
        let start = |work| {
            let database = opening.open()?;
            Worker::start(database, work, Arc::clone(&path)).map_err(OpenError::from)
        };
        let writer = start(TransactionMode::Writes).map_err(|why| refused(&path, why))?;
        let reader = start(TransactionMode::Reads).map_err(|why| refused(&path, why))?;
        Ok(EmbeddedStore { path, opening, options: self, writer, reader, taken: AtomicU32::new(0) })
    }
}

impl EmbeddedStore {
    /// Opens the file at `path`, or creates it with its folders. Only this user can read new files. The call blocks
    /// while it opens the file.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be created or written, if it is not a store, or if a newer version of Comity created
    /// it.
    pub fn open(path: impl AsRef<Path>) -> Result<EmbeddedStore, StoreError> {
        EmbeddedOptions::default().open(path)
    }

    /// Returns the default options. [`EmbeddedOptions::open`] opens a store with them.
    pub fn options() -> EmbeddedOptions {
        EmbeddedOptions::default()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a page of entries in the order of their origins, as [`Entries::list`] does, with size and write time.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read.
    pub async fn entries(&self, after: Option<&Origin>, limit: usize) -> Result<Vec<EntryInfo>, StoreError> {
        let after = after.cloned();
        self.reader.run(move |db| rows::list(db, after.as_ref().map_or("", Origin::as_str), limit)).await
    }

    /// Returns the size of the store.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read.
    pub async fn size(&self) -> Result<Size, StoreError> {
        let (entries, bytes) = self.reader.run(|db| rows::size(db)).await?;
        let length = |ending| std::fs::metadata(self.opening.companion(ending)).map_or(0, |file| file.len());
        Ok(Size { entries, bytes, file_bytes: length("") + length("-wal") })
    }

    /// Checks the structure of the file and the seal of each entry. A check of 100 MB takes about a second and does not
    /// block other operations.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read at all.
    pub async fn verify(&self) -> Result<Verification, StoreError> {
        self.run_separately(|db| {
            let (entries, torn) = rows::torn(db)?;
            Ok(Verification { entries, torn, problems: rows::problems(db)? })
        })
        .await
    }

    /// Runs a long operation on a separate connection and thread.
    async fn run_separately<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let opening = self.opening.clone();
        let done = tokio::task::spawn_blocking(move || {
            let database = opening.open().map_err(|why| refused(&opening.path, why))?;
            work(&database.connection).map_err(|error| failed(&opening.path.display(), error))
        });
        done.await.map_err(|error| StoreError::of_task("the operation on the store", error))?
    }

    /// Counts a request for a lease or slot. Returns true if the request must run a step of the sweep.
    fn sweeps(&self) -> bool {
        self.taken.fetch_add(1, Ordering::Relaxed).is_multiple_of(SWEEP_EVERY)
    }

    /// Returns an operation for the writer's thread. It grants a lease and reserves the slot of the first request under
    /// the lease.
    fn acquiring(
        &self,
        origin: &Origin,
        ttl: Duration,
        first: Option<FirstRequest<'_>>,
        now: Moment,
    ) -> impl FnMut(&Batch<'_>) -> rusqlite::Result<(Result<rows::GrantedLease, Duration>, Option<Slot>)>
    + Send
    + use<> {
        let (key, now, sweeps) = (origin.clone(), ticks(now), self.sweeps());
        let first = first.map(|first| (first.pace_of.clone(), first.slot, first.lane_hold));
        let ttl = ttl.min(LONGEST_LEASE);
        move |db| {
            if sweeps {
                rows::sweep(db, now)?;
            }
            let mut visit = OriginVisit::to(db, key.as_str(), now)?;
            let granted = visit.acquire(ttl)?;
            let slot = match first.as_ref().filter(|_| granted.is_ok()) {
                None => None,
                Some((pace_of, slot, lane_hold)) if *pace_of == key => {
                    Some(visit.reserve_and_hold(slot, Some(*lane_hold))?)
                }
                Some((pace_of, slot, lane_hold)) => {
                    let mut other = OriginVisit::to(db, pace_of.as_str(), now)?;
                    let slot = other.reserve_and_hold(slot, Some(*lane_hold))?;
                    other.keep()?;
                    Some(slot)
                }
            };
            visit.keep()?;
            Ok((granted, slot))
        }
    }

    /// Returns an operation for the writer's thread. It reserves a slot. If the slot begins at once, it also adds a hold
    /// to another lane.
    fn reserving(
        &self,
        origin: &Origin,
        request: &SlotRequest,
        lane_hold: Option<(Lane, Duration)>,
        now: Moment,
    ) -> impl FnMut(&Batch<'_>) -> rusqlite::Result<Slot> + Send + use<> {
        let (key, request, now, sweeps) = (origin.clone(), *request, ticks(now), self.sweeps());
        move |db| {
            if sweeps {
                rows::sweep(db, now)?;
            }
            let mut visit = OriginVisit::to(db, key.as_str(), now)?;
            let slot = visit.reserve_and_hold(&request, lane_hold)?;
            visit.keep()?;
            Ok(slot)
        }
    }

    async fn clear(&self, before: Option<i64>) -> Result<u64, StoreError> {
        match self.writer.run(move |db| rows::purge(db, before)).await {
            Ok(removed) => Ok(removed),
            // The disk has no space even for the log of the removals. Since all data is removed, the file can be
            // deleted instead.
            Err(error) if error.fault() == StoreFault::Full && before.is_none() => {
                let removed = self.size().await?.entries;
                self.opening.remove().map_err(|why| refused(&self.path, why.into()))?;
                // Each worker detects that the file is missing and creates a new one.
                self.writer.run(|_| Ok(())).await?;
                Ok(removed)
            }
            Err(error) => Err(error),
        }
    }
}

/// The result of a request for the entry of an origin.
enum LookupOutcome {
    /// The sealed entry of the origin.
    Sealed(Vec<u8>),
    /// The origin has no entry, so its lease was requested. Contains the answer and, if the lease was granted, the
    /// slot.
    LeaseAnswer(Result<rows::GrantedLease, Duration>, Option<Slot>),
}

fn lease_answer(origin: &Origin, granted: Result<rows::GrantedLease, Duration>) -> LeaseAnswer {
    match granted {
        Ok(rows::GrantedLease { number, sealed }) => LeaseAnswer::Granted {
            lease: Lease::new(origin.clone(), number.unsigned_abs()),
            // An incomplete entry counts as absent. The holder of the lease replaces it.
            entry: sealed.and_then(Entry::open),
        },
        Err(wait) => LeaseAnswer::Held(wait),
    }
}

/// Converts a lease number for SQLite. Numbers start at most at half of `i64::MAX`, so they never reach `i64::MAX`.
fn as_row(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Entries for EmbeddedStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        Box::pin(async move {
            let key = origin.clone();
            // Verifying a large entry takes time, so the reader's thread does it, and not a thread of the async
            // runtime.
            match self.reader.run(move |db| Ok(rows::get(db, key.as_str())?.map(Entry::open))).await? {
                None => Ok(None),
                Some(Some(entry)) => Ok(Some(entry)),
                Some(None) => {
                    tracing::warn!(%origin, path = %self.path.display(), "an incomplete entry is removed");
                    let key = origin.clone();
                    self.writer.run(move |db| rows::remove_torn(db, key.as_str())).await?;
                    Ok(None)
                }
            }
        })
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>> {
        Box::pin(async move {
            let entries = self.entries(after, limit).await?;
            Ok(entries.into_iter().map(|entry| entry.origin).collect())
        })
    }

    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<LeaseAnswer, StoreError>> {
        Box::pin(async move {
            let (granted, _) = self.writer.run_vital(self.acquiring(origin, ttl, None, now)).await?;
            Ok(lease_answer(origin, granted))
        })
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            if lease.is_some_and(|lease| lease.origin != *origin) {
                return Ok(false);
            }
            let (key, sealed, max_bytes) = (origin.clone(), entry.clone(), self.options.max_bytes);
            let (number, now) = (lease.map(|lease| as_row(lease.number)), nanos(now));
            let written = self
                .writer
                .run(move |db| rows::put(db, key.as_str(), sealed.sealed(), number, now, max_bytes))
                .await;
            if let (Err(error), Some(lease)) = (&written, lease)
                && error.fault() == StoreFault::Full
            {
                // Release the lease even if the entry cannot be stored, so that other tasks do not wait for the lease.
                self.release(lease.clone()).await?;
            }
            written
        })
    }

    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.writer
                .run_vital(move |db| rows::release(db, lease.origin.as_str(), as_row(lease.number)))
                .await
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let key = origin.clone();
            self.writer.run(move |db| rows::remove(db, key.as_str())).await
        })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            let before = before.map(nanos);
            let removed = self.clear(before).await?;
            // The log contains the purged data until a checkpoint. If another process reads for too long, a checkpoint
            // after a later commit removes the data.
            let busy_timeout = self.options.busy_timeout;
            self.run_separately(move |db| log::reset_log(db, "TRUNCATE", busy_timeout)).await?;
            Ok(removed)
        })
    }
}

impl Turns for EmbeddedStore {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        Box::pin(async move { self.writer.run_vital(self.reserving(origin, request, None, now)).await })
    }

    fn reserve_and_hold<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        (lane, until_in): (Lane, Duration),
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        Box::pin(async move {
            self.writer.run_vital(self.reserving(origin, request, Some((lane, until_in)), now)).await
        })
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> BoxFuture<'a, Result<SlotStatus, StoreError>> {
        Box::pin(async move {
            let (key, request, taken, now) = (origin.clone(), *request, ticks(taken), ticks(now));
            self.reader.run(move |db| rows::slot_status(db, key.as_str(), &request, taken, now)).await
        })
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (key, now) = (origin.clone(), ticks(now));
            self.writer
                .run_vital(move |db| {
                    let mut visit = OriginVisit::to(db, key.as_str(), now)?;
                    visit.hold(lane, until_in)?;
                    visit.keep()
                })
                .await
        })
    }

    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (key, request) = (origin.clone(), *request);
            self.writer.run(move |db| rows::give_back(db, key.as_str(), &request)).await
        })
    }
}

impl Store for EmbeddedStore {
    fn get_or_acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        first: Option<FirstRequest<'a>>,
        now: Moment,
    ) -> BoxFuture<'a, Result<EntryOrLease, StoreError>> {
        Box::pin(async move {
            let (key, mut acquire) = (origin.clone(), self.acquiring(origin, ttl, first, now));
            let look = move |db: &Batch<'_>| Ok(rows::look(db, key.as_str())?.map(LookupOutcome::Sealed));
            let write = move |db: &Batch<'_>| {
                acquire(db).map(|(granted, slot)| LookupOutcome::LeaseAnswer(granted, slot))
            };
            let (granted, slot) = match self.writer.look_or_run_vital(look, write).await? {
                LookupOutcome::LeaseAnswer(granted, slot) => (granted, slot),
                LookupOutcome::Sealed(sealed) => match Entry::open(sealed) {
                    Some(entry) => return Ok(EntryOrLease::Entry(entry)),
                    // An incomplete entry counts as absent. The holder of the lease replaces it.
                    None => self.writer.run_vital(self.acquiring(origin, ttl, first, now)).await?,
                },
            };
            Ok(EntryOrLease::Lease(lease_answer(origin, granted), slot))
        })
    }
}
