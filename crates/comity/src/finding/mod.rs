//! Findings: reports about places in a document.
//!
//! A reader is a module that examines documents and reports findings: lint, pages, usage signals, sitemaps, llms.txt,
//! whole sites. All readers share these types. A reader has a table of [`Kind`]s, each with a code, a severity, its
//! documentation and two examples. It collects [`Finding`]s, at most [`LIMIT`] of a kind. Each finding states its place
//! ([`Place`]), the problem, and the solution. Codes are unique over all readers, so that a code alone identifies its
//! kind.
//!
//! ```text
//! reader ──kind, place, message──▶ Findings ──▶ Vec<Finding>      data, for a renderer
//!                                  (bounded)
//! Reader::kinds() ──▶ tables in docs/reference, `comity lint --explain CODE`
//! ```
//
// | file | content |
// |---|---|
// | `kind.rs` | the description of a kind; the macro that declares a table of kinds |
// | `explanation.rs` | reasons and examples of kinds (feature `explanations`) |
// | `reader.rs` | the readers; their tables: `../kinds.rs` |
// | `place.rs` | the place of a finding |
// | `collect.rs` | the collector, whose size is limited |
// | `quote.rs` | quotation of document text in a message |
// | `severity.rs` | the severities |
// | `fix.rs` | the solution as edits |
//!
//! ```
//! use comity::finding::{Kind, Severity};
//!
//! let kind = Kind::of("missing-colon")?;
//! assert_eq!((kind.code(), kind.severity()), ("missing-colon", Severity::Warning));
//! # Ok::<(), comity::finding::UnknownCode>(())
//! ```

#![cfg_attr(
    not(all(feature = "page", feature = "usage", feature = "sitemap", feature = "llms")),
    allow(dead_code, reason = "each reader uses some of these items")
)]

mod collect;
#[cfg(feature = "explanations")]
mod explanation;
mod fix;
mod kind;
mod place;
mod quote;
mod reader;
mod severity;

use std::borrow::Cow;
use std::fmt;

#[cfg(feature = "explanations")]
#[cfg_attr(docsrs, doc(cfg(feature = "explanations")))]
pub use explanation::Example;
#[cfg(feature = "explanations")]
pub(crate) use explanation::{ExampleContent, Explanation};
pub use fix::{Decisions, Edit, Fix};
pub use kind::{Kind, UnknownCode};
pub use place::{Channel, Place};
pub use reader::Reader;
pub use severity::Severity;

pub(crate) use {
    collect::Findings,
    kind::kinds,
    quote::{excerpt, quoted},
};

/// Maximum number of findings of one kind that are stored. If there are more, one additional finding reports the number
/// of omitted findings.
pub const LIMIT: usize = 100;

/// A report by a reader about one place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finding {
    kind: &'static Kind,
    severity: Severity,
    place: Place,
    message: String,
    help: Cow<'static, str>,
    related: Vec<Related>,
    repeats: u64,
    is_droppable: bool,
    fix: Option<Fix>,
}

impl Finding {
    /// Makes a finding with the severity and the advice of its kind.
    pub(crate) fn new(kind: &'static Kind, place: Place, message: impl Into<String>) -> Self {
        Finding {
            kind,
            severity: kind.severity,
            place,
            message: message.into(),
            help: Cow::Borrowed(kind.help),
            related: Vec::new(),
            repeats: 0,
            is_droppable: false,
            fix: None,
        }
    }

    /// Returns the kind, which contains the documentation.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Returns the [code](Kind::code) of the kind.
    pub fn code(&self) -> &'static str {
        self.kind.code
    }

    /// Returns the severity at this place, which may differ from the kind's [default](Kind::severity).
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the place of the finding.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the description of the problem: lower case, no full stop, text of the file in backticks.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice on how to resolve the finding.
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Returns other relevant places, such as the line that takes precedence.
    pub fn related(&self) -> &[Related] {
        &self.related
    }

    /// Returns the number of findings that this one replaces. It is 0, except for the additional finding of a kind that
    /// was found more than [`LIMIT`] times.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Returns the number of findings that this one represents: the number of findings that it
    /// [replaces](Finding::repeats), but at least 1.
    pub fn count(&self) -> u64 {
        self.repeats.max(1)
    }

    /// Returns true if the line can be deleted without changing any decision of the default dialect, for any crawler
    /// and any URL. All such lines of a robots.txt can also be deleted together.
    ///
    /// ```
    /// use comity::robots::lint::lint;
    ///
    /// let findings = lint(b"User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /*.css$\n");
    /// let droppable: Vec<_> = findings.iter().map(|f| (f.code(), f.is_droppable())).collect();
    /// assert_eq!(droppable, [("redundant-rule", true), ("blocks-assets", false)]);
    /// ```
    pub fn is_droppable(&self) -> bool {
        self.is_droppable
    }

    /// Returns the edits that resolve the finding, if the solution is mechanical.
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_ref()
    }

    /// Sets the severity, if it is not the kind's default.
    pub(crate) fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Sets the advice, if it is not the kind's default.
    pub(crate) fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds a related place.
    pub(crate) fn with_related(mut self, related: Related) -> Self {
        self.related.push(related);
        self
    }

    /// Sets whether the line can be deleted without changing a decision. If not, the fix is removed.
    pub(crate) fn set_droppable(&mut self, is_droppable: bool) {
        self.is_droppable = is_droppable;
        if !is_droppable {
            self.fix = None;
        }
    }

    /// Sets the edits that resolve the finding.
    pub(crate) fn with_fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }
}

/// Writes the [place](Place), the severity, the message and the code, in one line. The help and the related places are not
/// written.
///
/// ```
/// use comity::robots::lint::lint;
///
/// let findings = lint(b"User-agent: *\nDisallow /private\n");
/// let text = findings[0].to_string();
/// assert_eq!(text, "line 2: warning: no colon after `Disallow` [missing-colon]");
/// ```
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {} [{}]", self.place, self.severity, self.message, self.code())
    }
}

/// Another place that is relevant to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Related {
    /// The relation of the place to the finding.
    message: &'static str,
    /// The place.
    place: Place,
}

impl Related {
    pub(crate) fn new(message: &'static str, place: Place) -> Self {
        Related { message, place }
    }

    /// Returns the relation to the finding.
    pub fn message(&self) -> &'static str {
        self.message
    }

    /// Returns the place.
    pub fn place(&self) -> &Place {
        &self.place
    }
}

/// A report by a reader about one place of a document.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Finding"))]
struct FindingFields<'f> {
    /// The stable name of the kind, unique among all readers.
    code: &'static str,
    /// The severity at this place.
    severity: Severity,
    /// The place.
    place: &'f Place,
    /// The problem: lower case, no full stop, text of the file in backticks.
    message: &'f str,
    /// The advice on how to resolve it.
    help: &'f str,
    /// Other relevant places, such as the line that takes precedence.
    related: &'f [Related],
    /// The number of findings that this one replaces. It is 0, except for the additional finding of a kind that was
    /// found more than 100 times.
    repeats: u64,
    /// True if the line can be deleted without changing any decision of the default dialect.
    droppable: bool,
    /// The edits that resolve the finding, if the solution is mechanical.
    fix: Option<&'f Fix>,
    /// The page that documents the kind.
    documentation: String,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FindingFields {
            code: self.code(),
            severity: self.severity,
            place: &self.place,
            message: &self.message,
            help: &self.help,
            related: &self.related,
            repeats: self.repeats,
            droppable: self.is_droppable,
            fix: self.fix(),
            documentation: self.kind.page(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Finding: FindingFields<'static>;);
