//! Options for opening a store.

use std::path::Path;
use std::time::Duration;

use super::EmbeddedStore;
use crate::store::StoreError;

/// Options for opening an [`EmbeddedStore`].
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    pub(super) max_bytes: u64,
    pub(super) busy_timeout: Duration,
    pub(super) is_shared: bool,
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
        EmbeddedStore::start(path.as_ref(), self)
    }
}
