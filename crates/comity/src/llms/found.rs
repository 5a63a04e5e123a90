//! The findings of a file: the collector, with lines for places.

use crate::finding::{Channel, Finding, Findings, Kind, Place, quoted};

/// Findings under construction.
#[derive(Debug, Default)]
pub(super) struct Found(Findings);

impl Found {
    /// Adds what the kind says, and what the file says there, if anything.
    pub(super) fn add(&mut self, kind: &'static Kind, line: u32, said: &str) {
        let place = Place::line(Channel::LlmsTxt, line);
        match said {
            "" => self.0.note(kind, place),
            said => self.0.detail(kind, place, || quoted(said)),
        }
    }

    /// Adds what the kind says, and a few words of ours.
    pub(super) fn detail(&mut self, kind: &'static Kind, line: u32, words: impl FnOnce() -> String) {
        self.0.detail(kind, Place::line(Channel::LlmsTxt, line), words);
    }

    /// Everything found, in the order of the file.
    pub(super) fn finish(self) -> Vec<Finding> {
        self.0.sorted()
    }
}
