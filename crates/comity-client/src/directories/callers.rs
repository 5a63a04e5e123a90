//! Counts the key directories that are fetched on behalf of each caller.

use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

/// Length of the time window in which the fetches of a caller are counted.
pub(super) const WINDOW: Duration = Duration::from_secs(5 * 60);

/// Maximum number of callers whose fetches are counted.
const MAX_CALLERS: usize = 16_384;

/// Fetch counts of callers. If there are too many callers, the counts of some are evicted and start again at zero.
#[derive(Debug)]
pub(super) struct Callers {
    counts: quick_cache::sync::Cache<String, WindowCount>,
}

/// The number of fetches of a caller in its current window.
#[derive(Clone, Copy, Debug)]
struct WindowCount {
    since: SystemTime,
    fetches: u32,
}

impl Default for Callers {
    fn default() -> Self {
        Callers { counts: quick_cache::sync::Cache::new(MAX_CALLERS) }
    }
}

impl Callers {
    /// Counts a fetch. Returns false if the caller has reached `most` in its window.
    pub(super) fn count(&self, caller: &str, most: NonZeroU32, now: SystemTime) -> bool {
        let fresh = WindowCount { since: now, fetches: 0 };
        let before = self.counts.get(caller).filter(|count| {
            // If the clock was set back, a new window begins.
            now.duration_since(count.since).is_ok_and(|age| age < WINDOW)
        });
        let count = before.unwrap_or(fresh);
        if count.fetches >= most.get() {
            return false;
        }
        self.counts.insert(caller.to_owned(), WindowCount { fetches: count.fetches + 1, ..count });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caller_over_its_limit_is_refused_until_the_window_ends() {
        let callers = Callers::default();
        let most = NonZeroU32::new(2).unwrap();
        let at =
            |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000) + Duration::from_secs(seconds);
        let count = |caller, seconds| callers.count(caller, most, at(seconds));
        assert!(count("a", 0) && count("a", 299) && !count("a", 299));
        assert!(count("b", 299), "each caller has a separate count");
        assert!(count("a", 300) && count("a", 301) && !count("a", 302));
        assert!(count("a", 0), "a window ends if the clock is set back");
    }
}
