//! Reads HTML: the title, links and elements that can state permitted uses (`meta`, `link`, licenses in scripts,
//! `data-nosnippet`), and pages as Markdown.
//!
//! The module uses a tokenizer and builds no tree. [`Facts::read`] reads the tags once and stores these few elements.
//! Only the part of the HTML standard's tree construction that these elements require is implemented: the end of the
//! head, elements that contain text instead of tags, and the exclusion of `template` content. Other modules interpret
//! the elements.
//!
//! Scripts are not run, so the content of `noscript` counts.
//!
//! | module | content |
//! |---|---|
//! | `mod` | options and limits |
//! | `encoding` | the encoding of a page |
//! | `elements` | elements by name: the tokenizer's state for their content, and whether they belong to the head |
//! | `sniff` | detection of HTML in an answer |
//! | `facts` | the stored elements of a page, each with its position |
//! | `walk` | the single pass over the tags |
//! | `skim` | fast skipping of text and plain tags without the tokenizer |
//! | `missing` | detection of pages whose content is not in their HTML |
//! | `markdown` | the page as Markdown (feature `markdown`) |
//!
//! # Why this tokenizer
//!
//! `html5gum` implements the HTML standard's tokenizer exactly, has no dependencies, forbids `unsafe` and is licensed
//! under MIT. The other candidate, `lol_html` 3, rewrites pages and selects elements by CSS, which is not needed here.
//! It depends on 45 crates. Four of them (`cssparser` and `selectors` with their helpers) are under MPL-2.0, which this
//! project does not accept. `html5gum` does not contain a list of the elements that contain text;
//! `elements::content_of` is that list.

mod elements;
mod encoding;
mod facts;
#[cfg(feature = "markdown")]
mod markdown;
mod missing;
mod skim;
mod sniff;
mod walk;

use std::borrow::Cow;

pub use encoding::decode;
pub use facts::{Anchor, Facts, LinkElement, Meta, NoSnippet, Position, Region, Script};
#[cfg(feature = "markdown")]
pub use markdown::{Cut, MAX_DEPTH, Markdown, MarkdownOptions};
pub use missing::MissingContent;
pub use sniff::{is_html, is_html_type};
use walk::Walk;

/// Default maximum number of bytes of a page that are read: 1 MiB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Default maximum number of elements of one kind that are stored. Further elements are only counted.
pub const MAX_ELEMENTS: usize = 5_000;

/// Maximum number of bytes of a title that are read.
pub const MAX_TITLE_BYTES: usize = 4096;

/// Maximum number of bytes of one script that are stored.
pub const MAX_SCRIPT_BYTES: usize = 256 * 1024;

/// The options for reading a page.
///
/// ```
/// use comity::html::FactsOptions;
///
/// let page = b"<meta name=robots content=noindex><p>And a long text";
/// let facts = FactsOptions::new().max_bytes(40).read(page);
/// assert_eq!(facts.metas()[0].content(), "noindex");
/// assert!(facts.is_truncated());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FactsOptions<'a> {
    max_bytes: usize,
    max_elements: usize,
    anchors: bool,
    charset: Option<&'a str>,
}

impl Default for FactsOptions<'_> {
    fn default() -> Self {
        FactsOptions { max_bytes: MAX_BYTES, max_elements: MAX_ELEMENTS, anchors: false, charset: None }
    }
}

impl<'a> FactsOptions<'a> {
    /// Creates the default options: [`MAX_BYTES`], [`MAX_ELEMENTS`], no anchors, no charset.
    pub fn new() -> Self {
        FactsOptions::default()
    }

    /// Sets the maximum number of bytes that are read.
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        FactsOptions { max_bytes, ..self }
    }

    /// Sets the maximum number of stored elements of each kind.
    pub fn max_elements(self, max_elements: usize) -> Self {
        FactsOptions { max_elements, ..self }
    }

    /// Sets whether the [anchors](Facts::anchors) are read. The default is false, since most readers need no links, and
    /// tags without facts are skipped faster.
    pub fn anchors(self, anchors: bool) -> Self {
        FactsOptions { anchors, ..self }
    }

    /// Sets the charset of the `Content-Type`, a label of the Encoding Standard.
    ///
    /// A byte order mark takes precedence. If the charset is absent or unknown, the page's declaration determines the
    /// encoding, as in [`decode`]. The default is UTF-8. Pass `utf-8` for text that is already decoded.
    pub fn charset(self, label: impl Into<Option<&'a str>>) -> Self {
        FactsOptions { charset: label.into(), ..self }
    }

    /// Reads a page. Any bytes are accepted; this cannot fail.
    pub fn read(self, page: &[u8]) -> Facts {
        let is_truncated = page.len() > self.max_bytes;
        let page = &page[..page.len().min(self.max_bytes)];
        let (text, skipped) = decode_bytes(page, self.charset);
        let mut facts = Walk::new(&text, skipped, self.max_elements, self.anchors).run();
        facts.is_truncated = is_truncated;
        facts
    }
}

/// Converts a page to UTF-8 and removes its byte order mark. Returns the page, and the length of the mark if the page
/// was in UTF-8. Invalid UTF-8 bytes stay unchanged.
fn decode_bytes<'p>(page: &'p [u8], charset: Option<&str>) -> (Cow<'p, [u8]>, usize) {
    match encoding::other_encoding(page, charset) {
        (None, mark) => (Cow::Borrowed(&page[mark..]), mark),
        (Some(encoding), mark) => {
            let (text, _) = encoding.decode_without_bom_handling(&page[mark..]);
            (Cow::Owned(text.into_owned().into_bytes()), 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name, content and region of every meta element.
    fn metas(page: &str) -> Vec<(String, String, Region)> {
        let facts = Facts::read(page.as_bytes());
        let owned = |meta: &Meta| {
            let name = meta.name().or(meta.property()).unwrap_or_default();
            (name.to_owned(), meta.content().to_owned(), meta.at().region())
        };
        facts.metas().iter().map(owned).collect()
    }

    fn names(page: &str) -> Vec<String> {
        metas(page).into_iter().map(|(name, ..)| name).collect()
    }

    fn region(page: &str) -> Region {
        let metas = metas(page);
        assert_eq!(metas.len(), 1, "{page}");
        metas[0].2
    }

    #[test]
    fn attribute_in_any_notation_is_read() {
        let page = "<META Name='a' CONTENT=\"x &amp; y\"><meta content=z name=b/><meta property = c content>\
                    <meta charset=utf-8><meta name=d name=e content=first content=second>";
        let metas: Vec<_> = metas(page).into_iter().map(|(name, content, _)| (name, content)).collect();
        let expected = [("a", "x & y"), ("b/", "z"), ("c", ""), ("d", "first")];
        assert_eq!(metas, expected.map(|(name, content)| (name.to_owned(), content.to_owned())));
    }

    #[test]
    fn text_is_not_searched_for_tags() {
        let hidden = "<meta name=no content=x>";
        for element in ["title", "textarea", "style", "script", "xmp", "iframe", "noembed", "noframes"] {
            let page = format!("<{element}>{hidden}</{element}><meta name=yes>");
            assert_eq!(names(&page), ["yes"], "{element}");
        }
        assert_eq!(names(&format!("<!-- {hidden} --><meta name=yes>")), ["yes"]);
        assert_eq!(names(&format!("<meta name=yes><plaintext>{hidden}</plaintext>{hidden}")), ["yes"]);
        assert_eq!(
            names(&format!("<script><!-- <script>{hidden}</script> --></script><meta name=yes>")),
            ["yes"]
        );
    }

    #[test]
    fn content_of_noscript_is_read() {
        assert_eq!(names("<noscript><meta name=robots content=noindex></noscript>"), ["robots"]);
    }

    #[test]
    fn content_of_template_is_ignored() {
        let page =
            "<template><meta name=no><template></template><p data-nosnippet>text</template><meta name=yes>";
        assert_eq!(metas(page), [("yes".to_owned(), String::new(), Region::Head)]);
        assert!(Facts::read(page.as_bytes()).nosnippets().is_empty());
    }

    #[test]
    fn self_closing_foreign_element_ends_at_once() {
        assert_eq!(names("<svg><style/><title/></svg><meta name=yes>"), ["yes"]);
        assert_eq!(names("<svg><style><meta name=no></style></svg><meta name=yes>"), ["yes"]);
        // On HTML elements, a slash at the end of the tag has no meaning.
        assert!(names("<style/><meta name=no>").is_empty());
    }

    #[test]
    fn body_starts_at_the_place_that_the_standard_defines() {
        for page in [
            "<meta name=a>",
            " <!doctype html> <html><head> <!-- c --> <meta name=a>",
            "<title>Text</title><style>p {}</style><script>x</script><link rel=a href=b><base href=/><meta name=a>",
            "<head></head> <meta name=a><body>",
            "<noscript><link rel=a href=b></noscript><meta name=a>",
            "<head></p></head><meta name=a>",
            "<template>text<p></template><meta name=a>",
        ] {
            assert_eq!(region(page), Region::Head, "{page}");
        }
        for page in [
            "<body><meta name=a>",
            "text<meta name=a>",
            "<head><p><meta name=a></head>",
            "<head><img><meta name=a>",
            "</body><meta name=a>",
            "</br><meta name=a>",
            "<svg></svg><meta name=a>",
            "<noscript>text</noscript><meta name=a>",
            "<p>a</p></body></html><meta name=a>",
        ] {
            assert_eq!(region(page), Region::Body, "{page}");
        }
    }

    #[test]
    fn unfinished_tag_is_ignored() {
        for page in ["<meta name=a", "<meta name=a content='", "<", "<meta", "</meta name=a>"] {
            assert!(names(page).is_empty(), "{page}");
        }
    }

    #[test]
    fn position_has_line_and_offset() {
        let page = "<html>\r\n\r<p>caf\u{e9}</p>\n  <meta name=a>\r\n<meta\nname=b>";
        let facts = Facts::read(page.as_bytes());
        let places: Vec<_> =
            facts.metas().iter().map(|meta| (meta.at().line(), meta.at().offset())).collect();
        let at = |name| page.find(name).unwrap();
        assert_eq!(places, [(4, at("<meta name=a")), (5, at("<meta\nname=b"))]);
        let marked = [b"\xEF\xBB\xBF", page.as_bytes()].concat();
        assert_eq!(Facts::read(&marked).metas()[0].at().offset(), at("<meta name=a") + 3);
        assert_eq!(Facts::read(b"\xEF\xBB\xBF<meta name=a>").metas()[0].at().region(), Region::Head);
    }

    #[test]
    fn license_above_the_limit_is_marked_as_truncated() {
        let page = "<script type='Application/RSL+xml; charset=utf-8'><rsl>&amp;<a/></rsl></script>\
                    <script>other</script>text<script type=application/rsl+xml>open";
        let facts = Facts::read(page.as_bytes());
        let scripts: Vec<_> =
            facts.rsl_scripts().iter().map(|script| (script.text(), script.is_truncated())).collect();
        assert_eq!(scripts, [("<rsl>&amp;<a/></rsl>", false), ("open", true)]);
        let long = format!("<script type=application/rsl+xml>{}</script>", "a".repeat(MAX_SCRIPT_BYTES + 1));
        let facts = Facts::read(long.as_bytes());
        assert_eq!(facts.rsl_scripts()[0].text().len(), MAX_SCRIPT_BYTES);
        assert!(facts.rsl_scripts()[0].is_truncated());
    }

    #[test]
    fn link_without_relation_or_target_is_ignored() {
        let facts = Facts::read(
            b"<link rel='License nofollow' href=/l type=application/rsl+xml><link rel=a><link href=b>",
        );
        assert_eq!(facts.links().len(), 1);
        assert!(facts.links()[0].is("license") && !facts.links()[0].is("lic"));
        assert_eq!(
            (facts.links()[0].href(), facts.links()[0].media_type()),
            ("/l", Some("application/rsl+xml"))
        );
    }

    #[test]
    fn first_base_with_a_target_counts() {
        assert_eq!(Facts::read(b"<base target=x><base href=/a/><base href=/b/>").base(), Some("/a/"));
    }

    #[test]
    fn first_title_of_the_page_is_read_as_text() {
        let title = |page: &str| Facts::read(page.as_bytes()).title().map(str::to_owned);
        assert_eq!(
            title("<title>\n A &amp; <b>B</b>\t</title><title>C</title>").as_deref(),
            Some("A & <b>B</b>")
        );
        assert_eq!(title("<p>a<svg><title>x</title></svg><title>y</title>").as_deref(), Some("y"));
        assert_eq!(title("<template><title>x</title></template>"), None);
        assert_eq!(title("<title/>a<p>b").as_deref(), Some("a<p>b"));
        let long = format!("<title>{}</title>", "\u{e9}".repeat(MAX_TITLE_BYTES));
        assert!(title(&long).is_some_and(|title| title.len() <= MAX_TITLE_BYTES + 3));
    }

    #[test]
    fn anchor_with_a_target_is_read() {
        let page = "<a href=/a>A</a><a>no</a><a name=b>no</a><AREA rel='x NoFollow' HREF='b&amp;c'><a href>empty</a>\
                    <template><a href=t></template><!-- <a href=c> --><p><a title='>' href=\"d\">";
        let read = |limit| FactsOptions::new().anchors(true).max_elements(limit).read(page.as_bytes());
        let facts = read(10);
        let hrefs: Vec<_> = facts.anchors().iter().map(Anchor::href).collect();
        assert_eq!(hrefs, ["/a", "b&c", "", "d"]);
        assert!(facts.anchors()[1].is("nofollow") && !facts.anchors()[0].is("nofollow"));
        assert_eq!(facts.anchors()[1].at().offset(), page.find("<AREA").unwrap());
        assert_eq!((read(2).anchors().len(), read(2).left_out()), (2, 2));
        assert!(Facts::read(page.as_bytes()).anchors().is_empty());
    }

    #[test]
    fn first_canonical_link_counts() {
        let page =
            b"<link rel='Canonical next' href=/a><link rel=canonical href=/b><a rel=canonical href=/c>";
        assert_eq!(Facts::read(page).canonical(), Some("/a"));
    }

    #[cfg(feature = "url")]
    #[test]
    fn urls_of_links_are_absolute() {
        let urls = |page: &str| -> Vec<String> {
            let facts = FactsOptions::new().anchors(true).read(page.as_bytes());
            facts.anchor_urls(&"https://example.com/a/b".parse().unwrap()).map(String::from).collect()
        };
        assert_eq!(urls("<a href='c#d'><a href='ftp://x/'><a href='http://['>"), ["https://example.com/a/c"]);
        assert_eq!(urls("<base href=//other.example/><a href=c>"), ["https://other.example/c"]);
        // A base without a hierarchy cannot be applied.
        assert_eq!(urls("<base href='data:x'><a href=c>"), ["https://example.com/a/c"]);
    }

    #[test]
    fn nosnippet_is_valid_on_three_elements() {
        let facts = Facts::read(
            b"<SPAN DATA-NOSNIPPET=false><p data-nosnippet><x-a data-nosnippet><div data-nosnippet=a>",
        );
        let found: Vec<_> =
            facts.nosnippets().iter().map(|found| (found.element(), found.is_valid())).collect();
        assert_eq!(found, [("span", true), ("p", false), ("x-a", false), ("div", true)]);
    }

    #[test]
    fn page_in_any_charset_is_decoded() {
        assert_eq!(Facts::read(b"<meta name=\xFF content=\xE9>").metas()[0].name(), Some("\u{fffd}"));
        let latin = FactsOptions::new().charset("iso-8859-1").read(b"<meta name=a content=\xE9>");
        assert_eq!(latin.metas()[0].content(), "\u{e9}");
        let declared = Facts::read(b"<meta charset=iso-8859-1><meta name=a content=\xE9>");
        assert_eq!(declared.metas()[0].content(), "\u{e9}");
        let utf16: Vec<u8> = "\u{feff}<meta name=a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Facts::read(&utf16).metas()[0].name(), Some("a"));
        assert_eq!(FactsOptions::new().charset("no-such").read(b"<meta name=a>").metas().len(), 1);
    }

    #[test]
    fn page_above_the_limits_is_cut_and_marked() {
        let page = "<meta name=a><meta name=b><link rel=a href=b><meta name=c>";
        let facts = FactsOptions::new().max_elements(2).read(page.as_bytes());
        assert_eq!((facts.metas().len(), facts.links().len(), facts.left_out()), (2, 1, 1));
        assert!(!facts.is_truncated());
        let cut = FactsOptions::new().max_bytes(page.len() - 1).read(page.as_bytes());
        assert_eq!(cut.metas().len(), 2);
        assert!(cut.is_truncated());
    }
}
