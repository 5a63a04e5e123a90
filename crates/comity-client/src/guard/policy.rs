//! The judge: the table of blocks, and what the caller allows beside it.
//!
//! An address passes if all that it stands for passes: the IPv4 addresses in it, then the address itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv6Net};
use url::{Host, Url};

use super::blocks::{Block, block_of};
use super::embedded::{Embedded, embedded};
use super::host::{self, Target};
use super::ports;
use super::{Refusal, RefusalReason};

/// What is allowed beside what is globally reachable.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) everything: bool,
    pub(super) networks: Vec<IpNet>,
    /// Folded.
    pub(super) hosts: Vec<String>,
    pub(super) translators: Vec<Ipv6Net>,
    pub(super) ports: Vec<u16>,
    pub(super) credentials: bool,
}

impl Policy {
    /// A place, and nobody's name at the door.
    pub(super) fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        self.check_place(url)?;
        let bare = url.username().is_empty() && url.password().is_none();
        if bare || self.credentials || self.everything {
            Ok(())
        } else {
            Err(Refusal::new(RefusalReason::Credentials, url.host_str().unwrap_or_default()))
        }
    }

    /// Scheme, host and port.
    pub(super) fn check_place(&self, url: &Url) -> Result<(), Refusal> {
        let text = url.host_str().unwrap_or_default();
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::of_scheme(url.scheme(), text));
        }
        match url.host() {
            None => return Err(Refusal::of_host(text)),
            Some(Host::Domain(name)) if host::folded(name).is_empty() => return Err(Refusal::of_host(text)),
            Some(Host::Domain(name)) => self.check_name(name)?,
            Some(Host::Ipv4(address)) => self.check_address(text, address.into())?,
            Some(Host::Ipv6(address)) => self.check_address(text, address.into())?,
        }
        match url.port() {
            Some(port) if ports::is_blocked(port) && !self.everything && !self.ports.contains(&port) => {
                Err(Refusal::of_port(port, text))
            }
            _ => Ok(()),
        }
    }

    /// A name that is no address: those that need no resolver to be known.
    pub(super) fn check_name(&self, name: &str) -> Result<(), Refusal> {
        if host::is_localhost(name) {
            let v6 = self.check_address(name, Ipv6Addr::LOCALHOST.into());
            return v6.or_else(|_| self.check_address(name, Ipv4Addr::LOCALHOST.into()));
        }
        if host::is_metadata(name) && !self.everything && !self.names(name) {
            return Err(Refusal::new(RefusalReason::Metadata, name));
        }
        Ok(())
    }

    fn names(&self, name: &str) -> bool {
        let name = host::folded(name);
        self.hosts.iter().any(|host| host == name)
    }

    /// An address of a host.
    pub(super) fn check_address(&self, host: &str, address: IpAddr) -> Result<(), Refusal> {
        if self.everything || self.has_exactly(address) {
            return Ok(());
        }
        let allowance = match host::target(host) {
            Some(Target::Name(name)) if self.names(&name) && host::is_metadata(&name) => Allowance::All,
            Some(Target::Name(name)) if self.names(&name) => Allowance::AllButMetadata,
            _ => Allowance::None,
        };
        if let IpAddr::V6(whole) = address {
            for (form, inner) in embedded(whole, &self.translators) {
                if let Some((reason, block)) = self.refused(inner.into(), allowance) {
                    let embedded = Embedded { form, address: inner, reason };
                    return Err(Refusal::of_embedded(host, address, embedded, block));
                }
            }
            if self.translators.iter().any(|prefix| prefix.contains(&whole)) {
                return Ok(());
            }
        }
        match self.refused(address, allowance) {
            Some((reason, block)) => Err(Refusal::of_address(reason, host, address, block)),
            None => Ok(()),
        }
    }

    /// Why this address is refused for what it is itself.
    fn refused(&self, address: IpAddr, allowance: Allowance) -> Option<(RefusalReason, &'static Block)> {
        let block = block_of(address)?;
        let reason = block.reason()?;
        let allowed = match reason {
            // It takes more to get at credentials than to lie in an allowed network.
            RefusalReason::Metadata => allowance == Allowance::All || self.has_exactly(address),
            _ => allowance != Allowance::None || self.networks.iter().any(|it| it.contains(&address)),
        };
        (!allowed).then_some((reason, block))
    }

    /// Whether this very address is on the list.
    fn has_exactly(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|it| it.prefix_len() == it.max_prefix_len() && it.addr() == address)
    }
}

/// What the host's name allows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowance {
    None,
    AllButMetadata,
    All,
}
