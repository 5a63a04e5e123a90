//! Entries in memory, limited by size. The least recently used entries are evicted first.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::Origin;
use crate::store::Entry;

/// Overhead of an entry in bytes, in addition to its key and sealed bytes: nodes in two trees, and two reference
/// counts.
const OVERHEAD: usize = 200;

#[derive(Debug)]
struct CachedEntry {
    entry: Entry,
    put: i64,
    used: u64,
}

/// Entries and the order of their last uses.
#[derive(Debug)]
pub(super) struct CachedEntries {
    max_bytes: usize,
    bytes: usize,
    clock: u64,
    kept: BTreeMap<Origin, CachedEntry>,
    by_use: BTreeMap<u64, Origin>,
}

impl CachedEntries {
    pub(super) fn new(max_bytes: usize) -> Self {
        CachedEntries { max_bytes, bytes: 0, clock: 0, kept: BTreeMap::new(), by_use: BTreeMap::new() }
    }

    pub(super) fn get(&mut self, origin: &Origin) -> Option<Entry> {
        let kept = self.kept.get_mut(origin)?;
        self.clock += 1;
        if let Some(origin) = self.by_use.remove(&kept.used) {
            self.by_use.insert(self.clock, origin);
        }
        kept.used = self.clock;
        Some(kept.entry.clone())
    }

    pub(super) fn put(&mut self, origin: &Origin, entry: &Entry, put: i64) {
        self.remove(origin);
        let cost = cost(origin, entry);
        if cost > self.max_bytes {
            return;
        }
        while self.bytes + cost > self.max_bytes
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.forget(&oldest);
        }
        self.clock += 1;
        self.bytes += cost;
        self.by_use.insert(self.clock, origin.clone());
        self.kept.insert(origin.clone(), CachedEntry { entry: entry.clone(), put, used: self.clock });
    }

    pub(super) fn remove(&mut self, origin: &Origin) -> bool {
        match self.forget(origin) {
            Some(used) => self.by_use.remove(&used).is_some(),
            None => false,
        }
    }

    /// Removes an entry. Returns the sequence number of its last use.
    fn forget(&mut self, origin: &Origin) -> Option<u64> {
        let kept = self.kept.remove(origin)?;
        self.bytes -= cost(origin, &kept.entry);
        Some(kept.used)
    }

    pub(super) fn list(&self, after: Option<&Origin>, limit: usize) -> Vec<Origin> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.kept
            .range::<Origin, _>((from, Bound::Unbounded))
            .take(limit)
            .map(|(origin, _)| origin.clone())
            .collect()
    }

    pub(super) fn purge(&mut self, before: Option<i64>) -> u64 {
        let gone: Vec<Origin> = self
            .kept
            .iter()
            .filter(|(_, kept)| before.is_none_or(|before| kept.put < before))
            .map(|(origin, _)| origin.clone())
            .collect();
        gone.iter().map(|origin| u64::from(self.remove(origin))).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

fn cost(origin: &Origin, entry: &Entry) -> usize {
    origin.as_str().len() + entry.sealed().len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(number: usize) -> Origin {
        Origin::of(&format!("https://{number:04}.example").parse().unwrap()).unwrap()
    }

    #[test]
    fn recently_read_entries_are_kept_and_others_evicted() {
        let entry = Entry::seal(&[0; 1000]);
        let one = cost(&origin(0), &entry);
        let mut entries = CachedEntries::new(10 * one);
        for number in 0..1000 {
            entries.put(&origin(number), &entry, 0);
            assert!(entries.get(&origin(0)).is_some(), "{number}");
            assert!(entries.bytes() <= 10 * one);
        }
        let kept = entries.list(None, usize::MAX);
        assert_eq!(kept.len(), 10);
        assert_eq!(kept.first(), Some(&origin(0)));
        assert_eq!(kept.get(1), Some(&origin(991)));
    }

    #[test]
    fn removed_entries_free_their_bytes() {
        let mut entries = CachedEntries::new(1_000_000);
        for size in [10, 2000, 30, 0] {
            entries.put(&origin(1), &Entry::seal(&vec![0; size]), 7);
            assert_eq!(entries.bytes(), cost(&origin(1), &Entry::seal(&vec![0; size])));
        }
        assert_eq!(entries.purge(Some(7)), 0);
        assert_eq!(entries.purge(Some(8)), 1);
        assert_eq!((entries.bytes(), entries.by_use.len(), entries.kept.len()), (0, 0, 0));
    }

    #[test]
    fn oversized_entry_removes_only_its_predecessor() {
        let mut entries = CachedEntries::new(1000);
        entries.put(&origin(1), &Entry::seal(b"small"), 0);
        entries.put(&origin(2), &Entry::seal(b"small"), 0);
        entries.put(&origin(2), &Entry::seal(&[0; 1000]), 0);
        assert_eq!(entries.list(None, 9), [origin(1)]);
    }
}
