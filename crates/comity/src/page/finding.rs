//! Findings about the directives of a page.

use super::statement::Source;
use crate::severity::Severity;

/// The largest number of findings of one kind that are kept; the rest is counted.
pub const LIMIT: usize = 100;

/// A finding about the directives of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    kind: FindingKind,
    source: Source,
    detail: String,
}

impl Finding {
    /// Returns its kind.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// Returns how much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// Returns where it is.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns what is there, in a few words, with the page's own text in backticks.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Finding", 4)?;
        fields.serialize_field("code", self.kind.as_str())?;
        fields.serialize_field("severity", &self.severity())?;
        fields.serialize_field("detail", &self.detail)?;
        fields.serialize_field("source", &self.source)?;
        fields.end()
    }
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// A word that is not a directive.
    UnknownDirective,
    /// A value that cannot be read.
    BadValue,
    /// A value on a directive that takes none.
    UnexpectedValue,
    /// Directives with no comma between them.
    MissingComma,
    /// Quotation marks that belong to no directive.
    Quoted,
    /// Several crawlers named in one field.
    SeveralAgents,
    /// A crawler named in the content of a `meta`.
    AgentInContent,
    /// A `Robots-Tag` that is not a structured field.
    MalformedRobotsTag,
    /// A member of `Robots-Tag` that is not a product token.
    BadMember,
    /// A header that is longer than what is read of it.
    HeaderTooLong,
    /// More directives than are kept.
    TooManyDirectives,
    /// A `meta` in the body.
    MetaInBody,
    /// `data-nosnippet` on an element that may not carry it.
    BadNoSnippetElement,
    /// A page that is longer than what was read of it, or has more elements.
    PageTooLong,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [FindingKind; 14] = [
        FindingKind::UnknownDirective,
        FindingKind::BadValue,
        FindingKind::UnexpectedValue,
        FindingKind::MissingComma,
        FindingKind::Quoted,
        FindingKind::SeveralAgents,
        FindingKind::AgentInContent,
        FindingKind::MalformedRobotsTag,
        FindingKind::BadMember,
        FindingKind::HeaderTooLong,
        FindingKind::TooManyDirectives,
        FindingKind::MetaInBody,
        FindingKind::BadNoSnippetElement,
        FindingKind::PageTooLong,
    ];

    /// The code.
    pub const fn as_str(self) -> &'static str {
        match self {
            FindingKind::UnknownDirective => "unknown-directive",
            FindingKind::BadValue => "bad-value",
            FindingKind::UnexpectedValue => "unexpected-value",
            FindingKind::MissingComma => "missing-comma",
            FindingKind::Quoted => "quoted",
            FindingKind::SeveralAgents => "several-agents",
            FindingKind::AgentInContent => "agent-in-content",
            FindingKind::MalformedRobotsTag => "malformed-robots-tag",
            FindingKind::BadMember => "bad-member",
            FindingKind::HeaderTooLong => "header-too-long",
            FindingKind::TooManyDirectives => "too-many-directives",
            FindingKind::MetaInBody => "meta-in-body",
            FindingKind::BadNoSnippetElement => "bad-nosnippet-element",
            FindingKind::PageTooLong => "page-too-long",
        }
    }

    /// Returns how much it matters.
    pub const fn severity(self) -> Severity {
        match self {
            FindingKind::SeveralAgents | FindingKind::MetaInBody | FindingKind::UnexpectedValue => {
                Severity::Note
            }
            FindingKind::BadValue | FindingKind::MalformedRobotsTag | FindingKind::BadMember => {
                Severity::Error
            }
            _ => Severity::Warning,
        }
    }

    /// Returns what it means, in one sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            FindingKind::UnknownDirective => "No crawler is known to act on this word.",
            FindingKind::BadValue => "The value cannot be read, so the directive does not count.",
            FindingKind::UnexpectedValue => "The directive takes no value; it counts without it.",
            FindingKind::MissingComma => {
                "Directives are separated by commas; crawlers may see one unknown word here."
            }
            FindingKind::Quoted => {
                "Quotation marks are part of the word to a crawler that takes it literally."
            }
            FindingKind::SeveralAgents => {
                "Crawlers may read this field, which names several of them, as meant for the first alone."
            }
            FindingKind::AgentInContent => {
                "In a page the crawler is named in the attribute `name`; here its name makes an unknown word."
            }
            FindingKind::MalformedRobotsTag => {
                "A structured field that cannot be parsed is ignored as a whole (RFC 9651)."
            }
            FindingKind::BadMember => "The members of Robots-Tag are product tokens; this one is ignored.",
            FindingKind::HeaderTooLong => "What stands after the limit does not count.",
            FindingKind::TooManyDirectives => "Only the first are kept.",
            FindingKind::MetaInBody => "Google reads directives in the body; others need them in the head.",
            FindingKind::BadNoSnippetElement => "Google reads data-nosnippet on span, div and section only.",
            FindingKind::PageTooLong => "Directives may stand in what was not read.",
        }
    }
}

/// Collects the findings of readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    kept: Vec<Finding>,
    counts: [usize; FindingKind::ALL.len()],
}

impl Findings {
    pub(super) fn add(&mut self, kind: FindingKind, source: Source, detail: impl Into<String>) {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        if *count <= LIMIT {
            self.kept.push(Finding { kind, source, detail: detail.into() });
        }
    }

    pub(super) fn kept(&self) -> &[Finding] {
        &self.kept
    }

    pub(super) fn left_out(&self) -> usize {
        self.counts.iter().map(|count| count.saturating_sub(LIMIT)).sum()
    }
}

/// Somebody else's text in a message: short, and on one line.
pub(super) fn quote(text: &str) -> String {
    const SHOWN: usize = 60;
    let cut = text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end]);
    let mut shown = crate::shown::text(cut).into_owned();
    if cut.len() < text.len() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
