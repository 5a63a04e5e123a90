//! Suggests rules against crawlers with disallowed requests: a robots.txt, or rules for a server.
//!
//! The rules contain no text from a log, but only tokens of the catalogue, path patterns of the robots.txt and parsed
//! networks. Rules for servers match only if both the token and an address of the operator match. So they block neither other
//! senders with this token nor other crawlers of the operator. There are no rules against search engines, since a wrong rule
//! would remove the site from their results.

use std::collections::BTreeSet;
use std::fmt;

use askama::Template;
use comity::agents::{self, Compliance, KnownAgent, Prefix, Purpose, Ranges};
use comity::robots::{Builder, InvalidRecord};

use crate::error::LogsError;
use crate::identity::Identity;
use crate::row::LogRow;

/// Maximum number of path patterns in the rules for a crawler.
const MAX_PATTERNS: usize = 20;

/// The program for which rules are suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suggestion {
    /// A robots.txt, for crawlers that follow robots.txt.
    Robots,
    /// nginx.
    Nginx,
    /// Apache.
    Apache,
    /// Caddy.
    Caddy,
    /// HAProxy.
    Haproxy,
    /// Cloudflare, as an expression for a custom rule.
    Cloudflare,
}

impl Suggestion {
    /// All variants, with their names.
    pub const ALL: [(&str, Suggestion); 6] = [
        ("robots", Suggestion::Robots),
        ("nginx", Suggestion::Nginx),
        ("apache", Suggestion::Apache),
        ("caddy", Suggestion::Caddy),
        ("haproxy", Suggestion::Haproxy),
        ("cloudflare", Suggestion::Cloudflare),
    ];

    /// Returns rules against crawlers with disallowed requests. `ranges` contains the addresses that operators publish.
    ///
    /// No rules are suggested against search engines, requests on behalf of users, requests from outside of the operator's
    /// addresses, crawlers that are not in the catalogue, and crawlers below the threshold.
    ///
    /// # Errors
    ///
    /// Returns [`LogsError`] if the text cannot be created.
    pub fn rules(self, rows: &[LogRow], ranges: &Ranges, threshold: &Threshold) -> Result<String, LogsError> {
        let is_relevant = |row: &&LogRow| {
            threshold.is_reached(row)
                && row.identity != Identity::Outside
                && !matches!(row.purpose, Purpose::UserTriggered | Purpose::Search)
        };
        let mut cases: Vec<Case<'_>> = rows
            .iter()
            .filter(is_relevant)
            .filter_map(|row| Some(Case { agent: agents::known(&row.agent)?, row }))
            .collect();
        cases.sort_by_key(|case| (case.agent.token().to_ascii_lowercase(), case.row.identity));
        if self == Suggestion::Robots {
            // Of several rows of a crawler, the first has the best identity.
            cases.dedup_by_key(|case| case.agent.token());
            return Ok(robots(&cases, threshold)?);
        }
        let verified = cases.into_iter().filter(|case| case.row.identity == Identity::Verified);
        let rules = verified.filter_map(|case| Rule::new(&case, ranges)).collect();
        Ok(Rules { suggestion: self, rules, threshold }.render()?)
    }
}

/// The minimum share and number of disallowed requests for which rules are suggested. Both must be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// The minimum share of disallowed requests, from 0 to 1.
    pub share: f64,
    /// The minimum number of disallowed requests.
    pub requests: u64,
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold { share: 0.2, requests: 50 }
    }
}

impl Threshold {
    fn is_reached(&self, row: &LogRow) -> bool {
        row.disallowed > 0 && row.disallowed >= self.requests && row.disallowed_share >= self.share
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 0.07 * 100 is not exactly 7.
        let percent = (self.share * 1e8).round() / 1e6;
        write!(f, "at least {percent} % and {} disallowed requests", self.requests)
    }
}

/// A crawler with disallowed requests.
struct Case<'a> {
    agent: &'static KnownAgent,
    row: &'a LogRow,
}

impl Case<'_> {
    /// Returns the counts on which the rules are based, as text.
    fn basis(&self) -> String {
        let LogRow { disallowed, requests, first_at, last_at, .. } = self.row;
        let day =
            |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).unwrap_or("?").to_owned();
        let sender = match self.row.identity {
            Identity::Verified => "from addresses of its operator",
            _ => "not verified: nothing proves who sent them",
        };
        let (first, last) = (day(first_at), day(last_at));
        format!("{disallowed} of {requests} requests from {first} to {last} were disallowed, {sender}")
    }

    /// Returns at most [`MAX_PATTERNS`] path patterns of the rules that disallowed requests. Skips patterns that do not
    /// begin with a slash, or that have `#` or characters other than visible ASCII. The pattern with the most requests
    /// is first.
    fn patterns(&self) -> Vec<&str> {
        let mut patterns: Vec<&str> = Vec::new();
        for rule in &self.row.rules {
            let pattern = rule.pattern.as_str();
            let is_usable = pattern.starts_with('/')
                && pattern.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
            if is_usable && !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        patterns.truncate(MAX_PATTERNS);
        patterns
    }
}

/// Rules for a server against verified crawlers.
#[derive(Template)]
#[template(path = "rules.txt")]
struct Rules<'a> {
    suggestion: Suggestion,
    rules: Vec<Rule<'a>>,
    threshold: &'a Threshold,
}

/// A rule for a server against one crawler.
struct Rule<'a> {
    token: &'static str,
    operator: &'static str,
    basis: String,
    networks: Vec<Prefix>,
    date: &'a str,
    /// Prefixes of the paths to which the rule applies. Empty if the rule applies to the whole site.
    paths: Vec<String>,
}

impl<'a> Rule<'a> {
    /// Creates the rule against a crawler. Returns `None` if the token contains a character that the syntax of a server would
    /// have to escape.
    fn new(case: &Case<'_>, ranges: &'a Ranges) -> Option<Rule<'a>> {
        let token = case.agent.token();
        let is_plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        // If a path pattern has special characters or was skipped, the rule applies to the whole site.
        let is_prefix = |pattern: &&str| {
            pattern.len() > 1
                && pattern
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.'))
        };
        let patterns = case.patterns();
        // Several versions of robots.txt may have the same pattern.
        let distinct: BTreeSet<&str> = case.row.rules.iter().map(|rule| rule.pattern.as_str()).collect();
        let is_by_path =
            !patterns.is_empty() && patterns.len() == distinct.len() && patterns.iter().all(is_prefix);
        (is_plain && !token.is_empty()).then(|| Rule {
            token,
            operator: case.agent.operator(),
            basis: case.basis(),
            networks: ranges.lists_of(token).flat_map(|list| list.prefixes()).copied().collect(),
            date: ranges.lists_of(token).map(|list| list.date()).min().unwrap_or_default(),
            paths: patterns.into_iter().filter(|_| is_by_path).map(str::to_owned).collect(),
        })
    }

    /// Returns the token as a part of identifiers, in lower case and with underscores.
    fn name(&self) -> String {
        self.token.to_ascii_lowercase().replace('-', "_")
    }

    /// Returns a regular expression for the paths, such as `(/private|/a\.b)`.
    fn expression(&self) -> String {
        format!("({})", self.escaped(&self.paths.join("|")))
    }

    /// Escapes dots, the only special characters of regular expressions in the paths.
    #[expect(clippy::unused_self, reason = "templates call methods")]
    fn escaped(&self, path: &str) -> String {
        path.replace('.', "\\.")
    }
}

/// Returns a robots.txt for the crawlers that follow robots.txt. Its comments list the other crawlers.
fn robots(cases: &[Case<'_>], threshold: &Threshold) -> Result<String, InvalidRecord> {
    let honours = |case: &&Case<'_>| case.agent.robots_txt() == Compliance::Honours;
    let (honouring, others): (Vec<&Case<'_>>, Vec<&Case<'_>>) = cases.iter().partition(honours);
    let mut builder = Builder::new();
    if honouring.is_empty() {
        let none = format!("No crawler that honours robots.txt has {threshold}.");
        builder = builder.comment(&none);
    } else {
        builder = builder
            .comment(&format!("For crawlers with {threshold}."))
            .comment("A crawler's own group replaces the group of `*`: repeat the rules that should apply.");
    }
    for case in others {
        let about = format!(
            "Left out, since its operator does not say that it honours robots.txt: {}; {}",
            case.agent.token(),
            case.basis()
        );
        builder = builder.comment(&about);
    }
    for case in honouring {
        let agent = case.agent;
        let patterns = case.patterns();
        if patterns.is_empty() {
            let about = format!(
                "Left out, since a robots.txt cannot repeat the rules that it broke: {}; {}",
                agent.token(),
                case.basis()
            );
            builder = builder.comment(&about);
            continue;
        }
        let about =
            format!("{}: {}, {}; {}", agent.token(), agent.operator(), agent.purpose().title(), case.basis());
        builder = builder.comment(&about).group([agent.token()])?;
        for pattern in patterns {
            builder = builder.disallow(pattern)?;
        }
    }
    Ok(builder.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::identity::Crawlers;
    use crate::request::RobotsSource;
    use crate::tally::{RuleCount, Tally};

    /// Returns the suggested rules against a crawler with disallowed requests for `/private`.
    fn written(
        suggestion: Suggestion,
        identity: Identity,
        token: &str,
        (disallowed, requests): (u64, u64),
    ) -> String {
        let ranges = Ranges::parse(
            "list a\noperator OpenAI\ntokens GPTBot\nfrom https://openai.com/gptbot.json\ndate 2026-11-20\nsourcing verified\n\
             203.0.113.0/24 2001:db8::/32\n",
        )
        .unwrap();
        let history = History::new(RobotsSource::text("", ""), Default::default()).unwrap();
        let rule = RuleCount { pattern: "/private".to_owned(), requests: disallowed, examples: Vec::new() };
        let rules = [((0, 2), rule)].into();
        let tally = Tally { disallowed, requests, rules, ..Tally::default() };
        let crawlers = Crawlers::new();
        let crawler = crawlers.all().iter().find(|crawler| crawler.token == token).unwrap();
        let row = LogRow::new(crawler, identity, None, &tally, &history);
        suggestion.rules(&[row], &ranges, &Threshold::default()).unwrap()
    }

    const MANY: (u64, u64) = (600, 1_000);

    #[test]
    fn server_rules_are_suggested_only_against_verified_crawlers() {
        for (_, suggestion) in Suggestion::ALL.into_iter().skip(1) {
            let text = written(suggestion, Identity::Verified, "GPTBot", MANY);
            assert!(text.contains("203.0.113.0/24") && text.contains("2001:db8::/32"), "{text}");
            assert!(text.to_ascii_lowercase().contains("gptbot"), "{text}");
            for (identity, token) in [
                (Identity::Unknown, "GPTBot"),
                (Identity::Outside, "GPTBot"),
                (Identity::Verified, "ChatGPT-User"),
            ] {
                let text = written(suggestion, identity, token, MANY);
                assert!(text.starts_with("# No crawler") && !text.contains("203.0.113"), "{text}");
            }
        }
    }

    #[test]
    fn crawler_without_published_addresses_has_no_server_rule() {
        for (_, suggestion) in Suggestion::ALL.into_iter().skip(1) {
            let text = written(suggestion, Identity::Verified, "CCBot", MANY);
            assert!(text.contains("# CCBot: ") && text.lines().all(|line| line.starts_with("# ")), "{text}");
        }
    }

    #[test]
    fn suggested_robots_txt_disallows_the_paths_for_its_crawlers() {
        let text = written(Suggestion::Robots, Identity::Unknown, "CCBot", MANY);
        let robots = comity::robots::RobotsTxt::parse(&text);
        let allows = |token: &str| {
            robots.rules_for(&comity::robots::Agent::unchecked_token(token)).is_allowed("/").unwrap()
        };
        assert!(allows("CCBot") && allows("GPTBot"), "only the paths of the rules are disallowed: {text}");
        let ccbot = robots.rules_for(&comity::robots::Agent::unchecked_token("CCBot"));
        assert!(!ccbot.is_allowed("/private/x").unwrap(), "{text}");
        assert!(text.contains("600 of 1000 requests") && text.contains("not verified"), "{text}");
        // The operator does not document whether the crawler follows robots.txt.
        let silent = agents::all()
            .iter()
            .find(|agent| agent.robots_txt() == Compliance::Unknown && agent.purpose() == Purpose::Training);
        let token = silent.unwrap().token();
        let text = written(Suggestion::Robots, Identity::Unknown, token, MANY);
        assert!(text.contains(&format!(": {token}")) && !text.contains("User-agent"), "{text}");
        for (identity, token, counts) in [
            (Identity::Outside, "GPTBot", MANY),
            // A search engine.
            (Identity::Verified, "Googlebot", MANY),
            (Identity::Verified, "bingbot", MANY),
            (Identity::Verified, "GPTBot", (17, 2_000)),
            (Identity::Verified, "GPTBot", (49, 49)),
            (Identity::Verified, "GPTBot", (199, 1_000)),
        ] {
            for (_, suggestion) in Suggestion::ALL {
                let none = written(suggestion, identity, token, counts);
                assert!(none.lines().all(|line| line.starts_with("# No crawler")), "{token}: {none}");
            }
        }
    }
}
