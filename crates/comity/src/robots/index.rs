//! Finding the deciding rule among many without looking at each.
//!
//! Rules are ranked: rank 0 decides over all others. The index answers "which rule of least rank matches this text?" for
//! the dialects in which the longest rule wins. It has two parts:
//!
//! * A **trie** over the octets before each rule's first `*`. One walk down the text meets every literal prefix of it:
//!   plain rules are decided there (those that end in `$` where the text ends), and rules with wildcards hang at the
//!   node of their head, as candidates.
//! * Heads that many rules share (`/*…`) would make long lists. Such a rule is filed under its rarest **four octets**
//!   instead: whatever it matches contains them, so a pass over the text with a hash table finds the few rules that can
//!   match. Rules too short for that stay on the list of their head, with a mask of the octets they need.
//!
//! Candidates are verified in order of rank, and only while they outrank what is already found.
//!
//! Bounds: building is linear in the rules' octets but for one sort; nodes and tables are linear in the number of rules.
//! A question costs a walk no longer than the text, a lookup per octet of it, and the verification of its candidates,
//! in the worst case (hostile rules that share every four octets) all of them once.

use super::entries::Entries;
use super::pattern::{End, Pattern, mask_of};
use super::quirks::Matching;
use super::target::Target;

/// No rule.
const NONE: u32 = u32::MAX;

/// How many rules one head may have on its list before they are filed by octets.
const LIST: usize = 8;

/// An index over [`Entries`].
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// Where each entry starts, by rank.
    offsets: Box<[u32]>,
    nodes: Box<[Node]>,
    /// The first octet of each node's label, so that a child is found by one search.
    first_octets: Box<[u8]>,
    labels: Box<[u8]>,
    /// Ranks of rules that hang at nodes, list by list, ascending in each.
    lists: Box<[Listed]>,
    grams: Grams,
}

/// A rule on the list of its head.
#[derive(Clone, Copy, Debug)]
struct Listed {
    rank: u32,
    /// The octets that its pieces need, as [`mask_of`] gives them.
    needs: u64,
}

/// A node: the octets from its parent to it, and what ends or hangs there.
#[derive(Clone, Copy, Debug)]
struct Node {
    label_start: u32,
    label_length: u32,
    first_child: u32,
    children: u32,
    /// The rule that matches whatever starts with the octets down to here.
    prefix: u32,
    /// The rule that matches exactly the octets down to here.
    exact: u32,
    list_start: u32,
    list_length: u32,
}

/// What a rule is to the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Prefix,
    Exact,
    Head,
}

/// A rule on its way into the trie: its literal start, what it is, its rank.
type Item<'e> = (&'e [u8], Kind, u32);

impl Index {
    /// An index over `count` entries.
    pub(super) fn build(entries: Entries<'_>, count: usize) -> Index {
        let mut offsets = Vec::with_capacity(count);
        let mut items: Vec<Item<'_>> = Vec::with_capacity(count);
        let mut patterns = Vec::with_capacity(count);
        let mut iter = entries.iter();
        while let Some((offset, entry)) = iter.next_with_offset() {
            let rank = offsets.len() as u32;
            offsets.push(offset as u32);
            let pattern = entry.pattern();
            items.push(item(&pattern, rank));
            patterns.push(pattern);
        }
        items.sort_unstable();
        // The first of equal items has the least rank; the others never decide.
        items.dedup_by(|next, first| next.1 != Kind::Head && next.1 == first.1 && next.0 == first.0);
        let grams = Grams::take_from(&mut items, &patterns);
        let mut trie = Trie::default();
        trie.build(&items, &patterns);
        Index {
            offsets: offsets.into(),
            nodes: trie.nodes.into(),
            first_octets: trie.first_octets.into(),
            labels: trie.labels.into(),
            lists: trie.lists.into(),
            grams,
        }
    }

    /// Where the entry of the least rank that matches starts.
    pub(super) fn find(&self, entries: Entries<'_>, target: &Target<'_>, matching: Matching) -> Option<u32> {
        let mut search = Search { index: self, entries, target, matching, best: NONE, has: None };
        search.walk();
        search.by_octets();
        self.offsets.get(search.best as usize).copied()
    }
}

/// A pattern with nothing but `*`s after its first piece is that piece.
fn item<'e>(pattern: &Pattern<'e>, rank: u32) -> Item<'e> {
    let octets = pattern.octets;
    let head = match pattern.star.and_then(|star| memchr::memchr(star, octets)) {
        None => {
            let kind = if pattern.end == End::Open { Kind::Prefix } else { Kind::Exact };
            return (octets, kind, rank);
        }
        Some(at) => at,
    };
    let is_open = octets[head..].iter().all(|&octet| Some(octet) == pattern.star);
    (&octets[..head], if is_open { Kind::Prefix } else { Kind::Head }, rank)
}

/// One question.
struct Search<'s> {
    index: &'s Index,
    entries: Entries<'s>,
    target: &'s Target<'s>,
    matching: Matching,
    best: u32,
    /// The mask of the text, once it is needed.
    has: Option<u64>,
}

impl Search<'_> {
    /// Goes down the trie along the text, then verifies the lists it passed.
    #[inline]
    fn walk(&mut self) {
        let text = &self.target.text[..];
        let mut at = 0;
        let mut lists = [(0_u32, 0_u32); 16];
        let mut passed = 0;
        let mut node = self.index.nodes.first();
        while let Some(here) = node {
            let label = &self.index.labels[here.label_start as usize..][..here.label_length as usize];
            if !text[at..].starts_with(label) {
                break;
            }
            at += label.len();
            self.best = self.best.min(here.prefix);
            if at == text.len() {
                self.best = self.best.min(here.exact);
            }
            if here.list_length > 0 {
                if passed == lists.len() {
                    self.verify_lists(&lists);
                    passed = 0;
                }
                lists[passed] = (here.list_start, here.list_length);
                passed += 1;
            }
            node = text.get(at).and_then(|&octet| self.index.child(here, octet));
        }
        self.verify_lists(&lists[..passed]);
    }

    fn verify_lists(&mut self, lists: &[(u32, u32)]) {
        for &(start, length) in lists {
            let index = self.index;
            let list = &index.lists[start as usize..][..length as usize];
            if list.first().is_none_or(|first| first.rank >= self.best) {
                continue;
            }
            let has = *self.has.get_or_insert_with(|| mask_of(&self.target.text));
            for listed in list {
                if listed.rank >= self.best || (listed.needs & !has == 0 && self.verify(listed.rank)) {
                    break;
                }
            }
        }
    }

    /// Whether a rule that outranks the best matches; then it is the best.
    fn verify(&mut self, rank: u32) -> bool {
        let entry = self.entries.at(self.index.offsets[rank as usize]);
        let matches = entry.is_some_and(|entry| entry.pattern().matches(self.target, self.matching));
        if matches {
            self.best = rank;
        }
        matches
    }

    /// Verifies the rules whose four octets occur in the text.
    fn by_octets(&mut self) {
        let index = self.index;
        if index.grams.least_rank >= self.best {
            return;
        }
        let mut last = 0;
        for window in self.target.text.windows(4) {
            let gram = gram_of(window);
            if gram != last && index.grams.may_have(gram) {
                for &rank in index.grams.ranks_of(gram) {
                    if rank >= self.best || self.verify(rank) {
                        break;
                    }
                }
            }
            last = gram;
        }
    }
}

impl Index {
    #[inline]
    fn child(&self, node: &Node, octet: u8) -> Option<&Node> {
        let (start, count) = (node.first_child as usize, node.children as usize);
        let at = memchr::memchr(octet, self.first_octets.get(start..start + count)?)?;
        self.nodes.get(start + at)
    }
}

/// The trie while it is built, in breadth-first order, so that children stand side by side.
#[derive(Debug, Default)]
struct Trie {
    nodes: Vec<Node>,
    first_octets: Vec<u8>,
    labels: Vec<u8>,
    lists: Vec<Listed>,
    /// The items of each node not yet finished, and how many octets of them its parents hold.
    todo: Vec<(usize, usize, usize)>,
}

impl Trie {
    fn build(&mut self, items: &[Item<'_>], patterns: &[Pattern<'_>]) {
        if items.is_empty() {
            return;
        }
        self.add(0, items.len(), 0, 0);
        let mut next = 0;
        while next < self.todo.len() {
            self.finish(next, items, patterns);
            next += 1;
        }
    }

    fn add(&mut self, start: usize, end: usize, depth: usize, first_octet: u8) {
        self.nodes.push(Node {
            label_start: 0,
            label_length: 0,
            first_child: 0,
            children: 0,
            prefix: NONE,
            exact: NONE,
            list_start: 0,
            list_length: 0,
        });
        self.first_octets.push(first_octet);
        self.todo.push((start, end, depth));
    }

    /// Gives a node its label, its rules and its children. Items are sorted, so what ends here comes first.
    fn finish(&mut self, node: usize, items: &[Item<'_>], patterns: &[Pattern<'_>]) {
        let (start, end, depth) = self.todo[node];
        let (first, last) = (&items[start].0[depth..], &items[end - 1].0[depth..]);
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let (label_start, list_start) = (self.labels.len() as u32, self.lists.len() as u32);
        self.labels.extend_from_slice(&first[..common]);
        let depth = depth + common;
        let mut at = start;
        while at < end && items[at].0.len() == depth {
            let (_, kind, rank) = items[at];
            match kind {
                Kind::Prefix => self.nodes[node].prefix = self.nodes[node].prefix.min(rank),
                Kind::Exact => self.nodes[node].exact = self.nodes[node].exact.min(rank),
                Kind::Head => self.lists.push(Listed { rank, needs: patterns[rank as usize].needs() }),
            }
            at += 1;
        }
        let first_child = self.nodes.len() as u32;
        while at < end {
            let octet = items[at].0[depth];
            let length = items[at..end].iter().take_while(|item| item.0[depth] == octet).count();
            self.add(at, at + length, depth, octet);
            at += length;
        }
        let children = self.nodes.len() as u32 - first_child;
        let list_length = self.lists.len() as u32 - list_start;
        let done = &mut self.nodes[node];
        *done = Node {
            label_start,
            label_length: common as u32,
            first_child,
            children,
            list_start,
            list_length,
            ..*done
        };
    }
}

/// Rules filed under four octets that whatever they match contains.
#[derive(Clone, Debug, Default)]
struct Grams {
    /// An open hash table: the four octets (0 for a free place), and where their ranks are.
    table: Box<[(u32, u32, u32)]>,
    /// A bit for the hash of each key, many times as many as there are keys.
    filter: Box<[u64]>,
    ranks: Box<[u32]>,
    least_rank: u32,
}

fn gram_of(octets: &[u8]) -> u32 {
    octets.first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// Spreads four octets over 32 bits (multiplicative hashing).
const fn spread(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

impl Grams {
    /// Takes the rules out of `items` that share their head with many and have four octets to be filed under.
    fn take_from(items: &mut Vec<Item<'_>>, patterns: &[Pattern<'_>]) -> Grams {
        let crowded = crowded_heads(items);
        if crowded.is_empty() {
            return Grams { least_rank: NONE, ..Grams::default() };
        }
        let counts = GramCounts::of(crowded.iter().map(|&rank| &patterns[rank as usize]));
        let mut filed: Vec<(u32, u32)> = crowded
            .iter()
            .filter_map(|&rank| Some((counts.rarest(&patterns[rank as usize])?, rank)))
            .collect();
        filed.sort_unstable();
        let mut is_filed = vec![false; patterns.len()];
        for &(_, rank) in &filed {
            is_filed[rank as usize] = true;
        }
        items.retain(|item| !is_filed[item.2 as usize]);
        Grams::from_filed(&filed)
    }

    /// The table over pairs of four octets and rank, sorted.
    fn from_filed(filed: &[(u32, u32)]) -> Grams {
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
            ranks: filed.iter().map(|pair| pair.1).collect(),
            least_rank: filed.iter().map(|pair| pair.1).min().unwrap_or(NONE),
        }
    }

    #[inline]
    fn may_have(&self, gram: u32) -> bool {
        let bit = bit_of(gram, self.filter.len());
        self.filter[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn ranks_of(&self, gram: u32) -> &[u32] {
        let mut place = slot(gram, self.table.len());
        loop {
            let (key, start, length) = self.table[place];
            if key == gram {
                return &self.ranks[start as usize..][..length as usize];
            }
            if key == 0 {
                return &[];
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }
}

/// The place of a key in a table of `size` (a power of two) places.
#[inline]
const fn slot(gram: u32, size: usize) -> usize {
    (spread(gram) >> 7) as usize & (size - 1)
}

#[inline]
const fn bit_of(gram: u32, words: usize) -> usize {
    (spread(gram) >> 3) as usize & (words * 64 - 1)
}

/// The ranks of rules with wildcards whose head is shared by more than [`LIST`] of them.
fn crowded_heads(items: &[Item<'_>]) -> Vec<u32> {
    let heads: Vec<&Item<'_>> = items.iter().filter(|item| item.1 == Kind::Head).collect();
    let groups = heads.chunk_by(|a, b| a.0 == b.0);
    groups.filter(|group| group.len() > LIST).flatten().map(|item| item.2).collect()
}

/// How many of some patterns have each four octets (roughly: by hash).
struct GramCounts {
    counts: Vec<u32>,
}

impl GramCounts {
    fn of<'p>(patterns: impl Iterator<Item = &'p Pattern<'p>> + Clone) -> GramCounts {
        let octets: usize = patterns.clone().map(|pattern| pattern.octets.len()).sum();
        let mut counts = vec![0; octets.next_power_of_two().clamp(64, 1 << 20)];
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

/// The runs of four octets in a pattern's pieces, where they are the same in path and query.
fn grams<'p>(pattern: &'p Pattern<'p>) -> impl Iterator<Item = u32> + 'p {
    let star = pattern.star;
    let windows = if pattern.in_query.is_some() { [].windows(4) } else { pattern.octets.windows(4) };
    windows.filter(move |window| star.is_none_or(|star| !window.contains(&star))).map(gram_of)
}

#[cfg(test)]
mod tests {
    use super::super::entries::{Entry, Packer, Rank};
    use super::super::pattern;
    use super::super::record::DirectiveKind;
    use super::*;

    /// A small generator of numbers below a bound.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        fn text(&mut self, alphabet: &[&str], most: usize) -> String {
            (0..self.below(most + 1)).map(|_| alphabet[self.below(alphabet.len())]).collect()
        }
    }

    fn entries(values: &[String], matching: Matching) -> Vec<u8> {
        let mut packer = Packer::default();
        for (line, value) in values.iter().enumerate() {
            let kind = if line.is_multiple_of(3) { DirectiveKind::Allow } else { DirectiveKind::Disallow };
            for compiled in pattern::compile(kind, value.as_bytes(), matching).into_iter().flatten() {
                let rank = Rank::longest(compiled.length, compiled.effect);
                packer.push(rank, kind, line as u32 + 1, value.as_bytes(), &compiled);
            }
        }
        let mut bytes = Vec::new();
        packer.append_to(&mut bytes);
        bytes
    }

    #[test]
    fn finds_what_walking_finds() {
        let alphabet =
            ["a", "b", "/", "ab", "abab", "*", "$", "%2F", "?", "index.html", "=", "%41", "a=b&", "bbbb"];
        let mut numbers = Numbers(3);
        for round in 0..45 {
            let matching = [Matching::Rfc9309, Matching::Google, Matching::Yandex][round % 3];
            let count = [5, 40, 400][round / 3 % 3];
            let values: Vec<String> = (0..count)
                .map(|_| format!("/{}{}", ["", "*", "ab"][numbers.below(3)], numbers.text(&alphabet, 6)))
                .collect();
            let bytes = entries(&values, matching);
            let entries = Entries::new(&bytes);
            let index = Index::build(entries, values.len());
            for _ in 0..200 {
                let url = match numbers.below(3) {
                    0 => {
                        values[numbers.below(values.len())].replace(['*', '$'], "b")
                            + &numbers.text(&alphabet, 2)
                    }
                    _ => format!("/{}", numbers.text(&alphabet, 9)),
                };
                let target = Target::from_url(url.as_bytes(), matching).expect("a path");
                let walked = entries.iter().find(|entry| entry.pattern().matches(&target, matching));
                let found = index.find(entries, &target, matching).and_then(|offset| entries.at(offset));
                let line =
                    |entry: Option<Entry<'_>>| entry.map(|entry| (entry.relative_line(), entry.effect()));
                assert_eq!(line(found), line(walked), "{matching:?} {url} in {values:?}");
            }
        }
    }
}
