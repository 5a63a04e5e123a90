//! The options of a store on a server.

use std::num::NonZeroU32;
use std::time::Duration;

use redis::{Client, ConnectionAddr};

use super::RedisStore;
use super::link::Link;
use crate::store::{MemoryStore, StoreError, WhenDown};

/// How to open a [`RedisStore`].
#[derive(Clone, Debug)]
pub struct RedisOptions {
    pub(super) prefix: String,
    pub(super) when_down: WhenDown,
    pub(super) processes: NonZeroU32,
    pub(super) connect_timeout: Duration,
    pub(super) response_timeout: Duration,
    pub(super) expiry: Duration,
    pub(super) local_bytes: usize,
}

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
        }
    }
}

impl RedisOptions {
    /// Sets the beginning of every key. The default is `comity:`. Braces are not allowed, since they group the keys of
    /// an origin.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        RedisOptions { prefix: prefix.into(), ..self }
    }

    /// Sets what happens while the server does not answer.
    #[must_use]
    pub fn when_down(self, when_down: WhenDown) -> Self {
        RedisOptions { when_down, ..self }
    }

    /// Sets how many processes share the server, for [`WhenDown::LocalOnly`]. While the server is down, each process
    /// keeps intervals this many times as long, so that together they send no more requests. The default is 1.
    #[must_use]
    pub fn processes(self, processes: NonZeroU32) -> Self {
        RedisOptions { processes, ..self }
    }

    /// Sets how long to wait for a connection. The default is 2 seconds.
    #[must_use]
    pub fn connect_timeout(self, connect_timeout: Duration) -> Self {
        RedisOptions { connect_timeout, ..self }
    }

    /// Sets how long to wait for an answer. The default is 1 second.
    #[must_use]
    pub fn response_timeout(self, response_timeout: Duration) -> Self {
        RedisOptions { response_timeout, ..self }
    }

    /// Sets how long an entry is kept after it was written. The default is 31 days.
    #[must_use]
    pub fn expiry(self, expiry: Duration) -> Self {
        RedisOptions { expiry, ..self }
    }

    /// Bounds the copies that this process keeps for [`WhenDown::LocalOnly`], as [`MemoryStore::max_bytes`] does. The
    /// default is 64 MiB.
    #[must_use]
    pub fn local_bytes(self, local_bytes: usize) -> Self {
        RedisOptions { local_bytes, ..self }
    }

    /// Creates a store on the server at `url`: `redis://[user][:password@]host[:port][/db]`, or `unix:///path?db=1`. It
    /// connects when it is first used. TLS (`rediss://`) is not built in.
    ///
    /// # Errors
    ///
    /// An error if the URL has another form, or the prefix contains a brace. The error never shows the password.
    pub fn open(self, url: &str) -> Result<RedisStore, StoreError> {
        if self.prefix.contains(['{', '}']) {
            return Err(StoreError::new(format!(
                "the key prefix `{}` holds a brace; choose another, such as `comity:`",
                self.prefix
            )));
        }
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        match scheme {
            "redis" | "valkey" | "unix" | "redis+unix" | "valkey+unix" => {}
            "rediss" | "valkeys" => {
                return Err(StoreError::new(
                    "a Redis URL with TLS is not supported; use `redis://` to a TLS tunnel on this machine, or `unix:///path`",
                ));
            }
            _ => {
                return Err(StoreError::new(
                    "this is not a Redis URL; use `redis://host:port/db` or `unix:///path`",
                ));
            }
        }
        let client = Client::open(url).map_err(|error| {
            StoreError::new("the Redis URL cannot be read; use `redis://:password@host:port/db`")
                .because(error)
        })?;
        let info = client.get_connection_info();
        let database = info.redis_settings().db();
        let place = match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{host}:{port}/{database}"),
            ConnectionAddr::Unix(path) => format!("unix://{}?db={database}", path.display()),
            _ => scheme.to_owned(),
        };
        Ok(RedisStore::new(Link::new(client, place, &self), self))
    }
}
