//! The content of an llms.txt: title, summary, details, sections, links.
//!
//! The content is untrusted text. No part of it is an instruction, and no link permits a fetch: a link only means that
//! the author considers a URL useful. The robots.txt of *the URL's* origin determines whether the URL may be fetched.

use url::Url;

use super::grade::Grade;
use super::inline::LinkForm;
use super::kind::BodyKind;
use crate::finding::Finding;
use crate::words::words;

/// A parsed llms.txt.
///
/// ```
/// use comity::llms::{Grade, LlmsTxt};
///
/// let llms = LlmsTxt::parse("# Reed\n\n> Tools for marshes.\n\n## Docs\n\n- [Start](https://example.com/start.md): first steps\n");
/// assert_eq!(llms.title().map(|title| title.text()), Some("Reed"));
/// assert_eq!(llms.grade(), Grade::LinkSections);
/// let link = &llms.sections()[0].links()[0];
/// assert_eq!((link.name(), link.note(), link.line()), ("Start", Some("first steps"), 7));
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LlmsTxt {
    /// The URL of the file, if it is known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) url: Option<Url>,
    /// The kind of the body. Titles, sections and links are read only from Markdown and plain text.
    pub(super) kind: BodyKind,
    /// The conformance with the proposal, from 0 to 4.
    pub(super) grade: Grade,
    /// The number of lines that were read.
    pub(super) lines: u32,
    /// True if the body was longer than the limit.
    #[cfg_attr(feature = "serde", serde(rename = "truncated"))]
    pub(super) is_truncated: bool,
    /// The YAML front matter as written, without its fences.
    pub(super) front_matter: Option<Passage>,
    /// The text before the title.
    pub(super) preamble: Option<Passage>,
    /// The first H1 that contains a letter or digit.
    pub(super) title: Option<Passage>,
    /// The first blockquote between the title and the first section.
    pub(super) summary: Option<Passage>,
    /// The other text between the title and the first section without list items that consist of a link, as written.
    pub(super) details: Option<Passage>,
    /// The links before the first section.
    pub(super) links: Vec<Link>,
    /// The sections in order. Their headings have any level.
    pub(super) sections: Vec<Section>,
    /// The findings, in the order of the file.
    pub(super) findings: Vec<Finding>,
}

impl LlmsTxt {
    /// Returns the URL of the file, if it was set on the reader.
    pub fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Returns the kind of the body. Titles, sections and links are read only from some kinds ([`BodyKind::is_read`]).
    pub fn kind(&self) -> BodyKind {
        self.kind
    }

    /// Returns the grade of conformance with the proposal.
    pub fn grade(&self) -> Grade {
        self.grade
    }

    /// Returns the number of lines that were read.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Returns true if the body was longer than the limit.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Returns the YAML front matter as written, without its fences.
    pub fn front_matter(&self) -> Option<&Passage> {
        self.front_matter.as_ref()
    }

    /// Returns the text before the title.
    pub fn preamble(&self) -> Option<&Passage> {
        self.preamble.as_ref()
    }

    /// Returns the first H1 that contains a letter or digit.
    pub fn title(&self) -> Option<&Passage> {
        self.title.as_ref()
    }

    /// Returns the first blockquote between the title and the first section. Its lines are joined by spaces, its
    /// paragraphs by line feeds.
    pub fn summary(&self) -> Option<&Passage> {
        self.summary.as_ref()
    }

    /// Returns the other text between the title and the first section without list items that consist of a link, as
    /// written.
    pub fn details(&self) -> Option<&Passage> {
        self.details.as_ref()
    }

    /// Returns the links before the first section.
    pub fn lead_links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the sections in order. Their headings have any level.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns every link: those before the first section, then those of each section.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().chain(self.sections.iter().flat_map(|section| &section.links))
    }

    /// Returns the findings, in the order of the file. A kind has at most [`LIMIT`](crate::finding::LIMIT) findings,
    /// and one more with the number of omitted findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// A piece of text with the line on which it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passage {
    /// The text, without leading and trailing white space.
    pub(super) text: String,
    /// The 1-based line on which the text starts.
    pub(super) line: u32,
}

impl Passage {
    /// Returns the text, without leading and trailing white space. The text is untrusted.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the 1-based line on which the text starts.
    pub fn line(&self) -> u32 {
        self.line
    }
}

/// A heading and the content below it, up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Section {
    /// The text of the heading.
    pub(super) name: String,
    /// The level of the heading: 2 for the proposal's sections, 1 for a further H1, 3 to 6 for deeper headings.
    pub(super) level: u8,
    /// The 1-based line of the heading.
    pub(super) line: u32,
    /// True if the links may be omitted to shorten the context.
    pub(super) is_optional: bool,
    /// The text of the section without list items that consist of a link, as written.
    pub(super) text: Option<Passage>,
    /// The links of the section, in order.
    pub(super) links: Vec<Link>,
}

impl Section {
    /// Returns the heading's text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the level of the heading: 2 for the proposal's sections, 1 for a further H1, 3 to 6 for deeper headings.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// Returns the 1-based line of the heading.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns true if the links may be omitted to shorten the context. This applies to sections named `Optional` (in
    /// any case), and to sections below a heading with that name.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// Returns the text of the section without list items that consist of a link, as written.
    pub fn text(&self) -> Option<&Passage> {
        self.text.as_ref()
    }

    /// Returns the links of the section, in order.
    pub fn links(&self) -> &[Link] {
        &self.links
    }
}

words! {
    /// The place of a link in the file.
    LinkPlace as "place of a link" {
        /// At the start of a list item, which describes the link.
        Item = "item",
        /// In a paragraph, a quote, or later in an item.
        Text = "text",
        /// In a table.
        Table = "table",
        /// In a heading.
        Heading = "heading",
    }
}

/// A link: a hint that a page may be worth reading. It is neither an instruction nor a permission to fetch the page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The name: the text between the brackets or, for a bare URL, the words before the URL on its line. It may be
    /// empty.
    pub(super) name: String,
    /// The target as written in the file, without escapes.
    pub(super) target: String,
    /// The target as an absolute URL; null if the target is invalid, or if it is relative and the URL of the file is
    /// unknown.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) url: Option<Url>,
    /// The note: the text after the link that describes its page.
    pub(super) note: Option<String>,
    /// The title in the parentheses.
    pub(super) title: Option<String>,
    /// The 1-based line.
    pub(super) line: u32,
    /// The place of the link.
    pub(super) place: LinkPlace,
    /// The form of the link.
    pub(super) form: LinkForm,
    /// True if the origin of the target differs from the origin of the file; null if the URL of the file is unknown, or
    /// if the target is neither http nor https.
    pub(super) is_external: Option<bool>,
}

impl Link {
    /// Returns the name: the text between the brackets or, for a bare URL, the words before the URL on its line. It may
    /// be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the target as written in the file, without escapes.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns the target as an absolute URL. Returns `None` if the target is invalid, or if it is relative and the URL
    /// of the file is unknown.
    pub fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Returns the note: the text after the link that describes its page.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns the title in the parentheses: `[name](url "title")`.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the 1-based line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the place of the link.
    pub fn place(&self) -> LinkPlace {
        self.place
    }

    /// Returns the form of the link.
    pub fn form(&self) -> LinkForm {
        self.form
    }

    /// Returns true if the origin of the target differs from the origin of the file, so that another robots.txt decides
    /// about the target. Returns `None` if the URL of the file is unknown, or if the target is neither http nor https.
    pub fn is_external(&self) -> Option<bool> {
        self.is_external
    }

    /// Returns true if the scheme of the target is http or https.
    pub fn is_fetchable(&self) -> bool {
        self.url.as_ref().is_some_and(is_web)
    }
}

/// Returns true if the scheme of a URL is http or https.
pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}
