//! The options for reading a sitemap: limits, and facts that the caller knows.

use std::collections::HashSet;
use std::fmt;

use crate::finding::excerpt;

/// The number of entries that one sitemap or index may hold (sitemaps.org).
pub const MAX_ENTRIES: u64 = 50_000;
/// The number of bytes, uncompressed, that one sitemap or index may have (sitemaps.org: 50 MB).
pub const MAX_BYTES: u64 = 52_428_800;
/// The number of characters from which on a URL is too long. The protocol's prose allows fewer; its schema allows exactly
/// as many.
pub const MAX_LOC: usize = 2_048;
/// The number of images that one page may have (Google).
pub const MAX_IMAGES: u64 = 1_000;
/// The number of news articles that one sitemap may have (Google).
pub const MAX_NEWS: u64 = 1_000;

/// The number of entries after which reading stops, unless the options set another: ten times [`MAX_ENTRIES`].
pub const HARD_MAX_ENTRIES: u64 = 10 * MAX_ENTRIES;
/// The number of bytes after which reading stops, counted both before and after decompression: ten times [`MAX_BYTES`].
pub const HARD_MAX_BYTES: u64 = 10 * MAX_BYTES;
/// The largest factor by which a file may grow when it is uncompressed. Real sitemaps reach about 30; gzip about 1,000.
pub const MAX_RATIO: u64 = 200;
/// The number of bytes from which on [`MAX_RATIO`] counts. A small file may well repeat itself.
pub const RATIO_FROM: u64 = 10 * 1024 * 1024;
/// The depth to which elements may be nested. A video's price is at depth 4.
pub const MAX_DEPTH: usize = 64;
/// The number of attributes of one element that are looked at.
pub const MAX_ATTRIBUTES: usize = 64;
/// The longest tag, comment, CDATA section or line that is read, in bytes.
pub const MAX_TOKEN: usize = 256 * 1024;
/// The number of bytes of one value that are kept.
pub const MAX_VALUE: usize = 16 * 1024;
/// The number of bytes of all values of one entry that are kept.
pub const MAX_ENTRY: usize = 2 * 1024 * 1024;

/// The options for reading a sitemap: its address, its limits, and what happens at the limits.
///
/// ```
/// use comity::sitemap::{Item, ReaderOptions, Reader, Scope};
///
/// let options = ReaderOptions::new().at("https://example.com/shop/sitemap.xml")?.scope(Scope::Drop);
/// let text = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
///     <url><loc>https://example.com/shop/a</loc></url>
///     <url><loc>/shop/b</loc></url>
///     <url><loc>https://example.com/blog/c</loc></url></urlset>";
///
/// let mut locs = Vec::new();
/// let mut findings = Vec::new();
/// for item in Reader::with_options(text.as_bytes(), options) {
///     match item {
///         Item::Url(url) => locs.push(url.loc),
///         Item::Finding(finding) => findings.push(finding.code()),
///         _ => {}
///     }
/// }
/// assert_eq!(locs, ["https://example.com/shop/a", "https://example.com/shop/b"]);
/// assert_eq!(findings, ["sitemap-relative-loc", "sitemap-outside-folder"]);
/// # Ok::<(), comity::sitemap::BadBase>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderOptions {
    pub(super) base: Option<url::Url>,
    pub(super) scope: Scope,
    pub(super) proven: HashSet<String>,
    pub(super) max_entries: u64,
    pub(super) max_bytes: u64,
    pub(super) max_loc: usize,
    pub(super) max_images: u64,
    pub(super) max_news: u64,
    pub(super) hard_max_entries: u64,
    pub(super) hard_max_bytes: u64,
    pub(super) max_ratio: u64,
    pub(super) stop_at_limits: bool,
    pub(super) find_duplicates: bool,
}

/// The treatment of a URL that the sitemap may not list because of its own place.
///
/// A sitemap at `https://h/dir/s.xml` may list URLs that start with `https://h/dir/`, and those of hosts that are
/// [proven](ReaderOptions::proven_host); an index may list sitemaps on its own host. Needs [`ReaderOptions::at`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Nothing happens.
    #[default]
    Any,
    /// It is reported and kept.
    Report,
    /// It is reported and dropped, as the protocol says.
    Drop,
}

impl Default for ReaderOptions {
    fn default() -> Self {
        ReaderOptions {
            base: None,
            scope: Scope::Any,
            proven: HashSet::new(),
            max_entries: MAX_ENTRIES,
            max_bytes: MAX_BYTES,
            max_loc: MAX_LOC,
            max_images: MAX_IMAGES,
            max_news: MAX_NEWS,
            hard_max_entries: HARD_MAX_ENTRIES,
            hard_max_bytes: HARD_MAX_BYTES,
            max_ratio: MAX_RATIO,
            stop_at_limits: false,
            find_duplicates: false,
        }
    }
}

impl ReaderOptions {
    /// Makes the default options: the protocol's limits are reported, reading stops at ten times as much, and no address
    /// is known.
    pub fn new() -> Self {
        ReaderOptions::default()
    }

    /// Sets the URL of the sitemap. Relative URLs are resolved against it, and [`ReaderOptions::scope`] measures by it.
    ///
    /// # Errors
    ///
    /// [`BadBase`] unless it is an absolute http or https URL.
    pub fn at(mut self, url: &str) -> Result<Self, BadBase> {
        let bad = || BadBase { url: excerpt(url) };
        let base = url::Url::parse(url).map_err(|_| bad())?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad());
        }
        self.base = Some(base);
        Ok(self)
    }

    /// Sets what happens to URLs outside the sitemap's scope. Default: [`Scope::Any`].
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Says that the robots.txt of a host names this sitemap, which may therefore list any URL of that host
    /// (cross-submission). May be repeated.
    #[must_use]
    pub fn proven_host(mut self, host: &str) -> Self {
        self.proven.insert(host.to_ascii_lowercase());
        self
    }

    /// Sets the number of entries beyond which there is a finding. Default: [`MAX_ENTRIES`].
    #[must_use]
    pub fn max_entries(mut self, entries: u64) -> Self {
        self.max_entries = entries;
        self
    }

    /// Sets the number of bytes of the uncompressed file beyond which there is a finding. Default: [`MAX_BYTES`].
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the number of characters of a URL beyond which there is a finding. Default: [`MAX_LOC`].
    #[must_use]
    pub fn max_loc(mut self, characters: usize) -> Self {
        self.max_loc = characters;
        self
    }

    /// Sets the number of images of one page beyond which there is a finding. Default: [`MAX_IMAGES`].
    #[must_use]
    pub fn max_images(mut self, images: u64) -> Self {
        self.max_images = images;
        self
    }

    /// Sets the number of news articles of one file beyond which there is a finding. Default: [`MAX_NEWS`].
    #[must_use]
    pub fn max_news(mut self, articles: u64) -> Self {
        self.max_news = articles;
        self
    }

    /// Sets the number of entries after which reading stops in any case. Default: [`HARD_MAX_ENTRIES`].
    #[must_use]
    pub fn hard_max_entries(mut self, entries: u64) -> Self {
        self.hard_max_entries = entries;
        self
    }

    /// Sets the number of bytes, compressed or not, after which reading stops in any case. Default: [`HARD_MAX_BYTES`].
    #[must_use]
    pub fn hard_max_bytes(mut self, bytes: u64) -> Self {
        self.hard_max_bytes = bytes;
        self
    }

    /// Sets how many times larger than its compressed form a file may become. Default: [`MAX_RATIO`].
    #[must_use]
    pub fn max_ratio(mut self, ratio: u64) -> Self {
        self.max_ratio = ratio;
        self
    }

    /// Sets whether reading stops at the limits for entries and bytes, and drops images and news beyond theirs, rather
    /// than reporting them and going on. Default: no.
    #[must_use]
    pub fn stop_at_limits(mut self, stop: bool) -> Self {
        self.stop_at_limits = stop;
        self
    }

    /// Sets whether URLs that occur again are reported, which takes some 20 bytes of memory per entry. Default: no.
    #[must_use]
    pub fn find_duplicates(mut self, find: bool) -> Self {
        self.find_duplicates = find;
        self
    }
}

/// The error for a text that cannot be the URL of a sitemap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadBase {
    url: String,
}

impl fmt::Display for BadBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not an absolute http or https URL", self.url)
    }
}

impl std::error::Error for BadBase {}
