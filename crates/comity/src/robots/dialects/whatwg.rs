//! The path and query of a URL by the URL Standard (WHATWG), as JavaScript's `URL` returns them.
//!
//! The dialect `robots-parser` is defined by a program that passes every URL through `new URL(url, base)`. Its base is
//! `http://` with a host and the path `/`. The module follows the parser of Node 20 where it differs from the standard:
//! `^` in a path is not encoded, some dot segments remain, and `x:/..` has an empty path. Hosts are only delimited, not
//! checked: an invalid host is an error for the program.
//!
//! Source: <https://url.spec.whatwg.org/#url-parsing>

use std::borrow::Cow;

use crate::robots::matching::encode::push_percent;
use crate::robots::matching::target::scheme_len;

/// Returns `pathname + search` of a URL, or `None` if the URL has a special scheme and no host.
pub(super) fn path_and_query(url: &str) -> Option<String> {
    let url = url.trim_matches(|c: char| c <= ' ');
    let url: Cow<'_, str> = if url.contains(['\t', '\n', '\r']) {
        url.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect::<String>().into()
    } else {
        url.into()
    };
    let url = url.split('#').next().unwrap_or_default();
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = match scheme_len(address.as_bytes()).filter(|_| !address.is_empty()) {
        Some(length) => (address[..length].to_ascii_lowercase(), &address[length + 1..]),
        None => (String::new(), address),
    };
    let kind = SchemeKind::of(&scheme);
    let mut text = match kind {
        SchemeKind::Other => other_path(rest),
        SchemeKind::File => segments(file_path(rest), kind),
        SchemeKind::Special => segments(special_path(rest, matches!(&*scheme, "" | "http"))?, kind),
    };
    if !query.is_empty() {
        text.push('?');
        push_encoded(&mut text, query, |byte| {
            matches!(byte, b' ' | b'"' | b'#' | b'<' | b'>') || byte == b'\'' && kind != SchemeKind::Other
        });
    }
    Some(text)
}

/// The kinds of schemes that the standard parses differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchemeKind {
    /// `file`: paths may start with a drive letter.
    File,
    /// The other special schemes, and no scheme: a backslash is a slash, and there must be a host.
    Special,
    /// All other schemes.
    Other,
}

impl SchemeKind {
    fn of(scheme: &str) -> SchemeKind {
        match scheme {
            "file" => SchemeKind::File,
            "" | "http" | "https" | "ws" | "wss" | "ftp" => SchemeKind::Special,
            _ => SchemeKind::Other,
        }
    }
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// Returns the path of a URL with a special scheme. `is_relative` is true if the text may be relative to the base.
fn special_path(rest: &str, is_relative: bool) -> Option<&str> {
    let after = rest.trim_start_matches(is_slash);
    let slashes = rest.len() - after.len();
    if is_relative && slashes < 2 {
        return Some(after);
    }
    let end = after.find(is_slash).unwrap_or(after.len());
    let (authority, path) = after.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    (!host.is_empty() && !host.starts_with(':')).then(|| path.get(1..).unwrap_or_default())
}

/// Returns the path of a URL with the scheme `file`. A drive letter in the place of the host belongs to the path.
fn file_path(rest: &str) -> &str {
    let after = rest.strip_prefix(is_slash).unwrap_or(rest);
    let Some(host) = after.strip_prefix(is_slash).filter(|_| after.len() < rest.len()) else { return after };
    let end = host.find(is_slash).unwrap_or(host.len());
    if is_drive_letter(&host[..end]) { host } else { host.get(end + 1..).unwrap_or_default() }
}

/// Returns the path of a URL whose scheme is not special.
fn other_path(rest: &str) -> String {
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find('/').unwrap_or(rest.len())..],
        None => rest,
    };
    if let Some(path) = path.strip_prefix('/') {
        return segments(path, SchemeKind::Other);
    }
    let mut text = String::with_capacity(path.len());
    push_encoded(&mut text, path, |_| false);
    text
}

/// Returns true if Node 20 does not change a path. Node 20 examines only the first segment that starts with a dot. If
/// that segment has other characters, too, and no byte of the path needs encoding, later dot segments remain.
fn is_taken_as_written(path: &str, kind: SchemeKind) -> bool {
    let is_plain =
        |byte: u8| byte > b' ' && byte <= b'~' && !is_in_path_set(byte) && !matches!(byte, b'\\' | b'%');
    let starts_with_drive = kind == SchemeKind::File && path.get(..2).is_some_and(is_drive_letter);
    !path.starts_with('.')
        && !starts_with_drive
        && path.split_once("/.").is_some_and(|(_, after)| !after.is_empty() && !after.starts_with(['.', '/']))
        && path.bytes().all(is_plain)
}

/// Returns true for an ASCII character that is percent-encoded in paths, except control characters.
fn is_in_path_set(byte: u8) -> bool {
    matches!(byte, b' ' | b'"' | b'#' | b'<' | b'>' | b'?' | b'`' | b'{' | b'}')
}

/// Adds a leading slash to a path, removes its dot segments and percent-encodes it.
fn segments(path: &str, kind: SchemeKind) -> String {
    if is_taken_as_written(path, kind) {
        return format!("/{path}");
    }
    let mut text = String::with_capacity(path.len() + 1);
    // The start of each segment in `text`.
    let mut starts: Vec<usize> = Vec::new();
    let is_end = |c: char| c == '/' || c == '\\' && kind != SchemeKind::Other;
    let mut parts = path.split(is_end).peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let dots = dots(part);
        if dots == 2 && is_last && starts.is_empty() && kind == SchemeKind::Other {
            // Node 20 returns an empty path.
            return String::new();
        }
        if dots == 2 {
            let keeps = kind == SchemeKind::File && starts.len() == 1 && is_normal_drive_letter(&text[1..]);
            if let Some(start) = if keeps { None } else { starts.pop() } {
                text.truncate(start);
            }
        }
        if dots == 0 || is_last {
            starts.push(text.len());
            text.push('/');
        }
        if dots == 0 && kind == SchemeKind::File && starts.len() == 1 && is_drive_letter(part) {
            text.push_str(&part[..1]);
            text.push(':');
        } else if dots == 0 {
            push_encoded(&mut text, part, is_in_path_set);
        }
    }
    text
}

/// Returns the number of dots of a dot segment, or 0 for any other segment.
fn dots(segment: &str) -> usize {
    let (mut rest, mut count) = (segment, 0);
    while !rest.is_empty() && count < 3 {
        let encoded = rest.get(..3).filter(|start| start.eq_ignore_ascii_case("%2e")).map(|_| &rest[3..]);
        let Some(after) = rest.strip_prefix('.').or(encoded) else { return 0 };
        (rest, count) = (after, count + 1);
    }
    if rest.is_empty() && count < 3 { count } else { 0 }
}

fn is_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

fn is_normal_drive_letter(text: &str) -> bool {
    is_drive_letter(text) && text.ends_with(':')
}

/// Appends a text in which control characters, non-ASCII characters and the bytes of a set are percent-encoded.
fn push_encoded(text: &mut String, part: &str, is_in_set: impl Fn(u8) -> bool) {
    let mut bytes = std::mem::take(text).into_bytes();
    for byte in part.bytes() {
        if !(b' '..=b'~').contains(&byte) || is_in_set(byte) {
            push_percent(&mut bytes, byte);
        } else {
            bytes.push(byte);
        }
    }
    // Only ASCII is appended.
    *text = String::from_utf8(bytes).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_has_the_path_and_query_of_node_20() {
        for (url, expected) in [
            ("http://h/a/../b?x#f", "/b?x"),
            ("http://h", "/"),
            ("HTTP:\\\\h\\a", "/a"),
            ("http:x", "/x"),
            ("https:x/y", "/y"),
            ("//h/y", "/y"),
            ("/x?", "/x"),
            ("x/%2E/y/%2e.", "/x/"),
            (" /a\tb ", "/ab"),
            ("/\u{e9}^|[\"'?\u{e9}'`", "/%C3%A9^|[%22'?%C3%A9%27`"),
            ("x://h", ""),
            ("x://h/a\\b?'", "/a\\b?'"),
            ("mailto:a b/..", "a b/.."),
            ("x:/..//a", "//a"),
            ("file:///C|/../x", "/C:/x"),
            ("file://C:/x", "/C:/x"),
            ("file:x", "/x"),
            ("...", "/..."),
            ("/a/.b/..", "/a/.b/.."),
            ("/a/.b/%2e%2e", "/a/"),
            ("x:/..", ""),
            ("x:/../", "/"),
        ] {
            assert_eq!(path_and_query(url).as_deref(), Some(expected), "{url}");
        }
        for url in ["http://", "https:", "//", "http://@/", "ws://:80/"] {
            assert_eq!(path_and_query(url), None, "{url}");
        }
    }
}
