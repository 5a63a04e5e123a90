//! Counts lines by crawler, identity and robots.txt decision.
//!
//! Memory use does not grow with the size of the logs: see the limits here, in `tally.rs` and in `identity.rs`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use comity::agents::{KnownAgent, ProofKind};
use comity::http::Headers;
use comity_formats::logs::{LogLine, LogRequest};
use comity_identity::Request;

use crate::history::{History, Judgement};
use crate::identity::{Crawlers, Identity, MAX_DAYS_APART, Verifier};
use crate::request::{LogsRequest, SignatureVerifier};
use crate::row::LogRow;
use crate::summary::LogsSummary;
use crate::tally::{self, CrawlerIdentity, DayCounts, LineCounts, SignatureState, Tally};
use crate::time::{self, DAY};

/// Maximum number of hosts that are counted, and maximum length of a host name (RFC 1035).
const MAX_HOSTS: usize = 1_000;
const MAX_HOST_BYTES: usize = 255;

/// Maximum number of pending requests, and maximum total size of their targets in bytes.
const MAX_PENDING: usize = 10_000;
const MAX_PENDING_BYTES: usize = 16 << 20;

/// The counts so far.
#[derive(Debug)]
pub(crate) struct Counter {
    history: History,
    crawlers: Crawlers,
    verifier: Verifier,
    tallies: BTreeMap<CrawlerIdentity, Tally>,
    /// Time of the last request for robots.txt of each crawler.
    fetched: BTreeMap<CrawlerIdentity, i64>,
    lines: LineCounts,
    hosts: BTreeSet<Vec<u8>>,
    has_more_hosts: bool,
    request: LogsRequest,
    /// Today as a number of days since 1970.
    today: i64,
    /// Requests whose addresses have look-ups in progress. They are counted in order, so all wait for the first one.
    pending: VecDeque<PendingRequest>,
    pending_bytes: usize,
}

/// A request of a crawler, without the parts that were already used.
#[derive(Debug)]
struct PendingRequest {
    crawler: usize,
    identity: Identity,
    client: Option<IpAddr>,
    /// True if the names of the address may verify the request although published addresses did not.
    needs_names: bool,
    signature: Option<SignatureState>,
    request: LogRequest<'static>,
}

impl Counter {
    /// Creates an empty counter. It ignores the logs and the robots.txt of `request`.
    pub(crate) fn new(mut request: LogsRequest, history: History) -> Counter {
        let ranges = std::mem::take(&mut request.ranges);
        let proxies = std::mem::take(&mut request.trusted_proxies);
        Counter {
            history,
            crawlers: Crawlers::new(),
            verifier: Verifier::new(ranges, proxies),
            tallies: BTreeMap::new(),
            fetched: BTreeMap::new(),
            lines: LineCounts::default(),
            hosts: BTreeSet::new(),
            has_more_hosts: false,
            request,
            today: time::now() / DAY,
            pending: VecDeque::new(),
            pending_bytes: 0,
        }
    }

    /// Returns the number of lines read.
    pub(crate) fn lines(&self) -> u64 {
        self.lines.lines
    }

    /// Reads robots.txt again, if its source is a file.
    pub(crate) fn refresh_robots(&mut self) {
        self.history.refresh(time::now());
    }

    /// Counts a line.
    pub(crate) fn take(&mut self, line: LogLine<'_>) {
        self.lines.lines += 1;
        match line {
            LogLine::Request(request) => self.take_request(&request),
            LogLine::Damaged => self.lines.damaged += 1,
            _ => {}
        }
    }

    fn take_request(&mut self, request: &LogRequest<'_>) {
        if let Some(host) = request.host.as_deref() {
            let wanted = self.request.host.as_deref();
            if wanted.is_some_and(|wanted| !wanted.as_bytes().eq_ignore_ascii_case(host)) {
                self.lines.of_other_hosts += 1;
                return;
            }
            if host.len() <= MAX_HOST_BYTES && !self.hosts.contains(host) {
                match self.hosts.len() < MAX_HOSTS {
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
        let signature = self.signature(request);
        if self.request.names.is_none() {
            return self.count(crawler, identity, client, signature, request);
        }
        let needs_names = identity != Identity::Verified
            && agent.proofs().iter().any(|proof| proof.kind() == ProofKind::ReverseDns)
            && (self.today - time.div_euclid(DAY)).abs() <= MAX_DAYS_APART;
        let pending =
            PendingRequest { crawler, identity, client, needs_names, signature, request: kept(request) };
        self.pending_bytes += pending.request.target.len();
        self.pending.push_back(pending);
        self.settle();
    }

    /// Counts the pending requests at the front whose names are known. Blocks on names only if too many requests are
    /// pending.
    pub(crate) fn settle(&mut self) {
        let Some(mut names) = self.request.names.take() else { return };
        while let Some(first) = self.pending.front() {
            let agent = self.crawlers.get(first.crawler);
            let is_verified = match first.client.filter(|_| first.needs_names) {
                Some(client) => names.names(client).map(|names| has_name_of(agent, &names)),
                None => Some(false),
            };
            match is_verified {
                Some(is_verified) => self.count_first(is_verified),
                None if self.pending.len() > MAX_PENDING || self.pending_bytes > MAX_PENDING_BYTES => {
                    names.wait();
                }
                None => break,
            }
        }
        self.request.names = Some(names);
    }

    /// Waits for the next answer about an address. Returns false if no request is pending.
    pub(crate) fn wait_for_names(&mut self) -> bool {
        self.settle();
        match &mut self.request.names {
            Some(names) if !self.pending.is_empty() => names.wait(),
            _ => return false,
        }
        true
    }

    /// Counts all pending requests without their names.
    pub(crate) fn abandon_names(&mut self) {
        while !self.pending.is_empty() {
            self.count_first(false);
        }
    }

    fn count_first(&mut self, is_verified: bool) {
        let Some(first) = self.pending.pop_front() else { return };
        self.pending_bytes -= first.request.target.len();
        let identity = if is_verified { Identity::Verified } else { first.identity };
        self.count(first.crawler, identity, first.client, first.signature, &first.request);
    }

    /// Verifies the signature of a request, if it has one.
    fn signature(&mut self, request: &LogRequest<'_>) -> Option<SignatureState> {
        request.signature.as_ref()?;
        let verifier = self.request.signatures.as_deref_mut();
        Some(verifier.and_then(|verifier| verify(verifier, request)).unwrap_or(SignatureState::Unverified))
    }

    /// Counts a request of a crawler.
    fn count(
        &mut self,
        crawler: usize,
        identity: Identity,
        client: Option<IpAddr>,
        signature: Option<SignatureState>,
        request: &LogRequest<'_>,
    ) {
        let (agent, time) = (self.crawlers.get(crawler), request.time_micros);
        let key = CrawlerIdentity { crawler, identity };
        let (judgement, delay) = if tally::is_robots_txt(&request.target) {
            self.fetched.insert(key, time);
            (Judgement::Allowed, None)
        } else {
            let fetched = self.fetched.get(&key).copied();
            let judgement = self.history.judge(crawler, agent, &request.target, time, fetched);
            (judgement, self.history.delay(crawler, agent, time))
        };
        let client = client.map(|client| (client, self.request.has_whole_addresses));
        let tally = self.tallies.entry(key).or_default();
        tally.signatures.take(signature, request.status);
        tally.take(request, judgement, delay, client);
    }

    /// Returns a summary of all crawlers.
    pub(crate) fn summary(&self) -> LogsSummary {
        let row = |(key, tally): (&CrawlerIdentity, &Tally)| {
            let agent = self.crawlers.get(key.crawler);
            LogRow::new(agent, key.identity, self.verifier.date(agent.token()), tally, &self.history)
        };
        let mut rows: Vec<LogRow> = self.tallies.iter().map(row).collect();
        rows.sort_by_key(|row| (row.identity, Reverse((row.disallowed, row.requests)), row.agent));
        let mut days: BTreeMap<i64, DayCounts> = BTreeMap::new();
        let own = self.tallies.iter().filter(|(key, _)| key.identity != Identity::Outside);
        for (day, counts) in own.flat_map(|(_, tally)| &tally.days) {
            let sum = days.entry(*day).or_default();
            sum.requests += counts.requests;
            sum.disallowed += counts.disallowed;
        }
        LogsSummary {
            rows,
            lines: self.lines,
            days,
            hosts: self.hosts.len(),
            has_more_hosts: self.has_more_hosts,
            uncounted: self.tallies.values().map(|tally| tally.uncounted).sum(),
            unreadable_versions: self.history.unreadable().to_vec(),
            is_cancelled: false,
        }
    }
}

/// Returns true if one of the names proves that an address belongs to the operator.
fn has_name_of(agent: &KnownAgent, names: &[String]) -> bool {
    names.iter().any(|name| agent.proofs().iter().any(|proof| proof.covers_host(name)))
}

/// Verifies a signed request. Returns `None` if the log lacks required parts of it.
fn verify(verifier: &mut dyn SignatureVerifier, request: &LogRequest<'_>) -> Option<SignatureState> {
    let signature = request.signature.as_deref()?;
    let fields = signature.fields.iter();
    let headers: Headers<'_> = fields.map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    // Requests without TLS are rarely signed, so the default is HTTPS.
    let scheme = if signature.is_tls == Some(false) { "http" } else { "https" };
    let target = std::str::from_utf8(&request.target).ok()?;
    let (method, host) = (signature.method.as_deref()?, signature.authority.as_deref()?);
    let signed = Request::received(method, scheme, host, target, &headers).ok()?;
    let at = time::system_time(request.time_micros)?;
    Some(SignatureState::of(&verifier.verify(&signed, at)))
}

/// Returns an owned copy of a request, independent of its log line.
fn kept(request: &LogRequest<'_>) -> LogRequest<'static> {
    let mut kept = LogRequest::default();
    kept.time_micros = request.time_micros;
    kept.target = request.target.to_vec().into();
    kept.status = request.status;
    kept.bytes = request.bytes;
    kept
}
