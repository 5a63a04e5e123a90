//! Creates a store from the URL of its server.

use redis::{Client, ConnectionAddr};

use super::RedisStore;
use super::link::Link;
use super::options::RedisOptions;
use crate::store::StoreError;

impl RedisOptions {
    /// Creates a store on the server at `url`: `redis://[user][:password@]host[:port][/db]`, or `unix:///path?db=1`.
    /// The store connects when it is first used. TLS (`rediss://`) is not supported.
    ///
    /// # Errors
    ///
    /// An error if the URL has another form, or the prefix contains a brace. The error never shows the password.
    pub fn open(self, url: &str) -> Result<RedisStore, StoreError> {
        if self.prefix.contains(['{', '}']) {
            return Err(StoreError::new(format!(
                "the key prefix `{}` contains a brace; choose another, such as `comity:`",
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
