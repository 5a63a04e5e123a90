//! What a result was made of.

#![expect(clippy::exhaustive_structs, reason = "whoever runs a job fills them in")]

use comity::finding::Severity;
use comity::site::SiteFinding;
use serde::{Deserialize, Serialize};

use crate::answers::AnswersSummary;
use crate::summary::AuditSummary;

/// What a result was made of and how, so that it can be shown and repeated. It stands as JSON beside every output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and its version.
    pub program: String,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// When the job began (RFC 3339).
    pub started: String,
    /// When it ended (RFC 3339).
    pub finished: String,
    /// The pages.
    pub inputs: Vec<ManifestInput>,
    /// The sources of robots.txt answers.
    pub robots: Vec<ManifestInput>,
    /// What was asked of sites while the job ran, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<ManifestLive>,
    /// The site whose pages these are, and what was found, if the audit was of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<ManifestSite>,
    /// What these answers are, in numbers.
    pub answers: AnswersSummary,
    /// What the rows added up to.
    pub summary: AuditSummary,
    /// The file with the rows, if there is one.
    pub output: Option<String>,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub output_digest: Option<String>,
}

/// What was asked of sites while a job ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestLive {
    /// The product token under which sites were asked.
    pub agent: String,
    /// How many sites were to be asked: those that no source has an answer of.
    pub sites: u64,
    /// How many of them gave no answer: no address, no connection, no answer in time, ….
    pub failures: u64,
    /// How many could not be asked from here: nothing is known of them.
    pub unasked: u64,
    /// The largest number of sites that were to be asked.
    pub limit: u64,
    /// True if the pages have more sites than that. Nothing is known of the others.
    pub is_limited: bool,
    /// The file with the answers, by which the result can be repeated.
    pub answers: Option<String>,
}

/// A site whose sitemaps, robots.txt and pages were held against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSite {
    /// Its origin.
    pub origin: String,
    /// The product token under which it was asked.
    pub agent: String,
    /// How many sitemaps were asked for.
    pub sitemaps: u64,
    /// How many pages of the site they list; each counts once.
    pub listed: u64,
    /// How many entries are of other sites. They are not looked at.
    pub foreign: u64,
    /// How many pages were fetched, whatever their answers.
    pub looked_at: u64,
    /// How many pages did not come: no connection, no answer in time, ….
    pub failed: u64,
    /// How many pages were not fetched because robots.txt does not let the asker.
    pub forbidden: u64,
    /// How many pages were not fetched because of the limit.
    pub beyond_limit: u64,
    /// The largest number of pages that were to be fetched.
    pub limit: u64,
    /// Why the sitemaps were not read to their end, if they were not: a limit, ….
    pub stopped: Option<String>,
    /// What was found, the gravest first.
    pub findings: Vec<SiteFinding>,
}

impl ManifestSite {
    /// Returns how many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|found| found.severity == severity).count() as u64
    }
}

/// A file that was read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ManifestInput {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Its size in bytes, as it is kept.
    pub bytes: u64,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub digest: Option<String>,
    /// How many rows or answers were read.
    pub rows: u64,
    /// The columns that hold URL, time and crawler, as they were found.
    pub columns: Option<ManifestColumns>,
    /// How many records or lines could not be read.
    pub damaged: u64,
    /// The first of them: the place, and what is wrong there.
    pub damage: Vec<(u64, String)>,
}

/// The columns of pages that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
