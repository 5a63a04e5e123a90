//! Path patterns: what a rule matches.
//!
//! A pattern is cut at its `*` into **pieces**. The first piece must stand at the start of the URL's path, each further
//! piece is taken at its leftmost place after the one before, and the last one, if the pattern is anchored, at the end.
//! Leftmost is always right: an earlier place leaves more room for the rest. So a match needs no backtracking, costs one
//! forward pass over the URL for each rule, and never more than (length of pattern + length of URL).
//!
//! The same holds where `*` may not cross a line end (the dialects whose programs use regular expressions): a piece with
//! a line end in it can only stand at one place within reach, and one without can be taken leftmost as before.

use std::cell::Cell;
use std::ops::Range;

use memchr::memmem;

use super::encode::{self, Octet, Zone};
use super::python;
use super::quirks::Matching;
use super::record::DirectiveKind;
use super::select::{scrub, scrubs_values};
use super::syntax::without_nul;
use super::target::Target;

/// What a rule does to the URLs it matches. Not always what its key says: see [`Compiled::effect`].
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

/// A stretch of pattern between wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its octets where it starts in the path.
    pub path: Range<u32>,
    /// Its octets where it starts in the query. The same range as `path` unless the piece holds an encoded reserved
    /// octet and stands behind a `*`: only then does it matter where it is found.
    pub query: Range<u32>,
}

/// A rule's pattern, ready to match. Its pieces are ranges into the octets of the rule set it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compiled {
    /// In some dialects an empty `Disallow` allows and an empty `Allow` disallows.
    pub effect: Effect,
    pub pieces: Range<u32>,
    pub end: End,
    /// What precedence counts.
    pub length: u32,
}

/// The octets and pieces of a rule set's patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patterns {
    octets: Vec<u8>,
    pieces: Vec<Piece>,
    /// Some piece has two forms.
    zoned: bool,
}

impl Patterns {
    /// Compiles the pattern of one rule; nothing if it can never match or decide. Google's index folding makes two
    /// patterns of one.
    pub(super) fn compile(
        &mut self,
        kind: DirectiveKind,
        value: &[u8],
        matching: Matching,
    ) -> [Option<Compiled>; 2] {
        let effect = if kind == DirectiveKind::Allow { Effect::Allow } else { Effect::Disallow };
        if scrubs_values(matching) {
            let text = String::from_utf8_lossy(&scrub(value)).into_owned();
            return [Some(self.robotexclusionrulesparser(effect, &text, matching)), None];
        }
        match matching {
            Matching::Rfc9309 => [self.rfc9309(effect, value), None],
            Matching::Yandex => [self.yandex(effect, value), None],
            Matching::Google => self.google(effect, value),
            Matching::Webcanon => [self.webcanon(effect, value), None],
            Matching::Urllib => [self.urllib(effect, &String::from_utf8_lossy(value)), None],
            _ => [Some(self.robotstxt_gem(effect, &without_nul(value))), None],
        }
    }

    /// RFC 9309 §2.2.2 and §2.2.3. A value that starts with neither `/` nor `*` never matches.
    fn rfc9309(&mut self, effect: Effect, value: &[u8]) -> Option<Compiled> {
        if !matches!(value.first(), Some(b'/' | b'*')) {
            return None;
        }
        let (body, end) = split_anchor(value);
        let first = self.pieces.len();
        let mut length = u32::from(end == End::Anchored);
        let mut zone = Zone::Path;
        let mut rest = body;
        loop {
            let (piece_length, after) = self.rfc9309_piece(rest, &mut zone, self.pieces.len() > first);
            length += piece_length;
            match after {
                Some(after) => {
                    length += 1;
                    rest = after;
                }
                None => break,
            }
        }
        Some(self.finish(effect, first, end, length))
    }

    /// Appends the piece at the start of `text`; returns its length for precedence, and what follows its `*`.
    fn rfc9309_piece<'t>(&mut self, text: &'t [u8], zone: &mut Zone, movable: bool) -> (u32, Option<&'t [u8]>) {
        let started_in = *zone;
        let path_start = self.octets.len() as u32;
        let mut query_form = Vec::new();
        let mut length = 0;
        let mut rest = text;
        let mut after = None;
        while !rest.is_empty() {
            let octet = Octet::first(rest);
            rest = &rest[octet.width()..];
            if !octet.encoded && octet.value == b'*' {
                after = Some(rest);
                break;
            }
            if !octet.encoded && octet.value == b'?' {
                *zone = Zone::Query;
            }
            length += octet.push(*zone, &mut self.octets);
            octet.push(Zone::Query, &mut query_form);
        }
        let path = path_start..self.octets.len() as u32;
        let two_forms = movable && started_in == Zone::Path && self.octets[path_start as usize..] != query_form;
        let query = if two_forms { self.append(&query_form) } else { path.clone() };
        self.zoned |= two_forms;
        self.pieces.push(Piece { path, query });
        (length, after)
    }

    /// As [`Patterns::rfc9309`]; an empty `Disallow` is `Allow: /`, and wildcards do not count.
    fn yandex(&mut self, effect: Effect, value: &[u8]) -> Option<Compiled> {
        if value.is_empty() {
            return if effect == Effect::Disallow { self.rfc9309(Effect::Allow, b"/") } else { None };
        }
        let mut compiled = self.rfc9309(effect, value)?;
        let wildcards = compiled.pieces.len() - 1 + usize::from(compiled.end == End::Anchored);
        compiled.length -= wildcards as u32;
        Some(compiled)
    }

    /// `Allow: …/index.htm…` also allows `…/` itself, if nothing longer says otherwise.
    fn google(&mut self, effect: Effect, value: &[u8]) -> [Option<Compiled>; 2] {
        if value.is_empty() {
            return [None, None];
        }
        let escaped = encode::google_escape(value);
        let slash = memchr::memrchr(b'/', &escaped);
        let folded = slash
            .filter(|&slash| effect == Effect::Allow && escaped[slash..].starts_with(b"/index.htm"))
            .map(|slash| [&escaped[..=slash], b"$"].concat());
        [Some(self.wildcards(effect, &escaped)), folded.map(|pattern| self.wildcards(effect, &pattern))]
    }

    fn wildcards(&mut self, effect: Effect, pattern: &[u8]) -> Compiled {
        let (body, end) = split_anchor(pattern);
        let first = self.split_pieces(body);
        self.finish(effect, first, end, pattern.len() as u32)
    }

    /// The pattern as written against the decoded path; its length in characters, final `$`s not counted.
    fn webcanon(&mut self, effect: Effect, value: &[u8]) -> Option<Compiled> {
        if value.is_empty() && effect == Effect::Disallow {
            return None;
        }
        let (body, end) = split_anchor(value);
        let end = if end == End::Anchored { End::PythonAnchored } else { end };
        let first = self.split_pieces(body);
        let characters = String::from_utf8_lossy(value).trim_end_matches('$').chars().count();
        Some(self.finish(effect, first, end, characters as u32))
    }

    /// A quoted prefix. Python refuses some values that look like URLs; such a rule is as good as absent.
    fn urllib(&mut self, effect: Effect, value: &str) -> Option<Compiled> {
        let value = python::unquote(value);
        let effect = if value.is_empty() { Effect::Allow } else { effect };
        let path = python::quote(&python::urlunparse(&python::urlparse(&value)?));
        Some(self.literal(effect, &path))
    }

    /// A blank path turns the rule round. `MK1996` knows no wildcards.
    fn robotexclusionrulesparser(&mut self, effect: Effect, value: &str, matching: Matching) -> Compiled {
        let path = encode::unquote_path(value);
        if matching == Matching::Gym2008 && (path.contains('*') || path.ends_with('$')) {
            let (body, end) = split_anchor(path.as_bytes());
            let first = self.split_pieces(body);
            return self.finish(effect, first, end, path.len() as u32);
        }
        let effect = match (path.is_empty(), effect) {
            (false, effect) => effect,
            (true, Effect::Allow) => Effect::Disallow,
            (true, Effect::Disallow) => Effect::Allow,
        };
        self.literal(effect, path.as_bytes())
    }

    /// A decoded glob; a blank `Disallow` allows everything.
    fn robotstxt_gem(&mut self, effect: Effect, value: &[u8]) -> Compiled {
        let (effect, value) =
            if value.is_empty() && effect == Effect::Disallow { (Effect::Allow, &b"*"[..]) } else { (effect, value) };
        let (glob, end) = split_anchor(value);
        let end = if end == End::Anchored { End::BeforeQuery } else { end };
        let glob = encode::ruby_unescape(&String::from_utf8_lossy(glob));
        let first = self.split_pieces(glob.as_bytes());
        self.finish(effect, first, end, value.len() as u32)
    }

    fn literal(&mut self, effect: Effect, path: &[u8]) -> Compiled {
        let first = self.pieces.len();
        self.push_piece(path);
        self.finish(effect, first, End::Open, path.len() as u32)
    }

    /// Appends the pieces of `body` between its `*`s; returns the index of the first.
    fn split_pieces(&mut self, body: &[u8]) -> usize {
        let first = self.pieces.len();
        for piece in body.split(|&byte| byte == b'*') {
            self.push_piece(piece);
        }
        first
    }

    fn push_piece(&mut self, octets: &[u8]) {
        let range = self.append(octets);
        self.pieces.push(Piece { path: range.clone(), query: range });
    }

    fn append(&mut self, octets: &[u8]) -> Range<u32> {
        let start = self.octets.len() as u32;
        self.octets.extend_from_slice(octets);
        start..self.octets.len() as u32
    }

    fn finish(&self, effect: Effect, first: usize, end: End, length: u32) -> Compiled {
        Compiled { effect, pieces: first as u32..self.pieces.len() as u32, end, length }
    }

    /// Whether a compiled pattern matches `target`.
    pub(super) fn matches(&self, pattern: &Compiled, target: &Target<'_>, matching: Matching) -> bool {
        let pieces = &self.pieces[pattern.pieces.start as usize..pattern.pieces.end as usize];
        let text = &target.text[..];
        let scan = Scan {
            patterns: self,
            pieces,
            end: pattern.end,
            text,
            query: if self.zoned { target.query } else { text.len() },
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

    fn octets(&self, range: &Range<u32>) -> &[u8] {
        &self.octets[range.start as usize..range.end as usize]
    }
}

/// `pattern` without a final `$`, and the end that it asks for.
fn split_anchor(pattern: &[u8]) -> (&[u8], End) {
    match pattern {
        [body @ .., b'$'] => (body, End::Anchored),
        _ => (pattern, End::Open),
    }
}

/// One pattern against one text.
struct Scan<'s> {
    patterns: &'s Patterns,
    pieces: &'s [Piece],
    end: End,
    text: &'s [u8],
    /// Where the query starts, if that matters; else the length of the text.
    query: usize,
    star_stops_at_line_end: bool,
    /// The last line end looked up: from where, and where it is.
    line: Cell<(usize, Option<usize>)>,
}

impl Scan<'_> {
    fn matches_from(&self, start: usize) -> bool {
        let [first, rest @ ..] = self.pieces else { return false };
        let head = self.patterns.octets(&first.path);
        steps::count(head.len());
        if !self.text[start..].starts_with(head) {
            return false;
        }
        let mut at = start + head.len();
        let [middle @ .., last] = rest else { return self.may_end(at) };
        for piece in middle {
            match self.find(piece, at) {
                Some(end) => at = end,
                None => return false,
            }
        }
        self.find_last(last, at)
    }

    /// Whether a match that reached `at` may end there.
    fn may_end(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        match self.end {
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
    fn find(&self, piece: &Piece, from: usize) -> Option<usize> {
        let octets = self.patterns.octets(&piece.path);
        if piece.path == piece.query {
            return self.find_octets(octets, from, self.last_start(from));
        }
        let query_octets = self.patterns.octets(&piece.query);
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
    fn find_last(&self, piece: &Piece, from: usize) -> bool {
        let octets = self.patterns.octets(&piece.path);
        match self.end {
            End::Open => self.find(piece, from).is_some(),
            End::Anchored if piece.path == piece.query => self.ends_with(octets, from, self.text.len()),
            End::Anchored => {
                let starts_in_path = self.text.len().checked_sub(octets.len()).is_some_and(|at| at <= self.query);
                let from_query = from.max(self.query + 1);
                (starts_in_path && self.ends_with(octets, from, self.text.len()))
                    || self.ends_with(self.patterns.octets(&piece.query), from_query, self.text.len())
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
        let mut patterns = Patterns::default();
        let target = Target::from_url(url.as_bytes(), matching).expect("a URL");
        let compiled = patterns.compile(DirectiveKind::Disallow, value.as_bytes(), matching);
        compiled.iter().flatten().any(|compiled| patterns.matches(compiled, &target, matching))
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
            for (piece, last, unit) in [("*a", "*b", "a"), ("*aa", "b$", "aa"), ("*a%3Da", "*b$", "a=a"), ("*", "*?$", "?")] {
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
