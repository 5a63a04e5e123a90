//! Hash maps with a fast hasher. Its seed differs in each process, so that an attacker cannot choose colliding names.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::RandomState;

pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, RandomState>;

/// A set of texts that stores 8 bytes for each. A collision among many millions is very unlikely.
#[derive(Debug, Default)]
pub(crate) struct TextSet {
    hasher: RandomState,
    known: hashbrown::HashSet<u64, RandomState>,
}

impl TextSet {
    fn hash(&self, text: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// Adds a text. Returns true if it is new.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        let hash = self.hash(text);
        self.known.insert(hash)
    }

    /// Returns whether a text is in the set.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.known.contains(&self.hash(text))
    }
}
