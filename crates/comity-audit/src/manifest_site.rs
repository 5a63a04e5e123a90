//! The site in a manifest, and the findings about it.

#![expect(clippy::exhaustive_structs, reason = "plain data")]

use comity::finding::Severity;
use comity::site::SiteFinding;
use serde::{Deserialize, Serialize};

/// A site whose sitemaps, robots.txt and pages were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditSite"))]
pub struct ManifestSite {
    /// The origin of the site.
    pub origin: String,
    /// The product token in the requests to the site.
    pub agent: String,
    /// The number of requested sitemaps.
    pub sitemaps: u64,
    /// The number of pages of the site in these sitemaps; each counts once.
    pub listed: u64,
    /// The number of entries for other sites, which are ignored.
    pub foreign: u64,
    /// The number of pages that were fetched, with any status.
    pub looked_at: u64,
    /// The number of pages without an answer: no connection, no answer in time, ….
    pub failed: u64,
    /// The number of pages that were not fetched because robots.txt disallows them.
    pub forbidden: u64,
    /// The number of pages that were not fetched because of the limit.
    pub beyond_limit: u64,
    /// The maximum number of fetched pages.
    pub limit: u64,
    /// The reason why the sitemaps were not read to their end, such as a limit; null if they were.
    pub stopped: Option<String>,
    /// The findings, the most severe first.
    pub findings: Vec<SiteFinding>,
}

impl ManifestSite {
    /// Returns the number of findings with a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|found| found.severity == severity).count() as u64
    }
}
