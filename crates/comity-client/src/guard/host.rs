//! Hosts: what a text names, and the names that never lead to the web.

use std::net::IpAddr;

use url::Host;

/// What a host is.
pub(super) enum Target {
    /// A name as the URL standard prints it, the dot at its end kept: it keeps a resolver from its search list.
    Name(String),
    /// An address, in whatever spelling.
    Address(IpAddr),
}

/// Reads a host as the URL standard does (short, octal and hexadecimal IPv4, punycode, wide digits), and IPv6 addresses
/// without brackets as well. `None` for what is neither a name nor an address; a zone (`fe80::1%eth0`) is neither.
pub(super) fn target(host: &str) -> Option<Target> {
    if let Ok(address) = host.parse() {
        return Some(Target::Address(address));
    }
    match Host::parse(host).ok()? {
        Host::Ipv4(address) => Some(Target::Address(address.into())),
        Host::Ipv6(address) => Some(Target::Address(address.into())),
        Host::Domain(name) => (!folded(&name).is_empty()).then_some(Target::Name(name)),
    }
}

/// The name without the dot at its end, as names are compared.
pub(super) fn folded(name: &str) -> &str {
    name.trim_end_matches('.')
}

/// `localhost` and all names under it, RFC 6761 §6.3.
pub(super) fn is_localhost(name: &str) -> bool {
    let name = folded(name);
    name.strip_suffix("localhost").is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The name of a metadata service.
pub(super) fn is_metadata(name: &str) -> bool {
    METADATA.contains(&folded(name))
}

/// By their names, since a proxy that resolves them may be nearer to them than we are.
static METADATA: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "rancher-metadata",
    "rancher-metadata.rancher.internal",
];
