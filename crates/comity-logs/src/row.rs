//! Public types of the counts of a crawler.

use std::collections::BTreeMap;

use comity::agents::{Compliance, KnownAgent, Purpose, RangeList};
use serde::Serialize;

use crate::history::History;
use crate::identity::{Crawler, Identity};
use crate::tally::{LogSignatures, RuleCount, Tally};
use crate::time::stamp;

/// Minimum number of gaps between requests for which a row contains gaps.
const MIN_GAPS: u64 = 20;

/// The counts of a crawler with one identity.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogRow {
    /// The product token of the crawler.
    pub agent: String,
    /// The operator; `unknown` if no source names the operator.
    pub operator: String,
    /// The purpose for which the crawler fetches pages.
    pub purpose: Purpose,
    /// Whether the crawler follows robots.txt, according to the operator.
    pub follows_robots_txt: Compliance,
    /// The result of verifying that the requests are from the crawler.
    pub identity: Identity,
    /// The day on which the operator's addresses were read, if the operator publishes addresses.
    pub ranges_date: Option<String>,
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that robots.txt disallows.
    pub disallowed: u64,
    /// The share of disallowed requests, from 0 to 1.
    pub disallowed_share: f64,
    /// The number of requests that only an earlier version allows, which the crawler may have cached.
    pub in_grace: u64,
    /// The number of requests that could not be decided.
    pub unknown: u64,
    /// The rules that disallowed requests. The rule that disallowed the most is first.
    pub rules: Vec<LogRule>,
    /// The requests for robots.txt.
    pub robots_txt: LogRobots,
    /// The gaps between requests; null if there are too few requests.
    pub gaps: Option<LogGaps>,
    /// The minute with the most requests.
    pub burst: LogBurst,
    /// The number of requests by the class of the status code, such as `2xx`.
    pub statuses: BTreeMap<String, u64>,
    /// The number of bytes sent.
    pub bytes: u64,
    /// The time of the first request.
    pub first_at: Option<String>,
    /// The time of the last request.
    pub last_at: Option<String>,
    /// The number of days with requests.
    pub days: usize,
    /// The networks with the most requests.
    pub networks: Vec<LogNetwork>,
    /// The signed requests.
    pub signatures: LogSignatures,
    /// True if the crawler is in the catalogue. Other crawlers declare themselves in their User-Agent.
    pub is_known: bool,
    /// The first User-Agent of a crawler that is not in the catalogue.
    pub user_agent: Option<String>,
    /// The name of the list with the operator's addresses.
    pub ranges_list: Option<String>,
    /// The number of requests that are more than 30 days later than the list.
    pub ranges_older: u64,
    /// The number of requests that are more than 30 days earlier than the list.
    pub ranges_newer: u64,
    /// The number of requests for which the log does not contain the address of the client.
    pub without_address: u64,
}

/// A rule that disallowed requests.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogRule {
    /// The name of the robots.txt that contains the rule.
    pub file: String,
    /// The line of the rule, from 1.
    pub line: u32,
    /// The path pattern.
    pub pattern: String,
    /// The number of requests that the rule disallows.
    pub requests: u64,
    /// The targets of the first disallowed requests.
    pub examples: Vec<String>,
}

/// The requests for robots.txt.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogRobots {
    /// The number of requests.
    pub fetches: u64,
    /// The time of the last request.
    pub last_at: Option<String>,
    /// The number of requests for pages before the first request for robots.txt.
    pub pages_before: u64,
}

/// The gaps between requests.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogGaps {
    /// The number of gaps.
    pub count: u64,
    /// The largest crawl delay in robots.txt, in seconds.
    pub asked_seconds: Option<f64>,
    /// The number of gaps that are shorter than the crawl delay.
    pub below: u64,
    /// The number of gaps by length.
    pub lengths: BTreeMap<&'static str, u64>,
}

/// The minute with the most requests.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogBurst {
    /// The number of requests in the minute.
    pub requests_per_minute: u64,
    /// The start of the minute.
    pub at: Option<String>,
}

/// A network from which requests were sent.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogNetwork {
    /// The network.
    pub network: String,
    /// The number of requests.
    pub requests: u64,
}

impl LogRow {
    pub(crate) fn new(
        crawler: &Crawler,
        identity: Identity,
        list: Option<&RangeList>,
        tally: &Tally,
        history: &History,
    ) -> LogRow {
        let names = ["0.1 s", "1 s", "10 s", "1 min", "1 h", "longer"];
        let gaps = (tally.gaps.count >= MIN_GAPS).then(|| LogGaps {
            count: tally.gaps.count,
            asked_seconds: tally.gaps.asked,
            below: tally.gaps.below,
            lengths: names.into_iter().zip(tally.gaps.lengths).collect(),
        });
        let rule = |((version, line), rule): (&(usize, u32), &RuleCount)| LogRule {
            file: history.name(*version).to_owned(),
            line: *line,
            pattern: rule.pattern.clone(),
            requests: rule.requests,
            examples: rule.examples.clone(),
        };
        let known = crawler.known;
        LogRow {
            agent: crawler.token.clone().into_owned(),
            is_known: known.is_some(),
            user_agent: crawler.header.clone(),
            operator: known.map_or("unknown", KnownAgent::operator).to_owned(),
            purpose: known.map_or(Purpose::Other, KnownAgent::purpose),
            follows_robots_txt: known.map_or(Compliance::Unknown, KnownAgent::robots_txt),
            identity,
            ranges_date: list.map(|list| list.date().to_owned()),
            ranges_list: list.map(|list| list.name().to_owned()),
            ranges_older: tally.older_list,
            ranges_newer: tally.newer_list,
            without_address: tally.without_address,
            requests: tally.requests,
            disallowed: tally.disallowed,
            disallowed_share: share(tally.disallowed, tally.requests),
            in_grace: tally.in_grace,
            unknown: tally.unknown,
            rules: tally.top_rules().into_iter().map(rule).collect(),
            robots_txt: LogRobots {
                fetches: tally.robots_txt.count,
                last_at: tally.robots_txt.last.and_then(stamp),
                pages_before: tally.robots_txt.pages_before,
            },
            gaps,
            burst: LogBurst { requests_per_minute: tally.burst.most, at: stamp(tally.burst.at) },
            statuses: tally.statuses.iter().map(|(class, count)| (format!("{class}xx"), *count)).collect(),
            bytes: tally.bytes,
            first_at: stamp(tally.first),
            last_at: stamp(tally.last),
            days: tally.days(),
            networks: tally
                .top_networks()
                .into_iter()
                .map(|(network, requests)| LogNetwork { network, requests })
                .collect(),
            signatures: tally.signatures,
        }
    }

    /// Returns the operator's statement about robots.txt, if disallowed requests may be from the operator.
    pub fn account(&self) -> Option<&'static str> {
        if self.disallowed == 0 || self.identity == Identity::Outside {
            return None;
        }
        Some(match self.follows_robots_txt {
            Compliance::Honours => "its operator says that it honours robots.txt",
            Compliance::MayIgnore => "its operator says that it may ignore robots.txt",
            Compliance::Ignores => "its operator says that it does not follow robots.txt",
            _ => return None,
        })
    }

    /// Returns the reason why published addresses do not verify the sender of the requests, or may be out of date.
    pub fn doubt(&self) -> Option<String> {
        let (date, list) = (self.ranges_date.as_deref()?, self.ranges_list.as_deref()?);
        if self.ranges_older > 0 {
            return Some(format!(
                "the list of its operator's addresses is from {date}, more than 30 days older than these requests; \
                 `comity agents --update {list}=FILE` reads a newer list"
            ));
        }
        if self.ranges_newer > 0 {
            return Some(format!(
                "the list of its operator's addresses is from {date}, more than 30 days later than these requests"
            ));
        }
        (self.identity == Identity::Unknown && self.without_address > 0).then(|| {
            "its operator publishes addresses, but the log does not show the address of the client".to_owned()
        })
    }

    /// Returns the networks of requests from outside of the operator's addresses, and the day on which these addresses were
    /// read.
    pub fn origin(&self) -> Option<String> {
        if self.identity != Identity::Outside {
            return None;
        }
        let networks: Vec<&str> = self.networks.iter().map(|network| network.network.as_str()).collect();
        let date = self.ranges_date.as_deref().unwrap_or("an unknown day");
        Some(format!("from {}; published addresses as of {date}", networks.join(", ")))
    }
}

/// Returns a ratio between 0 and 1, rounded to four digits.
fn share(part: u64, all: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
    let share = part as f64 / all.max(1) as f64;
    (share * 10_000.0).round() / 10_000.0
}
