//! Decides whether a URL or an address is allowed, by the table of blocks and the caller's exceptions.
//!
//! An address is allowed if every IPv4 address embedded in it is allowed, and the address itself is. There are two
//! exceptions. Under the prefix of a translator (NAT64), the embedded IPv4 addresses alone decide. An address that the
//! caller allows by itself, not as part of a network, is allowed whatever is embedded in it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

use ipnet::{IpNet, Ipv6Net};
use url::{Host, Url};

use super::blocks::{Block, block_of};
use super::embedded::{Embedded, embedded};
use super::host::{self, Target};
use super::ports;
use super::{GuardRefusal, RefusalReason};

/// The caller's changes to the strict rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) everything: bool,
    pub(super) networks: Vec<IpNet>,
    /// Allowed host names, in lower case and without a final dot.
    pub(super) hosts: Vec<String>,
    pub(super) translators: Vec<Ipv6Net>,
    pub(super) ports: Vec<RangeInclusive<u16>>,
    /// True if only ports 80, 443 and `ports` are allowed.
    pub(super) web_ports: bool,
    pub(super) credentials: bool,
}

impl Policy {
    /// Checks scheme, host, port and credentials.
    pub(super) fn check_url(&self, url: &Url) -> Result<(), GuardRefusal> {
        self.check_place(url)?;
        let bare = url.username().is_empty() && url.password().is_none();
        if bare || self.credentials || self.everything {
            Ok(())
        } else {
            Err(GuardRefusal::new(RefusalReason::Credentials, url.host_str().unwrap_or_default()))
        }
    }

    /// Checks scheme, host and port.
    pub(super) fn check_place(&self, url: &Url) -> Result<(), GuardRefusal> {
        let text = url.host_str().unwrap_or_default();
        if !matches!(url.scheme(), "http" | "https") {
            return Err(GuardRefusal::of_scheme(url.scheme(), text));
        }
        match url.host() {
            None => return Err(GuardRefusal::of_host(text)),
            Some(Host::Domain(name)) if !host::is_name(name) => {
                return Err(GuardRefusal::of_host(text));
            }
            Some(Host::Domain(name)) => self.check_name(name)?,
            Some(Host::Ipv4(address)) => self.check_address(text, address.into())?,
            Some(Host::Ipv6(address)) => self.check_address(text, address.into())?,
        }
        match url.port() {
            Some(port) if self.refuses_port(port) => Err(GuardRefusal::of_port(port, text)),
            _ => Ok(()),
        }
    }

    fn refuses_port(&self, port: u16) -> bool {
        let is_refused = ports::is_blocked(port) || self.web_ports && !matches!(port, 80 | 443);
        is_refused && !self.everything && !self.ports.iter().any(|ports| ports.contains(&port))
    }

    /// Checks a host name without resolving it.
    pub(super) fn check_name(&self, name: &str) -> Result<(), GuardRefusal> {
        if host::is_localhost(name) {
            let v6 = self.check_address(name, Ipv6Addr::LOCALHOST.into());
            return v6.or_else(|_| self.check_address(name, Ipv4Addr::LOCALHOST.into()));
        }
        if host::is_metadata(name) && !self.everything && !self.has_host(name) {
            return Err(GuardRefusal::new(RefusalReason::Metadata, name));
        }
        Ok(())
    }

    fn has_host(&self, name: &str) -> bool {
        let name = host::folded(name);
        self.hosts.iter().any(|host| host == name)
    }

    /// Checks an address of a host.
    pub(super) fn check_address(&self, host: &str, address: IpAddr) -> Result<(), GuardRefusal> {
        if self.everything || self.has_exactly(address) {
            return Ok(());
        }
        let allowance = match host::target(host) {
            Some(Target::Name(name)) if self.has_host(&name) && host::is_metadata(&name) => Allowance::All,
            Some(Target::Name(name)) if self.has_host(&name) => Allowance::AllButMetadata,
            _ => Allowance::None,
        };
        if let IpAddr::V6(whole) = address {
            for (form, inner) in embedded(whole, &self.translators) {
                if let Some((reason, block)) = self.refused(inner.into(), allowance) {
                    let embedded = Embedded { form, address: inner, reason };
                    return Err(GuardRefusal::of_embedded(host, address, embedded, block));
                }
            }
            if self.translators.iter().any(|prefix| prefix.contains(&whole)) {
                return Ok(());
            }
        }
        match self.refused(address, allowance) {
            Some((reason, block)) => Err(GuardRefusal::of_address(reason, host, address, block)),
            None => Ok(()),
        }
    }

    /// Returns the reason why this address is refused, without checking addresses embedded in it.
    fn refused(&self, address: IpAddr, allowance: Allowance) -> Option<(RefusalReason, &'static Block)> {
        let block = block_of(address)?;
        let reason = block.reason()?;
        let allowed = match reason {
            // An allowed network does not include metadata services. Their exact address must be allowed.
            RefusalReason::Metadata => allowance == Allowance::All || self.has_exactly(address),
            _ => allowance != Allowance::None || self.networks.iter().any(|it| it.contains(&address)),
        };
        (!allowed).then_some((reason, block))
    }

    /// Returns true if the caller has allowed exactly this address.
    fn has_exactly(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|it| it.prefix_len() == it.max_prefix_len() && it.addr() == address)
    }
}

/// The exception that applies to a host name: which of its addresses are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowance {
    None,
    AllButMetadata,
    All,
}
