//! The table of special addresses: the entries of IANA's two special-purpose registries, other special blocks such as
//! multicast, and the addresses of metadata services.
//!
//! The smallest block that contains an address determines whether the address is refused. An IPv4 address outside all
//! blocks is globally reachable. For IPv6, the block `::/0` refuses all other addresses, since IANA has assigned only
//! `2000::/3`. `docs/reference/guard.md` is generated from this table.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use serde::{Serialize, Serializer};

use super::reason::RefusalReason::{
    self, Benchmarking, Broadcast, Discard, Documentation, Identifier, LinkLocal, Loopback, Metadata,
    Multicast, Private, ProtocolAssignments, Reserved, Shared, ThisNetwork, Tunnel, Unspecified,
};

/// A block of addresses with a special purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    #[serde(serialize_with = "as_text")]
    network: IpNet,
    #[serde(rename = "network_name")]
    name: &'static str,
    source: &'static str,
    #[serde(skip)]
    reason: Option<RefusalReason>,
}

impl Block {
    /// Returns the network of the block.
    pub fn network(&self) -> IpNet {
        self.network
    }

    /// Returns the purpose of the block.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the document that defines the block: an RFC, or the documentation of a provider.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the reason why the addresses are refused, or `None` if they are globally reachable.
    pub fn reason(&self) -> Option<RefusalReason> {
        self.reason
    }
}

fn as_text<S: Serializer>(network: &IpNet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(network)
}

/// Returns all blocks in the table, in the order of their addresses.
///
/// ```
/// use comity_client::guard::{RefusalReason, blocks};
///
/// let shared = blocks().iter().find(|block| block.network().to_string() == "100.64.0.0/10").ok_or("no such block")?;
/// assert_eq!(shared.reason(), Some(RefusalReason::Shared));
/// assert_eq!(shared.source(), "RFC 6598");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn blocks() -> &'static [Block] {
    BLOCKS
}

/// Returns the smallest block that contains the address.
pub(super) fn block_of(address: IpAddr) -> Option<&'static Block> {
    BLOCKS
        .iter()
        .filter(|block| block.network.contains(&address))
        .max_by_key(|block| block.network.prefix_len())
}

const fn refused(network: IpNet, reason: RefusalReason, name: &'static str, source: &'static str) -> Block {
    Block { network, name, source, reason: Some(reason) }
}

const fn reachable(network: IpNet, name: &'static str, source: &'static str) -> Block {
    Block { network, name, source, reason: None }
}

const fn v4(octets: [u8; 4], length: u8) -> IpNet {
    let [a, b, c, d] = octets;
    IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), length)
}

const fn v6(groups: [u16; 8], length: u8) -> IpNet {
    let [a, b, c, d, e, f, g, h] = groups;
    IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), length)
}

/// `2001::/23` is refused, except for two globally reachable blocks in it. Its anycast addresses (RFC 7723, RFC 8155,
/// RFC 9665) reach services in the local network, so they are refused, too. `192.0.0.9` and `192.0.0.10` are refused
/// for the same reason.
#[rustfmt::skip]
static BLOCKS: &[Block] = &[
    refused(v4([0, 0, 0, 0], 8), ThisNetwork, "this network", "RFC 791 §3.2"),
    refused(v4([0, 0, 0, 0], 32), Unspecified, "this host on this network", "RFC 1122 §3.2.1.3"),
    refused(v4([10, 0, 0, 0], 8), Private, "private use", "RFC 1918"),
    refused(v4([100, 64, 0, 0], 10), Shared, "shared address space (carrier-grade NAT)", "RFC 6598"),
    refused(v4([100, 100, 100, 200], 32), Metadata, "metadata of Alibaba Cloud", "Alibaba Cloud"),
    refused(v4([127, 0, 0, 0], 8), Loopback, "loopback", "RFC 1122 §3.2.1.3"),
    refused(v4([168, 63, 129, 16], 32), Metadata, "wire server of Azure, in a public range", "Microsoft Azure"),
    refused(v4([169, 254, 0, 0], 16), LinkLocal, "link local", "RFC 3927"),
    refused(v4([169, 254, 0, 23], 32), Metadata, "metadata of Tencent Cloud", "Tencent Cloud"),
    refused(v4([169, 254, 42, 42], 32), Metadata, "metadata of Scaleway", "Scaleway"),
    refused(v4([169, 254, 169, 254], 32), Metadata, "metadata of AWS, Azure, Google Cloud and most others", "the clouds' documentation"),
    refused(v4([169, 254, 170, 2], 32), Metadata, "credentials of ECS tasks", "AWS"),
    refused(v4([169, 254, 170, 23], 32), Metadata, "credentials of EKS pods", "AWS"),
    refused(v4([172, 16, 0, 0], 12), Private, "private use", "RFC 1918"),
    refused(v4([192, 0, 0, 0], 24), ProtocolAssignments, "IETF protocol assignments", "RFC 6890 §2.1"),
    refused(v4([192, 0, 0, 192], 32), Metadata, "metadata of Oracle Cloud Classic", "Oracle"),
    refused(v4([192, 0, 2, 0], 24), Documentation, "documentation (TEST-NET-1)", "RFC 5737"),
    reachable(v4([192, 31, 196, 0], 24), "AS112-v4", "RFC 7535"),
    reachable(v4([192, 52, 193, 0], 24), "AMT", "RFC 7450"),
    refused(v4([192, 88, 99, 0], 24), Tunnel, "6to4 relay anycast, deprecated", "RFC 7526"),
    refused(v4([192, 168, 0, 0], 16), Private, "private use", "RFC 1918"),
    reachable(v4([192, 175, 48, 0], 24), "direct delegation of the AS112 service", "RFC 7534"),
    refused(v4([198, 18, 0, 0], 15), Benchmarking, "benchmarking", "RFC 2544"),
    refused(v4([198, 51, 100, 0], 24), Documentation, "documentation (TEST-NET-2)", "RFC 5737"),
    refused(v4([203, 0, 113, 0], 24), Documentation, "documentation (TEST-NET-3)", "RFC 5737"),
    refused(v4([224, 0, 0, 0], 4), Multicast, "multicast", "RFC 5771"),
    refused(v4([240, 0, 0, 0], 4), Reserved, "reserved", "RFC 1112 §4"),
    refused(v4([255, 255, 255, 255], 32), Broadcast, "limited broadcast", "RFC 919 §7"),

    refused(v6([0, 0, 0, 0, 0, 0, 0, 0], 0), Reserved, "not assigned", "RFC 4291 §2.4"),
    refused(v6([0, 0, 0, 0, 0, 0, 0, 0], 96), Reserved, "IPv4-compatible, deprecated", "RFC 4291 §2.5.5.1"),
    refused(v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Unspecified, "unspecified", "RFC 4291 §2.5.2"),
    refused(v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Loopback, "loopback", "RFC 4291 §2.5.3"),
    reachable(v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), "IPv4-mapped: as reachable as the IPv4 address", "RFC 4291 §2.5.5.2"),
    refused(v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), Reserved, "IPv4-translated (SIIT), obsolete", "RFC 2765 §2.1"),
    reachable(v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), "NAT64: as reachable as the IPv4 address", "RFC 6052 §2.1"),
    refused(v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), Private, "NAT64 for local use", "RFC 8215"),
    refused(v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), Discard, "discard-only", "RFC 6666"),
    refused(v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64), Discard, "dummy prefix", "RFC 9780"),
    reachable(v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3), "global unicast", "RFC 4291 §2.5.4"),
    refused(v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), ProtocolAssignments, "IETF protocol assignments", "RFC 2928"),
    refused(v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), Tunnel, "Teredo", "RFC 4380"),
    refused(v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Benchmarking, "benchmarking", "RFC 5180"),
    reachable(v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32), "AMT", "RFC 7450"),
    reachable(v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48), "AS112-v6", "RFC 7535"),
    refused(v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28), Identifier, "ORCHID, deprecated", "RFC 4843"),
    refused(v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28), Identifier, "ORCHIDv2: keys of an overlay network, not hosts", "RFC 7343"),
    refused(v6([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28), Identifier, "drone remote identification", "RFC 9374"),
    refused(v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Documentation, "documentation", "RFC 3849"),
    refused(v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Tunnel, "6to4", "RFC 3056"),
    reachable(v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), "direct delegation of the AS112 service", "RFC 7534"),
    refused(v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Documentation, "documentation", "RFC 9637"),
    refused(v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), Identifier, "segments of segment routing", "RFC 9602"),
    refused(v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Private, "unique local", "RFC 4193"),
    refused(v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128), Metadata, "metadata of Scaleway", "Scaleway"),
    refused(v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128), Metadata, "credentials of EKS pods", "AWS"),
    refused(v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), Metadata, "metadata of AWS", "AWS"),
    refused(v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), Metadata, "metadata of Google Cloud", "Google Cloud"),
    refused(v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), LinkLocal, "link local", "RFC 4291 §2.5.6"),
    refused(v6([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128), Metadata, "metadata of OpenStack", "OpenStack"),
    refused(v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Private, "site local, deprecated", "RFC 3879"),
    refused(v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Multicast, "multicast", "RFC 4291 §2.7"),
];
