//! The types with which both parts of the index (`index.rs`, `grams.rs`) refer to rules.

use crate::robots::matching::pattern::{Effect, Pattern};

/// A rule's rank and effect: the lower the key, the higher the precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u32);

impl Key {
    /// No rule.
    pub(crate) const NONE: Key = Key(u32::MAX);

    pub(crate) fn new(rank: u32, effect: Effect) -> Key {
        Key(rank << 1 | u32::from(effect == Effect::Disallow))
    }

    pub(crate) fn rank(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn effect(self) -> Effect {
        if self.0 & 1 == 0 { Effect::Allow } else { Effect::Disallow }
    }
}

/// A candidate rule to be verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub key: Key,
    /// The index of the run of packed rules that contains the rule.
    pub run: u32,
}

/// The role of a rule in the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The rule matches every text that starts with its bytes.
    Prefix,
    /// The rule matches only a text that equals its bytes.
    Exact,
    /// The rule has wildcards, and its bytes are its literal start.
    Head,
}

/// A rule to be inserted into the trie: its literal start, its kind, its key.
pub(crate) type Item<'e> = (&'e [u8], Kind, Key);

/// A rule to be indexed.
pub(crate) struct Rule<'e> {
    pub pattern: Pattern<'e>,
    /// The index of the run of packed rules that contains the rule.
    pub run: u32,
}

impl Rule<'_> {
    pub(crate) fn candidate(&self, key: Key) -> Candidate {
        Candidate { key, run: self.run }
    }
}
