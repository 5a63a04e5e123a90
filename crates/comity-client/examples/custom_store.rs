//! A custom store for one process. It keeps robots.txt answers as files in a folder.
//!
//! ```sh
//! cargo run --example custom_store -- FOLDER https://example.com/
//! ```
//!
//! [`LocalStore`] adds leases and paces in memory. So only one process at a time can use the folder, but the robots.txt
//! answers are kept when that process ends. `tests/it/examples.rs` runs the checks of `store::conformance` on this
//! store. Your program can do so, too, with the feature `testing`.

#![allow(clippy::print_stdout, reason = "a program")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use comity_client::store::{Answers, Entry, LocalStore, StoreError};
use comity_client::{BoxFuture, Client, Origin};

/// Maximum number of entries. Beyond it, each write removes the oldest entry.
const MOST_ENTRIES: usize = 10_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder and URLs")?;
    let store = LocalStore::new(Folder::open(folder)?);
    let client = Client::builder("ExampleBot").store(store).build()?;
    for url in arguments {
        println!("{url}: {}", client.decide(&url).await?.recommendation);
    }
    Ok(())
}

/// A folder with a file for the entry of each origin.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens a folder, or creates it.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        std::fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
        Ok(Folder { path })
    }

    fn file(&self, origin: &Origin) -> PathBuf {
        self.path.join(file_name(origin))
    }

    fn read(&self, origin: &Origin) -> Result<Option<Entry>, StoreError> {
        let path = self.file(origin);
        match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            sealed => sealed.map(Entry::open).map_err(|error| failed(&path, error)),
        }
    }

    /// Writes a temporary file and renames it, so that readers never get an incomplete entry. The time of the entry is
    /// stored as the modification time of the file.
    fn write(&self, origin: &Origin, entry: &Entry, now: SystemTime) -> Result<(), StoreError> {
        let (path, new) = (self.file(origin), self.path.join(format!("new-{}", file_name(origin))));
        let written = std::fs::write(&new, entry.sealed())
            .and_then(|()| std::fs::File::options().write(true).open(&new))
            .and_then(|file| file.set_modified(now))
            .and_then(|()| std::fs::rename(&new, &path));
        written.map_err(|error| failed(&path, error))?;
        let entries = self.entries()?;
        if entries.len() > MOST_ENTRIES
            && let Some((oldest, _)) = entries.iter().min_by_key(|(_, put)| *put)
        {
            remove(&self.file(oldest))?;
        }
        Ok(())
    }

    /// Returns the origins that have an entry, in order, with the time at which each entry was written.
    fn entries(&self) -> Result<Vec<(Origin, SystemTime)>, StoreError> {
        let listed = || -> io::Result<Vec<_>> {
            let mut found = Vec::new();
            for file in std::fs::read_dir(&self.path)? {
                let file = file?;
                // The file may have been removed in the meantime.
                if let Some(origin) = file.file_name().to_str().and_then(origin_of)
                    && let Ok(put) = file.metadata().and_then(|file| file.modified())
                {
                    found.push((origin, put));
                }
            }
            found.sort();
            Ok(found)
        };
        listed().map_err(|error| failed(&self.path, error))
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

impl Answers for Folder {
    fn get<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<Option<Entry>, StoreError>> {
        Box::pin(async move { self.read(origin) })
    }

    fn put<'a>(
        &'a self,
        origin: &'a Origin,
        entry: &'a Entry,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.write(origin, entry, now) })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { remove(&self.file(origin)) })
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
            let mut removed = 0;
            for (origin, put) in self.entries()? {
                if before.is_none_or(|before| put < before) {
                    removed += u64::from(remove(&self.file(&origin))?);
                }
            }
            Ok(removed)
        })
    }
}
