//! Limits the findings in output for people. By default, notes are hidden, and at most three findings of each kind are
//! shown for a file.

use std::collections::BTreeMap;

use comity::finding::{Finding, Severity};

use crate::text::finding::HiddenCount;

/// Maximum number of findings of one lint and severity that are shown for a file.
const SHOWN: usize = 3;

/// The findings of one file that are hidden, because enough findings of their kinds are shown.
#[derive(Default)]
pub(super) struct HiddenFindings {
    kinds: BTreeMap<(&'static str, Severity), HiddenKind>,
}

/// Findings of one kind.
#[derive(Default)]
struct HiddenKind {
    shown: usize,
    /// The number of hidden findings.
    more: u64,
    /// The lines of the first and the last hidden finding.
    lines: Option<(u64, u64)>,
    /// True if a hidden finding also counts repetitions on later lines.
    is_open: bool,
}

impl HiddenFindings {
    /// Returns true if the finding is hidden, and counts it as shown or hidden.
    pub(super) fn hides(&mut self, finding: &Finding) -> bool {
        let hidden = self.kinds.entry((finding.code(), finding.severity())).or_default();
        if hidden.shown < SHOWN {
            hidden.shown += 1;
            return false;
        }
        let line = finding.place().line.unwrap_or(1);
        hidden.more += finding.count();
        hidden.lines = Some((hidden.lines.map_or(line, |(first, _)| first), line));
        hidden.is_open |= finding.repeats() > 0;
        true
    }

    /// Returns the hidden findings by kind.
    pub(super) fn left_out(self, file: &str) -> impl Iterator<Item = HiddenCount<'_>> {
        self.kinds.into_iter().filter_map(move |((code, severity), hidden)| {
            let (first, last) = hidden.lines?;
            let place = match (hidden.is_open, first == last) {
                (true, _) => format!("from line {first} on"),
                (false, false) => format!("lines {first} to {last}"),
                (false, true) => format!("line {first}"),
            };
            let words = format!("{} more of these, {place} (--all shows them)", hidden.more);
            Some(HiddenCount { file, code, severity, line: first, words })
        })
    }
}

/// Number of hidden notes, by code.
#[derive(Default)]
pub(super) struct Hidden {
    counts: BTreeMap<&'static str, u64>,
}

impl Hidden {
    pub(super) fn add(&mut self, finding: &Finding) {
        *self.counts.entry(finding.code()).or_default() += finding.count();
    }

    /// Returns the most frequent lints, with their counts; empty if nothing was hidden.
    pub(super) fn words(&self) -> Vec<String> {
        const NAMED: usize = 4;
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named = counts.iter().take(NAMED).map(|(code, count)| format!("{count} {code}"));
        let others: u64 = counts.iter().skip(NAMED).map(|(_, count)| **count).sum();
        named.chain((others > 0).then(|| format!("{others} others"))).collect()
    }
}
