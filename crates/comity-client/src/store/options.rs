//! Options that name the location of a store, and the function that opens the store.

use std::fmt;
use std::num::NonZeroU32;
#[cfg(feature = "embedded")]
use std::path::Path;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

#[cfg(feature = "embedded")]
use super::EmbeddedStore;
#[cfg(feature = "redis")]
use super::RedisStore;
use super::when_down::WhenDown;
use super::{MemoryStore, Store, StoreError};
use crate::setting::section::section;
use crate::setting::text::without_secrets;
use crate::setting::{ValueForm, value};

section! {
    /// The store for robots.txt answers, leases and paces.
    pub struct StoreOptions = "store" {
        /// Location of robots.txt answers and the pace: a file, `memory`, or `redis://host:port/db`.
        ///
        /// `RedisOptions::open` lists further URLs of servers. If unset, a client uses memory, and the command uses a
        /// file in the user's cache folder.
        location: Option<StoreLocation> = None, "location", flag "store";
        /// Maximum size in bytes of a file (unset: 512 MiB) or of memory (unset: 64 MiB).
        max_bytes: Option<u64> = None, "max_bytes";
        /// Behavior while a server does not answer: stop, or local_only.
        when_down: WhenDown = WhenDown::Stop, "when_down";
        /// Prefix of the keys on a server; unset: `comity:`.
        prefix: Option<String> = None, "prefix";
        /// Number of processes that share a server; with local_only, it multiplies intervals while the server is down.
        processes: NonZeroU32 = NonZeroU32::MIN, "processes";
        /// PEM file with the certificates that are trusted for TLS to a store; unset: the system's.
        ca: Option<PathBuf> = None, "ca", flag "store-ca";
        /// PEM file with the client certificate for TLS to a store.
        cert: Option<PathBuf> = None, "cert", flag "store-cert";
        /// PEM file with the private key of the client certificate.
        key: Option<PathBuf> = None, "key", flag "store-key";
        /// Whether a file may belong to another user.
        shared: bool = false, "shared";
    }
}

value::text_values! {
    StoreLocation => ValueForm::text("STORE"), fmt::Debug::fmt;
}

/// The location of a store. `Debug` prints a URL without its password; `Display` prints the password.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "programs that match on the location must handle a new kind")]
pub enum StoreLocation {
    /// This process's memory.
    Memory,
    /// A file.
    File(PathBuf),
    /// The URL of a server.
    Server(String),
}

impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::Memory => f.write_str("Memory"),
            StoreLocation::File(path) => f.debug_tuple("File").field(path).finish(),
            StoreLocation::Server(url) => f.debug_tuple("Server").field(&without_secrets(url)).finish(),
        }
    }
}

impl fmt::Display for StoreLocation {
    /// Writes the whole location, password included.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::Memory => f.write_str("memory"),
            StoreLocation::File(path) => write!(f, "{}", path.display()),
            StoreLocation::Server(url) => f.write_str(url),
        }
    }
}

/// Returns true if a URL with this scheme names servers.
fn is_of_servers(scheme: &str) -> bool {
    matches!(
        scheme.split_once('+').unwrap_or((scheme, "")),
        ("redis" | "rediss" | "valkey" | "valkeys", "" | "sentinel" | "cluster")
            | ("redis" | "valkey", "unix")
            | ("unix", "")
    )
}

impl FromStr for StoreLocation {
    type Err = UnknownLocation;

    fn from_str(text: &str) -> Result<Self, UnknownLocation> {
        match text.split_once("://") {
            _ if text == "memory" => Ok(StoreLocation::Memory),
            None => Ok(StoreLocation::File(PathBuf::from(text))),
            Some((scheme, _)) if is_of_servers(scheme) => Ok(StoreLocation::Server(text.to_owned())),
            Some((scheme, _)) => Err(UnknownLocation { scheme: scheme.to_owned() }),
        }
    }
}

/// The error for a URL that is not the location of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{scheme}` URLs are not supported as stores; use a file, `memory`, or `redis://host:port/db`")]
pub struct UnknownLocation {
    scheme: String,
}

impl StoreOptions {
    /// Opens the store at the [location](StoreOptions::location), or a store in memory if the location is unset. A
    /// store on a server connects when it is first used.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be opened or created, or if this build does not support its kind. Files need
    /// the feature `embedded`; servers need the feature `redis`.
    pub fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match self.location.as_ref().unwrap_or(&StoreLocation::Memory) {
            StoreLocation::Memory => Arc::new(self.memory()),
            #[cfg(feature = "embedded")]
            StoreLocation::File(path) => Arc::new(self.open_file(path)?),
            #[cfg(not(feature = "embedded"))]
            StoreLocation::File(_) => {
                return Err(StoreError::new(
                    "this build does not support stores in files: enable the feature `embedded`",
                ));
            }
            #[cfg(feature = "redis")]
            StoreLocation::Server(url) => Arc::new(self.open_server(url)?),
            #[cfg(not(feature = "redis"))]
            StoreLocation::Server(_) => {
                return Err(StoreError::new(
                    "this build does not support stores on servers: enable the feature `redis`",
                ));
            }
        })
    }

    /// Returns a store in memory.
    pub fn memory(&self) -> MemoryStore {
        let store = MemoryStore::new();
        match self.max_bytes {
            Some(bytes) => store.max_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)),
            None => store,
        }
    }

    /// Opens the store in a file.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the file cannot be opened or created.
    #[cfg(feature = "embedded")]
    pub fn open_file(&self, path: &Path) -> Result<EmbeddedStore, StoreError> {
        let options = EmbeddedStore::options().shared(self.shared);
        match self.max_bytes {
            Some(bytes) => options.max_bytes(bytes).open(path),
            None => options.open(path),
        }
    }

    /// Opens the store on a server. The store connects when it is first used.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the URL is invalid, if its scheme is not a scheme of Redis or Valkey, or if the options for
    /// TLS cannot be used.
    #[cfg(feature = "redis")]
    pub fn open_server(&self, url: &str) -> Result<RedisStore, StoreError> {
        let mut options = RedisStore::options().when_down(self.when_down).processes(self.processes);
        if let Some(prefix) = &self.prefix {
            options = options.prefix(prefix);
        }
        options.ca = self.ca.clone();
        options.client_certificate = self.cert.clone();
        options.client_key = self.key.clone();
        options.open(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_is_parsed_as_memory_file_or_server() {
        let is = |text: &str| text.parse::<StoreLocation>();
        assert_eq!(is("memory"), Ok(StoreLocation::Memory));
        assert_eq!(is("./memory"), Ok(StoreLocation::File("./memory".into())));
        assert_eq!(is("valkey://h/1"), Ok(StoreLocation::Server("valkey://h/1".to_owned())));
        assert!(
            is("s3://b/x")
                .unwrap_err()
                .to_string()
                .starts_with("`s3` URLs are not supported as stores; use ")
        );
    }

    #[test]
    fn debug_output_of_locations_hides_passwords() {
        for url in [
            "redis://:s3cret@h:1/2",
            "redis://me:s3@cret@h/1",
            "unix:///p?db=1&pass=s3cret",
            "valkey://h/1",
            "redis+sentinel://me:s3cret@h:1,h:2/m/0?sentinel_password=s3",
            "rediss+cluster://:s3cret@h:1,h:2",
        ] {
            let location: StoreLocation = url.parse().unwrap();
            let options = StoreOptions::default().location(Some(location.clone()));
            let printed = format!("{location:?} {options:?}");
            assert!(!printed.contains("s3") && printed.contains("://"), "{printed}");
        }
    }
}
