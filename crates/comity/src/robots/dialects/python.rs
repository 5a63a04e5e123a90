//! The functions of Python's `urllib.parse` that robots.txt parsers in Python use: `quote`, `unquote`, `urlsplit`,
//! `urlparse` and `urlunparse`.
//!
//! The dialects that are defined by programs in Python include the quirks of these functions. Source: CPython 3.11,
//! `Lib/urllib/parse.py`.

use std::borrow::Cow;

use crate::robots::matching::encode::{push_percent, unquote_to_bytes};
use crate::robots::matching::target::{Target, UrlError};

/// Python's `unquote(string)`: decodes percent-encoded bytes as UTF-8 and replaces invalid sequences.
///
/// Runs of ASCII are decoded separately, so an encoded byte never combines with an adjacent raw character.
pub(super) fn unquote(string: &str) -> Cow<'_, str> {
    if !string.contains('%') {
        return Cow::Borrowed(string);
    }
    let mut out = String::with_capacity(string.len());
    let mut rest = string;
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(ascii);
        out.push_str(&String::from_utf8_lossy(&unquote_to_bytes(run.as_bytes())));
        let other = tail.bytes().position(|byte| byte.is_ascii()).unwrap_or(tail.len());
        let (raw, tail) = tail.split_at(other);
        out.push_str(raw);
        rest = tail;
    }
    Cow::Owned(out)
}

/// Python's `quote(string)`: percent-encodes everything except letters, digits, `_.-~` and `/`.
pub(super) fn quote(string: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(string.len());
    for byte in string.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'~' | b'/') {
            out.push(byte);
        } else {
            push_percent(&mut out, byte);
        }
    }
    out
}

/// The parts of a URL as `urlparse` returns them. `urlsplit` leaves the parameters in the path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlParts {
    pub scheme: String,
    pub netloc: String,
    pub path: String,
    pub params: String,
    pub query: String,
    pub fragment: String,
}

/// Python's `urlsplit(url)`. Returns `None` if Python raises `ValueError`.
pub(super) fn urlsplit(url: &str) -> Option<UrlParts> {
    let url = without_unsafe(url);
    let (scheme, netloc, rest) = split_authority(&url)?;
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Some(UrlParts {
        scheme: scheme.to_ascii_lowercase(),
        netloc: netloc.to_owned(),
        path: path.to_owned(),
        params: String::new(),
        query: query.to_owned(),
        fragment: fragment.to_owned(),
    })
}

/// Returns the path, query and fragment of a URL as written, or `None` if Python raises `ValueError`. Two slashes are
/// added before a path that starts with two slashes, which distinguishes the path from a host.
pub(super) fn after_authority(url: &str) -> Option<String> {
    let url = without_unsafe(url);
    let (_, _, rest) = split_authority(&url)?;
    Some(if rest.starts_with("//") { format!("//{rest}") } else { rest.to_owned() })
}

/// Returns a URL without the characters that Python removes first: leading control characters and spaces, and all tabs
/// and line ends.
fn without_unsafe(url: &str) -> String {
    let url = url.trim_start_matches(|c: char| c <= ' ');
    url.chars().filter(|c| !matches!(c, '\t' | '\r' | '\n')).collect()
}

/// Returns the scheme and host of a URL, and the text after them.
fn split_authority(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = split_scheme(url);
    let (netloc, rest) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
        None => ("", rest),
    };
    netloc_is_valid(netloc).then_some((scheme, netloc, rest))
}

fn split_scheme(url: &str) -> (&str, &str) {
    match url.split_once(':') {
        Some((scheme, rest))
            if scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) =>
        {
            (scheme, rest)
        }
        _ => ("", url),
    }
}

/// Returns true if Python accepts the host. Python rejects unbalanced brackets, brackets around any text except an IPv6
/// or `IPvFuture` address (RFC 3986 §3.2.2), and characters that NFKC normalization converts to URL delimiters.
fn netloc_is_valid(netloc: &str) -> bool {
    if netloc.contains('[') != netloc.contains(']') {
        return false;
    }
    if let Some((_, after)) = netloc.split_once('[') {
        let host = after.split(']').next().unwrap_or_default();
        let future =
            host.strip_prefix('v').and_then(|rest| rest.split_once('.')).is_some_and(|(version, name)| {
                !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit()) && !name.is_empty()
            });
        let address = host.split('%').next().unwrap_or_default();
        if !future && address.parse::<std::net::Ipv6Addr>().is_err() {
            return false;
        }
    }
    !netloc.contains(EXPAND_TO_DELIMITERS)
}

/// The characters whose NFKC form contains `/`, `?`, `#`, `@` or `:`.
const EXPAND_TO_DELIMITERS: [char; 19] = [
    '\u{2048}', '\u{2049}', '\u{2100}', '\u{2101}', '\u{2105}', '\u{2106}', '\u{2A74}', '\u{FE13}',
    '\u{FE16}', '\u{FE55}', '\u{FE56}', '\u{FE5F}', '\u{FE6B}', '\u{FF03}', '\u{FF0F}', '\u{FF1A}',
    '\u{FF1F}', '\u{FF20}', '\u{2047}',
];

/// Python's `urlparse(url)`: splits a URL as [`urlsplit`] does, and separates the parameters of the last path segment.
pub(super) fn urlparse(url: &str) -> Option<UrlParts> {
    const WITH_PARAMS: [&str; 16] = [
        "", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtsps", "rtspu", "sip",
        "sips", "mms", "sftp", "tel",
    ];
    let mut split = urlsplit(url)?;
    if WITH_PARAMS.contains(&split.scheme.as_str()) {
        let segment = split.path.rfind('/').unwrap_or(0);
        if let Some(at) = split.path[segment..].find(';') {
            split.params = split.path.split_off(segment + at).split_off(1);
        }
    }
    Some(split)
}

/// Python's `urlunparse(parts)`: joins the parts of a URL. No delimiter is written for an empty query, fragment or
/// parameter.
pub(super) fn urlunparse(split: &UrlParts) -> String {
    const WITH_NETLOC: [&str; 25] = [
        "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews",
        "prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh",
        "ws", "wss",
    ];
    let UrlParts { scheme, netloc, path, params, query, fragment } = split;
    let mut url = path.clone();
    if !params.is_empty() {
        url = format!("{url};{params}");
    }
    if !netloc.is_empty() || (WITH_NETLOC.contains(&scheme.as_str()) && !url.starts_with("//")) {
        let slash = if url.is_empty() || url.starts_with('/') { "" } else { "/" };
        url = format!("//{netloc}{slash}{url}");
    }
    if !scheme.is_empty() {
        url = format!("{scheme}:{url}");
    }
    for (delimiter, part) in [('?', query), ('#', fragment)] {
        if !part.is_empty() {
            url.push(delimiter);
            url.push_str(part);
        }
    }
    url
}

/// Converts a URL to the form that the dialect's program compares. `handle` returns that form, or `None` if the program
/// raises `ValueError`.
pub(super) fn target(url: &[u8], handle: fn(&str) -> Option<Vec<u8>>) -> Result<Target<'_>, UrlError> {
    match handle(&String::from_utf8_lossy(url)) {
        Some(text) => Ok(Target::of(Cow::Owned(text))),
        None => Err(UrlError::refused(url)),
    }
}

/// Returns a URL without scheme and host.
pub(super) fn without_authority(url: &str) -> Option<String> {
    let mut split = urlparse(url)?;
    split.scheme.clear();
    split.netloc.clear();
    Some(urlunparse(&split))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::dialects::Dialect;

    #[test]
    fn raw_and_encoded_bytes_are_decoded_separately() {
        assert_eq!(unquote("/caf%C3%A9"), "/caf\u{e9}");
        assert_eq!(unquote("%C3\u{a9}"), "\u{fffd}\u{a9}");
        assert_eq!(unquote("%zz%4"), "%zz%4");
        assert_eq!(unquote("%FF"), "\u{fffd}");
    }

    #[test]
    fn delimiter_of_an_empty_part_is_dropped() {
        let round = |url| urlparse(url).map(|split| urlunparse(&split));
        assert_eq!(round("/a?").as_deref(), Some("/a"));
        assert_eq!(round("/a;?b#").as_deref(), Some("/a?b"));
        assert_eq!(round("HTTP://h/p;x?q#f").as_deref(), Some("http://h/p;x?q#f"));
        assert_eq!(round("http:x").as_deref(), Some("http:///x"));
        assert_eq!(round("http://[::1").as_deref(), None);
    }

    #[test]
    fn url_is_converted_as_by_each_program() {
        let text = |url: &'static str, dialect: Dialect| {
            dialect.row().target(url.as_bytes()).map(|t| String::from_utf8_lossy(&t.text).into_owned())
        };
        assert_eq!(text("http://h/a%2Fb?x=1#f", Dialect::Urllib).as_deref(), Ok("/a/b%3Fx%3D1%23f"));
        assert_eq!(text("http://h", Dialect::Urllib).as_deref(), Ok("/"));
        assert_eq!(text("http://h", Dialect::Gym2008).as_deref(), Ok(""));
        assert_eq!(text("http://h/a%2fb%41#f", Dialect::Gym2008).as_deref(), Ok("/a%2FbA#f"));
        assert_eq!(text("http://h/a%2fb?c%41#f", Dialect::Webcanon).as_deref(), Ok("/a/b?cA"));
        assert!(text("http://[::1/", Dialect::Urllib).is_err());
    }
}
