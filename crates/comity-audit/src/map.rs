//! Maps with a quick hasher. Its seed is another in each process, so that nobody can choose names that collide.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::RandomState;

pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, RandomState>;

/// The texts that were met, of each of which 8 bytes are kept. Two of many millions are hardly ever taken for one.
#[derive(Debug, Default)]
pub(crate) struct Met {
    hasher: RandomState,
    known: hashbrown::HashSet<u64, RandomState>,
}

impl Met {
    fn hash(&self, text: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// Notes a text. Returns true if it is met for the first time.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        let hash = self.hash(text);
        self.known.insert(hash)
    }

    /// Returns whether a text was met.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.known.contains(&self.hash(text))
    }
}
