//! Parses hosts, and lists host names that are never public.

use std::net::IpAddr;

use url::Host;

/// A parsed host.
pub(super) enum Target {
    /// A name as the URL standard serializes it. A final dot is kept, since it prevents a resolver from using its
    /// search list.
    Name(String),
    /// An address. The host may spell it in any form.
    Address(IpAddr),
}

/// Parses a host as the URL standard does (short, octal and hexadecimal IPv4, punycode, wide digits). IPv6 addresses
/// may be written without brackets. Returns `None` for text that is neither a name nor an address, such as an address
/// with a zone (`fe80::1%eth0`) or a name with an empty label (`localhost..`).
pub(super) fn target(host: &str) -> Option<Target> {
    if let Ok(address) = host.parse() {
        return Some(Target::Address(address));
    }
    match Host::parse(host).ok()? {
        Host::Ipv4(address) => Some(Target::Address(address.into())),
        Host::Ipv6(address) => Some(Target::Address(address.into())),
        Host::Domain(name) => is_name(&name).then_some(Target::Name(name)),
    }
}

/// Returns true if no label of a name is empty. The URL standard allows empty labels, DNS does not (RFC 1035 §3.1).
pub(super) fn is_name(name: &str) -> bool {
    folded(name).split('.').all(|label| !label.is_empty())
}

/// Returns the name without its final dot, for comparisons.
pub(super) fn folded(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
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
