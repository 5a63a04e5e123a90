//! Percent-encoding: the normalization of rules and URLs before they are compared.
//!
//! # The default dialect
//!
//! RFC 9309 §2.2.2 compares bytes ("octets") after a normalization that its Figure 4 shows by example:
//!
//! | written | compared as | why |
//! |---|---|---|
//! | `/foo/bar?baz=quz` | `/foo/bar?baz=quz` | no byte needs a change |
//! | `/foo/bar?baz=https://foo.bar`, `…=https%3A%2F%2Ffoo.bar` | equal to each other | reserved bytes in the query |
//! | `/foo/bar/ツ`, `/foo/bar/%E3%83%84` | `/foo/bar/%E3%83%84` | bytes outside ASCII are encoded |
//! | `/foo/bar/%62%61%7A`, `/foo/bar/baz` | `/foo/bar/baz` | unreserved bytes are decoded |
//!
//! Rules and URLs are converted to one normal form. Unreserved bytes are raw. Bytes that a URL must not contain raw
//! (space, controls, `"<>\^{|}` and the backtick, everything above 127) are encoded with upper-case digits. Reserved
//! bytes stay *as written* in the path, where `%2F` is not a separator. They are *raw* in the query, where the figure
//! makes both spellings equal. `%2A` and `%24` always mean the characters `*` and `$` (§2.2.3).
//!
//! A percent sign that is not part of an escape is a plain character and becomes `%25`. A raw percent sign could form
//! an escape with the decoded text after it (`%%33A`). It remains raw only at the end of a piece of a rule, where it
//! matches the start of any encoded byte of the URL. Authors write `Disallow: /*%` to disallow every URL with an
//! encoded byte, and google/robotstxt interprets the rule in this way.
//!
//! The bytes of a rule after a `*` may match in the path or in the query of a URL. Such a piece therefore has two
//! forms, which differ only if it contains an encoded reserved byte. See [`pattern`](super::pattern).

use std::borrow::Cow;

/// Decodes the percent-encoded byte at the start of `bytes`.
pub(crate) fn percent_byte(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    Some(hex_digit(*high)? << 4 | hex_digit(*low)?)
}

const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Appends `%XX` in upper case.
pub(crate) fn push_percent(out: &mut Vec<u8>, byte: u8) {
    out.extend(percent(byte));
}

/// Returns `%XX` in upper case.
pub(crate) fn percent(byte: u8) -> [u8; 3] {
    const HEX: [u8; 16] = *b"0123456789ABCDEF";
    [b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]
}

/// Decodes the percent-encoded bytes of a text.
pub(crate) fn unquote_to_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match percent_byte(&bytes[at..]) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}

/// The part of a URL that contains a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Before the first `?`: reserved bytes remain as written.
    Path,
    /// After the first `?`: reserved bytes are raw.
    Query,
}

/// A byte of a rule or URL, raw or percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Byte {
    /// The decoded value.
    pub value: u8,
    /// True if the byte was percent-encoded.
    pub encoded: bool,
}

impl Byte {
    /// Returns the first byte of `text`, which must not be empty.
    pub(crate) fn first(text: &[u8]) -> Byte {
        match percent_byte(text) {
            Some(value) => Byte { value, encoded: true },
            None => Byte { value: text[0], encoded: false },
        }
    }

    /// Returns the number of bytes that the byte occupies as written.
    pub(crate) fn width(self) -> usize {
        if self.encoded { 3 } else { 1 }
    }

    /// Appends the normal form of the byte in `zone`. Returns the number of bytes by which it increases the length of a
    /// rule.
    pub(crate) fn push(self, zone: Zone, out: &mut Vec<u8>) -> u32 {
        let Byte { value, encoded } = self;
        let raw = self.is_raw(zone);
        if raw {
            out.push(value);
        } else {
            push_percent(out, value);
        }
        let counts_encoded = !raw || (encoded && class(value) != Class::Unreserved);
        if counts_encoded { 3 } else { 1 }
    }

    /// Returns true if the normal form in `zone` is the raw byte, not its percent-encoding.
    fn is_raw(self, zone: Zone) -> bool {
        match class(self.value) {
            Class::Unreserved | Class::Wildcard => true,
            Class::Reserved => !self.encoded || zone == Zone::Query,
            // A percent sign that is not part of an escape could otherwise combine with the decoded text after it.
            Class::Percent | Class::Excluded => false,
        }
    }
}

/// Returns true if `rest` of a rule starts with a percent sign that ends a piece: before a `*`, or at the open end of a
/// rule. Such a percent sign remains raw and matches the start of any encoded byte of the URL.
pub(crate) fn starts_any_escape(rest: &[u8], is_open: bool) -> bool {
    matches!(rest, [b'%', b'*', ..]) || (is_open && rest == b"%")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// RFC 3986 §2.3.
    Unreserved,
    /// RFC 3986 §2.2, except `*` and `$`.
    Reserved,
    /// `*` and `$`: reserved, and special in rules.
    Wildcard,
    /// `%`.
    Percent,
    /// Bytes that a URL must not contain raw.
    Excluded,
}

const fn class(byte: u8) -> Class {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => Class::Unreserved,
        b'*' | b'$' => Class::Wildcard,
        b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' => Class::Reserved,
        b'!' | b'&' | b'\'' | b'(' | b')' | b'+' | b',' | b';' | b'=' => Class::Reserved,
        b'%' => Class::Percent,
        _ => Class::Excluded,
    }
}

/// Returns true if a byte is unreserved, so that encoding does not change its meaning (RFC 3986 §2.3).
pub(crate) fn is_unreserved(byte: u8) -> bool {
    class(byte) == Class::Unreserved
}

/// Returns true if the normal form of a raw byte is the byte itself, in the path and in the query.
#[inline]
pub(crate) fn is_normal_byte(byte: u8) -> bool {
    IS_NORMAL[usize::from(byte)]
}

static IS_NORMAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = !matches!(class(byte as u8), Class::Percent | Class::Excluded);
        byte += 1;
    }
    table
};

/// Returns a URL's path and query in normal form.
pub(crate) fn normalize_url(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = text.iter().position(|&byte| !is_normal_byte(byte)) else {
        return Cow::Borrowed(text);
    };
    let mut out = Vec::with_capacity(text.len() + 16);
    out.extend_from_slice(&text[..first]);
    let mut zone = if out.contains(&b'?') { Zone::Query } else { Zone::Path };
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let byte = Byte::first(rest);
        if byte == (Byte { value: b'?', encoded: false }) {
            zone = Zone::Query;
        }
        byte.push(zone, &mut out);
        rest = &rest[byte.width()..];
    }
    Cow::Owned(out)
}

/// Returns true if `text`, which is in normal form, starts with the normal form of the rule up to its first wildcard or
/// its end. The normal form of the rule is computed byte by byte, and the first few bytes usually determine the result.
pub(crate) fn may_start(rule: &[u8], mut text: &[u8]) -> bool {
    let (mut rest, mut zone) = (rule, Zone::Path);
    while !matches!(rest, [] | [b'*', ..] | [b'$']) {
        let byte = Byte::first(rest);
        if byte == (Byte { value: b'?', encoded: false }) {
            zone = Zone::Query;
        }
        let after = if byte.is_raw(zone) || starts_any_escape(rest, true) {
            text.strip_prefix(&[byte.value])
        } else {
            text.strip_prefix(&percent(byte.value))
        };
        let Some(after) = after else { return false };
        (text, rest) = (after, &rest[byte.width()..]);
    }
    true
}

/// Returns a pattern as it is written to a file: `#` and bytes that a URL must not contain raw are percent-encoded. All
/// other bytes are unchanged.
pub(crate) fn for_writing(pattern: &str) -> String {
    let mut out = Vec::with_capacity(pattern.len() + 16);
    for byte in pattern.bytes() {
        if byte == b'#' || class(byte) == Class::Excluded {
            push_percent(&mut out, byte);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        String::from_utf8_lossy(&normalize_url(text.as_bytes())).into_owned()
    }

    #[test]
    fn examples_of_figure_4_are_normalized() {
        assert_eq!(url("/foo/bar?baz=quz"), "/foo/bar?baz=quz");
        assert_eq!(url("/foo/bar?baz=https%3A%2F%2Ffoo.bar"), url("/foo/bar?baz=https://foo.bar"));
        assert_eq!(url("/foo/bar/\u{30c4}"), "/foo/bar/%E3%83%84");
        assert_eq!(url("/foo/bar/%E3%83%84"), "/foo/bar/%E3%83%84");
        assert_eq!(url("/foo/bar/%62%61%7A"), "/foo/bar/baz");
    }

    #[test]
    fn may_start_accepts_equal_starts_only() {
        for (rule, text, expected) in [
            ("/caf\u{e9}", "/caf%C3%A9/x", true),
            ("/caf\u{e9}", "/caf%C3%AA", false),
            ("/%62*x\u{e9}", "/b", true),
            ("/a%2fb?c%2Fd$", "/a%2Fb?c/d", true),
            ("/a%2fb", "/a/b", false),
            ("/a\u{e9}", "/a", false),
            ("*\u{e9}", "", true),
            ("/%", "/%C3%A9", true),
            ("/%*x", "/%20", true),
            ("/%$", "/%20", false),
            ("/%$", "/%25", true),
            ("/%zz", "/%25zz", true),
        ] {
            assert_eq!(may_start(rule.as_bytes(), text.as_bytes()), expected, "{rule} {text}");
        }
    }

    #[test]
    fn encoded_slash_in_the_path_stays_encoded() {
        assert_eq!(url("/a%2fb"), "/a%2Fb");
        assert_eq!(url("/a%2ab%24"), "/a*b$");
        assert_eq!(url("/a b"), "/a%20b");
    }

    #[test]
    fn percent_sign_without_escape_is_encoded() {
        assert_eq!(url("/100%"), url("/100%25"));
        assert_eq!(url("/%zz%"), "/%25zz%25");
        assert_eq!(url("/%%33A"), "/%253A");
        assert_eq!(url("/%4%41"), "/%254A");
    }
}
