//! Converts HTML to Markdown, in bounded time and memory.
//!
//! The converter builds no tree. It reads the page once, tag by tag, and writes the output at the same time. A bounded
//! stack contains the open elements. Bold, links and code are properties of text, so misnested tags need no repair. No
//! function is recursive, and every step has a bounded cost, so time and memory depend only on the size of the page.
//! The limits count elements and bytes, never time, so that a page always produces the same Markdown.
//!
//! | module | content |
//! |---|---|
//! | `mod` | the options and the result |
//! | `elements` | the role of each element in Markdown, and the elements that it closes |
//! | `read` | the single pass over tags and text: open elements, styles |
//! | `write` | blocks, quotes, lists, tables |
//! | `inline` | inline text with its styles and links |
//! | `escape` | escapes of characters with a meaning in Markdown |

mod elements;
mod escape;
mod inline;
mod read;
mod write;

use url::Url;

/// Maximum nesting depth of elements. The tags of deeper elements are ignored. Browsers have the same limit.
pub const MAX_DEPTH: usize = 512;

/// Maximum nesting depth of quotes, lists and items.
const MAX_CONTAINERS: usize = 64;

/// Maximum nesting depth of tables.
const MAX_TABLES: usize = 4;

/// Maximum number of open styles (bold, links, code, …).
const MAX_STYLES: usize = 64;

/// Maximum length of a URL in the page, in bytes. Resolved against the base, it may be twice as long.
const MAX_URL: usize = 8 * 1024;

/// Maximum length of any attribute that is not a URL, in bytes. Longer values are cut.
const MAX_ATTRIBUTE: usize = 1024;

/// Maximum number of parts of one link. A new part begins with a block, or where the styles around the link change.
const MAX_LINK_PARTS: u8 = 16;

/// Number of columns in which cells may span several rows or columns.
const MAX_SPANNED_COLUMN: usize = 100;

/// Maximum ratio of the length of the Markdown to the length of the HTML.
const GROWTH: usize = 8;

/// Number of bytes of Markdown that are allowed in addition to [`GROWTH`].
const ROOM: usize = 64 * 1024;

/// A page as Markdown.
///
/// The output contains headings, paragraphs, lists, quotes, code, tables, links, images and emphasis in the syntax of
/// CommonMark, with the tables and `~~` of GitHub's Markdown. It omits the head, scripts, styles, `nav`, `template`,
/// `noscript`, `svg`, `iframe`, `object`, audio and video players, and form fields except the checkboxes of list items.
/// A table that is used for layout is written cell by cell. Such a table has one column or the role `presentation` or
/// `none`, or its cells contain tables, headings, quotes, rules or code.
///
/// ```
/// use comity::html::Markdown;
///
/// let page = Markdown::of("<h1>Reed</h1><p>A <b>small</b> tool: <a href='/docs'>its docs</a>.");
/// assert_eq!(page.text(), "# Reed\n\nA **small** tool: [its docs](/docs).");
/// assert!(page.cuts().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markdown {
    text: String,
    cuts: Vec<Cut>,
}

impl Markdown {
    /// Converts a page with an unknown URL. Links remain as written, unless a `base` element has an absolute URL.
    pub fn of(html: &str) -> Self {
        MarkdownOptions::new().convert(html)
    }

    /// Returns the text, without a final line end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text as an owned string.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the limits that the page exceeded, each once.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}

/// The options for converting a page to Markdown.
///
/// ```
/// use comity::html::MarkdownOptions;
/// use url::Url;
///
/// let base = Url::parse("https://example.com/docs/")?;
/// let page = MarkdownOptions::new().base(&base).convert("<a href='start'>Start</a> <a href='#top'>Top</a>");
/// assert_eq!(page.text(), "[Start](https://example.com/docs/start) [Top](#top)");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkdownOptions<'a> {
    base: Option<&'a Url>,
}

impl<'a> MarkdownOptions<'a> {
    /// Creates options without a URL.
    pub fn new() -> Self {
        MarkdownOptions::default()
    }

    /// Sets the URL of the page, so that links and images are written as absolute URLs. A `base` element in the page
    /// also counts. Links within the page (`#part`) remain unchanged.
    pub fn base(self, base: &'a Url) -> Self {
        MarkdownOptions { base: Some(base) }
    }

    /// Converts a page. Any text is accepted; this cannot fail.
    pub fn convert(self, html: &str) -> Markdown {
        read::convert(html, self.base.filter(|base| base.as_str().len() <= MAX_URL))
    }
}

crate::words::words! {
    /// A limit that a page exceeded. JSON records contain its name.
    #[non_exhaustive]
    pub enum Cut as "limit" {
        /// Elements are nested too deeply. The tags of the inner elements are ignored, and their text is written.
        Nesting = "nesting",
        /// The URL of a link or image is too long. Only the text of the link or image is written.
        Address = "address",
        /// The Markdown became much longer than the page. The rest is omitted.
        Length = "length",
    }
}

impl Cut {
    /// Returns the limit and the omitted parts, as a sentence without a full stop.
    pub fn message(self) -> String {
        match self {
            Cut::Nesting => format!(
                "elements are nested too deeply (more than {MAX_DEPTH}, {MAX_CONTAINERS} quotes and lists, {MAX_TABLES} \
                 tables or {MAX_STYLES} styles); the inner elements are omitted and their text is kept"
            ),
            Cut::Address => format!("addresses longer than {MAX_URL} bytes are omitted"),
            Cut::Length => {
                format!(
                    "the Markdown would be more than {GROWTH} times as long as the page; the rest is omitted"
                )
            }
        }
    }
}
