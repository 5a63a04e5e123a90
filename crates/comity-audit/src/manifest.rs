//! The inputs and settings of a result.

#![expect(clippy::exhaustive_structs, reason = "plain data")]

use serde::{Deserialize, Serialize};

use crate::answers::AnswersSummary;
use crate::manifest_site::ManifestSite;
use crate::request::JobRequest;
use crate::summary::AuditSummary;

/// The inputs and settings of a result, so that it can be verified and repeated. It is written as JSON next to every output.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Audit"))]
pub struct Manifest {
    /// The program and its version.
    pub program: String,
    /// The digest of the catalogue of crawlers, from which purposes and preferences are taken: `sha-256=:…:`; null in older
    /// manifests.
    #[serde(default)]
    pub catalogue: Option<String>,
    /// The request.
    pub request: JobRequest,
    /// Start of the job (RFC 3339).
    pub started: String,
    /// End of the job (RFC 3339).
    pub finished: String,
    /// The files with the pages.
    pub inputs: Vec<ManifestInput>,
    /// The sources of robots.txt answers.
    pub robots: Vec<ManifestInput>,
    /// The requests to sites during the job, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<ManifestLive>,
    /// The site and the findings about it, if the audit was of one site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<ManifestSite>,
    /// Counts of the answers.
    pub answers: AnswersSummary,
    /// The totals of the rows.
    pub summary: AuditSummary,
    /// The file with the rows, if there is one.
    pub output: Option<String>,
    /// The digest of the output: `sha-256=:…:` (RFC 9530).
    pub output_digest: Option<String>,
}

impl Manifest {
    /// Returns the number of unreadable records and lines of all inputs and sources.
    pub fn damaged(&self) -> u64 {
        self.inputs.iter().chain(&self.robots).map(|input| input.damaged).sum()
    }
}

/// The requests to sites during a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditLive"))]
pub struct ManifestLive {
    /// The product token in these requests.
    pub agent: String,
    /// The number of sites to request: those without an answer in the sources.
    pub sites: u64,
    /// The number of sites that gave no answer, for example because of a timeout.
    pub failures: u64,
    /// The number of sites that this machine could not request.
    pub unasked: u64,
    /// Maximum number of sites to request.
    pub limit: u64,
    /// True if more sites without an answer in the sources were found than are requested.
    pub is_limited: bool,
    /// The file with the answers, with which the result can be repeated.
    pub answers: Option<String>,
}

/// A file that was read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditFile"))]
pub struct ManifestInput {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Its size in bytes, before decompression.
    pub bytes: u64,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub digest: Option<String>,
    /// The number of rows or answers that were read.
    pub rows: u64,
    /// The detected columns with URL, time and crawler.
    pub columns: Option<ManifestColumns>,
    /// The rows without a readable time; null for a source of robots.txt answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<ManifestTimes>,
    /// The number of unreadable records or lines.
    pub damaged: u64,
    /// The positions and the problems of the first unreadable records or lines, at most 20.
    pub damage: Vec<(u64, String)>,
}

impl ManifestInput {
    /// Maximum number of described records.
    const DESCRIBED: usize = 20;

    /// Adds the counts of a later part of the file.
    pub(crate) fn join(&mut self, later: ManifestInput) {
        self.rows += later.rows;
        self.damaged += later.damaged;
        self.damage.extend(later.damage);
        self.damage.truncate(ManifestInput::DESCRIBED);
        if let Some((times, more)) = self.times.as_mut().zip(later.times) {
            times.missing += more.missing;
            times.unreadable += more.unreadable;
            times.example = times.example.take().or(more.example);
        }
    }
}

/// The numbers of rows without a readable time. Their verdicts as of the time of the page are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditTimes"))]
pub struct ManifestTimes {
    /// The number of rows without a time.
    pub missing: u64,
    /// The number of rows with a time that cannot be read.
    pub unreadable: u64,
    /// The first time that cannot be read.
    pub example: Option<String>,
}

/// The columns of pages that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditColumns"))]
pub struct ManifestColumns {
    /// The column with the URL.
    pub url: String,
    /// The column with the time at which each page was seen.
    pub seen_at: Option<String>,
    /// The column with the crawler.
    pub agent: Option<String>,
    /// The columns that were added for joins with the indexes of public crawls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub join_keys: Vec<String>,
}
