//! What people are shown of many findings: no notes unless they ask, and three of a kind in a file.

use std::collections::BTreeMap;

use comity::robots::lint::{Finding, Lint, Severity};

/// The largest number of findings of one lint and severity that are shown for a file.
const SHOWN: usize = 3;

/// The findings of one file that are not shown, though others of their kind are.
#[derive(Default)]
pub(super) struct Folds {
    kinds: BTreeMap<(Lint, Severity), Fold>,
}

/// Findings of one kind.
#[derive(Default)]
pub(super) struct Fold {
    shown: usize,
    /// The number of findings that are not shown.
    pub more: usize,
    /// The lines of the first and the last that is not shown.
    pub lines: Option<(u32, u32)>,
    /// The last one stands for others further down.
    is_open: bool,
}

impl Fold {
    /// Returns how many there are and where; `--all` is the way to see them.
    pub(super) fn words(&self) -> String {
        let place = match self.lines {
            Some((first, _)) if self.is_open => format!("from line {first} on"),
            Some((first, last)) if first != last => format!("lines {first} to {last}"),
            Some((line, _)) => format!("line {line}"),
            None => String::new(),
        };
        format!("{} more of these, {place} (shown by --all)", self.more)
    }
}

impl Folds {
    /// Returns whether to leave a finding out.
    pub(super) fn takes(&mut self, finding: &Finding) -> bool {
        let fold = self.kinds.entry((finding.lint(), finding.severity())).or_default();
        if fold.shown < SHOWN {
            fold.shown += 1;
            return false;
        }
        fold.more += count(finding);
        let first = fold.lines.map_or(finding.line(), |(first, _)| first);
        fold.lines = Some((first, finding.line()));
        fold.is_open |= finding.repeats() > 0;
        true
    }

    /// Returns what was left out, by kind.
    pub(super) fn left_out(self) -> impl Iterator<Item = (Lint, Severity, Fold)> {
        let kinds = self.kinds.into_iter().filter(|(_, fold)| fold.more > 0);
        kinds.map(|((lint, severity), fold)| (lint, severity, fold))
    }
}

/// Returns how many findings one is: the last of a lint may stand for many.
pub(super) fn count(finding: &Finding) -> usize {
    finding.repeats().max(1)
}

/// Notes that were not shown, by lint.
#[derive(Default)]
pub(super) struct Hidden {
    counts: BTreeMap<Lint, usize>,
}

impl Hidden {
    pub(super) fn add(&mut self, finding: &Finding) {
        *self.counts.entry(finding.lint()).or_default() += count(finding);
    }

    /// The lints that spoke most, and how often; empty if nothing was hidden.
    pub(super) fn words(&self) -> Vec<String> {
        const NAMED: usize = 4;
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named = counts.iter().take(NAMED).map(|(lint, count)| format!("{count} {lint}"));
        let others: usize = counts.iter().skip(NAMED).map(|(_, count)| **count).sum();
        named.chain((others > 0).then(|| format!("{others} others"))).collect()
    }
}
