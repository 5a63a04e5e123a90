//! A resolver that queries the given DNS servers. It ignores the system's resolver, hosts file and search list, and has
//! no cache.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
    ServerOrderingStrategy,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::{ResolverBuilder, TokioResolver};

use super::Resolver;
use crate::BoxFuture;

/// Resolver that queries the given DNS servers over UDP. It repeats a query over TCP if the answer is too long for UDP.
///
/// ```
/// use std::time::Duration;
///
/// use comity_client::guard::{DnsResolver, Guard};
///
/// let resolver = DnsResolver::new(["192.0.2.53:53".parse()?], Duration::from_secs(2))?;
/// let guard = Guard::new().with_resolver(resolver);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DnsResolver {
    servers: Vec<SocketAddr>,
    resolver: TokioResolver,
}

impl DnsResolver {
    /// Creates a resolver that queries `servers` in this order, with a timeout for each query.
    ///
    /// # Errors
    ///
    /// An error if `servers` is empty, or if the resolver cannot be set up.
    pub fn new(servers: impl IntoIterator<Item = SocketAddr>, timeout: Duration) -> io::Result<Self> {
        let servers: Vec<SocketAddr> = servers.into_iter().collect();
        let resolver = resolver_of(&servers, timeout)?;
        Ok(DnsResolver { servers, resolver })
    }
}

/// Creates a resolver that queries these servers.
pub(crate) fn resolver_of(servers: &[SocketAddr], timeout: Duration) -> io::Result<TokioResolver> {
    if servers.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the list of DNS servers is empty; name at least one",
        ));
    }
    let config = ResolverConfig::from_name_servers(servers.iter().map(name_server).collect());
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    built(builder, timeout)
}

/// Creates a resolver that queries the servers in the system's configuration.
pub(crate) fn system_resolver(timeout: Duration) -> io::Result<TokioResolver> {
    built(TokioResolver::builder_tokio().map_err(io::Error::other)?, timeout)
}

fn built(mut builder: ResolverBuilder<TokioRuntimeProvider>, timeout: Duration) -> io::Result<TokioResolver> {
    let options = builder.options_mut();
    options.timeout = timeout;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Never;
    options.server_ordering_strategy = ServerOrderingStrategy::UserProvidedOrder;
    options.cache_size = 0;
    builder.build().map_err(io::Error::other)
}

fn name_server(server: &SocketAddr) -> NameServerConfig {
    let (mut udp, mut tcp) = (ConnectionConfig::udp(), ConnectionConfig::tcp());
    udp.port = server.port();
    tcp.port = server.port();
    NameServerConfig::new(server.ip(), true, vec![udp, tcp])
}

impl Resolver for DnsResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async move {
            // The final dot marks the name as complete, so the resolver adds no search domain.
            let name = format!("{}.", host.trim_end_matches('.'));
            let found = self.resolver.lookup_ip(name).await.map_err(as_io)?;
            Ok(found.iter().collect())
        })
    }
}

pub(crate) fn as_io(error: NetError) -> io::Error {
    let kind = match &error {
        NetError::Timeout => io::ErrorKind::TimedOut,
        _ if error.is_no_records_found() => io::ErrorKind::NotFound,
        // SERVFAIL and similar codes mean that the name cannot be resolved. REFUSED means that this client may not
        // query the server.
        NetError::Dns(DnsError::ResponseCode(code)) if *code != ResponseCode::Refused => {
            io::ErrorKind::InvalidData
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

impl fmt::Debug for DnsResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DnsResolver").field("servers", &self.servers).finish_non_exhaustive()
    }
}
