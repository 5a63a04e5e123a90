//! `lint`: the problems of a robots.txt or an RSL document.

use comity::finding::{Finding, Severity};
use comity::usage::LicenseDocument;
use serde::{Serialize, Serializer};

use crate::notice::WithNotices;
use crate::operation::FileOperation;
use crate::request::{FileRequest, RequestError};
use crate::robots_file::RobotsFile;
use crate::sources::{SourceError, Sources};

/// A robots.txt to check.
pub type LintRequest = FileRequest;

/// The operation `lint`: the findings about a file.
#[derive(Clone, Debug)]
pub struct Lint(RobotsFile);

/// The findings about a file, in the order of the file. The JSON form is an object with `findings`, each of which names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "FindingRows<'static>"))]
pub struct Findings {
    /// The file's name.
    pub file: String,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A finding and its file, in the form of one JSON line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FindingRow"))]
pub struct FindingOf<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The finding.
    #[serde(flatten)]
    pub finding: &'a Finding,
}

impl Findings {
    /// Returns a row for each finding.
    pub fn rows(&self) -> impl Iterator<Item = FindingOf<'_>> {
        self.findings.iter().map(|finding| FindingOf { file: &self.file, finding })
    }
}

/// The findings about a file, in their JSON form.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FindingRows<'a> {
    /// The findings, in the order of the file.
    findings: Vec<FindingOf<'a>>,
}

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FindingRows { findings: self.rows().collect() }.serialize(serializer)
    }
}

impl FileOperation for Lint {
    type Request = LintRequest;
    type Row = Findings;

    async fn prepare(request: LintRequest, sources: &Sources) -> Result<Lint, SourceError> {
        Ok(Lint(sources.robots_file(request, "robots.txt").await?))
    }

    fn row(self, _: usize) -> Result<WithNotices<Findings>, RequestError> {
        let Lint(file) = self;
        Ok(Findings { findings: findings(&file.body), file: file.name }.into())
    }
}

/// Returns the findings in a file: an RSL document, or else a robots.txt.
pub fn findings(body: &[u8]) -> Vec<Finding> {
    if LicenseDocument::is_likely(body) {
        LicenseDocument::lint(body)
    } else {
        comity::robots::lint::lint(body)
    }
}

/// The number of findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// The number of errors.
    pub errors: u64,
    /// The number of warnings.
    pub warnings: u64,
    /// The number of notes.
    pub notes: u64,
}

impl Counts {
    /// Counts a finding.
    pub fn add(&mut self, finding: &Finding) {
        let number = match finding.severity() {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            _ => &mut self.notes,
        };
        *number += finding.count();
    }
}
