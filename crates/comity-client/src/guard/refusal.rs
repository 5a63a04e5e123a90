//! What was refused and why, and why a host has no addresses.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;

use serde::Serialize;

use super::blocks::Block;
use super::embedded::Embedded;

/// What the guard refused, and why. Its text says how to allow it.
///
/// Serialized: `reason`, `host`, and what applies of `address`, `embedded` (`form`, `address`, `reason`), `network`,
/// `network_name`, `source`, `scheme`, `port`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
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

impl Refusal {
    pub(super) fn new(reason: RefusalReason, host: &str) -> Self {
        Refusal {
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
        Refusal { scheme: Some(scheme.into()), ..Refusal::new(RefusalReason::Scheme, host) }
    }

    /// A host that is none.
    pub(super) fn of_host(host: &str) -> Self {
        let reason = if host.is_empty() { RefusalReason::NoHost } else { RefusalReason::InvalidHost };
        Refusal::new(reason, host)
    }

    pub(super) fn of_port(port: u16, host: &str) -> Self {
        Refusal { port: Some(port), ..Refusal::new(RefusalReason::Port, host) }
    }

    pub(super) fn of_address(
        reason: RefusalReason,
        host: &str,
        address: IpAddr,
        block: &'static Block,
    ) -> Self {
        Refusal { address: Some(address), block: Some(block), ..Refusal::new(reason, host) }
    }

    pub(super) fn of_embedded(
        host: &str,
        address: IpAddr,
        embedded: Embedded,
        block: &'static Block,
    ) -> Self {
        let embedded = Some(embedded);
        Refusal { embedded, ..Refusal::of_address(RefusalReason::Embedded, host, address, block) }
    }

    /// Why.
    pub fn reason(&self) -> RefusalReason {
        self.reason
    }

    /// Who was asked for; empty if nobody was.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address that was refused, if it came to addresses.
    pub fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// The IPv4 address in it that was refused, if that is the reason.
    pub fn embedded(&self) -> Option<Embedded> {
        self.embedded
    }

    /// The block that decided.
    pub fn block(&self) -> Option<&'static Block> {
        self.block
    }

    /// Says it to whoever listens, and passes it on.
    pub(super) fn traced(self) -> Self {
        tracing::info!(reason = self.reason.as_str(), host = self.host, address = ?self.address, "the guard refused");
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            return write!(f, "`{scheme}` URLs are not fetched; the guard knows `http` and `https`");
        }
        if let Some(port) = self.port {
            return write!(
                f,
                "port {port} of `{}` is refused: browsers block it, since other services live there; if it is meant, \
                 let the guard allow the port",
                self.host
            );
        }
        match (self.reason, self.address, self.block) {
            (RefusalReason::NoHost, ..) => f.write_str("there is no host to dial; give a URL with one"),
            (RefusalReason::InvalidHost, ..) => write!(
                f,
                "`{}` is neither a name nor an address of a host; write a name, or an address without a zone",
                self.host
            ),
            (RefusalReason::Credentials, ..) => write!(
                f,
                "the URL holds credentials for `{}`; give it without them, or let the guard allow credentials",
                self.host
            ),
            (reason, Some(address), Some(block)) => {
                write!(f, "`{}` is not dialled: {address} ", self.host)?;
                match self.embedded {
                    Some(inner) => {
                        write!(f, "holds {} ({}), {}", inner.address, inner.form, inner.reason.words())?
                    }
                    None => write!(f, "is {}", reason.words())?,
                }
                write!(f, " ({}, {}: {}); ", block.network(), block.source(), block.name())?;
                let metadata = RefusalReason::Metadata;
                if reason == metadata || self.embedded.is_some_and(|inner| inner.reason == metadata) {
                    f.write_str("if it is meant, let the guard allow this very address")
                } else {
                    f.write_str("if it is meant, let the guard allow the network or the host")
                }
            }
            (reason, ..) => write!(
                f,
                "`{}` is not dialled: it is {}; if it is meant, let the guard allow the host",
                self.host,
                reason.words()
            ),
        }
    }
}

impl Error for Refusal {}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $words:literal;)+) => {
        /// Why the guard refuses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        #[non_exhaustive]
        pub enum RefusalReason {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl RefusalReason {
            /// Every reason there is.
            pub const ALL: &[RefusalReason] = &[$(RefusalReason::$variant,)+];

            /// The stable name: `link_local`.
            pub fn as_str(self) -> &'static str {
                match self { $(RefusalReason::$variant => $name,)+ }
            }

            /// For a sentence: "it is …".
            fn words(self) -> &'static str {
                match self { $(RefusalReason::$variant => $words,)+ }
            }
        }
    };
}

reasons! {
    /// Neither `http` nor `https`.
    Scheme = "scheme", "of another scheme";
    /// Nobody to ask.
    NoHost = "no_host", "no host";
    /// Neither a name nor an address; addresses with a zone among them.
    InvalidHost = "invalid_host", "neither a name nor an address";
    /// A port that browsers block.
    Port = "port", "on a port of another service";
    /// A user name or a password in the URL.
    Credentials = "credentials", "asked for with credentials";
    /// This machine.
    Loopback = "loopback", "loopback";
    /// A network that is not the Internet: RFC 1918, unique local, site local, local translators.
    Private = "private", "private";
    /// This wire.
    LinkLocal = "link_local", "link local";
    /// Between a provider and its customers (CGNAT).
    Shared = "shared", "shared address space";
    /// A cloud's metadata service, which gives away credentials; by its address or its name.
    Metadata = "metadata", "a cloud's metadata service";
    /// `0.0.0.0/8`.
    ThisNetwork = "this_network", "of this network";
    /// `0.0.0.0` and `::`, which many systems take for this machine.
    Unspecified = "unspecified", "no address in particular";
    /// The wire's every host.
    Broadcast = "broadcast", "broadcast";
    /// Many hosts at once.
    Multicast = "multicast", "multicast";
    /// For examples.
    Documentation = "documentation", "for documentation";
    /// For tests of routers.
    Benchmarking = "benchmarking", "for benchmarking";
    /// Kept by the IETF for protocols.
    ProtocolAssignments = "protocol_assignments", "kept for protocols";
    /// Keys and segments in the form of addresses: they name no place.
    Identifier = "identifier", "an identifier, not a place";
    /// 6to4 and Teredo: where they end is not told by the address.
    Tunnel = "tunnel", "the end of a tunnel";
    /// Goes nowhere.
    Discard = "discard", "for what is thrown away";
    /// Not given out.
    Reserved = "reserved", "reserved";
    /// An IPv6 address that holds an IPv4 address that is refused.
    Embedded = "embedded", "a cover for another address";
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why there is no address to dial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolveError {
    /// The guard refuses the name, or one of its addresses.
    Refused(Refusal),
    /// There is no such name, or it has no addresses.
    NotFound(String),
    /// A name server was asked and has no answer (`SERVFAIL`); with the name and the resolver's words for it.
    Dns(String),
    /// No name server could be asked; with the name and the resolver's words for it.
    Unavailable(String),
    /// The resolver took too long.
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

impl From<Refusal> for ResolveError {
    fn from(refusal: Refusal) -> Self {
        ResolveError::Refused(refusal)
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResolveError::Refused(refusal) => refusal.fmt(f),
            ResolveError::NotFound(name) => write!(f, "`{name}` has no address; check its spelling"),
            ResolveError::Dns(message) => write!(f, "no address for {message}"),
            ResolveError::Unavailable(message) => write!(f, "no name server answers for {message}"),
            ResolveError::Timeout => f.write_str("the resolver did not answer in time; try again later"),
        }
    }
}

impl Error for ResolveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ResolveError::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}
