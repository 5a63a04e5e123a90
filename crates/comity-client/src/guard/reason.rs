//! Reasons why the guard refuses a URL or an address.

use serde::Serialize;

comity::words! {
    /// The reason why the guard refuses a URL or an address.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum RefusalReason as "reason for a refusal" {
        /// The scheme is neither `http` nor `https`.
        Scheme = "scheme" => "of another scheme",
        /// The URL has no host.
        NoHost = "no_host" => "no host",
        /// The host is neither a name nor an address. An address with a zone also has this reason.
        InvalidHost = "invalid_host" => "neither a name nor an address",
        /// Browsers block the port, or only the web ports are allowed.
        Port = "port" => "on a port of another service",
        /// The URL has a user name or a password.
        Credentials = "credentials" => "requested with credentials",
        /// The address belongs to this machine.
        Loopback = "loopback" => "loopback",
        /// The address belongs to a private network: RFC 1918, unique local, site local, local translators.
        Private = "private" => "private",
        /// The address belongs to the local link.
        LinkLocal = "link_local" => "link local",
        /// The address is shared between a provider and its customers (carrier-grade NAT).
        Shared = "shared" => "shared address space",
        /// The address or name belongs to a cloud's metadata service, which hands out credentials.
        Metadata = "metadata" => "a cloud's metadata service",
        /// `0.0.0.0/8`.
        ThisNetwork = "this_network" => "of this network",
        /// `0.0.0.0` and `::`, which many systems treat as this machine.
        Unspecified = "unspecified" => "unspecified",
        /// The address reaches every host of the local link.
        Broadcast = "broadcast" => "broadcast",
        /// The address reaches many hosts at once.
        Multicast = "multicast" => "multicast",
        /// The address is reserved for documentation.
        Documentation = "documentation" => "for documentation",
        /// The address is reserved for tests of routers.
        Benchmarking = "benchmarking" => "for benchmarking",
        /// The address is reserved for protocols of the IETF.
        ProtocolAssignments = "protocol_assignments" => "reserved for protocols",
        /// The address is a key or a segment in the form of an address. It belongs to no host.
        Identifier = "identifier" => "an identifier, not a host",
        /// The address belongs to 6to4 or Teredo. It does not show to which host packets are delivered.
        Tunnel = "tunnel" => "the end of a tunnel",
        /// Packets to the address are discarded.
        Discard = "discard" => "discard-only",
        /// The address is reserved, unassigned, or of a deprecated form.
        Reserved = "reserved" => "reserved",
        /// The IPv6 address embeds an IPv4 address that is refused.
        Embedded = "embedded" => "an address that embeds another one",
    }
}
