//! Findings, each with the file that it is about.

use comity::finding::Finding;
use comity::usage::LicenseDocument;
use serde::Serialize;

/// A finding and the file that it is about, as a line of JSON has them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FindingRow"))]
pub struct FindingOf<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The finding.
    #[serde(flatten)]
    pub finding: &'a Finding,
}

/// Returns what is odd in a file: an RSL document, or else a robots.txt.
pub fn findings(body: &[u8]) -> Vec<Finding> {
    if LicenseDocument::is_likely(body) {
        LicenseDocument::lint(body)
    } else {
        comity::robots::lint::lint(body)
    }
}
