//! The review of a site: its input, and the resulting findings.

use std::sync::Arc;
use std::time::SystemTime;

use super::finding::{SiteFinding, SiteFindings};
use super::kinds;
use super::preferences::{UsageStatement, contradictions, directive};
use crate::decision::RuleRecord;
use crate::finding::{Finding, Kind, Severity, quoted};
use crate::html::Facts;
use crate::http::Headers;
use crate::page::{PageDirectives, Profile, Restriction};
use crate::policy::Decision;
use crate::robots::{Agent, RobotsTxt};
use crate::usage::{RobotsUsage, Tdmrep, Usage};

/// A comparison of robots.txt, sitemaps and pages of a site. See the [module](super).
///
/// The caller passes decisions in the order of the crawlers. [`page`](SiteReview::page) is only for fetched pages.
/// Memory does not grow with the site: equal findings are merged, and about 1,000 findings with at most 20 URLs each
/// are stored.
#[derive(Debug)]
pub struct SiteReview<'a> {
    agents: &'a [Agent],
    /// The usage statements of robots.txt for each crawler; empty if there is no robots.txt.
    usage: Vec<Arc<RobotsUsage>>,
    tdmrep: Option<Tdmrep>,
    collected: SiteFindings,
}

/// A fetched page.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct ReadPage<'p> {
    /// The status code.
    pub status: u16,
    /// True if redirects led to the page.
    pub is_redirected: bool,
    /// The header of the page.
    pub headers: &'p Headers<'p>,
    /// The facts of the page's HTML; `None` if the page is not HTML.
    pub facts: Option<&'p Facts>,
    /// The time of the answer.
    pub at: SystemTime,
}

impl<'a> SiteReview<'a> {
    /// Starts a review for the given crawlers, with the site's robots.txt if it has one.
    pub fn new(agents: &'a [Agent], robots: Option<&RobotsTxt<'_>>) -> Self {
        let usage = robots.map(|robots| agents.iter().map(|agent| Arc::new(RobotsUsage::new(robots, agent))));
        let usage = usage.map(Iterator::collect).unwrap_or_default();
        SiteReview { agents, usage, tdmrep: None, collected: SiteFindings::default() }
    }

    /// Adds the site's `/.well-known/tdmrep.json`.
    #[must_use]
    pub fn tdmrep(self, tdmrep: Tdmrep) -> Self {
        SiteReview { tdmrep: Some(tdmrep), ..self }
    }

    /// Adds findings about the whole site: an unreadable robots.txt, and contradictions among the usage preferences in
    /// robots.txt and `tdmrep.json`. `url` is the root page of the site, and `decisions` are the decisions about it.
    pub fn site(&mut self, url: &str, decisions: &[Decision<'_>]) {
        let is_unreadable = |decision: &Decision<'_>| decision.blocks() && decision.rules().is_none();
        let agents = self.named(decisions, is_unreadable);
        if let Some(decision) = decisions.iter().find(|decision| is_unreadable(decision)) {
            let message = decision.to_record().reason();
            self.add(&kinds::ROBOTS_UNREADABLE, agents, message, None, url);
        }
        let by_agent: Vec<Vec<UsageStatement>> =
            self.agents.iter().map(|agent| self.statements(agent, url, None)).collect();
        self.compare(&by_agent, url);
    }

    /// Records that the site has no sitemap.
    pub fn no_sitemap(&mut self, url: &str) {
        self.add(&kinds::NO_SITEMAP, Vec::new(), kinds::NO_SITEMAP.message(), None, url);
    }

    /// Adds a sitemap that robots.txt or another sitemap names, with the decisions about it.
    pub fn sitemap(&mut self, url: &str, decisions: &[Decision<'_>]) {
        for (rule, agents) in self.by_rule(decisions) {
            let message = format!("robots.txt disallows a sitemap by {}", quoted(rule.to_string()));
            let severity = severity_of(&kinds::SITEMAP_DISALLOWED, &rule);
            let finding = self.finding(&kinds::SITEMAP_DISALLOWED, agents, message, Some(rule.line), url);
            self.collected.add(SiteFinding { severity, ..finding });
        }
    }

    /// Adds a sitemap that could not be fetched, with the reason, for example `it answers 404`.
    pub fn sitemap_unreachable(&mut self, url: &str, why: &str) {
        let message = format!("a sitemap cannot be fetched: {}", crate::finding::excerpt(why));
        self.add(&kinds::SITEMAP_UNREACHABLE, Vec::new(), message, None, url);
    }

    /// Adds a finding of the sitemap reader.
    pub fn sitemap_finding(&mut self, url: &str, finding: &Finding) {
        self.collected.add(SiteFinding {
            code: finding.code().to_owned(),
            severity: finding.severity(),
            message: finding.kind().message(),
            help: finding.help().to_owned(),
            agents: Vec::new(),
            line: finding.place().line,
            count: finding.count(),
            urls: vec![url.to_owned()],
        });
    }

    /// Adds a page that a sitemap lists, with the decisions about it. Returns the kinds of the added findings.
    pub fn listed(&mut self, url: &str, decisions: &[Decision<'_>]) -> Vec<&'static Kind> {
        let rules = self.by_rule(decisions);
        let found = if rules.is_empty() { Vec::new() } else { vec![&kinds::LISTED_DISALLOWED] };
        for (rule, agents) in rules {
            let shown = quoted(rule.to_string());
            let message = match is_everything(&rule) {
                true => format!("{shown} disallows every page that sitemaps list"),
                false => format!("a sitemap lists a page that {shown} disallows"),
            };
            let severity = severity_of(&kinds::LISTED_DISALLOWED, &rule);
            let finding = self.finding(&kinds::LISTED_DISALLOWED, agents, message, Some(rule.line), url);
            self.collected.add(SiteFinding { severity, ..finding });
        }
        found
    }

    /// Adds a listed page that could not be fetched, with the reason, for example `no answer in time`. Returns the
    /// kinds of the added findings.
    pub fn page_failed(&mut self, url: &str, why: &str) -> Vec<&'static Kind> {
        let message =
            format!("a sitemap lists a page that cannot be fetched: {}", crate::finding::excerpt(why));
        self.add(&kinds::LISTED_FAILING, Vec::new(), message, None, url);
        vec![&kinds::LISTED_FAILING]
    }

    /// Adds a listed page that was fetched, with the decisions about it. Returns the kinds of the added findings.
    pub fn page(&mut self, url: &str, decisions: &[Decision<'_>], page: &ReadPage<'_>) -> Vec<&'static Kind> {
        if !(200..300).contains(&page.status) {
            return self.page_failed(url, &format!("it answers {}", page.status));
        }
        let mut found = Vec::new();
        if page.is_redirected {
            found.push(&kinds::LISTED_REDIRECTED);
            self.add(&kinds::LISTED_REDIRECTED, Vec::new(), kinds::LISTED_REDIRECTED.message(), None, url);
        }
        let mut directives = PageDirectives::of_header(page.headers);
        if let Some(facts) = page.facts {
            directives = directives.and_page(facts);
        }
        let mut by_agent = Vec::with_capacity(self.agents.len());
        let mut noindex: Vec<(&'static Kind, Severity, String, Vec<String>)> = Vec::new();
        for (agent, decision) in self.agents.iter().zip(decisions) {
            let outcome = directives.outcome(agent.as_str(), Profile::of_crawler(agent.as_str()), page.at);
            if let Some(shown) = directive(&outcome, Restriction::DoNotIndex) {
                let (kind, severity, message) = match disallowing(decision) {
                    Some(rule) => {
                        let message = format!("robots.txt forbids crawlers to read {shown}");
                        (&kinds::NOINDEX_UNSEEN, severity_of(&kinds::NOINDEX_UNSEEN, &rule), message)
                    }
                    None => {
                        let message = format!("a sitemap lists a page with {shown}");
                        (&kinds::LISTED_NOINDEX, kinds::LISTED_NOINDEX.severity(), message)
                    }
                };
                let is_same = |known: &&mut (&'static Kind, Severity, String, Vec<String>)| {
                    (known.0, known.1, &known.2) == (kind, severity, &message)
                };
                match noindex.iter_mut().find(is_same) {
                    Some((.., agents)) => agents.push(agent.to_string()),
                    None => noindex.push((kind, severity, message, vec![agent.to_string()])),
                }
            }
            let mut statements = self.statements(agent, url, Some(page));
            statements.extend(UsageStatement::of_outcome(&outcome));
            by_agent.push(statements);
        }
        for (kind, severity, message, agents) in noindex {
            if !found.contains(&kind) {
                found.push(kind);
            }
            let finding = self.finding(kind, agents, message, None, url);
            self.collected.add(SiteFinding { severity, ..finding });
        }
        if self.compare(&by_agent, url) {
            found.push(&kinds::PREFERENCES_CONTRADICT);
        }
        found
    }

    /// Returns the findings, most severe first.
    pub fn finish(self) -> Vec<SiteFinding> {
        self.collected.sorted()
    }

    /// Returns the usage statements that apply to a crawler, from robots.txt, `tdmrep.json`, the header and the page.
    fn statements(&self, agent: &Agent, url: &str, page: Option<&ReadPage<'_>>) -> Vec<UsageStatement> {
        let place = self.agents.iter().position(|known| std::ptr::eq(known, agent));
        let robots = place.and_then(|place| self.usage.get(place));
        let ask = || Usage::for_agent(agent);
        let sources = [
            robots.map(|robots| ask().robots_usage(robots.clone())),
            self.tdmrep.as_ref().map(|tdmrep| ask().tdmrep(tdmrep)),
            page.map(|page| ask().headers(page.headers)),
            page.and_then(|page| page.facts).map(|facts| ask().html(facts)),
        ];
        let reports = sources.into_iter().flatten().filter_map(|usage| usage.report(url).ok());
        reports.flat_map(|report| UsageStatement::of_report(&report).collect::<Vec<_>>()).collect()
    }

    /// Adds each contradiction once, with all affected crawlers. Returns true if at least one was added.
    fn compare(&mut self, by_agent: &[Vec<UsageStatement>], url: &str) -> bool {
        let mut found: Vec<(String, Severity, Vec<String>)> = Vec::new();
        for (agent, statements) in self.agents.iter().zip(by_agent) {
            for one in contradictions(statements) {
                match found.iter_mut().find(|(message, ..)| *message == one.message) {
                    Some((.., agents)) => agents.push(agent.to_string()),
                    None => found.push((one.message, one.severity, vec![agent.to_string()])),
                }
            }
        }
        let is_any = !found.is_empty();
        for (message, severity, agents) in found {
            let finding = self.finding(&kinds::PREFERENCES_CONTRADICT, agents, message, None, url);
            self.collected.add(SiteFinding { severity, ..finding });
        }
        is_any
    }

    /// Returns the rules that disallow the URL, each with the affected crawlers.
    fn by_rule(&self, decisions: &[Decision<'_>]) -> Vec<(RuleRecord, Vec<String>)> {
        let mut rules: Vec<(RuleRecord, Vec<String>)> = Vec::new();
        for (agent, decision) in self.agents.iter().zip(decisions) {
            let Some(rule) = disallowing(decision) else { continue };
            match rules.iter_mut().find(|(known, _)| known.line == rule.line) {
                Some((_, agents)) => agents.push(agent.to_string()),
                None => rules.push((rule, vec![agent.to_string()])),
            }
        }
        rules
    }

    /// Returns the names of the crawlers whose decision matches.
    fn named(&self, decisions: &[Decision<'_>], is_match: impl Fn(&Decision<'_>) -> bool) -> Vec<String> {
        let pairs = self.agents.iter().zip(decisions).filter(|(_, decision)| is_match(decision));
        pairs.map(|(agent, _)| agent.to_string()).collect()
    }

    fn add(
        &mut self,
        kind: &'static Kind,
        agents: Vec<String>,
        message: String,
        line: Option<u32>,
        url: &str,
    ) {
        let finding = self.finding(kind, agents, message, line, url);
        self.collected.add(finding);
    }

    /// Creates a finding. Its list of crawlers is empty if every crawler is affected.
    fn finding(
        &self,
        kind: &'static Kind,
        agents: Vec<String>,
        message: String,
        line: Option<u32>,
        url: &str,
    ) -> SiteFinding {
        SiteFinding {
            code: kind.code().to_owned(),
            severity: kind.severity(),
            message,
            help: kind.help().to_owned(),
            agents: if agents.len() == self.agents.len() { Vec::new() } else { agents },
            line: line.map(u64::from),
            count: 1,
            urls: vec![url.to_owned()],
        }
    }
}

/// Returns the rule that disallows the URL, if the decision has one.
fn disallowing(decision: &Decision<'_>) -> Option<RuleRecord> {
    let rules = decision.rules().filter(|rules| !rules.is_allowed())?;
    rules.rule().map(|rule| rule.to_record())
}

/// Returns true if a rule applies to the whole site.
fn is_everything(rule: &RuleRecord) -> bool {
    matches!(&*rule.pattern, "/" | "/*" | "*")
}

/// Returns the severity of a finding that is based on a rule. A rule that disallows the whole site is probably
/// intentional, so its findings are notes.
fn severity_of(kind: &Kind, rule: &RuleRecord) -> Severity {
    if is_everything(rule) { Severity::Note } else { kind.severity() }
}
