//! Converts bytes to text and lines.
//!
//! Any bytes are accepted. UTF-16 is detected and decoded as a whole. In other files, each line is decoded as UTF-8 if
//! it is valid UTF-8, and otherwise in another charset, so that one line does not affect the others.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr2;

use super::file_findings::FileFindings;
use super::kinds;
use crate::charset::encoding_of;

/// The decoded body, cut to the maximum size, without byte order marks, and with control characters replaced.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) is_truncated: bool,
    /// True if every line was UTF-8.
    pub(super) is_utf8: bool,
}

pub(super) fn read(
    body: &[u8],
    max_bytes: usize,
    charset: Option<&str>,
    findings: &mut FileFindings,
) -> Text {
    let counted = cut(body, max_bytes);
    let mut is_utf8 = true;
    let text = if let Some(encoding) = utf16(counted) {
        findings.detail(&kinds::UTF_16, 1, || encoding.name().to_owned());
        is_utf8 = false;
        encoding.decode_without_bom_handling(counted).0
    } else if let Ok(text) = std::str::from_utf8(counted) {
        Cow::Borrowed(text)
    } else {
        is_utf8 = false;
        Cow::Owned(decode_lines(counted, charset, findings))
    };
    // Some programs write a second mark, or read the first mark as windows-1252 and encode it again.
    let bare = text.trim_start_matches('\u{feff}');
    let bare = bare.strip_prefix("\u{ef}\u{bb}\u{bf}").unwrap_or(bare);
    if bare.len() < text.len() {
        findings.add(&kinds::BOM, 1, "");
    }
    let is_truncated = counted.len() < body.len();
    let text = scrub(bare, findings);
    if is_truncated {
        findings.detail(&kinds::TOO_LONG, line_at(&text, text.len()), || {
            format!("{} bytes, {max_bytes} are read", body.len())
        });
    }
    Text { text, is_truncated, is_utf8 }
}

/// Returns the first `limit` bytes without an incomplete last line, unless it is the only line.
fn cut(body: &[u8], limit: usize) -> &[u8] {
    if body.len() <= limit {
        return body;
    }
    if utf16(body).is_some() {
        let kept = &body[..limit & !1];
        let is_end = |unit: &[u8]| matches!(unit, [b'\n' | b'\r', 0] | [0, b'\n' | b'\r']);
        let end = kept.chunks_exact(2).rposition(is_end);
        return end.map_or(kept, |end| &kept[..2 * end + 2]);
    }
    let kept = &body[..limit];
    match memchr::memrchr2(b'\n', b'\r', kept) {
        Some(end) => &kept[..=end],
        None => {
            let ends = (0..4.min(kept.len())).map(|back| &kept[..kept.len() - back]);
            ends.into_iter().find(|part| std::str::from_utf8(part).is_ok()).unwrap_or(kept)
        }
    }
}

/// Detects UTF-16 by its byte order mark or by its zero bytes.
fn utf16(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [0xFF, 0xFE, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] => Some(UTF_16BE),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(UTF_16LE),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(UTF_16BE),
        _ => None,
    }
}

fn decode_lines(body: &[u8], charset: Option<&str>, findings: &mut FileFindings) -> String {
    let other = charset
        .and_then(|label| encoding_of(label.trim().as_bytes()))
        .filter(|encoding| *encoding != encoding_rs::UTF_8)
        .unwrap_or(WINDOWS_1252);
    let mut text = String::with_capacity(body.len());
    let mut number = 0_u32;
    for line in body.split_inclusive(|&byte| matches!(byte, b'\n' | b'\r')) {
        // A line feed after a carriage return belongs to the same end of a line.
        if line != b"\n" || !text.ends_with('\r') {
            number = number.saturating_add(1);
        }
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                text.push_str(&other.decode_without_bom_handling(line).0);
                findings.detail(&kinds::NOT_UTF8, number, || other.name().to_owned());
            }
        }
    }
    text
}

fn scrub(text: &str, findings: &mut FileFindings) -> String {
    let is_bad = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let Some(first) = text.find(is_bad) else { return text.to_owned() };
    let line = line_at(text, first);
    let count = text[first..].chars().filter(|&c| is_bad(c)).count();
    findings.detail(&kinds::CONTROL_CHARACTERS, line, || format!("{count} of them"));
    text.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Returns the 1-based line of the character at `offset`.
fn line_at(text: &str, offset: usize) -> u32 {
    let before = &text[..offset];
    let is_at_start = before.is_empty() || before.ends_with(['\n', '\r']);
    u32::try_from(Lines::new(before).count() + usize::from(is_at_start)).unwrap_or(u32::MAX)
}

/// An iterator over lines, which end at CR, LF or CRLF. The line ends are not included.
#[derive(Clone, Debug)]
pub(super) struct Lines<'t> {
    rest: Option<&'t str>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lines { rest: (!text.is_empty()).then_some(text) }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest?;
        let Some(end) = memchr2(b'\n', b'\r', rest.as_bytes()) else {
            self.rest = None;
            return Some(rest);
        };
        let after = &rest[end + 1..];
        let is_crlf = rest.as_bytes()[end] == b'\r' && after.starts_with('\n');
        let after = if is_crlf { &after[1..] } else { after };
        self.rest = (!after.is_empty()).then_some(after);
        Some(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &[u8]) -> Text {
        read(body, 1000, None, &mut FileFindings::default())
    }

    #[test]
    fn lines_end_at_cr_lf_and_crlf() {
        let lines = |text| Lines::new(text).collect::<Vec<_>>();
        assert_eq!(lines("a\nb\rc\r\nd\n\n"), ["a", "b", "c", "d", ""]);
        assert_eq!(lines(""), [""; 0]);
        assert_eq!(lines("\r\n\rx"), ["", "", "x"]);
    }

    #[test]
    fn byte_order_mark_in_any_encoding_is_removed() {
        for mark in ["\u{feff}", "\u{feff}\u{feff}", "\u{ef}\u{bb}\u{bf}"] {
            assert_eq!(text(format!("{mark}# T").as_bytes()).text, "# T");
        }
    }

    #[test]
    fn utf_16_with_or_without_mark_is_decoded() {
        let le: Vec<u8> = "# Té".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "# Té".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for body in
            [le.clone(), be.clone(), [&[0xFF, 0xFE], &le[..]].concat(), [&[0xFE, 0xFF], &be[..]].concat()]
        {
            assert_eq!(text(&body).text, "# Té");
        }
    }

    #[test]
    fn long_utf_16_is_cut_at_the_end_of_a_line_or_character() {
        let le: Vec<u8> = "ab\u{a0a}c\nd\u{a0a}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cut = |limit| read(&le, limit, None, &mut FileFindings::default()).text;
        assert_eq!(
            (cut(7).as_str(), cut(11).as_str(), cut(13).as_str()),
            ("ab\u{a0a}", "ab\u{a0a}c\n", "ab\u{a0a}c\n")
        );
    }

    #[test]
    fn line_in_another_charset_has_its_number_after_any_line_end() {
        for body in [&b"a\rb\xE9\r"[..], b"a\r\nb\xE9\r\n", b"a\nb\xE9"] {
            let mut findings = FileFindings::default();
            read(body, 1000, None, &mut findings);
            assert_eq!(findings.finish()[0].place().line, Some(2), "{body:?}");
        }
    }

    #[test]
    fn line_in_another_charset_does_not_affect_others() {
        let mut findings = FileFindings::default();
        let body = "# Größe\n> caf\u{e9}\n".as_bytes();
        let body = [body, b"- caf\xE9\n"].concat();
        assert_eq!(read(&body, 1000, None, &mut findings).text, "# Größe\n> café\n- café\n");
        assert_eq!(findings.finish()[0].place().line, Some(3));
        assert_eq!(read(b"\xC0\xE1\xFF", 9, Some("windows-1251"), &mut FileFindings::default()).text, "Абя");
    }

    #[test]
    fn line_that_the_limit_cuts_is_dropped() {
        let read = |body: &[u8], limit| read(body, limit, None, &mut FileFindings::default()).text;
        assert_eq!(read(b"ab\ncd\n", 4), "ab\n");
        assert_eq!(read("aé".as_bytes(), 2), "a");
        assert_eq!(read(b"abcd", 4), "abcd");
    }

    #[test]
    fn control_characters_are_replaced_and_counted() {
        let mut findings = FileFindings::default();
        assert_eq!(read(b"a\n\0\x1b\tb", 99, None, &mut findings).text, "a\n\u{fffd}\u{fffd}\tb");
        let found = findings.finish();
        assert_eq!(
            (found[0].place().line, found[0].message()),
            (Some(2), "some control characters were replaced by U+FFFD: 2 of them")
        );
    }
}
