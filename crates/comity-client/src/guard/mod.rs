//! The guard against server-side request forgery (SSRF). It decides which URLs may be requested and which addresses may
//! be dialled.
//!
//! A crawler follows URLs from untrusted sources. The guard protects the crawler's machine, its network, and the
//! metadata services of a cloud. Its main invariant is: **only checked addresses are dialled**. [`Guard::resolve`]
//! resolves a host once and refuses it if any of its addresses is not allowed. Otherwise, it returns the only addresses
//! that a transport may connect to. So a name that changes its answer (DNS rebinding) cannot bypass the guard.
//!
//! A refusal is returned to the caller. The server that sent the URL does not learn about it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use ipnet::{IpNet, Ipv6Net};
use url::Url;

mod blocks;
#[cfg(feature = "dns")]
mod dns;
mod embedded;
mod guarded_resolver;
mod host;
mod options;
mod pins;
mod policy;
mod ports;
mod reason;
mod refusal;
mod resolver;

pub use blocks::{Block, blocks};
#[cfg(feature = "dns")]
pub use dns::DnsResolver;
#[cfg(feature = "dns")]
pub(crate) use dns::{as_io, resolver_of, system_resolver};
pub use embedded::{Embedded, EmbeddedForm, NoTranslatorPrefix};
pub use guarded_resolver::GuardedResolver;
pub use options::GuardOptions;
pub use reason::RefusalReason;
pub use refusal::{GuardRefusal, ResolveError};
pub use resolver::{Resolver, SystemResolver};

use host::Target;
use pins::Pins;
use policy::Policy;

/// Default timeout of a resolution.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Policy that decides which URLs may be requested and which addresses may be dialled. Clones are cheap and share
/// resolved names.
///
/// ```
/// use comity_client::guard::{Guard, RefusalReason};
///
/// let guard = Guard::new();
/// assert!(guard.check_url(&"https://example.com/".parse()?).is_ok());
///
/// // The guard recognizes every spelling of an address.
/// let refusal = guard.check_url(&"http://0x7f.1/".parse()?).unwrap_err();
/// assert_eq!(refusal.reason(), RefusalReason::Loopback);
///
/// let guard = guard.allow_address("127.0.0.0/8".parse()?);
/// assert!(guard.check_url(&"http://0x7f.1/".parse()?).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guard {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    timeout: Duration,
    pins: Arc<Pins>,
}

impl Guard {
    /// Creates the strict guard. It refuses schemes other than `http` and `https`, credentials in URLs, ports that
    /// browsers block, and addresses that are not globally reachable. The system's resolver resolves names.
    pub fn new() -> Self {
        Guard::with_policy(Policy::default())
    }

    /// Creates a guard that refuses only invalid hosts, and schemes other than `http` and `https`. Use it only if you
    /// trust the source of the URLs.
    pub fn allow_everything() -> Self {
        Guard::with_policy(Policy { everything: true, ..Policy::default() })
    }

    fn with_policy(policy: Policy) -> Self {
        Guard {
            policy: Arc::new(policy),
            resolver: Arc::new(SystemResolver),
            timeout: TIMEOUT,
            pins: Arc::new(Pins::default()),
        }
    }

    /// Allows a network, such as `127.0.0.0/8` for tests or `10.20.0.0/16` for an intranet.
    ///
    /// The address of a metadata service inside an allowed network is still refused. To allow it, pass its exact
    /// address (`/32`, `/128`).
    #[must_use]
    pub fn allow_address(self, network: IpNet) -> Self {
        self.changing(|policy| policy.networks.push(network))
    }

    /// Allows a host to have any addresses except those of metadata services. The name must be complete; case and a
    /// final dot are ignored. If the host is the name of a metadata service, its address is allowed, too.
    #[must_use]
    pub fn allow_host(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.changing(|policy| match host::target(&name) {
            Some(Target::Address(address)) => policy.networks.push(address.into()),
            Some(Target::Name(name)) => policy.hosts.push(host::folded(&name).to_owned()),
            // The text is not a valid host, so a URL cannot contain it.
            None => {}
        })
    }

    /// Allows a port that [browsers block](https://fetch.spec.whatwg.org/#port-blocking), or that
    /// [`Guard::on_web_ports`] excludes.
    #[must_use]
    pub fn allow_port(self, port: u16) -> Self {
        self.allow_ports(port..=port)
    }

    /// Allows all ports of a range, as [`Guard::allow_port`] allows one.
    #[must_use]
    pub fn allow_ports(self, ports: RangeInclusive<u16>) -> Self {
        self.changing(|policy| policy.ports.push(ports))
    }

    /// Refuses all ports except 80, 443 and the ports that are explicitly allowed. Programs that accept URLs from
    /// untrusted users need this restriction.
    ///
    /// ```
    /// use comity_client::guard::Guard;
    ///
    /// let guard = Guard::new().on_web_ports().allow_port(8443);
    /// assert!(guard.check_url(&"https://example.com/".parse()?).is_ok());
    /// assert!(guard.check_url(&"http://example.com:443/".parse()?).is_ok());
    /// assert!(guard.check_url(&"https://example.com:8443/".parse()?).is_ok());
    /// assert!(guard.check_url(&"https://example.com:8080/".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_web_ports(self) -> Self {
        self.changing(|policy| policy.web_ports = true)
    }

    /// Allows URLs with a user name or password. The transport decides whether to send them.
    #[must_use]
    pub fn allow_credentials(self) -> Self {
        self.changing(|policy| policy.credentials = true)
    }

    /// Adds a prefix under which the network translates IPv6 to IPv4 (NAT64, RFC 6052 §2.2). Addresses with the prefix
    /// are allowed if the guard allows the IPv4 address embedded in them. The well-known prefix `64:ff9b::/96` is
    /// always included.
    ///
    /// ```
    /// use comity_client::guard::Guard;
    ///
    /// let guard = Guard::new()
    ///     .allow_address("10.20.0.0/16".parse()?)          // a network
    ///     .allow_host("wiki.intranet.example")     // one host, wherever it is
    ///     .translating("2001:db8:64::/96".parse()?)?; // the network's own NAT64
    /// assert!(guard.check_address("host.example", "2001:db8:64::10.20.0.1".parse()?).is_ok());
    /// assert!(guard.check_address("host.example", "2001:db8:64::10.21.0.1".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoTranslatorPrefix`] if the length of the prefix is not 32, 40, 48, 56, 64 or 96.
    pub fn translating(self, prefix: Ipv6Net) -> Result<Self, NoTranslatorPrefix> {
        let prefix = embedded::translator(prefix)?;
        Ok(self.changing(|policy| policy.translators.push(prefix)))
    }

    /// Sets the resolver for host names.
    #[must_use]
    pub fn with_resolver(self, resolver: impl Resolver) -> Self {
        Guard { resolver: Arc::new(resolver), pins: Arc::new(Pins::default()), ..self }
    }

    /// Sets the timeout of the resolver. The default is 10 seconds.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Guard { timeout, pins: Arc::new(Pins::default()), ..self }
    }

    /// Changes the policy, and clears the cache of resolved names, which were checked by the old policy.
    fn changing(mut self, change: impl FnOnce(&mut Policy)) -> Self {
        change(Arc::make_mut(&mut self.policy));
        Guard { pins: Arc::new(Pins::default()), ..self }
    }

    /// Checks a URL without resolving its host: scheme, port, credentials, an address in any spelling, and names that
    /// are never public (`localhost`, metadata services).
    ///
    /// # Errors
    ///
    /// [`GuardRefusal`] with the reason why the guard refuses.
    pub fn check_url(&self, url: &Url) -> Result<(), GuardRefusal> {
        self.policy.check_url(url).map_err(GuardRefusal::traced)
    }

    /// Checks the URL of a proxy as [`Guard::check_url`] does, but allows credentials.
    ///
    /// # Errors
    ///
    /// [`GuardRefusal`] with the reason why the guard refuses.
    pub fn check_proxy(&self, url: &Url) -> Result<(), GuardRefusal> {
        self.policy.check_place(url).map_err(GuardRefusal::traced)
    }

    /// Checks one address of a host.
    ///
    /// # Errors
    ///
    /// [`GuardRefusal`] with the reason why the guard refuses.
    pub fn check_address(&self, host: &str, address: IpAddr) -> Result<(), GuardRefusal> {
        self.policy.check_address(host, address).map_err(GuardRefusal::traced)
    }

    /// Resolves a host and checks all its addresses. Returns the addresses that may be dialled. `host` is a name or an
    /// address in any spelling, an IPv6 address with or without brackets.
    ///
    /// The addresses of a name are cached for a minute, for all tasks together. An IPv4-mapped address
    /// (`::ffff:a.b.c.d`) is returned as IPv4.
    ///
    /// # Errors
    ///
    /// [`ResolveError::Refused`] if the name or any of its addresses is refused. All other errors mean that the name
    /// could not be resolved; they are cached for two seconds.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ResolveError> {
        let addresses = match self.addresses(host).await {
            Err(ResolveError::Refused(refusal)) => return Err(refusal.traced().into()),
            outcome => outcome?,
        };
        Ok(addresses.iter().map(|address| SocketAddr::new(*address, port)).collect())
    }

    async fn addresses(&self, host: &str) -> Result<Arc<[IpAddr]>, ResolveError> {
        let name = match host::target(host) {
            Some(Target::Name(name)) => name,
            Some(Target::Address(address)) => {
                self.policy.check_address(host, address)?;
                return Ok(Arc::new([address.to_canonical()]));
            }
            None => return Err(GuardRefusal::of_host(host).into()),
        };
        self.policy.check_name(&name)?;
        if host::is_localhost(&name) {
            // Names under `localhost` are never sent to a resolver (RFC 6761 §6.3). Return the loopback addresses that
            // are allowed.
            let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            return Ok(both.into_iter().filter(|it| self.policy.check_address(&name, *it).is_ok()).collect());
        }
        self.pins.get(&name, self.look_up(&name)).await
    }

    /// Queries the resolver, and checks all addresses that it returns.
    async fn look_up(&self, name: &str) -> Result<Arc<[IpAddr]>, ResolveError> {
        tracing::debug!(host = name, "resolving");
        let answer = tokio::time::timeout(self.timeout, self.resolver.resolve(name)).await;
        let answer = answer.map_err(|_| ResolveError::Timeout)?;
        let mut addresses: Vec<IpAddr> = Vec::new();
        for address in answer.map_err(|error| ResolveError::of_io(name, &error))? {
            self.policy.check_address(name, address)?;
            let address = address.to_canonical();
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() { Err(ResolveError::NotFound(name.to_owned())) } else { Ok(addresses.into()) }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Guard::new()
    }
}
