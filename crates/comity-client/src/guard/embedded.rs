//! Finds IPv4 addresses that are embedded in IPv6 addresses. A router may deliver packets for such an address to the
//! embedded address, so the guard checks the embedded address, too.

use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::Ipv6Net;
use serde::Serialize;

use super::reason::RefusalReason;

/// A refused IPv4 address that is embedded in an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Embedded {
    /// The form in which the address is embedded.
    pub form: EmbeddedForm,
    /// The IPv4 address.
    pub address: Ipv4Addr,
    /// The reason for the refusal.
    pub reason: RefusalReason,
}

comity::words! {
    /// The form in which an IPv4 address is embedded in an IPv6 address.
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum EmbeddedForm as "embedded form" {
        /// `::ffff:a.b.c.d`, RFC 4291 §2.5.5.2.
        Mapped = "IPv4-mapped",
        /// `::a.b.c.d`, RFC 4291 §2.5.5.1.
        Compatible = "IPv4-compatible",
        /// `::ffff:0:a.b.c.d`, RFC 2765 §2.1.
        Translated = "IPv4-translated",
        /// `64:ff9b::a.b.c.d`, or another prefix of [`Guard::translating`](super::Guard::translating), RFC 6052.
        Nat64 = "NAT64",
        /// `2002:aabb:ccdd::`, RFC 3056.
        SixToFour = "6to4",
        /// The server of a Teredo address, RFC 4380 §4.
        TeredoServer = "Teredo's server",
        /// The client of a Teredo address, with its bits inverted.
        TeredoClient = "Teredo's client",
        /// `…:0:5efe:a.b.c.d` or `…:200:5efe:a.b.c.d`, RFC 5214 §6.1.
        Isatap = "ISATAP",
    }
}

/// Returns the IPv4 addresses that are embedded in an IPv6 address, in all forms. `translators` are additional NAT64
/// prefixes.
pub(super) fn embedded(
    address: Ipv6Addr,
    translators: &[Ipv6Net],
) -> impl Iterator<Item = (EmbeddedForm, Ipv4Addr)> + use<'_> {
    let [a, b, c, d, e, f, ..] = address.segments();
    let last = last_32(address);
    let (one, other) = match (a, b, c, d, e, f) {
        // `::` and `::1` are special addresses and embed no IPv4 address.
        (0, 0, 0, 0, 0, 0) if u32::from(last) > 1 => (Some((EmbeddedForm::Compatible, last)), None),
        (0, 0, 0, 0, 0, 0xffff) => (Some((EmbeddedForm::Mapped, last)), None),
        (0, 0, 0, 0, 0xffff, 0) => (Some((EmbeddedForm::Translated, last)), None),
        (0x64, 0xff9b, 0, 0, 0, 0) => (Some((EmbeddedForm::Nat64, last)), None),
        (0x2002, b, c, ..) => (Some((EmbeddedForm::SixToFour, of_groups(b, c))), isatap(address)),
        (0x2001, 0, c, d, ..) => (
            Some((EmbeddedForm::TeredoServer, of_groups(c, d))),
            Some((EmbeddedForm::TeredoClient, Ipv4Addr::from(!u32::from(last)))),
        ),
        _ => (None, isatap(address)),
    };
    let translated = translators
        .iter()
        .filter(move |prefix| prefix.contains(&address))
        .filter_map(move |prefix| Some((EmbeddedForm::Nat64, translated(address, prefix.prefix_len())?)));
    one.into_iter().chain(other).chain(translated)
}

fn isatap(address: Ipv6Addr) -> Option<(EmbeddedForm, Ipv4Addr)> {
    let [.., e, f, _, _] = address.segments();
    (matches!(e, 0 | 0x200) && f == 0x5efe).then(|| (EmbeddedForm::Isatap, last_32(address)))
}

fn last_32(address: Ipv6Addr) -> Ipv4Addr {
    let [.., g, h] = address.segments();
    of_groups(g, h)
}

fn of_groups(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

/// Returns the address that RFC 6052 §2.2 embeds behind a prefix of this length. Byte 8 is reserved and skipped.
fn translated(address: Ipv6Addr, length: u8) -> Option<Ipv4Addr> {
    let [_, _, _, _, o4, o5, o6, o7, _, o9, o10, o11, o12, o13, o14, o15] = address.octets();
    let octets = match length {
        32 => [o4, o5, o6, o7],
        40 => [o5, o6, o7, o9],
        48 => [o6, o7, o9, o10],
        56 => [o7, o9, o10, o11],
        64 => [o9, o10, o11, o12],
        96 => [o12, o13, o14, o15],
        _ => return None,
    };
    Some(octets.into())
}

/// Returns the prefix, or an error if RFC 6052 does not define the position of the IPv4 address for its length.
pub(super) fn translator(prefix: Ipv6Net) -> Result<Ipv6Net, NoTranslatorPrefix> {
    match translated(prefix.addr(), prefix.prefix_len()) {
        Some(_) => Ok(prefix),
        None => Err(NoTranslatorPrefix { prefix }),
    }
}

/// The error for a prefix of a length that RFC 6052 does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{prefix}` is not a prefix of a translator: RFC 6052 §2.2 defines the lengths 32, 40, 48, 56, 64 and 96"
)]
pub struct NoTranslatorPrefix {
    prefix: Ipv6Net,
}
