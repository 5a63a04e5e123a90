//! What a crawler did, counted: requests in, findings out. Nothing here reads files or clocks.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use comity::agents::Prefix;
use comity_formats::logs::LogRequest;
use comity_identity::Outcome;
use serde::Serialize;

use super::history::Said;
use super::who::{self, Identity};
use crate::render;

/// Fewer gaps between requests say nothing about a delay.
pub(super) const FEWEST_GAPS: u64 = 20;

/// The largest number of examples that are kept of a rule, and of networks of a crawler.
const EXAMPLES: usize = 3;

/// The largest number of days that are told apart: ten years. Hostile logs have a day for each line.
const MOST_DAYS: usize = 3_660;

/// The largest number of rules, and of networks, of one crawler that are counted by themselves.
const MOST_RULES: usize = 1_000;

const SECOND: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400 * SECOND;

/// A crawler and whether it was itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Who {
    pub(super) crawler: usize,
    pub(super) identity: Identity,
}

/// The requests of one crawler.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) requests: u64,
    pub(super) disallowed: u64,
    /// Disallowed by the version in force, allowed by one that the crawler may still have held.
    pub(super) in_grace: u64,
    /// What cannot be judged.
    pub(super) unknown: u64,
    /// The rules that disallowed, by version and line.
    pub(super) rules: BTreeMap<(usize, u32), RuleCount>,
    pub(super) robots_txt: RobotsFetches,
    pub(super) gaps: Gaps,
    pub(super) burst: Burst,
    /// By the first digit.
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) bytes: u64,
    pub(super) first: i64,
    pub(super) last: i64,
    /// By day since 1970.
    pub(super) days: BTreeMap<i64, Day>,
    pub(super) networks: HashMap<Prefix, u64>,
    pub(super) signatures: Signatures,
    /// How often a request was counted in the totals, and not by its day, rule or network, since there are too many.
    pub(super) let_go: u64,
}

/// The requests of one day.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Day {
    pub(super) requests: u64,
    pub(super) disallowed: u64,
}

/// The requests that a rule disallowed.
#[derive(Debug, Default)]
pub(super) struct RuleCount {
    pub(super) pattern: String,
    pub(super) requests: u64,
    pub(super) examples: Vec<String>,
}

/// The requests for robots.txt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RobotsFetches {
    pub(super) count: u64,
    pub(super) last: Option<i64>,
    /// How many other requests came before the first.
    pub(super) pages_before: u64,
}

/// What is known of the signature of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Verified,
    Invalid,
    /// The keys are not known, the log has too little of it, or nobody asked.
    Unjudged,
}

impl Sign {
    pub(super) fn of(outcome: &Outcome) -> Sign {
        match outcome {
            Outcome::Verified(_) => Sign::Verified,
            Outcome::Invalid(_) => Sign::Invalid,
            _ => Sign::Unjudged,
        }
    }
}

/// Signed requests, and whom the edge refused.
#[derive(Clone, Copy, Debug, Default, Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogSignatures")]
pub(super) struct Signatures {
    /// Requests with a signature.
    pub(super) signed: u64,
    /// Requests whose signature is valid.
    pub(super) verified: u64,
    /// Requests whose signature is invalid.
    pub(super) invalid: u64,
    /// Signed requests that were refused with 401, 403 or 429.
    pub(super) refused_signed: u64,
    /// Other requests that were refused so.
    pub(super) refused_unsigned: u64,
}

impl Signatures {
    /// Counts a request, and what it was answered with.
    pub(super) fn take(&mut self, sign: Option<Sign>, status: Option<u16>) {
        let is_refused = matches!(status, Some(401 | 403 | 429));
        self.signed += u64::from(sign.is_some());
        self.verified += u64::from(sign == Some(Sign::Verified));
        self.invalid += u64::from(sign == Some(Sign::Invalid));
        self.refused_signed += u64::from(is_refused && sign.is_some());
        self.refused_unsigned += u64::from(is_refused && sign.is_none());
    }
}

/// The gaps between requests, against the delay that was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gaps {
    last: Option<i64>,
    /// True if the log has fractions of seconds.
    is_fine: bool,
    pub(super) asked: Option<f64>,
    pub(super) count: u64,
    pub(super) below: u64,
    /// By length: below 0.1 s, 1 s, 10 s, a minute, an hour, and longer.
    pub(super) lengths: [u64; 6],
}

/// The most requests in one minute.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    minute: i64,
    now: u64,
    pub(super) most: u64,
    pub(super) at: i64,
}

impl Tally {
    /// Counts a request.
    pub(super) fn take(
        &mut self,
        request: &LogRequest<'_>,
        said: Said,
        delay: Option<f64>,
        client: Option<(IpAddr, bool)>,
    ) {
        let time = request.time_micros;
        self.first = if self.requests == 0 { time } else { self.first.min(time) };
        self.last = if self.requests == 0 { time } else { self.last.max(time) };
        self.requests += 1;
        let day = time.div_euclid(DAY);
        let is_new = !self.days.contains_key(&day);
        if !is_new || self.days.len() < MOST_DAYS {
            let count = self.days.entry(day).or_default();
            count.requests += 1;
            count.disallowed += u64::from(matches!(said, Said::Disallowed { .. }));
        } else {
            self.let_go += 1;
        }
        self.bytes = self.bytes.saturating_add(request.bytes.unwrap_or(0));
        if let Some(status) = request.status {
            *self.statuses.entry(status / 100).or_default() += 1;
        }
        self.burst.take(time);
        if let Some((address, is_whole)) = client {
            let network = who::shown(address, is_whole);
            if self.networks.len() < MOST_RULES || self.networks.contains_key(&network) {
                *self.networks.entry(network).or_default() += 1;
            } else {
                self.let_go += 1;
            }
        }
        if is_robots_txt(&request.target) {
            self.robots_txt.count += 1;
            self.robots_txt.last = self.robots_txt.last.max(Some(time));
            return;
        }
        self.robots_txt.pages_before += u64::from(self.robots_txt.count == 0);
        self.gaps.take(time, delay);
        match said {
            Said::Allowed => {}
            Said::AllowedBefore => self.in_grace += 1,
            Said::Unknown => self.unknown += 1,
            Said::Disallowed { version, line, pattern } => {
                self.disallowed += 1;
                if self.rules.len() >= MOST_RULES && !self.rules.contains_key(&(version, line)) {
                    self.let_go += 1;
                    return;
                }
                let rule = self.rules.entry((version, line)).or_default();
                rule.pattern = pattern;
                rule.requests += 1;
                if rule.examples.len() < EXAMPLES {
                    let example = render::short(&request.target, 80).into_owned();
                    if !rule.examples.contains(&example) {
                        rule.examples.push(example);
                    }
                }
            }
        }
    }

    /// The number of days on which there were requests.
    pub(super) fn days(&self) -> usize {
        self.days.len()
    }

    /// The networks with the most requests.
    pub(super) fn top_networks(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> =
            self.networks.iter().map(|(network, count)| (network.to_string(), *count)).collect();
        all.sort_unstable_by(|(name, count), (other, others)| {
            others.cmp(count).then_with(|| name.cmp(other))
        });
        all.truncate(EXAMPLES);
        all
    }

    /// The rules that disallowed most, first.
    pub(super) fn top_rules(&self) -> Vec<(&(usize, u32), &RuleCount)> {
        let mut all: Vec<_> = self.rules.iter().collect();
        all.sort_by_key(|(place, rule)| (std::cmp::Reverse(rule.requests), **place));
        all
    }
}

/// Returns true if robots.txt itself is asked for.
pub(super) fn is_robots_txt(target: &[u8]) -> bool {
    target == b"/robots.txt" || target.starts_with(b"/robots.txt?")
}

impl Gaps {
    fn take(&mut self, time: i64, delay: Option<f64>) {
        self.is_fine |= time % SECOND != 0;
        let last = self.last.replace(self.last.map_or(time, |last| last.max(time)));
        // A line that comes late says nothing of gaps.
        let Some(gap) = last.filter(|last| *last <= time).map(|last| time - last) else { return };
        self.count += 1;
        let limits = [SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 3_600 * SECOND];
        self.lengths[limits.iter().position(|limit| gap < *limit).unwrap_or(5)] += 1;
        if let Some(delay) = delay {
            self.asked = Some(self.asked.map_or(delay, |asked| asked.max(delay)));
            // Whole seconds were cut off on both sides: the gap may have been almost a second longer.
            #[expect(clippy::cast_precision_loss, reason = "gaps are shorter than centuries")]
            let longest = (if self.is_fine { gap } else { gap + SECOND }) as f64 / 1e6;
            self.below += u64::from(longest < delay);
        }
    }
}

impl Burst {
    fn take(&mut self, time: i64) {
        let minute = time.div_euclid(60 * SECOND);
        self.now = if minute == self.minute { self.now + 1 } else { 1 };
        self.minute = minute;
        if self.now > self.most {
            (self.most, self.at) = (self.now, minute * 60 * SECOND);
        }
    }
}

/// The lines of the logs.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Lines {
    pub(super) lines: u64,
    pub(super) requests: u64,
    /// In no format that is known.
    pub(super) damaged: u64,
    /// Of known crawlers.
    pub(super) of_crawlers: u64,
    /// For other hosts than the one that was asked for.
    pub(super) of_other_hosts: u64,
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
            tally.take(&request, Said::Allowed, delay, None);
        }
        tally
    }

    #[test]
    fn a_gap_is_below_the_delay_only_if_it_is_for_sure() {
        let whole = taken(&[0, SECOND, 2 * SECOND, 12 * SECOND], Some(2.0));
        assert_eq!((whole.gaps.count, whole.gaps.below), (3, 0), "each may have been almost two seconds");
        let longer = taken(&[0, SECOND, 2 * SECOND, 12 * SECOND], Some(3.0));
        assert_eq!(longer.gaps.below, 2);
        let fine = taken(&[1, SECOND + 1, 2 * SECOND + 1, 12 * SECOND], Some(2.0));
        assert_eq!((fine.gaps.count, fine.gaps.below), (3, 2));
        let late = taken(&[10 * SECOND, 5 * SECOND, 11 * SECOND], Some(2.0));
        assert_eq!((late.gaps.count, late.gaps.lengths), (1, [0, 0, 1, 0, 0, 0]));
    }

    #[test]
    fn what_there_is_too_much_of_is_counted_in_the_totals_and_said() {
        let days: Vec<i64> = (0..MOST_DAYS as i64 + 7).map(|day| day * DAY).collect();
        let mut tally = taken(&days, None);
        assert_eq!((tally.days(), tally.requests, tally.let_go), (MOST_DAYS, days.len() as u64, 7));
        for number in 0..MOST_RULES as u32 + 5 {
            let mut request = LogRequest::default();
            request.target = b"/x".into();
            let said = Said::Disallowed { version: 0, line: number, pattern: String::new() };
            let [_, a, b, c] = number.to_be_bytes();
            tally.take(&request, said, None, Some(([a, b, c, 0].into(), false)));
        }
        assert_eq!((tally.rules.len(), tally.networks.len()), (MOST_RULES, MOST_RULES));
        assert_eq!((tally.disallowed, tally.let_go), (MOST_RULES as u64 + 5, 7 + 5 + 5));
    }

    #[test]
    fn bursts_days_and_pages_before_robots_txt_are_counted() {
        let mut tally = taken(&[0, 1, 2, 61 * SECOND, DAY], None);
        assert_eq!((tally.burst.most, tally.burst.at, tally.days()), (3, 0, 2));
        let mut robots = LogRequest::default();
        robots.target = b"/robots.txt".into();
        tally.take(&robots, Said::Allowed, None, None);
        assert_eq!((tally.robots_txt.count, tally.robots_txt.pages_before), (1, 5));
    }
}
