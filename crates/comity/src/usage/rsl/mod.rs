//! RSL, Really Simple Licensing: licences as XML documents.
//!
//! Source: RSL 1.0 (rslstandard.org), by descriptions of it: the text itself was not at hand, so where they leave room,
//! this reads conservatively, as RSL wants ("never expand rights"). `read.rs` makes a [`LicenseDocument`] of XML,
//! `evaluate.rs` says what it grants for a URL.

mod evaluate;
mod read;

use std::fmt;

use super::found::Found;
use crate::finding::Finding;
use crate::robots::scope::Scope;

pub(super) use evaluate::{Asker, Granted};

/// The namespace of RSL 1.0.
pub(super) const NAMESPACE: &str = "https://rslstandard.org/rsl";

/// No RSL document beyond this size is read: 1 MiB.
pub const MAX_RSL_BYTES: usize = 1024 * 1024;

/// No RSL document with deeper elements is read.
pub const MAX_RSL_DEPTH: usize = 32;

/// An RSL document.
///
/// ```
/// use comity::robots::Agent;
/// use comity::usage::{PreferenceValue, LicenseDocument, Signal, Usage, Use};
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
/// let agent = Agent::token("examplebot");
/// let usage = Usage::for_agent(&agent).rsl(&document);
///
/// let report = usage.report("https://example.com/news")?;
/// let rsl = report.signal(Signal::Rsl).unwrap();
/// assert_eq!(rsl.answer(Use::Search), PreferenceValue::Allow);
/// assert_eq!(rsl.answer(Use::Train), PreferenceValue::Disallow); // the list is exhaustive
///
/// let report = usage.report("https://example.com/archive/1998")?;
/// let train = &report.signal(Signal::Rsl).unwrap().preferences()[0];
/// assert_eq!((train.usage(), train.answer()), (Use::Train, PreferenceValue::Disallow));
/// assert_eq!(train.conditions(), ["licensed against payment: crawl"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LicenseDocument {
    contents: Vec<Content>,
    max_age: u32,
    is_conformant: bool,
    findings: Found,
}

/// `<content>`: what is licensed, and how.
#[derive(Clone, Debug)]
struct Content {
    place: Coverage,
    server: Option<String>,
    licences: Vec<License>,
}

/// What a `url` means.
#[derive(Clone, Debug)]
enum Coverage {
    /// Empty: whatever the document is attached to.
    Attached,
    /// Paths, of one origin or of whichever the document speaks for.
    Paths { origin: Option<String>, scope: Scope },
    /// Nothing that can be matched.
    Nowhere,
}

/// `<license>`: one set of terms.
#[derive(Clone, Debug, Default)]
struct License {
    permits: Terms,
    prohibits: Terms,
    payment: Option<Payment>,
    /// What has to be reported, in words.
    reporting: Vec<String>,
}

/// All `<permits>` or all `<prohibits>` of a licence.
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
    /// Amount, currency, where: what children say, in words.
    details: Vec<String>,
}

impl LicenseDocument {
    /// Returns how many days it may be kept before it has to be looked at again: `max-age`, 30 if it does not say.
    pub fn max_age_days(&self) -> u32 {
        self.max_age
    }

    /// Returns true if it keeps to RSL 1.0, as far as was looked at. One that does not allows nothing; what it prohibits counts.
    pub fn is_conformant(&self) -> bool {
        self.is_conformant
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.findings.list()
    }
}

/// Why an RSL document is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LicenseError {
    /// It is larger than [`MAX_RSL_BYTES`].
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Its elements stand deeper in each other than [`MAX_RSL_DEPTH`].
    TooDeep {
        /// The line, counted from 1.
        line: u32,
    },
    /// It is not UTF-8.
    NotUtf8,
    /// It has a `DOCTYPE`, which could define entities.
    Doctype {
        /// The line, counted from 1.
        line: u32,
    },
    /// It is no XML.
    NotXml {
        /// The line, counted from 1.
        line: u32,
        /// Why.
        reason: String,
    },
    /// It is XML, but its root is not `rsl` of RSL's namespace.
    NotRsl {
        /// The line, counted from 1.
        line: u32,
    },
}

impl fmt::Display for LicenseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LicenseError::TooLarge { bytes } => {
                write!(f, "an RSL document of {bytes} bytes is refused; at most {MAX_RSL_BYTES} are read")
            }
            LicenseError::TooDeep { line } => {
                write!(f, "line {line}: elements stand more than {MAX_RSL_DEPTH} deep, which is refused")
            }
            LicenseError::NotUtf8 => f.write_str("an RSL document has to be UTF-8"),
            LicenseError::Doctype { line } => {
                write!(f, "line {line}: a document with a DOCTYPE is refused; RSL needs none")
            }
            LicenseError::NotXml { line, reason } => write!(f, "line {line}: no XML: {reason}"),
            LicenseError::NotRsl { line } => {
                write!(f, "line {line}: the root element is not `rsl` of the namespace {NAMESPACE}")
            }
        }
    }
}

impl std::error::Error for LicenseError {}
