//! Extracts origins without parsing the URL.

use std::net::Ipv4Addr;

/// Returns the origin of an `http` or `https` URL (RFC 6454 §6.2) if the URL contains it as the URL Standard serializes
/// it. If the result is `None`, the URL may still be valid: parse it to get its origin. Caches and tables with one
/// entry per origin call this function millions of times.
///
/// ```
/// use comity::plain_origin;
///
/// assert_eq!(plain_origin(b"https://example.com/a?b"), Some("https://example.com"));
/// assert_eq!(plain_origin(b"http://127.0.0.1:8080"), Some("http://127.0.0.1:8080"));
/// // Parsing would change these hosts, or remove the port.
/// assert_eq!(plain_origin(b"https://Example.com/"), None);
/// assert_eq!(plain_origin(b"https://example.com:443/"), None);
/// assert_eq!(plain_origin("https://b\u{fc}cher.example/".as_bytes()), None);
/// ```
#[inline]
pub fn plain_origin(url: &[u8]) -> Option<&str> {
    let rest = url.strip_prefix(b"https://").or_else(|| url.strip_prefix(b"http://"))?;
    let (mut end, mut label) = (rest.len(), 0);
    for (at, &byte) in rest.iter().enumerate() {
        match CLASSES[usize::from(byte)] {
            Class::Plain => {}
            Class::Dot => label = at + 1,
            // Two consecutive hyphens introduce Punycode, which must be checked.
            Class::Hyphen if rest.get(at + 1) != Some(&b'-') => {}
            Class::End => {
                end = at;
                break;
            }
            _ => return None,
        }
    }
    // A last label that starts with a digit may be part of an IPv4 address in some notation. A URL with an empty last
    // label is left to the parser.
    let is_name = rest.get(label..end)?.first()?.is_ascii_lowercase();
    if !is_name && !is_plain_address(rest.get(..end)?) {
        return None;
    }
    let begin = url.len() - rest.len();
    let port = match rest.get(end) {
        Some(b':') => plain_port(rest.get(end..)?, begin == "https://".len())?,
        _ => 0,
    };
    std::str::from_utf8(url.get(..begin + end + port)?).ok()
}

/// Returns true if a host is an IPv4 address in serialized form.
fn is_plain_address(host: &[u8]) -> bool {
    std::str::from_utf8(host).is_ok_and(|host| host.parse::<Ipv4Addr>().is_ok())
}

/// Returns the length of a port in serialized form, with its colon. Returns `None` for the scheme's default port, which
/// a serialized origin omits.
fn plain_port(rest: &[u8], is_https: bool) -> Option<usize> {
    let digits = rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    let length = 1 + digits;
    let text = std::str::from_utf8(rest.get(1..length)?).ok()?;
    let number: u16 = text.parse().ok()?;
    let is_default = number == if is_https { 443 } else { 80 };
    let is_over = matches!(rest.get(length), None | Some(b'/' | b'?' | b'#'));
    (!is_default && !text.starts_with('0') && is_over).then_some(length)
}

/// The class of a byte in a host name, for hosts in serialized form.
#[derive(Clone, Copy)]
enum Class {
    /// A lower-case letter or a digit.
    Plain,
    Dot,
    Hyphen,
    /// A byte that ends a host.
    End,
    /// Any byte that parsing may change or reject.
    Other,
}

/// The class of each byte value. A table is faster than a match.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => Class::Plain,
            b'.' => Class::Dot,
            b'-' => Class::Hyphen,
            b'/' | b'?' | b'#' | b':' => Class::End,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};
