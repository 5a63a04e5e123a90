//! Path patterns, and the matching of URLs against them.
//!
//! A pattern is split at each `*` into **pieces**. The first piece must occur at the start of the URL's path. Each
//! further piece is matched at its leftmost position after the previous piece. The last piece of an anchored pattern
//! must occur at the end. The leftmost position is always correct, since an earlier position leaves more text for the
//! remaining pieces. A match therefore needs no backtracking. The cost for each rule is one forward pass over the URL:
//! at most (length of pattern + length of URL) steps.
//!
//! This bound also applies if `*` does not match a line end, as in the dialects whose programs use regular expressions.
//! A piece that contains a line end then has only one possible position: its first line end must be the first line end
//! of the URL after the start of the `*`. Any other piece is matched at its leftmost position. In Ruby, a pattern may
//! start in every line of the URL, with one pass for each.

use std::borrow::Cow;
use std::cell::Cell;

use memchr::memmem;

use super::target::Target;
use crate::robots::read::directive::RecordKind;

/// The effect of a rule on the URLs that it matches. The effect may differ from the rule's key; see [`CompiledRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Effect {
    Allow,
    Disallow,
}

impl Effect {
    /// Returns the effect of a rule of this kind.
    #[inline]
    pub(crate) fn of(kind: RecordKind) -> Effect {
        if kind == RecordKind::Allow { Effect::Allow } else { Effect::Disallow }
    }
}

/// The position at which a match must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Anywhere.
    Open,
    /// At the end of the URL.
    Anchored,
    /// At the end, or before a line end that is the last character (`$` in Python).
    PythonAnchored,
    /// Before a `?`, before a line end, or at the end (`(?:\?|$)` in Ruby).
    BeforeQuery,
}

/// The effect of a line end in a URL on matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// A line end is an ordinary byte.
    Ordinary,
    /// A wildcard does not match a line end, like `.` in Python.
    StopStars,
    /// A wildcard does not match a line end, and a pattern may also start after a line end that is not the last
    /// character, like `.` and `^` in Ruby.
    StartLines,
}

/// A pattern that is ready for matching.
///
/// `bytes` contains the pieces, separated by `star`. A piece after a `*` may match in the path or in the query, and the
/// default dialect normalizes encoded reserved bytes differently in the two. `in_query` contains the pieces in their
/// form for the query, if that form differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'p> {
    pub bytes: &'p [u8],
    pub in_query: Option<&'p [u8]>,
    /// The byte that represents a wildcard in `bytes`; `None` in a pattern without wildcards.
    pub star: Option<u8>,
    pub end: End,
}

/// The byte that represents a wildcard in patterns that may contain `*` as an ordinary character. Normalized bytes are
/// never NUL.
pub(crate) const ESCAPED_STAR: u8 = 0;

/// A compiled rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompiledRule<'v> {
    /// The effect. In some dialects, an empty `Disallow` allows and an empty `Allow` disallows.
    pub effect: Effect,
    pub bytes: Cow<'v, [u8]>,
    pub in_query: Option<Vec<u8>>,
    pub star: Option<u8>,
    pub end: End,
    /// The length that determines precedence.
    pub length: u32,
}

impl<'v> CompiledRule<'v> {
    /// Makes a rule whose wildcards are the `*`s in `bytes`.
    pub(crate) fn with_stars(
        effect: Effect,
        bytes: impl Into<Cow<'v, [u8]>>,
        end: End,
        length: usize,
    ) -> Self {
        let bytes = bytes.into();
        let star = memchr::memchr(b'*', &bytes).map(|_| b'*');
        CompiledRule { effect, bytes, in_query: None, star, end, length: length as u32 }
    }

    /// Makes a rule without wildcards.
    pub(crate) fn literal(effect: Effect, bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u32;
        CompiledRule { effect, bytes: bytes.into(), in_query: None, star: None, end: End::Open, length }
    }

    /// Returns the pieces between wildcards, each in its form for the path and in its form for the query.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        Pieces { rest: Some(self.pattern()) }
            .map(|piece| (piece.bytes, piece.in_query.unwrap_or(piece.bytes)))
    }

    pub(crate) fn pattern(&self) -> Pattern<'_> {
        let in_query = self.in_query.as_deref();
        Pattern { bytes: &self.bytes, in_query, star: self.star, end: self.end }
    }
}

/// Returns a mask with a bit for each byte value in a text. Byte values that differ by a multiple of 64 share a bit. If
/// the bit of a value is zero, the text does not contain the value.
#[inline]
pub(crate) fn mask_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |mask, byte| mask | 1 << (byte & 63))
}

/// Returns `pattern` without a final `$`, and the position at which a match must end.
pub(crate) fn split_anchor(pattern: &[u8]) -> (&[u8], End) {
    match pattern {
        [body @ .., b'$'] => (body, End::Anchored),
        _ => (pattern, End::Open),
    }
}

impl Pattern<'_> {
    /// Returns true if the pattern matches `target`.
    #[inline]
    pub(crate) fn matches(&self, target: &Target<'_>, line_ends: LineEnds) -> bool {
        let text = &target.text[..];
        match (self.star, self.end) {
            (None, End::Open) if line_ends != LineEnds::StartLines => {
                // This check is fast: nearly all patterns start with a slash, and most differ from the URL in the next
                // byte.
                let differs = matches!((self.bytes.get(1), text.get(1)), (Some(a), Some(b)) if a != b);
                !differs && text.starts_with(self.bytes)
            }
            (None, End::Anchored) => text == self.bytes,
            _ => self.scan(target, line_ends),
        }
    }

    /// Returns the length of the longest prefix of `target` that the pattern matches, or `None` if it does not match.
    /// Line ends are ordinary bytes.
    pub(crate) fn match_length(&self, target: &Target<'_>) -> Option<usize> {
        if !self.matches(target, LineEnds::Ordinary) {
            return None;
        }
        let last_star = self.star.and_then(|star| memchr::memrchr(star, self.bytes));
        match (last_star, self.end) {
            (None, End::Open) => Some(self.bytes.len()),
            (Some(star), End::Open) if star + 1 < self.bytes.len() => {
                let piece = &self.bytes[star + 1..];
                memchr::memmem::rfind(&target.text, piece).map(|start| start + piece.len())
            }
            _ => Some(target.text.len()),
        }
    }

    /// Returns the mask of the bytes that the pieces contain in both forms; see [`mask_of`].
    #[inline]
    pub(crate) fn needs(&self) -> u64 {
        let mask = |bytes: &[u8]| match self.star {
            Some(star) => {
                let pieces = bytes.iter().filter(|byte| **byte != star);
                pieces.fold(0, |mask, byte| mask | 1 << (byte & 63))
            }
            None => mask_of(bytes),
        };
        mask(self.bytes) & self.in_query.map_or(u64::MAX, mask)
    }

    fn scan(&self, target: &Target<'_>, line_ends: LineEnds) -> bool {
        let text = &target.text[..];
        let scan = Scan {
            pattern: *self,
            text,
            query: target.query,
            star_stops_at_line_end: line_ends != LineEnds::Ordinary,
            line: Cell::new((0, None)),
        };
        if line_ends != LineEnds::StartLines {
            return scan.matches_from(0);
        }
        // In Ruby, `^` also matches after every line end except a final one.
        scan.matches_from(0)
            || memchr::memchr_iter(b'\n', text).any(|at| at + 1 < text.len() && scan.matches_from(at + 1))
    }
}

/// A part of a pattern between wildcards.
#[derive(Clone, Copy, Debug)]
struct Piece<'p> {
    bytes: &'p [u8],
    /// The form for the query, if the pattern has one.
    in_query: Option<&'p [u8]>,
}

/// The pieces of a pattern, in order.
#[derive(Clone, Debug)]
struct Pieces<'p> {
    rest: Option<Pattern<'p>>,
}

impl<'p> Iterator for Pieces<'p> {
    type Item = Piece<'p>;

    fn next(&mut self) -> Option<Piece<'p>> {
        let rest = self.rest.take()?;
        let split = |bytes: &'p [u8]| match rest.star.and_then(|star| memchr::memchr(star, bytes)) {
            Some(at) => (&bytes[..at], Some(&bytes[at + 1..])),
            None => (bytes, None),
        };
        let (bytes, after) = split(rest.bytes);
        let (in_query, after_in_query) = rest.in_query.map(split).unzip();
        self.rest = after.map(|bytes| Pattern { bytes, in_query: after_in_query.flatten(), ..rest });
        Some(Piece { bytes, in_query })
    }
}

/// The match of one pattern against one text.
struct Scan<'s> {
    pattern: Pattern<'s>,
    text: &'s [u8],
    /// The position at which the query starts, or the length of a text without a query.
    query: usize,
    star_stops_at_line_end: bool,
    /// The last search for a line end: the position from which it searched, and the position of the line end.
    line: Cell<(usize, Option<usize>)>,
}

impl Scan<'_> {
    fn matches_from(&self, start: usize) -> bool {
        let mut pieces = Pieces { rest: Some(self.pattern) };
        let Some(first) = pieces.next() else { return false };
        steps::count(first.bytes.len());
        if !self.text[start..].starts_with(first.bytes) {
            return false;
        }
        let mut at = start + first.bytes.len();
        let Some(mut piece) = pieces.next() else { return self.may_end(at) };
        for next in pieces {
            match self.find(piece, at) {
                Some(end) => at = end,
                None => return false,
            }
            piece = next;
        }
        self.find_last(piece, at)
    }

    /// Returns true if a match may end at `at`.
    fn may_end(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        match self.pattern.end {
            End::Open => true,
            End::Anchored => rest.is_empty(),
            End::PythonAnchored => rest.is_empty() || rest == b"\n",
            End::BeforeQuery => matches!(rest.first(), None | Some(b'?' | b'\n')),
        }
    }

    /// Returns the last position at which a piece after a `*` at `from` may start.
    fn last_start(&self, from: usize) -> usize {
        if !self.star_stops_at_line_end {
            return self.text.len();
        }
        let (looked_from, known) = self.line.get();
        if let Some(end) = known.filter(|&end| looked_from <= from && from <= end) {
            return end;
        }
        let end = memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |at| from + at);
        steps::count(end - from);
        self.line.set((from, Some(end)));
        end
    }

    /// Returns the end of the leftmost occurrence of a piece after a `*` at `from`.
    fn find(&self, piece: Piece<'_>, from: usize) -> Option<usize> {
        let bytes = piece.bytes;
        let Some(query_bytes) = piece.in_query else {
            return self.find_bytes(bytes, from, self.last_start(from));
        };
        let in_path = if from <= self.query { self.find_bytes(bytes, from, self.query) } else { None };
        in_path.or_else(|| {
            let from = from.max(self.query + 1);
            if from <= self.text.len() { self.find_bytes(query_bytes, from, self.text.len()) } else { None }
        })
    }

    /// Returns the end of the leftmost occurrence of `bytes` that starts between `from` and `last_start`.
    fn find_bytes(&self, bytes: &[u8], from: usize, last_start: usize) -> Option<usize> {
        let end = self.text.len().min(last_start + bytes.len());
        let found = memmem::find(&self.text[from..end], bytes).map(|at| from + at + bytes.len());
        steps::count(found.unwrap_or(end) - from);
        found
    }

    /// Returns true if the last piece, after a `*` at `from`, occurs where the pattern may end.
    fn find_last(&self, piece: Piece<'_>, from: usize) -> bool {
        let bytes = piece.bytes;
        match self.pattern.end {
            End::Open => self.find(piece, from).is_some(),
            End::Anchored => {
                let Some(query_bytes) = piece.in_query else {
                    return self.ends_with(bytes, from, self.text.len());
                };
                let starts_in_path =
                    self.text.len().checked_sub(bytes.len()).is_some_and(|at| at <= self.query);
                let from_query = from.max(self.query + 1);
                (starts_in_path && self.ends_with(bytes, from, self.text.len()))
                    || self.ends_with(query_bytes, from_query, self.text.len())
            }
            End::PythonAnchored => {
                let length = self.text.len();
                self.ends_with(bytes, from, length)
                    || (self.text.last() == Some(&b'\n') && self.ends_with(bytes, from, length - 1))
            }
            End::BeforeQuery => {
                let last_start = self.last_start(from);
                steps::count(self.text.len() - from + bytes.len());
                occurrence_ends(bytes, &self.text[from..])
                    .map(|end| from + end)
                    .take_while(|end| end - bytes.len() <= last_start)
                    .any(|end| self.may_end(end))
            }
        }
    }

    /// Returns true if `bytes` occurs directly before `end`, within the range that a `*` at `from` permits.
    fn ends_with(&self, bytes: &[u8], from: usize, end: usize) -> bool {
        let Some(start) = end.checked_sub(bytes.len()) else { return false };
        steps::count(bytes.len());
        start >= from && self.text[start..end] == *bytes && start <= self.last_start(from)
    }
}

/// Returns the ends of all occurrences of `needle` in `text`, including overlapping occurrences. The time is linear in
/// both lengths (algorithm of Knuth, Morris and Pratt).
fn occurrence_ends<'n>(needle: &'n [u8], text: &'n [u8]) -> impl Iterator<Item = usize> + use<'n> {
    let mut border = vec![0_usize; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        while matched > 0 && needle[at] != needle[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(needle[at] == needle[matched]);
        border[at] = matched;
    }
    let mut matched = 0;
    let empty = needle.is_empty().then_some(0);
    let ends = text.iter().enumerate().filter_map(move |(at, byte)| {
        if needle.is_empty() {
            return Some(at + 1);
        }
        while matched > 0 && (matched == needle.len() || needle[matched] != *byte) {
            matched = border[matched - 1];
        }
        matched += usize::from(needle[matched] == *byte);
        (matched == needle.len()).then_some(at + 1)
    });
    empty.into_iter().chain(ends)
}

/// Counts the bytes that matching examines, in tests only.
pub(crate) mod steps {
    #[cfg(test)]
    thread_local!(pub(crate) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

    #[cfg(test)]
    pub(crate) fn count(bytes: usize) {
        STEPS.set(STEPS.get() + bytes + 1);
    }

    #[cfg(not(test))]
    pub(crate) fn count(_bytes: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    // Patterns come from dialects, a module of a higher layer.
    use crate::robots::dialects::Dialect;

    fn matches(dialect: Dialect, value: &str, url: &str) -> bool {
        let row = dialect.row();
        let target = row.target(url.as_bytes()).expect("a URL");
        let compiled = row.compile(RecordKind::Disallow, value.as_bytes());
        compiled.iter().flatten().any(|compiled| compiled.pattern().matches(&target, row.line_ends))
    }

    #[test]
    fn pattern_with_stars_matches_without_backtracking() {
        for (pattern, url, expected) in [
            ("/*.php$", "/a.php.php", true),
            ("/*ab*cd$", "/abxcdycd", true),
            ("/a*$", "/abc", true),
            ("/a**b", "/ab", true),
            ("*/x", "/x", true),
            ("/a*b*c", "/acb", false),
            ("/a$b", "/a$b", true),
            ("/a$", "/ab", false),
        ] {
            assert_eq!(matches(Dialect::Rfc9309, pattern, url), expected, "{pattern} {url}");
            assert_eq!(matches(Dialect::Google, pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn piece_after_a_star_has_a_form_for_path_and_query() {
        for (pattern, url, expected) in [
            ("/*u=http%3A%2F%2F", "/p?u=http://e", true),
            ("/*u=http%3A%2F%2F", "/p?u=http%3a%2f%2fe", true),
            ("/*u=http://", "/p?u=http%3A%2F%2Fe", true),
            ("/*a%2Fb", "/x/a/b", false),
            ("/*a%2Fb", "/x/a%2fb", true),
            ("/*a%2Fb$", "/x?a/b", true),
            ("/*a%2Fb$", "/x/a/b", false),
            ("/*%3Dz?q", "/x%3Dz?q", true),
            ("/*%3Dz?q", "/x=z?q", false),
            ("/*%3Dz?q", "/x?=z?q", true),
        ] {
            assert_eq!(matches(Dialect::Rfc9309, pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn ruby_anchor_matches_before_a_query_and_at_line_ends() {
        let gem = |pattern, url| matches(Dialect::RobotstxtGem, pattern, url);
        assert!(gem("/*.pdf$", "/a.pdf?x"));
        assert!(!gem("/*.pdf$", "/a.pdfx"));
        assert!(gem("/b", "/a%0A/b"));
        assert!(!gem("/a*b", "/a%0Ab"));
        assert!(gem("/aa$", "/aa%0Ab"));
    }

    /// Returns the number of bytes examined while a value is matched against a URL.
    fn steps_of(dialect: Dialect, value: &str, url: &str) -> usize {
        steps::STEPS.set(0);
        matches(dialect, value, url);
        steps::STEPS.get()
    }

    #[test]
    fn work_for_a_hostile_pattern_is_linear() {
        for dialect in Dialect::ALL {
            for (piece, last, unit) in
                [("*a", "*b", "a"), ("*aa", "b$", "aa"), ("*a%3Da", "*b$", "a=a"), ("*", "*?$", "?")]
            {
                for size in [100, 1_000, 4_000] {
                    let value = format!("/{}{last}", piece.repeat(size));
                    let url = format!("/{}", unit.repeat(size));
                    let steps = steps_of(dialect, &value, &url);
                    let bound = 4 * (value.len() + url.len());
                    assert!(steps <= bound, "{dialect} {piece} {size}: {steps} steps, {bound} allowed");
                }
            }
        }
    }

    #[test]
    fn overlapping_occurrences_are_found() {
        assert_eq!(occurrence_ends(b"aa", b"aaaba").collect::<Vec<_>>(), [2, 3]);
        assert_eq!(occurrence_ends(b"", b"ab").collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(occurrence_ends(b"aba", b"ababa").collect::<Vec<_>>(), [3, 5]);
    }
}
