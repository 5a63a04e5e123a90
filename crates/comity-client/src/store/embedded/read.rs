//! Read-only access to the entries of a file.
//!
//! A read does not create, repair or upgrade the file or its tables. It holds no lock between two pages of entries, so
//! other processes do not wait for it.

use std::path::Path;
use std::vec::IntoIter;

use rusqlite::{Connection, OpenFlags};

use super::EmbeddedOptions;
use super::open::OpenParameters;
use crate::Origin;
use crate::store::{Entry, StoreError, origin_of};

/// Maximum number of entries read in one query.
const PAGE: usize = 256;

/// Size of the entries in bytes at which a query ends.
const PAGE_BYTES: usize = 4 << 20;

/// Read-only iterator over the entries in the file of an [`EmbeddedStore`](super::EmbeddedStore), in the order of their
/// origins.
///
/// Entries that other processes write in the meantime may or may not appear. Incomplete entries are skipped.
///
/// ```
/// use comity_client::store::{EmbeddedEntries, EmbeddedStore};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("robots.db");
/// # drop(EmbeddedStore::open(&path)?);
/// for entry in EmbeddedEntries::open(&path)? {
///     let (origin, entry) = entry?;
///     println!("{origin}: {} bytes", entry.content().len());
/// }
/// assert!(EmbeddedEntries::open(folder.path().join("missing.db")).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct EmbeddedEntries {
    connection: Connection,
    opening: OpenParameters,
    page: IntoIter<(String, Vec<u8>)>,
    /// Last origin of the current page; `None` after the last page.
    after: Option<String>,
}

impl EmbeddedEntries {
    /// Opens an existing file.
    ///
    /// # Errors
    ///
    /// An error if the file cannot be read, if it is not a store, or if only other versions of Comity have used it.
    pub fn open(path: impl AsRef<Path>) -> Result<EmbeddedEntries, StoreError> {
        let opening = OpenParameters::new(path.as_ref(), EmbeddedOptions::default())?;
        let connection = opening.connection(OpenFlags::SQLITE_OPEN_READ_ONLY);
        let connection = connection.map_err(|error| opening.failed(error))?;
        opening.check_layout(&connection)?;
        opening.check_tables(&connection)?;
        let (page, after) = (Vec::new().into_iter(), Some(String::new()));
        Ok(EmbeddedEntries { connection, opening, page, after })
    }

    fn read(&mut self, after: &str) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT origin_1.origin, sealed FROM origin_1 CROSS JOIN entry_1 ON id = entry
             WHERE origin_1.origin > ?1 ORDER BY origin_1.origin LIMIT ?2",
        )?;
        let mut rows = statement.query((after, PAGE as i64))?;
        let (mut page, mut bytes) = (Vec::new(), 0);
        while bytes < PAGE_BYTES
            && let Some(row) = rows.next()?
        {
            let (origin, sealed): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
            bytes += origin.len() + sealed.len();
            page.push((origin, sealed));
        }
        Ok(page)
    }
}

impl Iterator for EmbeddedEntries {
    type Item = Result<(Origin, Entry), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((origin, sealed)) = self.page.next() else {
                let after = self.after.take()?;
                match self.read(&after) {
                    Ok(page) => {
                        self.after = page.last().map(|(origin, _)| origin.clone());
                        self.page = page.into_iter();
                    }
                    Err(error) => return Some(Err(self.opening.failed(error))),
                }
                continue;
            };
            if let Some(found) = origin_of(&origin).zip(Entry::open(sealed)) {
                return Some(Ok(found));
            }
        }
    }
}
