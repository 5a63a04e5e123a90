//! Collects the findings of a file by line.

use crate::finding::{Channel, Finding, Findings, Kind, Place, quoted};

/// A collection of findings.
#[derive(Debug, Default)]
pub(super) struct Found(Findings);

impl Found {
    /// Adds a finding. Its message is the kind's summary, followed by a quotation of the file, if there is one.
    pub(super) fn add(&mut self, kind: &'static Kind, line: u32, said: &str) {
        let place = Place::line(Channel::LlmsTxt, line);
        match said {
            "" => self.0.note(kind, place),
            said => self.0.detail(kind, place, || quoted(said)),
        }
    }

    /// Adds a finding. Its message is the kind's summary, followed by a detail in our own words.
    pub(super) fn detail(&mut self, kind: &'static Kind, line: u32, words: impl FnOnce() -> String) {
        self.0.detail(kind, Place::line(Channel::LlmsTxt, line), words);
    }

    /// Returns all findings, in the order of the file.
    pub(super) fn finish(self) -> Vec<Finding> {
        self.0.sorted()
    }
}
