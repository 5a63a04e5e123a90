//! The findings of one document: the collector, and which document it is.

use crate::finding::{Channel, Finding, Findings, Kind, Place};

/// Findings of one document.
#[derive(Clone, Debug)]
pub(super) struct Found {
    channel: Channel,
    findings: Findings,
}

/// Where in the document something was found.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// Somewhere in it.
    Document,
    /// On a line, from 1.
    Line(u32),
    /// In the rule with this index.
    Rule(usize),
}

impl From<Option<u32>> for At {
    fn from(line: Option<u32>) -> Self {
        line.map_or(At::Document, At::Line)
    }
}

impl Found {
    pub(super) fn new(channel: Channel) -> Self {
        Found { channel, findings: Findings::new() }
    }

    /// The document.
    pub(super) fn channel(&self) -> Channel {
        self.channel
    }

    /// Works like [`Found::detail`] for a place with a way out of its own.
    pub(super) fn advise(
        &mut self,
        kind: &'static Kind,
        at: impl Into<At>,
        words: impl FnOnce() -> (String, String),
    ) {
        self.findings.advise(kind, self.place(at.into()), words);
    }

    /// Adds a finding whose message is what the kind says, and the document's own words behind it.
    pub(super) fn detail(&mut self, kind: &'static Kind, at: impl Into<At>, detail: impl FnOnce() -> String) {
        self.findings.detail(kind, self.place(at.into()), detail);
    }

    /// Adds a finding of which the kind says it all.
    pub(super) fn note(&mut self, kind: &'static Kind, at: impl Into<At>) {
        self.findings.note(kind, self.place(at.into()));
    }

    /// Returns everything found, by place.
    pub(super) fn list(&self) -> Vec<Finding> {
        if self.findings.is_empty() { Vec::new() } else { self.findings.clone().sorted() }
    }

    fn place(&self, at: At) -> Place {
        match at {
            At::Document => Place::new(self.channel),
            At::Line(line) => Place::line(self.channel, line),
            At::Rule(index) => Place { number: Some(index as u64 + 1), ..Place::new(self.channel) },
        }
    }
}
