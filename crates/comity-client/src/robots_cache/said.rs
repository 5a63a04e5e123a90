//! What robots.txt files say about use, read once and remembered for the pages to come.

use std::sync::Arc;

use comity::usage::RobotsUsage;

use super::one_shard;
use crate::Origin;

/// Files that were read lately, in a bounded number of bytes.
#[derive(Debug)]
pub(super) struct Said {
    read: quick_cache::sync::Cache<Origin, Entry, ByBytes>,
}

/// One file as the client's crawler hears it.
#[derive(Clone, Debug)]
struct Entry {
    usage: Arc<RobotsUsage>,
    body_bytes: usize,
}

#[derive(Clone, Debug)]
struct ByBytes;

/// An entry without any line counts as this many bytes.
const ENTRY_BYTES: usize = 1024;

/// What is read takes more than its line: a short rule about use, kept for the crawler and for everyone, takes the most.
const PER_BODY_BYTE: usize = 8;

impl quick_cache::Weighter<Origin, Entry> for ByBytes {
    fn weight(&self, origin: &Origin, entry: &Entry) -> u64 {
        let bytes = ENTRY_BYTES + origin.as_str().len() + PER_BODY_BYTE * entry.body_bytes;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl Said {
    /// Remembers as many files as fit into about this many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let files = usize::try_from(bytes / ENTRY_BYTES as u64).unwrap_or(usize::MAX).clamp(16, 1 << 16);
        Said { read: one_shard(files, bytes, ByBytes) }
    }

    pub(super) fn get(&self, origin: &Origin) -> Option<Arc<RobotsUsage>> {
        self.read.get(origin).map(|entry| entry.usage)
    }

    pub(super) fn insert(&self, origin: &Origin, usage: Arc<RobotsUsage>, body_bytes: usize) {
        self.read.insert(origin.clone(), Entry { usage, body_bytes });
    }

    /// Forgets a file, since another answer came.
    pub(super) fn forget(&self, origin: &Origin) {
        self.read.remove(origin);
    }
}
