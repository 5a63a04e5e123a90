//! A cache of the usage preferences in robots.txt files, parsed once for all pages.

use std::sync::Arc;

use comity::usage::RobotsUsage;

use super::one_shard;
use crate::Origin;

/// The recently parsed files, bounded in bytes.
#[derive(Debug)]
pub(super) struct UsageCache {
    read: quick_cache::sync::Cache<Origin, ReadFile, ByBytes>,
}

/// The usage preferences in one file, for the client's crawler.
#[derive(Clone, Debug)]
struct ReadFile {
    usage: Arc<RobotsUsage>,
    body_bytes: usize,
}

#[derive(Clone, Debug)]
struct ByBytes;

/// Weight of a file without lines, in bytes.
const ENTRY_BYTES: usize = 1024;

/// Size of the parsed result per byte of the body. A short usage rule takes the most, since it is kept for the crawler
/// and for everyone.
const PER_BODY_BYTE: usize = 8;

impl quick_cache::Weighter<Origin, ReadFile> for ByBytes {
    fn weight(&self, origin: &Origin, entry: &ReadFile) -> u64 {
        let bytes = ENTRY_BYTES + origin.as_str().len() + PER_BODY_BYTE * entry.body_bytes;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl UsageCache {
    /// Creates a cache that is bounded to about `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let files = usize::try_from(bytes / ENTRY_BYTES as u64).unwrap_or(usize::MAX).clamp(16, 1 << 16);
        UsageCache { read: one_shard(files, bytes, ByBytes) }
    }

    pub(super) fn get(&self, origin: &Origin) -> Option<Arc<RobotsUsage>> {
        self.read.get(origin).map(|entry| entry.usage)
    }

    pub(super) fn insert(&self, origin: &Origin, usage: Arc<RobotsUsage>, body_bytes: usize) {
        self.read.insert(origin.clone(), ReadFile { usage, body_bytes });
    }

    /// Removes a file after a newer answer.
    pub(super) fn forget(&self, origin: &Origin) {
        self.read.remove(origin);
    }
}
