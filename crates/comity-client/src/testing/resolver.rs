//! A resolver that returns addresses from a table.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::BoxFuture;
use crate::guard::Resolver;

/// Address of every name that is not in the table. It is a public address, but a fake transport sends no packets to it.
const SOMEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));

/// A resolver without network access. The table contains the addresses of names. A name that is not in the table has a
/// fixed public address. Clones share the table.
///
/// ```
/// use comity_client::guard::Guard;
/// use comity_client::testing::FakeResolver;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let names = FakeResolver::new();
/// names.on("intranet.example", ["10.0.0.1"]).not_found("gone.example");
/// let guard = Guard::new().with_resolver(names);
/// assert!(guard.resolve("www.example", 443).await.is_ok());
/// assert!(guard.resolve("intranet.example", 443).await.is_err());
/// assert!(guard.resolve("gone.example", 443).await.is_err());
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeResolver {
    names: Arc<Mutex<HashMap<String, Vec<IpAddr>>>>,
}

impl FakeResolver {
    /// Creates a resolver with an empty table.
    pub fn new() -> Self {
        FakeResolver::default()
    }

    /// Sets the addresses of a name. A guard caches addresses for a minute, so it may return earlier addresses until
    /// then.
    ///
    /// # Panics
    ///
    /// If a text is not an IP address.
    #[allow(clippy::panic, reason = "a test with a wrong address must fail")]
    pub fn on<'a>(&self, name: &str, addresses: impl IntoIterator<Item = &'a str>) -> &Self {
        let parse = |text: &str| text.parse().unwrap_or_else(|_| panic!("`{text}` is not an IP address"));
        let addresses = addresses.into_iter().map(parse).collect();
        self.names().insert(name.to_owned(), addresses);
        self
    }

    /// Makes the resolution of a name fail, as for a name that does not exist.
    pub fn not_found(&self, name: &str) -> &Self {
        self.on(name, [])
    }

    fn names(&self) -> MutexGuard<'_, HashMap<String, Vec<IpAddr>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolver for FakeResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        let addresses = self.names().get(host).cloned().unwrap_or_else(|| vec![SOMEWHERE]);
        Box::pin(async move {
            match addresses.is_empty() {
                true => Err(io::ErrorKind::NotFound.into()),
                false => Ok(addresses),
            }
        })
    }
}
