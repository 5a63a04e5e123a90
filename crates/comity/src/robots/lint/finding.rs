//! What lint reports: data for a renderer, not text for a terminal.

use std::ops::Range;

use super::catalogue::Lint;
use crate::severity::Severity;

/// One thing that lint has to say about one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finding {
    pub(super) lint: Lint,
    pub(super) severity: Severity,
    pub(super) span: Range<usize>,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) related: Vec<Related>,
    pub(super) repeats: usize,
    pub(super) is_droppable: bool,
}

impl Finding {
    /// Returns which lint found it.
    pub fn lint(&self) -> Lint {
        self.lint
    }

    /// Returns how much it matters here; not always the lint's [default](Lint::severity).
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The bytes of the body it is about. May be empty: a place rather than a stretch.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The 1-based line on which the span starts; lines end at CR, LF or CRLF.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The 1-based column, in bytes, at which the span starts in its line.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Returns what is wrong here: lower case, no full stop, what the file says in backticks.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The way out.
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Other places that matter to it, such as the line that wins.
    pub fn related(&self) -> &[Related] {
        &self.related
    }

    /// Returns how many findings of the same lint it stands for instead of being one: 0, save for the last one of a
    /// lint that found more than [`LIMIT`](super::LIMIT) places.
    pub fn repeats(&self) -> usize {
        self.repeats
    }

    /// Returns whether the line can be deleted without changing any decision of the default dialect, whoever asks for
    /// whatever. That holds for all such lines of a file together, too.
    ///
    /// ```
    /// use comity::robots::lint::lint;
    ///
    /// let findings = lint(b"User-agent: *\nDisallow: /a\nDisallow: /a/b\nDisallow: /*.css$\n");
    /// let droppable: Vec<_> = findings.iter().map(|f| (f.lint().code(), f.is_droppable())).collect();
    /// assert_eq!(droppable, [("redundant-rule", true), ("blocks-assets", false)]);
    /// ```
    pub fn is_droppable(&self) -> bool {
        self.is_droppable
    }

    /// With another severity than the lint's default.
    pub(super) fn severity_of(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With another place that matters to it.
    pub(super) fn with_related(mut self, related: Related) -> Self {
        self.related.push(related);
        self
    }
}

/// A place that matters to a [`Finding`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub(super) span: Range<usize>,
    pub(super) line: u32,
    pub(super) message: &'static str,
}

impl Related {
    /// The bytes of the body it is about.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The 1-based line on which it starts.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns what it has to do with the finding.
    pub fn message(&self) -> &'static str {
        self.message
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Finding", 12)?;
        fields.serialize_field("code", self.lint.code())?;
        fields.serialize_field("severity", &self.severity)?;
        fields.serialize_field("line", &self.line)?;
        fields.serialize_field("column", &self.column)?;
        fields.serialize_field("start", &self.span.start)?;
        fields.serialize_field("end", &self.span.end)?;
        fields.serialize_field("message", &self.message)?;
        fields.serialize_field("help", &self.help)?;
        fields.serialize_field("related", &self.related)?;
        fields.serialize_field("repeats", &self.repeats)?;
        fields.serialize_field("droppable", &self.is_droppable)?;
        fields.serialize_field("page", &self.lint.page())?;
        fields.end()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Related {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Related", 4)?;
        fields.serialize_field("line", &self.line)?;
        fields.serialize_field("start", &self.span.start)?;
        fields.serialize_field("end", &self.span.end)?;
        fields.serialize_field("message", self.message)?;
        fields.end()
    }
}
