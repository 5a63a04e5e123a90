//! Facts about each line, as Google's parser reports them (`reporting_robots.cc`).

use std::ops::Range;

use crate::robots::read::content::Content;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::lines::{self as split, GOOGLE_LINE_LIMIT, Lines};
use crate::robots::read::syntax::{self, Syntax};
use crate::robots::read::text::SkippedMark;

crate::words::words! {
    /// The kind of a line for Google's parser.
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum Tag as "tag" {
        /// A line that is not a directive, or an unknown directive.
        Unknown = "unknown",
        /// `User-agent`.
        UserAgent = "user-agent",
        /// `Allow`.
        Allow = "allow",
        /// `Disallow`.
        Disallow = "disallow",
        /// `Sitemap`.
        Sitemap = "sitemap",
        /// A directive that the parser knows but does not use: `Crawl-delay`, `Noindex`, ….
        Unused = "unused",
    }
}

impl Tag {
    /// The directives that are known and not used.
    const UNUSED: [&'static str; 12] = [
        "clean-param",
        "content-signal",
        "content-usage",
        "crawl-delay",
        "domain",
        "host",
        "noarchive",
        "nofollow",
        "noindex",
        "request-rate",
        "revisit-after",
        "visit-time",
    ];

    fn of(kind: RecordKind, key: &[u8]) -> Tag {
        match kind {
            RecordKind::UserAgent => Tag::UserAgent,
            RecordKind::Allow => Tag::Allow,
            RecordKind::Disallow => Tag::Disallow,
            RecordKind::Sitemap => Tag::Sitemap,
            _ if Tag::UNUSED.iter().any(|unused| unused.as_bytes().eq_ignore_ascii_case(key)) => Tag::Unused,
            _ => Tag::Unknown,
        }
    }

    /// Returns true if Google's parser acts on lines of this kind.
    pub const fn is_used(self) -> bool {
        matches!(self, Tag::UserAgent | Tag::Allow | Tag::Disallow | Tag::Sitemap)
    }
}

/// Facts about one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineReport {
    line: u32,
    span: Range<usize>,
    tag: Tag,
    form: Form,
    has_comment: bool,
    is_missing_colon: bool,
    is_accepted_typo: bool,
    is_too_long: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Empty,
    Comment,
    Directive,
    Other,
}

impl LineReport {
    /// Returns the 1-based line number.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the range of the line in the body, without its terminator.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the kind of the line.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// Returns true if the line has a key, known or unknown. The value may be empty.
    pub fn has_directive(&self) -> bool {
        self.form == Form::Directive
    }

    /// Returns true if the line consists of white space only.
    pub fn is_empty(&self) -> bool {
        self.form == Form::Empty
    }

    /// Returns true if the line has a comment.
    pub fn has_comment(&self) -> bool {
        self.has_comment
    }

    /// Returns true if the line consists of a comment only.
    pub fn is_comment(&self) -> bool {
        self.form == Form::Comment
    }

    /// Returns true if white space replaces the colon.
    pub fn is_missing_colon(&self) -> bool {
        self.is_missing_colon
    }

    /// Returns true if the key is a misspelling that Google accepts.
    pub fn is_accepted_typo(&self) -> bool {
        self.is_accepted_typo
    }

    /// Returns true if the line is longer than 16,663 bytes. Google drops the bytes beyond that length.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }
}

/// Returns facts about each line of `body`, as Google's parser reports them. The size of `body` is not limited.
///
/// A body that ends in a line terminator has an additional, empty line. An empty body has one line.
///
/// ```
/// use comity::robots::lint::line_report::{Tag, lines};
///
/// let reports: Vec<_> = lines(b"Useragent: *\nCrawl-delay 5 # slow").collect();
/// assert_eq!(reports[0].tag(), Tag::UserAgent);
/// assert!(reports[0].is_accepted_typo());
/// assert_eq!(reports[1].tag(), Tag::Unused);
/// assert!(reports[1].is_missing_colon() && reports[1].has_comment());
/// ```
pub fn lines(body: &[u8]) -> impl Iterator<Item = LineReport> + '_ {
    let mark = SkippedMark::Utf8.length(body);
    let text = body.get(mark..).unwrap_or_default();
    split::split(text, Lines::CrLfCut).map(move |line| report(text, line, mark))
}

fn report(text: &[u8], line: split::Line, mark: usize) -> LineReport {
    let content = text.get(line.start..line.end).unwrap_or_default();
    let mut report = LineReport {
        line: line.number,
        span: line.start + mark..line.full_end + mark,
        tag: Tag::Unknown,
        form: Form::Other,
        has_comment: content.contains(&b'#'),
        is_missing_colon: false,
        is_accepted_typo: false,
        is_too_long: line.full_end - line.start > GOOGLE_LINE_LIMIT,
    };
    match syntax::read(content, Syntax::Lenient) {
        Content::Blank => report.form = Form::Empty,
        Content::Comment => report.form = Form::Comment,
        Content::Other => {}
        Content::Directive(directive) => {
            report.form = Form::Directive;
            report.tag = Tag::of(directive.kind, content.get(directive.key).unwrap_or_default());
            report.is_missing_colon = directive.missing_colon;
            // Comity also accepts misspellings of keys that Google does not use.
            report.is_accepted_typo = directive.misspelt && report.tag.is_used();
        }
    }
    report
}
