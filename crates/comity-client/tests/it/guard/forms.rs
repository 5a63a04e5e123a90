//! Tests of IPv4 addresses embedded in IPv6 addresses. If an IPv4 address is refused, each IPv6 form of it is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use comity_client::guard::{EmbeddedForm, Guard, RefusalReason, blocks};
use ipnet::{IpNet, Ipv6Net};
use proptest::prelude::*;

fn of_bits(bits: u128) -> Ipv6Addr {
    Ipv6Addr::from_bits(bits)
}

/// Returns all IPv6 forms of an IPv4 address that the guard detects without settings.
fn forms(address: Ipv4Addr) -> [(EmbeddedForm, Ipv6Addr); 9] {
    let bits = u128::from(address.to_bits());
    let public = u128::from(Ipv4Addr::new(65, 54, 227, 120).to_bits());
    [
        (EmbeddedForm::Mapped, of_bits(0xffff << 32 | bits)),
        (EmbeddedForm::Compatible, of_bits(bits)),
        (EmbeddedForm::Translated, of_bits(0xffff << 48 | bits)),
        (EmbeddedForm::Nat64, of_bits(0x0064_ff9b << 96 | bits)),
        (EmbeddedForm::SixToFour, of_bits(0x2002 << 112 | bits << 80 | 1)),
        (EmbeddedForm::TeredoServer, of_bits(0x2001 << 112 | bits << 64 | 0xf7f7_f7f7)),
        (EmbeddedForm::TeredoClient, of_bits(0x2001 << 112 | public << 64 | (!bits & 0xffff_ffff))),
        (EmbeddedForm::Isatap, of_bits(0x2a00_1450 << 96 | 0x5efe << 32 | bits)),
        (EmbeddedForm::Isatap, of_bits(0x2a00_1450 << 96 | 0x0200_5efe << 32 | bits)),
    ]
}

/// Embeds an address as in the figure of RFC 6052 §2.2: the octets of the address follow the prefix, and octet 8 is
/// skipped.
fn translated(prefix: Ipv6Net, address: Ipv4Addr) -> Ipv6Addr {
    let mut octets = prefix.network().octets();
    let mut place = usize::from(prefix.prefix_len() / 8);
    for octet in address.octets() {
        place += usize::from(place == 8);
        octets[place] = octet;
        place += 1;
    }
    octets.into()
}

fn holds_for_all_forms(guard: &Guard, address: Ipv4Addr) {
    let Err(refusal) = guard.check_address("host.example", address.into()) else { return };
    for (form, whole) in forms(address) {
        // `::` and `::1` are special addresses without an embedded address.
        let own = form == EmbeddedForm::Compatible && address.to_bits() <= 1;
        let cover =
            guard.check_address("host.example", whole.into()).expect_err(&format!("{form:?} {whole}"));
        if !own {
            assert_eq!(cover.reason(), RefusalReason::Embedded, "{form:?} {whole}");
            let inner = cover.embedded().unwrap();
            assert_eq!(
                (inner.form, inner.address, inner.reason),
                (form, address, refusal.reason()),
                "{whole}"
            );
        }
    }
    for prefix in prefixes() {
        let guard = guard.clone().translating(prefix).unwrap();
        let whole = translated(prefix, address);
        let cover =
            guard.check_address("host.example", whole.into()).expect_err(&format!("{prefix} {whole}"));
        assert_eq!(cover.embedded().map(|inner| inner.address), Some(address), "{prefix} {whole}");
    }
}

fn prefixes() -> [Ipv6Net; 7] {
    let all = [
        "2a00:1450::/32",
        "2a00:1450:100::/40",
        "2a00:1450:122::/48",
        "2a00:1450:122:300::/56",
        "2a00:1450:122:344::/64",
        "2a00:1450:122:344::/96",
        "64:ff9b:1::/48",
    ];
    all.map(|prefix| prefix.parse().unwrap())
}

#[test]
fn edges_of_every_block_are_refused_in_every_form() {
    let guard = Guard::new();
    let mut seen = 0;
    for block in blocks() {
        if let IpNet::V4(network) = block.network() {
            for address in [network.network(), network.broadcast()] {
                holds_for_all_forms(&guard, address);
                seen += usize::from(guard.check_address("", address.into()).is_err());
            }
        }
    }
    assert!(seen >= 48, "{seen}");
}

#[test]
fn translator_prefix_of_undefined_length_is_rejected() {
    for length in [0, 31, 33, 52, 72, 95, 97, 128] {
        let prefix = Ipv6Net::new(Ipv6Addr::UNSPECIFIED, length).unwrap();
        let error = Guard::new().translating(prefix).unwrap_err();
        assert!(error.to_string().contains("32, 40, 48, 56, 64 and 96"), "{error}");
    }
}

proptest! {
    #[test]
    fn refused_ipv4_is_refused_in_every_ipv6_form(bits: u32) {
        holds_for_all_forms(&Guard::new(), Ipv4Addr::from_bits(bits));
    }

    #[test]
    fn refused_ipv4_near_a_block_is_refused_in_every_ipv6_form(block in 0..blocks().len(), offset in -3i64..=3) {
        if let IpNet::V4(network) = blocks()[block].network() {
            for edge in [network.network(), network.broadcast()] {
                let bits = i64::from(edge.to_bits()) + offset;
                if let Ok(bits) = u32::try_from(bits) {
                    holds_for_all_forms(&Guard::new(), Ipv4Addr::from_bits(bits));
                }
            }
        }
    }

    #[test]
    fn global_ipv4_is_global_as_mapped_nat64_and_isatap(bits: u32) {
        let (guard, address) = (Guard::new(), Ipv4Addr::from_bits(bits));
        if guard.check_address("host.example", address.into()).is_ok() {
            for (form, whole) in forms(address) {
                let passes = guard.check_address("host.example", whole.into()).is_ok();
                let open = matches!(form, EmbeddedForm::Mapped | EmbeddedForm::Nat64 | EmbeddedForm::Isatap);
                prop_assert_eq!(passes, open, "{:?} {}", form, whole);
            }
        }
    }

    #[test]
    fn allowed_network_is_allowed_except_for_metadata(bits: u32, length in 0u8..=32) {
        let address = IpAddr::V4(Ipv4Addr::from_bits(bits));
        let guard = Guard::new().allow_address(IpNet::new(address, length).unwrap());
        if let Err(refusal) = guard.check_address("host.example", address) {
            prop_assert_eq!(refusal.reason(), RefusalReason::Metadata);
            prop_assert!(length < 32);
        }
    }

    #[test]
    fn number_as_host_is_parsed_as_its_address(bits: u32) {
        let address = Ipv4Addr::from_bits(bits);
        let expected = Guard::new().check_address("", address.into()).err().map(|it| it.reason());
        for host in [format!("{bits}"), format!("0x{bits:x}"), format!("0{bits:o}"), address.to_string()] {
            let url = format!("http://{host}/").parse().unwrap();
            prop_assert_eq!(Guard::new().check_url(&url).err().map(|it| it.reason()), expected, "{}", host);
        }
    }
}
