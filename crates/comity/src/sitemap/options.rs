//! Options for reading a sitemap.

use std::collections::HashSet;
use std::fmt;

use crate::finding::excerpt;

/// Maximum number of entries in one sitemap or index (sitemaps.org).
pub const MAX_ENTRIES: u64 = 50_000;
/// Maximum size of one sitemap or index in bytes, uncompressed (sitemaps.org: 50 MB).
pub const MAX_BYTES: u64 = 52_428_800;
/// Maximum length of a URL in characters. The protocol's prose permits only shorter URLs; its schema permits this
/// length.
pub const MAX_LOC: usize = 2_048;
/// Maximum number of images of one page (Google).
pub const MAX_IMAGES: u64 = 1_000;
/// Maximum number of news articles in one sitemap (Google).
pub const MAX_NEWS: u64 = 1_000;

/// Default number of entries after which reading stops: ten times [`MAX_ENTRIES`].
pub const HARD_MAX_ENTRIES: u64 = 10 * MAX_ENTRIES;
/// Default number of bytes after which reading stops, counted both before and after decompression: ten times
/// [`MAX_BYTES`].
pub const HARD_MAX_BYTES: u64 = 10 * MAX_BYTES;
/// Maximum ratio of the uncompressed size to the compressed size. Real sitemaps reach about 30; gzip reaches about
/// 1,000.
pub const MAX_RATIO: u64 = 200;
/// Minimum uncompressed size for [`MAX_RATIO`] to apply, in bytes. Small valid files may have a higher ratio.
pub const RATIO_FROM: u64 = 10 * 1024 * 1024;
/// Maximum nesting depth of elements. A video's price is at depth 4.
pub const MAX_DEPTH: usize = 64;
/// Maximum number of attributes of one element that are read.
pub const MAX_ATTRIBUTES: usize = 64;
/// Maximum length of a tag, comment, CDATA section or line, in bytes.
pub const MAX_TOKEN: usize = 256 * 1024;
/// Maximum size of one value in bytes. The rest is dropped.
pub const MAX_VALUE: usize = 16 * 1024;
/// Maximum size of all extensions of one entry in bytes. The rest is dropped.
pub const MAX_ENTRY: usize = 2 * 1024 * 1024;

/// Options for reading a sitemap: its URL, its limits, and the behaviour at the limits.
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

/// The treatment of a URL that the protocol does not permit in the sitemap.
///
/// A sitemap at `https://h/dir/s.xml` may list URLs that start with `https://h/dir/`, and URLs of hosts that are
/// [proven](ReaderOptions::proven_host). An index may list sitemaps on its own and on proven hosts. If the URL of
/// the sitemap is unknown ([`ReaderOptions::at`] was not called), the scope has no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The URL is returned without a finding.
    #[default]
    Any,
    /// The URL is returned with a finding.
    Report,
    /// The URL is dropped with a finding, as the protocol requires.
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
    /// Creates the default options. A file above the protocol's limits causes a finding, reading stops at ten times
    /// these limits, and the URL of the sitemap is unknown.
    pub fn new() -> Self {
        ReaderOptions::default()
    }

    /// Sets the URL of the sitemap. It is the base of relative URLs, and [`ReaderOptions::scope`] depends on it.
    ///
    /// # Errors
    ///
    /// Returns [`BadBase`] unless `url` is an absolute http or https URL.
    pub fn at(mut self, url: &str) -> Result<Self, BadBase> {
        let bad = || BadBase { url: excerpt(url) };
        let base = url::Url::parse(url).map_err(|_| bad())?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad());
        }
        self.base = Some(base);
        Ok(self)
    }

    /// Sets the treatment of URLs outside the sitemap's scope. Default: [`Scope::Any`].
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Declares that the robots.txt of a host names this sitemap. The sitemap may then list any URL of that host
    /// (cross-submission). May be called several times.
    #[must_use]
    pub fn proven_host(mut self, host: &str) -> Self {
        self.proven.insert(host.to_ascii_lowercase());
        self
    }

    /// Sets the number of entries above which a finding is reported. Default: [`MAX_ENTRIES`].
    #[must_use]
    pub fn max_entries(mut self, entries: u64) -> Self {
        self.max_entries = entries;
        self
    }

    /// Sets the uncompressed size in bytes above which a finding is reported. Default: [`MAX_BYTES`].
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the length of a URL in characters above which a finding is reported. Default: [`MAX_LOC`].
    #[must_use]
    pub fn max_loc(mut self, characters: usize) -> Self {
        self.max_loc = characters;
        self
    }

    /// Sets the number of images of one page above which a finding is reported. Default: [`MAX_IMAGES`].
    #[must_use]
    pub fn max_images(mut self, images: u64) -> Self {
        self.max_images = images;
        self
    }

    /// Sets the number of news articles of one file above which a finding is reported. Default: [`MAX_NEWS`].
    #[must_use]
    pub fn max_news(mut self, articles: u64) -> Self {
        self.max_news = articles;
        self
    }

    /// Sets the number of entries after which reading always stops. Default: [`HARD_MAX_ENTRIES`].
    #[must_use]
    pub fn hard_max_entries(mut self, entries: u64) -> Self {
        self.hard_max_entries = entries;
        self
    }

    /// Sets the number of bytes, compressed or not, after which reading always stops. Default: [`HARD_MAX_BYTES`].
    #[must_use]
    pub fn hard_max_bytes(mut self, bytes: u64) -> Self {
        self.hard_max_bytes = bytes;
        self
    }

    /// Sets the maximum ratio of a file's uncompressed size to its compressed size. Default: [`MAX_RATIO`].
    #[must_use]
    pub fn max_ratio(mut self, ratio: u64) -> Self {
        self.max_ratio = ratio;
        self
    }

    /// Sets whether the protocol's limits are strict. If true, reading stops at the limits for entries and bytes, and
    /// images and news articles beyond their limits are dropped. If false, the excess is reported and reading
    /// continues. Default: false.
    #[must_use]
    pub fn stop_at_limits(mut self, stop: bool) -> Self {
        self.stop_at_limits = stop;
        self
    }

    /// Sets whether repeated URLs are reported, which requires about 20 bytes of memory per entry. Default: false.
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
