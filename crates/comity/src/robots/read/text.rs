//! Converts the bytes of a body to the text that a dialect reads.

use std::borrow::Cow;

use super::Reading;
use super::generous;
use super::space::trim_python;
use crate::charset::{encoding_of, is_latin1};

/// Maximum number of bytes that are read. RFC 9309 §2.5: parsers must read at least 500 kibibytes.
pub(crate) const BODY_LIMIT: usize = 512_000;

/// A way to read bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Bytes are matched as they are, after the skipped byte order mark.
    Bytes(SkippedMark),
    /// Bytes are decoded from the charset of the answer, or from UTF-8 if it is absent or unknown. Each invalid
    /// sequence is replaced by U+FFFD.
    Utf8,
    /// As `Utf8`, but the encoded form of a lone surrogate (`ED A0 80` to `ED BF BF`) is kept, because texts in UTF-16
    /// can contain lone surrogates. The encoded form of a pair becomes its character.
    Utf16,
    /// As `Utf8`, but single spaces join the words of lines without a colon; see `generous.rs`.
    Utf8Words,
    /// Bytes are decoded from the charset of the answer, or from ISO-8859-1 if it is absent or unknown.
    Latin1,
}

/// The byte order mark that a reading skips at the start of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkippedMark {
    /// No mark is skipped. A mark is part of the first line.
    None,
    /// A mark in UTF-8, whole or partial, as in Google's parser.
    Utf8,
    /// A mark in UTF-8, or a mark that was decoded as Latin-1: [`ENCODED_TWICE`]. Either may be partial.
    Utf8OrEncodedTwice,
}

/// The UTF-8 byte order mark that was decoded as Latin-1 and encoded as UTF-8 again: `\u{ef}\u{bb}\u{bf}` as text.
///
/// HTTP libraries that fall back to Latin-1 produce it from a file that starts with a byte order mark.
pub(crate) const ENCODED_TWICE: &[u8] = b"\xC3\xAF\xC2\xBB\xC2\xBF";

impl SkippedMark {
    /// Returns the length in bytes of the mark at the start of `body`.
    pub(crate) fn length(self, body: &[u8]) -> usize {
        let utf8 = || common_length(body, UTF8);
        match self {
            SkippedMark::None => 0,
            SkippedMark::Utf8 => utf8(),
            SkippedMark::Utf8OrEncodedTwice => match utf8() {
                // Each byte of the mark was encoded as two bytes.
                0 => common_length(body, ENCODED_TWICE) & !1,
                length => length,
            },
        }
    }
}

/// The byte order mark in UTF-8.
const UTF8: &[u8] = b"\xEF\xBB\xBF";

/// Returns the length of the common prefix of both slices.
fn common_length(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// Returns the part of `body` that `reading` uses, in the form that the dialect matches.
///
/// Byte dialects borrow the bytes unchanged. The other dialects decode the bytes to UTF-8, because their programs
/// define case, white space and lengths by characters.
pub(crate) fn read<'b>(body: &'b [u8], reading: &Reading, charset: Option<&str>) -> Cow<'b, [u8]> {
    let counted = counted(body, reading);
    match reading.text {
        Text::Bytes(mark) => Cow::Borrowed(&counted[mark.length(counted)..]),
        Text::Utf8 => decode(counted, charset, utf8),
        Text::Utf16 => decode(counted, charset, utf16),
        Text::Utf8Words => generous::with_joined_words(decode(counted, charset, utf8)),
        Text::Latin1 => decode(counted, charset, latin1),
    }
}

/// Returns the text of a body in a dialect that matches bytes ([`Text::Bytes`]).
pub(crate) fn of_bytes<'b>(body: &'b [u8], reading: &Reading) -> &'b [u8] {
    let counted = counted(body, reading);
    &counted[byte_order_mark_len(counted, reading)..]
}

/// Returns the length in bytes of the byte order mark that `reading` skips; 0 in dialects that match characters.
pub(crate) fn byte_order_mark_len(body: &[u8], reading: &Reading) -> usize {
    match reading.text {
        Text::Bytes(mark) => mark.length(body),
        _ => 0,
    }
}

/// Returns the part of a body that the reading uses.
fn counted<'b>(body: &'b [u8], reading: &Reading) -> &'b [u8] {
    match reading.body_limit {
        Some(limit) => whole_lines(body, limit, false),
        None => body,
    }
}

/// Returns the first `limit` bytes of `body` without an incomplete last line. The last line is incomplete if the limit
/// is inside it, or if the body was already cut (`is_cut`).
pub(crate) fn whole_lines(body: &[u8], limit: usize, is_cut: bool) -> &[u8] {
    let kept = &body[..body.len().min(limit)];
    let next = body.get(kept.len());
    if next.is_none() && !is_cut || matches!(next, Some(b'\n' | b'\r')) {
        return kept;
    }
    match memchr::memrchr2(b'\n', b'\r', kept) {
        Some(end) => &kept[..=end],
        None => &[],
    }
}

fn decode<'b>(
    body: &'b [u8],
    charset: Option<&str>,
    fallback: impl Fn(&'b [u8]) -> Cow<'b, [u8]>,
) -> Cow<'b, [u8]> {
    let label = charset.map(str::trim).unwrap_or_default();
    match label {
        "" => fallback(body),
        label if is_latin1(label) => latin1(body),
        label if label.eq_ignore_ascii_case("utf-8") || label.eq_ignore_ascii_case("utf8") => utf8(body),
        label => match encoding_of(label.as_bytes()) {
            Some(encoding) => bytes_of(encoding.decode_without_bom_handling(body).0),
            None => fallback(body),
        },
    }
}

fn utf8(body: &[u8]) -> Cow<'_, [u8]> {
    bytes_of(String::from_utf8_lossy(body))
}

/// Decodes UTF-8 as [`utf8`] does, but keeps surrogates; see [`Text::Utf16`].
fn utf16(body: &[u8]) -> Cow<'_, [u8]> {
    // Surrogates start with ED, which is rare.
    if !memchr::memchr_iter(0xED, body).any(|at| surrogate_at(body, at).is_some()) {
        return utf8(body);
    }
    let mut out = Vec::with_capacity(body.len());
    let (mut start, mut at) = (0, 0);
    while at < body.len() {
        let Some(first) = surrogate_at(body, at) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(&utf8(&body[start..at]));
        let units = [first, surrogate_at(body, at + 3).unwrap_or_default()];
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += 6;
            }
            _ => {
                out.extend_from_slice(&body[at..at + 3]);
                at += 3;
            }
        }
        start = at;
    }
    out.extend_from_slice(&utf8(&body[start..]));
    out.into()
}

/// Returns the surrogate whose encoded form starts at `at`.
pub(crate) fn surrogate_at(text: &[u8], at: usize) -> Option<u16> {
    match text.get(at..)? {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

/// Returns a text of [`Text::Utf16`] with U+FFFD for each lone surrogate.
pub(crate) fn without_surrogates(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        // Each byte of a surrogate is an invalid sequence.
        if chunk.invalid() == b"\xED" {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Cow::Owned(out)
}

fn latin1(body: &[u8]) -> Cow<'_, [u8]> {
    bytes_of(encoding_rs::mem::decode_latin1(body))
}

fn bytes_of(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Returns `value` without C0 control characters, including tabs, and without the white space that Python strips.
/// robotexclusionrulesparser treats names and paths this way.
pub(crate) fn without_controls(value: &[u8]) -> Cow<'_, [u8]> {
    let kept: Cow<'_, [u8]> = if value.iter().any(|&byte| byte < 0x20) {
        value.iter().copied().filter(|&byte| byte >= 0x20).collect::<Vec<_>>().into()
    } else {
        value.into()
    };
    let range = trim_python(&kept, 0..kept.len());
    match kept {
        Cow::Borrowed(kept) => Cow::Borrowed(&kept[range]),
        Cow::Owned(kept) => Cow::Owned(kept[range].to_vec()),
    }
}

/// Returns the text of bytes that may not all be UTF-8.
pub(crate) fn lossy(text: Cow<'_, [u8]>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => String::from_utf8_lossy(text),
        Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
    }
}

/// Returns the first characters of a text for messages, at most 120 bytes.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let start = crate::shown::cut(bytes, SHOWN);
    let more = if bytes.len() > start.len() { "..." } else { "" };
    format!("{}{more}", crate::shown::bytes(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_the_limit_cuts_is_dropped() {
        assert_eq!(whole_lines(b"ab\ncd\nef", 7, false), b"ab\ncd\n");
        assert_eq!(whole_lines(b"ab\ncd\nef", 5, false), b"ab\ncd");
        assert_eq!(whole_lines(b"ab\ncd\nef", 8, false), b"ab\ncd\nef");
        assert_eq!(whole_lines(b"abcdef", 3, false), b"");
    }

    #[test]
    fn shortened_text_ends_with_a_whole_character() {
        assert_eq!(shortened("\u{6f22}".repeat(40).as_bytes()), "\u{6f22}".repeat(40));
        let long = format!("a{}", "\u{6f22}".repeat(40));
        assert_eq!(shortened(long.as_bytes()), format!("a{}...", "\u{6f22}".repeat(39)));
    }

    #[test]
    fn partial_byte_order_mark_is_skipped() {
        use SkippedMark::{None, Utf8, Utf8OrEncodedTwice};
        for (body, utf8, encoded_twice) in [
            (&b"\xEF\xBB\xBFx"[..], 3, 3),
            (b"\xEF\xBBx", 2, 2),
            (b"\xEFx", 1, 1),
            (b"x\xEF", 0, 0),
            (b"\xC3\xAF\xC2\xBB\xC2\xBFx", 0, 6),
            (b"\xC3\xAF\xC2\xBB\xC2x", 0, 4),
            (b"\xC3\xAFx", 0, 2),
            (b"\xC3\xA9x", 0, 0),
            (b"\xC3", 0, 0),
            (b"\xEF\xBB\xBF\xC3\xAF\xC2\xBB\xC2\xBF", 3, 3),
        ] {
            let lengths = [None, Utf8, Utf8OrEncodedTwice].map(|mark| mark.length(body));
            assert_eq!(lengths, [0, utf8, encoded_twice], "{body:x?}");
        }
    }
}
