//! Counts of requested pages.

use std::collections::HashMap;

use comity::shown;
use foldhash::quality::RandomState;
use serde::Serialize;

/// Maximum number of counted pages. A hostile log may have a different page on each line.
const MAX_PAGES: usize = 50_000;

/// Maximum length of a counted path, in bytes. Longer paths are not counted.
const MAX_PATH: usize = 512;

/// Maximum number of pages in a summary.
const MAX_SHOWN: usize = 10;

/// The requests of crawlers for a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogPage {
    /// The path, without its query.
    pub path: String,
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that robots.txt disallows.
    pub disallowed: u64,
}

/// Counts of requests by path.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Requests and disallowed requests by path.
    counts: HashMap<Box<[u8]>, (u64, u64), RandomState>,
}

impl Pages {
    /// Counts a request. After the maximum number of pages, requests for other pages are not counted.
    pub(crate) fn add(&mut self, target: &[u8], is_disallowed: bool) {
        let path = &target[..memchr::memchr(b'?', target).unwrap_or(target.len())];
        if let Some((requests, disallowed)) = self.counts.get_mut(path) {
            *requests += 1;
            *disallowed += u64::from(is_disallowed);
        } else if self.counts.len() < MAX_PAGES && path.len() <= MAX_PATH {
            self.counts.insert(path.into(), (1, u64::from(is_disallowed)));
        }
    }

    /// Returns the pages with the most requests.
    pub(crate) fn top(&self) -> Vec<LogPage> {
        let counts =
            self.counts.iter().map(|(path, (requests, disallowed))| (&**path, *requests, *disallowed));
        let mut all: Vec<(&[u8], u64, u64)> = counts.collect();
        all.sort_unstable_by(|(path, count, _), (other, others, _)| {
            others.cmp(count).then_with(|| path.cmp(other))
        });
        let page = |(path, requests, disallowed)| LogPage {
            path: shown::short(path, 120).into_owned(),
            requests,
            disallowed,
        };
        all.into_iter().take(MAX_SHOWN).map(page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_without_queries_up_to_the_maximum() {
        let mut pages = Pages::default();
        for target in [&b"/a?1"[..], b"/a", b"/b"] {
            pages.add(target, target == b"/a");
        }
        for number in 0..MAX_PAGES {
            pages.add(format!("/c/{number}").as_bytes(), false);
        }
        pages.add(b"/late", false);
        let top = pages.top();
        assert_eq!((top[0].path.as_str(), top[0].requests, top[0].disallowed), ("/a", 2, 1));
        assert_eq!((pages.counts.len(), top.len()), (MAX_PAGES, MAX_SHOWN));
    }
}
