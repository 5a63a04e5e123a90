//! A store in a file that several processes share: SQLite with a write-ahead log.
//!
//! If a process is killed, the file stays intact and contains every entry that [`put`](Entries::put) reported as
//! written. After a power cut, the last commits may be missing. Each entry also has a seal that detects incomplete
//! writes.
//!
//! If the file is deleted or replaced while it is open, the store detects the change, and opens or creates the file at
//! the path. Slots of the old file become invalid, but the record of slots that were
//! [handed on](SlotRequest::is_handed_on) to other programs is copied. On a full disk, new entries are not stored.
//! Slots and leases then use the space of a reserve file with the suffix `-room`. When that space is used up, the store
//! deletes its file and creates an empty one.
//!
//! The file must belong to this user or to root, and must not be a link; [`EmbeddedOptions::shared`] allows files of
//! other users. Versions of this crate with another storage format use separate tables in the same file.
//!
//! One thread runs all operations on one connection. Operations that arrive while it is busy share the next
//! transaction, and complete with its commit. So a read may wait for a write, and writers of several processes wait for
//! each other. The commit with which the write-ahead log reaches 5 MiB also copies the log into the file, so it waits
//! for the disk. The log is at most that long, plus the size of one transaction, unless another process reads for a
//! long time.
//!
//! The file must be on a local file system, since the write-ahead log needs memory that is shared between processes.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::slots::{nanos, ticks};
use super::{
    Entries, Entry, EntryOrLease, FirstRequest, Lane, Lease, LeaseAnswer, Reply, Slot, SlotRequest,
    SlotStatus, Store, StoreError, StoreFault, Turns,
};
use crate::{Moment, Origin};

mod open;
mod options;
mod origin_row;
mod read;
mod rows;
mod thread;

use open::{OpenParameters, reset_log};
pub use options::EmbeddedOptions;
pub use read::EmbeddedEntries;
use thread::{Priority, StoreThread};

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
    opening: OpenParameters,
    thread: StoreThread,
    /// Number of requests for leases and slots.
    taken: AtomicU32,
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

    fn start(path: &Path, options: EmbeddedOptions) -> Result<EmbeddedStore, StoreError> {
        let opening = OpenParameters::new(path, options)?;
        let thread = StoreThread::start(&opening)?;
        Ok(EmbeddedStore { opening, thread, taken: AtomicU32::new(0) })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.opening.path
    }

    /// Returns a page of entries in the order of their origins, as [`Entries::list`] does, with size and write time.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read.
    pub async fn entries(&self, after: Option<&Origin>, limit: usize) -> Result<Vec<EntryInfo>, StoreError> {
        let after = after.cloned();
        let list = move |db: &_| rows::list(db, after.as_ref().map_or("", Origin::as_str), limit);
        self.thread.run(Priority::Dispensable, list).await
    }

    /// Returns the size of the store.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read.
    pub async fn size(&self) -> Result<Size, StoreError> {
        let (entries, bytes) = self.thread.run(Priority::Dispensable, rows::size).await?;
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
            let database = opening.open()?;
            work(&database.connection).map_err(|error| opening.failed(error))
        });
        done.await.map_err(|error| StoreError::of_task("the operation on the store", error))?
    }

    /// Runs an operation that requests a lease or a slot. Some of these operations also run a step of the sweep.
    fn take<T: Send + 'static>(
        &self,
        now: i64,
        mut work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Reply<'_, T> {
        let sweeps = self.taken.fetch_add(1, Ordering::Relaxed).is_multiple_of(SWEEP_EVERY);
        self.thread.run(Priority::Vital, move |db| {
            if sweeps {
                rows::sweep(db, now)?;
            }
            work(db)
        })
    }
}

/// Grants the lease of an origin, or returns the remaining time of the current lease.
fn acquire(db: &Connection, origin: &Origin, ttl: Duration, now: i64) -> rusqlite::Result<LeaseAnswer> {
    Ok(match rows::change(db, origin, |row| Ok(row.acquire(ttl, now)))? {
        Ok(number) => LeaseAnswer::Granted {
            lease: Lease::new(origin.clone(), number.unsigned_abs()),
            // An incomplete entry counts as absent. The holder of the lease replaces it.
            entry: rows::sealed(db, origin)?.and_then(Entry::open),
        },
        Err(wait) => LeaseAnswer::Held(wait),
    })
}

/// Converts a lease number for SQLite. Numbers start at most at half of `i64::MAX`, so they never reach `i64::MAX`.
fn as_row(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Entries for EmbeddedStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
        let (key, path) = (origin.clone(), self.opening.path.clone());
        self.thread.run(Priority::Dispensable, move |db| {
            let Some(sealed) = rows::sealed(db, &key)? else { return Ok(None) };
            let entry = Entry::open(sealed);
            if entry.is_none() {
                tracing::warn!(origin = %key, path = %path.display(), "an incomplete entry is removed");
                rows::remove(db, &key)?;
            }
            Ok(entry)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
        Box::pin(async move {
            let entries = self.entries(after, limit).await?;
            Ok(entries.into_iter().map(|entry| entry.origin).collect())
        })
    }

    fn acquire<'a>(&'a self, origin: &'a Origin, ttl: Duration, now: Moment) -> Reply<'a, LeaseAnswer> {
        let (key, now) = (origin.clone(), ticks(now));
        self.take(now, move |db| acquire(db, &key, ttl, now))
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        lease: Option<&'a Lease>,
        now: SystemTime,
    ) -> Reply<'a, bool> {
        Box::pin(async move {
            if lease.is_some_and(|lease| lease.origin != *origin) {
                return Ok(false);
            }
            let (key, entry, max_bytes) = (origin.clone(), entry.clone(), self.opening.options.max_bytes);
            let (number, now) = (lease.map(|lease| as_row(lease.number)), nanos(now));
            let put = move |db: &_| rows::put(db, &key, entry.sealed(), number, now, max_bytes);
            let written = self.thread.run(Priority::Dispensable, put).await;
            if let (Err(error), Some(lease)) = (&written, lease)
                && error.fault() == StoreFault::Full
            {
                // Release the lease even if the entry cannot be stored, so that other tasks do not wait for the lease.
                self.release(lease.clone()).await?;
            }
            written
        })
    }

    fn release<'a>(&'a self, lease: Lease) -> Reply<'a, ()> {
        let number = as_row(lease.number);
        self.thread.run(Priority::Vital, move |db| {
            rows::change(db, &lease.origin, |row| {
                row.ends = row.ends.filter(|_| row.lease != number);
                Ok(())
            })
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
        let key = origin.clone();
        self.thread.run(Priority::Dispensable, move |db| rows::remove(db, &key))
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
        Box::pin(async move {
            // If the disk has no space even for the log of the removals, the file is deleted instead, unless only some
            // of the data shall be removed.
            let priority = if before.is_some() { Priority::Dispensable } else { Priority::Vital };
            let (before, mut removed) = (before.map(nanos), 0);
            let purge = move |db: &_| {
                if before.is_none() {
                    removed = rows::size(db)?.0.max(removed);
                }
                Ok(rows::purge(db, before)?.max(removed))
            };
            let removed = self.thread.run(priority, purge).await?;
            // The log contains the purged data until it is reset. If another process reads for too long, it is reset
            // after a later commit.
            let busy_timeout = self.opening.options.busy_timeout;
            self.run_separately(move |db| reset_log(db, "TRUNCATE", busy_timeout)).await?;
            Ok(removed)
        })
    }
}

impl Turns for EmbeddedStore {
    fn reserve<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest, now: Moment) -> Reply<'a, Slot> {
        let (key, request, now) = (origin.clone(), *request, ticks(now));
        self.take(now, move |db| rows::reserve_and_hold(db, &key, &request, None, now))
    }

    fn reserve_and_hold<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        lane_hold: (Lane, Duration),
        now: Moment,
    ) -> Reply<'a, Slot> {
        let (key, request, now) = (origin.clone(), *request, ticks(now));
        self.take(now, move |db| rows::reserve_and_hold(db, &key, &request, Some(lane_hold), now))
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> Reply<'a, SlotStatus> {
        let (key, request, taken, now) = (origin.clone(), *request, ticks(taken), ticks(now));
        let confirm = move |db: &_| rows::slot_status(db, &key, &request, taken, now);
        self.thread.run(Priority::Dispensable, confirm)
    }

    fn hold<'a>(&'a self, origin: &'a Origin, lane: Lane, until_in: Duration, now: Moment) -> Reply<'a, ()> {
        let (key, now) = (origin.clone(), ticks(now));
        self.thread.run(Priority::Vital, move |db| {
            rows::change(db, &key, |row| {
                rows::change_pace(db, row, lane, now, |slots| slots.hold(until_in, now))
            })
        })
    }

    fn give_back<'a>(&'a self, origin: &'a Origin, request: &'a SlotRequest) -> Reply<'a, ()> {
        let (key, lane, number) = (origin.clone(), request.lane, request.number);
        self.thread.run(Priority::Dispensable, move |db| {
            rows::change(db, &key, |row| {
                if let Some(slots) = row.paces.of(lane) {
                    slots.give_back(number);
                }
                Ok(())
            })
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
    ) -> Reply<'a, EntryOrLease> {
        let (key, now) = (origin.clone(), ticks(now));
        let first = first.map(|first| (first.pace_of.clone(), first.slot, first.lane_hold));
        self.take(now, move |db| {
            // An incomplete entry counts as absent. The holder of the lease replaces it.
            if let Some(entry) = rows::sealed(db, &key)?.and_then(Entry::open) {
                return Ok(EntryOrLease::Entry(entry));
            }
            let acquired = acquire(db, &key, ttl, now)?;
            let slot = match (&acquired, &first) {
                (LeaseAnswer::Granted { .. }, Some((pace_of, slot, lane_hold))) => {
                    Some(rows::reserve_and_hold(db, pace_of, slot, Some(*lane_hold), now)?)
                }
                _ => None,
            };
            Ok(EntryOrLease::Lease(acquired, slot))
        })
    }
}
