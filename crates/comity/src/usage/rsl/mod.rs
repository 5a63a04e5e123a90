//! Really Simple Licensing (RSL): licenses as XML documents.
//!
//! Source: RSL 1.0 of December 2025 with its errata up to August 2026 (rslstandard.org), through summaries that cite
//! its sections; the text itself was not available. Where the summaries are ambiguous, this module chooses the more
//! restrictive reading, as RSL requires. `read.rs` parses XML or a feed into a [`LicenseDocument`]. `evaluate.rs`
//! computes the rights that the document grants for a URL.

mod evaluate;
mod read;

use std::fmt;
use std::time::{Duration, SystemTime};

use super::document_findings::{DocumentFindings, FindingPosition};
use super::kinds;
use crate::finding::{Channel, Finding};
use crate::robots::scope::Scope;

pub(super) use evaluate::{Grant, LicenseUser};

/// The namespace of RSL 1.0.
pub(super) const NAMESPACE: &str = "https://rslstandard.org/rsl";

/// Maximum size of an RSL document in bytes: 1 MiB. A larger document is rejected.
pub const MAX_RSL_BYTES: usize = 1024 * 1024;

/// Maximum depth of elements in an RSL document. A deeper document is rejected. In a feed, the content of extensions
/// does not count.
pub const MAX_RSL_DEPTH: usize = 32;

/// An RSL document.
///
/// ```
/// use comity::robots::Agent;
/// use comity::usage::{Stance, LicenseDocument, Signal, Usage, Use};
///
/// let document = LicenseDocument::parse(
///     br#"<rsl xmlns="https://rslstandard.org/rsl">
///           <content url="/">
///             <license><permits type="usage">search ai-input</permits></license>
///           </content>
///           <content url="/archive/">
///             <license><permits type="usage">ai-all</permits><payment type="crawl"/></license>
///           </content>
///         </rsl>"#,
/// )?;
/// let agent = Agent::token("examplebot")?;
/// let usage = Usage::for_agent(&agent).rsl(&document);
///
/// let report = usage.report("https://example.com/news")?;
/// let rsl = report.signal(Signal::Rsl).unwrap();
/// assert_eq!(rsl.stance(Use::Search), Stance::Allow);
/// assert_eq!(rsl.stance(Use::Train), Stance::Disallow); // the list is exhaustive
///
/// let report = usage.report("https://example.com/archive/1998")?;
/// let train = &report.signal(Signal::Rsl).unwrap().preferences()[0];
/// assert_eq!((train.usage(), train.stance()), (Use::Train, Stance::Disallow));
/// assert_eq!(train.conditions(), ["licensed in return for payment: crawl"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LicenseDocument {
    contents: Vec<Content>,
    max_age: u32,
    is_conformant: bool,
    /// True if the document is a feed whose items contain licenses.
    is_feed: bool,
    findings: DocumentFindings,
}

/// The association of a document with content (RSL 1.0 §4). The association nearest to the content takes precedence
/// (§4.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Association {
    /// robots.txt links to the document.
    Site,
    /// The page's header or a `link` in its head links to the document.
    Page,
    /// The document is in the page's head.
    Inline,
    /// The document is in an element of the page's body, and applies only to that element (§4.6).
    Element,
}

/// `<content>`: the licensed content and its terms.
#[derive(Clone, Debug)]
struct Content {
    line: u32,
    place: Coverage,
    server: Option<String>,
    licenses: Vec<License>,
}

/// The URLs that the `url` of a content covers.
#[derive(Clone, Debug)]
enum Coverage {
    /// An empty `url`: the content that the document is attached to.
    Attached,
    /// Paths of the given origin; without one, of the origin that the document applies to.
    Paths { origin: Option<String>, scope: Scope },
    /// A value that cannot be matched.
    Nowhere,
}

/// `<license>`: one set of terms.
#[derive(Clone, Debug, Default)]
struct License {
    permits: Terms,
    prohibits: Terms,
    payment: Option<Payment>,
    /// The required reports, as text.
    reporting: Vec<String>,
}

/// All `<permits>` or all `<prohibits>` of a license.
#[derive(Clone, Debug, Default)]
struct Terms {
    usage: Option<List>,
    user: Option<List>,
    geo: Option<List>,
}

/// The tokens of one type.
#[derive(Clone, Debug, Default)]
struct List {
    line: u32,
    tokens: Vec<String>,
}

/// `<payment>`.
#[derive(Clone, Debug, Default)]
struct Payment {
    kind: Option<String>,
    /// The values of child elements, such as amount with currency, or the URL of a license.
    details: Vec<String>,
}

impl LicenseDocument {
    /// Sets the URL from which the document was fetched. The items of a feed apply only to content on the feed's own
    /// origin (RSL 1.0 §4.7). For other documents, the URL has no effect.
    ///
    /// ```
    /// use comity::robots::Agent;
    /// use comity::usage::{LicenseDocument, Signal, Stance, Usage, Use};
    ///
    /// let feed = br#"<rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl"><channel><item>
    ///   <link>https://example.com/news</link>
    ///   <rsl:content url="https://example.com/news"><rsl:license>
    ///     <rsl:permits type="usage">search</rsl:permits>
    ///   </rsl:license></rsl:content>
    /// </item></channel></rss>"#;
    /// let agent = Agent::token("examplebot")?;
    /// let stance = |at: &str| {
    ///     let document = LicenseDocument::parse(feed)?.at(at);
    ///     let report = Usage::for_agent(&agent).rsl(&document).report("https://example.com/news")?;
    ///     Ok::<_, Box<dyn std::error::Error>>(report.signal(Signal::Rsl).unwrap().stance(Use::Search))
    /// };
    /// assert_eq!(stance("https://example.com/feed.xml")?, Stance::Allow);
    /// assert_eq!(stance("https://example.net/feed.xml")?, Stance::Unknown);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(mut self, url: &str) -> Self {
        if !self.is_feed {
            return self;
        }
        let own = evaluate::split_origin(url).map(|(origin, _)| origin);
        for content in &mut self.contents {
            let is_elsewhere = match &mut content.place {
                // A path is a path of the feed's own site.
                Coverage::Paths { origin: place @ None, .. } => {
                    place.clone_from(&own);
                    own.is_none()
                }
                Coverage::Paths { origin: Some(origin), .. } => own.as_ref() != Some(origin),
                _ => false,
            };
            if is_elsewhere {
                content.place = Coverage::Nowhere;
                let line = FindingPosition::Line(content.line);
                self.findings.detail(&kinds::RSL_URL_MATCHES_NOTHING, line, || {
                    "it is of another origin than the feed".to_owned()
                });
            }
        }
        self
    }

    /// Returns the maximum age of the document in days, after which it must be checked again: `max-age`, or 30 by
    /// default.
    pub fn max_age_days(&self) -> u32 {
        self.max_age
    }

    /// Returns true if the document may still be used. The document, and the line, field or element that links to it,
    /// must both have been checked within the last `max-age` days (RSL 1.0 §3.2.1).
    ///
    /// A successful revalidation of the document counts as a check. If the line, field or element now links to another
    /// document, this document must not be used.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use comity::usage::LicenseDocument;
    ///
    /// let document = LicenseDocument::parse(br#"<rsl xmlns="https://rslstandard.org/rsl" max-age="7"/>"#)?;
    /// let day = Duration::from_secs(24 * 60 * 60);
    /// let monday = SystemTime::UNIX_EPOCH + 20_000 * day;
    /// assert!(document.may_be_relied_on(monday, monday, monday + 7 * day));
    /// // The document was checked again, but robots.txt, which names it, was not.
    /// assert!(!document.may_be_relied_on(monday + 5 * day, monday, monday + 8 * day));
    /// # Ok::<(), comity::usage::LicenseError>(())
    /// ```
    pub fn may_be_relied_on(
        &self,
        document_seen: SystemTime,
        link_seen: SystemTime,
        now: SystemTime,
    ) -> bool {
        let max_age = Duration::from_secs(u64::from(self.max_age) * 24 * 60 * 60);
        let is_fresh = |seen: SystemTime| now.duration_since(seen).is_ok_and(|age| age <= max_age);
        is_fresh(document_seen) && is_fresh(link_seen)
    }

    /// Returns true if bytes are probably an RSL document: they start with `<rsl`, or are XML other than HTML with
    /// RSL's namespace near the start. The XML need not be well-formed.
    pub fn is_likely(text: &[u8]) -> bool {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
        let start = text.get(..text.len().min(4096)).unwrap_or_default().to_ascii_lowercase();
        let has = |needle: &[u8]| memchr::memmem::find(&start, needle).is_some();
        // An HTML page may contain a license, but is not a license document.
        start.starts_with(b"<rsl")
            || (start.starts_with(b"<")
                && has(NAMESPACE.as_bytes())
                && !has(b"<html")
                && !has(b"<!doctype html"))
    }

    /// Returns the findings in the document, ordered by position.
    pub fn findings(&self) -> Vec<Finding> {
        self.findings.list()
    }

    /// Parses bytes as an RSL document and returns the findings. If the document cannot be parsed, the only finding is
    /// `usage-unreadable-license`.
    ///
    /// ```
    /// use comity::usage::LicenseDocument;
    ///
    /// let findings = LicenseDocument::lint(br#"<rsl xmlns="https://rslstandard.org/rsl"><contents/></rsl>"#);
    /// assert_eq!(findings[0].code(), "usage-unknown-rsl-element");
    /// ```
    pub fn lint(text: &[u8]) -> Vec<Finding> {
        match LicenseDocument::parse(text) {
            Ok(document) => document.findings(),
            Err(error) => {
                let mut findings = DocumentFindings::new(Channel::RslDocument);
                findings.detail(&kinds::UNREADABLE_LICENSE, error.line(), || error.to_string());
                findings.list()
            }
        }
    }

    /// Returns false if an element is unknown or misplaced, or if a type or word of `permits` or `prohibits` is not
    /// defined. Such a document does not conform to RSL 1.0: it allows nothing, but its prohibitions count.
    pub fn is_conformant(&self) -> bool {
        self.is_conformant
    }
}

/// The reason why an RSL document is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LicenseError {
    /// The document is larger than [`MAX_RSL_BYTES`].
    TooLarge {
        /// The size in bytes.
        bytes: usize,
    },
    /// The elements are nested deeper than [`MAX_RSL_DEPTH`].
    TooDeep {
        /// The 1-based line.
        line: u32,
    },
    /// The document is not UTF-8.
    NotUtf8,
    /// The document has a `DOCTYPE`, which could define entities.
    Doctype {
        /// The 1-based line.
        line: u32,
    },
    /// The document is not XML.
    NotXml {
        /// The 1-based line.
        line: u32,
        /// The reason.
        reason: String,
    },
    /// The document is XML, but neither RSL (its root is not `rsl` in RSL's namespace) nor a feed whose items contain
    /// licenses.
    NotRsl {
        /// The 1-based line.
        line: u32,
    },
}

impl LicenseError {
    /// Returns the 1-based line of the error, if it has one.
    pub fn line(&self) -> Option<u32> {
        match self {
            LicenseError::TooLarge { .. } | LicenseError::NotUtf8 => None,
            LicenseError::TooDeep { line }
            | LicenseError::Doctype { line }
            | LicenseError::NotXml { line, .. }
            | LicenseError::NotRsl { line } => Some(*line),
        }
    }
}

impl fmt::Display for LicenseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LicenseError::TooLarge { bytes } => {
                write!(f, "an RSL document of {bytes} bytes is too large; the maximum is {MAX_RSL_BYTES}")
            }
            LicenseError::TooDeep { line } => {
                write!(f, "line {line}: elements are nested too deeply; the maximum is {MAX_RSL_DEPTH}")
            }
            LicenseError::NotUtf8 => f.write_str("an RSL document must be UTF-8"),
            LicenseError::Doctype { line } => {
                write!(f, "line {line}: a document with a DOCTYPE is rejected; RSL does not need one")
            }
            LicenseError::NotXml { line, reason } => write!(f, "line {line}: invalid XML: {reason}"),
            LicenseError::NotRsl { line } => {
                write!(
                    f,
                    "line {line}: the root element is not `rsl` of the namespace {NAMESPACE}, nor is it a feed with \
                     licenses"
                )
            }
        }
    }
}

impl std::error::Error for LicenseError {}
