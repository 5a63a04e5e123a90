//! The options of a store on a server.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use crate::store::{MemoryStore, WhenDown};

/// Options for opening a [`RedisStore`](super::RedisStore).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RedisOptions {
    pub(super) prefix: String,
    /// Behavior while the server does not answer.
    pub when_down: WhenDown,
    /// Number of processes that share the server, for [`WhenDown::LocalOnly`]. While the server is down, each process
    /// multiplies its intervals by this number, so that the total rate stays within the pace. The default is 1.
    pub processes: NonZeroU32,
    /// Timeout for connecting. The default is 2 seconds.
    pub connect_timeout: Duration,
    /// Timeout for an answer. The default is 1 second.
    pub response_timeout: Duration,
    /// TTL of an entry, counted from its last write. The default is 31 days.
    pub expiry: Duration,
    /// Maximum size, in bytes, of the copies that this process keeps for [`WhenDown::LocalOnly`].
    /// [`MemoryStore::max_bytes`] describes how the size is counted. The default is 64 MiB.
    pub local_bytes: usize,
    pub(in crate::store) ca: Option<PathBuf>,
    pub(in crate::store) client_certificate: Option<PathBuf>,
    pub(in crate::store) client_key: Option<PathBuf>,
}

comity::setters!(RedisOptions {
    when_down: WhenDown,
    processes: NonZeroU32,
    connect_timeout: Duration,
    response_timeout: Duration,
    expiry: Duration,
    local_bytes: usize,
});

impl Default for RedisOptions {
    fn default() -> Self {
        RedisOptions {
            prefix: "comity:".into(),
            when_down: WhenDown::default(),
            processes: NonZeroU32::MIN,
            connect_timeout: Duration::from_secs(2),
            response_timeout: Duration::from_secs(1),
            expiry: Duration::from_secs(31 * 86_400),
            local_bytes: MemoryStore::DEFAULT_MAX_BYTES,
            ca: None,
            client_certificate: None,
            client_key: None,
        }
    }
}

impl RedisOptions {
    /// Sets the beginning of every key. The default is `comity:`. Braces are not allowed, since keys contain the bucket
    /// of the origin in braces.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        RedisOptions { prefix: prefix.into(), ..self }
    }

    /// Sets a file with the certificates of authorities in PEM. With TLS, they are trusted instead of the system's.
    #[must_use]
    pub fn ca(self, file: impl Into<PathBuf>) -> Self {
        RedisOptions { ca: Some(file.into()), ..self }
    }

    /// Sets the files with the certificate of this client and its private key, in PEM, for servers that require them.
    #[must_use]
    pub fn client_certificate(self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        RedisOptions { client_certificate: Some(certificate.into()), client_key: Some(key.into()), ..self }
    }
}
