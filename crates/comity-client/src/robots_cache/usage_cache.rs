//! The usage preferences in robots.txt files, read once and remembered for later pages.

use std::sync::Arc;

use comity::usage::RobotsUsage;

use super::one_shard;
use crate::Origin;

/// The files that were read lately, within a bound of bytes.
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

/// The bytes that a file without any lines counts as.
const ENTRY_BYTES: usize = 1024;

/// The bytes that the result takes for each byte of the body. A short rule about use takes the most, since it is kept
/// for the crawler and for everyone.
const PER_BODY_BYTE: usize = 8;

impl quick_cache::Weighter<Origin, ReadFile> for ByBytes {
    fn weight(&self, origin: &Origin, entry: &ReadFile) -> u64 {
        let bytes = ENTRY_BYTES + origin.as_str().len() + PER_BODY_BYTE * entry.body_bytes;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl UsageCache {
    /// Creates a cache of about this many bytes.
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

    /// Forgets a file, since a newer answer came.
    pub(super) fn forget(&self, origin: &Origin) {
        self.read.remove(origin);
    }
}
