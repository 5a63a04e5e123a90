//! Renders the documentation of a lint, and the number of its findings.

use std::io::Write;

use comity::finding::{Kind, Severity};
use comity_answers::schema::RowSchema;
use indicatif::HumanCount;
use serde::Serialize;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// The documentation of a lint, for `--list --json` and `--explain CODE --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Documentation {
    /// The name of the lint.
    code: &'static str,
    /// The default severity.
    severity: Severity,
    /// A sentence about the findings of the lint.
    summary: &'static str,
    /// The effect on crawlers.
    why: &'static str,
    /// The remedy.
    help: &'static str,
    /// A file with the finding.
    bad: Option<String>,
    /// The corrected file, without the finding.
    good: Option<String>,
    /// The page with the documentation of the lint.
    documentation: String,
}

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Documentation>(
    "lint",
    "a line of `comity lint --list`, and `comity lint --explain CODE`",
);

impl Documentation {
    pub(crate) fn of(kind: &'static Kind) -> Self {
        let example = |example: comity::finding::Example<'_>| {
            example.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Documentation {
            code: kind.code(),
            severity: kind.severity(),
            summary: kind.summary(),
            why: kind.why(),
            help: kind.help(),
            bad: example(kind.bad()),
            good: example(kind.good()),
            documentation: kind.page(),
        }
    }
}

impl Render for Documentation {
    /// The width of the column of codes.
    type View<'v> = usize;

    fn text(&self, columns: &mut usize, output: &mut Output) -> Result<(), Failure> {
        let (strong, width, columns) = (output.palette.strong, output.width, *columns);
        let style = output.palette.severity(self.severity);
        let summary = render::wrap(self.summary, width, columns + 11);
        let (code, severity) = (self.code, self.severity);
        Ok(writeln!(output, "{strong}{code:<columns$}{strong:#}  {style}{severity:<7}{style:#}  {summary}")?)
    }
}

/// The documentation of one lint, as a page.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct DocumentationPage(pub(crate) Documentation);

impl Render for DocumentationPage {
    type View<'v> = &'static Kind;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, kind: &mut &'static Kind, output: &mut Output) -> Result<(), Failure> {
        let (strong, faint, width) = (output.palette.strong, output.palette.faint, output.width);
        let mut is_example = false;
        for line in kind.documentation().lines() {
            if line.starts_with("```") {
                is_example = !is_example;
            } else if is_example {
                writeln!(output, "    {line}")?;
            } else if let Some(heading) = line.strip_prefix("## ") {
                writeln!(output, "{strong}{heading}{strong:#}")?;
            } else {
                writeln!(output, "{}", render::wrap(line, width, 0))?;
            }
        }
        Ok(writeln!(output, "{faint}See {}.{faint:#}", kind.page())?)
    }
}

/// A kind of finding, as JSON.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct StatisticsRow {
    /// The name of the kind.
    pub(crate) code: &'static str,
    /// The severity.
    pub(crate) severity: &'static str,
    /// The number of findings.
    pub(crate) findings: u64,
    /// The number of files with such findings.
    pub(crate) files: usize,
    /// The index of the last file with such findings.
    #[serde(skip)]
    pub(crate) last: usize,
}

pub(crate) const STATISTICS_SCHEMA: RowSchema =
    RowSchema::new::<StatisticsRow>("lint-statistics", "a line of `comity lint --statistics`");

impl Render for StatisticsRow {
    /// True if the heading is printed before the row.
    type View<'v> = bool;

    fn text(&self, needs_heading: &mut bool, output: &mut Output) -> Result<(), Failure> {
        if std::mem::take(needs_heading) {
            let faint = output.palette.faint;
            writeln!(output, "{faint}{:>10}  {:>8}  severity  code{faint:#}", "findings", "files")?;
        }
        let (findings, files) = (HumanCount(self.findings).to_string(), self.files.to_string());
        Ok(writeln!(output, "{findings:>10}  {files:>8}  {:<8}  {}", self.severity, self.code)?)
    }
}
