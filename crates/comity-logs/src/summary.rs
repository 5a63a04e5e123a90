//! The summary of a log analysis.

use std::collections::BTreeMap;

use comity::agents::Purpose;
use serde::Serialize;

use crate::git::UnreadableVersion;
use crate::identity::Identity;
use crate::pages::LogPage;
use crate::row::LogRow;
use crate::tally::{DayCounts, LineCounts};

/// The counts of all crawlers and lines.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LogsSummary {
    /// The rows, one for each crawler and identity. Crawlers of the catalogue are first, sorted by identity, and then by the
    /// number of disallowed requests.
    pub rows: Vec<LogRow>,
    /// The counts of the lines read.
    pub lines: LineCounts,
    /// The first damaged line.
    pub unread: Option<String>,
    /// The host, if all requests are for one host.
    pub site: Option<String>,
    /// The name of the robots.txt, or the number of its versions.
    pub robots_txt: String,
    /// Counts by day. A day is a number of days since 1970. Includes only crawlers of the catalogue, without requests from
    /// outside of their operators' addresses.
    pub days: BTreeMap<i64, DayCounts>,
    /// The requests in [`days`](LogsSummary::days), by crawler. The crawler with the most requests is first.
    pub crawler_days: Vec<CrawlerDays>,
    /// The most requested pages, without requests from outside of the operators' addresses.
    pub pages: Vec<LogPage>,
    /// The number of hosts in the logs, up to 1,000.
    pub hosts: usize,
    /// True if the logs contain more than 1,000 hosts.
    pub has_more_hosts: bool,
    /// Number of times that a request was counted only in totals, since its crawler has too many days, rules or
    /// networks, or since too many crawlers are not in the catalogue.
    pub uncounted: u64,
    /// The versions of robots.txt that cannot be read. Requests in their periods count as unknown.
    pub unreadable_versions: Vec<UnreadableVersion>,
    /// True if the job was cancelled. Lines may then be missing.
    pub is_cancelled: bool,
}

/// The requests of a crawler by day.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CrawlerDays {
    /// The product token of the crawler.
    pub agent: String,
    /// The number of requests of the crawler.
    pub requests: u64,
    /// The number of requests by day, as in [`LogsSummary::days`].
    pub days: BTreeMap<i64, u64>,
}

impl CrawlerDays {
    /// Returns the numbers of requests in periods of equal length, from the first to the last day. `limit` is the maximum
    /// number of periods.
    pub fn bars(&self, (first, last): (i64, i64), limit: usize) -> Vec<u64> {
        let span = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX).saturating_add(1);
        let length = span.div_ceil(limit.max(1)).max(1);
        let mut bars = vec![0; span.div_ceil(length)];
        for (day, requests) in &self.days {
            let at = usize::try_from(day.saturating_sub(first)).unwrap_or(usize::MAX) / length;
            if let Some(bar) = bars.get_mut(at) {
                *bar += requests;
            }
        }
        bars
    }
}

/// A table of the report.
#[derive(Debug)]
pub struct LogTable<'r> {
    /// The title.
    pub title: &'static str,
    /// A short phrase that describes the rows.
    pub about: &'static str,
    /// The rows.
    pub rows: Vec<&'r LogRow>,
}

impl LogsSummary {
    /// Returns true if robots.txt disallowed a request of a crawler of the catalogue. Requests from outside of the operator's
    /// addresses do not count.
    pub fn has_disallowed(&self) -> bool {
        self.rows.iter().any(|row| row.is_known && row.identity != Identity::Outside && row.disallowed > 0)
    }

    /// Returns the rows of crawlers that are in the catalogue.
    pub fn known(&self) -> impl Iterator<Item = &LogRow> {
        self.rows.iter().filter(|row| row.is_known)
    }

    /// Returns the rows of crawlers that are not in the catalogue.
    pub fn unknown(&self) -> impl Iterator<Item = &LogRow> {
        self.rows.iter().filter(|row| !row.is_known)
    }

    /// Returns the tables of the report: verified crawlers, requests of unknown identity, requests on behalf of users, requests
    /// from outside of the operator's addresses, and crawlers that are not in the catalogue.
    pub fn tables(&self) -> [LogTable<'_>; 5] {
        let mut tables = [
            ("Verified crawlers", "from addresses of their operators"),
            ("Crawlers by name alone", "nothing proves who sent these"),
            ("Fetched for a user", "a user requested each of these pages"),
            ("From outside", "addresses that the operator does not publish; perhaps another sender"),
            ("Unknown crawlers", "they call themselves crawlers and are not in the catalogue"),
        ]
        .map(|(title, about)| LogTable { title, about, rows: Vec::new() });
        for row in &self.rows {
            let at = match row.identity {
                _ if !row.is_known => 4,
                Identity::Outside => 3,
                _ if row.purpose == Purpose::UserTriggered => 2,
                Identity::Unknown => 1,
                Identity::Verified => 0,
            };
            tables[at].rows.push(row);
        }
        tables
    }

    /// Returns the first and the last day in [`days`](LogsSummary::days).
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((*self.days.first_key_value()?.0, *self.days.last_key_value()?.0))
    }

    /// Returns the site and the robots.txt, as a short phrase.
    pub fn subject(&self) -> String {
        match &self.site {
            Some(site) => format!("{site}, judged by {}", self.robots_txt),
            None => format!("judged by {}", self.robots_txt),
        }
    }

    /// Returns the period of the requests of crawlers, as the end of a sentence: `, on 2026-11-21`, or with two days:
    /// `, 2026-11-21 to 2026-11-23`.
    pub fn period(&self) -> String {
        let day = |time: &str| time.get(..10).unwrap_or(time).to_owned();
        let first = self.rows.iter().filter_map(|row| row.first_at.as_deref()).min().map(day);
        let last = self.rows.iter().filter_map(|row| row.last_at.as_deref()).max().map(day);
        match (first, last) {
            (Some(first), Some(last)) if first == last => format!(", on {first}"),
            (Some(first), Some(last)) => format!(", {first} to {last}"),
            _ => String::new(),
        }
    }
}
