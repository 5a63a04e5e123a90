//! Counts of one crawler.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use comity::agents::Prefix;
use comity::shown;
use comity_formats::logs::LogRequest;
use comity_identity::Outcome;
use foldhash::quality::RandomState;
use serde::Serialize;

use crate::history::Judgement;
use crate::identity::{self, Identity, ListAge};
use crate::time::{DAY, SECOND};

/// Maximum number of examples of a rule, and of networks in a row.
const MAX_EXAMPLES: usize = 3;

/// Maximum number of days that are counted separately, which is ten years. A hostile log may have a different day on each line.
const MAX_DAYS: usize = 3_660;

/// Maximum number of rules of a crawler that are counted separately. Also the maximum number of networks.
const MAX_RULES: usize = 1_000;

/// Key of the counts: the index of a crawler, and the identity of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CrawlerIdentity {
    pub(crate) crawler: usize,
    pub(crate) identity: Identity,
}

/// The counts of a crawler with one identity.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: u64,
    pub(crate) disallowed: u64,
    /// Number of requests that the version in force disallows, but an earlier version that the crawler could have cached
    /// allows.
    pub(crate) in_grace: u64,
    /// Number of requests that cannot be decided.
    pub(crate) unknown: u64,
    /// Counts of disallowed requests, by version and line of the rule.
    pub(crate) rules: BTreeMap<(usize, u32), RuleCount>,
    pub(crate) robots_txt: RobotsFetches,
    pub(crate) gaps: Gaps,
    pub(crate) burst: Burst,
    /// Number of requests, by the first digit of the status code.
    pub(crate) statuses: BTreeMap<u16, u64>,
    pub(crate) bytes: u64,
    /// Time of the first request, in microseconds since 1970.
    pub(crate) first: i64,
    /// Time of the last request.
    pub(crate) last: i64,
    /// Counts by day. A day is a number of days since 1970.
    pub(crate) days: BTreeMap<i64, DayCounts>,
    pub(crate) networks: HashMap<Prefix, u64, RandomState>,
    pub(crate) signatures: LogSignatures,
    /// Number of requests that are more than 30 days later than the list of addresses.
    pub(crate) older_list: u64,
    /// Number of requests that are more than 30 days earlier than the list of addresses.
    pub(crate) newer_list: u64,
    /// Number of requests for which the log does not contain the address of the client.
    pub(crate) without_address: u64,
    /// Number of times that a request was counted only in the totals, since there are too many days, rules or networks.
    pub(crate) uncounted: u64,
}

/// The requests of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DayCounts {
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that robots.txt disallows.
    pub disallowed: u64,
}

/// The requests that a rule disallowed.
#[derive(Debug, Default)]
pub(crate) struct RuleCount {
    pub(crate) pattern: String,
    pub(crate) requests: u64,
    pub(crate) examples: Vec<String>,
}

/// The requests for robots.txt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RobotsFetches {
    pub(crate) count: u64,
    /// Time of the last request for robots.txt.
    pub(crate) last: Option<i64>,
    /// Number of other requests before the first request for robots.txt.
    pub(crate) pages_before: u64,
}

/// The result of verifying the signature of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureState {
    /// The signature is valid.
    Verified,
    /// The signature is invalid.
    Invalid,
    /// The signature was not verified: the key is unknown, the log does not contain all signed parts, or there is no verifier.
    Unverified,
}

impl SignatureState {
    pub(crate) fn of(outcome: &Outcome) -> SignatureState {
        match outcome {
            Outcome::Verified(_) => SignatureState::Verified,
            Outcome::Invalid(_) => SignatureState::Invalid,
            _ => SignatureState::Unverified,
        }
    }
}

/// Counts of signed requests, and of requests that the server refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogSignatures {
    /// Requests with a signature.
    pub signed: u64,
    /// Requests whose signature is valid.
    pub verified: u64,
    /// Requests whose signature is invalid.
    pub invalid: u64,
    /// Signed requests that were refused with 401, 403 or 429.
    pub refused_signed: u64,
    /// Unsigned requests that were refused with 401, 403 or 429.
    pub refused_unsigned: u64,
}

impl LogSignatures {
    /// Counts a request and the status code of its answer.
    pub(crate) fn add(&mut self, signature: Option<SignatureState>, status: Option<u16>) {
        let is_refused = matches!(status, Some(401 | 403 | 429));
        self.signed += u64::from(signature.is_some());
        self.verified += u64::from(signature == Some(SignatureState::Verified));
        self.invalid += u64::from(signature == Some(SignatureState::Invalid));
        self.refused_signed += u64::from(is_refused && signature.is_some());
        self.refused_unsigned += u64::from(is_refused && signature.is_none());
    }
}

/// The gaps between requests, and the crawl delay in robots.txt.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps {
    /// Time of the last request.
    last: Option<i64>,
    /// True if the times have fractions of a second.
    is_fine: bool,
    /// The largest crawl delay in robots.txt, in seconds.
    pub(crate) asked: Option<f64>,
    pub(crate) count: u64,
    /// Number of gaps that are shorter than the crawl delay.
    pub(crate) below: u64,
    /// Number of gaps by length: below 0.1 s, 1 s, 10 s, a minute, an hour, and any longer gap.
    pub(crate) lengths: [u64; 6],
}

/// The minute with the most requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Burst {
    /// The current minute, as a number of minutes since 1970.
    minute: i64,
    /// Number of requests in the current minute.
    now: u64,
    /// Number of requests in the minute with the most requests.
    pub(crate) most: u64,
    /// Start of the minute with the most requests, in microseconds since 1970.
    pub(crate) at: i64,
}

impl Tally {
    /// Counts a request.
    pub(crate) fn add(
        &mut self,
        request: &LogRequest<'_>,
        judgement: Judgement,
        delay: Option<f64>,
        client: Option<(IpAddr, bool)>,
        age: ListAge,
    ) {
        let time = request.time_micros;
        self.first = if self.requests == 0 { time } else { self.first.min(time) };
        self.last = if self.requests == 0 { time } else { self.last.max(time) };
        self.requests += 1;
        let day = time.div_euclid(DAY);
        let is_new = !self.days.contains_key(&day);
        if !is_new || self.days.len() < MAX_DAYS {
            let count = self.days.entry(day).or_default();
            count.requests += 1;
            count.disallowed += u64::from(matches!(judgement, Judgement::Disallowed { .. }));
        } else {
            self.uncounted += 1;
        }
        self.bytes = self.bytes.saturating_add(request.bytes.unwrap_or(0));
        if let Some(status) = request.status {
            *self.statuses.entry(status / 100).or_default() += 1;
        }
        self.burst.add(time);
        self.without_address += u64::from(client.is_none());
        self.older_list += u64::from(age == ListAge::Older);
        self.newer_list += u64::from(age == ListAge::Newer);
        if let Some((address, is_whole)) = client {
            let network = identity::network(address, is_whole);
            if self.networks.len() < MAX_RULES || self.networks.contains_key(&network) {
                *self.networks.entry(network).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
        }
        if is_robots_txt(&request.target) {
            self.robots_txt.count += 1;
            self.robots_txt.last = self.robots_txt.last.max(Some(time));
            return;
        }
        self.robots_txt.pages_before += u64::from(self.robots_txt.count == 0);
        self.gaps.add(time, delay);
        match judgement {
            Judgement::Allowed => {}
            Judgement::AllowedBefore => self.in_grace += 1,
            Judgement::Unknown => self.unknown += 1,
            Judgement::Disallowed { version, line, pattern } => {
                self.disallowed += 1;
                if self.rules.len() >= MAX_RULES && !self.rules.contains_key(&(version, line)) {
                    self.uncounted += 1;
                    return;
                }
                let rule = self.rules.entry((version, line)).or_default();
                rule.pattern = pattern;
                rule.requests += 1;
                if rule.examples.len() < MAX_EXAMPLES {
                    let example = shown::short(&request.target, 80).into_owned();
                    if !rule.examples.contains(&example) {
                        rule.examples.push(example);
                    }
                }
            }
        }
    }

    /// Returns the number of days with requests.
    pub(crate) fn days(&self) -> usize {
        self.days.len()
    }

    /// Returns the networks with the most requests.
    pub(crate) fn top_networks(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> =
            self.networks.iter().map(|(network, count)| (network.to_string(), *count)).collect();
        all.sort_unstable_by(|(name, count), (other, others)| {
            others.cmp(count).then_with(|| name.cmp(other))
        });
        all.truncate(MAX_EXAMPLES);
        all
    }

    /// Returns the rules. The rule that disallowed the most requests is first.
    pub(crate) fn top_rules(&self) -> Vec<(&(usize, u32), &RuleCount)> {
        let mut all: Vec<_> = self.rules.iter().collect();
        all.sort_by_key(|(key, rule)| (std::cmp::Reverse(rule.requests), **key));
        all
    }
}

/// Returns true for a request for robots.txt itself.
pub(crate) fn is_robots_txt(target: &[u8]) -> bool {
    target == b"/robots.txt" || target.starts_with(b"/robots.txt?")
}

impl Gaps {
    /// Adds the time of a request, and the crawl delay at that time.
    fn add(&mut self, time: i64, delay: Option<f64>) {
        self.is_fine |= time % SECOND != 0;
        let last = self.last.replace(self.last.map_or(time, |last| last.max(time)));
        // A request that is earlier than the previous request has no gap.
        let Some(gap) = last.filter(|last| *last <= time).map(|last| time - last) else { return };
        self.count += 1;
        let limits = [SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 3_600 * SECOND];
        self.lengths[limits.iter().position(|limit| gap < *limit).unwrap_or(5)] += 1;
        if let Some(delay) = delay {
            self.asked = Some(self.asked.map_or(delay, |asked| asked.max(delay)));
            // If times are rounded down to seconds, the gap may be almost a second longer.
            #[expect(clippy::cast_precision_loss, reason = "gaps are shorter than centuries")]
            let longest = (if self.is_fine { gap } else { gap + SECOND }) as f64 / 1e6;
            self.below += u64::from(longest < delay);
        }
    }
}

impl Burst {
    /// Adds the time of a request.
    fn add(&mut self, time: i64) {
        let minute = time.div_euclid(60 * SECOND);
        self.now = if minute == self.minute { self.now + 1 } else { 1 };
        self.minute = minute;
        if self.now > self.most {
            (self.most, self.at) = (self.now, minute * 60 * SECOND);
        }
    }
}

/// Counts of the lines of the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// All lines.
    pub lines: u64,
    /// Requests, without those for other hosts.
    pub requests: u64,
    /// Lines in an unknown format, or with a field that cannot be parsed.
    pub damaged: u64,
    /// Requests whose time has no zone, and counts as UTC.
    pub without_zone: u64,
    /// Requests in lines without a field for the `User-Agent`.
    pub without_agent: u64,
    /// Requests of known crawlers in lines with a forwarded address, but without the address of a peer that could be a
    /// trusted proxy.
    pub without_peer: u64,
    /// Requests of known crawlers.
    pub of_crawlers: u64,
    /// Requests for other hosts than [`LogsRequest::host`](crate::LogsRequest::host).
    pub of_other_hosts: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(times: &[i64], delay: Option<f64>) -> Tally {
        let mut tally = Tally::default();
        for time in times {
            let mut request = LogRequest::default();
            request.time_micros = *time;
            request.target = b"/x".into();
            tally.add(&request, Judgement::Allowed, delay, None, ListAge::Near);
        }
        tally
    }

    #[test]
    fn gap_between_rounded_times_is_below_the_delay_only_if_certain() {
        let whole = taken(&[0, SECOND, 2 * SECOND, 12 * SECOND], Some(2.0));
        assert_eq!(
            (whole.gaps.count, whole.gaps.below),
            (3, 0),
            "each gap may have been almost two seconds long"
        );
        let longer = taken(&[0, SECOND, 2 * SECOND, 12 * SECOND], Some(3.0));
        assert_eq!(longer.gaps.below, 2);
        let fine = taken(&[1, SECOND + 1, 2 * SECOND + 1, 12 * SECOND], Some(2.0));
        assert_eq!((fine.gaps.count, fine.gaps.below), (3, 2));
        let late = taken(&[10 * SECOND, 5 * SECOND, 11 * SECOND], Some(2.0));
        assert_eq!((late.gaps.count, late.gaps.lengths), (1, [0, 0, 1, 0, 0, 0]));
    }

    #[test]
    fn days_rules_and_networks_beyond_the_maximum_count_only_in_the_totals() {
        let days: Vec<i64> = (0..MAX_DAYS as i64 + 7).map(|day| day * DAY).collect();
        let mut tally = taken(&days, None);
        assert_eq!((tally.days(), tally.requests, tally.uncounted), (MAX_DAYS, days.len() as u64, 7));
        for number in 0..MAX_RULES as u32 + 5 {
            let mut request = LogRequest::default();
            request.target = b"/x".into();
            let judgement = Judgement::Disallowed { version: 0, line: number, pattern: String::new() };
            let [_, a, b, c] = number.to_be_bytes();
            tally.add(&request, judgement, None, Some(([a, b, c, 0].into(), false)), ListAge::Near);
        }
        assert_eq!((tally.rules.len(), tally.networks.len()), (MAX_RULES, MAX_RULES));
        assert_eq!((tally.disallowed, tally.uncounted), (MAX_RULES as u64 + 5, 7 + 5 + 5));
    }

    #[test]
    fn bursts_days_and_pages_before_robots_txt_are_counted() {
        let mut tally = taken(&[0, 1, 2, 61 * SECOND, DAY], None);
        assert_eq!((tally.burst.most, tally.burst.at, tally.days()), (3, 0, 2));
        let mut robots = LogRequest::default();
        robots.target = b"/robots.txt".into();
        tally.add(&robots, Judgement::Allowed, None, None, ListAge::Near);
        assert_eq!((tally.robots_txt.count, tally.robots_txt.pages_before), (1, 5));
    }
}
