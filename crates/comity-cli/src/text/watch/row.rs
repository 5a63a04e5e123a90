//! The rows of `comity watch`.

use comity::agents::Purpose;
use comity::finding::Finding;
use comity::policy::{AnswerKind, Failure};
use comity::robots::Access;
use comity_answers::diff::Report;
use comity_answers::schema::RowSchema;
use serde::{Deserialize, Serialize};

/// The schema of a row.
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<WatchRow>("watch", "a line of `comity watch`");

/// The result of a request for the robots.txt of a site.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct WatchRow {
    /// The answer, as in the list of versions.
    #[serde(flatten)]
    pub(crate) version: Version,
    /// The last earlier version that could be read; null for the first version.
    pub(crate) before: Option<Version>,
    /// The crawlers whose access changed, among the well-known crawlers and those that a version names.
    pub(crate) access: Vec<AccessChange>,
    /// The changes of rules, delays, sitemaps and other lines; null if nothing was compared.
    pub(crate) changes: Option<Report>,
    /// The findings that only this version has.
    pub(crate) new_findings: Vec<Finding>,
    /// The findings that only the version before has.
    pub(crate) resolved_findings: Vec<Finding>,
    /// The sitemaps that answered at the version before, and do not answer now.
    pub(crate) stopped_sitemaps: Vec<String>,
    /// The sitemaps that answer again.
    pub(crate) restored_sitemaps: Vec<String>,
}

/// An answer of a site, and its meaning after the answers before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Version {
    /// The site: scheme, host and port.
    pub(crate) origin: String,
    /// The time of the answer, in UTC.
    #[schemars(with = "comity::schema::DateTime")]
    pub(crate) time: String,
    /// The meaning of the answer after the answers before.
    pub(crate) event: Event,
    /// The kind of answer.
    pub(crate) answer: AnswerKind,
    /// True if the answer states the rules: it is a robots.txt, or states that the site has none.
    pub(crate) is_readable: bool,
    /// The status code; null if the request failed.
    pub(crate) status: Option<u16>,
    /// The reason why there was no answer.
    pub(crate) failure: Option<Failure>,
    /// `sha-256=:...:` of the file (RFC 9530); null without a file.
    pub(crate) digest: Option<String>,
    /// The path of the file in the folder of the versions.
    pub(crate) body_file: Option<String>,
    /// The listed sitemaps that do not answer with status 2xx; null if they were not requested.
    #[serde(default)]
    pub(crate) failed_sitemaps: Option<Vec<String>>,
}

impl Version {
    /// Returns true if two versions are the same file, or the same kind of answer without a file.
    pub(crate) fn is_same(&self, other: &Version) -> bool {
        (self.answer, &self.digest) == (other.answer, &other.digest)
    }
}

/// The meaning of an answer after the answers before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Event {
    /// The first answer of the site.
    First,
    /// An answer that equals the one before.
    Unchanged,
    /// The file changed, but not its meaning.
    Layout,
    /// The meaning changed.
    Changed,
    /// The file is the same. A sitemap stopped answering, or answers again.
    Sitemaps,
    /// A version of the last day again, after a different one.
    Returned,
    /// The request failed for the first time. The next request decides whether that is reported.
    Failing,
    /// The request failed again.
    Unreachable,
    /// The site answers again, as before the outage.
    Recovered,
}

impl Event {
    /// Returns true if the event is reported.
    pub(crate) fn is_reported(self) -> bool {
        matches!(self, Event::Changed | Event::Sitemaps | Event::Unreachable | Event::Recovered)
    }
}

/// The access of a crawler before and after a change.
#[derive(Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct AccessChange {
    /// Its product token.
    pub(crate) agent: String,
    /// Its purpose; null for names that are not in the catalogue.
    pub(crate) purpose: Option<Purpose>,
    /// The part of the site that it could fetch.
    pub(crate) old: Access,
    /// The part of the site that it may fetch now.
    pub(crate) new: Access,
}
