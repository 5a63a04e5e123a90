//! Cache of fetched pages, for assistants that read a page in pieces. Further pieces of a cached page need no fetch.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::access_control::Caller;

/// TTL of a page.
const TTL: Duration = Duration::from_secs(300);

/// Maximum number of pages in the cache.
const MAX_PAGES: usize = 32;

/// Maximum size of the cache, in bytes.
const MAX_BYTES: usize = 32 << 20;

/// Cache key. It contains the caller, so that a caller gets only pages that were fetched for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) caller: Caller,
    /// The product token of the client that fetched the page: robots.txt may treat another one differently.
    pub(crate) agent: String,
    pub(crate) url: String,
    pub(crate) raw: bool,
}

/// A page converted to text.
#[derive(Debug)]
pub(crate) struct CachedPage {
    pub(crate) text: String,
    /// Length of the text, in characters.
    pub(crate) characters: usize,
    /// Facts about the page, such as its URL and status, which are returned with each piece.
    pub(crate) about: Value,
}

/// The cached pages, the most recent one first.
#[derive(Debug, Default)]
pub(crate) struct PageCache {
    pages: Mutex<VecDeque<(Key, Instant, Arc<CachedPage>)>>,
}

impl PageCache {
    /// Returns a page if it is still in the cache.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<CachedPage>> {
        let mut pages = self.lock();
        sweep(&mut pages);
        pages.iter().find(|(known, ..)| known == key).map(|(.., page)| Arc::clone(page))
    }

    /// Stores a page. Replaces the cached page with an equal key.
    pub(crate) fn put(&self, key: Key, page: Arc<CachedPage>) {
        let mut pages = self.lock();
        pages.retain(|(known, ..)| *known != key);
        pages.push_front((key, Instant::now(), page));
        sweep(&mut pages);
    }

    /// Locks the cache. No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Key, Instant, Arc<CachedPage>)>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes expired pages. While the cache is larger than its maximum, removes the oldest page of the caller with the
/// most pages, or with the most bytes.
fn sweep(pages: &mut VecDeque<(Key, Instant, Arc<CachedPage>)>) {
    pages.retain(|(_, since, _)| since.elapsed() < TTL);
    loop {
        let mut callers: HashMap<Caller, (usize, usize)> = HashMap::new();
        for (key, _, page) in pages.iter() {
            let (count, bytes) = callers.entry(key.caller).or_default();
            (*count, *bytes) = (*count + 1, *bytes + page.text.len());
        }
        let most = if callers.values().map(|(_, bytes)| bytes).sum::<usize>() > MAX_BYTES {
            callers.iter().max_by_key(|(_, (_, bytes))| *bytes)
        } else if pages.len() > MAX_PAGES {
            callers.iter().max_by_key(|(_, (count, _))| *count)
        } else {
            return;
        };
        let Some(oldest) = most.and_then(|(most, _)| pages.iter().rposition(|(key, ..)| key.caller == *most))
        else {
            return;
        };
        pages.remove(oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(caller: Caller, url: &str) -> Key {
        Key { caller, agent: "examplebot".to_owned(), url: url.to_owned(), raw: false }
    }

    fn page(length: usize) -> Arc<CachedPage> {
        Arc::new(CachedPage { text: "x".repeat(length), characters: length, about: Value::Null })
    }

    #[tokio::test(start_paused = true)]
    async fn cached_page_is_returned_to_its_caller_until_it_expires() {
        let kept = PageCache::default();
        kept.put(key(Caller::Token(0), "a"), page(3));
        assert!(kept.get(&key(Caller::Token(0), "a")).is_some());
        assert!(kept.get(&key(Caller::Token(1), "a")).is_none());
        assert!(kept.get(&key(Caller::Token(0), "b")).is_none());
        tokio::time::advance(TTL).await;
        assert!(kept.get(&key(Caller::Token(0), "a")).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn caller_with_many_pages_evicts_only_its_own_pages() {
        let kept = PageCache::default();
        kept.put(key(Caller::Token(0), "a"), page(3));
        for number in 0..2 * MAX_PAGES {
            kept.put(key(Caller::Token(1), &number.to_string()), page(MAX_BYTES / 4));
        }
        assert!(kept.get(&key(Caller::Token(0), "a")).is_some());
        assert!(kept.get(&key(Caller::Token(1), &(2 * MAX_PAGES - 1).to_string())).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn page_cache_is_bounded_by_number_and_bytes() {
        let kept = PageCache::default();
        for number in 0..MAX_PAGES + 1 {
            kept.put(key(Caller::Socket, &number.to_string()), page(1));
        }
        assert!(kept.get(&key(Caller::Socket, "0")).is_none());
        assert!(kept.get(&key(Caller::Socket, "1")).is_some());
        kept.put(key(Caller::Socket, "large"), page(MAX_BYTES));
        assert!(kept.get(&key(Caller::Socket, "large")).is_some());
        assert!(kept.get(&key(Caller::Socket, &MAX_PAGES.to_string())).is_none());
    }
}
