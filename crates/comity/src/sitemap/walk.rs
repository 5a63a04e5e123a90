//! Walks a tree of sitemap indexes and fetches each sitemap with a function of the caller.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

use super::entry::Item;
use super::frontier::{Frontier, SkipReason, Task};
use super::options::ReaderOptions;
use super::reader::{Reader, Summary};

/// Default maximum number of entries of one tree that are read.
pub const MAX_TREE_ENTRIES: u64 = 10_000_000;
/// Default maximum number of uncompressed bytes of one tree that are read.
pub const MAX_TREE_BYTES: u64 = 10 * 1024 * 1024 * 1024;

/// Returns an iterator that reads a sitemap and, if it is an index, every sitemap below it, in the order of the index.
///
/// `fetch` takes a URL and returns the body as a reader, or an error. The walk returns the error as a step and
/// continues with the next sitemap. Each sitemap is fetched once, however often it is listed.
///
/// ```
/// use comity::sitemap::{Item, Step, walk};
///
/// let fetch = |url: &str| match url {
///     "https://example.com/index.xml" => Ok(&b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
///         <sitemap><loc>https://example.com/gone.xml</loc></sitemap>
///         <sitemap><loc>https://example.com/a.txt</loc></sitemap></sitemapindex>"[..]),
///     "https://example.com/a.txt" => Ok(&b"https://example.com/page"[..]),
///     _ => Err("404"),
/// };
///
/// let mut lines = Vec::new();
/// for step in walk("https://example.com/index.xml", fetch) {
///     match step {
///         Step::Item { item: Item::Url(url), .. } => lines.push(url.loc),
///         Step::Failed { sitemap, error, .. } => lines.push(format!("{sitemap}: {error}")),
///         _ => {}
///     }
/// }
/// assert_eq!(lines, ["https://example.com/gone.xml: 404", "https://example.com/page"]);
/// ```
pub fn walk<F, R, E>(url: &str, fetch: F) -> Walk<F, R>
where
    F: FnMut(&str) -> Result<R, E>,
    R: Read,
{
    Walk::new(Frontier::new([url]), fetch)
}

/// A walk over a tree of sitemaps: an iterator of [steps](Step).
pub struct Walk<F, R> {
    fetch: F,
    frontier: Frontier,
    options: ReaderOptions,
    current: Option<(Task, Reader<R>)>,
    entries_left: u64,
    bytes_left: u64,
    is_stopped: bool,
}

/// A step of a walk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step<E> {
    /// A sitemap was fetched and will be read.
    #[non_exhaustive]
    Opened {
        /// The URL of the sitemap.
        sitemap: Arc<str>,
        /// The number of indexes on the path to it.
        depth: usize,
    },
    /// An entry of the sitemap, or a finding. A sitemap that an index lists is also an entry.
    #[non_exhaustive]
    Item {
        /// The URL of the sitemap.
        sitemap: Arc<str>,
        /// The entry or finding.
        item: Item,
    },
    /// A listed sitemap is skipped.
    #[non_exhaustive]
    Refused {
        /// The URL of the sitemap that lists it.
        sitemap: Arc<str>,
        /// The URL that is listed.
        loc: String,
        /// The reason why it is skipped.
        refusal: SkipReason,
    },
    /// A sitemap could not be fetched.
    #[non_exhaustive]
    Failed {
        /// The URL of the sitemap.
        sitemap: Arc<str>,
        /// The error of the fetch function.
        error: E,
    },
    /// A sitemap was read.
    #[non_exhaustive]
    Ended {
        /// The URL of the sitemap.
        sitemap: Arc<str>,
        /// The properties of the sitemap.
        summary: Summary,
    },
    /// The walk ends early, because the tree is too large.
    Stopped,
}

impl<F, R, E> Walk<F, R>
where
    F: FnMut(&str) -> Result<R, E>,
    R: Read,
{
    /// Creates a walk over a frontier, which may start with several sitemaps and have its own limits.
    pub fn new(frontier: Frontier, fetch: F) -> Self {
        Walk {
            fetch,
            frontier,
            options: ReaderOptions::default(),
            current: None,
            entries_left: MAX_TREE_ENTRIES,
            bytes_left: MAX_TREE_BYTES,
            is_stopped: false,
        }
    }

    /// Sets the options for reading each sitemap. The walk sets [`ReaderOptions::at`] itself.
    #[must_use]
    pub fn options(mut self, options: ReaderOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the maximum number of entries that are read in total. Default: [`MAX_TREE_ENTRIES`].
    #[must_use]
    pub fn max_entries(mut self, entries: u64) -> Self {
        self.entries_left = entries;
        self
    }

    /// Sets the maximum number of uncompressed bytes that are read in total. Default: [`MAX_TREE_BYTES`].
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.bytes_left = bytes;
        self
    }

    /// Fetches the next sitemap.
    fn open(&mut self) -> Option<Step<E>> {
        let task = self.frontier.next_task()?;
        if self.bytes_left == 0 {
            return self.stop();
        }
        let sitemap = task.shared_url();
        let body = match (self.fetch)(task.url()) {
            Ok(body) => body,
            Err(error) => return Some(Step::Failed { sitemap, error }),
        };
        let options = self.options.clone();
        let hard_max_bytes = options.hard_max_bytes.min(self.bytes_left);
        let options = match options.clone().at(task.url()) {
            Ok(options) => options,
            // A caller may fetch URLs with other schemes, whose bodies are read without a base URL.
            Err(_) => options,
        };
        let depth = task.depth();
        let reader = Reader::with_options(body, options.hard_max_bytes(hard_max_bytes));
        self.current = Some((task, reader));
        Some(Step::Opened { sitemap, depth })
    }

    fn stop(&mut self) -> Option<Step<E>> {
        self.is_stopped = true;
        self.current = None;
        Some(Step::Stopped)
    }

    fn take(&mut self, task: &Task, item: Item) -> Option<Step<E>> {
        let sitemap = task.shared_url();
        if matches!(item, Item::Finding(_)) {
            return Some(Step::Item { sitemap, item });
        }
        if self.entries_left == 0 {
            return self.stop();
        }
        self.entries_left -= 1;
        if let Item::Sitemap(listed) = &item
            && let Err(refusal) = self.frontier.feed(task, &listed.loc)
        {
            return Some(Step::Refused { sitemap, loc: listed.loc.clone(), refusal });
        }
        Some(Step::Item { sitemap, item })
    }
}

impl<F, R, E> Iterator for Walk<F, R>
where
    F: FnMut(&str) -> Result<R, E>,
    R: Read,
{
    type Item = Step<E>;

    fn next(&mut self) -> Option<Step<E>> {
        if self.is_stopped {
            return None;
        }
        let Some((task, mut reader)) = self.current.take() else { return self.open() };
        match reader.next() {
            Some(item) => {
                let step = self.take(&task, item);
                if !self.is_stopped {
                    self.current = Some((task, reader));
                }
                step
            }
            None => {
                let summary = reader.summary();
                self.bytes_left = self.bytes_left.saturating_sub(summary.bytes());
                Some(Step::Ended { sitemap: task.shared_url(), summary })
            }
        }
    }
}

impl<F, R> fmt::Debug for Walk<F, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("frontier", &self.frontier).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>";

    /// Returns a site whose indexes are the URLs that end with a slash and a number. Each index lists itself and the
    /// next one.
    fn endless(url: &str) -> Result<std::io::Cursor<String>, ()> {
        let number: u64 = url.rsplit('/').next().and_then(|number| number.parse().ok()).ok_or(())?;
        let list = |number: u64| format!("<sitemap><loc>http://a/{number}</loc></sitemap>");
        let text = format!("{INDEX}{}{}</sitemapindex>", list(number), list(number + 1));
        Ok(std::io::Cursor::new(text))
    }

    #[test]
    fn walk_of_cycles_and_endless_depth_ends() {
        let steps: Vec<_> = walk("http://a/0", endless).collect();
        let opened = steps.iter().filter(|step| matches!(step, Step::Opened { .. })).count();
        assert_eq!(opened, super::super::frontier::MAX_TREE_DEPTH + 1);
        let refused = |wanted| {
            steps.iter().filter(|s| matches!(s, Step::Refused { refusal, .. } if *refusal == wanted)).count()
        };
        assert_eq!(refused(SkipReason::Seen), opened);
        assert_eq!(refused(SkipReason::TooDeep), 1);
    }

    #[test]
    fn walk_above_the_limits_of_a_tree_stops() {
        let steps: Vec<_> = walk("http://a/0", endless).max_entries(5).collect();
        assert_eq!(steps.last(), Some(&Step::Stopped));
        let entries = steps.iter().filter(|s| matches!(s, Step::Item { .. } | Step::Refused { .. })).count();
        assert_eq!(entries, 5);
        let steps: Vec<_> = walk("http://a/0", endless).max_bytes(150).collect();
        assert_eq!(steps.last(), Some(&Step::Stopped));
    }

    #[test]
    fn scope_of_a_child_is_its_own_location() {
        let fetch = |url: &str| -> Result<&[u8], ()> {
            Ok(match url {
                "http://a/index.xml" => {
                    b"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                      <sitemap><loc>sub/map.xml</loc></sitemap></sitemapindex>"
                }
                _ => {
                    b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                       <url><loc>page</loc></url></urlset>"
                }
            })
        };
        let pages: Vec<String> = walk("http://a/index.xml", fetch)
            .filter_map(|step| match step {
                Step::Item { item: Item::Url(url), .. } => Some(url.loc),
                _ => None,
            })
            .collect();
        assert_eq!(pages, ["http://a/sub/page"]);
    }
}
