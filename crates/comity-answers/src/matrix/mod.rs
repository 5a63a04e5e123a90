//! `matrix`: the access that a robots.txt gives to crawlers, with a row per crawler and totals for each purpose.

use std::collections::HashMap;
use std::sync::Arc;

use comity::agents::{KnownAgent, Purpose};
use comity::decision::RuleRecord;
use comity::robots::{Access, Agent, Dialect, RecordKind, RobotsTxt, Rules};
use comity::shown;
use comity::shown::short;
use comity::usage::{Interpretation, Signal, Stance, Usage};
use serde::Serialize;

mod crawlers;
mod probe;
mod request;
mod required;

use self::crawlers::Crawler;
pub use self::crawlers::{Crawlers, Selection};
pub use self::probe::{Probe, ProbedPage, Word};
pub use self::request::{MAX_URLS, MatrixOperation, MatrixRequest};
pub use self::required::RequiredAccess;
use crate::provenance::Provenance;
use crate::robots_file::RobotsFile;
use crate::row::DecisionJson;
use crate::url::{self, UrlProblem};

/// The access that a robots.txt gives to crawlers.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MatrixRow"))]
pub struct Matrix {
    /// The name of the file.
    pub file: String,
    /// The source of the file.
    pub robots_txt: Provenance,
    /// The dialect for parsing it.
    pub dialect: Dialect,
    /// True if the file is longer than the dialect reads, so its end is ignored.
    pub truncated: bool,
    /// The URLs that were decided; if empty, the rules were evaluated as a whole.
    pub urls: Vec<String>,
    /// The numbers of crawlers of each purpose, by their access.
    pub summary: Vec<Summary>,
    /// A row for each crawler.
    pub crawlers: Vec<Row>,
    /// The number of names in the file that have no row because they are too many or not UTF-8.
    pub names_left_out: usize,
    /// The answers of the site to this client; null if no pages were requested.
    pub probe: Option<Probe>,
}

/// The numbers of crawlers of one purpose, by their access.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Purpose"))]
pub struct Summary {
    /// The purpose; null for names that are not in the catalogue.
    pub purpose: Option<Purpose>,
    /// Crawlers that may fetch everything.
    pub allowed: usize,
    /// Crawlers that may fetch a part of the site.
    pub partly: usize,
    /// Crawlers that may fetch nothing.
    pub disallowed: usize,
}

/// One crawler.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Crawler"))]
pub struct Row {
    /// The product token or header of the crawler.
    pub agent: String,
    /// The part of the site, or of `urls`, that it may fetch.
    pub access: Access,
    /// The kind of group that applies to the crawler.
    pub matched_by: MatchedBy,
    /// The name of the group that applies.
    pub group: Option<String>,
    /// The line of the group.
    pub group_line: Option<u32>,
    /// The rule that matches every URL.
    pub rule: Option<RuleRecord>,
    /// The first exception: a rule that decides some URL differently from the others.
    pub exception: Option<RuleRecord>,
    /// The number of rules that can be exceptions.
    pub exceptions: usize,
    /// Up to 8 exceptions of the highest precedence, sorted by line.
    pub exceptions_listed: Vec<RuleRecord>,
    /// True if a URL that no exception matches may be fetched.
    pub is_open: bool,
    /// All rules, sorted, without line numbers: whether each allows, and its pattern.
    #[serde(skip)]
    pub all_rules: Arc<Vec<(bool, Vec<u8>)>>,
    /// The delay in seconds that the file requests.
    pub crawl_delay_seconds: Option<f64>,
    /// The decisions on the URLs, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<UrlDecision>,
    /// The usage preferences; `null` if they were not looked up, because there are too many different groups.
    pub usage: Option<Vec<Use>>,
    /// The entry of the crawler in the catalogue; `null` for `*`, headers, and names that are not in the catalogue.
    pub known: Option<&'static KnownAgent>,
}

comity::words! {
    /// The kind of name by which a crawler's groups were selected.
    #[derive(Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    pub enum MatchedBy as "kind of name" {
        /// Its own name.
        Own = "own",
        /// The name of a fallback.
        Fallback = "fallback",
        /// `*`.
        Everyone = "everyone",
        /// No group applies to the crawler.
        Nobody = "nobody",
    }
}

/// The decision on one URL.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UrlDecision"))]
pub struct UrlDecision {
    /// The URL.
    pub url: String,
    /// The decision.
    #[serde(flatten)]
    pub decision: DecisionJson,
}

/// The stance of the file on one use of the site's root.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Use {
    /// The signal.
    pub signal: Signal,
    /// The scope of the signal: the crawler's own groups, or the whole file.
    pub interpretation: Option<Interpretation>,
    /// The use.
    #[serde(rename = "use")]
    pub usage: comity::usage::Use,
    /// The term of the signal for the use.
    pub term: &'static str,
    /// The stance of the signal.
    pub stance: Stance,
    /// The line with the statement.
    pub line: Option<u32>,
}

/// The results that crawlers with equal groups share.
#[derive(Clone)]
struct Shared {
    access: Access,
    rule: Option<RuleRecord>,
    exception: Option<RuleRecord>,
    exceptions: usize,
    exceptions_listed: Vec<RuleRecord>,
    is_open: bool,
    all_rules: Arc<Vec<(bool, Vec<u8>)>>,
    group_line: Option<u32>,
    usage: Option<Vec<Use>>,
}

impl Matrix {
    /// Creates a row for every crawler. `robots` is the parsed file.
    ///
    /// # Errors
    ///
    /// Returns the index of the first text that is not a URL, and its problem.
    pub fn new(
        file: &RobotsFile,
        robots: &RobotsTxt<'_>,
        selected: Crawlers,
        urls: &[Vec<u8>],
    ) -> Result<Self, (usize, UrlProblem)> {
        let rules = robots.rules_for_each(selected.crawlers.iter().map(|crawler| &crawler.agent));
        let states_use = robots
            .records()
            .any(|record| matches!(record.kind(), RecordKind::ContentUsage | RecordKind::ContentSignal));
        let mut shared: HashMap<*const Rules, Shared> = HashMap::new();
        let mut crawlers = Vec::with_capacity(selected.len());
        for (crawler, rules) in selected.crawlers.iter().zip(&rules) {
            let is_looked_up = shared.len() < USAGE_AUDIENCES;
            let shared = shared.entry(Arc::as_ptr(rules)).or_insert_with(|| {
                let usage = match (states_use, is_looked_up) {
                    (true, true) => Some(usage(robots, &crawler.agent)),
                    (true, false) => None,
                    (false, _) => Some(Vec::new()),
                };
                Shared::new(rules, robots.group_line(&crawler.agent), usage)
            });
            crawlers.push(Row::new(crawler, rules, shared, urls)?);
        }
        Ok(Matrix {
            file: file.name.clone(),
            robots_txt: file.provenance.clone(),
            dialect: robots.dialect(),
            truncated: robots.is_truncated(),
            urls: urls.iter().map(|url| shown::bytes(url).into_owned()).collect(),
            summary: summary(&crawlers),
            crawlers,
            names_left_out: selected.left_out,
            probe: None,
        })
    }

    /// Returns the rows of one purpose. `None` selects names that are not in the catalogue.
    pub fn rows(&self, purpose: Option<Purpose>) -> impl Iterator<Item = &Row> {
        self.crawlers.iter().filter(move |row| !row.is_everyone() && row.purpose() == purpose)
    }

    /// Returns the row for crawlers that are not named.
    pub fn everyone(&self) -> Option<&Row> {
        self.crawlers.iter().find(|row| row.is_everyone())
    }

    /// Returns the number of crawlers that may fetch everything, a part, and nothing.
    pub fn totals(&self) -> [usize; 3] {
        self.summary.iter().fold([0; 3], |[a, p, d], summary| {
            [a + summary.allowed, p + summary.partly, d + summary.disallowed]
        })
    }

    /// Returns the usage preferences of the file, once for each group that applies to a row, by the line of the group.
    pub fn usage_by_group(&self) -> Vec<(String, &[Use])> {
        let mut groups: Vec<(u32, String, &[Use])> = Vec::new();
        for row in &self.crawlers {
            let uses = row.usage.as_deref().unwrap_or_default();
            let line = row.group_line.unwrap_or(0);
            if uses.is_empty() || groups.iter().any(|(other, ..)| *other == line) {
                continue;
            }
            let name = match &row.group {
                Some(group) => format!("{}, line {line}", short(group.as_bytes(), 40)),
                None => "no group".to_owned(),
            };
            groups.push((line, name, uses));
        }
        groups.sort_by_key(|(line, ..)| *line);
        groups.into_iter().map(|(_, name, usage)| (name, usage)).collect()
    }
}

/// Maximum number of different groups, in the order of the rows, for which usage preferences are looked up. Each lookup
/// reads the file.
const USAGE_AUDIENCES: usize = 50;

fn summary(crawlers: &[Row]) -> Vec<Summary> {
    let purposes = Purpose::ALL.iter().map(|purpose| Some(*purpose)).chain([None]);
    let of = |purpose| {
        let count = |access| {
            let rows = crawlers.iter().filter(|row| !row.is_everyone() && row.purpose() == purpose);
            rows.filter(|row| row.access == access).count()
        };
        let [allowed, partly, disallowed] = Access::ALL.map(count);
        Summary { purpose, allowed, partly, disallowed }
    };
    purposes.map(of).filter(|summary| summary.allowed + summary.partly + summary.disallowed > 0).collect()
}

/// Returns the usage preferences of the file for the site's root and this crawler.
fn usage(robots: &RobotsTxt<'_>, agent: &Agent) -> Vec<Use> {
    let Ok(report) = Usage::for_agent(agent).robots(robots).report("/") else { return Vec::new() };
    let signals = report.signals().iter().filter(|signal| signal.signal() != Signal::ControlToken);
    let uses = signals.flat_map(|signal| {
        let preferences =
            signal.preferences().iter().filter(|preference| preference.stance() != Stance::Unknown);
        preferences.map(|preference| Use {
            signal: signal.signal(),
            interpretation: signal.interpretation(),
            usage: preference.usage(),
            term: preference.term(),
            stance: preference.stance(),
            line: preference.evidence().first().and_then(|evidence| evidence.line_number()),
        })
    });
    uses.collect()
}

/// Returns the exceptions of the highest precedence, sorted by line.
fn listed(rules: &Rules, exceptions: usize) -> Vec<RuleRecord> {
    const LISTED: usize = 8;
    if exceptions == 0 {
        return Vec::new();
    }
    let mut listed: Vec<RuleRecord> = rules.exceptions().take(LISTED).map(|rule| rule.to_record()).collect();
    listed.sort_by_key(|rule| rule.line);
    listed
}

impl Shared {
    fn new(rules: &Rules, group_line: Option<u32>, usage: Option<Vec<Use>>) -> Self {
        let extent = rules.extent();
        let mut all_rules: Vec<_> =
            rules.iter().map(|rule| (rule.allows(), rule.pattern().to_vec())).collect();
        all_rules.sort_unstable();
        Shared {
            access: extent.access(),
            rule: extent.rule().map(|rule| rule.to_record()),
            exception: extent.exception().map(|rule| rule.to_record()),
            exceptions: extent.exceptions(),
            exceptions_listed: listed(rules, extent.exceptions()),
            is_open: extent.is_open(),
            all_rules: Arc::new(all_rules),
            group_line,
            usage,
        }
    }
}

impl Row {
    fn new(
        crawler: &Crawler,
        rules: &Rules,
        shared: &Shared,
        urls: &[Vec<u8>],
    ) -> Result<Self, (usize, UrlProblem)> {
        let Shared {
            access,
            rule,
            exception,
            exceptions,
            exceptions_listed,
            is_open,
            all_rules,
            group_line,
            usage,
        } = shared.clone();
        let mut decisions = Vec::with_capacity(urls.len());
        for (index, url) in urls.iter().enumerate() {
            let decision = url::decide(rules, url).map_err(|error| (index, error))?;
            decisions.push(UrlDecision {
                url: shown::bytes(url).into_owned(),
                decision: decision.to_record().into(),
            });
        }
        let group = rules.group().map(str::to_owned);
        Ok(Row {
            agent: crawler.agent.as_str().to_owned(),
            access: of_decisions(&decisions).unwrap_or(access),
            matched_by: matched_by(crawler, rules.group()),
            group,
            group_line,
            rule,
            exception,
            exceptions,
            exceptions_listed,
            is_open,
            all_rules,
            crawl_delay_seconds: rules.crawl_delay().map(|delay| delay.as_secs_f64()),
            decisions,
            usage,
            known: crawler.known,
        })
    }

    /// Returns whether this is the row for crawlers that are not named.
    pub fn is_everyone(&self) -> bool {
        self.agent == "*" && self.known.is_none()
    }

    /// Returns the purpose; `None` for names that are not in the catalogue.
    pub fn purpose(&self) -> Option<Purpose> {
        self.known.map(KnownAgent::purpose)
    }

    /// Returns the name as text that is safe to print.
    pub fn name(&self) -> String {
        short(self.agent.as_bytes(), 40).into_owned()
    }
}

/// Returns the access for decided URLs: all of them, some, or none.
fn of_decisions(decisions: &[UrlDecision]) -> Option<Access> {
    let allowed = decisions.iter().filter(|decided| decided.is_allowed()).count();
    match (allowed, decisions.len()) {
        (_, 0) => None,
        (0, _) => Some(Access::Disallowed),
        (allowed, all) if allowed == all => Some(Access::Allowed),
        _ => Some(Access::Partly),
    }
}

fn matched_by(crawler: &Crawler, group: Option<&str>) -> MatchedBy {
    let fallbacks = crawler.known.map_or(&[][..], KnownAgent::fallbacks);
    match group {
        None => MatchedBy::Nobody,
        Some("*") => MatchedBy::Everyone,
        Some(name) if name.eq_ignore_ascii_case(crawler.agent.as_str()) => MatchedBy::Own,
        Some(name) if fallbacks.iter().any(|token| token.eq_ignore_ascii_case(name)) => MatchedBy::Fallback,
        // Dialects that match parts of names select a group by a part of the crawler's own name.
        Some(_) => MatchedBy::Own,
    }
}

impl UrlDecision {
    /// Returns whether the URL is allowed.
    pub fn is_allowed(&self) -> bool {
        self.decision.allowed
    }
}
