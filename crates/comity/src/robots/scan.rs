//! The default dialects' lines in one pass.
//!
//! `syntax.rs` says what a line means; this is the same reading (`Syntax::Lenient` over `Lines::CrLfCut`) arranged so
//! that a typical rule costs one look at its key and one search:
//!
//! 1. A line that starts with `Disallow:`, `Allow:`, `User-agent:`, `Sitemap:` or `Crawl-delay:`, in any case, needs no
//!    search for its colon.
//! 2. From there the line's end or its comment is searched for in 64 octets at once, which is one look for most lines
//!    and no branch that depends on where in the text they stand.
//! 3. Everything else (other keys, leading space, missing colons, NULs, over-long lines) goes to `syntax::read`.
//!
//! Nothing is allocated per line. Tests hold the two readings equal on generated files.

use std::ops::Range;

use super::lines::google_cut;
use super::octets::{self, LineStops};
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
    /// Where the value stands, with the white space around it.
    rough_value: Range<usize>,
    pub misspelt: bool,
    pub missing_colon: bool,
}

impl Found {
    /// Where the value stands in `text`, which was scanned.
    #[inline(always)]
    pub(super) fn value(&self, text: &[u8]) -> Range<usize> {
        syntax::trim_ascii(text, self.rough_value.clone())
    }
}

impl<'t> Scanner<'t> {
    #[inline]
    pub(super) fn new(text: &'t [u8]) -> Self {
        Scanner { text, next: 0, line: 0, has_nul: memchr::memchr(0, text).is_some() }
    }

    /// The first place from `from` on that has a bit in the mask that `choose` makes of the stops; the end of the text
    /// if there is none. Most lines need one look.
    #[inline(always)]
    fn find(&self, from: usize, choose: impl Fn(LineStops) -> u64) -> usize {
        let mut at = from;
        while at < self.text.len() {
            let bits = choose(octets::line_stops_from(self.text, at));
            if bits != 0 {
                return at + bits.trailing_zeros() as usize;
            }
            at += 64;
        }
        self.text.len()
    }

    /// Where a comment (or nothing) starts, and where the line ends, both from `from` on.
    #[inline(always)]
    fn content_end(&self, from: usize) -> (usize, usize) {
        let end = self.find(from, |stops| stops.ends | stops.hashes);
        match self.text.get(end) {
            Some(b'#') => (end, self.line_end(end)),
            _ => (end, end),
        }
    }

    #[inline(always)]
    fn line_end(&self, from: usize) -> usize {
        self.find(from, |stops| stops.ends)
    }

    /// Moves to the line after the one that ends at `end`.
    #[inline(always)]
    fn advance(&mut self, end: usize) {
        let is_crlf = self.text.get(end) == Some(&b'\r') && self.text.get(end + 1) == Some(&b'\n');
        self.next = end + 1 + usize::from(is_crlf);
        self.line += 1;
    }

    /// A line with one of the three commonest keys, spelt right, at its very start.
    #[inline(always)]
    fn common(&mut self, start: usize) -> Option<Found> {
        let (kind, after_key) = common_key(&self.text[start..])?;
        let value_start = start + after_key;
        let (content_end, line_end) = self.content_end(value_start);
        if self.has_nul || line_end - start > GOOGLE_LINE_LIMIT {
            return None;
        }
        self.advance(line_end);
        let rough_value = value_start..content_end;
        Some(Found {
            kind,
            line: self.line,
            key_start: start,
            rough_value,
            misspelt: false,
            missing_colon: false,
        })
    }

    /// Any other line, by the book.
    #[cold]
    fn other(&mut self, start: usize) -> Option<Found> {
        let end = self.line_end(start);
        self.advance(end);
        let content = &self.text[start..google_cut(self.text, start, end)];
        let Content::Directive(directive) = syntax::read(content, Syntax::Lenient) else { return None };
        let Directive { kind, key, value, misspelt, missing_colon } = directive;
        let rough_value = start + value.start..start + value.end;
        Some(Found {
            kind,
            line: self.line,
            key_start: start + key.start,
            rough_value,
            misspelt,
            missing_colon,
        })
    }
}

impl Iterator for Scanner<'_> {
    type Item = Found;

    #[inline(always)]
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

/// The kind and the length, colon included, of one of the commonest keys at the start of `line`.
#[inline]
fn common_key(line: &[u8]) -> Option<(DirectiveKind, usize)> {
    /// Lower-cases ASCII letters of eight bytes at once. Colons and dashes stay, but what differs from them by that bit
    /// alone becomes one.
    const LOWER: u64 = 0x2020_2020_2020_2020;
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    const SITEMAP: u64 = u64::from_le_bytes(*b"sitemap:");
    const CRAWL_DE: u64 = u64::from_le_bytes(*b"crawl-de");
    let head = line.first_chunk::<8>()?;
    let word = u64::from_le_bytes(*head);
    match word | LOWER {
        DISALLOW if line.get(8) == Some(&b':') => Some((DirectiveKind::Disallow, 9)),
        USER_AGE if head[4] == b'-' => match line.get(8..11)? {
            [b'n' | b'N', b't' | b'T', b':'] => Some((DirectiveKind::UserAgent, 11)),
            _ => None,
        },
        SITEMAP if head[7] == b':' => Some((DirectiveKind::Sitemap, 8)),
        CRAWL_DE if head[5] == b'-' => match line.get(8..12)? {
            [b'l' | b'L', b'a' | b'A', b'y' | b'Y', b':'] => Some((DirectiveKind::CrawlDelay, 12)),
            _ => None,
        },
        lower if (lower & 0xFFFF_FFFF_FFFF) == ALLOW && head[5] == b':' => Some((DirectiveKind::Allow, 6)),
        _ => None,
    }
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
                    rough_value: line.start + d.value.start..line.start + d.value.end,
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
            let value = text[f.value(text)].escape_ascii();
            format!("{}:{}: {} {value} {} {}", f.line, f.key_start, f.kind, f.misspelt, f.missing_colon)
        };
        found.iter().map(show).collect()
    }

    #[test]
    fn reads_as_the_line_reader_does() {
        let pieces: [&[u8]; 30] = [
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
            b"Sitemap:x",
            b"sitemap\x1a x",
            b"CRAWL-DELAY: 1",
            b"crawl\x0ddelay:",
            b"crawl-dela:",
            b"some longer words to cross blocks of sixty-four",
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
