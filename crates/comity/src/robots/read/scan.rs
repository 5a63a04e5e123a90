//! Reads lines as Google's parser does, in one pass.
//!
//! `syntax.rs` defines the meaning of a line. This module implements `Syntax::Lenient` with `Lines::CrLfCut` at lower
//! cost: a typical rule requires one check of its key and one search, and lines that cannot be directives are skipped
//! in blocks.
//!
//! 1. A line that starts with `Disallow:`, `Allow:`, `User-agent:`, `Sitemap:` or `Crawl-delay:`, in upper or lower
//!    case, needs no search for its colon. After the colon, the scanner searches 64 bytes at once for the end of the
//!    line and for a comment. One check is sufficient for most lines.
//! 2. At any other line, the scanner searches for the first line, from this one on, whose first word may be the start
//!    of a wanted key. This search skips most bytes of bodies that are not a robots.txt (pages, JSON, images), 64 bytes
//!    at a time.
//! 3. If a line that this search finds does not start with one of the keys of step 1, `syntax::read` reads it. Such a
//!    line has another key, a misspelt key, leading space or no colon. Very long lines, and all lines of a text with a
//!    NUL, are also read in this way.
//!
//! There is no allocation per line. Tests with generated files check that both implementations have equal results.

use std::marker::PhantomData;
use std::ops::Range;

use super::content::{Content, Directive};
use super::directive::RecordKind;
use super::lines::{GOOGLE_LINE_LIMIT, google_cut};
use super::packed::UnpackedRecord;
use super::space;
use super::syntax::{self, Syntax};
use crate::robots::bytes::{self, LineStops, Start};

/// A set of directives to search for.
pub(crate) trait DirectiveSet {
    const KINDS: SetKind;
}

impl<S: DirectiveSet> Start for S {
    #[inline(always)]
    fn is_wanted(text: &[u8]) -> bool {
        may_start_key::<S>(text)
    }
}

/// The kind of a [`DirectiveSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetKind {
    Deciding,
    Known,
    Every,
}

/// User-agent lines and rules, on which a verdict depends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DecidingDirectives {}

impl DirectiveSet for DecidingDirectives {
    const KINDS: SetKind = SetKind::Deciding;
}

/// Every directive of a known kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KnownDirectives {}

impl DirectiveSet for KnownDirectives {
    const KINDS: SetKind = SetKind::Known;
}

/// Every directive, with any key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AllDirectives {}

impl DirectiveSet for AllDirectives {
    const KINDS: SetKind = SetKind::Every;
}

/// An iterator over the directives of a text that are in the set `S`.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'t, S> {
    text: &'t [u8],
    /// The start of the next line.
    next: usize,
    /// True if the text contains a NUL after the start of the first line that may be a directive.
    has_nul: bool,
    set: PhantomData<S>,
}

/// A directive with its position in the text.
#[derive(Clone, Debug)]
pub(crate) struct ScannedDirective {
    pub kind: RecordKind,
    pub key_start: usize,
    /// The range of the value, including the white space around it.
    rough_value: Range<usize>,
    pub misspelt: bool,
    pub missing_colon: bool,
}

impl ScannedDirective {
    /// Returns the range of the value in `text`, the scanned text.
    #[inline(always)]
    pub(crate) fn value(&self, text: &[u8]) -> Range<usize> {
        space::trim_ascii(text, self.rough_value.clone())
    }

    /// Returns the record to store.
    #[inline(always)]
    pub(crate) fn unpacked(self, text: &[u8]) -> UnpackedRecord {
        let value = self.value(text);
        let ScannedDirective { kind, key_start, misspelt, missing_colon, .. } = self;
        UnpackedRecord { kind, misspelt, missing_colon, key_start, value }
    }
}

impl<'t, S: DirectiveSet> Scanner<'t, S> {
    #[inline]
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Scanner::starting_at(text, 0)
    }

    /// Makes a scanner that starts at `start`, the start of a line.
    #[inline]
    pub(crate) fn starting_at(text: &'t [u8], start: usize) -> Self {
        let mut scanner = Scanner { text, next: start, has_nul: false, set: PhantomData };
        if common_key::<S>(&text[start..]).is_none() {
            scanner.next = scanner.next_line(start).unwrap_or(text.len());
        }
        scanner.has_nul = memchr::memchr(0, &text[scanner.next..]).is_some();
        scanner
    }

    /// Returns the first position at or after `from` whose bit is set in the mask that `choose` returns, or the end of
    /// the text. One check is sufficient for most lines.
    #[inline(always)]
    fn find(&self, from: usize, choose: impl Fn(LineStops) -> u64) -> usize {
        let mut at = from;
        while at < self.text.len() {
            let bits = choose(bytes::line_stops_from(self.text, at));
            if bits != 0 {
                return at + bits.trailing_zeros() as usize;
            }
            at += 64;
        }
        self.text.len()
    }

    /// Returns the start of a comment (if there is one) and the end of the line, both at or after `from`.
    #[inline(always)]
    fn content_end(&self, from: usize) -> (usize, usize) {
        let end = self.find(from, |stops| stops.ends | stops.hashes);
        match self.text.get(end) {
            Some(b'#') => (end, self.find(end, |stops| stops.ends)),
            _ => (end, end),
        }
    }

    /// Reads the line at `start` if it starts with a correctly spelt common key. Returns `None` for any other line, and
    /// for a line that a NUL or the length limit may cut.
    #[inline(always)]
    fn common(&mut self, start: usize) -> Option<ScannedDirective> {
        let (kind, after_key) = common_key::<S>(self.text.get(start..)?)?;
        let value_start = start + after_key;
        let (content_end, line_end) = self.content_end(value_start);
        if self.has_nul || line_end - start > GOOGLE_LINE_LIMIT {
            return None;
        }
        self.next = line_end + 1;
        let rough_value = value_start..content_end;
        Some(ScannedDirective { kind, key_start: start, rough_value, misspelt: false, missing_colon: false })
    }

    /// Returns the start of the first line, from the line at `start` on, whose first word may be the start of a wanted
    /// key.
    #[inline]
    fn next_line(&self, start: usize) -> Option<usize> {
        let text = self.text;
        if S::KINDS == SetKind::Every {
            return (start < text.len()).then_some(start);
        }
        let word = bytes::find_line_start::<S>(text, start)?;
        // The word is usually at the start of its line; blanks before it are examined again.
        Some(match text[start..word].last() {
            None | Some(b'\n' | b'\r') => word,
            _ => memchr::memrchr2(b'\n', b'\r', &text[start..word]).map_or(start, |end| start + end + 1),
        })
    }

    /// Reads any line with `syntax::read`.
    #[cold]
    fn other(&mut self, start: usize) -> Option<ScannedDirective> {
        let rest = &self.text[start..];
        let end = start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.next = end + 1;
        let content = &self.text[start..google_cut(self.text, start, end)];
        let Content::Directive(directive) = syntax::read(content, Syntax::Lenient) else { return None };
        let Directive { kind, key, value, misspelt, missing_colon } = directive;
        let is_wanted = match S::KINDS {
            SetKind::Deciding => kind.is_rule() || kind == RecordKind::UserAgent,
            SetKind::Known => kind != RecordKind::Unknown,
            SetKind::Every => true,
        };
        let rough_value = start + value.start..start + value.end;
        is_wanted.then_some(ScannedDirective {
            kind,
            key_start: start + key.start,
            rough_value,
            misspelt,
            missing_colon,
        })
    }
}

impl<S: DirectiveSet> Iterator for Scanner<'_, S> {
    type Item = ScannedDirective;

    #[inline(always)]
    fn next(&mut self) -> Option<ScannedDirective> {
        loop {
            // Skips empty lines, and the LF of a CRLF.
            while let Some(b'\n' | b'\r') = self.text.get(self.next) {
                self.next += 1;
            }
            let start = self.next;
            let found = self.common(start);
            if found.is_some() {
                return found;
            }
            self.next = self.next_line(start)?;
            // The next iteration reads a line with a common key.
            if self.next == start || common_key::<S>(&self.text[self.next..]).is_none() {
                let found = self.other(self.next);
                if found.is_some() {
                    return found;
                }
            }
        }
    }
}

/// Mask that converts eight ASCII letters to lower case at once. Colons and dashes do not change, but characters that
/// differ from them only in that bit become equal to them.
const LOWER: u64 = 0x2020_2020_2020_2020;

/// Returns the kind and the length, including the colon, of a common key at the start of `line`.
#[inline]
fn common_key<S: DirectiveSet>(line: &[u8]) -> Option<(RecordKind, usize)> {
    const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
    const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
    const ALLOW: u64 = u64::from_le_bytes(*b"allow:\0\0");
    const SITEMAP: u64 = u64::from_le_bytes(*b"sitemap:");
    const CRAWL_DE: u64 = u64::from_le_bytes(*b"crawl-de");
    let head = line.first_chunk::<8>()?;
    let word = u64::from_le_bytes(*head);
    match word | LOWER {
        DISALLOW if line.get(8) == Some(&b':') => Some((RecordKind::Disallow, 9)),
        USER_AGE if head[4] == b'-' => match line.get(8..11)? {
            [b'n' | b'N', b't' | b'T', b':'] => Some((RecordKind::UserAgent, 11)),
            _ => None,
        },
        SITEMAP if S::KINDS != SetKind::Deciding && head[7] == b':' => Some((RecordKind::Sitemap, 8)),
        CRAWL_DE if S::KINDS != SetKind::Deciding && head[5] == b'-' => match line.get(8..12)? {
            [b'l' | b'L', b'a' | b'A', b'y' | b'Y', b':'] => Some((RecordKind::CrawlDelay, 12)),
            _ => None,
        },
        lower if (lower & 0xFFFF_FFFF_FFFF) == ALLOW && head[5] == b':' => Some((RecordKind::Allow, 6)),
        _ => None,
    }
}

/// Returns true if `text`, which must not be empty, may be the start of a wanted directive. The result is true for
/// every wanted directive and for few other texts.
#[inline(always)]
fn may_start_key<S: DirectiveSet>(text: &[u8]) -> bool {
    // The text is too short for this check. This occurs only at the end of the file.
    let Some(head) = text.first_chunk::<8>() else { return true };
    let word = u64::from_le_bytes(*head) | LOWER;
    let is = |key: &[u8]| {
        let (mut expected, mut mask) = ([0; 8], [0; 8]);
        expected[..key.len()].copy_from_slice(key);
        mask[..key.len()].fill(0xFF);
        word & u64::from_le_bytes(mask) == u64::from_le_bytes(expected)
    };
    match head[0] | 0x20 {
        b'd' => is(b"disal") || is(b"dissal") || is(b"diasllow"),
        b'a' => is(b"allow"),
        b'u' => is(b"user-age") || is(b"useragen") || is(b"user age"),
        b's' if S::KINDS != SetKind::Deciding => is(b"sitemap") || is(b"site-map"),
        b'c' if S::KINDS != SetKind::Deciding => is(b"crawl") || is(b"clean-pa") || is(b"content-"),
        b'h' if S::KINDS != SetKind::Deciding => is(b"host") && !head[4].is_ascii_alphabetic(),
        b'l' if S::KINDS != SetKind::Deciding => is(b"license"),
        b'n' if S::KINDS != SetKind::Deciding => is(b"noindex"),
        b'r' if S::KINDS != SetKind::Deciding => is(b"request-"),
        b'v' if S::KINDS != SetKind::Deciding => is(b"visit-ti"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use testkit::bodies::{self, Kind};

    use super::super::lines::{self, Lines};
    use super::*;

    /// Returns the result of the plain reading, one line at a time.
    fn plainly<S: DirectiveSet>(text: &[u8]) -> Vec<ScannedDirective> {
        let mut found = Vec::new();
        for line in lines::split(text, Lines::CrLfCut) {
            if let Content::Directive(d) = syntax::read(&text[line.start..line.end], Syntax::Lenient) {
                found.push(ScannedDirective {
                    kind: d.kind,
                    key_start: line.start + d.key.start,
                    rough_value: line.start + d.value.start..line.start + d.value.end,
                    misspelt: d.misspelt,
                    missing_colon: d.missing_colon,
                });
            }
        }
        found.retain(|found| match S::KINDS {
            SetKind::Deciding => found.kind.is_rule() || found.kind == RecordKind::UserAgent,
            SetKind::Known => found.kind != RecordKind::Unknown,
            SetKind::Every => true,
        });
        found
    }

    /// Returns the directives with values in place of ranges, since the position of an empty value does not matter.
    fn shown(text: &[u8], found: &[ScannedDirective]) -> Vec<String> {
        let show = |f: &ScannedDirective| {
            let value = text[f.value(text)].escape_ascii();
            format!("{}: {} {value} {} {}", f.key_start, f.kind, f.misspelt, f.missing_colon)
        };
        found.iter().map(show).collect()
    }

    fn assert_reads_plainly_as<S: DirectiveSet>(text: &[u8], case: &dyn std::fmt::Debug) {
        let found: Vec<_> = Scanner::<S>::new(text).collect();
        assert_eq!(shown(text, &found), shown(text, &plainly::<S>(text)), "{case:?}");
    }

    fn assert_reads_plainly(text: &[u8], case: &dyn std::fmt::Debug) {
        assert_reads_plainly_as::<DecidingDirectives>(text, case);
        assert_reads_plainly_as::<KnownDirectives>(text, case);
        assert_reads_plainly_as::<AllDirectives>(text, case);
    }

    #[test]
    fn scanner_reads_like_the_line_reader() {
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
            assert_reads_plainly(&text, &text.escape_ascii());
        }
    }

    #[test]
    fn line_above_the_limit_is_cut() {
        let text = [b"Disallow: /".as_slice(), &vec![b'a'; GOOGLE_LINE_LIMIT], b"\nAllow: /b"].concat();
        assert_reads_plainly(&text, &"");
    }

    #[test]
    fn body_that_is_not_a_robots_txt_is_read_like_the_line_reader() {
        for kind in Kind::ALL {
            for seed in 0..12 {
                let length = [1, 60, 300, 1_000, 3_000, 20_000][seed as usize % 6];
                assert_reads_plainly(&bodies::body(kind, length, seed), &(kind, length, seed));
                assert_reads_plainly(
                    &bodies::with_generated_lines(kind, length, seed),
                    &(kind, length, seed, "with_generated_lines"),
                );
            }
        }
    }

    #[test]
    fn directive_at_any_line_start_is_found() {
        let keys = [
            "user-agent",
            "useragent",
            "user agent",
            "allow",
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
            "sitemap",
            "site-map",
            "crawl-delay",
            "crawldelay",
            "crawl delay",
            "request-rate",
            "visit-time",
            "host",
            "clean-param",
            "noindex",
            "content-signal",
            "content-usage",
            "license",
        ];
        for key in keys {
            assert_ne!(syntax::lenient_kind(key.as_bytes()).0, RecordKind::Unknown, "{key}");
            let key = [key.to_owned(), key.to_uppercase()];
            for before in (0..66).chain([127, 128, 255, 256, 257, 600, 16_650, 16_663, 17_000]) {
                for (filler, end) in
                    [("a", "\n"), ("a", "\r"), (" ", "\n"), (" ", ""), ("\n", ""), ("\u{e9}", "\r\n")]
                {
                    let text = format!("{}{end}{}: /x y{end}b", filler.repeat(before), key[before % 2]);
                    assert_reads_plainly(text.as_bytes(), &(&key, before, filler, end));
                }
            }
        }
    }
}
