//! A cache of the usage preferences in robots.txt files. Each file is parsed once for all pages of its origin.
//!
//! Without the feature `page`, `without_page.rs` replaces this file.

use std::sync::Arc;

use comity::robots::RobotsTxt;
use comity::usage::RobotsUsage;

use super::{RobotsCache, one_shard};
use crate::Origin;
use crate::store::StoreError;

/// Recently parsed files, limited by size in bytes.
#[derive(Debug)]
pub(super) struct UsageCache {
    read: quick_cache::sync::Cache<Origin, ReadFile, ByBytes>,
}

/// The usage preferences for the client's crawler in one file.
#[derive(Clone, Debug)]
struct ReadFile {
    usage: Arc<RobotsUsage>,
    body_bytes: usize,
}

#[derive(Clone, Debug)]
struct ByBytes;

/// Weight of an empty file, in bytes.
const ENTRY_BYTES: usize = 1024;

/// Maximum size of the parsed result per byte of the body. A file of short usage rules reaches it, since each rule is
/// stored twice: for the crawler and for all crawlers.
const PER_BODY_BYTE: usize = 8;

impl quick_cache::Weighter<Origin, ReadFile> for ByBytes {
    fn weight(&self, origin: &Origin, entry: &ReadFile) -> u64 {
        let bytes = ENTRY_BYTES + origin.as_str().len() + PER_BODY_BYTE * entry.body_bytes;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl UsageCache {
    /// Creates a cache with a maximum size of about `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let files = usize::try_from(bytes / ENTRY_BYTES as u64).unwrap_or(usize::MAX).clamp(16, 1 << 16);
        UsageCache { read: one_shard(files, bytes, ByBytes) }
    }

    fn get(&self, origin: &Origin) -> Option<Arc<RobotsUsage>> {
        self.read.get(origin).map(|entry| entry.usage)
    }

    fn insert(&self, origin: &Origin, usage: Arc<RobotsUsage>, body_bytes: usize) {
        self.read.insert(origin.clone(), ReadFile { usage, body_bytes });
    }

    /// Removes the file of an origin. Must be called after a newer answer was received.
    pub(super) fn forget(&self, origin: &Origin) {
        self.read.remove(origin);
    }
}

impl RobotsCache {
    /// Returns the usage preferences in an origin's robots.txt, if the store has the file.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn usage(&self, origin: &Origin) -> Result<Option<Arc<RobotsUsage>>, StoreError> {
        let shared = &self.shared;
        if let Some(usages) = shared.usages.get(origin) {
            return Ok(Some(usages));
        }
        let Some(record) = shared.stored(origin).await? else { return Ok(None) };
        let Some(copy) = record.copy(shared.parts.preset) else { return Ok(None) };
        let charset = copy.charset();
        let dialect = shared.parts.preset.dialect();
        let robots = RobotsTxt::parse_with_charset(&copy.body[..], dialect, charset.as_deref());
        let usages = Arc::new(RobotsUsage::new(&robots, &shared.parts.agent));
        shared.usages.insert(origin, usages.clone(), copy.body.len());
        Ok(Some(usages))
    }
}
