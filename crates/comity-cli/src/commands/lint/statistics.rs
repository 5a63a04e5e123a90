//! `--statistics`: the number of findings of each kind, and of files with them.

use std::collections::BTreeMap;

use comity::finding::Finding;

use crate::text::lint::StatisticsRow;

/// Findings by kind.
#[derive(Default)]
pub(super) struct Statistics {
    kinds: BTreeMap<&'static str, StatisticsRow>,
}

impl Statistics {
    /// Counts a finding of the file with this number.
    pub(super) fn add(&mut self, finding: &Finding, file: usize) {
        let (code, severity) = (finding.code(), finding.severity().as_str());
        let row = self.kinds.entry(code).or_insert(StatisticsRow {
            code,
            severity,
            findings: 0,
            files: 0,
            last: 0,
        });
        row.findings += finding.count();
        row.files += usize::from(row.last != file);
        row.last = file;
    }

    /// Returns a row for each kind, the most frequent first.
    pub(super) fn rows(self) -> Vec<StatisticsRow> {
        let mut rows: Vec<StatisticsRow> = self.kinds.into_values().collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.findings), row.code));
        rows
    }
}
