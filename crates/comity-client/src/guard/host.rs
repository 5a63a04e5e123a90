//! Parses hosts, and lists host names that are never public.

use std::net::IpAddr;

use url::Host;

/// A parsed host.
pub(super) enum Target {
    /// A name as the URL standard serializes it. A final dot is kept, since it prevents a resolver from using its
    /// search list.
    Name(String),
    /// An address. The host may have had any spelling of it.
    Address(IpAddr),
}

/// Parses a host as the URL standard does (short, octal and hexadecimal IPv4, punycode, wide digits). IPv6 addresses
/// may be written without brackets. Returns `None` for text that is neither a name nor an address, such as an address
/// with a zone (`fe80::1%eth0`).
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

/// Returns the name without its final dot, for comparisons.
pub(super) fn folded(name: &str) -> &str {
    name.trim_end_matches('.')
}

/// Returns true for `localhost` and all names under it (RFC 6761 §6.3).
pub(super) fn is_localhost(name: &str) -> bool {
    let name = folded(name);
    name.strip_suffix("localhost").is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns true for the name of a metadata service.
pub(super) fn is_metadata(name: &str) -> bool {
    METADATA.contains(&folded(name))
}

/// Names of metadata services. They are refused in addition to addresses, since a proxy that resolves them may run in
/// the cloud.
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
