//! An index of rules by four consecutive bytes. It is used for rules with wildcards that share their literal start with
//! many others.
//!
//! A text that a rule matches contains each sequence of four bytes that occurs between the wildcards of the rule. Each
//! rule is indexed by the sequence that the fewest rules contain. One lookup for each sequence of a text therefore
//! finds the few rules that can match the text.

use super::keys::{Candidate, Item, Key, Kind, Rule};
use crate::robots::matching::pattern::Pattern;

/// Maximum number of rules on the list of one head, which is the literal start of a rule. If there are more, the rules
/// are indexed by four bytes.
const LIST: usize = 8;

/// Rules, each indexed by four bytes that every matching text contains.
#[derive(Clone, Debug)]
pub(crate) struct Grams {
    /// An open hash table: the four bytes (0 in a free slot), and the range of its rules.
    table: Box<[(u32, u32, u32)]>,
    /// A bit for the hash of each sequence in the table. The filter has many more bits than there are sequences.
    filter: Box<[u64]>,
    rules: Box<[Candidate]>,
    /// The key of the rule in this table with the highest precedence.
    pub first: Key,
}

pub(crate) fn gram_of(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// Spreads four bytes over 32 bits (multiplicative hashing).
const fn spread(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

impl Grams {
    /// Removes from `items` the rules that share their head with many others, and returns an index of these rules.
    /// Rules without a sequence of four bytes are not removed.
    pub(crate) fn take_from(items: &mut Vec<Item<'_>>, rules: &[Rule<'_>]) -> Grams {
        let crowded = crowded_heads(items);
        if crowded.is_empty() {
            let (table, filter, rules) = Default::default();
            return Grams { table, filter, rules, first: Key::NONE };
        }
        let counts = GramCounts::of(crowded.iter().map(|key| &rules[key.rank() as usize].pattern));
        let mut filed: Vec<(u32, Key)> = crowded
            .iter()
            .filter_map(|&key| Some((counts.rarest(&rules[key.rank() as usize].pattern)?, key)))
            .collect();
        filed.sort_unstable();
        let mut is_filed = vec![false; rules.len()];
        for (_, key) in &filed {
            is_filed[key.rank() as usize] = true;
        }
        items.retain(|item| !is_filed[item.2.rank() as usize]);
        Grams::from_filed(&filed, rules)
    }

    /// Builds the table from sorted pairs of four bytes and a rule's key.
    fn from_filed(filed: &[(u32, Key)], rules: &[Rule<'_>]) -> Grams {
        let size = (filed.len() * 2).next_power_of_two().max(8);
        let mut table = vec![(0, 0, 0); size];
        let mut filter = vec![0_u64; (filed.len() / 4).next_power_of_two().max(4)];
        let mut start = 0;
        for group in filed.chunk_by(|a, b| a.0 == b.0) {
            let gram = group[0].0;
            let mut place = slot(gram, size);
            while table[place].0 != 0 {
                place = (place + 1) & (size - 1);
            }
            table[place] = (gram, start, group.len() as u32);
            let bit = bit_of(gram, filter.len());
            filter[bit / 64] |= 1 << (bit % 64);
            start += group.len() as u32;
        }
        Grams {
            table: table.into(),
            filter: filter.into(),
            rules: filed.iter().map(|&(_, key)| rules[key.rank() as usize].candidate(key)).collect(),
            first: filed.iter().map(|pair| pair.1).min().unwrap_or(Key::NONE),
        }
    }

    #[inline]
    pub(crate) fn may_have(&self, gram: u32) -> bool {
        let bit = bit_of(gram, self.filter.len());
        self.filter[bit / 64] >> (bit % 64) & 1 == 1
    }

    pub(crate) fn rules_of(&self, gram: u32) -> &[Candidate] {
        let mut place = slot(gram, self.table.len());
        loop {
            let (key, start, length) = self.table[place];
            if key == gram {
                return &self.rules[start as usize..][..length as usize];
            }
            if key == 0 {
                return &[];
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }
}

/// Returns the slot of a sequence in a table of `size` slots, a power of two.
#[inline]
const fn slot(gram: u32, size: usize) -> usize {
    (spread(gram) >> 7) as usize & (size - 1)
}

#[inline]
const fn bit_of(gram: u32, words: usize) -> usize {
    (spread(gram) >> 3) as usize & (words * 64 - 1)
}

/// Returns the keys of the rules with wildcards whose head occurs in more than [`LIST`] such rules.
fn crowded_heads(items: &[Item<'_>]) -> Vec<Key> {
    let heads: Vec<&Item<'_>> = items.iter().filter(|item| item.1 == Kind::Head).collect();
    let groups = heads.chunk_by(|a, b| a.0 == b.0);
    groups.filter(|group| group.len() > LIST).flatten().map(|item| item.2).collect()
}

/// The approximate number of occurrences of each sequence of four bytes. Sequences with an equal hash share a counter.
struct GramCounts {
    counts: Vec<u32>,
}

impl GramCounts {
    fn of<'p>(patterns: impl Iterator<Item = &'p Pattern<'p>> + Clone) -> GramCounts {
        let bytes: usize = patterns.clone().map(|pattern| pattern.bytes.len()).sum();
        let mut counts = vec![0; bytes.next_power_of_two().clamp(64, 1 << 20)];
        let size = counts.len();
        for pattern in patterns {
            for gram in grams(pattern) {
                counts[slot(gram, size)] += 1;
            }
        }
        GramCounts { counts }
    }

    fn rarest(&self, pattern: &Pattern<'_>) -> Option<u32> {
        grams(pattern).min_by_key(|&gram| self.counts[slot(gram, self.counts.len())])
    }
}

/// Returns each sequence of four bytes in the pieces of a pattern. Returns no sequences if the pattern has a separate
/// form for the query.
fn grams<'p>(pattern: &'p Pattern<'p>) -> impl Iterator<Item = u32> + 'p {
    let star = pattern.star;
    let windows = if pattern.in_query.is_some() { [].windows(4) } else { pattern.bytes.windows(4) };
    windows.filter(move |window| star.is_none_or(|star| !window.contains(&star))).map(gram_of)
}
