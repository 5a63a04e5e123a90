//! `--statistics`: how often each kind of finding was found, and in how many files.

use comity_answers::schema::RowSchema;
use std::collections::BTreeMap;
use std::io::Write;

use comity::finding::Finding;
use indicatif::HumanCount;
use serde::Serialize;

use crate::exit::Failure;
use crate::output::Output;

/// Findings by kind.
#[derive(Default)]
pub(super) struct Statistics {
    kinds: BTreeMap<&'static str, Row>,
}

/// A kind of finding, as JSON.
#[derive(Serialize, schemars::JsonSchema)]
struct Row {
    /// The name of the kind.
    code: &'static str,
    /// The severity.
    severity: &'static str,
    /// The number of findings.
    findings: u64,
    /// The number of files that have one.
    files: usize,
    /// The number of the last file that has it.
    #[serde(skip)]
    last: usize,
}

pub(crate) const SCHEMA: RowSchema =
    RowSchema::new::<Row>("lint-statistics", "a line of `comity lint --statistics`");

impl Statistics {
    /// Counts a finding of the file with this number.
    pub(super) fn add(&mut self, finding: &Finding, file: usize) {
        let (code, severity) = (finding.code(), finding.severity().as_str());
        let row = self.kinds.entry(code).or_insert(Row { code, severity, findings: 0, files: 0, last: 0 });
        row.findings += finding.count();
        row.files += usize::from(row.last != file);
        row.last = file;
    }

    /// Prints a row for each kind, those that were found most first.
    pub(super) fn print(self, as_json: bool, output: &mut Output) -> Result<(), Failure> {
        let mut rows: Vec<Row> = self.kinds.into_values().collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.findings), row.code));
        if as_json {
            return rows.iter().try_for_each(|row| output.json_line(row));
        }
        if rows.is_empty() {
            return Ok(());
        }
        let faint = output.palette.faint;
        writeln!(output, "{faint}{:>10}  {:>8}  severity  code{faint:#}", "findings", "files")?;
        for row in rows {
            let (findings, files) = (HumanCount(row.findings).to_string(), row.files.to_string());
            writeln!(output, "{findings:>10}  {files:>8}  {:<8}  {}", row.severity, row.code)?;
        }
        Ok(())
    }
}
