//! Splits a body into lines.
//!
//! Every dialect counts lines as its program does. The content of a line excludes its terminator.

use crate::robots::bytes;

/// Maximum number of bytes of a line that Google's parser reads.
pub(crate) const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;

/// A dialect's line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// CR, LF or CRLF.
    CrLf,
    /// CR, LF or CRLF; content after `GOOGLE_LINE_LIMIT` bytes or a NUL is dropped.
    CrLfCut,
    /// Every boundary of Python's `str.splitlines`.
    Python,
}

/// One line: its 1-based number and the position of its content in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub number: u32,
    pub start: usize,
    /// End of the content that the dialect reads.
    pub end: usize,
    /// End of the whole content, with the part that the dialect does not read.
    pub full_end: usize,
}

/// Returns the lines of `text` under `style`. A text that ends with a terminator has an additional, empty line at its
/// end, except under [`Lines::Python`].
pub(crate) fn split(text: &[u8], style: Lines) -> impl Iterator<Item = Line> + '_ {
    let mut next = Some(0);
    let mut number = 0;
    std::iter::from_fn(move || {
        let start = next?;
        if style == Lines::Python && start == text.len() {
            return None;
        }
        let rest = &text[start..];
        let (length, terminator) = match style {
            Lines::CrLf | Lines::CrLfCut => crlf_end(rest),
            Lines::Python => python_end(rest),
        };
        let full_end = start + length;
        next = (terminator > 0).then_some(full_end + terminator);
        number += 1;
        let end = if style == Lines::CrLfCut { google_cut(text, start, full_end) } else { full_end };
        Some(Line { number, start, end, full_end })
    })
}

/// Returns the number of line ends in `text`. A CRLF counts once. `text` must not end between the CR and the LF of a
/// CRLF.
pub(crate) fn count_ends(text: &[u8], style: Lines) -> u32 {
    if style != Lines::Python {
        return bytes::count_line_ends(text);
    }
    let mut count = 0;
    let mut rest = text;
    loop {
        let (length, terminator) = python_end(rest);
        if terminator == 0 {
            return count;
        }
        count += 1;
        rest = &rest[length + terminator..];
    }
}

/// Returns the length of the first line of `rest` and the length of its terminator (0 at the end of the text).
fn crlf_end(rest: &[u8]) -> (usize, usize) {
    match memchr::memchr2(b'\n', b'\r', rest) {
        None => (rest.len(), 0),
        Some(at) if rest[at] == b'\r' && rest.get(at + 1) == Some(&b'\n') => (at, 2),
        Some(at) => (at, 1),
    }
}

/// Returns the lengths of the first line of `rest` and of its terminator, by the boundaries of Python's
/// `str.splitlines` for UTF-8 text.
fn python_end(rest: &[u8]) -> (usize, usize) {
    for (at, &byte) in rest.iter().enumerate() {
        let tail = &rest[at..];
        let terminator = match byte {
            b'\r' if tail.starts_with(b"\r\n") => 2,
            b'\n' | b'\r' | 0x0B | 0x0C | 0x1C..=0x1E => 1,
            0xC2 if tail.starts_with("\u{85}".as_bytes()) => 2,
            0xE2 if tail.starts_with("\u{2028}".as_bytes()) || tail.starts_with("\u{2029}".as_bytes()) => 3,
            _ => continue,
        };
        return (at, terminator);
    }
    (rest.len(), 0)
}

/// Returns the end of a line's content under Google's limits. Google copies a line into a bounded buffer and then
/// treats it as a C string.
pub(crate) fn google_cut(text: &[u8], start: usize, end: usize) -> usize {
    let kept = &text[start..end.min(start + GOOGLE_LINE_LIMIT)];
    start + memchr::memchr(0, kept).unwrap_or(kept.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &[u8], style: Lines) -> Vec<&[u8]> {
        split(text, style).map(|line| &text[line.start..line.end]).collect()
    }

    #[test]
    fn cr_lf_or_crlf_ends_a_line() {
        assert_eq!(contents(b"a\rb\nc\r\nd", Lines::CrLf), [&b"a"[..], b"b", b"c", b"d"]);
        assert_eq!(contents(b"a\n\rb", Lines::CrLf), [&b"a"[..], b"", b"b"]);
        assert_eq!(contents(b"a\n", Lines::CrLf), [&b"a"[..], b""]);
        assert_eq!(contents(b"", Lines::CrLf), [&b""[..]]);
    }

    #[test]
    fn python_has_more_boundaries_and_no_empty_last_line() {
        let text = "a\u{b}b\u{85}c\u{2028}d\r\n".as_bytes();
        assert_eq!(contents(text, Lines::Python), [&b"a"[..], b"b", b"c", b"d"]);
        assert!(contents(b"", Lines::Python).is_empty());
    }

    #[test]
    fn google_line_is_cut_at_the_limit_and_at_nul() {
        let long = vec![b'a'; GOOGLE_LINE_LIMIT + 5];
        assert_eq!(contents(&long, Lines::CrLfCut)[0].len(), GOOGLE_LINE_LIMIT);
        assert_eq!(contents(b"ab\0cd\nef", Lines::CrLfCut), [&b"ab"[..], b"ef"]);
    }
}
