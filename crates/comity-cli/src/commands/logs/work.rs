//! What is known of the requests so far: a line in, and at any time the report.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use comity_formats::logs::{LogLine, LogRequest};

use super::args::LogsArgs;
use super::dns::Names;
use super::history::{History, Said};
use super::html;
use super::row::{self, Row};
use super::signed::Signers;
use super::suggest::{self, Seen, Suggest};
use super::tally::{self, Day, Lines, Sign, Tally, Who};
use super::text::{self, Look};
use super::who::{Crawlers, DAYS_APART, Identity, Verifier};
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The largest number of hosts that are told apart, and the longest name of one (RFC 1035).
const MOST_HOSTS: usize = 1_000;
const LONGEST_HOST: usize = 255;

/// What is known so far.
pub(super) struct Work<'a> {
    args: &'a LogsArgs,
    history: History,
    crawlers: Crawlers,
    verifier: Verifier,
    tallies: BTreeMap<Who, Tally>,
    /// When each crawler last asked for robots.txt.
    fetched: BTreeMap<Who, i64>,
    pub(super) lines: Lines,
    hosts: BTreeSet<Vec<u8>>,
    /// True if there are more hosts than are told apart.
    has_more_hosts: bool,
    names: Option<Names>,
    signers: Option<Signers>,
    /// The day of today since 1970.
    today: i64,
    /// Requests of crawlers that are yet to be counted, in their order: it is asked whose the first one's address is.
    held: VecDeque<Held>,
    held_bytes: usize,
}

/// The largest number of requests, and of bytes of their targets, that are held.
const MOST_HELD: usize = 10_000;
const MOST_HELD_BYTES: usize = 16 << 20;

/// A request of a crawler, without what nobody asks for any more.
struct Held {
    crawler: usize,
    identity: Identity,
    client: Option<IpAddr>,
    /// True if names may prove more than published addresses did.
    is_asked: bool,
    sign: Option<Sign>,
    request: LogRequest<'static>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        args: &'a LogsArgs,
        history: History,
        verifier: Verifier,
        (names, signers): (Option<Names>, Option<Signers>),
    ) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Work {
            args,
            history,
            crawlers: Crawlers::new(),
            verifier,
            tallies: BTreeMap::new(),
            fetched: BTreeMap::new(),
            lines: Lines::default(),
            hosts: BTreeSet::new(),
            has_more_hosts: false,
            names,
            signers,
            today: i64::try_from(since.as_secs() / 86_400).unwrap_or(i64::MAX),
            held: VecDeque::new(),
            held_bytes: 0,
        }
    }

    /// Looks whether robots.txt has changed.
    pub(super) fn look_again(&mut self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.history.look_again(i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
    }

    /// Counts a line.
    pub(super) fn take(&mut self, line: LogLine<'_>) {
        self.lines.lines += 1;
        match line {
            LogLine::Request(request) => self.take_request(&request),
            LogLine::Damaged => self.lines.damaged += 1,
            _ => {}
        }
    }

    fn take_request(&mut self, request: &LogRequest<'_>) {
        if let Some(host) = request.host.as_deref() {
            let wanted = self.args.host.as_deref();
            if wanted.is_some_and(|wanted| !wanted.as_bytes().eq_ignore_ascii_case(host)) {
                self.lines.of_other_hosts += 1;
                return;
            }
            if host.len() <= LONGEST_HOST && !self.hosts.contains(host) {
                match self.hosts.len() < MOST_HOSTS {
                    true => drop(self.hosts.insert(host.to_vec())),
                    false => self.has_more_hosts = true,
                }
            }
        }
        self.lines.requests += 1;
        let Some(crawler) = self.crawlers.find(&request.user_agent) else { return };
        self.lines.of_crawlers += 1;
        let (agent, time) = (self.crawlers.get(crawler), request.time_micros);
        let client = self.verifier.client(request);
        let identity = self.verifier.identify(crawler, agent.token(), client, time);
        let sign = self.sign(request);
        let Some(names) = &mut self.names else {
            return self.count(crawler, identity, client, sign, request);
        };
        let is_asked = identity != Identity::Verified
            && Names::prove(agent)
            && (self.today - time.div_euclid(tally::DAY)).abs() <= DAYS_APART;
        let known = match client.filter(|_| is_asked) {
            Some(client) => names.is_of(agent, client),
            None => Some(false),
        };
        match known {
            Some(known) if self.held.is_empty() => {
                let identity = if known { Identity::Verified } else { identity };
                self.count(crawler, identity, client, sign, request);
            }
            _ => {
                let is_asked = is_asked && client.is_some();
                self.held_bytes += request.target.len();
                self.held.push_back(Held {
                    crawler,
                    identity,
                    client,
                    is_asked,
                    sign,
                    request: kept(request),
                });
                self.settle(false);
            }
        }
    }

    /// Counts requests of crawlers about whose addresses name servers have answered by now, in their order. `to_end` waits for
    /// the answers.
    pub(super) fn settle(&mut self, to_end: bool) {
        let Some(mut names) = self.names.take() else { return };
        while let Some(first) = self.held.front() {
            let known = match first.client.filter(|_| first.is_asked) {
                Some(client) => names.is_of(self.crawlers.get(first.crawler), client),
                None => Some(false),
            };
            match known {
                Some(known) => {
                    let Some(first) = self.held.pop_front() else { break };
                    self.held_bytes -= first.request.target.len();
                    let identity = if known { Identity::Verified } else { first.identity };
                    self.count(first.crawler, identity, first.client, first.sign, &first.request);
                }
                None if to_end || self.held.len() > MOST_HELD || self.held_bytes > MOST_HELD_BYTES => {
                    names.wait();
                }
                None => break,
            }
        }
        names.tidy();
        self.names = Some(names);
    }

    /// Counts the requests that are held by what is known of them now.
    pub(super) fn give_up(&mut self) {
        for held in std::mem::take(&mut self.held) {
            self.count(held.crawler, held.identity, held.client, held.sign, &held.request);
        }
    }

    /// Returns what is known of the signature of a request, if it has one.
    fn sign(&self, request: &LogRequest<'_>) -> Option<Sign> {
        request.signature.as_ref()?;
        let outcome = self.signers.as_ref().and_then(|signers| signers.verify(request));
        Some(outcome.as_ref().map_or(Sign::Unjudged, Sign::of))
    }

    /// Counts a request of a crawler.
    fn count(
        &mut self,
        crawler: usize,
        identity: Identity,
        client: Option<IpAddr>,
        sign: Option<Sign>,
        request: &LogRequest<'_>,
    ) {
        let (agent, time) = (self.crawlers.get(crawler), request.time_micros);
        let who = Who { crawler, identity };
        let (said, delay) = if tally::is_robots_txt(&request.target) {
            self.fetched.insert(who, time);
            (Said::Allowed, None)
        } else {
            let fetched = self.fetched.get(&who).copied();
            let said = self.history.judge(crawler, agent, &request.target, time, fetched);
            (said, self.history.delay(crawler, agent, time))
        };
        let shown = client.map(|client| (client, self.args.show_addresses));
        let tally = self.tallies.entry(who).or_default();
        tally.signatures.take(sign, request.status);
        tally.take(request, said, delay, shown);
    }

    /// What was found, a row for each crawler and identity.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = self
            .tallies
            .iter()
            .map(|(who, tally)| {
                let agent = self.crawlers.get(who.crawler);
                Row::new(agent, who.identity, self.verifier.date(agent.token()), tally, &self.history)
            })
            .collect();
        rows.sort_by_key(|row| (row.identity, Reverse((row.disallowed, row.requests)), row.agent));
        rows
    }

    /// Writes what was found.
    pub(super) fn write(&self, look: Look, out: &mut impl Write) -> Result<(), Failure> {
        let rows = self.rows();
        match self.args.format.get() {
            Format::Json => rows.iter().try_for_each(|row| row::json(row, out)),
            Format::Csv => row::csv(&rows, out),
            Format::Html => html::print(&rows, &self.days(), &self.lines, out),
            Format::Prometheus => row::prometheus(&rows, &self.lines, out),
            _ => text::print(&rows, &self.lines, self.args.all, look, out),
        }
    }

    /// The exit status that follows from what was found.
    pub(super) fn exit(&self) -> Exit {
        let objects =
            |(who, tally): (&Who, &Tally)| who.identity != Identity::Outside && tally.disallowed > 0;
        let exit = if self.tallies.iter().any(objects) { Exit::Objection } else { Exit::Success };
        exit.max(self.trouble())
    }

    /// The exit status that follows from what could not be read.
    pub(super) fn trouble(&self) -> Exit {
        if self.history.is_complete() { Exit::Success } else { Exit::Trouble }
    }

    /// The rules in place of a report.
    pub(super) fn suggest(&self, suggest: Suggest) -> Result<String, Failure> {
        let seen: Vec<Seen> = self
            .tallies
            .iter()
            .map(|(who, tally)| Seen {
                agent: self.crawlers.get(who.crawler),
                identity: who.identity,
                disallowed: tally.disallowed,
            })
            .collect();
        suggest::text(suggest, &seen, self.verifier.ranges()).map_err(|error| Failure::new(error.to_string()))
    }

    /// The requests of known crawlers by day, without those from outside of their addresses.
    fn days(&self) -> BTreeMap<i64, Day> {
        let mut all: BTreeMap<i64, Day> = BTreeMap::new();
        // Who is not who they say counts for nobody.
        let own = self.tallies.iter().filter(|(who, _)| who.identity != Identity::Outside);
        for (day, count) in own.flat_map(|(_, tally)| &tally.days) {
            let sum = all.entry(*day).or_default();
            sum.requests += count.requests;
            sum.disallowed += count.disallowed;
        }
        all
    }

    /// Says that there is more than is told apart; nothing while there is room.
    pub(super) fn let_go(&self) -> Option<String> {
        let let_go: u64 = self.tallies.values().map(|tally| tally.let_go).sum();
        (let_go > 0).then(|| {
            let let_go = indicatif::HumanCount(let_go);
            format!(
                "there are more days, rules or networks of a crawler than are told apart: {let_go} times a request stands in the \
                 totals alone"
            )
        })
    }

    /// Says what the numbers leave out.
    pub(super) fn warn(&self, output: &mut Output) {
        let lines = &self.lines;
        if lines.damaged > 0 {
            let all = indicatif::HumanCount(lines.lines);
            let damaged = indicatif::HumanCount(lines.damaged);
            output.warning(&format!(
                "{damaged} of {all} lines are in no format that is known, and are left out; --log-format names one"
            ));
        }
        if self.args.host.is_none() && self.hosts.len() > 1 {
            output.warning(&format!(
                "requests for {}{} hosts are judged by one robots.txt; --host counts those for one",
                if self.has_more_hosts { "more than " } else { "" },
                indicatif::HumanCount(self.hosts.len() as u64)
            ));
        }
        if self.args.host.is_some() && self.hosts.is_empty() && lines.requests > 0 {
            output.warning("the log names no hosts, so --host leaves nothing out");
        }
        if let Some(let_go) = self.let_go() {
            output.warning(&let_go);
        }
        let unknown: u64 = self.tallies.values().map(|tally| tally.unknown).sum();
        if unknown > 0 {
            let unknown = indicatif::HumanCount(unknown);
            output.warning(&format!(
                "{unknown} requests of crawlers cannot be judged: they came before the first version of robots.txt or under one \
                 that cannot be read, or ask for something that is neither a path nor a URL"
            ));
        }
    }
}

/// A request without its line.
fn kept(request: &LogRequest<'_>) -> LogRequest<'static> {
    let mut kept = LogRequest::default();
    kept.time_micros = request.time_micros;
    kept.target = request.target.to_vec().into();
    kept.status = request.status;
    kept.bytes = request.bytes;
    kept
}
