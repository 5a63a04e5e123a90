//! Forward-confirmed reverse DNS: finds the names of an address that also resolve to the address.
//!
//! The owner of an address can claim any name for it. The claim is confirmed only if the name resolves to the address,
//! since only the owner of a name can set its addresses. The addresses found here are never dialled.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::proto::rr::{Name, RData};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::guard::{as_io, resolver_of, system_resolver};

/// Maximum number of concurrent lookups.
const MAX_CONCURRENT_LOOKUPS: usize = 16;

/// Maximum number of cached addresses.
const MAX_CACHED_ADDRESSES: usize = 50_000;

/// Maximum number of names that are checked for an address. A hostile address may have thousands of names.
const MOST_NAMES: usize = 4;

/// Time for which the error of a lookup is cached.
const FAILURE_LIFETIME: Duration = Duration::from_secs(60);

/// Resolver for the confirmed names of addresses.
///
/// At most 16 addresses are looked up at once, and each lookup takes at most four timeouts. The results for up to
/// 50,000 addresses are cached for the lifetime of the resolver, and errors for a minute.
///
/// ```no_run
/// use std::time::Duration;
///
/// use comity_client::ReverseDns;
/// use comity_client::comity::agents;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let dns = ReverseDns::of_system(Duration::from_secs(2))?;
/// let names = dns.names("203.0.113.9".parse()?).await?;
/// let crawler = agents::known("MojeekBot").ok_or("a known crawler")?;
/// let is_crawler = names.iter().any(|name| crawler.proofs().iter().any(|proof| proof.covers_host(name)));
/// # Ok(())
/// # }
/// ```
pub struct ReverseDns {
    resolver: TokioResolver,
    /// Timeout of the lookup of an address, including all its names.
    longest: Duration,
    permits: Semaphore,
    known: quick_cache::sync::Cache<IpAddr, (Instant, LookupResult)>,
}

/// The confirmed names of an address, or the kind of the error.
type LookupResult = Result<Arc<[String]>, io::ErrorKind>;

impl ReverseDns {
    /// Creates a resolver that queries `servers` in this order, with a timeout for each query.
    ///
    /// # Errors
    ///
    /// An error if `servers` is empty, or if the resolver cannot be set up.
    pub fn new(servers: impl IntoIterator<Item = SocketAddr>, timeout: Duration) -> io::Result<Self> {
        let servers: Vec<SocketAddr> = servers.into_iter().collect();
        Ok(ReverseDns::with(resolver_of(&servers, timeout)?, timeout))
    }

    /// Creates a resolver that queries the DNS servers in the system's configuration, with a timeout for each query.
    ///
    /// # Errors
    ///
    /// An error if the settings of the system cannot be read, or if the resolver cannot be set up.
    pub fn of_system(timeout: Duration) -> io::Result<Self> {
        Ok(ReverseDns::with(system_resolver(timeout)?, timeout))
    }

    fn with(resolver: TokioResolver, timeout: Duration) -> Self {
        let (permits, known) =
            (Semaphore::new(MAX_CONCURRENT_LOOKUPS), quick_cache::sync::Cache::new(MAX_CACHED_ADDRESSES));
        ReverseDns { resolver, longest: timeout.saturating_mul(4), permits, known }
    }

    /// Returns the confirmed names of an address, in lower case and without a final dot. The list is empty if the
    /// address has no confirmed name.
    ///
    /// # Errors
    ///
    /// An error if the lookup failed. [`Resolver`](crate::guard::Resolver) describes the kinds of errors.
    pub async fn names(&self, address: IpAddr) -> io::Result<Arc<[String]>> {
        let address = address.to_canonical();
        let is_kept =
            |(at, found): &(Instant, LookupResult)| found.is_ok() || at.elapsed() < FAILURE_LIFETIME;
        let found = match self.known.get(&address).filter(is_kept) {
            Some((_, found)) => found,
            None => {
                // The semaphore is never closed.
                let _permit = self.permits.acquire().await.ok();
                let found = tokio::time::timeout(self.longest, self.look_up(address)).await;
                let found = found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
                let found = found.map_err(|error| error.kind());
                self.known.insert(address, (Instant::now(), found.clone()));
                found
            }
        };
        found.map_err(io::Error::from)
    }

    async fn look_up(&self, address: IpAddr) -> io::Result<Arc<[String]>> {
        let pointers = match self.resolver.reverse_lookup(Name::from(address)).await.map_err(as_io) {
            Ok(pointers) => pointers,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::new([])),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        let mut failed = None;
        let pointers = pointers.answers().iter().filter_map(|record| match &record.data {
            RData::PTR(pointer) => Some(&pointer.0),
            _ => None,
        });
        for name in pointers.take(MOST_NAMES) {
            match self.resolver.lookup_ip(name.clone()).await.map_err(as_io) {
                Ok(found) if found.iter().any(|other| other.to_canonical() == address) => {
                    names.push(name.to_ascii().trim_end_matches('.').to_ascii_lowercase());
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            // If no name was confirmed and a lookup failed, the failed name might be a confirmed one. So return the
            // error.
            Some(error) if names.is_empty() => Err(error),
            _ => Ok(names.into()),
        }
    }
}

impl fmt::Debug for ReverseDns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReverseDns").field("known", &self.known.len()).finish_non_exhaustive()
    }
}
