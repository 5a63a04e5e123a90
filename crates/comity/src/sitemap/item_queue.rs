//! A queue of findings and entries in the order of the file.

use std::collections::VecDeque;

use super::entry::Item;
use crate::finding::{Channel, Findings, Kind, Place};

/// A position in the uncompressed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The 1-based line; lines end at LF.
    pub line: u64,
    /// The number of UTF-8 bytes before the position, without a byte order mark.
    pub offset: u64,
}

impl Position {
    /// The start of the file.
    pub(super) const START: Position = Position { line: 1, offset: 0 };

    fn place(self) -> Place {
        Place {
            line: Some(self.line),
            start: Some(self.offset),
            end: Some(self.offset),
            ..Place::new(Channel::Sitemap)
        }
    }
}

/// The findings and entries of a file that the reader has not returned yet.
#[derive(Debug, Default)]
pub(super) struct ItemQueue {
    pub items: VecDeque<Item>,
    findings: Findings,
}

impl ItemQueue {
    /// Reports a finding. Its message is the kind's summary, followed by details. The details are computed only if the
    /// kind has not reached its limit.
    pub(super) fn report(&mut self, kind: &'static Kind, at: Position, detail: impl FnOnce() -> String) {
        self.findings.detail(kind, at.place(), detail);
        self.queue_findings();
    }

    /// Reports a finding whose message is the kind's summary.
    pub(super) fn note(&mut self, kind: &'static Kind, at: Position) {
        self.findings.note(kind, at.place());
        self.queue_findings();
    }

    /// Reports a finding, unless the file already has one of its kind.
    pub(super) fn once(&mut self, kind: &'static Kind, at: Position, detail: impl FnOnce() -> String) {
        if self.findings.count(kind) == 0 {
            self.report(kind, at, detail);
        }
    }

    /// Returns true if a finding of this kind was reported.
    pub(super) fn has(&self, kind: &'static Kind) -> bool {
        self.findings.count(kind) > 0
    }

    /// Adds one finding for each kind above its limit, with the number of omitted findings.
    pub(super) fn finish(&mut self) {
        self.items.extend(self.findings.left_out().map(Item::Finding));
    }

    /// Moves the findings into the queue of items.
    fn queue_findings(&mut self) {
        self.items.extend(self.findings.kept_mut().drain(..).map(Item::Finding));
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds;
    use super::*;

    #[test]
    fn findings_above_the_limit_are_counted() {
        let mut found = ItemQueue::default();
        for _ in 0..150 {
            found.note(&kinds::BAD_PRIORITY, Position::START);
        }
        found.finish();
        assert_eq!(found.items.len(), 101);
        let Some(Item::Finding(last)) = found.items.back() else { panic!("a finding") };
        assert_eq!((last.repeats(), last.count()), (50, 50));
        let words = "line 1: warning: 50 more like this, up to line 1 [sitemap-bad-priority]";
        assert_eq!(last.to_string(), words);
    }
}
