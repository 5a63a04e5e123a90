//! Stores: what a location names, and opening what is there.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use super::StoreSettings;
use crate::store::{EmbeddedStore, MemoryStore, RedisStore, Store, StoreError};

/// Where a store is. Printed by `Debug`, a URL is without its password.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a program that treats them apart wants to know of another one")]
pub enum Location {
    /// This process's memory.
    Memory,
    /// A file.
    File(PathBuf),
    /// A server, by its URL.
    Server(String),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Memory => f.write_str("Memory"),
            Location::File(path) => f.debug_tuple("File").field(path).finish(),
            Location::Server(url) => f.debug_tuple("Server").field(&without_password(url)).finish(),
        }
    }
}

/// A location without what may be secret in a URL: what stands before the host, and the query.
pub(super) fn without_password(location: &str) -> String {
    let Some((scheme, rest)) = location.split_once("://") else { return location.to_owned() };
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://***@{place}"),
        None => format!("{scheme}://{rest}"),
    }
}

/// The schemes of servers.
const SCHEMES: [&str; 7] = ["redis", "rediss", "valkey", "valkeys", "unix", "redis+unix", "valkey+unix"];

impl FromStr for Location {
    type Err = UnknownLocation;

    fn from_str(text: &str) -> Result<Self, UnknownLocation> {
        match text.split_once("://") {
            _ if text == "memory" => Ok(Location::Memory),
            None => Ok(Location::File(PathBuf::from(text))),
            Some((scheme, _)) if SCHEMES.contains(&scheme) => Ok(Location::Server(text.to_owned())),
            Some((scheme, _)) => Err(UnknownLocation { scheme: scheme.to_owned() }),
        }
    }
}

/// A URL that names no store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLocation {
    scheme: String,
}

impl UnknownLocation {
    /// What would name one.
    pub const EXAMPLES: &str = "a store is a file, `memory`, or `redis://host:port/db`";
}

impl fmt::Display for UnknownLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are no stores at `{}` URLs", self.scheme)
    }
}

impl std::error::Error for UnknownLocation {}

impl StoreSettings {
    /// Opens the store there. One on a server connects when it is first used.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if there can be no store.
    pub fn open(&self, location: &Location) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match location {
            Location::Memory => Arc::new(self.memory()),
            Location::File(path) => Arc::new(self.open_file(path)?),
            Location::Server(url) => Arc::new(self.open_server(url)?),
        })
    }

    /// A store in memory.
    pub fn memory(&self) -> MemoryStore {
        let store = MemoryStore::new();
        match self.max_bytes {
            Some(bytes) => store.max_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)),
            None => store,
        }
    }

    /// The store in a file.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be opened or made.
    pub fn open_file(&self, path: &Path) -> Result<EmbeddedStore, StoreError> {
        let options = EmbeddedStore::options().shared(self.shared);
        match self.max_bytes {
            Some(bytes) => options.max_bytes(bytes).open(path),
            None => options.open(path),
        }
    }

    /// The store on a server. It connects when it is first used.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it is no URL of a server.
    pub fn open_server(&self, url: &str) -> Result<RedisStore, StoreError> {
        let mut options = RedisStore::options().when_down(self.when_down).processes(self.processes);
        if let Some(prefix) = &self.prefix {
            options = options.prefix(prefix);
        }
        options.open(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_memory_a_file_or_a_server() {
        let is = |text: &str| text.parse::<Location>();
        assert_eq!(is("memory"), Ok(Location::Memory));
        assert_eq!(is("./memory"), Ok(Location::File("./memory".into())));
        assert_eq!(is("valkey://h/1"), Ok(Location::Server("valkey://h/1".to_owned())));
        assert_eq!(is("s3://b/x").unwrap_err().to_string(), "there are no stores at `s3` URLs");
    }

    #[test]
    fn passwords_are_not_printed() {
        for url in
            ["redis://:s3cret@h:1/2", "redis://me:s3@cret@h/1", "unix:///p?db=1&pass=s3cret", "valkey://h/1"]
        {
            let location: Location = url.parse().unwrap();
            let settings = StoreSettings { location: Some(url.to_owned()), ..StoreSettings::default() };
            let printed = format!("{location:?} {settings:?}");
            assert!(!printed.contains("s3") && printed.contains("://"), "{printed}");
        }
    }
}
