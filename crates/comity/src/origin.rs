//! Origins that can be seen without parsing a URL.

/// Returns the origin of an `http` or `https` URL (RFC 6454 §6.2), if it can be seen without parsing and stands in the
/// URL as the URL standard prints it. Caches and joins by origin ask for it millions of times. `None` says nothing about
/// the URL; parse it then.
///
/// ```
/// use comity::plain_origin;
///
/// assert_eq!(plain_origin(b"https://example.com/a?b"), Some("https://example.com"));
/// // Parsing would change these, or take a port off.
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
            // Two in a row announce Punycode, which has to be checked.
            Class::Hyphen if rest.get(at + 1) != Some(&b'-') => {}
            Class::End => {
                end = at;
                break;
            }
            _ => return None,
        }
    }
    // A last label that starts with a digit may be part of an IPv4 address in some spelling. An empty last label is the
    // root's.
    let is_name = rest.get(label..end)?.first()?.is_ascii_lowercase();
    if is_name { std::str::from_utf8(url.get(..url.len() - rest.len() + end)?).ok() } else { None }
}

/// The class of a byte in a host name that is already in its printed form.
#[derive(Clone, Copy)]
enum Class {
    /// A lower-case letter or a digit.
    Plain,
    Dot,
    Hyphen,
    /// A byte that ends a host without a port.
    End,
    /// Anything that may be printed otherwise.
    Other,
}

/// The class of each byte, as a table, since every URL that a crawler decides is classified.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => Class::Plain,
            b'.' => Class::Dot,
            b'-' => Class::Hyphen,
            b'/' | b'?' | b'#' => Class::End,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};
