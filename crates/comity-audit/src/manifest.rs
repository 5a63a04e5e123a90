//! What a result was made of.

#![expect(clippy::exhaustive_structs, reason = "plain data")]

use serde::{Deserialize, Serialize};

use crate::answers::AnswersSummary;
use crate::manifest_site::ManifestSite;
use crate::request::JobRequest;
use crate::summary::AuditSummary;

/// What a result was made of and how, so that it can be shown and repeated. It stands as JSON beside every output.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Audit"))]
pub struct Manifest {
    /// The program and its version.
    pub program: String,
    /// The request.
    pub request: JobRequest,
    /// When the job began (RFC 3339).
    pub started: String,
    /// When it ended (RFC 3339).
    pub finished: String,
    /// The pages.
    pub inputs: Vec<ManifestInput>,
    /// The sources of robots.txt answers.
    pub robots: Vec<ManifestInput>,
    /// The requests to sites while the job ran, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<ManifestLive>,
    /// The site and the findings about it, if the audit was of one site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<ManifestSite>,
    /// The answers, in numbers.
    pub answers: AnswersSummary,
    /// The totals of the rows.
    pub summary: AuditSummary,
    /// The file with the rows, if there is one.
    pub output: Option<String>,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub output_digest: Option<String>,
}

/// The requests to sites while a job ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditLive"))]
pub struct ManifestLive {
    /// The product token under which sites were asked.
    pub agent: String,
    /// The number of sites that were to be asked: those that no source has an answer of.
    pub sites: u64,
    /// The number of sites that gave no answer: no address, no connection, no answer in time, ….
    pub failures: u64,
    /// The number of sites that could not be asked from this machine.
    pub unasked: u64,
    /// The largest number of sites that were to be asked.
    pub limit: u64,
    /// True if the pages have more sites than that. Nothing is known of the others.
    pub is_limited: bool,
    /// The file with the answers, by which the result can be repeated.
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
    /// Its size in bytes, as it is kept.
    pub bytes: u64,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub digest: Option<String>,
    /// The number of rows or answers that were read.
    pub rows: u64,
    /// The columns that hold URL, time and crawler, as they were found.
    pub columns: Option<ManifestColumns>,
    /// The number of records or lines that could not be read.
    pub damaged: u64,
    /// The first of them: the place, and the problem.
    pub damage: Vec<(u64, String)>,
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
