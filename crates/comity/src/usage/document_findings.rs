//! The findings of one document.

use crate::finding::{Channel, Finding, Findings, Kind, Place};

/// A collector of the findings of one document.
#[derive(Clone, Debug)]
pub(super) struct DocumentFindings {
    channel: Channel,
    findings: Findings,
}

/// The position of a finding in the document.
#[derive(Clone, Copy)]
pub(super) enum FindingPosition {
    /// The document as a whole.
    Document,
    /// A 1-based line.
    Line(u32),
    /// The rule with this index.
    Rule(usize),
}

impl From<Option<u32>> for FindingPosition {
    fn from(line: Option<u32>) -> Self {
        line.map_or(FindingPosition::Document, FindingPosition::Line)
    }
}

impl DocumentFindings {
    pub(super) fn new(channel: Channel) -> Self {
        DocumentFindings { channel, findings: Findings::new() }
    }

    /// Returns the kind of document.
    pub(super) fn channel(&self) -> Channel {
        self.channel
    }

    /// Adds a finding with its own details and advice, which `words` returns.
    pub(super) fn advise(
        &mut self,
        kind: &'static Kind,
        at: impl Into<FindingPosition>,
        words: impl FnOnce() -> (String, String),
    ) {
        self.findings.advise(kind, self.place(at.into()), words);
    }

    /// Adds a finding. Its message is the kind's summary, followed by details.
    pub(super) fn detail(
        &mut self,
        kind: &'static Kind,
        at: impl Into<FindingPosition>,
        detail: impl FnOnce() -> String,
    ) {
        self.findings.detail(kind, self.place(at.into()), detail);
    }

    /// Adds a finding whose message is the kind's summary.
    pub(super) fn note(&mut self, kind: &'static Kind, at: impl Into<FindingPosition>) {
        self.findings.note(kind, self.place(at.into()));
    }

    /// Returns all findings, ordered by position.
    pub(super) fn list(&self) -> Vec<Finding> {
        if self.findings.is_empty() { Vec::new() } else { self.findings.clone().sorted() }
    }

    fn place(&self, at: FindingPosition) -> Place {
        match at {
            FindingPosition::Document => Place::new(self.channel),
            FindingPosition::Line(line) => Place::line(self.channel, line),
            FindingPosition::Rule(index) => {
                Place { number: Some(index as u64 + 1), ..Place::new(self.channel) }
            }
        }
    }
}
