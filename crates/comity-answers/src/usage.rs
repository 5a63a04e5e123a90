//! What content may be used for, for one URL and one crawler.

use comity::usage::Report;
use serde::Serialize;

/// The uses of content at a URL, for one crawler.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageRow<'a> {
    /// The report.
    #[serde(flatten)]
    pub report: &'a Report,
    /// The reason why something was not read.
    pub error: Option<&'a str>,
}

/// The row of a URL about which nothing can be said. It has the fields of a [`UsageRow`].
#[derive(Debug, Default, Serialize)]
pub struct UsageErrorRow<'a> {
    url: &'a str,
    agent: &'a str,
    group: (),
    summary: (),
    signals: (),
    findings: (),
    error: &'a str,
}

impl<'a> UsageErrorRow<'a> {
    /// Creates the row.
    pub fn new(url: &'a str, agent: &'a str, error: &'a str) -> Self {
        UsageErrorRow { url, agent, error, ..UsageErrorRow::default() }
    }
}
