//! Counts lines by crawler, identity and robots.txt decision.
//!
//! Memory use is bounded by the limits in this file, in `tally.rs` and in `identity.rs`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use comity::agents::{KnownAgent, ProofKind};
use comity::http::Headers;
use comity::shown;
use comity_formats::logs::{LogLine, LogRequest};
use comity_identity::Request;

use crate::history::{History, Judgement};
use crate::identity::{Crawlers, Identity, ListAge, MAX_DAYS_APART, Verifier};
use crate::pages::Pages;
use crate::request::{LogsRequest, SignatureVerifier};
use crate::row::LogRow;
use crate::summary::{CrawlerDays, LogsSummary};
use crate::tally::{self, CrawlerIdentity, DayCounts, LineCounts, SignatureState, Tally};
use crate::time::{self, DAY};

/// Maximum number of hosts that are counted.
const MAX_HOSTS: usize = 1_000;

/// Maximum length of a counted host name, in bytes (RFC 1035).
const MAX_HOST_BYTES: usize = 255;

/// Maximum length of the stored text of a damaged line, in characters.
const MAX_UNREAD: usize = 200;

/// Maximum number of pending requests.
const MAX_PENDING: usize = 10_000;

/// Maximum total size of the targets of pending requests, in bytes.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// The counts so far.
#[derive(Debug)]
pub(crate) struct Counter {
    history: History,
    crawlers: Crawlers,
    verifier: Verifier,
    tallies: BTreeMap<CrawlerIdentity, Tally>,
    /// Time of each crawler's last request for robots.txt that did not fail, in microseconds since 1970.
    fetched: BTreeMap<CrawlerIdentity, i64>,
    lines: LineCounts,
    /// The first damaged line, as text that is safe to show.
    unread: Option<String>,
    pages: Pages,
    hosts: BTreeSet<Vec<u8>>,
    has_more_hosts: bool,
    request: LogsRequest,
    /// The current day, as a number of days since 1970.
    today: i64,
    /// Requests that are not counted yet. They are counted in order, so all of them wait for the look-up of the first address.
    pending: VecDeque<PendingRequest>,
    pending_bytes: usize,
}

/// A request of a crawler whose address may have a look-up in progress.
#[derive(Debug)]
struct PendingRequest {
    crawler: usize,
    identity: Identity,
    age: ListAge,
    client: Option<IpAddr>,
    /// True if the names of the address may verify the request, because published addresses did not.
    needs_names: bool,
    signature: Option<SignatureState>,
    request: LogRequest<'static>,
}

impl Counter {
    /// Creates an empty counter. The logs and the robots.txt of `request` are not used.
    pub(crate) fn new(mut request: LogsRequest, history: History) -> Counter {
        let ranges = std::mem::take(&mut request.ranges);
        let proxies = std::mem::take(&mut request.trusted_proxies);
        let crawlers = Crawlers::new();
        Counter {
            history,
            verifier: Verifier::new(ranges, crawlers.all(), proxies, request.client_field),
            crawlers,
            tallies: BTreeMap::new(),
            fetched: BTreeMap::new(),
            lines: LineCounts::default(),
            unread: None,
            pages: Pages::default(),
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

    /// Counts a line. `text` is the text of the line.
    pub(crate) fn add(&mut self, line: LogLine<'_>, text: &[u8]) {
        self.lines.lines += 1;
        match line {
            LogLine::Request(request) => self.add_request(&request),
            LogLine::Damaged => {
                self.lines.damaged += 1;
                self.unread.get_or_insert_with(|| shown::short(text, MAX_UNREAD).into_owned());
            }
            _ => {}
        }
    }

    fn add_request(&mut self, request: &LogRequest<'_>) {
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
        self.lines.without_zone += u64::from(request.is_zoneless);
        let Some(header) = request.user_agent.as_deref() else {
            self.lines.without_agent += 1;
            return;
        };
        let Some(crawler) = self.crawlers.find(header) else { return };
        let (known, time) = (self.crawlers.get(crawler).known, request.time_micros);
        let client = self.verifier.client(request);
        if known.is_some() {
            self.lines.of_crawlers += 1;
            self.lines.without_peer +=
                u64::from(client.is_none() && request.peer.is_none() && !request.forwarded.is_empty());
        }
        let (identity, age) = self.verifier.identify(crawler, client, time);
        let signature = self.signature(request);
        if self.request.names.is_none() {
            return self.count(crawler, identity, age, client, signature, request);
        }
        let needs_names = identity != Identity::Verified
            && known.is_some_and(|known| {
                known.proofs().iter().any(|proof| proof.kind() == ProofKind::ReverseDns)
            })
            && (self.today - time.div_euclid(DAY)).abs() <= MAX_DAYS_APART;
        let pending = PendingRequest {
            crawler,
            identity,
            age,
            client,
            needs_names,
            signature,
            request: owned_copy(request),
        };
        self.pending_bytes += pending.request.target.len();
        self.pending.push_back(pending);
        self.count_resolved();
    }

    /// Counts pending requests up to the first request whose look-up is in progress. Waits for look-ups only if too many
    /// requests are pending.
    pub(crate) fn count_resolved(&mut self) {
        let Some(mut names) = self.request.names.take() else { return };
        while let Some(first) = self.pending.front() {
            let known = self.crawlers.get(first.crawler).known;
            let is_verified = match first.client.filter(|_| first.needs_names) {
                Some(client) => {
                    names.names(client).map(|names| known.is_some_and(|known| has_name_of(known, &names)))
                }
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

    /// Waits for the next look-up to complete. Returns false if no request is pending.
    pub(crate) fn wait_for_names(&mut self) -> bool {
        self.count_resolved();
        match &mut self.request.names {
            Some(names) if !self.pending.is_empty() => names.wait(),
            _ => return false,
        }
        true
    }

    /// Counts all pending requests without waiting for their look-ups.
    pub(crate) fn abandon_names(&mut self) {
        while !self.pending.is_empty() {
            self.count_first(false);
        }
    }

    fn count_first(&mut self, is_verified: bool) {
        let Some(first) = self.pending.pop_front() else { return };
        self.pending_bytes -= first.request.target.len();
        let identity = if is_verified { Identity::Verified } else { first.identity };
        let age = if is_verified { ListAge::Near } else { first.age };
        self.count(first.crawler, identity, age, first.client, first.signature, &first.request);
    }

    /// Verifies the signature of a request. Returns `None` if the request is not signed.
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
        age: ListAge,
        client: Option<IpAddr>,
        signature: Option<SignatureState>,
        request: &LogRequest<'_>,
    ) {
        let (agent, time) = (&self.crawlers.get(crawler).agent, request.time_micros);
        let key = CrawlerIdentity { crawler, identity };
        let (judgement, delay) = if tally::is_robots_txt(&request.target) {
            // After a failure, an earlier copy may still apply.
            if request.status.is_none_or(is_read) {
                self.fetched.insert(key, time);
            }
            (Judgement::Allowed, None)
        } else {
            let fetched = self.fetched.get(&key).copied();
            let judgement = self.history.judge(crawler, agent, &request.target, time, fetched);
            (judgement, self.history.delay(crawler, agent, time))
        };
        let is_disallowed = matches!(judgement, Judgement::Disallowed { .. });
        let client = client.map(|client| (client, self.request.has_whole_addresses));
        let tally = self.tallies.entry(key).or_default();
        tally.signatures.add(signature, request.status);
        tally.add(request, judgement, delay, client, age);
        if identity != Identity::Outside && !tally::is_robots_txt(&request.target) {
            self.pages.add(&request.target, is_disallowed);
        }
    }

    /// Returns a summary of all crawlers.
    pub(crate) fn summary(&self) -> LogsSummary {
        let row = |(key, tally): (&CrawlerIdentity, &Tally)| {
            let crawler = self.crawlers.get(key.crawler);
            LogRow::new(
                crawler,
                key.identity,
                self.verifier.oldest_list(&crawler.token),
                tally,
                &self.history,
            )
        };
        let mut rows: Vec<LogRow> = self.tallies.iter().map(row).collect();
        rows.sort_by(|a, b| {
            let key = |row: &LogRow| (!row.is_known, row.identity, Reverse((row.disallowed, row.requests)));
            key(a).cmp(&key(b)).then_with(|| a.agent.cmp(&b.agent))
        });
        let mut days: BTreeMap<i64, DayCounts> = BTreeMap::new();
        let mut crawler_days: BTreeMap<usize, BTreeMap<i64, u64>> = BTreeMap::new();
        let is_own = |key: &CrawlerIdentity| {
            key.identity != Identity::Outside && self.crawlers.get(key.crawler).known.is_some()
        };
        for (key, tally) in self.tallies.iter().filter(|(key, _)| is_own(key)) {
            let of_crawler = crawler_days.entry(key.crawler).or_default();
            for (day, counts) in &tally.days {
                let sum = days.entry(*day).or_default();
                sum.requests += counts.requests;
                sum.disallowed += counts.disallowed;
                *of_crawler.entry(*day).or_default() += counts.requests;
            }
        }
        let crawler_days = crawler_days.into_iter().map(|(crawler, days)| CrawlerDays {
            agent: self.crawlers.get(crawler).token.clone().into_owned(),
            requests: days.values().sum(),
            days,
        });
        let mut crawler_days: Vec<CrawlerDays> = crawler_days.collect();
        crawler_days.sort_by(|a, b| b.requests.cmp(&a.requests).then_with(|| a.agent.cmp(&b.agent)));
        let only_host = || Some(String::from_utf8_lossy(self.hosts.first()?).into_owned());
        let site = self.request.host.clone().or_else(|| only_host().filter(|_| self.hosts.len() == 1));
        LogsSummary {
            rows,
            lines: self.lines,
            unread: self.unread.clone(),
            site: site.map(|site| shown::text(&site).into_owned()),
            robots_txt: self.history.title(),
            days,
            crawler_days,
            pages: self.pages.top(),
            hosts: self.hosts.len(),
            has_more_hosts: self.has_more_hosts,
            uncounted: self.tallies.values().map(|tally| tally.uncounted).sum::<u64>()
                + self.crawlers.uncounted,
            unreadable_versions: self.history.unreadable().to_vec(),
            is_cancelled: false,
        }
    }
}

/// Returns true if one of the names belongs to the operator of a crawler.
fn has_name_of(agent: &KnownAgent, names: &[String]) -> bool {
    names.iter().any(|name| agent.proofs().iter().any(|proof| proof.covers_host(name)))
}

/// Verifies a signed request. Returns `None` if the log does not contain a valid method, host, target and time.
fn verify(verifier: &mut dyn SignatureVerifier, request: &LogRequest<'_>) -> Option<SignatureState> {
    let signature = request.signature.as_deref()?;
    let fields = signature.fields.iter();
    let headers: Headers<'_> = fields.map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    // If the log does not show whether TLS was used, HTTPS is assumed, since signed requests rarely use plain HTTP.
    let scheme = if signature.is_tls == Some(false) { "http" } else { "https" };
    let target = std::str::from_utf8(&request.target).ok()?;
    let (method, host) = (signature.method.as_deref()?, signature.authority.as_deref()?);
    let signed = Request::received(method, scheme, host, target, &headers).ok()?;
    let at = time::system_time(request.time_micros)?;
    Some(SignatureState::of(&verifier.verify(&signed, at)))
}

/// Copies the fields that are needed to count a request.
fn owned_copy(request: &LogRequest<'_>) -> LogRequest<'static> {
    let mut copy = LogRequest::default();
    copy.time_micros = request.time_micros;
    copy.target = request.target.to_vec().into();
    copy.status = request.status;
    copy.bytes = request.bytes;
    copy
}

/// Returns true if the answer to a request for robots.txt states the rules: a file, a redirect to one, or no file for the
/// crawler (RFC 9309 §2.3.1).
fn is_read(status: u16) -> bool {
    status < 500 && status != 429
}
