//! The errors of the guard: refusals, and failures to resolve a name.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;

use serde::Serialize;

use super::blocks::Block;
use super::embedded::Embedded;
use super::ports;
use super::reason::RefusalReason;

/// The error for a URL, host or address that the guard refuses. [`Cause::remedy`](crate::Cause::remedy) returns the
/// setting that would allow it.
///
/// It is serialized with the fields `reason` and `host`. The fields `address`, `embedded` (`form`, `address`,
/// `reason`), `network`, `network_name`, `source`, `scheme` and `port` are present if they apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GuardRefusal {
    reason: RefusalReason,
    host: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded: Option<Embedded>,
    #[serde(flatten)]
    block: Option<&'static Block>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
}

impl GuardRefusal {
    pub(super) fn new(reason: RefusalReason, host: &str) -> Self {
        GuardRefusal {
            reason,
            host: host.to_owned(),
            address: None,
            embedded: None,
            block: None,
            scheme: None,
            port: None,
        }
    }

    pub(super) fn of_scheme(scheme: &str, host: &str) -> Self {
        GuardRefusal { scheme: Some(scheme.into()), ..GuardRefusal::new(RefusalReason::Scheme, host) }
    }

    /// Creates the error for a missing or invalid host.
    pub(super) fn of_host(host: &str) -> Self {
        let reason = if host.is_empty() { RefusalReason::NoHost } else { RefusalReason::InvalidHost };
        GuardRefusal::new(reason, host)
    }

    pub(super) fn of_port(port: u16, host: &str) -> Self {
        GuardRefusal { port: Some(port), ..GuardRefusal::new(RefusalReason::Port, host) }
    }

    pub(super) fn of_address(
        reason: RefusalReason,
        host: &str,
        address: IpAddr,
        block: &'static Block,
    ) -> Self {
        GuardRefusal { address: Some(address), block: Some(block), ..GuardRefusal::new(reason, host) }
    }

    pub(super) fn of_embedded(
        host: &str,
        address: IpAddr,
        embedded: Embedded,
        block: &'static Block,
    ) -> Self {
        let embedded = Some(embedded);
        GuardRefusal { embedded, ..GuardRefusal::of_address(RefusalReason::Embedded, host, address, block) }
    }

    /// Returns the reason of the refusal.
    pub fn reason(&self) -> RefusalReason {
        self.reason
    }

    /// Returns the host, or an empty text if the URL has none.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the refused address, or `None` if the refusal does not concern an address.
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Returns the refused port, or `None` if the refusal does not concern a port.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Returns the refused IPv4 address if it is embedded in an IPv6 address.
    pub fn embedded(&self) -> Option<Embedded> {
        self.embedded
    }

    /// Returns the block of the refused address. If the address embeds a refused IPv4 address, returns the block of the
    /// IPv4 address.
    pub fn block(&self) -> Option<&'static Block> {
        self.block
    }

    /// Logs the refusal, and returns it.
    pub(super) fn traced(self) -> Self {
        tracing::debug!(reason = self.reason.as_str(), host = self.host, address = ?self.address, "the guard refused");
        self
    }
}

impl fmt::Display for GuardRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            return write!(f, "`{scheme}` URLs are not fetched; the guard allows `http` and `https`");
        }
        if let Some(port) = self.port {
            let why = match ports::is_blocked(port) {
                true => "browsers block it, since it belongs to another service",
                false => "only the web ports 80 and 443 are allowed",
            };
            return write!(f, "port {port} of `{}` is refused: {why}", self.host);
        }
        match (self.reason, self.address, self.block) {
            (RefusalReason::NoHost, ..) => f.write_str("the URL has no host; add one"),
            (RefusalReason::InvalidHost, ..) => {
                write!(f, "`{}` is not a valid host; write a name, or an address without a zone", self.host)
            }
            (RefusalReason::Credentials, ..) => {
                write!(f, "the URL contains credentials for `{}`; remove them", self.host)
            }
            (reason, Some(address), Some(block)) => {
                write!(f, "`{}` is not dialled: {address} ", self.host)?;
                match self.embedded {
                    Some(inner) => {
                        write!(f, "embeds {} ({}), {}", inner.address, inner.form, inner.reason.label())?
                    }
                    None => write!(f, "is {}", reason.label())?,
                }
                write!(f, " ({}, {}: {})", block.network(), block.source(), block.name())
            }
            (reason, ..) => write!(f, "`{}` is not dialled: it is {}", self.host, reason.label()),
        }
    }
}

impl Error for GuardRefusal {}

/// The error for a host that cannot be dialled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The guard refuses the name or one of its addresses.
    #[error(transparent)]
    Refused(#[from] GuardRefusal),
    /// The name does not exist, or has no addresses.
    #[error("`{0}` has no address; check its spelling")]
    NotFound(String),
    /// A name server answered with an error (`SERVFAIL`). Contains the name and the resolver's message.
    #[error("no address for {0}")]
    Dns(String),
    /// No name server could be queried. Contains the name and the resolver's message.
    #[error("no name server answers for {0}")]
    Unavailable(String),
    /// The resolver did not answer in time.
    #[error("the resolver did not answer in time; try again later")]
    Timeout,
}

impl ResolveError {
    pub(super) fn of_io(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => ResolveError::NotFound(name.to_owned()),
            io::ErrorKind::TimedOut => ResolveError::Timeout,
            io::ErrorKind::InvalidData => ResolveError::Dns(format!("`{name}`: {error}")),
            _ => ResolveError::Unavailable(format!("`{name}`: {error}")),
        }
    }
}
