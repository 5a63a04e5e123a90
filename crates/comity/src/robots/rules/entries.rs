//! Rules in a packed byte form.
//!
//! Rules are stored in runs. The rules of a run have equal flags and equal lengths. A run consists of a byte of flags,
//! the length of the values as written, the number of rules if there are several, and the values. Both numbers are
//! stored in groups of seven bits, lowest bits first. A single rule needs two bytes in addition to its pattern; a
//! hundred rules of equal length need three additional bytes in total.
//!
//! If the bytes to match differ from the value as written, they are computed on demand. In dialects in which this
//! computation is slow, the bytes to match are stored after the value, and the run has one rule. A decision examines
//! the rules in order. Comparing two words of eight bytes excludes most rules. `packer.rs` writes this form;
//! `stored.rs` shows an example.

use crate::robots::bytes;
use crate::robots::dialects::Row;
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{CompiledRule, Effect, End, Pattern};
use crate::robots::read::directive::RecordKind;

/// Flag: the written key is `Disallow`, not `Allow`.
pub(crate) const DISALLOW: u8 = 1;
/// Flag: the rule disallows.
pub(crate) const DISALLOWS: u8 = 1 << 1;
/// Mask of the two bits that encode the end of the pattern.
const END: u8 = 3 << 2;
/// Flag: the pattern has wildcards.
pub(crate) const STARS: u8 = 1 << 4;
/// Flag: the bytes to match differ from the value as written, and follow it.
pub(crate) const OWN_BYTES: u8 = 1 << 5;
/// Flag: the bytes to match differ from the value as written, and are not stored.
pub(crate) const DERIVED: u8 = 1 << 6;
/// Flag: the run has several rules.
pub(crate) const MANY: u8 = 1 << 7;

pub(crate) const ENDS: [End; 4] = [End::Open, End::Anchored, End::PythonAnchored, End::BeforeQuery];

/// Rules in order of precedence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedRules<'e> {
    bytes: &'e [u8],
}

/// The place of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RulePlace {
    /// The position of the run that contains the rule.
    pub run: u32,
    /// The number of preceding rules in the run.
    pub nth: u32,
}

impl<'e> PackedRules<'e> {
    /// Makes a view of the entries that a packer wrote.
    pub(crate) fn new(bytes: &'e [u8]) -> Self {
        PackedRules { bytes }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the place of the first rule that is a plain prefix of `text`, or that `matches` accepts.
    ///
    /// Most rules differ from a URL within the first eight bytes of their literal start. One operation compares these
    /// bytes.
    #[inline]
    pub(crate) fn find(self, text: &[u8], matches: impl Fn(&PackedRule<'_>) -> bool) -> Option<RulePlace> {
        let start = bytes::head_of(text);
        let mut rest = self.bytes;
        loop {
            while let Some(short) = rest.first_chunk::<SHORT>().map(ShortEntry::new) {
                if short.is_plain_one() {
                    let value = rest.get(ONE_HEADER..short.size())?;
                    if short.agrees(short.length(), start) && text.starts_with(value) {
                        return Some(RulePlace { run: self.offset_of(rest), nth: 0 });
                    }
                    rest = rest.get(short.size()..)?;
                } else if short.is_plain_many() {
                    let mut values = rest.get(MANY_HEADER..)?;
                    if let Some(nth) = find_prefix(&mut values, short.length(), short.count(), text, start) {
                        return Some(RulePlace { run: self.offset_of(rest), nth });
                    }
                    rest = values;
                } else if short.is_one() {
                    let (value, behind) = rest.get(ONE_HEADER..)?.split_at_checked(short.length() as usize)?;
                    if short.agrees(short.literal(), start)
                        && PackedRule::new(short.header as u8, value, None).is_match(text, &matches)
                    {
                        return Some(RulePlace { run: self.offset_of(rest), nth: 0 });
                    }
                    rest = behind;
                } else {
                    break;
                }
            }
            if let Some(value) = last_short(rest) {
                let is_prefix = text.len() >= value.len()
                    && (bytes::head_of(value) ^ start).unbounded_shl(64 - 8 * value.len() as u32) == 0;
                return is_prefix.then(|| RulePlace { run: self.offset_of(rest), nth: 0 });
            }
            let run = Run::first(rest)?;
            if let Some(nth) = run.find(text, start, &matches) {
                return Some(RulePlace { run: self.offset_of(rest), nth });
            }
            rest = run.behind;
        }
    }

    /// Returns the place of the first rule that `matches` accepts.
    pub(crate) fn find_any(self, matches: impl Fn(&PackedRule<'_>) -> bool) -> Option<RulePlace> {
        self.places().find_map(|(place, entry)| matches(&entry).then_some(place))
    }

    /// Returns the effect of the rules of a run.
    #[inline]
    pub(crate) fn effect_of(self, run: u32) -> Effect {
        self.bytes.get(run as usize).map_or(Effect::Allow, |&flags| effect(flags))
    }

    /// Returns the rule at `place`.
    #[inline]
    pub(crate) fn at(self, place: RulePlace) -> Option<PackedRule<'e>> {
        Run::first(self.bytes.get(place.run as usize..)?)?.entry(place.nth)
    }

    /// Returns every run with its start position.
    pub(crate) fn runs(self) -> impl Iterator<Item = (u32, Run<'e>)> {
        let mut rest = self.bytes;
        std::iter::from_fn(move || {
            let (offset, run) = (self.offset_of(rest), Run::first(rest)?);
            rest = run.behind;
            Some((offset, run))
        })
    }

    /// Returns every rule with its place.
    pub(crate) fn places(self) -> impl Iterator<Item = (RulePlace, PackedRule<'e>)> {
        self.runs().flat_map(|(offset, run)| {
            (0..run.count).filter_map(move |nth| Some((RulePlace { run: offset, nth }, run.entry(nth)?)))
        })
    }

    /// Returns the start position of the remaining entries.
    #[inline]
    fn offset_of(self, rest: &[u8]) -> u32 {
        (self.bytes.len() - rest.len()) as u32
    }
}

/// Size of the header of a run of one rule, in bytes, if the length fits in one byte.
const ONE_HEADER: usize = 2;

/// Size of the header of a run of several rules, in bytes, if the length and the count fit in one byte each.
const MANY_HEADER: usize = 3;

/// Number of bytes that [`ShortEntry`] covers.
const SHORT: usize = ONE_HEADER + 8;

/// Returns the value of the last rule, if no other rule remains, and if it is a plain prefix of at most eight bytes.
#[inline]
fn last_short(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [0..=3, length @ 0..=8, value @ ..] if value.len() == *length as usize => Some(value),
        _ => None,
    }
}

/// The first ten bytes of a run: the flags, the length if it fits in one byte, and the next eight bytes. The last of
/// these bytes may belong to the entries after the run.
#[derive(Clone, Copy)]
struct ShortEntry {
    /// Flags, length and six bytes of the value, from the low end.
    header: u64,
    bytes: u64,
}

impl ShortEntry {
    #[inline]
    fn new(bytes: &[u8; SHORT]) -> Self {
        let word = |part: Option<&[u8; 8]>| part.map_or(0, |part| u64::from_le_bytes(*part));
        ShortEntry { header: word(bytes.first_chunk()), bytes: word(bytes.last_chunk()) }
    }

    /// Returns true if this is the start of a run of one rule that is matched as written and short enough. Otherwise
    /// the results of `size` and `literal` are meaningless.
    #[inline]
    fn is_one(self) -> bool {
        self.header & ((MANY | OWN_BYTES | DERIVED) as u64 | 128 << 8) == 0
    }

    #[inline]
    fn length(self) -> u32 {
        (self.header >> 8 & 127) as u32
    }

    /// Returns true if this is the start of a run of several non-empty plain prefixes, with the shortest header. The
    /// caller has checked that [`is_plain_one`](Self::is_plain_one) is false.
    #[inline]
    fn is_plain_many(self) -> bool {
        self.header & ((OWN_BYTES | DERIVED | END | STARS) as u64 | 128 << 8 | 128 << 16) == 0
            && self.length() != 0
    }

    #[inline]
    fn count(self) -> u32 {
        (self.header >> 16 & 127) as u32
    }

    /// Returns true if [`is_one`](Self::is_one) is true and the rule is a plain prefix.
    #[inline]
    fn is_plain_one(self) -> bool {
        self.header & ((MANY | OWN_BYTES | DERIVED | END | STARS) as u64 | 128 << 8) == 0
    }

    /// Returns the size of the entry in bytes.
    #[inline]
    fn size(self) -> usize {
        ONE_HEADER + self.length() as usize
    }

    /// Returns the number of bytes before the rule's first wildcard (if that is among the first eight) or before its
    /// anchor.
    #[inline]
    fn literal(self) -> u32 {
        literal(self.header as u8, self.length(), self.bytes)
    }

    /// Returns true if the rule and a text that starts with `start` agree in their first `length` bytes. At most eight
    /// bytes are compared.
    #[inline]
    fn agrees(self, length: u32, start: u64) -> bool {
        (self.bytes ^ start) & FIRST_BYTES[length.min(8) as usize] == 0
    }
}

/// Masks for the first 0 to 8 bytes of a word.
const FIRST_BYTES: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut length = 0;
    while length < 8 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// Returns the index of the first of `count` rules that is a prefix of `text`. `start` contains the first eight bytes
/// of the text. Each rule has `length` bytes (at least one), and the rules are at the start of `values`. If no rule
/// matches, `values` is advanced to the end of the rules.
#[inline(always)]
fn find_prefix(values: &mut &[u8], length: u32, count: u32, text: &[u8], start: u64) -> Option<u32> {
    // The shift removes the bytes after a short rule.
    let beyond = 64 - 8 * length.min(8);
    for nth in 0..count {
        let may_match =
            values.first_chunk().is_none_or(|head| (u64::from_le_bytes(*head) ^ start) << beyond == 0);
        let (value, rest) = values.split_at_checked(length as usize)?;
        if may_match && text.starts_with(value) {
            return Some(nth);
        }
        *values = rest;
    }
    None
}

/// Returns the number of bytes of a rule before its first wildcard (if that is among the first eight, `bytes`) or
/// before its anchor.
#[inline]
fn literal(flags: u8, length: u32, bytes: u64) -> u32 {
    let body = length.saturating_sub((flags & END != 0).into());
    if flags & STARS != 0 { body.min(first_star(bytes)) } else { body }
}

/// Returns the position of the first `*` in eight bytes, or 8 without a `*`.
#[inline]
fn first_star(bytes: u64) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // This is the usual search for a zero byte in a word. It may also mark bytes after the first zero byte, but only
    // the first mark counts.
    let zero = bytes ^ (ONES * b'*' as u64);
    (zero.wrapping_sub(ONES) & !zero & (ONES << 7)).trailing_zeros() / 8
}

/// Consecutive rules with equal flags and lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'e> {
    flags: u8,
    length: usize,
    pub count: u32,
    /// The values, and the bytes after them.
    values: &'e [u8],
    /// The bytes to match, if they are stored in addition to the value.
    own: Option<&'e [u8]>,
    /// The bytes after the run.
    behind: &'e [u8],
}

impl<'e> Run<'e> {
    /// Reads the run at the start of `entries`.
    #[inline(always)]
    fn first(entries: &'e [u8]) -> Option<Self> {
        let (flags, length, count, values) = match *entries {
            [flags @ ..MANY, length @ ..128, ref rest @ ..] => (flags, length.into(), 1, rest),
            [flags @ MANY..=255, length @ ..128, count @ ..128, ref rest @ ..] => {
                (flags, length.into(), count.into(), rest)
            }
            _ => Run::long_header(entries)?,
        };
        let mut behind = values.get(length * count as usize..)?;
        let own = if flags & OWN_BYTES != 0 { Some(slice(&mut behind)?) } else { None };
        Some(Run { flags, length, count, values, own, behind })
    }

    /// Returns the flags, the length and the count, and the bytes after them.
    #[cold]
    fn long_header(entries: &'e [u8]) -> Option<(u8, usize, u32, &'e [u8])> {
        let (&flags, mut rest) = entries.split_first()?;
        let length = number(&mut rest)? as usize;
        let count = if flags & MANY != 0 { number(&mut rest)? } else { 1 };
        Some((flags, length, count, rest))
    }

    /// Returns true if the rules are plain prefixes that are matched as written.
    #[inline]
    fn is_plain(&self) -> bool {
        self.flags & (END | STARS | OWN_BYTES | DERIVED) == 0
    }

    /// Returns the rule at index `nth` of the run.
    #[inline]
    pub(crate) fn entry(&self, nth: u32) -> Option<PackedRule<'e>> {
        let at = self.length * nth as usize;
        Some(self.entry_of(self.values.get(at..at + self.length)?))
    }

    /// Returns the rule with this value.
    #[inline]
    fn entry_of(&self, written: &'e [u8]) -> PackedRule<'e> {
        PackedRule::new(self.flags, written, self.own)
    }

    pub(crate) fn effect(&self) -> Effect {
        effect(self.flags)
    }

    /// Returns the index of the first rule of the run that matches `text`, whose first bytes are `start`.
    #[inline(never)]
    fn find(&self, text: &[u8], start: u64, matches: impl Fn(&PackedRule<'_>) -> bool) -> Option<u32> {
        if self.is_plain() && self.length != 0 {
            let mut values = self.values;
            return find_prefix(&mut values, self.length as u32, self.count, text, start);
        }
        let has_head = self.flags & (OWN_BYTES | DERIVED) == 0;
        let differs = |head: &[u8; 8]| {
            let bytes = u64::from_le_bytes(*head);
            (bytes ^ start).trailing_zeros() / 8 < literal(self.flags, self.length as u32, bytes).min(8)
        };
        let mut values = self.values;
        for nth in 0..self.count {
            if !has_head || !values.first_chunk().is_some_and(differs) {
                let entry = self.entry_of(values.get(..self.length)?);
                if entry.is_match(text, &matches) {
                    return Some(nth);
                }
            }
            values = values.get(self.length..)?;
        }
        None
    }
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedRule<'e> {
    flags: u8,
    written: &'e [u8],
    /// The bytes to match. Not used for a rule with the flag [`DERIVED`].
    bytes: &'e [u8],
}

impl<'e> PackedRule<'e> {
    /// Makes a rule of a run with these flags. `own` is the bytes to match, if they are stored in addition to the
    /// value.
    #[inline]
    fn new(flags: u8, written: &'e [u8], own: Option<&'e [u8]>) -> Self {
        let anchor = usize::from(flags & END != 0);
        let as_written = || written.get(..written.len().saturating_sub(anchor)).unwrap_or_default();
        PackedRule { flags, written, bytes: own.unwrap_or_else(as_written) }
    }

    pub(crate) fn kind(&self) -> RecordKind {
        if self.flags & DISALLOW == 0 { RecordKind::Allow } else { RecordKind::Disallow }
    }

    pub(crate) fn effect(&self) -> Effect {
        effect(self.flags)
    }

    pub(crate) fn written(&self) -> &'e [u8] {
        self.written
    }

    /// Returns true if the bytes to match are computed on each use.
    pub(crate) fn is_derived(&self) -> bool {
        self.flags & DERIVED != 0
    }

    /// Returns the pattern of the rule. `derived` stores the pattern if it has to be computed.
    #[inline]
    pub(crate) fn pattern<'d>(&self, row: &Row, derived: &'d mut Option<CompiledRule<'e>>) -> Pattern<'d>
    where
        'e: 'd,
    {
        if self.is_derived() {
            let [compiled, _] = row.compile(self.kind(), self.written);
            *derived = compiled;
        }
        derived.as_ref().map_or_else(|| self.stored_pattern(), CompiledRule::pattern)
    }

    /// Returns the pattern from the stored bytes.
    #[inline]
    pub(crate) fn stored_pattern(&self) -> Pattern<'e> {
        Pattern {
            bytes: self.bytes,
            in_query: None,
            star: (self.flags & STARS != 0).then_some(b'*'),
            end: ENDS[usize::from((self.flags & END) >> 2)],
        }
    }

    /// Returns true if the rule may match `text` and `matches` accepts it. This is a separate function so that the loop
    /// over plain prefixes needs fewer registers.
    #[inline(never)]
    fn is_match(&self, text: &[u8], matches: impl Fn(&PackedRule<'_>) -> bool) -> bool {
        self.may_match(text) && matches(self)
    }

    /// Returns true if the rule may match `text`. It checks bytes with which every match starts or ends, or that it
    /// contains.
    #[inline]
    fn may_match(&self, text: &[u8]) -> bool {
        if self.is_derived() {
            return encode::may_start(self.written, text);
        }
        if self.flags & STARS == 0 {
            return true;
        }
        // The end of a pattern excludes more texts than its middle; a wildcard at the end excludes none.
        let end = ENDS[usize::from((self.flags & END) >> 2)];
        let last =
            if end == End::Open { self.bytes.strip_suffix(b"*").unwrap_or(self.bytes) } else { self.bytes };
        match *last {
            [.., b'*'] | [] => true,
            [.., byte] if end == End::Anchored => text.last() == Some(&byte),
            [.., b'*', byte] | [byte] => bytes::contains(text, byte),
            [.., first, second] => bytes::contains_pair(text, [first, second]),
        }
    }
}

fn effect(flags: u8) -> Effect {
    if flags & DISALLOWS == 0 { Effect::Allow } else { Effect::Disallow }
}

/// Reads a number and advances `bytes`.
#[inline]
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 127).checked_shl(shift)?;
        shift += 7;
        if byte < 128 {
            return Some(number);
        }
    }
}

/// Reads a slice with a length prefix and advances `bytes`.
#[inline]
fn slice<'e>(bytes: &mut &'e [u8]) -> Option<&'e [u8]> {
    let length = number(bytes)? as usize;
    let (slice, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(slice)
}

/// Appends a number in groups of seven bits, lowest bits first.
pub(crate) fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a slice with a length prefix.
pub(crate) fn push_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    push_number(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}
