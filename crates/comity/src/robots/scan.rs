//! The default dialects' lines in one pass.
//!
//! `syntax.rs` says what a line means; this is the same reading (`Syntax::Lenient` over `Lines::CrLfCut`) arranged so
//! that a typical rule costs one look at its key and one search:
//!
//! 1. A line that starts with `Disallow:`, `Allow:` or `User-agent:`, in any case, needs no search for its colon.
//! 2. From there one `memchr3` finds the line's end or its comment, whichever comes first.
//! 3. Everything else (other keys, leading space, missing colons, NULs, over-long lines) goes to `syntax::read`.
//!
//! Nothing is allocated per line. Tests hold the two readings equal on generated files.

use std::ops::Range;

use super::lines::google_cut;
use super::quirks::{GOOGLE_LINE_LIMIT, Syntax};
use super::record::DirectiveKind;
use super::syntax::{self, Content, Directive};

/// Walks the lines of a text and yields their directives.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'t> {
    text: &'t [u8],
    /// Where the next line starts.
    next: usize,
    /// 1-based number of the line last read.
    line: u32,
    has_nul: bool,
}

/// A directive with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub kind: DirectiveKind,
    pub line: u32,
    pub key_start: usize,
    pub value: Range<usize>,
    pub misspelt: bool,
    pub missing_colon: bool,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Scanner { text, next: 0, line: 0, has_nul: memchr::memchr(0, text).is_some() }
    }

    /// Where a comment (or nothing) starts, and where the line ends, both from `from` on.
    #[inline]
    fn content_end(&self, from: usize) -> (usize, usize) {
        match memchr::memchr3(b'\n', b'\r', b'#', &self.text[from..]) {
            None => (self.text.len(), self.text.len()),
            Some(at) if self.text[from + at] == b'#' => (from + at, self.line_end(from + at)),
            Some(at) => (from + at, from + at),
        }
    }

    #[inline]
    fn line_end(&self, from: usize) -> usize {
        memchr::memchr2(b'\n', b'\r', &self.text[from..]).map_or(self.text.len(), |at| from + at)
    }

    /// Moves to the line after the one that ends at `end`.
    #[inline]
    fn advance(&mut self, end: usize) {
        let is_crlf = self.text[end..].starts_with(b"\r\n");
        self.next = end + 1 + usize::from(is_crlf);
        self.line += 1;
    }

    /// A line with one of the three commonest keys, spelt right, at its very start.
    #[inline]
    fn common(&mut self, start: usize) -> Option<Found> {
        let (kind, after_key) = common_key(&self.text[start..])?;
        let value_start = start + after_key;
        let (content_end, line_end) = self.content_end(value_start);
        if self.has_nul || line_end - start > GOOGLE_LINE_LIMIT {
            return None;
        }
        let value = syntax::trim_ascii(self.text, value_start..content_end);
        self.advance(line_end);
        Some(Found { kind, line: self.line, key_start: start, value, misspelt: false, missing_colon: false })
    }

    /// Any other line, by the book.
    #[cold]
    fn other(&mut self, start: usize) -> Option<Found> {
        let end = self.line_end(start);
        self.advance(end);
        let content = &self.text[start..google_cut(self.text, start, end)];
        let Content::Directive(directive) = syntax::read(content, Syntax::Lenient) else { return None };
        let Directive { kind, key, value, misspelt, missing_colon } = directive;
        let value = start + value.start..start + value.end;
        Some(Found { kind, line: self.line, key_start: start + key.start, value, misspelt, missing_colon })
    }
}

impl Iterator for Scanner<'_> {
    type Item = Found;

    #[inline]
    fn next(&mut self) -> Option<Found> {
        loop {
            let start = self.next;
            let first = *self.text.get(start)?;
            match first {
                b'\n' | b'\r' => self.advance(start),
                b'#' => {
                    let end = self.line_end(start);
                    self.advance(end);
                }
                _ => {
                    let found = self.common(start).or_else(|| self.other(start));
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
    }
}

/// The kind and the length, colon included, of `disallow:`, `allow:` or `user-agent:` at the start of `line`.
#[inline]
fn common_key(line: &[u8]) -> Option<(DirectiveKind, usize)> {
    /// Lower-cases ASCII letters of eight bytes at once, and maps the other bytes that matter here to themselves.
    const fn lower(bytes: u64) -> u64 {
        bytes | 0x2020_2020_2020_2020
    }
    let word = u64::from_le_bytes(*line.first_chunk::<8>()?);
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    if lower(word) == DISALLOW && line.get(8) == Some(&b':') {
        return Some((DirectiveKind::Disallow, 9));
    }
    // The low five bytes are letters; the sixth is the colon, which has its sixth bit set already.
    if (word & 0xFFFF_FFFF_FFFF) | 0x20_2020_2020 == ALLOW {
        return Some((DirectiveKind::Allow, 6));
    }
    // A dash has its sixth bit set; so has the carriage return that differs from it by that bit alone, hence the check.
    if lower(word) == USER_AGE && word >> 32 & 0xFF == u64::from(b'-') && line.len() > 10 {
        let is_key = line[8] | 0x20 == b'n' && line[9] | 0x20 == b't' && line[10] == b':';
        return is_key.then_some((DirectiveKind::UserAgent, 11));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::super::quirks::Lines;
    use super::*;

    /// The same reading, a line at a time.
    fn plainly(text: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        for line in lines::split(text, Lines::CrLfCut) {
            if let Content::Directive(d) = syntax::read(&text[line.start..line.end], Syntax::Lenient) {
                found.push(Found {
                    kind: d.kind,
                    line: line.number,
                    key_start: line.start + d.key.start,
                    value: line.start + d.value.start..line.start + d.value.end,
                    misspelt: d.misspelt,
                    missing_colon: d.missing_colon,
                });
            }
        }
        found
    }

    /// What was found, with values in place of ranges: where an empty value stands does not matter.
    fn shown(text: &[u8], found: &[Found]) -> Vec<String> {
        let show = |f: &Found| {
            let value = text[f.value.clone()].escape_ascii();
            format!("{}:{}: {} {value} {} {}", f.line, f.key_start, f.kind, f.misspelt, f.missing_colon)
        };
        found.iter().map(show).collect()
    }

    #[test]
    fn reads_as_the_line_reader_does() {
        let pieces: [&[u8]; 24] = [
            b"Disallow:",
            b"disallow: /a",
            b"DISALLOW:/a",
            b"Allow: /b",
            b"aLLoW:",
            b"User-agent: *",
            b"USER-AGENT:x",
            b"User\ragent: x",
            b"User\x0dagent:",
            b"dis\x01llow: x",
            b"Allow\x1a x",
            b"allow",
            b"\n",
            b"\r",
            b"\r\n",
            b" ",
            b"#",
            b"# c",
            b"\0",
            b"Sitemap: x",
            b"disallow x",
            b"useragent: q",
            b":",
            b"\t",
        ];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut text = Vec::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
                if state >> 62 == 0 {
                    text.push(b'\n');
                }
            }
            let found: Vec<_> = Scanner::new(&text).collect();
            assert_eq!(shown(&text, &found), shown(&text, &plainly(&text)), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn an_over_long_line_is_cut() {
        let text = [b"Disallow: /".as_slice(), &vec![b'a'; GOOGLE_LINE_LIMIT], b"\nAllow: /b"].concat();
        assert_eq!(shown(&text, &Scanner::new(&text).collect::<Vec<_>>()), shown(&text, &plainly(&text)));
    }
}
