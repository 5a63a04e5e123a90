//! Sorts rules and packs them as [`PackedRules`](crate::robots::rules::entries::PackedRules), together with their
//! lines.
//!
//! Rules are packed in order of precedence. If the longest rule wins, rules of equal length and effect are adjacent, in
//! the order of the file. Adjacent rules with equal flags and lengths form a **run**, which has one header, usually of
//! two or three bytes. Line numbers ascend within a run. They are stored as differences, most of which need half a byte
//! or one byte.

use super::entries::{DERIVED, DISALLOW, DISALLOWS, ENDS, MANY, OWN_BYTES, STARS};
use super::entries::{push_number, push_slice};
use super::numbers;
use crate::robots::dialects::StoredBytes;
use crate::robots::matching::pattern::{CompiledRule, ESCAPED_STAR, Effect, End};
use crate::robots::read::directive::RecordKind;

/// The rank of a rule: longer rules first, then rules that allow, then by position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u64);

impl Rank {
    /// The rank of every rule in dialects in which the position in the file decides.
    pub(crate) const BY_PLACE: Rank = Rank(0);

    pub(crate) fn longest(length: u32, effect: Effect) -> Self {
        Rank(u64::from(!length) << 32 | u64::from(effect == Effect::Disallow) << 31)
    }

    /// Returns the rank with a position in the low bits.
    fn with_place(self, place: usize) -> u64 {
        self.0 | place as u64
    }
}

/// The bits of a rank that contain the position.
const PLACE: u64 = (1 << 31) - 1;

/// A collector of rules.
#[derive(Debug)]
pub(crate) struct Packer<'v> {
    stored_bytes: StoredBytes,
    rules: Vec<PendingRule<'v>>,
    /// The bytes to match, for each rule with [`OWN_BYTES`].
    own: Vec<Vec<u8>>,
    /// The rank of each rule, with its position in the low bits: one integer, so that sorting is cheap.
    ranks: Vec<u64>,
}

/// A rule that is not packed yet.
#[derive(Clone, Copy, Debug)]
struct PendingRule<'v> {
    written: &'v [u8],
    line: u32,
    /// The index of its bytes in [`Packer::own`], if there are any.
    own: u32,
    flags: u8,
}

impl PendingRule<'_> {
    /// Returns true if `next` belongs to the run of this rule.
    fn is_followed_by(&self, next: &PendingRule<'_>) -> bool {
        self.flags == next.flags
            && self.flags & OWN_BYTES == 0
            && self.written.len() == next.written.len()
            && self.line <= next.line
    }
}

/// Packed rules in order of precedence, with their lines.
#[derive(Debug, Default)]
pub(crate) struct PackerOutput {
    pub count: usize,
    /// The line from which the other lines are counted.
    pub first_line: u32,
    /// The line differences, as [`numbers::Writer`] encodes them. The first rule of a run is counted from the first
    /// line, every other rule from the previous rule.
    pub lines: Vec<u8>,
    pub entries: Vec<u8>,
}

impl<'v> Packer<'v> {
    /// Makes a packer. `stored_bytes` is the choice of the dialect.
    pub(crate) fn new(stored_bytes: StoredBytes) -> Self {
        Packer { stored_bytes, rules: Vec::new(), own: Vec::new(), ranks: Vec::new() }
    }

    pub(crate) fn push(
        &mut self,
        rank: Rank,
        kind: RecordKind,
        line: u32,
        written: &'v [u8],
        compiled: CompiledRule<'_>,
    ) {
        let flag = |condition: bool, flag: u8| if condition { flag } else { 0 };
        let is_other = !is_as_written(&compiled, written);
        let is_derived = is_other && self.stored_bytes == StoredBytes::Written;
        let flags = flag(kind == RecordKind::Disallow, DISALLOW)
            | flag(compiled.effect == Effect::Disallow, DISALLOWS)
            | (ENDS.iter().position(|end| *end == compiled.end).unwrap_or(0) as u8) << 2
            | flag(compiled.star.is_some(), STARS)
            | flag(is_derived, DERIVED)
            | flag(is_other && !is_derived, OWN_BYTES);
        self.ranks.push(rank.with_place(self.rules.len()));
        self.rules.push(PendingRule { written, line, own: self.own.len() as u32, flags });
        if flags & OWN_BYTES != 0 {
            self.own.push(compiled.bytes.into_owned());
        }
    }

    /// Returns all rules in order of rank; rules of equal rank remain in the order in which they were added.
    pub(crate) fn pack(self) -> PackerOutput {
        let Packer { rules, own, mut ranks, .. } = self;
        ranks.sort_unstable();
        let sorted: Vec<PendingRule<'_>> =
            ranks.iter().filter_map(|rank| rules.get((rank & PLACE) as usize)).copied().collect();
        let first_line = rules.iter().map(|rule| rule.line).min().unwrap_or(0);
        let bytes: usize = rules.iter().map(|rule| rule.written.len()).sum();
        let mut entries = Vec::with_capacity(bytes + 2 * rules.len());
        let mut lines = numbers::Writer::default();
        for run in sorted.chunk_by(PendingRule::is_followed_by) {
            let mut line_before = first_line;
            push_header(&mut entries, run);
            for &PendingRule { written, line, own: at, flags } in run {
                lines.push(line - line_before);
                line_before = line;
                entries.extend_from_slice(written);
                if flags & OWN_BYTES != 0 {
                    push_slice(&mut entries, own.get(at as usize).map_or(&[], Vec::as_slice));
                }
            }
        }
        PackerOutput { count: rules.len(), first_line, lines: lines.finish(), entries }
    }
}

/// Writes the header of a run: the flags, the length and, for more than one rule, the number of rules.
fn push_header(entries: &mut Vec<u8>, run: &[PendingRule<'_>]) {
    let Some(first) = run.first() else { return };
    entries.push(first.flags | if run.len() > 1 { MANY } else { 0 });
    push_number(entries, first.written.len() as u64);
    if run.len() > 1 {
        push_number(entries, run.len() as u64);
    }
}

/// Returns true if the bytes to match equal the bytes as written, except for the anchor and the byte that represents a
/// wildcard.
fn is_as_written(compiled: &CompiledRule<'_>, written: &[u8]) -> bool {
    let anchor = usize::from(compiled.end != End::Open);
    let Some(body) = written.len().checked_sub(anchor).and_then(|length| written.get(..length)) else {
        return false;
    };
    if compiled.star != Some(ESCAPED_STAR) {
        return body == &*compiled.bytes;
    }
    let is_same = |(&byte, &written): (&u8, &u8)| match byte {
        ESCAPED_STAR => written == b'*',
        _ => byte == written && byte != b'*',
    };
    compiled.in_query.is_none()
        && body.len() == compiled.bytes.len()
        && compiled.bytes.iter().zip(body).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::Dialect;

    fn pack(values: &[&str]) -> PackerOutput {
        let row = Dialect::Rfc9309.row();
        let mut packer = Packer::new(row.stored_bytes);
        for (line, value) in (1..).zip(values) {
            let [compiled, _] = row.compile(RecordKind::Disallow, value.as_bytes());
            let compiled = compiled.expect("a pattern");
            let rank = Rank::longest(compiled.length, compiled.effect);
            packer.push(rank, RecordKind::Disallow, line, value.as_bytes(), compiled);
        }
        packer.pack()
    }

    #[test]
    fn single_rule_uses_two_additional_bytes() {
        assert_eq!(pack(&["/private"]).entries.len(), 2 + 8);
        assert_eq!(pack(&["/private", "/*.pdf$"]).entries.len(), 2 + 8 + 2 + 7);
    }

    #[test]
    fn run_of_rules_uses_three_additional_bytes() {
        let packed = pack(&["/a", "/longer", "/b", "/c", "/d"]);
        assert_eq!(packed.entries, b"\x03\x07/longer\x83\x02\x04/a/b/c/d");
        // The first rule is 1 after the first line; the other differences are 0, 2, 1 and 1.
        assert_eq!((packed.first_line, packed.lines), (1, vec![0x01, 0x12, 0x01]));
    }

    #[test]
    fn derived_bytes_are_not_stored() {
        assert_eq!(pack(&["/caf\u{e9}*"]).entries.len(), 2 + 7);
        // The value is not derived: as written, it is already in normal form.
        assert_eq!(pack(&["/caf%C3%A9*$"]).entries[0] & DERIVED, 0);
    }
}
