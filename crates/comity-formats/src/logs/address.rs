//! Parses addresses of peers, and of clients in the header fields of proxies.
//!
//! All parsers of formats use these functions, so that they treat ports, brackets, zones and lists alike.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Maximum number of hops in a list. Of a longer list, the last hops are used, since the nearest proxies added them.
const MAX_HOPS: usize = 64;

/// A header field with the address of the client, written by a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ForwardedField {
    /// `X-Forwarded-For`: a list of addresses. Each proxy appends its peer.
    XForwardedFor,
    /// `Forwarded` (RFC 7239), which is also a list.
    Forwarded,
    /// `X-Real-IP`.
    XRealIp,
    /// `CF-Connecting-IP` of Cloudflare.
    CfConnectingIp,
    /// `True-Client-IP` of Akamai and Cloudflare.
    TrueClientIp,
    /// `Fastly-Client-IP`.
    FastlyClientIp,
}

impl ForwardedField {
    /// All variants, with the names of the header fields in lower case.
    pub const ALL: [(&str, ForwardedField); 6] = [
        ("x-forwarded-for", ForwardedField::XForwardedFor),
        ("forwarded", ForwardedField::Forwarded),
        ("x-real-ip", ForwardedField::XRealIp),
        ("cf-connecting-ip", ForwardedField::CfConnectingIp),
        ("true-client-ip", ForwardedField::TrueClientIp),
        ("fastly-client-ip", ForwardedField::FastlyClientIp),
    ];

    /// Returns the field with this name, in which underscores may replace hyphens.
    ///
    /// ```
    /// use comity_formats::logs::ForwardedField;
    ///
    /// assert_eq!(ForwardedField::named("X_Real_IP"), Some(ForwardedField::XRealIp));
    /// assert_eq!(ForwardedField::named("Host"), None);
    /// ```
    pub fn named(name: &str) -> Option<ForwardedField> {
        let is_named = |known: &str| {
            known.len() == name.len()
                && known
                    .bytes()
                    .zip(name.bytes())
                    .all(|(a, b)| a == b.to_ascii_lowercase() || (a == b'-' && b == b'_'))
        };
        ForwardedField::ALL.into_iter().find(|(known, _)| is_named(known)).map(|(_, field)| field)
    }
}

/// A logged header field with the address of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogForwarded {
    /// The field.
    pub field: ForwardedField,
    /// The elements of the list, in order. An element without an address, such as `unknown`, is `None`.
    pub hops: Vec<Option<IpAddr>>,
    /// True if the log names the field. Otherwise the field was guessed by its value, and the client may have chosen the value.
    pub is_named: bool,
}

impl LogForwarded {
    /// Parses the value of a field. Returns `None` if there is no value.
    pub(super) fn parse(field: ForwardedField, value: &[u8]) -> Option<LogForwarded> {
        let value = value.trim_ascii();
        if matches!(value, b"" | b"-") {
            return None;
        }
        let mut hops: Vec<_> = value
            .rsplit(|byte| *byte == b',')
            .take(MAX_HOPS)
            .map(|hop| if field == ForwardedField::Forwarded { forwarded_for(hop) } else { ip(hop) })
            .collect();
        hops.reverse();
        Some(LogForwarded { field, hops, is_named: true })
    }
}

/// Returns the address in an element of `Forwarded`, such as `for="[2001:db8::1]:80";proto=https`.
fn forwarded_for(element: &[u8]) -> Option<IpAddr> {
    element.split(|byte| *byte == b';').find_map(|pair| {
        let pair = pair.trim_ascii();
        let value = pair.get(4..).filter(|_| pair[..4].eq_ignore_ascii_case(b"for="))?;
        ip(value)
    })
}

/// The content of a column for the address of the peer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Peer {
    /// An address.
    Address(IpAddr),
    /// A host name, a Unix socket, or a word for a missing address, such as a dash.
    Unknown,
    /// A list of addresses: the server logs `X-Forwarded-For` instead of the address of the peer.
    List,
}

/// Parses the value of a column for the address of the peer. Returns `None` for text that no variant describes.
pub(super) fn peer(text: &[u8]) -> Option<Peer> {
    let text = text.trim_ascii();
    if let Some(address) = ip(text) {
        return Some(Peer::Address(address));
    }
    let is_hidden = matches!(text, b"" | b"-" | b"unknown" | b"@") || text.starts_with(b"unix:");
    if is_hidden || is_full_name(text) {
        return Some(Peer::Unknown);
    }
    let mut hops = text.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let is_list = text.contains(&b',') && hops.all(|hop| ip(hop).is_some() || hop == b"unknown");
    is_list.then_some(Peer::List)
}

/// Returns true for a host name from a reverse lookup: `localhost`, or several labels separated by dots.
fn is_full_name(text: &[u8]) -> bool {
    let mut labels = text.strip_suffix(b".").unwrap_or(text).split(|byte| *byte == b'.');
    let is_label = |label: &[u8]| {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=63).contains(&label.len()) && label.iter().all(is_part)
    };
    text == b"localhost"
        || text.len() <= 253
            && text.contains(&b'.')
            && labels.all(is_label)
            && text.iter().any(u8::is_ascii_alphabetic)
}

/// Parses an IP address. It may have a port, brackets, quotation marks and an IPv6 zone. An IPv4-mapped IPv6 address becomes an
/// IPv4 address.
pub(super) fn ip(text: &[u8]) -> Option<IpAddr> {
    if let Some(address) = v4(text) {
        return Some(IpAddr::V4(address));
    }
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"\"").map_or(text, |text| text.strip_suffix(b"\"").unwrap_or(text));
    if let Some(text) = text.strip_prefix(b"[") {
        let end = memchr::memchr(b']', text)?;
        let is_end = matches!(text.get(end + 1..)?, []) || port(text[end + 1..].strip_prefix(b":")?);
        return v6(&text[..end]).filter(|_| is_end);
    }
    v4(text).map(IpAddr::V4).or_else(|| v6(text)).or_else(|| {
        let colon = memchr::memchr(b':', text)?;
        v4(&text[..colon]).filter(|_| port(&text[colon + 1..])).map(IpAddr::V4)
    })
}

/// Parses `ADDRESS:PORT`. The port is required, so that an IPv6 address needs no brackets.
pub(super) fn with_port(text: &[u8]) -> Option<IpAddr> {
    let colon = memchr::memrchr(b':', text)?;
    ip(&text[..colon]).filter(|_| port(&text[colon + 1..]))
}

fn port(text: &[u8]) -> bool {
    (1..=5).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

/// Parses an IPv4 address. This function is called for nearly every line.
fn v4(text: &[u8]) -> Option<Ipv4Addr> {
    if !(7..=15).contains(&text.len()) {
        return None;
    }
    let (mut octets, mut at, mut digits, mut value) = ([0_u8; 4], 0, 0, 0_u32);
    for byte in text {
        match byte {
            b'0'..=b'9' if digits < 3 && !(digits > 0 && value == 0) => {
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 && at < 3 => {
                octets[at] = u8::try_from(value).ok()?;
                (at, digits, value) = (at + 1, 0, 0);
            }
            _ => return None,
        }
    }
    if at != 3 || digits == 0 {
        return None;
    }
    octets[3] = u8::try_from(value).ok()?;
    Some(Ipv4Addr::from(octets))
}

fn v6(text: &[u8]) -> Option<IpAddr> {
    if !text.contains(&b':') {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let address = text.split_once('%').map_or(text, |(address, _)| address);
    address.parse::<Ipv6Addr>().ok().map(|address| IpAddr::V6(address).to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_with_port_brackets_zone_or_quotation_marks_is_parsed() {
        for (text, expected) in [
            ("66.249.66.1", "66.249.66.1"),
            ("66.249.66.1:60422", "66.249.66.1"),
            (" 66.249.66.1 ", "66.249.66.1"),
            ("\"66.249.66.1:80\"", "66.249.66.1"),
            ("[66.249.66.1]", ""),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("fe80::1%eth0", "fe80::1"),
            ("[fe80::1%eth0]:80", "fe80::1"),
            ("::ffff:66.249.66.1", "66.249.66.1"),
            ("[::ffff:66.249.66.1]:80", "66.249.66.1"),
            ("66.249.66.1:", ""),
            ("66.249.66.1:999999", ""),
            ("66.249.66.256", ""),
            ("66.249.66", ""),
            ("066.249.66.1", ""),
            ("66.249.66.1.5", ""),
            ("Nov", ""),
            ("[2001:db8::1", ""),
            ("[2001:db8::1]x", ""),
            ("", ""),
        ] {
            let found = ip(text.as_bytes()).map(|address| address.to_string()).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(with_port(b"2001:db8::1:443"), "2001:db8::1".parse().ok());
        assert_eq!(with_port(b"203.0.113.7:2817"), "203.0.113.7".parse().ok());
    }

    #[test]
    fn address_column_is_an_address_a_name_a_list_or_invalid() {
        for (text, expected) in [
            ("-", Some(Peer::Unknown)),
            ("unix:", Some(Peer::Unknown)),
            ("unix:/run/x.sock", Some(Peer::Unknown)),
            ("crawl.example.net", Some(Peer::Unknown)),
            ("localhost", Some(Peer::Unknown)),
            ("66.249.66.1, 10.0.0.1", Some(Peer::List)),
            ("66.249.66.1,unknown", Some(Peer::List)),
            ("Nov", None),
            ("nginx:", None),
            ("web-1", None),
            ("2026-11-21T06:20:00Z", None),
            ("66.249.66.1,", None),
            ("66.249.66.999", None),
        ] {
            assert_eq!(peer(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn hops_of_lists_are_parsed() {
        let hops = |field, text: &str| {
            let found = LogForwarded::parse(field, text.as_bytes())?;
            let shown = |hop: Option<IpAddr>| hop.map_or("?".to_owned(), |hop| hop.to_string());
            Some(found.hops.into_iter().map(shown).collect::<Vec<_>>().join(" "))
        };
        let list = ForwardedField::XForwardedFor;
        assert_eq!(
            hops(list, "1.1.1.1:80, [2001:db8::1]:5,unknown").as_deref(),
            Some("1.1.1.1 2001:db8::1 ?")
        );
        assert_eq!(hops(list, "-"), None);
        let text = r#"for=192.0.2.43;proto=http, For="[2001:db8:cafe::17]:4711";by=1.1.1.1, for=_hidden, for=unknown"#;
        assert_eq!(
            hops(ForwardedField::Forwarded, text).as_deref(),
            Some("192.0.2.43 2001:db8:cafe::17 ? ?")
        );
    }
}
