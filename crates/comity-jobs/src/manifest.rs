//! What a result was made of.

#![expect(clippy::exhaustive_structs, reason = "whoever runs a job fills them in")]

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
