//! The site in a manifest, and the findings about it.

#![expect(clippy::exhaustive_structs, reason = "plain data")]

use comity::finding::Severity;
use comity::site::SiteFinding;
use serde::{Deserialize, Serialize};

/// A site whose sitemaps, robots.txt and pages were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditSite"))]
pub struct ManifestSite {
    /// Its origin.
    pub origin: String,
    /// The product token under which it was asked.
    pub agent: String,
    /// The number of sitemaps that were asked for.
    pub sitemaps: u64,
    /// The number of pages of the site that they list; each counts once.
    pub listed: u64,
    /// The number of entries of other sites. They are left out.
    pub foreign: u64,
    /// The number of pages that were fetched, with any status.
    pub looked_at: u64,
    /// The number of pages without an answer: no connection, no answer in time, ….
    pub failed: u64,
    /// The number of pages that were not fetched because robots.txt disallows it.
    pub forbidden: u64,
    /// The number of pages that were not fetched because of the limit.
    pub beyond_limit: u64,
    /// The largest number of pages that were to be fetched.
    pub limit: u64,
    /// Why the sitemaps were not read to their end, if they were not: a limit, ….
    pub stopped: Option<String>,
    /// The findings, the gravest first.
    pub findings: Vec<SiteFinding>,
}

impl ManifestSite {
    /// Returns how many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|found| found.severity == severity).count() as u64
    }
}
