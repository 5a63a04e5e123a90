//! The pattern that the author of an unreadable pattern intended: without quotation marks, without the site's own
//! scheme and host, and with wildcards in place of a simple regular expression.

use std::net::Ipv4Addr;

use memchr::memchr;

use super::context::{Context, bare};
use super::pattern::regex_mark;
use super::steps;
use crate::robots::read::space::is_ascii_space;

/// Pairs of quotation marks around a value.
const QUOTES: [(&str, &str); 6] = [
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("\u{201c}", "\u{201d}"),
    ("\u{2018}", "\u{2019}"),
    ("\u{ab}", "\u{bb}"),
];

/// Returns the value without the quotation marks around it.
pub(super) fn unquoted(value: &[u8]) -> &[u8] {
    let inner =
        |(open, close): &(&str, &str)| value.strip_prefix(open.as_bytes())?.strip_suffix(close.as_bytes());
    QUOTES.iter().find_map(inner).map_or(value, <[u8]>::trim_ascii)
}

/// Returns the host of a value such as `https://www.shop.example/cart` or `shop.example/cart`, and the path after it. A
/// `*` at the end of the host is ignored. Without a scheme, the first segment is a host if it starts with `www.`, if it is
/// a host of the site, if it is an IPv4 address, or if it is a name with dots that does not end like a file. Without a
/// path, the name must have a frequent top-level domain.
pub(super) fn split_host<'v>(context: &Context<'_>, value: &'v [u8]) -> Option<(&'v [u8], &'v [u8])> {
    let starts =
        |prefix: &[u8]| value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let scheme = [&b"http://"[..], b"https://", b"//"].into_iter().find(|scheme| starts(scheme));
    let rest = value.get(scheme.map_or(0, <[u8]>::len)..)?;
    let (host, path) = rest.split_at(memchr(b'/', rest).unwrap_or(rest.len()));
    let host = host.get(..host.iter().rposition(|byte| *byte != b'*').map_or(0, |at| at + 1))?;
    let is_host = scheme.is_some()
        || starts(b"www.")
        || is_own(context, host)
        || std::str::from_utf8(host).is_ok_and(|host| host.parse::<Ipv4Addr>().is_ok())
        || is_host_name(host) && (!path.is_empty() || has_frequent_domain(host));
    (is_host && memchr(b'.', host).is_some()).then_some((host, path))
}

/// Endings of file names. Before a path, they do not count as top-level domains.
const FILE_ENDINGS: [&str; 12] =
    ["php", "html", "htm", "asp", "aspx", "jsp", "cgi", "cfm", "pl", "do", "dll", "nsf"];

/// Top-level domains of most hosts. No usual file has such an ending.
const FREQUENT_DOMAINS: [&str; 6] = ["com", "net", "org", "edu", "gov", "info"];

fn has_frequent_domain(host: &[u8]) -> bool {
    let last = host.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    FREQUENT_DOMAINS.iter().any(|domain| domain.as_bytes().eq_ignore_ascii_case(last))
}

/// Returns true for names with dots, such as `shop.example`, that do not end like a file.
fn is_host_name(text: &[u8]) -> bool {
    let is_label = |label: &[u8]| {
        !label.is_empty() && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let Some(last) = text.rsplit(|byte| *byte == b'.').next().filter(|last| last.len() < text.len()) else {
        return false;
    };
    let is_file = FILE_ENDINGS.iter().any(|ending| ending.as_bytes().eq_ignore_ascii_case(last));
    !is_file
        && (2..=24).contains(&last.len())
        && last.iter().all(u8::is_ascii_alphabetic)
        && text.split(|byte| *byte == b'.').all(is_label)
}

/// Returns true if the site has this host, with or without `www.` and a port.
fn is_own(context: &Context<'_>, host: &[u8]) -> bool {
    let host = bare(host);
    steps::count(context.hosts.len());
    !host.is_empty() && context.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
}

/// Returns true if a value is a regular expression: it starts with `^` or contains the mark of one.
pub(super) fn is_regex(value: &[u8]) -> bool {
    value.first() == Some(&b'^') || regex_mark(value).is_some()
}

/// Converts a simple regular expression to a pattern: `.*` becomes `*`, escaped punctuation becomes the character, a
/// `^` at the start is dropped, and a `$` at the end is kept. A single `.` is taken literally. Returns `None` if the
/// expression has anything else with a special meaning.
pub(super) fn from_regex(value: &[u8]) -> Option<Vec<u8>> {
    let mut rest = value.strip_prefix(b"^").unwrap_or(value);
    let mut pattern = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'.', [b'*', after @ ..]) | (b'(', [b'.', b'*', b')', after @ ..]) => {
                pattern.push(b'*');
                after.strip_prefix(b"?").unwrap_or(after)
            }
            (b'\\', [literal, after @ ..]) if literal.is_ascii_punctuation() && !b"*$".contains(literal) => {
                pattern.push(*literal);
                after
            }
            (b'$', []) => {
                pattern.push(b'$');
                after
            }
            (
                b'\\' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'|' | b'+' | b'?' | b'*' | b'^' | b'$',
                _,
            ) => return None,
            (literal, after) => {
                pattern.push(literal);
                after
            }
        };
    }
    Some(pattern)
}

/// Returns the pattern that the author of a value probably intended. The pattern starts with `/` or `*`, and is longer
/// than that character. Returns `None` if the intention is not clear.
pub(super) fn intended(context: &Context<'_>, value: &[u8]) -> Option<Vec<u8>> {
    let inner = unquoted(value);
    let path = match split_host(context, inner) {
        Some((host, path)) => is_own(context, host).then_some(path)?,
        None => inner,
    };
    let mut path = if is_regex(path) { from_regex(path)? } else { path.to_vec() };
    match path.first() {
        Some(b'/' | b'*') => {}
        _ if path.iter().any(|byte| is_ascii_space(*byte) || *byte == b':') => return None,
        _ if std::str::from_utf8(&path).is_err() => return None,
        // An extension, a query, or a parameter of a query, each after a path.
        Some(b'.' | b'?') => drop(path.splice(..0, *b"/*")),
        Some(_) if is_parameter(&path) => drop(path.splice(..0, *b"/*")),
        Some(first)
            if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-' | b'~' | b'%' | 0x80..) =>
        {
            path.insert(0, b'/');
        }
        _ => return None,
    }
    // Nobody closes the whole site in this way, and `/robots.txt` is always allowed.
    let is_useful = path.len() > 1 && !matches!(&path[..], b"/*" | b"/$" | b"/robots.txt");
    is_useful.then_some(path)
}

/// Returns true if a value starts with a parameter of a query, such as `utm_source=`.
fn is_parameter(value: &[u8]) -> bool {
    let name =
        value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    name > 0 && value.get(name) == Some(&b'=')
}
