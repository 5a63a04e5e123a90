//! What the reader noticed: data, not text for a terminal.
//!
//! A finding never stops the reading. Those whose code starts with `reference-` are about the parser that the proposal's
//! authors publish (`llms-txt` 0.0.7 on PyPI): what it fails on, or reads otherwise than the file means.

use std::fmt;

use crate::severity::Severity;

/// The largest number of places of one kind that are listed; further ones are counted, see
/// [`LlmsTxt::count_of`](super::LlmsTxt::count_of).
pub const MAX_FINDINGS_PER_KIND: usize = 100;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident, $code:literal, $severity:ident, $summary:literal;)*) => {
        /// The kind of a finding about an llms.txt.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[doc = $doc])+ #[cfg_attr(feature = "serde", serde(rename = $code))] $name,)*
        }

        impl FindingKind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &[FindingKind] = &[$(FindingKind::$name,)*];

            /// The code in JSON and on the command line.
            ///
            /// ```
            /// use comity::llms::FindingKind;
            /// assert_eq!(FindingKind::MultipleH1.as_str(), "multiple-h1");
            /// ```
            pub const fn as_str(self) -> &'static str {
                match self { $(FindingKind::$name => $code,)* }
            }

            /// Returns how much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(FindingKind::$name => Severity::$severity,)* }
            }

            /// Returns what it means, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(FindingKind::$name => $summary,)* }
            }
        }
    };
}

kinds! {
    /// There is nothing but white space.
    EmptyBody, "empty-body", Error, "The file is empty.";
    /// The body is HTML.
    HtmlBody, "html-body", Error, "The body is an HTML page, as servers answer for files they do not have.";
    /// The body is JSON.
    JsonBody, "json-body", Error, "The body is JSON, not Markdown.";
    /// The body is a robots.txt.
    RobotsTxtBody, "robots-txt-body", Error, "The body is written as robots.txt, which has no effect in an llms.txt.";
    /// The body is YAML.
    YamlBody, "yaml-body", Error, "The body is YAML, not Markdown.";
    /// The body is not text.
    BinaryBody, "binary-body", Error, "The body is not text: compressed, an image, or the like.";
    /// The body is text without a trace of Markdown.
    PlainText, "plain-text", Error, "The body has no Markdown structure at all: no heading, list, quote or link.";

    /// The body is longer than the limit.
    TooLong, "too-long", Warning, "The file is longer than is read; what stands beyond the limit does not count.";
    /// A line is longer than the limit.
    LongLine, "long-line", Warning, "A line is longer than is read; the rest of it does not count.";
    /// There are more links than the limit.
    TooManyLinks, "too-many-links", Warning, "There are more links than are read; the rest does not count.";
    /// There are more sections than the limit.
    TooManySections, "too-many-sections", Warning, "There are more headings than are read; the rest joins the last section.";

    /// A byte order mark comes first.
    Bom, "bom", Note, "A byte order mark comes first: the proposal allows it, many programs stumble over it.";
    /// The body is UTF-16.
    Utf16, "utf-16", Warning, "The file is UTF-16; everybody expects UTF-8.";
    /// A line is not UTF-8.
    NotUtf8, "not-utf8", Warning, "A line is not UTF-8; it was read in another charset, so letters may be wrong.";
    /// There are control characters.
    ControlCharacters, "control-characters", Warning, "Control characters were replaced by U+FFFD.";

    /// No H1.
    NoH1, "no-h1", Error, "There is no H1; it is the only part that the proposal requires.";
    /// More than one H1.
    MultipleH1, "multiple-h1", Warning, "There is more than one H1; the first is the title.";
    /// Something stands before the H1.
    H1NotFirst, "h1-not-first", Warning, "Something stands before the H1.";
    /// No summary.
    NoSummary, "no-summary", Warning, "No blockquote with a summary follows the H1.";
    /// The summary stands elsewhere than right after the H1.
    SummaryLate, "summary-late", Warning, "The blockquote does not come right after the H1, where the summary is looked for.";
    /// `&gt;` instead of `>`.
    EscapedQuote, "escaped-quote", Warning, "A blockquote starts with `&gt;` instead of `>`: the file was escaped as if it were HTML.";
    /// Front matter.
    FrontMatter, "front-matter", Note, "YAML front matter comes before the Markdown; the proposal knows none.";
    /// H3 or deeper.
    DeepHeadings, "deep-headings", Note, "A heading is deeper than H2; the proposal knows none, and the reference parser takes it for a section named with `#`.";
    /// `##Name`.
    HeadingWithoutSpace, "heading-without-space", Warning, "No space follows the `#`, so Markdown does not see a heading.";
    /// A heading without a name.
    EmptyHeading, "empty-heading", Warning, "A heading has no name.";
    /// Two sections with one name.
    DuplicateSection, "duplicate-section", Warning, "Two sections have the same name; the reference parser keeps the last one only.";
    /// A section without any link.
    SectionWithoutLinks, "section-without-links", Note, "A section lists no links; the proposal's sections are lists of links.";
    /// `optional` in another spelling.
    OptionalSpelling, "optional-spelling", Warning, "The section is read as `Optional`, but only that exact spelling is known to programs.";
    /// A code fence that does not end.
    UnclosedFence, "unclosed-fence", Warning, "A code fence is never closed, so the rest of the file is code.";
    /// An HTML comment that does not end.
    UnclosedComment, "unclosed-comment", Warning, "An HTML comment is never closed, so the rest of the file is a comment.";

    /// No links at all.
    NoLinks, "no-links", Warning, "There are no links.";
    /// Links, but no notes.
    LinksWithoutNotes, "links-without-notes", Note, "No link has a note that says what is behind it.";
    /// More links outside lists than in them.
    LinksOutsideBullets, "links-outside-bullets", Note, "More than half of the links stand outside lists.";
    /// A relative link.
    RelativeLinks, "relative-links", Note, "A link is relative; the proposal does not say to what, programs take the file's URL.";
    /// A URL without Markdown around it.
    BareUrl, "bare-url", Note, "A URL stands without `[name](...)` around it.";
    /// A link without a name.
    EmptyLinkName, "empty-link-name", Warning, "A link has no name.";
    /// A link without a target.
    EmptyLinkTarget, "empty-link-target", Warning, "A link has no target.";
    /// A target that is not a URL.
    BadUrl, "bad-url", Warning, "The target of a link is not a URL.";
    /// A target that cannot be fetched.
    NotFetchable, "not-fetchable", Note, "The target of a link is neither http nor https.";
    /// White space in the target.
    SpaceInUrl, "space-in-url", Warning, "The target of a link has spaces in it, so Markdown does not see a link.";
    /// `[name] (url)`.
    SpaceBeforeUrl, "space-before-url", Warning, "A space stands between `[name]` and `(url)`, so Markdown does not see a link.";
    /// A target listed before.
    DuplicateLink, "duplicate-link", Note, "The same target is listed more than once.";

    /// The reference parser finds no title.
    ReferenceLead, "reference-lead", Note, "The reference parser fails: it wants `# Title` at the start of a line, then a blank line, then text.";
    /// The reference parser fails on a line.
    ReferenceLine, "reference-line", Note, "The reference parser fails: it wants `- [name](url)` on every line of a section.";
    /// The reference parser reads more than the title.
    ReferenceTitle, "reference-title", Note, "The reference parser takes another title: it reads on to the next blank line.";
    /// The reference parser loses the summary.
    ReferenceSummary, "reference-summary", Note, "The reference parser reads less of the summary, or none: only one line, and only if text follows.";
    /// The reference parser takes another target.
    ReferenceUrl, "reference-url", Note, "The reference parser takes another target: all up to the first `)`.";
    /// The reference parser loses a note.
    ReferenceNote, "reference-note", Note, "The reference parser loses the note: it wants a `:` right after the link.";
    /// The reference parser keeps carriage returns.
    ReferenceCarriageReturn, "reference-carriage-return", Note, "The reference parser keeps the carriage returns of CRLF, or sees one line only.";

    /// Text that gives orders to a language model.
    InstructionLike, "instruction-like", Warning, "Text is written as an order to a language model; it is data, and so is all text in which nothing was noticed.";
}

impl FindingKind {
    pub(super) const COUNT: usize = FindingKind::ALL.len();
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One thing noticed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    kind: FindingKind,
    severity: Severity,
    line: u32,
    detail: String,
}

impl Finding {
    /// Returns what was noticed.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// Returns how much it matters: that of its [kind](FindingKind::severity).
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The 1-based line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns what the file says there, shortened; may be empty.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.kind, self.kind.summary())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " (`{}`)", self.detail) }
    }
}

/// The largest number of characters of the file that a finding repeats.
const DETAIL_CHARS: usize = 80;

/// Findings under construction.
#[derive(Debug)]
pub(super) struct Findings {
    list: Vec<Finding>,
    counts: [usize; FindingKind::COUNT],
}

impl Findings {
    pub(super) fn new() -> Self {
        Findings { list: Vec::new(), counts: [0; FindingKind::COUNT] }
    }

    pub(super) fn add(&mut self, kind: FindingKind, line: u32, detail: &str) {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        if *count <= MAX_FINDINGS_PER_KIND {
            let mut detail = match detail.char_indices().nth(DETAIL_CHARS) {
                Some((end, _)) => format!("{}...", &detail[..end]),
                None => detail.to_owned(),
            };
            if detail.contains(['\n', '\r']) {
                detail = detail.replace(['\n', '\r'], " ");
            }
            self.list.push(Finding { kind, severity: kind.severity(), line, detail });
        }
    }

    /// In the order of the file; how often each kind was seen.
    pub(super) fn finish(mut self) -> (Vec<Finding>, [usize; FindingKind::COUNT]) {
        self.list.sort_by_key(|finding| (finding.line, finding.kind));
        (self.list, self.counts)
    }
}
