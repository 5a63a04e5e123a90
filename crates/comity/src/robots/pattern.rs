//! Path patterns: what a rule matches.
//!
//! A pattern is cut at its `*` into **pieces**. The first piece must stand at the start of the URL's path, each further
//! piece is taken at its leftmost place after the one before, and the last one, if the pattern is anchored, at the end.
//! Leftmost is always right: an earlier place leaves more room for the rest. So a match needs no backtracking, costs one
//! forward pass over the URL for each rule, and never more than (length of pattern + length of URL).
//!
//! The same holds where `*` may not cross a line end (the dialects whose programs use regular expressions): a piece with
//! a line end in it can only stand at one place within reach, and one without can be taken leftmost as before.

use std::borrow::Cow;
use std::cell::Cell;

use memchr::memmem;

use super::encode;
use super::encode::{Octet, Zone};
use super::octets;
use super::python;
use super::quirks::Matching;
use super::record::DirectiveKind;
use super::select::scrub;
use super::syntax::without_nul;
use super::target::Target;

/// What a rule does to the URLs it matches. Not always what its key says: see [`Compiled`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Effect {
    Allow,
    Disallow,
}

/// Where a match has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Anywhere.
    Open,
    /// At the end of the URL.
    Anchored,
    /// At the end, or before a line end that is the last character (`$` in Python).
    PythonAnchored,
    /// Before a `?`, before a line end, or at the end (`(?:\?|$)` in Ruby).
    BeforeQuery,
}

/// A pattern in the form in which it is matched.
///
/// `octets` holds the pieces with `star` between them. A piece behind a `*` may stand in the path or in the query, and
/// the default dialect compares encoded reserved octets differently there; `in_query` is the same pattern in the form
/// for the query, where that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern<'p> {
    pub octets: &'p [u8],
    pub in_query: Option<&'p [u8]>,
    /// What stands for a wildcard in `octets`; `None` in a pattern without.
    pub star: Option<u8>,
    pub end: End,
}

/// What stands for a wildcard where `*` may be a character of its own. Normalised octets are never NUL.
pub(super) const ESCAPED_STAR: u8 = 0;

/// A rule as compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compiled<'v> {
    /// In some dialects an empty `Disallow` allows and an empty `Allow` disallows.
    pub effect: Effect,
    pub octets: Cow<'v, [u8]>,
    pub in_query: Option<Vec<u8>>,
    pub star: Option<u8>,
    pub end: End,
    /// What precedence counts.
    pub length: u32,
}

impl<'v> Compiled<'v> {
    /// A pattern whose wildcards are its `*`s.
    fn with_stars(effect: Effect, octets: impl Into<Cow<'v, [u8]>>, end: End, length: usize) -> Self {
        let octets = octets.into();
        let star = memchr::memchr(b'*', &octets).map(|_| b'*');
        Compiled { effect, octets, in_query: None, star, end, length: length as u32 }
    }

    fn literal(effect: Effect, octets: Vec<u8>) -> Self {
        let length = octets.len() as u32;
        Compiled { effect, octets: octets.into(), in_query: None, star: None, end: End::Open, length }
    }

    /// The pieces between wildcards, each as it stands in the path and in the query.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        Pieces { rest: Some(self.pattern()) }
            .map(|piece| (piece.octets, piece.in_query.unwrap_or(piece.octets)))
    }

    pub(super) fn pattern(&self) -> Pattern<'_> {
        let in_query = self.in_query.as_deref();
        Pattern { octets: &self.octets, in_query, star: self.star, end: self.end }
    }
}

/// Compiles the pattern of one rule; nothing if it can never match or decide. Google's index folding makes two of one.
pub(super) fn compile(kind: DirectiveKind, value: &[u8], matching: Matching) -> [Option<Compiled<'_>>; 2] {
    let effect = if kind == DirectiveKind::Allow { Effect::Allow } else { Effect::Disallow };
    match matching {
        Matching::Rfc9309 => [rfc9309(effect, value), None],
        Matching::Yandex => [yandex(effect, value), None],
        Matching::Google => google(effect, value),
        Matching::Webcanon => [webcanon(effect, value), None],
        Matching::Urllib => [urllib(effect, &String::from_utf8_lossy(value)), None],
        Matching::Gym2008 | Matching::Mk1996 => {
            [Some(robotexclusionrulesparser(effect, &String::from_utf8_lossy(&scrub(value)), matching)), None]
        }
        Matching::RobotstxtGem => [Some(robotstxt_gem(effect, value)), None],
    }
}

/// RFC 9309 §2.2.2 and §2.2.3. A value that starts with neither `/` nor `*` never matches.
fn rfc9309(effect: Effect, value: &[u8]) -> Option<Compiled<'_>> {
    if !matches!(value.first(), Some(b'/' | b'*')) {
        return None;
    }
    let (body, end) = split_anchor(value);
    if octets::is_normal(body) {
        return Some(Compiled::with_stars(effect, body, end, value.len()));
    }
    let mut octets = Vec::with_capacity(body.len() + 16);
    let mut in_query = Vec::with_capacity(body.len() + 16);
    let mut length = u32::from(end == End::Anchored);
    let (mut zone, mut may_move, mut has_two_forms) = (Zone::Path, false, false);
    let mut rest = body;
    while !rest.is_empty() {
        let octet = Octet::first(rest);
        let starts_any_escape = encode::starts_any_escape(rest, end == End::Open);
        rest = &rest[octet.width()..];
        if !octet.encoded && octet.value == b'*' {
            octets.push(ESCAPED_STAR);
            in_query.push(ESCAPED_STAR);
            length += 1;
            may_move = true;
            continue;
        }
        if starts_any_escape {
            octets.push(b'%');
            in_query.push(b'%');
            length += 1;
            continue;
        }
        if !octet.encoded && octet.value == b'?' {
            zone = Zone::Query;
        }
        let (path_start, query_start) = (octets.len(), in_query.len());
        length += octet.push(zone, &mut octets);
        octet.push(if may_move { Zone::Query } else { zone }, &mut in_query);
        has_two_forms |= octets[path_start..] != in_query[query_start..];
    }
    let star = may_move.then_some(ESCAPED_STAR);
    let in_query = has_two_forms.then_some(in_query);
    Some(Compiled { effect, octets: octets.into(), in_query, star, end, length })
}

/// As [`rfc9309`]; an empty `Disallow` is `Allow: /`, and wildcards do not count.
fn yandex(effect: Effect, value: &[u8]) -> Option<Compiled<'_>> {
    if value.is_empty() {
        return if effect == Effect::Disallow { rfc9309(Effect::Allow, b"/") } else { None };
    }
    let mut compiled = rfc9309(effect, value)?;
    let stars = compiled.star.map_or(0, |star| memchr::memchr_iter(star, &compiled.octets).count());
    compiled.length -= (stars + usize::from(compiled.end == End::Anchored)) as u32;
    Some(compiled)
}

/// `Allow: …/index.htm…` also allows `…/` itself, if nothing longer says otherwise.
fn google(effect: Effect, value: &[u8]) -> [Option<Compiled<'_>>; 2] {
    if value.is_empty() {
        return [None, None];
    }
    let escaped = encode::google_escape(value);
    let length = escaped.len();
    let folded = memchr::memrchr(b'/', &escaped)
        .filter(|&slash| effect == Effect::Allow && escaped[slash..].starts_with(b"/index.htm"))
        .map(|slash| Compiled::with_stars(effect, escaped[..=slash].to_vec(), End::Anchored, slash + 2));
    let compiled = match escaped {
        Cow::Borrowed(pattern) => {
            let (body, end) = split_anchor(pattern);
            Compiled::with_stars(effect, body, end, length)
        }
        Cow::Owned(mut pattern) => {
            let (body, end) = split_anchor(&pattern);
            pattern.truncate(body.len());
            Compiled::with_stars(effect, pattern, end, length)
        }
    };
    [Some(compiled), folded]
}

/// The pattern as written against the decoded path; its length in characters, final `$`s not counted.
fn webcanon(effect: Effect, value: &[u8]) -> Option<Compiled<'_>> {
    if value.is_empty() && effect == Effect::Disallow {
        return None;
    }
    let (body, end) = split_anchor(value);
    let end = if end == End::Anchored { End::PythonAnchored } else { end };
    let characters = String::from_utf8_lossy(value).trim_end_matches('$').chars().count();
    Some(Compiled::with_stars(effect, body, end, characters))
}

/// A quoted prefix. Python refuses some values that look like URLs; such a rule is as good as absent.
fn urllib<'v>(effect: Effect, value: &str) -> Option<Compiled<'v>> {
    let value = python::unquote(value);
    let effect = if value.is_empty() { Effect::Allow } else { effect };
    let path = python::quote(&python::urlunparse(&python::urlparse(&value)?));
    Some(Compiled::literal(effect, path))
}

/// A blank path turns the rule round. `MK1996` knows no wildcards.
fn robotexclusionrulesparser<'v>(effect: Effect, value: &str, matching: Matching) -> Compiled<'v> {
    let path = encode::unquote_path(value);
    if matching == Matching::Gym2008 && (path.contains('*') || path.ends_with('$')) {
        let length = path.len();
        let (body, end) = split_anchor(path.as_bytes());
        return Compiled::with_stars(effect, body.to_vec(), end, length);
    }
    let effect = match (path.is_empty(), effect) {
        (false, effect) => effect,
        (true, Effect::Allow) => Effect::Disallow,
        (true, Effect::Disallow) => Effect::Allow,
    };
    Compiled::literal(effect, path.into_bytes())
}

/// A decoded glob; a blank `Disallow` allows everything.
fn robotstxt_gem(effect: Effect, value: &[u8]) -> Compiled<'_> {
    let value = without_nul(value);
    let (effect, value) = if value.is_empty() && effect == Effect::Disallow {
        (Effect::Allow, b"*".into())
    } else {
        (effect, value)
    };
    let (glob, end) = split_anchor(&value);
    let end = if end == End::Anchored { End::BeforeQuery } else { end };
    let glob = encode::ruby_unescape(&String::from_utf8_lossy(glob));
    Compiled::with_stars(effect, glob.into_bytes(), end, value.len())
}

/// A bit for each octet, 64 apart sharing one: a text whose mask lacks a bit lacks the octet.
#[inline]
pub(super) fn mask_of(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |mask, octet| mask | 1 << (octet & 63))
}

/// `pattern` without a final `$`, and the end that it asks for.
fn split_anchor(pattern: &[u8]) -> (&[u8], End) {
    match pattern {
        [body @ .., b'$'] => (body, End::Anchored),
        _ => (pattern, End::Open),
    }
}

impl Pattern<'_> {
    /// Whether the pattern matches `target`.
    #[inline]
    pub(super) fn matches(&self, target: &Target<'_>, matching: Matching) -> bool {
        let text = &target.text[..];
        match (self.star, self.end) {
            (None, End::Open) if matching != Matching::RobotstxtGem => {
                // Nearly all start with a slash, and most differ right after it.
                let differs = matches!((self.octets.get(1), text.get(1)), (Some(a), Some(b)) if a != b);
                !differs && text.starts_with(self.octets)
            }
            (None, End::Anchored) => text == self.octets,
            _ => self.scan(target, matching),
        }
    }

    /// The octets that the pieces need, wherever they stand, as [`mask_of`] gives them.
    #[inline]
    pub(super) fn needs(&self) -> u64 {
        let mask = |octets: &[u8]| match self.star {
            Some(star) => {
                let pieces = octets.iter().filter(|octet| **octet != star);
                pieces.fold(0, |mask, octet| mask | 1 << (octet & 63))
            }
            None => mask_of(octets),
        };
        mask(self.octets) & self.in_query.map_or(u64::MAX, mask)
    }

    fn scan(&self, target: &Target<'_>, matching: Matching) -> bool {
        let text = &target.text[..];
        let scan = Scan {
            pattern: *self,
            text,
            query: target.query,
            star_stops_at_line_end: matches!(matching, Matching::Webcanon | Matching::RobotstxtGem),
            line: Cell::new((0, None)),
        };
        if matching != Matching::RobotstxtGem {
            return scan.matches_from(0);
        }
        // In Ruby `^` also stands after every line end but a final one.
        scan.matches_from(0)
            || memchr::memchr_iter(b'\n', text).any(|at| at + 1 < text.len() && scan.matches_from(at + 1))
    }
}

/// A stretch of pattern between wildcards.
#[derive(Clone, Copy, Debug)]
struct Piece<'p> {
    octets: &'p [u8],
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
        let split = |octets: &'p [u8]| match rest.star.and_then(|star| memchr::memchr(star, octets)) {
            Some(at) => (&octets[..at], Some(&octets[at + 1..])),
            None => (octets, None),
        };
        let (octets, after) = split(rest.octets);
        let (in_query, after_in_query) = rest.in_query.map(split).unzip();
        self.rest = after.map(|octets| Pattern { octets, in_query: after_in_query.flatten(), ..rest });
        Some(Piece { octets, in_query })
    }
}

/// One pattern against one text.
struct Scan<'s> {
    pattern: Pattern<'s>,
    text: &'s [u8],
    /// Where the query starts; the length of the text if there is none.
    query: usize,
    star_stops_at_line_end: bool,
    /// The last line end looked up: from where, and where it is.
    line: Cell<(usize, Option<usize>)>,
}

impl Scan<'_> {
    fn matches_from(&self, start: usize) -> bool {
        let mut pieces = Pieces { rest: Some(self.pattern) };
        let Some(first) = pieces.next() else { return false };
        steps::count(first.octets.len());
        if !self.text[start..].starts_with(first.octets) {
            return false;
        }
        let mut at = start + first.octets.len();
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

    /// Whether a match that reached `at` may end there.
    fn may_end(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        match self.pattern.end {
            End::Open => true,
            End::Anchored => rest.is_empty(),
            End::PythonAnchored => rest.is_empty() || rest == b"\n",
            End::BeforeQuery => matches!(rest.first(), None | Some(b'?' | b'\n')),
        }
    }

    /// The furthest place at which a piece after a `*` at `from` may start.
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

    /// The end of the leftmost place of a piece after a `*` at `from`.
    fn find(&self, piece: Piece<'_>, from: usize) -> Option<usize> {
        let octets = piece.octets;
        let Some(query_octets) = piece.in_query else {
            return self.find_octets(octets, from, self.last_start(from));
        };
        let in_path = if from <= self.query { self.find_octets(octets, from, self.query) } else { None };
        in_path.or_else(|| {
            let from = from.max(self.query + 1);
            if from <= self.text.len() { self.find_octets(query_octets, from, self.text.len()) } else { None }
        })
    }

    /// The end of the leftmost place of `octets` that starts between `from` and `last_start`.
    fn find_octets(&self, octets: &[u8], from: usize, last_start: usize) -> Option<usize> {
        let end = self.text.len().min(last_start + octets.len());
        let found = memmem::find(&self.text[from..end], octets).map(|at| from + at + octets.len());
        steps::count(found.unwrap_or(end) - from);
        found
    }

    /// Whether the last piece, after a `*` at `from`, stands where the pattern may end.
    fn find_last(&self, piece: Piece<'_>, from: usize) -> bool {
        let octets = piece.octets;
        match self.pattern.end {
            End::Open => self.find(piece, from).is_some(),
            End::Anchored => {
                let Some(query_octets) = piece.in_query else {
                    return self.ends_with(octets, from, self.text.len());
                };
                let starts_in_path =
                    self.text.len().checked_sub(octets.len()).is_some_and(|at| at <= self.query);
                let from_query = from.max(self.query + 1);
                (starts_in_path && self.ends_with(octets, from, self.text.len()))
                    || self.ends_with(query_octets, from_query, self.text.len())
            }
            End::PythonAnchored => {
                let length = self.text.len();
                self.ends_with(octets, from, length)
                    || (self.text.last() == Some(&b'\n') && self.ends_with(octets, from, length - 1))
            }
            End::BeforeQuery => {
                let last_start = self.last_start(from);
                steps::count(self.text.len() - from + octets.len());
                occurrence_ends(octets, &self.text[from..])
                    .map(|end| from + end)
                    .take_while(|end| end - octets.len() <= last_start)
                    .any(|end| self.may_end(end))
            }
        }
    }

    /// Whether `octets` stands right before `end`, starting no earlier than a `*` at `from` allows and no later.
    fn ends_with(&self, octets: &[u8], from: usize, end: usize) -> bool {
        let Some(start) = end.checked_sub(octets.len()) else { return false };
        steps::count(octets.len());
        start >= from && self.text[start..end] == *octets && start <= self.last_start(from)
    }
}

/// The ends of all places of `needle` in `text`, overlapping ones included, in time linear in both (Knuth, Morris and
/// Pratt).
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

/// Counts the octets that matching looks at, in tests only.
mod steps {
    #[cfg(test)]
    thread_local!(pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

    #[cfg(test)]
    pub(super) fn count(octets: usize) {
        STEPS.set(STEPS.get() + octets + 1);
    }

    #[cfg(not(test))]
    pub(super) fn count(_octets: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matching: Matching, value: &str, url: &str) -> bool {
        let target = Target::from_url(url.as_bytes(), matching).expect("a URL");
        let compiled = compile(DirectiveKind::Disallow, value.as_bytes(), matching);
        compiled.iter().flatten().any(|compiled| compiled.pattern().matches(&target, matching))
    }

    #[test]
    fn stars_need_no_backtracking() {
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
            assert_eq!(matches(Matching::Rfc9309, pattern, url), expected, "{pattern} {url}");
            assert_eq!(matches(Matching::Google, pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn a_piece_behind_a_star_meets_path_and_query_in_their_own_forms() {
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
            assert_eq!(matches(Matching::Rfc9309, pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn ruby_anchors_before_a_query_and_at_line_ends() {
        let gem = |pattern, url| matches(Matching::RobotstxtGem, pattern, url);
        assert!(gem("/*.pdf$", "/a.pdf?x"));
        assert!(!gem("/*.pdf$", "/a.pdfx"));
        assert!(gem("/b", "/a%0A/b"));
        assert!(!gem("/a*b", "/a%0Ab"));
        assert!(gem("/aa$", "/aa%0Ab"));
    }

    /// The octets looked at while a value is matched against a URL.
    fn steps_of(matching: Matching, value: &str, url: &str) -> usize {
        steps::STEPS.set(0);
        matches(matching, value, url);
        steps::STEPS.get()
    }

    #[test]
    fn hostile_patterns_cost_no_more_than_their_length_and_the_url_s() {
        let every = [
            Matching::Rfc9309,
            Matching::Google,
            Matching::Yandex,
            Matching::Webcanon,
            Matching::Urllib,
            Matching::Gym2008,
            Matching::Mk1996,
            Matching::RobotstxtGem,
        ];
        for matching in every {
            for (piece, last, unit) in
                [("*a", "*b", "a"), ("*aa", "b$", "aa"), ("*a%3Da", "*b$", "a=a"), ("*", "*?$", "?")]
            {
                for size in [100, 1_000, 4_000] {
                    let value = format!("/{}{last}", piece.repeat(size));
                    let url = format!("/{}", unit.repeat(size));
                    let steps = steps_of(matching, &value, &url);
                    let bound = 4 * (value.len() + url.len());
                    assert!(steps <= bound, "{matching:?} {piece} {size}: {steps} steps, {bound} allowed");
                }
            }
        }
    }

    #[test]
    fn occurrences_may_overlap() {
        assert_eq!(occurrence_ends(b"aa", b"aaaba").collect::<Vec<_>>(), [2, 3]);
        assert_eq!(occurrence_ends(b"", b"ab").collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(occurrence_ends(b"aba", b"ababa").collect::<Vec<_>>(), [3, 5]);
    }
}
