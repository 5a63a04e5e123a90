//! Counters for Prometheus. All label values are words of the catalogue or of [`Identity`](crate::Identity).

use askama::Template;

use crate::error::LogsError;
use crate::row::LogRow;
use crate::summary::LogsSummary;

/// A function that returns a count of a row.
type Count = fn(&LogRow) -> u64;

/// The counters: name, description and value.
const COUNTS: [(&str, &str, Count); 6] = [
    ("requests", "Requests that name a known crawler.", |row| row.requests),
    ("disallowed", "Requests that robots.txt disallowed.", |row| row.disallowed),
    (
        "in_grace",
        "Requests that only an earlier version allowed, which the crawler may have cached.",
        |row| row.in_grace,
    ),
    ("robots_txt_fetches", "Requests for robots.txt.", |row| row.robots_txt.fetches),
    ("bytes", "Bytes sent in answers to requests that name a known crawler.", |row| row.bytes),
    ("unknown", "Requests that could not be decided.", |row| row.unknown),
];

#[derive(Template)]
#[template(path = "metrics.txt")]
struct Metrics<'a> {
    summary: &'a LogsSummary,
    counts: [(&'static str, &'static str, Count); 6],
}

/// Returns the counters of a summary in the Prometheus text format.
///
/// # Errors
///
/// Returns [`LogsError::Report`] if the text cannot be rendered.
pub fn metrics(summary: &LogsSummary) -> Result<String, LogsError> {
    Ok(Metrics { summary, counts: COUNTS }.render()?)
}
