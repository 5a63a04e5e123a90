//! Rules packed one after the other.
//!
//! An entry is a byte of flags, the line number and the length of the value as written (both in seven-bit groups, low
//! ones first), the value, and, where the value is not matched as written, the octets that are: three bytes more than
//! the pattern for a typical rule. Walking the entries is what deciding does, so an entry is read in one go.

use std::cmp::Reverse;

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
#[derive(Clone, Debug)]
pub(super) struct Entries {
    bytes: Box<[u8]>,
    count: u32,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// The first entry that is a plain prefix of `text`, or anything else that `matches` accepts.
    ///
    /// A plain rule that does not match costs a comparison of eight octets.
    #[inline]
    pub(super) fn find(&self, text: &[u8], matches: impl Fn(&Entry<'_>) -> bool) -> Option<Entry<'_>> {
        let start = text.first_chunk::<8>();
        let mut bytes = &self.bytes[..];
        loop {
            let entry = bytes;
            let [flags, line, tail @ ..] = bytes else { return None };
            if flags & (END | STARS | OWN_OCTETS | IN_QUERY) == 0
                && let Some([length @ 0..128, tail @ ..]) = after_number(*line, tail)
            {
                let (pattern, after) = tail.split_at_checked(usize::from(*length))?;
                let matches = match pattern.first_chunk::<8>() {
                    Some(head) => Some(head) == start && text.starts_with(pattern),
                    None => text.starts_with(pattern),
                };
                if matches {
                    return Iter { bytes: entry, length: entry.len() }.next();
                }
                bytes = after;
                continue;
            }
            let mut iter = Iter { bytes, length: bytes.len() };
            let entry = iter.next()?;
            if matches(&entry) {
                return Some(entry);
            }
            bytes = iter.bytes;
        }
    }

    /// The entry that starts at `offset`.
    #[inline]
    pub(super) fn at(&self, offset: u32) -> Option<Entry<'_>> {
        Iter { bytes: self.bytes.get(offset as usize..)?, length: self.bytes.len() }.next()
    }

    #[inline]
    pub(super) fn iter(&self) -> Iter<'_> {
        Iter { bytes: &self.bytes, length: self.bytes.len() }
    }
}

/// What follows a number in seven-bit groups, whose first byte is `first`.
#[inline]
fn after_number(first: u8, mut tail: &[u8]) -> Option<&[u8]> {
    let mut byte = first;
    while byte >= 128 {
        (byte, tail) = tail.split_first().map(|(byte, tail)| (*byte, tail))?;
    }
    Some(tail)
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'e> {
    flags: u8,
    line: u32,
    written: &'e [u8],
    octets: &'e [u8],
    in_query: &'e [u8],
}

impl<'e> Entry<'e> {
    pub(super) fn kind(&self) -> DirectiveKind {
        if self.flags & DISALLOW == 0 { DirectiveKind::Allow } else { DirectiveKind::Disallow }
    }

    pub(super) fn effect(&self) -> Effect {
        if self.flags & DISALLOWS == 0 { Effect::Allow } else { Effect::Disallow }
    }

    pub(super) fn line(&self) -> u32 {
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
        Some(Entry { flags, line, written, octets, in_query })
    }
}

/// Where an entry stands among others: longer first, then what allows, then by place in the file.
pub(super) type Rank = (Reverse<u32>, Effect);

/// Collects entries and puts them into order.
#[derive(Debug, Default)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    /// Rank and place in `bytes` of each entry.
    places: Vec<(Rank, u32, u32)>,
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
        let start = self.bytes.len() as u32;
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
        self.number(line);
        self.slice(written);
        if !is_as_written {
            self.slice(&compiled.octets);
        }
        if let Some(in_query) = &compiled.in_query {
            self.slice(in_query);
        }
        self.places.push((rank, start, self.bytes.len() as u32));
    }

    fn number(&mut self, mut number: u32) {
        while number >= 128 {
            self.bytes.push(number as u8 | 128);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn slice(&mut self, slice: &[u8]) {
        self.number(slice.len() as u32);
        self.bytes.extend_from_slice(slice);
    }

    /// The entries in order of rank; those of one rank stay in the order in which they came.
    pub(super) fn finish(mut self) -> Option<Entries> {
        if self.places.is_empty() {
            return None;
        }
        let count = self.places.len() as u32;
        if self.places.is_sorted_by_key(|(rank, ..)| rank) {
            return Some(Entries { bytes: self.bytes.into_boxed_slice(), count });
        }
        // Places are distinct and grow, so an unstable sort with them in the key is a stable one.
        self.places.sort_unstable();
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for &(_, start, end) in &self.places {
            bytes.extend_from_slice(&self.bytes[start as usize..end as usize]);
        }
        Some(Entries { bytes: bytes.into_boxed_slice(), count })
    }
}
