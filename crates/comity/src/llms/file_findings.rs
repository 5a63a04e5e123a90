//! Collects the findings of a file by line.

use crate::finding::{Channel, Finding, Findings, Kind, Place, quoted};

/// The findings of one file.
#[derive(Debug, Default)]
pub(super) struct FileFindings(Findings);

impl FileFindings {
    /// Adds a finding. Its message is the kind's summary, followed by a quotation of the file unless `quotation` is
    /// empty.
    pub(super) fn add(&mut self, kind: &'static Kind, line: u32, quotation: &str) {
        let place = Place::line(Channel::LlmsTxt, line);
        match quotation {
            "" => self.0.note(kind, place),
            text => self.0.detail(kind, place, || quoted(text)),
        }
    }

    /// Adds a finding. Its message is the kind's summary, followed by details.
    pub(super) fn detail(&mut self, kind: &'static Kind, line: u32, words: impl FnOnce() -> String) {
        self.0.detail(kind, Place::line(Channel::LlmsTxt, line), words);
    }

    /// Returns all findings, in the order of the file.
    pub(super) fn finish(self) -> Vec<Finding> {
        self.0.sorted()
    }
}
