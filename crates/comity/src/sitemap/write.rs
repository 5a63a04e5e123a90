//! Writes one file, and only valid entries.
//!
//! An entry is put together in memory first. So an entry that is refused or no longer fits leaves no trace in the file.

use std::fmt::{self, Display, Write as _};
use std::io;

use super::draft::{MAX_VIDEO_DESCRIPTION, MAX_VIDEO_DURATION, MAX_VIDEO_TAGS};
use super::entry::{Image, News, Price, Sitemap, Url, Video, VideoRestriction, is_hreflang};
use super::options::{MAX_BYTES, MAX_ENTRIES, MAX_IMAGES, MAX_LOC, MAX_NEWS, MAX_VALUE};
use crate::finding::excerpt;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
const EXTENSIONS: &str = " xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\"\
    \n xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\"\
    \n xmlns:video=\"http://www.google.com/schemas/sitemap-video/1.1\"\
    \n xmlns:xhtml=\"http://www.w3.org/1999/xhtml\"";

/// The reason why something was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The entry does not fit: the file has reached a limit of the protocol. It belongs in the next one.
    Full,
    /// The entry is not valid.
    Invalid(InvalidEntry),
    /// The output reported an error.
    Io(io::Error),
}

impl Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Full => f.write_str("the sitemap is full"),
            WriteError::Invalid(invalid) => invalid.fmt(f),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

impl From<InvalidEntry> for WriteError {
    fn from(invalid: InvalidEntry) -> Self {
        WriteError::Invalid(invalid)
    }
}

/// An entry that may not stand in a sitemap, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEntry {
    element: &'static str,
    value: String,
    problem: String,
}

impl InvalidEntry {
    fn new(element: &'static str, value: &str, problem: impl Into<String>) -> Self {
        InvalidEntry { element, value: excerpt(value), problem: problem.into() }
    }

    /// Returns the element that is wrong: `loc`, `video:title`.
    pub fn element(&self) -> &str {
        self.element
    }
}

impl Display for InvalidEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` {}", self.element, self.value, self.problem)
    }
}

impl std::error::Error for InvalidEntry {}

/// Writes one sitemap: `<urlset>`.
///
/// Stops short of the protocol's limits with [`WriteError::Full`]; [`SplitWriter`](super::SplitWriter) then starts
/// another file.
///
/// ```
/// use comity::sitemap::{Url, UrlsetWriter};
///
/// let mut writer = UrlsetWriter::new(Vec::new())?;
/// writer.write(&Url::new("https://example.com/?a=1&b=2"))?;
/// assert!(writer.write(&Url::new("/relative")).is_err());
/// let bytes = writer.finish()?;
///
/// assert_eq!(
///     String::from_utf8_lossy(&bytes),
///     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
///      <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
///      <url><loc>https://example.com/?a=1&amp;b=2</loc></url>\n\
///      </urlset>\n"
/// );
/// # Ok::<(), comity::sitemap::WriteError>(())
/// ```
#[derive(Debug)]
pub struct UrlsetWriter<W> {
    file: Sheet<W>,
    is_extended: bool,
    news: u64,
}

impl<W: io::Write> UrlsetWriter<W> {
    /// Starts a sitemap without extensions; entries that need them are refused.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`], as for everything that writes.
    pub fn new(out: W) -> Result<Self, WriteError> {
        Ok(UrlsetWriter { file: Sheet::new(out, "urlset", "")?, is_extended: false, news: 0 })
    }

    /// Starts a sitemap with the namespaces of the extensions for images, videos, news and languages.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn with_extensions(out: W) -> Result<Self, WriteError> {
        let extensions = format!("\n{EXTENSIONS}");
        Ok(UrlsetWriter { file: Sheet::new(out, "urlset", &extensions)?, is_extended: true, news: 0 })
    }

    /// Stops at lower limits than the protocol's.
    #[must_use]
    pub fn limits(mut self, entries: u64, bytes: u64) -> Self {
        self.file.limit(entries, bytes);
        self
    }

    /// Adds a page.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`], [`WriteError::Invalid`] (both leave the file as it was), [`WriteError::Io`].
    pub fn write(&mut self, url: &Url) -> Result<(), WriteError> {
        if url.is_extended() && !self.is_extended {
            let problem = "has extensions, which this sitemap does not declare";
            return Err(InvalidEntry::new("url", &url.loc, problem).into());
        }
        if url.news.is_some() && self.news >= MAX_NEWS {
            return Err(WriteError::Full);
        }
        let entry = page(url)?;
        self.file.write(&entry)?;
        self.news += u64::from(url.news.is_some());
        Ok(())
    }

    /// Returns the number of entries written.
    pub fn entries(&self) -> u64 {
        self.file.entries
    }

    /// Ends the file and gives back the output, flushed.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn finish(self) -> Result<W, WriteError> {
        self.file.finish()
    }
}

/// Writes one index: `<sitemapindex>`.
///
/// ```
/// use comity::sitemap::{IndexWriter, Sitemap};
///
/// let mut writer = IndexWriter::new(Vec::new())?;
/// writer.write(&Sitemap::new("https://example.com/sitemap-1.xml"))?;
/// let text = String::from_utf8_lossy(&writer.finish()?).into_owned();
/// assert!(text.contains("<sitemap><loc>https://example.com/sitemap-1.xml</loc></sitemap>\n</sitemapindex>"));
/// # Ok::<(), comity::sitemap::WriteError>(())
/// ```
#[derive(Debug)]
pub struct IndexWriter<W> {
    file: Sheet<W>,
}

impl<W: io::Write> IndexWriter<W> {
    /// Starts an index.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn new(out: W) -> Result<Self, WriteError> {
        Ok(IndexWriter { file: Sheet::new(out, "sitemapindex", "")? })
    }

    /// Adds a sitemap.
    ///
    /// # Errors
    ///
    /// The errors are those of [`UrlsetWriter::write`].
    pub fn write(&mut self, sitemap: &Sitemap) -> Result<(), WriteError> {
        let mut entry = Markup::default();
        entry.raw("<sitemap>");
        entry.url("loc", &sitemap.loc)?;
        entry.optional("lastmod", sitemap.lastmod.as_ref())?;
        entry.raw("</sitemap>\n");
        self.file.write(&entry.text)
    }

    /// Ends the file and gives back the output, flushed.
    ///
    /// # Errors
    ///
    /// [`WriteError::Io`].
    pub fn finish(self) -> Result<W, WriteError> {
        self.file.finish()
    }
}

/// A file with a root element, and its limits.
#[derive(Debug)]
struct Sheet<W> {
    out: W,
    root: &'static str,
    entries: u64,
    bytes: u64,
    max_entries: u64,
    max_bytes: u64,
}

impl<W: io::Write> Sheet<W> {
    fn new(mut out: W, root: &'static str, more: &str) -> Result<Self, WriteError> {
        let head = format!("{DECLARATION}<{root} xmlns=\"{NAMESPACE}\"{more}>\n");
        out.write_all(head.as_bytes())?;
        let bytes = head.len() as u64;
        Ok(Sheet { out, root, entries: 0, bytes, max_entries: MAX_ENTRIES, max_bytes: MAX_BYTES })
    }

    fn limit(&mut self, entries: u64, bytes: u64) {
        self.max_entries = entries.min(MAX_ENTRIES);
        self.max_bytes = bytes.min(MAX_BYTES);
    }

    fn tail(&self) -> String {
        format!("</{}>\n", self.root)
    }

    fn write(&mut self, entry: &str) -> Result<(), WriteError> {
        let bytes = self.bytes + entry.len() as u64;
        if self.entries >= self.max_entries || bytes + self.tail().len() as u64 > self.max_bytes {
            return Err(WriteError::Full);
        }
        self.out.write_all(entry.as_bytes())?;
        self.bytes = bytes;
        self.entries += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<W, WriteError> {
        let tail = self.tail();
        self.out.write_all(tail.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// An entry in the making.
#[derive(Debug, Default)]
struct Markup {
    text: String,
}

impl Markup {
    fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.raw("&amp;"),
                '<' => self.raw("&lt;"),
                '>' => self.raw("&gt;"),
                '"' => self.raw("&quot;"),
                '\'' => self.raw("&apos;"),
                c => self.text.push(c),
            }
        }
    }

    /// `<element>value</element>`, the value being free text.
    fn element(&mut self, element: &'static str, value: &str) -> Result<(), InvalidEntry> {
        self.element_with(element, &[], value)
    }

    fn element_with(
        &mut self,
        element: &'static str,
        attributes: &[(&str, &str)],
        value: &str,
    ) -> Result<(), InvalidEntry> {
        for text in attributes.iter().map(|(_, value)| *value).chain([value]) {
            if let Some(c) = text.chars().find(|&c| !is_xml_character(c)) {
                let problem = format!("has the character U+{:04X}, which XML cannot hold", u32::from(c));
                return Err(InvalidEntry::new(element, text, problem));
            }
            if text.len() > MAX_VALUE {
                return Err(InvalidEntry::new(element, text, format!("is longer than {MAX_VALUE} bytes")));
            }
        }
        self.raw("<");
        self.raw(element);
        for (name, value) in attributes {
            // Writing to a `String` cannot fail.
            let _ = write!(self.text, " {name}=\"");
            self.escaped(value);
            self.raw("\"");
        }
        self.raw(">");
        self.escaped(value);
        self.raw("</");
        self.raw(element);
        self.raw(">");
        Ok(())
    }

    /// Returns a value, if there is one.
    fn optional<T: Display>(&mut self, element: &'static str, value: Option<T>) -> Result<(), InvalidEntry> {
        value.map_or(Ok(()), |value| self.element(element, &value.to_string()))
    }

    /// Returns a value that must not be empty.
    fn required(&mut self, element: &'static str, value: &str) -> Result<(), InvalidEntry> {
        if value.trim().is_empty() {
            return Err(InvalidEntry::new(element, value, "is required"));
        }
        self.element(element, value)
    }

    /// Returns an absolute, escaped URL.
    fn url(&mut self, element: &'static str, value: &str) -> Result<(), InvalidEntry> {
        check_url(element, value)?;
        self.element(element, value)
    }

    fn yes_or_no(&mut self, element: &'static str, value: Option<bool>) -> Result<(), InvalidEntry> {
        self.optional(element, value.map(|value| if value { "yes" } else { "no" }))
    }

    /// Returns a number in a range.
    fn number(
        &mut self,
        element: &'static str,
        value: Option<f32>,
        range: std::ops::RangeInclusive<f32>,
    ) -> Result<(), InvalidEntry> {
        let Some(value) = value else { return Ok(()) };
        if !range.contains(&value) {
            let problem = format!("is not between {} and {}", range.start(), range.end());
            return Err(InvalidEntry::new(element, &value.to_string(), problem));
        }
        self.element(element, &value.to_string())
    }
}

fn is_xml_character(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}') || matches!(c, '\t' | '\n')
}

/// Returns an http or https URL as RFC 3986 has it, shorter than the limit.
fn check_url(element: &'static str, text: &str) -> Result<(), InvalidEntry> {
    let refuse = |problem: String| Err(InvalidEntry::new(element, text, problem));
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let Some(Ok(url)) = rest.map(|_| url::Url::parse(text)) else {
        return refuse("is not an absolute http or https URL".to_owned());
    };
    if let Some(c) = text.chars().find(|&c| !is_url_character(c)) {
        return refuse(format!(
            "has `{}`, which must be escaped: write {}",
            c.escape_debug(),
            excerpt(url.as_str())
        ));
    }
    if text.contains("&amp;") {
        return refuse("has `&amp;`: give URLs as they are; escaping is done when writing".to_owned());
    }
    if text.len() >= MAX_LOC {
        return refuse(format!("has {} characters; fewer than {MAX_LOC} are allowed", text.len()));
    }
    Ok(())
}

/// RFC 3986's reserved and unreserved characters, and `%`.
fn is_url_character(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

/// `<url>` with everything in it.
fn page(url: &Url) -> Result<String, InvalidEntry> {
    let mut entry = Markup::default();
    entry.raw("<url>");
    entry.url("loc", &url.loc)?;
    entry.optional("lastmod", url.lastmod.as_ref())?;
    entry.optional("changefreq", url.changefreq)?;
    entry.number("priority", url.priority, 0.0..=1.0)?;
    for alternate in &url.alternates {
        if !is_hreflang(&alternate.hreflang) {
            let problem = "is neither a language nor `x-default`";
            return Err(InvalidEntry::new("xhtml:link", &alternate.hreflang, problem));
        }
        check_url("xhtml:link", &alternate.href)?;
        entry.raw("\n <xhtml:link rel=\"alternate\" hreflang=\"");
        entry.escaped(&alternate.hreflang);
        entry.raw("\" href=\"");
        entry.escaped(&alternate.href);
        entry.raw("\"/>");
    }
    if url.images.len() as u64 > MAX_IMAGES {
        let problem = format!("has {} images; at most {MAX_IMAGES} are allowed", url.images.len());
        return Err(InvalidEntry::new("image:image", &url.loc, problem));
    }
    for image in &url.images {
        self::image(&mut entry, image)?;
    }
    for video in &url.videos {
        self::video(&mut entry, video)?;
    }
    if let Some(news) = &url.news {
        self::news(&mut entry, news)?;
    }
    entry.raw(if url.is_extended() { "\n</url>\n" } else { "</url>\n" });
    Ok(entry.text)
}

fn image(entry: &mut Markup, image: &Image) -> Result<(), InvalidEntry> {
    entry.raw("\n <image:image>");
    entry.url("image:loc", &image.loc)?;
    entry.optional("image:caption", image.caption.as_ref())?;
    entry.optional("image:geo_location", image.geo_location.as_ref())?;
    entry.optional("image:title", image.title.as_ref())?;
    entry.optional("image:license", image.license.as_ref())?;
    entry.raw("</image:image>");
    Ok(())
}

fn video(entry: &mut Markup, video: &Video) -> Result<(), InvalidEntry> {
    check_video(video)?;
    entry.raw("\n <video:video>");
    entry.url("video:thumbnail_loc", &video.thumbnail_loc)?;
    entry.required("video:title", &video.title)?;
    entry.required("video:description", &video.description)?;
    for (element, loc) in [("video:content_loc", &video.content_loc), ("video:player_loc", &video.player_loc)]
    {
        if let Some(loc) = loc {
            entry.url(element, loc)?;
        }
    }
    entry.optional("video:duration", video.duration)?;
    entry.optional("video:expiration_date", video.expiration_date.as_ref())?;
    entry.number("video:rating", video.rating, 0.0..=5.0)?;
    entry.optional("video:view_count", video.view_count)?;
    entry.optional("video:publication_date", video.publication_date.as_ref())?;
    entry.yes_or_no("video:family_friendly", video.family_friendly)?;
    for tag in &video.tags {
        entry.element("video:tag", tag)?;
    }
    entry.optional("video:category", video.category.as_ref())?;
    restriction(entry, "video:restriction", video.restriction.as_ref())?;
    if let Some(gallery) = &video.gallery_loc {
        entry.url("video:gallery_loc", gallery)?;
    }
    for price in &video.prices {
        self::price(entry, price)?;
    }
    entry.yes_or_no("video:requires_subscription", video.requires_subscription)?;
    if let Some(uploader) = &video.uploader {
        let info = video.uploader_info.as_deref().map(|info| ("info", info));
        entry.element_with("video:uploader", info.as_slice(), uploader)?;
    }
    restriction(entry, "video:platform", video.platform.as_ref())?;
    entry.yes_or_no("video:live", video.live)?;
    entry.raw("</video:video>");
    Ok(())
}

fn check_video(video: &Video) -> Result<(), InvalidEntry> {
    let refuse = |element, value: &str, problem: &str| Err(InvalidEntry::new(element, value, problem));
    if video.content_loc.is_none() && video.player_loc.is_none() {
        return refuse("video:video", &video.title, "has neither content_loc nor player_loc");
    }
    if video.description.chars().count() > MAX_VIDEO_DESCRIPTION {
        return refuse("video:description", &video.description, "is longer than 2048 characters");
    }
    if video.tags.len() > MAX_VIDEO_TAGS {
        return refuse("video:tag", &video.title, "has more than 32 tags");
    }
    match video.duration {
        Some(seconds) if !(1..=MAX_VIDEO_DURATION).contains(&seconds) => {
            refuse("video:duration", &seconds.to_string(), "is not between 1 and 28800")
        }
        _ => Ok(()),
    }
}

fn restriction(
    entry: &mut Markup,
    element: &'static str,
    restriction: Option<&VideoRestriction>,
) -> Result<(), InvalidEntry> {
    let Some(restriction) = restriction else { return Ok(()) };
    let relationship = if restriction.allow { "allow" } else { "deny" };
    entry.element_with(element, &[("relationship", relationship)], &restriction.names.join(" "))
}

fn price(entry: &mut Markup, price: &Price) -> Result<(), InvalidEntry> {
    if price.currency.is_empty() {
        return Err(InvalidEntry::new("video:price", &price.amount, "has no currency"));
    }
    let mut attributes = vec![("currency", price.currency.as_str())];
    attributes.extend(price.kind.as_deref().map(|kind| ("type", kind)));
    attributes.extend(price.resolution.as_deref().map(|resolution| ("resolution", resolution)));
    entry.element_with("video:price", &attributes, &price.amount)
}

fn news(entry: &mut Markup, news: &News) -> Result<(), InvalidEntry> {
    let Some(date) = news.publication_date else {
        return Err(InvalidEntry::new("news:publication_date", &news.title, "has none"));
    };
    entry.raw("\n <news:news><news:publication>");
    entry.required("news:name", &news.publication)?;
    entry.required("news:language", &news.language)?;
    entry.raw("</news:publication>");
    entry.optional("news:access", news.access.as_ref())?;
    entry.optional("news:genres", news.genres.as_ref())?;
    entry.element("news:publication_date", &date.to_string())?;
    entry.required("news:title", &news.title)?;
    entry.optional("news:keywords", news.keywords.as_ref())?;
    entry.optional("news:stock_tickers", news.stock_tickers.as_ref())?;
    entry.raw("</news:news>");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &Url) -> String {
        let mut writer = UrlsetWriter::with_extensions(Vec::new()).unwrap();
        match writer.write(url) {
            Err(WriteError::Invalid(invalid)) => invalid.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn urls_that_may_not_stand_in_a_sitemap_are_refused_by_name() {
        assert_eq!(refused(&Url::new("/a")), "loc: `/a` is not an absolute http or https URL");
        assert_eq!(refused(&Url::new("ftp://a/b")), "loc: `ftp://a/b` is not an absolute http or https URL");
        assert_eq!(refused(&Url::new("http://")), "loc: `http://` is not an absolute http or https URL");
        assert!(refused(&Url::new("http://a/caf\u{e9}")).ends_with("write http://a/caf%C3%A9"));
        assert!(refused(&Url::new("http://a/?b=1&amp;c=2")).contains("has `&amp;`"));
        let long = format!("http://a/{}", "b".repeat(2_039));
        assert!(refused(&Url::new(&long)).ends_with("has 2048 characters; fewer than 2048 are allowed"));
        assert!(UrlsetWriter::new(Vec::new()).unwrap().write(&Url::new(&long[..2_047])).is_ok());
    }

    #[test]
    fn values_that_may_not_stand_in_a_sitemap_are_refused_by_name() {
        let mut url = Url::new("http://a/");
        url.priority = Some(1.5);
        assert_eq!(refused(&url), "priority: `1.5` is not between 0 and 1");
        url.priority = None;
        url.images = vec![Image { title: Some("\u{1}".to_owned()), ..Image::new("http://a/i") }];
        assert!(refused(&url).contains("image:title: `\u{fffd}` has the character U+0001"));
        url.images = vec![Image::new("http://a/i"); 1_001];
        assert!(refused(&url).contains("has 1001 images"));
        url.images.clear();
        url.videos = vec![Video { title: "t".to_owned(), ..Video::default() }];
        assert!(refused(&url).contains("has neither content_loc nor player_loc"));
        url.videos.clear();
        url.news = Some(Box::default());
        assert!(refused(&url).starts_with("news:publication_date"));
    }

    #[test]
    fn a_refused_entry_leaves_no_trace() {
        let mut writer = UrlsetWriter::new(Vec::new()).unwrap().limits(1, 10_000);
        assert!(writer.write(&Url::new("bad")).is_err());
        writer.write(&Url::new("http://a/")).unwrap();
        assert!(matches!(writer.write(&Url::new("http://b/")), Err(WriteError::Full)));
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        assert_eq!(text.matches("<loc>").count(), 1);
        assert!(text.ends_with("</urlset>\n"));
    }
}
