//! IPv4 addresses inside IPv6 addresses. Whoever routes such an address may end at the IPv4 address in it, so it must
//! pass whatever the address around it is.

use std::error::Error;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::Ipv6Net;
use serde::Serialize;

use super::RefusalReason;

/// An IPv4 address that was refused inside an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Embedded {
    /// How it is in there.
    pub form: Form,
    /// The IPv4 address.
    pub address: Ipv4Addr,
    /// Why it is refused.
    pub reason: RefusalReason,
}

/// How an IPv4 address is written into an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Form {
    /// `::ffff:a.b.c.d`, RFC 4291 §2.5.5.2.
    Mapped,
    /// `::a.b.c.d`, RFC 4291 §2.5.5.1.
    Compatible,
    /// `::ffff:0:a.b.c.d`, RFC 2765 §2.1.
    Translated,
    /// `64:ff9b::a.b.c.d` or under a prefix that [`Guard::translating`](super::Guard::translating) named, RFC 6052.
    Nat64,
    /// `2002:aabb:ccdd::`, RFC 3056.
    SixToFour,
    /// The server of a Teredo address, RFC 4380 §4.
    TeredoServer,
    /// The client of a Teredo address, its bits turned around.
    TeredoClient,
    /// `…:0:5efe:a.b.c.d` or `…:200:5efe:a.b.c.d`, RFC 5214 §6.1.
    Isatap,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Mapped => "IPv4-mapped",
            Form::Compatible => "IPv4-compatible",
            Form::Translated => "IPv4-translated",
            Form::Nat64 => "NAT64",
            Form::SixToFour => "6to4",
            Form::TeredoServer => "Teredo's server",
            Form::TeredoClient => "Teredo's client",
            Form::Isatap => "ISATAP",
        })
    }
}

/// The IPv4 addresses in an IPv6 address: none, one, or Teredo's two; those under `translators` beside them.
pub(super) fn embedded(
    address: Ipv6Addr,
    translators: &[Ipv6Net],
) -> impl Iterator<Item = (Form, Ipv4Addr)> + use<'_> {
    let [a, b, c, d, e, f, ..] = address.segments();
    let last = last_32(address);
    let (one, other) = match (a, b, c, d, e, f) {
        // `::` and `::1` are addresses of their own.
        (0, 0, 0, 0, 0, 0) if u32::from(last) > 1 => (Some((Form::Compatible, last)), None),
        (0, 0, 0, 0, 0, 0xffff) => (Some((Form::Mapped, last)), None),
        (0, 0, 0, 0, 0xffff, 0) => (Some((Form::Translated, last)), None),
        (0x64, 0xff9b, 0, 0, 0, 0) => (Some((Form::Nat64, last)), None),
        (0x2002, b, c, ..) => (Some((Form::SixToFour, of_groups(b, c))), isatap(address)),
        (0x2001, 0, c, d, ..) => (
            Some((Form::TeredoServer, of_groups(c, d))),
            Some((Form::TeredoClient, Ipv4Addr::from(!u32::from(last)))),
        ),
        _ => (None, isatap(address)),
    };
    let translated = translators
        .iter()
        .filter(move |prefix| prefix.contains(&address))
        .filter_map(move |prefix| Some((Form::Nat64, translated(address, prefix.prefix_len())?)));
    one.into_iter().chain(other).chain(translated)
}

fn isatap(address: Ipv6Addr) -> Option<(Form, Ipv4Addr)> {
    let [.., e, f, _, _] = address.segments();
    (matches!(e, 0 | 0x200) && f == 0x5efe).then(|| (Form::Isatap, last_32(address)))
}

fn last_32(address: Ipv6Addr) -> Ipv4Addr {
    let [.., g, h] = address.segments();
    of_groups(g, h)
}

fn of_groups(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

/// RFC 6052 §2.2: right behind the prefix, around octet 8, which is kept free.
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

/// A prefix whose length says where the IPv4 address is.
pub(super) fn translator(prefix: Ipv6Net) -> Result<Ipv6Net, NoTranslatorPrefix> {
    match translated(prefix.addr(), prefix.prefix_len()) {
        Some(_) => Ok(prefix),
        None => Err(NoTranslatorPrefix { prefix }),
    }
}

/// A prefix under which IPv4 addresses cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTranslatorPrefix {
    prefix: Ipv6Net,
}

impl fmt::Display for NoTranslatorPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no prefix of a translator: RFC 6052 §2.2 knows the lengths 32, 40, 48, 56, 64 and 96",
            self.prefix
        )
    }
}

impl Error for NoTranslatorPrefix {}
