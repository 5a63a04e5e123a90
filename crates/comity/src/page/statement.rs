//! Statements: a directive, the crawler that it addresses, and its position in the header or the page.

use super::directive::{DirectiveKind, DirectiveValue};
use crate::finding::{Channel, Place};
use crate::shown;
use crate::words::words;

/// One directive as a page states it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DirectiveOfPage"))]
pub struct Statement {
    /// The name of the directive; `unknown` for text that is not a known directive.
    directive: DirectiveKind,
    /// The value of a directive that takes one; null if it cannot be read. For a limit, -1 means no limit.
    value: Option<DirectiveValue>,
    /// The directive as the page writes it, with its value.
    text: String,
    /// The name of the addressed crawler, in lower case; null if the directive addresses all crawlers.
    agent: Option<String>,
    /// The source of the statement.
    source: Source,
}

impl Statement {
    pub(super) fn new(
        directive: DirectiveKind,
        value: Option<DirectiveValue>,
        text: impl Into<String>,
        agent: Option<String>,
        source: Source,
    ) -> Self {
        Statement { directive, value, text: text.into(), agent, source }
    }

    /// Returns the kind of the directive.
    pub fn directive(&self) -> DirectiveKind {
        self.directive
    }

    /// Returns the value of a directive that takes one, or `None` if it cannot be parsed.
    pub fn value(&self) -> Option<DirectiveValue> {
        self.value
    }

    /// Returns the directive as the page writes it, with its value.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the crawler in lower case, or `None` for all crawlers.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Returns the source of the statement.
    pub fn source(&self) -> &Source {
        &self.source
    }
}

words! {
    /// The kind of source of a statement.
    SourceKind as "kind of place" {
        /// The header field `X-Robots-Tag`.
        XRobotsTag = "x_robots_tag",
        /// The header field `Robots-Tag` of draft-illyes-repext.
        RobotsTag = "robots_tag",
        /// A `meta` element.
        Meta = "meta",
        /// The attribute `data-nosnippet` of an element.
        DataNoSnippet = "data_no_snippet",
    }
}

/// The source of a statement: a header field, or an element of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The kind of source.
    kind: SourceKind,
    /// The name of the field, the `name` of the `meta`, or the element that carries `data-nosnippet`.
    name: String,
    /// The 1-based number of the source among the sources of its kind, in the order received.
    number: usize,
    /// The byte offset of the statement in the value of its header field, or the byte offset of its element's `<` in
    /// the page; if the page is not in UTF-8, in its text in UTF-8.
    offset: usize,
    /// The line of the element in the page; null in a header.
    line: Option<usize>,
    /// True if the element is in the body of the page.
    in_body: bool,
}

impl Source {
    /// Creates the source of a statement in a header field. Fields are counted from 1.
    pub(super) fn field(kind: SourceKind, number: usize, offset: usize) -> Self {
        let name = if kind == SourceKind::RobotsTag { "Robots-Tag" } else { "X-Robots-Tag" };
        Source { kind, name: name.to_owned(), number, offset, line: None, in_body: false }
    }

    /// Creates the source of a statement in the `number`th element of its kind on a page.
    #[cfg(feature = "html")]
    pub(super) fn element(kind: SourceKind, name: String, number: usize, at: crate::html::Position) -> Self {
        let in_body = at.region() == crate::html::Region::Body;
        Source { kind, name, number, offset: at.offset(), line: Some(at.line()), in_body }
    }

    /// Returns the source in the same field, `offset` bytes later.
    pub(super) fn at(&self, offset: usize) -> Self {
        Source { offset: self.offset + offset, ..self.clone() }
    }

    /// Returns the source as the place of a finding.
    pub(super) fn place(&self) -> Place {
        let is_field = matches!(self.kind, SourceKind::XRobotsTag | SourceKind::RobotsTag);
        let part = match self.kind {
            // The end of a page is not inside an element.
            SourceKind::Meta if self.name.is_empty() => None,
            SourceKind::Meta => Some("meta".to_owned()),
            SourceKind::DataNoSnippet => Some(shown::text(&self.name).chars().take(40).collect()),
            _ => Some(self.name.clone()),
        };
        let mut place = Place::new(if is_field { Channel::HttpHeader } else { Channel::Html });
        place.number = part.is_some().then_some(self.number as u64);
        place.part = part;
        place.line = self.line.map(|line| line as u64);
        place.start = Some(self.offset as u64);
        place
    }

    /// Returns the kind of source.
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// Returns the name of the field, the `name` of the `meta`, or the element that has `data-nosnippet`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the 1-based number of the source among the sources of its kind, in the order received.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the byte offset of the statement in the value of its header field, or the byte offset of its element's
    /// `<` in the page; if the page is not in UTF-8, in its text in UTF-8.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the line of the element in the page; `None` in a header.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns true if the element is in the body of its page.
    pub fn is_in_body(&self) -> bool {
        self.in_body
    }
}
