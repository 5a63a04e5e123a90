//! Hosts and targets of original requests.
//!
//! A gateway forwards the bytes of the agent unchanged, and a site may parse them in another way than the URL standard.
//! So a host must be in the normal form of the URL standard, and every URL that a site may read in the target must be
//! allowed.

use std::borrow::Cow;

use memchr::memmem;
use percent_encoding::{CONTROLS, percent_encode};
use url::{Position, Url};

/// Bytes of a target that sites read in two ways, with their percent-encoded form. The URL standard reads `#` as the
/// start of a fragment, and `\` as a slash. Other programs read each byte as if it were percent-encoded (RFC 3986
/// §2.1).
const AMBIGUOUS: [(u8, &[u8; 3]); 2] = [(b'#', b"%23"), (b'\\', b"%5C")];

/// The URLs that a site may read in a target.
#[derive(Debug)]
pub(super) struct Readings {
    /// The URL as the URL standard parses it, without its fragment.
    pub(super) url: Url,
    /// All URLs that a site may read in the target, as bytes, without duplicates.
    pub(super) urls: Vec<Vec<u8>>,
}

impl Readings {
    /// Returns the readings of a target in [origin form](origin_form) at a [site](site).
    ///
    /// # Errors
    ///
    /// Returns a message if the target has a space or a control character, which could end the target in the request
    /// line.
    pub(super) fn of(site: &str, target: &[u8]) -> Result<Readings, String> {
        if target.iter().any(|byte| *byte <= b' ' || *byte == 0x7F) {
            return Err("the target has a space or a control character".to_owned());
        }
        let url = parse(site, target)?;
        let mut urls = Vec::new();
        for target in spellings(target) {
            let written = [site.as_bytes(), &target].concat();
            let parsed = String::from(parse(site, &target)?).into_bytes();
            for reading in [written, parsed] {
                if !urls.contains(&reading) {
                    urls.push(reading);
                }
            }
        }
        Ok(Readings { url, urls })
    }
}

fn parse(site: &str, target: &[u8]) -> Result<Url, String> {
    let text = format!("{site}{}", percent_encode(target, CONTROLS));
    let mut url =
        Url::parse(&text).map_err(|error| format!("the target is not part of a valid URL: {error}"))?;
    url.set_fragment(None);
    Ok(url)
}

/// Returns all spellings of a target: for each [ambiguous](AMBIGUOUS) byte, one with the byte and one with its
/// percent-encoded form.
fn spellings(target: &[u8]) -> Vec<Vec<u8>> {
    let mut spellings = vec![target.to_vec()];
    for (byte, escape) in AMBIGUOUS {
        if target.contains(&byte) {
            let encode =
                |spelling: &Vec<u8>| spelling.split(|b| *b == byte).collect::<Vec<_>>().join(&escape[..]);
            let encoded: Vec<_> = spellings.iter().map(encode).collect();
            spellings.extend(encoded);
        }
    }
    spellings
}

/// Returns the origin for a scheme and a host with an optional port, as the URL standard prints it.
///
/// # Errors
///
/// Returns a message if the URL standard rewrites the host, because the decision would then be about a different host.
/// Upper case and a default port are allowed, because they name an equal host (RFC 9110 §4.2.3).
pub(super) fn site(scheme: &str, host: &str) -> Result<String, String> {
    let scheme = ["http", "https"].into_iter().find(|known| known.eq_ignore_ascii_case(scheme));
    let scheme = scheme.ok_or("the scheme is neither `http` nor `https`")?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]".contains(&byte);
    let written = format!("{scheme}://{}", host.to_ascii_lowercase());
    let url = Url::parse(&written).ok().filter(|_| host.bytes().all(is_plain));
    let url = url.ok_or("the host is not a host name or an address with an optional port")?;
    let site = &url[..Position::BeforePath];
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    let folded = written.strip_suffix(default_port).or_else(|| written.strip_suffix(':')).unwrap_or(&written);
    if folded == site {
        Ok(site.to_owned())
    } else {
        Err(format!(
            "the host is not in the form of the URL standard: `{}`",
            &url[Position::BeforeHost..Position::AfterPort]
        ))
    }
}

/// Returns the path and the query of a target. A target in absolute form must have the host of the request.
///
/// # Errors
///
/// Returns a message for another host, and for a target that is neither a path nor an absolute URL.
pub(super) fn origin_form<'t>(target: &'t [u8], host: &str) -> Result<Cow<'t, [u8]>, String> {
    let path = match memmem::find(target, b"://") {
        _ if matches!(target, [b'/' | b'?', ..]) => target,
        None => return Err("the target is neither a path nor an absolute URL".to_owned()),
        Some(at) => {
            let text =
                |bytes: &'t [u8]| std::str::from_utf8(bytes).map_err(|_| "the target has an unreadable host");
            let (scheme, rest) = (text(&target[..at])?, &target[at + 3..]);
            let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
            // A server reads the host from the target (RFC 9112 §3.2.2), but the gateway connects to the host in
            // `Host`.
            if site(scheme, text(&rest[..end])?)? != site(scheme, host)? {
                return Err("the host in the target differs from the host of the request".to_owned());
            }
            &rest[end..]
        }
    };
    // The path of an absolute URL may be empty (RFC 9112 §3.2.1).
    Ok(if path.starts_with(b"/") { Cow::Borrowed(path) } else { Cow::Owned([b"/", path].concat()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_target_has_several_readings() {
        let readings = |target: &[u8]| {
            let urls = Readings::of("http://a.example", target).unwrap().urls;
            let path = |url: &Vec<u8>| String::from_utf8_lossy(&url["http://a.example".len()..]).into_owned();
            urls.iter().map(path).collect::<Vec<_>>()
        };
        assert_eq!(readings(b"/a?b=c"), ["/a?b=c"]);
        assert_eq!(readings(b"//a/;b"), ["//a/;b"]);
        assert_eq!(readings(b"/p/%2e%2e/q"), ["/p/%2e%2e/q", "/q"]);
        assert_eq!(readings(b"/#/../p"), ["/#/../p", "/", "/%23/../p", "/p"]);
        assert_eq!(readings(b"/p\\..\\q"), ["/p\\..\\q", "/q", "/p%5C..%5Cq"]);
        assert_eq!(readings(b"/\xC3\xA9"), ["/\u{e9}", "/%C3%A9"]);
        assert_eq!(readings(b"/#\\../p").len(), 6);
        for unfit in [&b"/a b"[..], b"/a\tb", b"/a\r\nb", b"/a\x7F", b"/a\0"] {
            assert!(Readings::of("http://a.example", unfit).is_err(), "{unfit:?}");
        }
    }

    #[test]
    fn host_not_in_normal_form_is_refused() {
        for (scheme, host, expected) in [
            ("http", "a.example", "http://a.example"),
            ("HTTP", "A.Example:80", "http://a.example"),
            ("https", "a.example:80", "https://a.example:80"),
            ("http", "a.example:", "http://a.example"),
            ("http", "a.example.", "http://a.example."),
            ("http", "a_b.example", "http://a_b.example"),
            ("http", "xn--bcher-kva.example", "http://xn--bcher-kva.example"),
            ("https", "[::1]:443", "https://[::1]"),
            ("http", "[2001:DB8::1]:8080", "http://[2001:db8::1]:8080"),
            ("http", "192.0.2.1", "http://192.0.2.1"),
        ] {
            assert_eq!(site(scheme, host).as_deref(), Ok(expected), "{scheme} {host}");
        }
        for host in [
            "",
            ":80",
            "a.example/b",
            "user@a.example",
            "a.example?",
            "a b",
            "a.example\\b",
            "a.example#",
            "a.example\t",
            "exa%6dple.com",
            "b\u{fc}cher.example",
            "127.1",
            "0x7f.0.0.1",
            "2130706433",
            "127.0.0.1.",
            "[0::1]",
            "::1",
            "a.example:080",
            "a.example:65536",
            "a.example:8x",
            "a.example,b.example",
            "a\u{ad}.example",
            "a.example:80:80",
        ] {
            assert!(site("http", host).is_err(), "{host}");
        }
        for scheme in ["", "ftp", "ws", "http://evil.example/?", "https, http"] {
            assert!(site(scheme, "a.example").is_err(), "{scheme}");
        }
    }

    #[test]
    fn absolute_target_with_another_host_is_refused() {
        let form = |target: &str| {
            let form = origin_form(target.as_bytes(), "A.example:80").ok()?;
            Some(String::from_utf8(form.into_owned()).unwrap())
        };
        for (target, expected) in [
            ("/a?b", "/a?b"),
            ("//a.example/b", "//a.example/b"),
            ("/a://b", "/a://b"),
            ("?q", "/?q"),
            ("http://a.example/b?c", "/b?c"),
            ("HTTP://a.EXAMPLE:80", "/"),
            ("http://a.example?q", "/?q"),
            ("http://a.example#f", "/#f"),
        ] {
            assert_eq!(form(target).as_deref(), Some(expected), "{target}");
        }
        for target in [
            "",
            "*",
            "a.example:80",
            "a",
            "#f",
            "http://b.example/",
            "https://a.example/",
            "http://a.example:81/",
            "http://user@a.example/",
            "http://a.example\\@b.example/",
            "ftp://a.example/",
            "http:///b",
            "\\b",
        ] {
            assert_eq!(form(target), None, "{target}");
        }
    }
}
