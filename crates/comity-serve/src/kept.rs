//! Cache of pages that an assistant reads piece by piece: a page is fetched once, and kept while the assistant may continue.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::door::Caller;

/// TTL of a page, and the maximum total size of the cache.
const MINUTES: Duration = Duration::from_secs(300);
const PAGES: usize = 32;
const BYTES: usize = 32 << 20;

/// Cache key, scoped to the caller: pages that were fetched for other callers are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) caller: Caller,
    pub(crate) url: String,
    pub(crate) raw: bool,
}

/// A page converted to text.
#[derive(Debug)]
pub(crate) struct KeptPage {
    pub(crate) text: String,
    /// Length of the text, in characters.
    pub(crate) characters: usize,
    /// Facts about the page that are returned with its text.
    pub(crate) about: Value,
}

/// The cached pages, the most recent one first.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pages: Mutex<VecDeque<(Key, Instant, Arc<KeptPage>)>>,
}

impl Kept {
    /// Returns a page if it is still in the cache.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<KeptPage>> {
        let mut pages = self.lock();
        sweep(&mut pages);
        pages.iter().find(|(known, ..)| known == key).map(|(.., page)| Arc::clone(page))
    }

    /// Stores a page and replaces an earlier version of it.
    pub(crate) fn put(&self, key: Key, page: Arc<KeptPage>) {
        let mut pages = self.lock();
        pages.retain(|(known, ..)| *known != key);
        pages.push_front((key, Instant::now(), page));
        sweep(&mut pages);
    }

    /// Locks the cache. No code panics while it holds the lock, and a half-made change would do no harm.
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Key, Instant, Arc<KeptPage>)>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes expired pages. While there are too many, also removes the oldest page of the caller that has the most.
fn sweep(pages: &mut VecDeque<(Key, Instant, Arc<KeptPage>)>) {
    pages.retain(|(_, since, _)| since.elapsed() < MINUTES);
    loop {
        let mut callers: HashMap<Caller, (usize, usize)> = HashMap::new();
        for (key, _, page) in pages.iter() {
            let (count, bytes) = callers.entry(key.caller).or_default();
            (*count, *bytes) = (*count + 1, *bytes + page.text.len());
        }
        let most = if callers.values().map(|(_, bytes)| bytes).sum::<usize>() > BYTES {
            callers.iter().max_by_key(|(_, (_, bytes))| *bytes)
        } else if pages.len() > PAGES {
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
        Key { caller, url: url.to_owned(), raw: false }
    }

    fn page(length: usize) -> Arc<KeptPage> {
        Arc::new(KeptPage { text: "x".repeat(length), characters: length, about: Value::Null })
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_is_kept_for_whoever_fetched_it_and_not_for_long() {
        let kept = Kept::default();
        kept.put(key(Caller::Token(0), "a"), page(3));
        assert!(kept.get(&key(Caller::Token(0), "a")).is_some());
        assert!(kept.get(&key(Caller::Token(1), "a")).is_none());
        assert!(kept.get(&key(Caller::Token(0), "b")).is_none());
        tokio::time::advance(MINUTES).await;
        assert!(kept.get(&key(Caller::Token(0), "a")).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn caller_with_many_pages_evicts_only_its_own() {
        let kept = Kept::default();
        kept.put(key(Caller::Token(0), "a"), page(3));
        for number in 0..2 * PAGES {
            kept.put(key(Caller::Token(1), &number.to_string()), page(BYTES / 4));
        }
        assert!(kept.get(&key(Caller::Token(0), "a")).is_some());
        assert!(kept.get(&key(Caller::Token(1), &(2 * PAGES - 1).to_string())).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_kept_has_bounds_in_number_and_bytes() {
        let kept = Kept::default();
        for number in 0..PAGES + 1 {
            kept.put(key(Caller::Socket, &number.to_string()), page(1));
        }
        assert!(kept.get(&key(Caller::Socket, "0")).is_none());
        assert!(kept.get(&key(Caller::Socket, "1")).is_some());
        kept.put(key(Caller::Socket, "large"), page(BYTES));
        assert!(kept.get(&key(Caller::Socket, "large")).is_some());
        assert!(kept.get(&key(Caller::Socket, &PAGES.to_string())).is_none());
    }
}
