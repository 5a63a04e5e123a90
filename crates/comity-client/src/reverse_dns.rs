//! The names of an address that lead back to it: forward-confirmed reverse DNS.
//!
//! Whoever has an address can give it any name. A name says something about the address only if the owner of the name agrees,
//! that is if the name leads to the address in turn. Nothing that is found here is ever dialled.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::proto::rr::{Name, RData};
use tokio::sync::Semaphore;

use crate::guard::{as_io, asking, asking_as_the_system};

/// No more addresses are looked up at once.
const AT_ONCE: usize = 16;

/// The largest number of addresses that are remembered.
const REMEMBERED: usize = 50_000;

/// As many names of an address are looked at. Hostile ones have thousands.
const MOST_NAMES: usize = 4;

/// Looks up the names of addresses, each of which leads back to the address.
///
/// At most 16 addresses are looked up at once, and none takes longer than four time-outs. Answers are remembered as long as this lives, those that could not be had as
/// well.
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
    /// The longest that an address takes, whatever its names.
    longest: Duration,
    permits: Semaphore,
    known: quick_cache::sync::Cache<IpAddr, Found>,
}

/// The names that a name server answered with, or the kind of error that it answered with instead.
type Found = Result<Arc<[String]>, io::ErrorKind>;

impl ReverseDns {
    /// Asks `servers` in this order, and waits `timeout` for each answer.
    ///
    /// # Errors
    ///
    /// An error if `servers` is empty, or if the resolver cannot be set up.
    pub fn new(servers: impl IntoIterator<Item = SocketAddr>, timeout: Duration) -> io::Result<Self> {
        let servers: Vec<SocketAddr> = servers.into_iter().collect();
        if servers.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no DNS server to ask; name one"));
        }
        Ok(ReverseDns::with(asking(&servers, timeout)?, timeout))
    }

    /// Asks the servers that the system is set to, and waits `timeout` for each answer.
    ///
    /// # Errors
    ///
    /// An error if the settings of the system cannot be read, or if the resolver cannot be set up.
    pub fn of_system(timeout: Duration) -> io::Result<Self> {
        Ok(ReverseDns::with(asking_as_the_system(timeout)?, timeout))
    }

    fn with(resolver: TokioResolver, timeout: Duration) -> Self {
        let (permits, known) = (Semaphore::new(AT_ONCE), quick_cache::sync::Cache::new(REMEMBERED));
        ReverseDns { resolver, longest: timeout.saturating_mul(4), permits, known }
    }

    /// Returns the names of an address that lead back to it, in lower case, without a final dot. An address without a name has
    /// none.
    ///
    /// # Errors
    ///
    /// An error if it could not be found out, by the kinds of [`Resolver`](crate::guard::Resolver).
    pub async fn names(&self, address: IpAddr) -> io::Result<Arc<[String]>> {
        let address = address.to_canonical();
        let found = match self.known.get(&address) {
            Some(found) => found,
            None => {
                // The semaphore is never closed.
                let _permit = self.permits.acquire().await.ok();
                let found = tokio::time::timeout(self.longest, self.look_up(address)).await;
                let found = found.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
                let found = found.map_err(|error| error.kind());
                self.known.insert(address, found.clone());
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
            // One of the names may have led back.
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
