//! A custom store. It keeps robots.txt answers as files in a folder, and leases and paces in memory.
//!
//! ```sh
//! cargo run --example custom_store -- FOLDER https://example.com/
//! ```
//!
//! Leases and paces are difficult to implement, so this store delegates them to a [`MemoryStore`] without entries.
//! Therefore only one process at a time can use the store, but the robots.txt answers are kept when that process ends.
//! `tests/it/examples.rs` runs the checks of `store::conformance` on this store. Your program can do so, too, with the
//! feature `testing`.

#![allow(clippy::print_stdout, reason = "a program")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use comity_client::store::{
    Entry, Lane, Lease, LeaseAnswer, MemoryStore, Slot, SlotRequest, SlotStatus, Store, StoreError,
};
use comity_client::{BoxFuture, Client, Moment, Origin};
use tokio::sync::Mutex;

/// Maximum number of entries. Beyond it, each write removes the oldest entry.
const MOST_ENTRIES: usize = 10_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder and URLs")?;
    let client = Client::builder("ExampleBot").store(FolderStore::open(folder)?).build()?;
    for url in arguments {
        println!("{url}: {}", client.decide(&url).await?.recommendation);
    }
    Ok(())
}

/// A store that writes the entry of each origin to a file.
#[derive(Debug)]
pub struct FolderStore {
    folder: PathBuf,
    /// Store of leases and paces. It contains no entries.
    memory: MemoryStore,
    /// Locked while an entry is written. Otherwise, the holder of an expired lease could overwrite the entry of a later
    /// holder.
    writing: Mutex<()>,
}

impl FolderStore {
    /// Opens a folder, or creates it.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        Ok(FolderStore { folder, memory: MemoryStore::new().max_bytes(0), writing: Mutex::new(()) })
    }

    fn path(&self, origin: &Origin) -> PathBuf {
        self.folder.join(file_name(origin))
    }

    fn read(&self, origin: &Origin) -> Result<Option<Entry>, StoreError> {
        let path = self.path(origin);
        let sealed = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            sealed => sealed.map_err(|error| failed(&path, error))?,
        };
        let entry = Entry::open(sealed);
        if entry.is_none() {
            // The entry is incomplete, so it counts as absent.
            remove(&path)?;
        }
        Ok(entry)
    }

    /// Writes a temporary file and renames it, so that readers never get an incomplete entry. The time of the entry is
    /// stored as the modification time of the file.
    fn write(&self, origin: &Origin, entry: &Entry, now: SystemTime) -> Result<(), StoreError> {
        let (path, new) = (self.path(origin), self.folder.join("new"));
        let written = std::fs::write(&new, entry.sealed())
            .and_then(|()| std::fs::File::options().write(true).open(&new))
            .and_then(|file| file.set_modified(now))
            .and_then(|()| std::fs::rename(&new, &path));
        written.map_err(|error| failed(&path, error))?;
        let entries = self.entries()?;
        if entries.len() > MOST_ENTRIES
            && let Some((oldest, _)) = entries.iter().min_by_key(|(_, put)| *put)
        {
            remove(&self.path(oldest))?;
        }
        Ok(())
    }

    /// Returns the origins that have an entry, in order, with the time at which each entry was written.
    fn entries(&self) -> Result<Vec<(Origin, SystemTime)>, StoreError> {
        let listed = || -> io::Result<Vec<_>> {
            let mut found = Vec::new();
            for file in std::fs::read_dir(&self.folder)? {
                let file = file?;
                if let Some(origin) = file.file_name().to_str().and_then(origin_of) {
                    found.push((origin, file.metadata()?.modified()?));
                }
            }
            found.sort();
            Ok(found)
        };
        listed().map_err(|error| failed(&self.folder, error))
    }
}

/// Returns the file name of an origin. All characters except letters, digits, dots and hyphens are written as `%XX`.
fn file_name(origin: &Origin) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let part = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    origin.as_str().bytes().map(part).collect()
}

/// Returns the origin of a file name, or `None` for other files.
fn origin_of(name: &str) -> Option<Origin> {
    let mut text = String::new();
    let mut parts = name.split('%');
    text.push_str(parts.next()?);
    for part in parts {
        let (byte, rest) = part.split_at_checked(2)?;
        text.push(char::from(u8::from_str_radix(byte, 16).ok()?));
        text.push_str(rest);
    }
    text.parse().ok().filter(|origin: &Origin| origin.as_str() == text)
}

fn remove(path: &Path) -> Result<bool, StoreError> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(path, error)),
    }
}

fn failed(path: &Path, error: io::Error) -> StoreError {
    StoreError::new(format!("`{}` cannot be used; check its permissions", path.display())).because(error)
}

impl Store for FolderStore {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        Box::pin(async move {
            let _writing = self.writing.lock().await;
            self.read(origin)
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
            let _writing = self.writing.lock().await;
            // The memory store checks that the lease is the latest lease, and releases it.
            let is_accepted = self.memory.put(origin, entry, lease, now).await?;
            if is_accepted {
                self.write(origin, entry, now)?;
            }
            Ok(is_accepted)
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let _writing = self.writing.lock().await;
            remove(&self.path(origin))
        })
    }

    fn acquire<'a>(
        &'a self,
        origin: &'a Origin,
        ttl: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<LeaseAnswer, StoreError>> {
        Box::pin(async move {
            let _writing = self.writing.lock().await;
            Ok(match self.memory.acquire(origin, ttl, now).await? {
                LeaseAnswer::Granted { lease, .. } => {
                    LeaseAnswer::Granted { lease, entry: self.read(origin)? }
                }
                held => held,
            })
        })
    }

    fn release<'a>(&'a self, lease: Lease) -> BoxFuture<'a, Result<(), StoreError>> {
        self.memory.release(lease)
    }

    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        now: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        self.memory.reserve(origin, request, now)
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        taken: Moment,
        now: Moment,
    ) -> BoxFuture<'a, Result<SlotStatus, StoreError>> {
        self.memory.confirm(origin, request, taken, now)
    }

    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.memory.give_back(origin, request)
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        lane: Lane,
        until_in: Duration,
        now: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.memory.hold(origin, lane, until_in, now)
    }

    fn list<'a>(
        &'a self,
        after: Option<&'a Origin>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Origin>, StoreError>> {
        Box::pin(async move {
            let origins = self.entries()?.into_iter().map(|(origin, _)| origin);
            Ok(origins.filter(|origin| after.is_none_or(|after| origin > after)).take(limit).collect())
        })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            let _writing = self.writing.lock().await;
            let mut removed = 0;
            for (origin, put) in self.entries()? {
                if before.is_none_or(|before| put < before) {
                    removed += u64::from(remove(&self.path(&origin))?);
                }
            }
            if before.is_none() {
                // This call also removes leases and paces. After it, every origin waits one interval.
                self.memory.purge(None).await?;
            }
            Ok(removed)
        })
    }
}
