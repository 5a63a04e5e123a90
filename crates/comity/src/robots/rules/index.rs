//! Finds the deciding rule among many without examining each rule.
//!
//! Rules are ranked: rank 0 takes precedence over all others. The index finds the matching rule with the lowest rank,
//! in dialects in which the longest rule wins. The index has two parts:
//!
//! * A **trie** over the bytes before each rule's first `*`. A descent along the text visits the node of each literal
//!   prefix of the text. A plain rule matches if its node is visited (a rule that ends in `$` only at the end of the
//!   text). Rules with wildcards are candidates. They are listed at the node of their literal start, the head.
//! * A head that many rules share (`/*…`) would have a long list. Rules with such a head are indexed by their rarest
//!   **four bytes** instead. Every text that a rule matches contains these bytes, so one pass over the text with a hash
//!   table finds the few rules that can match. Rules that are too short, or have another form for the query, remain
//!   on the list of their head, with a mask of the bytes that they contain.
//!
//! The candidates of a list are verified in order of rank, and only if they outrank the best rule found so far.
//!
//! Bounds: building is linear in the bytes of the rules, plus one sort. Nodes and tables are linear in the number of
//! rules. A search costs a descent of at most the length of the text, one lookup per byte of the text, and the
//! verification of the candidates. In the worst case (hostile rules that share every four bytes) every rule is verified
//! once. Up to eight rules with equal four bytes are verified at each occurrence of these bytes.

use std::ops::Range;

use super::entries::{PackedRules, RulePlace};
use super::grams::{Grams, gram_of};
use super::keys::{Candidate, Item, Key, Kind, Rule};
use crate::robots::dialects::Row;
use crate::robots::matching::pattern::{CompiledRule, End, Pattern, mask_of};
use crate::robots::matching::target::Target;

/// An index over [`PackedRules`].
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The rank of each run's first rule, and the position of the run.
    runs: Box<[(u32, u32)]>,
    /// The nodes in breadth-first order. An extra node at the end marks the end of the label, the children and the list
    /// of the last node.
    nodes: Box<[Node]>,
    /// The byte that leads to each node from its parent, so that one search finds a child.
    first_bytes: Box<[u8]>,
    labels: Box<[u8]>,
    /// The rules that are listed at nodes, list by list, in ascending rank within each list.
    lists: Box<[ListEntry]>,
    grams: Grams,
}

/// A rule on the list of its head.
#[derive(Clone, Copy, Debug)]
struct ListEntry {
    rule: Candidate,
    /// The mask of the bytes in its pieces; see [`mask_of`].
    needs: u64,
}

/// A node: its label (the bytes that follow those of its parent, except the first byte), and the rules that end or are
/// listed at the node. The label, the children and the list of a node end at the start of those of the next node.
#[derive(Clone, Copy, Debug)]
struct Node {
    label_start: u32,
    first_child: u32,
    list_start: u32,
    /// The rule that matches every text that starts with the bytes of the path to this node.
    prefix: Key,
    /// The rule that matches exactly the bytes of the path to this node.
    exact: Key,
}

impl Index {
    /// Returns an index over `count` entries.
    pub(crate) fn build(entries: PackedRules<'_>, count: usize, row: &Row) -> Index {
        let all = || entries.runs().flat_map(|(_, run)| (0..run.count).filter_map(move |nth| run.entry(nth)));
        // Derived patterns are computed here, because they must live until the index is built.
        let derived = all().filter(|entry| entry.is_derived());
        let derived: Vec<Option<CompiledRule<'_>>> =
            derived.map(|entry| row.compile(entry.kind(), entry.written())[0].take()).collect();
        let mut derived = derived.iter().flatten();
        let mut runs = Vec::new();
        let mut items: Vec<Item<'_>> = Vec::with_capacity(count);
        let mut rules: Vec<Rule<'_>> = Vec::with_capacity(count);
        for (offset, run) in entries.runs() {
            let (at, effect) = (runs.len() as u32, run.effect());
            runs.push((rules.len() as u32, offset));
            for entry in (0..run.count).filter_map(|nth| run.entry(nth)) {
                let compiled = if entry.is_derived() { derived.next() } else { None };
                let pattern = compiled.map_or_else(|| entry.stored_pattern(), CompiledRule::pattern);
                items.push(item(&pattern, Key::new(rules.len() as u32, effect)));
                rules.push(Rule { pattern, run: at });
            }
        }
        items.sort_unstable();
        // The first of several equal items has the lowest rank; the others never decide.
        items.dedup_by(|next, first| next.1 != Kind::Head && next.1 == first.1 && next.0 == first.0);
        let grams = Grams::take_from(&mut items, &rules);
        let mut trie = Trie::default();
        trie.build(&items, &rules);
        Index {
            runs: runs.into(),
            nodes: trie.nodes.into(),
            first_bytes: trie.first_bytes.into(),
            labels: trie.labels.into(),
            lists: trie.lists.into(),
            grams,
        }
    }

    /// Returns the matching rule with the lowest rank.
    pub(crate) fn find(&self, entries: PackedRules<'_>, target: &Target<'_>, row: &Row) -> Option<Key> {
        let mut search = Search { index: self, entries, target, row, best: Key::NONE, has: None };
        search.walk();
        search.by_bytes();
        Some(search.best).filter(|best| *best != Key::NONE)
    }

    /// Returns the place of the rule with this key.
    pub(crate) fn place_of(&self, key: Key) -> Option<RulePlace> {
        let after = self.runs.partition_point(|(first, _)| *first <= key.rank());
        self.place_in(*self.runs.get(after.checked_sub(1)?)?, key)
    }

    #[inline]
    fn place_in(&self, (first, run): (u32, u32), key: Key) -> Option<RulePlace> {
        Some(RulePlace { run, nth: key.rank().checked_sub(first)? })
    }
}

/// Returns the trie item of a pattern. A pattern with only `*`s after its first piece is equivalent to that piece.
fn item<'e>(pattern: &Pattern<'e>, key: Key) -> Item<'e> {
    let bytes = pattern.bytes;
    let head = match pattern.star.and_then(|star| memchr::memchr(star, bytes)) {
        None => {
            let kind = if pattern.end == End::Open { Kind::Prefix } else { Kind::Exact };
            return (bytes, kind, key);
        }
        Some(at) => at,
    };
    let is_open = bytes[head..].iter().all(|&byte| Some(byte) == pattern.star);
    (&bytes[..head], if is_open { Kind::Prefix } else { Kind::Head }, key)
}

/// The state of one search.
struct Search<'s> {
    index: &'s Index,
    entries: PackedRules<'s>,
    target: &'s Target<'s>,
    row: &'s Row,
    best: Key,
    /// The mask of the text; computed when it is first needed.
    has: Option<u64>,
}

impl Search<'_> {
    /// Descends in the trie along the text, and verifies the rules on the lists of the visited nodes.
    #[inline]
    fn walk(&mut self) {
        let text = &self.target.text[..];
        let mut at = 0;
        let mut lists = [(0_u32, 0_u32); 16];
        let mut passed = 0;
        let mut node = 0;
        while let Some([here, next]) = self.index.nodes.get(node..).and_then(|nodes| nodes.first_chunk()) {
            let label = &self.index.labels[here.label_start as usize..next.label_start as usize];
            if !label.is_empty() {
                if !text[at..].starts_with(label) {
                    break;
                }
                at += label.len();
            }
            self.best = self.best.min(here.prefix);
            if at == text.len() {
                self.best = self.best.min(here.exact);
            }
            if here.list_start < next.list_start {
                if passed == lists.len() {
                    self.verify_lists(&lists);
                    passed = 0;
                }
                lists[passed] = (here.list_start, next.list_start);
                passed += 1;
            }
            let children = here.first_child as usize..next.first_child as usize;
            let Some(child) = text.get(at).and_then(|&byte| self.index.child(children, byte)) else {
                break;
            };
            (node, at) = (child, at + 1);
        }
        self.verify_lists(&lists[..passed]);
    }

    fn verify_lists(&mut self, lists: &[(u32, u32)]) {
        for &(start, end) in lists {
            let index = self.index;
            let list = &index.lists[start as usize..end as usize];
            if list.first().is_none_or(|first| first.rule.key >= self.best) {
                continue;
            }
            let has = *self.has.get_or_insert_with(|| mask_of(&self.target.text));
            for listed in list {
                if listed.rule.key >= self.best || (listed.needs & !has == 0 && self.verify(listed.rule)) {
                    break;
                }
            }
        }
    }

    /// Checks a rule that outranks the best so far. If it matches, it becomes the best and the function returns true.
    fn verify(&mut self, rule: Candidate) -> bool {
        let place =
            self.index.runs.get(rule.run as usize).and_then(|run| self.index.place_in(*run, rule.key));
        let entry = place.and_then(|place| self.entries.at(place));
        let matches = entry
            .is_some_and(|entry| entry.pattern(self.row, &mut None).matches(self.target, self.row.line_ends));
        if matches {
            self.best = rule.key;
        }
        matches
    }

    /// Verifies the rules whose four bytes occur in the text.
    fn by_bytes(&mut self) {
        let index = self.index;
        if index.grams.first >= self.best {
            return;
        }
        let mut last = 0;
        let mut verified = VerifiedLists::default();
        for window in self.target.text.windows(4) {
            let gram = gram_of(window);
            if gram != last && index.grams.may_have(gram) {
                let rules = index.grams.rules_of(gram);
                if rules.len() <= SHORT_LIST || verified.insert(rules) {
                    for &rule in rules {
                        if rule.key >= self.best || self.verify(rule) {
                            break;
                        }
                    }
                }
            }
            last = gram;
        }
    }
}

/// Maximum number of rules of four bytes that are verified at each occurrence of these bytes. For so few rules, this is
/// faster than remembering them.
const SHORT_LIST: usize = 8;

/// The long lists of rules that a search has verified. A second verification would not find a better rule.
#[derive(Default)]
struct VerifiedLists {
    /// A bit for the rank of the first rule of each list. No list shares a rule with another.
    bits: Vec<u64>,
}

impl VerifiedLists {
    /// Adds a list. Returns true if it is new.
    #[cold]
    fn insert(&mut self, rules: &[Candidate]) -> bool {
        let Some(rank) = rules.first().map(|rule| rule.key.rank() as usize) else { return false };
        if self.bits.len() <= rank / 64 {
            self.bits.resize(rank / 64 + 1, 0);
        }
        let Some(bits) = self.bits.get_mut(rank / 64) else { return false };
        let is_new = *bits >> (rank % 64) & 1 == 0;
        *bits |= 1 << (rank % 64);
        is_new
    }
}

impl Index {
    #[inline]
    fn child(&self, children: Range<usize>, byte: u8) -> Option<usize> {
        let first = children.start;
        Some(first + memchr::memchr(byte, self.first_bytes.get(children)?)?)
    }
}

/// The trie during construction, in breadth-first order, so that siblings are adjacent.
#[derive(Debug, Default)]
struct Trie {
    nodes: Vec<Node>,
    first_bytes: Vec<u8>,
    labels: Vec<u8>,
    lists: Vec<ListEntry>,
    /// The unfinished nodes: for each, the start and end of its items, and the number of bytes that its ancestors
    /// cover.
    todo: Vec<(usize, usize, usize)>,
}

impl Trie {
    fn build(&mut self, items: &[Item<'_>], rules: &[Rule<'_>]) {
        if items.is_empty() {
            return;
        }
        self.add(0, items.len(), 0, 0);
        let mut next = 0;
        while next < self.todo.len() {
            self.finish(next, items, rules);
            next += 1;
        }
        self.nodes.push(self.node_here());
    }

    fn add(&mut self, start: usize, end: usize, depth: usize, first_byte: u8) {
        self.nodes.push(self.node_here());
        self.first_bytes.push(first_byte);
        self.todo.push((start, end, depth));
    }

    /// Returns a node without rules. Its label, children and list start at the current ends.
    fn node_here(&self) -> Node {
        Node {
            label_start: self.labels.len() as u32,
            first_child: self.nodes.len() as u32,
            list_start: self.lists.len() as u32,
            prefix: Key::NONE,
            exact: Key::NONE,
        }
    }

    /// Sets the label, the rules and the children of a node. Items are sorted, so the items that end here come first.
    fn finish(&mut self, node: usize, items: &[Item<'_>], rules: &[Rule<'_>]) {
        let (start, end, depth) = self.todo[node];
        let (first, last) = (&items[start].0[depth..], &items[end - 1].0[depth..]);
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let mut done = self.node_here();
        self.labels.extend_from_slice(&first[..common]);
        let depth = depth + common;
        let mut at = start;
        while at < end && items[at].0.len() == depth {
            let (_, kind, key) = items[at];
            match kind {
                Kind::Prefix => done.prefix = done.prefix.min(key),
                Kind::Exact => done.exact = done.exact.min(key),
                Kind::Head => {
                    let rule = &rules[key.rank() as usize];
                    self.lists.push(ListEntry { rule: rule.candidate(key), needs: rule.pattern.needs() });
                }
            }
            at += 1;
        }
        self.nodes[node] = done;
        while at < end {
            let byte = items[at].0[depth];
            let length = items[at..end].iter().take_while(|item| item.0[depth] == byte).count();
            self.add(at, at + length, depth + 1, byte);
            at += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entries::PackedRule;
    use super::super::packer::{Packer, Rank};
    use super::*;
    use crate::robots::Dialect;
    use crate::robots::matching::pattern::steps::STEPS;
    use crate::robots::read::directive::RecordKind;

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

    fn entries(values: &[String], row: &Row) -> Vec<u8> {
        let mut packer = Packer::new(row.stored_bytes);
        for (line, value) in values.iter().enumerate() {
            let kind = if line.is_multiple_of(3) { RecordKind::Allow } else { RecordKind::Disallow };
            for compiled in row.compile(kind, value.as_bytes()).into_iter().flatten() {
                let rank = Rank::longest(compiled.length, compiled.effect);
                packer.push(rank, kind, line as u32 + 1, value.as_bytes(), compiled);
            }
        }
        packer.pack().entries
    }

    /// Returns the number of bytes examined by a search in rules that share their only four bytes, for a URL that
    /// contains these bytes `times` times.
    fn steps_of(times: usize) -> usize {
        let row = Dialect::Rfc9309.row();
        let values: Vec<String> = (0..300).map(|number| format!("/*abcd*{number:03}")).collect();
        let bytes = entries(&values, row);
        let entries = PackedRules::new(&bytes);
        let index = Index::build(entries, values.len(), row);
        let url = format!("/{}{}", "xabcd".repeat(times), "xxxxx".repeat(200 - times));
        let target = row.target(url.as_bytes()).expect("a path");
        STEPS.set(0);
        assert_eq!(index.find(entries, &target, row), None);
        STEPS.get()
    }

    #[test]
    fn rules_are_verified_once_for_many_occurrences_of_their_bytes() {
        let (once, often) = (steps_of(1), steps_of(100));
        assert!(often <= 2 * once, "{once} steps for one occurrence, {often} for a hundred");
    }

    #[test]
    fn index_finds_the_rule_that_a_walk_finds() {
        let alphabet =
            ["a", "b", "/", "ab", "abab", "*", "$", "%2F", "?", "index.html", "=", "%41", "a=b&", "bbbb"];
        let mut numbers = Numbers(3);
        for round in 0..45 {
            let dialect = [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex][round % 3];
            let row = dialect.row();
            let count = [5, 40, 400][round / 3 % 3];
            let values: Vec<String> = (0..count)
                .map(|_| format!("/{}{}", ["", "*", "ab"][numbers.below(3)], numbers.text(&alphabet, 6)))
                .collect();
            let bytes = entries(&values, row);
            let entries = PackedRules::new(&bytes);
            let index = Index::build(entries, values.len(), row);
            for _ in 0..200 {
                let url = match numbers.below(3) {
                    0 => {
                        values[numbers.below(values.len())].replace(['*', '$'], "b")
                            + &numbers.text(&alphabet, 2)
                    }
                    _ => format!("/{}", numbers.text(&alphabet, 9)),
                };
                let target = row.target(url.as_bytes()).expect("a path");
                let does_match =
                    |entry: &PackedRule<'_>| entry.pattern(row, &mut None).matches(&target, row.line_ends);
                let plainly = entries.find_any(does_match);
                let walked = entries.find(&target.text, does_match);
                let found = index.find(entries, &target, row);
                assert_eq!(walked, plainly, "{dialect} {url} in {values:?}");
                assert_eq!(
                    found.and_then(|key| index.place_of(key)),
                    plainly,
                    "{dialect} {url} in {values:?}"
                );
                let effect = plainly.map(|place| entries.effect_of(place.run));
                assert_eq!(found.map(Key::effect), effect, "{dialect} {url} in {values:?}");
            }
        }
    }
}
