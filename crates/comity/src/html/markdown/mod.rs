//! HTML as Markdown, in bounded time and memory.
//!
//! No tree is built. The page is read once, tag by tag, and written as it is read. A short stack holds the elements
//! around a piece of text. Bold, links and code are properties of text, not nodes of a tree, so that misnested tags cost
//! nothing. Nothing recurses, and every step costs a bounded amount of work: time and memory grow with the size of the
//! page alone, whoever wrote it. The bounds count elements and bytes, never time, so that the same page always gives the
//! same Markdown.
//!
//! | part | holds |
//! |---|---|
//! | this file | what is asked for and what comes back |
//! | `elements` | what each element is to Markdown, and which elements it closes |
//! | `read` | the one pass over tags and text: open elements, styles |
//! | `write` | blocks, quotes, lists, tables |
//! | `inline` | text with its styles and links |
//! | `escape` | characters that Markdown would misread |

mod elements;
mod escape;
mod inline;
mod read;
mod write;

use std::fmt;

use url::Url;

/// The depth to which elements nest. The tags of deeper elements are ignored. Browsers have the same limit.
pub const MAX_DEPTH: usize = 512;

/// The depth to which quotes, lists and items nest.
const MAX_CONTAINERS: usize = 64;

/// The depth to which tables nest.
const MAX_TABLES: usize = 4;

/// The largest number of styles (bold, links, code, …) that are open at once.
const MAX_STYLES: usize = 64;

/// The longest address that is written, in bytes.
const MAX_URL: usize = 8 * 1024;

/// The number of bytes that are read of any other attribute.
const MAX_ATTRIBUTE: usize = 1024;

/// The number of blocks over which one link may span.
const MAX_LINK_PARTS: u8 = 16;

/// The last column that counts for cells that span several rows or columns.
const MAX_SPANNED_COLUMN: usize = 100;

/// The Markdown is at most this many times as long as the HTML, …
const GROWTH: usize = 8;

/// … and this much longer.
const ROOM: usize = 64 * 1024;

/// A page as Markdown.
///
/// Headings, paragraphs, lists, quotes, code, tables, links, images, emphasis: the parts of CommonMark, tables and `~~`
/// of GitHub's Markdown. Content that is not text for readers is left out: the head, scripts, styles, `nav`, `template`,
/// `noscript`, `svg`, `iframe`, `object`, players, and the fields of forms. A table that only lays out a page (nested
/// tables, headings or code in its cells, one column) is written cell by cell.
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
    /// Converts a page whose address is not known. Links stay as they are written.
    pub fn of(html: &str) -> Self {
        MarkdownOptions::new().convert(html)
    }

    /// Returns the text, without a line end at its end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text alone.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns what the bounds left out, each kind once.
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
    /// Makes options without an address.
    pub fn new() -> Self {
        MarkdownOptions::default()
    }

    /// Sets the address of the page, so that links and images are written absolute. A `base` element in the page counts,
    /// too. Links within the page (`#part`) stay as they are.
    pub fn base(self, base: &'a Url) -> Self {
        MarkdownOptions { base: Some(base) }
    }

    /// Returns the Markdown of a page. Anything is a page; this cannot fail.
    pub fn convert(self, html: &str) -> Markdown {
        read::convert(html, self.base.filter(|base| base.as_str().len() <= MAX_URL))
    }
}

/// A bound that a page ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cut {
    /// Elements nest too deep. Their text is kept, their tags are ignored.
    Nesting,
    /// An address of a link or image is too long. Text stands in its place.
    Address,
    /// The Markdown became much longer than the page. What follows is missing.
    Length,
}

impl Cut {
    /// Returns the name in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Cut::Nesting => "nesting",
            Cut::Address => "address",
            Cut::Length => "length",
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Nesting => write!(
                f,
                "elements nest too deep (more than {MAX_DEPTH}, {MAX_CONTAINERS} quotes and lists, {MAX_TABLES} \
                 tables or {MAX_STYLES} styles); the text of the inner ones is there without them"
            ),
            Cut::Address => write!(f, "addresses longer than {MAX_URL} bytes are left out"),
            Cut::Length => write!(
                f,
                "the Markdown would be more than {GROWTH} times as long as the page; what follows is missing"
            ),
        }
    }
}
