//! Setting values that are written as text: networks, ports and name servers. Flags, variables and files use the same
//! syntax.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;

use super::ValueError;

/// A network, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Network(pub IpNet);

impl FromStr for Network {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let network = text.parse::<IpNet>().ok().or_else(|| Some(text.parse::<IpAddr>().ok()?.into()));
        network.map(Network).ok_or_else(|| {
            ValueError::new(format!("`{text}` is not a network; write 127.0.0.0/8, 10.1.2.3 or fd00::/8"))
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A range of ports, or a single port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortRange {
    /// The lowest port.
    pub first: u16,
    /// The highest port.
    pub last: u16,
}

impl From<u16> for PortRange {
    fn from(port: u16) -> Self {
        PortRange { first: port, last: port }
    }
}

impl FromStr for PortRange {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let port = |text: &str| text.trim().parse::<u16>().ok();
        let range = match text.split_once('-') {
            Some((first, last)) => port(first).zip(port(last)),
            None => port(text).map(|port| (port, port)),
        };
        range.filter(|(first, last)| first <= last).map(|(first, last)| PortRange { first, last }).ok_or_else(
            || {
                ValueError::new(format!(
                    "`{text}` is neither a port nor a range of ports; write 8080 or 8000-8100"
                ))
            },
        )
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        if self.last > self.first { write!(f, "-{}", self.last) } else { Ok(()) }
    }
}

/// The address of a DNS server. The default port is 53.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nameserver(pub SocketAddr);

impl FromStr for Nameserver {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let address = text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53));
        address.or_else(|_| text.parse()).map(Nameserver).map_err(|_| {
            let examples = "192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53";
            ValueError::new(format!("`{text}` is not an address; write {examples}"))
        })
    }
}

impl fmt::Display for Nameserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns a URL without its credentials and its query, which may contain secrets. Other text is returned unchanged.
pub(crate) fn without_secrets(location: &str) -> String {
    let Some((scheme, rest)) = location.split_once("://") else { return location.to_owned() };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    if query.contains('@') {
        // The question mark may be a character of the password.
        return format!("{scheme}://***");
    }
    match rest.rsplit_once('@') {
        Some((_, place)) => format!("{scheme}://***@{place}"),
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_parsed_as_network_of_one() {
        assert_eq!("127.0.0.1".parse::<Network>().unwrap().to_string(), "127.0.0.1/32");
        assert_eq!("fd00::/8".parse::<Network>().unwrap().to_string(), "fd00::/8");
        assert!("localhost".parse::<Network>().is_err());
    }

    #[test]
    fn port_range_is_unchanged_after_a_round_trip() {
        for text in ["8080", "8000-8100", "0-65535"] {
            assert_eq!(text.parse::<PortRange>().unwrap().to_string(), text);
        }
        assert_eq!(" 8000 - 8000 ".parse::<PortRange>().unwrap(), PortRange::from(8000));
        for wrong in ["", "-", "http", "-1", "65536", "8100-8000", "8000-", "1-2-3"] {
            assert!(wrong.parse::<PortRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn name_server_without_port_uses_port_53() {
        assert_eq!("192.0.2.1".parse::<Nameserver>().unwrap().to_string(), "192.0.2.1:53");
        assert_eq!("192.0.2.1:5".parse::<Nameserver>().unwrap().to_string(), "192.0.2.1:5");
        assert_eq!("2001:db8::1".parse::<Nameserver>().unwrap().to_string(), "[2001:db8::1]:53");
        assert!("dns.example".parse::<Nameserver>().is_err());
    }
}
