//! Rules packed one after the other.
//!
//! An entry is a byte of flags, the line (counted from that of the first rule that came) and the length of the value as
//! written (both in seven-bit groups, low ones first), the value, and, where the value is not matched as written, the
//! octets that are; with wildcards, also an octet that no match can be without. That is three bytes more than the pattern
//! for a typical rule. Walking the entries is what deciding does, so most are passed over by two words of eight octets.

use super::octets;
use super::pattern::{Compiled, ESCAPED_STAR, Effect, End, Pattern};
use super::record::DirectiveKind;

/// `Disallow` is written, not `Allow`.
const DISALLOW: u8 = 1;
/// It disallows what it matches.
const DISALLOWS: u8 = 1 << 1;
/// The two bits of the end.
const END: u8 = 3 << 2;
/// There are wildcards.
const STARS: u8 = 1 << 4;
/// The octets to match follow; the value as written is not them.
const OWN_OCTETS: u8 = 1 << 5;
/// The form for the query follows.
const IN_QUERY: u8 = 1 << 6;
/// Wildcards stand as [`ESCAPED_STAR`], not as `*`.
const ESCAPED: u8 = 1 << 7;

const ENDS: [End; 4] = [End::Open, End::Anchored, End::PythonAnchored, End::BeforeQuery];

/// Rules in order of precedence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'e> {
    bytes: &'e [u8],
}

impl<'e> Entries<'e> {
    /// The entries that a [`Packer`] wrote.
    pub(super) fn new(bytes: &'e [u8]) -> Self {
        Entries { bytes }
    }

    pub(super) fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Where the first entry starts that is a plain prefix of `text`, or anything else that `matches` accepts.
    ///
    /// Most rules differ from a URL within the first eight octets of their literal start, and those are compared at once.
    #[inline]
    pub(super) fn find(self, text: &[u8], matches: impl Fn(&Entry<'_>) -> bool) -> Option<u32> {
        let start = head_of(text);
        let mut rest = self.bytes;
        loop {
            while let Some(octets) = rest.first_chunk::<SHORT>() {
                let short = Short::new(octets);
                if !short.differs(start) {
                    if !short.is_plain() {
                        break;
                    }
                    if text.starts_with(rest.get(SHORT_HEADER..short.size())?) {
                        return Some((self.bytes.len() - rest.len()) as u32);
                    }
                }
                rest = rest.get(short.size()..)?;
            }
            match Entries::new(rest).closer(text, &matches)? {
                Closer::Matches => return Some((self.bytes.len() - rest.len()) as u32),
                Closer::Next(size) => rest = rest.get(size..)?,
            }
        }
    }

    /// A closer look at the first entry, if there is one.
    #[inline(never)]
    fn closer(self, text: &[u8], matches: impl Fn(&Entry<'_>) -> bool) -> Option<Closer> {
        let mut iter = self.iter();
        let entry = iter.next()?;
        let does_match = if entry.is_plain() {
            text.starts_with(entry.octets)
        } else {
            entry.needed.is_none_or(|octet| octets::contains(text, octet)) && matches(&entry)
        };
        Some(if does_match { Closer::Matches } else { Closer::Next(self.bytes.len() - iter.bytes.len()) })
    }

    /// What the rule that starts at `offset` does.
    #[inline]
    pub(super) fn effect_at(self, offset: u32) -> Effect {
        self.bytes.get(offset as usize).map_or(Effect::Allow, |&flags| effect(flags))
    }

    /// The entry that starts at `offset`.
    #[inline]
    pub(super) fn at(self, offset: u32) -> Option<Entry<'e>> {
        Iter { bytes: self.bytes.get(offset as usize..)?, length: self.bytes.len() }.next()
    }

    #[inline]
    pub(super) fn iter(self) -> Iter<'e> {
        Iter { bytes: self.bytes, length: self.bytes.len() }
    }
}

/// What came of a closer look.
enum Closer {
    Matches,
    /// It does not; so many bytes further the next entry starts.
    Next(usize),
}

/// Flags, line and length, if each takes one byte.
const SHORT_HEADER: usize = 3;

/// The octets that [`Short`] looks at.
const SHORT: usize = SHORT_HEADER + 8;

/// The start of an entry: flags, line and length if each takes one byte, and eight octets of the rule (or of what
/// follows it).
#[derive(Clone, Copy)]
struct Short {
    /// Flags, line, length and five octets, from the low end.
    header: u64,
    octets: u64,
}

impl Short {
    /// Bits that stand for something that takes a closer look.
    const UNUSUAL: u64 = (OWN_OCTETS | IN_QUERY) as u64 | 128 << 8 | 128 << 16;

    #[inline]
    fn new(bytes: &[u8; SHORT]) -> Self {
        let word = |octets: Option<&[u8; 8]>| octets.map_or(0, |octets| u64::from_le_bytes(*octets));
        Short { header: word(bytes.first_chunk()), octets: word(bytes.last_chunk()) }
    }

    #[inline]
    fn length(self) -> u32 {
        (self.header >> 16 & 127) as u32
    }

    /// Whether it matches what starts with its octets, and all of its header was seen.
    #[inline]
    fn is_plain(self) -> bool {
        self.header & (Short::UNUSUAL | (END | STARS) as u64) == 0
    }

    /// How many bytes the entry takes.
    #[inline]
    fn size(self) -> usize {
        SHORT_HEADER + self.length() as usize + usize::from(self.header & STARS as u64 != 0)
    }

    /// Whether the rule and a text that starts with `start` differ before the rule's first wildcard, anchor or end. Of
    /// long or unusual entries that is not told.
    #[inline]
    fn differs(self, start: u64) -> bool {
        let difference = self.octets ^ start;
        if self.header & Short::UNUSUAL != 0 || difference == 0 {
            return false;
        }
        let place = difference.trailing_zeros() / 8;
        place < self.length() && (self.header & (STARS | END) as u64 == 0 || place < self.literal())
    }

    /// How many octets stand before the first wildcard or the anchor.
    fn literal(self) -> u32 {
        let is_anchored = self.header & END as u64 != 0;
        let body = self.length().saturating_sub(is_anchored.into());
        if self.header & STARS as u64 != 0 { body.min(first_star(self.octets)) } else { body }
    }
}

/// The first eight octets of a text, NULs where it is shorter.
#[inline]
fn head_of(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(head) => u64::from_le_bytes(*head),
        None => text.iter().rev().fold(0, |head, &octet| head << 8 | u64::from(octet)),
    }
}

/// Where the first `*` of eight octets stands; 8 if there is none.
#[inline]
fn first_star(octets: u64) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The usual search for a zero octet; what it marks behind the first does not matter.
    let zero = octets ^ (ONES * b'*' as u64);
    (zero.wrapping_sub(ONES) & !zero & (ONES << 7)).trailing_zeros() / 8
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'e> {
    flags: u8,
    line: u32,
    written: &'e [u8],
    octets: &'e [u8],
    in_query: &'e [u8],
    /// An octet of a piece behind a wildcard, if there is one that every match must hold.
    needed: Option<u8>,
}

impl<'e> Entry<'e> {
    /// Whether it matches what starts with its octets.
    #[inline]
    fn is_plain(&self) -> bool {
        self.flags & (END | STARS | OWN_OCTETS | IN_QUERY) == 0
    }

    pub(super) fn kind(&self) -> DirectiveKind {
        if self.flags & DISALLOW == 0 { DirectiveKind::Allow } else { DirectiveKind::Disallow }
    }

    pub(super) fn effect(&self) -> Effect {
        effect(self.flags)
    }

    /// Its line, counted from the one that [`Packer::first_line`] told.
    pub(super) fn relative_line(&self) -> u32 {
        self.line
    }

    pub(super) fn written(&self) -> &'e [u8] {
        self.written
    }

    #[inline]
    pub(super) fn pattern(&self) -> Pattern<'e> {
        let star = if self.flags & ESCAPED == 0 { b'*' } else { ESCAPED_STAR };
        Pattern {
            octets: self.octets,
            in_query: (self.flags & IN_QUERY != 0).then_some(self.in_query),
            star: (self.flags & STARS != 0).then_some(star),
            end: ENDS[usize::from((self.flags & END) >> 2)],
        }
    }

    /// Whether both are the same entry, not just equal ones.
    pub(super) fn is(&self, other: &Entry<'_>) -> bool {
        std::ptr::eq(self.written, other.written)
    }
}

fn effect(flags: u8) -> Effect {
    if flags & DISALLOWS == 0 { Effect::Allow } else { Effect::Disallow }
}

/// Walks entries.
#[derive(Clone, Debug)]
pub(super) struct Iter<'e> {
    bytes: &'e [u8],
    /// How many bytes all entries have.
    length: usize,
}

impl<'e> Iter<'e> {
    /// The next entry and where it starts.
    pub(super) fn next_with_offset(&mut self) -> Option<(usize, Entry<'e>)> {
        let offset = self.length - self.bytes.len();
        Some((offset, self.next()?))
    }

    /// Where the first entry that `matches` accepts starts.
    pub(super) fn find_at(mut self, matches: impl Fn(&Entry<'_>) -> bool) -> Option<u32> {
        loop {
            let (offset, entry) = self.next_with_offset()?;
            if matches(&entry) {
                return Some(offset as u32);
            }
        }
    }

    #[inline]
    fn number(&mut self) -> Option<u32> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if first < 128 {
            return Some(first.into());
        }
        let (mut number, mut shift) = (u32::from(first & 127), 7);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u32::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return Some(number);
            }
        }
    }

    #[inline]
    fn slice(&mut self) -> Option<&'e [u8]> {
        let length = self.number()? as usize;
        let (slice, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(slice)
    }
}

impl<'e> Iterator for Iter<'e> {
    type Item = Entry<'e>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'e>> {
        let (&flags, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let line = self.number()?;
        let written = self.slice()?;
        let octets = if flags & OWN_OCTETS != 0 {
            self.slice()?
        } else {
            let anchor = usize::from(flags & END != 0);
            written.split_at_checked(written.len().saturating_sub(anchor)).map_or(written, |(body, _)| body)
        };
        let in_query = if flags & IN_QUERY != 0 { self.slice()? } else { &[] };
        let mut needed = None;
        if flags & STARS != 0 {
            let (&octet, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            needed = (octet != NOTHING).then_some(octet);
        }
        Some(Entry { flags, line, written, octets, in_query, needed })
    }
}

/// Where an entry stands among others: longer first, then what allows, then by place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u64);

impl Rank {
    /// The same for all: the place in the file decides.
    pub(super) const BY_PLACE: Rank = Rank(0);

    pub(super) fn longest(length: u32, effect: Effect) -> Self {
        Rank(u64::from(!length) << 32 | u64::from(effect == Effect::Disallow) << 31)
    }

    /// The rank and, below it, a place.
    fn with_place(self, place: usize) -> u64 {
        self.0 | place as u64
    }
}

/// Collects entries and puts them into order.
#[derive(Debug, Default)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    /// Where each entry ends.
    ends: Vec<u32>,
    /// The rank of each entry, with its number as the place: one integer, so that sorting is cheap.
    ranks: Vec<u64>,
    /// The line of the first entry that came.
    first_line: Option<u32>,
}

impl Packer {
    pub(super) fn push(
        &mut self,
        rank: Rank,
        kind: DirectiveKind,
        line: u32,
        written: &[u8],
        compiled: &Compiled<'_>,
    ) {
        let anchor = usize::from(compiled.end != End::Open);
        let is_as_written =
            written.len().checked_sub(anchor).is_some_and(|body| written[..body] == *compiled.octets);
        let flag = |condition: bool, flag: u8| if condition { flag } else { 0 };
        let flags = flag(kind == DirectiveKind::Disallow, DISALLOW)
            | flag(compiled.effect == Effect::Disallow, DISALLOWS)
            | (ENDS.iter().position(|end| *end == compiled.end).unwrap_or(0) as u8) << 2
            | flag(compiled.star.is_some(), STARS)
            | flag(!is_as_written, OWN_OCTETS)
            | flag(compiled.in_query.is_some(), IN_QUERY)
            | flag(compiled.star == Some(ESCAPED_STAR), ESCAPED);
        self.bytes.push(flags);
        let first_line = *self.first_line.get_or_insert(line);
        push_number(&mut self.bytes, line.wrapping_sub(first_line).into());
        push_slice(&mut self.bytes, written);
        if !is_as_written {
            push_slice(&mut self.bytes, &compiled.octets);
        }
        if let Some(in_query) = &compiled.in_query {
            push_slice(&mut self.bytes, in_query);
        }
        if compiled.star.is_some() {
            self.bytes.push(needed_octet(&compiled.pattern()));
        }
        self.ranks.push(rank.with_place(self.ends.len()));
        self.ends.push(self.bytes.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// What lines are counted from.
    pub(super) fn first_line(&self) -> u32 {
        self.first_line.unwrap_or(0)
    }

    /// Appends the entries in order of rank; those of one rank stay in the order in which they came.
    pub(super) fn append_to(mut self, out: &mut Vec<u8>) {
        out.reserve_exact(self.bytes.len());
        if self.ranks.is_sorted() {
            return out.extend_from_slice(&self.bytes);
        }
        self.ranks.sort_unstable();
        for rank in &self.ranks {
            let place = (rank & ((1 << 31) - 1)) as usize;
            let start = if place == 0 { 0 } else { self.ends[place - 1] };
            out.extend_from_slice(&self.bytes[start as usize..self.ends[place] as usize]);
        }
    }
}

/// Stands for "no octet is needed".
const NOTHING: u8 = 0;

/// The octet behind the first wildcard that fewest URLs hold; [`NOTHING`] if none can be told.
fn needed_octet(pattern: &Pattern<'_>) -> u8 {
    let Some(star) = pattern.star.filter(|_| pattern.in_query.is_none()) else { return NOTHING };
    let behind = pattern.octets.iter().skip_while(|&&octet| octet != star).filter(|&&octet| octet != star);
    behind.copied().min_by_key(|&octet| commonness(octet)).unwrap_or(NOTHING)
}

/// How common an octet is in URLs, roughly.
fn commonness(octet: u8) -> u8 {
    match octet {
        b'/' => 9,
        b'e' | b'a' | b'i' | b't' | b's' | b'o' | b'n' | b'r' => 8,
        b'c' | b'd' | b'l' | b'm' | b'p' | b'h' | b'u' | b'g' => 7,
        b'-' | b'.' | b'b' | b'f' => 6,
        b'a'..=b'z' => 5,
        b'0'..=b'9' => 4,
        b'_' | b'=' => 3,
        b'?' | b'&' => 2,
        _ => 1,
    }
}

/// Appends a number in groups of seven bits, low ones first.
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a slice and, before it, its length.
pub(super) fn push_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    push_number(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}
