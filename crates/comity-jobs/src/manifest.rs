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
    /// What these answers are, in numbers.
    pub answers: AnswersSummary,
    /// What the rows added up to.
    pub summary: AuditSummary,
    /// The file with the rows, if there is one.
    pub output: Option<String>,
    /// Its digest: `sha-256=:…:` (RFC 9530).
    pub output_digest: Option<String>,
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
}
