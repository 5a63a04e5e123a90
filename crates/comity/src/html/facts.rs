//! Facts: the title, the links and the elements of a page that can state permitted uses, each with its position.
//!
//! Facts contain attributes and text as written in the page. Other modules interpret them.

use super::{FactsOptions, is_html};
#[cfg(doc)]
use super::{MAX_SCRIPT_BYTES, MAX_TITLE_BYTES};
use crate::http::Headers;
use crate::words::words;

/// The title, the links and the elements of a page that can state permitted uses.
///
/// ```
/// use comity::html::{Facts, Region};
///
/// let facts = Facts::read(
///     b"<!doctype html><title>Herons</title>\n<meta name=Robots content='noindex, nofollow'>\n<p data-nosnippet>Text",
/// );
/// let meta = &facts.metas()[0];
/// assert_eq!((meta.name(), meta.content()), (Some("Robots"), "noindex, nofollow"));
/// assert_eq!((meta.at().region(), meta.at().line()), (Region::Head, 2));
/// // The attribute is valid only on span, div and section.
/// assert!(!facts.nosnippets()[0].is_valid());
/// assert_eq!(facts.title(), Some("Herons"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Facts {
    pub(super) metas: Vec<Meta>,
    pub(super) links: Vec<LinkElement>,
    pub(super) rsl_scripts: Vec<Script>,
    pub(super) nosnippets: Vec<NoSnippet>,
    pub(super) base: Option<String>,
    pub(super) title: Option<String>,
    pub(super) anchors: Vec<Anchor>,
    pub(super) left_out: usize,
    #[cfg_attr(feature = "serde", serde(rename = "truncated"))]
    pub(super) is_truncated: bool,
    pub(super) end: Position,
}

impl Facts {
    /// Reads a page with the default limits. The encoding is the one that the page declares, or UTF-8.
    pub fn read(page: &[u8]) -> Facts {
        FactsOptions::new().read(page)
    }

    /// Reads the body of an HTTP answer with the default limits. Returns `None` if the body is not HTML ([`is_html`]).
    pub fn of_answer(headers: &Headers<'_>, body: &[u8]) -> Option<Facts> {
        is_html(headers, body).then(|| FactsOptions::new().charset(headers.charset().as_deref()).read(body))
    }

    /// Returns the `meta` elements that have a `name`, a `property` or an `http-equiv`, in order.
    pub fn metas(&self) -> &[Meta] {
        &self.metas
    }

    /// Returns the `link` elements that have a `rel` and a `href`, in order.
    pub fn links(&self) -> &[LinkElement] {
        &self.links
    }

    /// Returns the scripts of type `application/rsl+xml`, in order.
    pub fn rsl_scripts(&self) -> &[Script] {
        &self.rsl_scripts
    }

    /// Returns the elements with the attribute `data-nosnippet`, in order.
    pub fn nosnippets(&self) -> &[NoSnippet] {
        &self.nosnippets
    }

    /// Returns the `href` of the first `base` element that has one: the base of relative links.
    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// Returns the text of the first `title` element outside of `svg`, with single spaces between its words. Text after
    /// the first [`MAX_TITLE_BYTES`] is omitted.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the `a` and `area` elements that have a `href`, in order. They are read only with
    /// [`FactsOptions::anchors`].
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Returns the `href` of the first `link` element with the relation `canonical` (RFC 6596), as written.
    pub fn canonical(&self) -> Option<&str> {
        self.links.iter().find(|link| link.is("canonical")).map(LinkElement::href)
    }

    /// Returns the absolute URL of a `href` of the page at `url`. A `base` element of the page is applied. Returns
    /// `None` if the `href` is not a valid URL.
    ///
    /// ```
    /// use comity::html::Facts;
    ///
    /// let facts = Facts::read(b"<base href=/birds/><link rel=canonical href=heron>");
    /// let page = "https://example.com/index".parse()?;
    /// let canonical = facts.canonical().and_then(|href| facts.resolve(&page, href));
    /// assert_eq!(canonical, Some("https://example.com/birds/heron".parse()?));
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[cfg(feature = "url")]
    pub fn resolve(&self, url: &url::Url, href: &str) -> Option<url::Url> {
        self.base_of(url).join(href).ok()
    }

    /// Returns the absolute web URLs of the [anchors](Facts::anchors) of the page at `url`, in order and without
    /// fragments. URLs of other schemes are omitted. A URL that the page links twice is returned twice.
    ///
    /// ```
    /// use comity::html::FactsOptions;
    ///
    /// let page = b"<a href='/heron#young'>Heron</a> <a href=mailto:me@example.com>Contact</a>";
    /// let facts = FactsOptions::new().anchors(true).read(page);
    /// let urls: Vec<_> = facts.anchor_urls(&"https://example.com/".parse()?).map(String::from).collect();
    /// assert_eq!(urls, ["https://example.com/heron"]);
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[cfg(feature = "url")]
    pub fn anchor_urls(&self, url: &url::Url) -> impl Iterator<Item = url::Url> {
        let base = self.base_of(url);
        self.anchors.iter().filter_map(move |anchor| {
            let mut url =
                base.join(anchor.href()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
            url.set_fragment(None);
            Some(url)
        })
    }

    /// Returns the base of the relative URLs in the page at `url`.
    #[cfg(feature = "url")]
    fn base_of(&self, url: &url::Url) -> url::Url {
        let base = self.base().and_then(|base| url.join(base).ok()).filter(|base| !base.cannot_be_a_base());
        base.unwrap_or_else(|| url.clone())
    }

    /// Returns the number of elements that were omitted because there were too many of their kind.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns true if the page was not read to its end.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Returns the position at which reading ended.
    pub fn end(&self) -> Position {
        self.end
    }
}

/// The position of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Position {
    pub(super) region: Region,
    pub(super) line: usize,
    pub(super) offset: usize,
}

impl Position {
    /// Returns the region: the head or the body.
    pub fn region(self) -> Region {
        self.region
    }

    /// Returns the 1-based line of the element's `<`.
    pub fn line(self) -> usize {
        self.line
    }

    /// Returns the byte offset of the element's `<` in the page. If the page is not in UTF-8, the offset counts the
    /// bytes of its text converted to UTF-8.
    pub fn offset(self) -> usize {
        self.offset
    }
}

words! {
    /// The part of the page that contains an element. As in the HTML standard, the body starts at the first element or
    /// text that cannot be in a head, even inside the tags of the head.
    #[derive(Default)]
    Region as "region of a page" {
        /// The head, or before the body.
        #[default]
        Head = "head",
        /// The body, or after it.
        Body = "body",
    }
}

/// `<meta name=... content=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Meta {
    pub(super) name: Option<String>,
    pub(super) property: Option<String>,
    pub(super) http_equiv: Option<String>,
    pub(super) content: String,
    pub(super) at: Position,
}

impl Meta {
    /// Returns the attribute `name`, as written.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the attribute `property`, as written.
    pub fn property(&self) -> Option<&str> {
        self.property.as_deref()
    }

    /// Returns the attribute `http-equiv`, as written.
    pub fn http_equiv(&self) -> Option<&str> {
        self.http_equiv.as_deref()
    }

    /// Returns the attribute `content`, as written. Returns an empty text if the element has no such attribute.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the position of the element.
    pub fn at(&self) -> Position {
        self.at
    }
}

/// `<link rel=... href=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LinkElement {
    pub(super) rel: String,
    pub(super) href: String,
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub(super) media_type: Option<String>,
    pub(super) at: Position,
}

impl LinkElement {
    /// Returns the attribute `rel`, as written: words separated by white space.
    pub fn rel(&self) -> &str {
        &self.rel
    }

    /// Returns true if the attribute `rel` contains this word. Case is ignored.
    pub fn is(&self, rel: &str) -> bool {
        has_word(&self.rel, rel)
    }

    /// Returns the attribute `href`, as written.
    pub fn href(&self) -> &str {
        &self.href
    }

    /// Returns the attribute `type`, as written.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns the position of the element.
    pub fn at(&self) -> Position {
        self.at
    }
}

/// `<a href=...>` or `<area href=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Anchor {
    pub(super) href: String,
    pub(super) rel: Option<String>,
    pub(super) at: Position,
}

impl Anchor {
    /// Returns the attribute `href`, as written.
    pub fn href(&self) -> &str {
        &self.href
    }

    /// Returns the attribute `rel`, as written: words separated by white space.
    pub fn rel(&self) -> Option<&str> {
        self.rel.as_deref()
    }

    /// Returns true if the attribute `rel` contains this word, such as `nofollow`. Case is ignored.
    pub fn is(&self, rel: &str) -> bool {
        has_word(self.rel.as_deref().unwrap_or_default(), rel)
    }

    /// Returns the position of the element.
    pub fn at(&self) -> Position {
        self.at
    }
}

/// Returns true if `text` contains a word, ignoring case.
fn has_word(text: &str, word: &str) -> bool {
    text.split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(word))
}

/// `<script type="application/rsl+xml">`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Script {
    pub(super) text: String,
    #[cfg_attr(feature = "serde", serde(rename = "truncated"))]
    pub(super) is_truncated: bool,
    pub(super) at: Position,
}

impl Script {
    /// Returns the text of the script.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the text is longer than [`MAX_SCRIPT_BYTES`](super::MAX_SCRIPT_BYTES), or if reading of the page
    /// ended inside it.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Returns the position of the element.
    pub fn at(&self) -> Position {
        self.at
    }
}

/// An element with the attribute `data-nosnippet`. The value of the attribute is ignored, even `false`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NoSnippet {
    pub(super) element: String,
    pub(super) at: Position,
}

impl NoSnippet {
    /// Returns the name of the element, in lower case.
    pub fn element(&self) -> &str {
        &self.element
    }

    /// Returns true if the attribute is valid on the element: on `span`, `div` and `section`.
    pub fn is_valid(&self) -> bool {
        matches!(self.element.as_str(), "span" | "div" | "section")
    }

    /// Returns the position of the element.
    pub fn at(&self) -> Position {
        self.at
    }
}
