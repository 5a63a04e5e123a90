//! A queue of the sitemaps that remain to be fetched in a tree of sitemap indexes. The queue does no I/O: the caller
//! fetches each sitemap and passes in the URLs that the sitemap lists.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Default maximum depth of indexes that list indexes. The protocol forbids nested indexes, but crawlers follow some
/// levels.
pub const MAX_TREE_DEPTH: usize = 10;
/// Default maximum number of sitemaps of one tree that are fetched.
pub const MAX_TREE_SITEMAPS: usize = 50_000;

/// A sitemap to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    url: Arc<str>,
    depth: usize,
}

impl Task {
    /// Returns the URL of the sitemap.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the number of indexes on the path to the sitemap: 0 for the start of the walk.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn shared_url(&self) -> Arc<str> {
        Arc::clone(&self.url)
    }
}

/// A queue of the sitemaps that remain to be fetched in a tree of sitemap indexes. Each sitemap is returned once, in
/// depth-first order: the sitemaps that an index lists precede the next sibling of the index.
///
/// A frontier suits programs that fetch asynchronously; for other programs, [`walk`](super::walk) is simpler. Call
/// [`next_task`](Frontier::next_task), fetch the sitemap, read it with a [`Reader`](super::Reader), and pass every
/// [`Item::Sitemap`](super::Item::Sitemap) to [`feed`](Frontier::feed).
///
/// ```
/// use comity::sitemap::{Frontier, Item, Reader, SkipReason};
///
/// // A real program sends a request here.
/// fn fetch(url: &str) -> &'static str {
///     match url {
///         "https://example.com/index.xml" => "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
///             <sitemap><loc>https://example.com/a.txt</loc></sitemap>
///             <sitemap><loc>https://example.com/index.xml</loc></sitemap></sitemapindex>",
///         _ => "https://example.com/page",
///     }
/// }
///
/// let mut frontier = Frontier::new(["https://example.com/index.xml"]);
/// let mut pages = Vec::new();
/// while let Some(task) = frontier.next_task() {
///     for item in Reader::new(fetch(task.url()).as_bytes()) {
///         match item {
///             Item::Url(url) => pages.push(url.loc),
///             Item::Sitemap(sitemap) => match frontier.feed(&task, &sitemap.loc) {
///                 Ok(()) => {}
///                 Err(refusal) => assert_eq!(refusal, SkipReason::Seen),
///             },
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(pages, ["https://example.com/page"]);
/// ```
#[derive(Clone, Debug)]
pub struct Frontier {
    /// The stack of tasks; the next task is the last element.
    pending: Vec<Task>,
    /// The sitemaps that the current task listed, in order.
    children: Vec<Task>,
    seen: HashSet<String>,
    admitted: usize,
    max_depth: usize,
    max_sitemaps: usize,
}

impl Frontier {
    /// Creates a frontier with the given sitemaps, for instance those that robots.txt names. Repeated sitemaps, and
    /// those after the first [`MAX_TREE_SITEMAPS`], are omitted.
    pub fn new<I: IntoIterator<Item: AsRef<str>>>(urls: I) -> Self {
        let mut frontier = Frontier {
            pending: Vec::new(),
            children: Vec::new(),
            seen: HashSet::new(),
            admitted: 0,
            max_depth: MAX_TREE_DEPTH,
            max_sitemaps: MAX_TREE_SITEMAPS,
        };
        for url in urls {
            let _ = frontier.admit(url.as_ref(), 0);
        }
        frontier
    }

    /// Sets the maximum number of indexes on the path to a sitemap. Default: [`MAX_TREE_DEPTH`].
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets the maximum number of sitemaps to fetch. Default: [`MAX_TREE_SITEMAPS`]. Of the sitemaps passed to
    /// [`new`](Frontier::new), only the first `sitemaps` are kept.
    ///
    /// ```
    /// let mut frontier = comity::sitemap::Frontier::new(["https://a.example/1", "https://a.example/2"]).max_sitemaps(1);
    /// assert_eq!(frontier.next_task().map(|task| task.url().to_owned()).as_deref(), Some("https://a.example/1"));
    /// assert_eq!(frontier.next_task(), None);
    /// ```
    #[must_use]
    pub fn max_sitemaps(mut self, sitemaps: usize) -> Self {
        self.max_sitemaps = sitemaps;
        while self.admitted > sitemaps
            && let Some(task) = self.children.pop()
        {
            self.seen.remove(&identity(&task.url));
            self.admitted -= 1;
        }
        self
    }

    /// Returns the next sitemap to fetch. After `None`, [`feed`](Frontier::feed) may add more.
    pub fn next_task(&mut self) -> Option<Task> {
        self.pending.extend(self.children.drain(..).rev());
        self.pending.pop()
    }

    /// Adds a sitemap that a task listed.
    ///
    /// # Errors
    ///
    /// Returns the reason why the sitemap is not added.
    pub fn feed(&mut self, parent: &Task, url: &str) -> Result<(), SkipReason> {
        self.admit(url, parent.depth + 1)
    }

    /// Records the target URL of a redirect.
    ///
    /// # Errors
    ///
    /// Returns [`SkipReason::Seen`] if the target was fetched before, or is queued.
    pub fn redirected(&mut self, url: &str) -> Result<(), SkipReason> {
        if self.seen.insert(identity(url)) { Ok(()) } else { Err(SkipReason::Seen) }
    }

    fn admit(&mut self, url: &str, depth: usize) -> Result<(), SkipReason> {
        let identity = identity(url);
        if self.seen.contains(&identity) {
            return Err(SkipReason::Seen);
        }
        if depth > self.max_depth {
            return Err(SkipReason::TooDeep);
        }
        if self.admitted >= self.max_sitemaps {
            return Err(SkipReason::TooMany);
        }
        self.seen.insert(identity);
        self.admitted += 1;
        self.children.push(Task { url: url.into(), depth });
        Ok(())
    }
}

/// Returns the key under which a sitemap is recorded as seen: the serialized URL without its fragment.
fn identity(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) => {
            parsed.set_fragment(None);
            parsed.into()
        }
        Err(_) => url.to_owned(),
    }
}

/// The reason why a sitemap is not fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SkipReason {
    /// The sitemap was listed before.
    Seen,
    /// The path to it has too many indexes.
    TooDeep,
    /// The maximum number of sitemaps is reached.
    TooMany,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::Seen => "it was listed before",
            SkipReason::TooDeep => "too many indexes lead to it",
            SkipReason::TooMany => "there are too many sitemaps",
        })
    }
}

impl std::error::Error for SkipReason {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_before_siblings() {
        let mut frontier = Frontier::new(["http://a/1", "http://a/2"]);
        let first = frontier.next_task().unwrap();
        assert_eq!((first.url(), first.depth()), ("http://a/1", 0));
        frontier.feed(&first, "http://a/1a").unwrap();
        frontier.feed(&first, "http://a/1b").unwrap();
        let rest: Vec<_> = std::iter::from_fn(|| frontier.next_task().map(|t| t.url().to_owned())).collect();
        assert_eq!(rest, ["http://a/1a", "http://a/1b", "http://a/2"]);
    }

    #[test]
    fn sitemap_that_is_known_or_above_a_limit_is_rejected() {
        let mut frontier = Frontier::new(["http://a/1"]).max_depth(1).max_sitemaps(2);
        let root = frontier.next_task().unwrap();
        assert_eq!(frontier.feed(&root, "HTTP://A/1#x"), Err(SkipReason::Seen));
        assert_eq!(frontier.feed(&root, "http://a/2"), Ok(()));
        assert_eq!(frontier.feed(&root, "http://a/3"), Err(SkipReason::TooMany));
        let child = frontier.next_task().unwrap();
        assert_eq!(frontier.feed(&child, "http://a/4"), Err(SkipReason::TooDeep));
        assert_eq!(frontier.redirected("http://a/1"), Err(SkipReason::Seen));
        assert_eq!(frontier.redirected("http://a/5"), Ok(()));
        assert_eq!(frontier.next_task(), None);
    }
}
