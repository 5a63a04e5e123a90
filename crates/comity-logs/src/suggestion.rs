//! Rules against crawlers with disallowed requests: a robots.txt, or rules for a server.
//!
//! The rules contain no text from a log, only names of the catalogue and parsed networks. Rules for servers require the
//! name and an address of the operator. So they match neither other senders that use the name nor other crawlers of the
//! operator.

use askama::Template;
use comity::agents::{self, Compliance, KnownAgent, Prefix, Purpose, Ranges};
use comity::robots::{Builder, InvalidRecord};

use crate::error::LogsError;
use crate::identity::Identity;
use crate::row::LogRow;

/// The program that reads the suggested rules.
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
    /// Cloudflare: an expression for a custom rule.
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

    /// Returns rules against crawlers with disallowed requests. `ranges` has the addresses that operators publish.
    ///
    /// There are no rules against requests on behalf of users, or against requests from outside the operator's addresses.
    ///
    /// # Errors
    ///
    /// Returns [`LogsError`] if the text cannot be created.
    pub fn rules(self, rows: &[LogRow], ranges: &Ranges) -> Result<String, LogsError> {
        let own = rows.iter().filter(|row| {
            row.disallowed > 0 && row.identity != Identity::Outside && row.purpose != Purpose::UserTriggered
        });
        let crawlers = own.filter_map(|row| Some((agents::known(row.agent)?, row.identity)));
        let mut crawlers: Vec<(&KnownAgent, Identity)> = crawlers.collect();
        crawlers.sort_by_key(|(agent, _)| agent.token().to_ascii_lowercase());
        if self == Suggestion::Robots {
            let mut agents: Vec<&KnownAgent> = crawlers.into_iter().map(|(agent, _)| agent).collect();
            agents.dedup();
            return Ok(robots(agents)?);
        }
        let verified = crawlers.into_iter().filter(|(_, identity)| *identity == Identity::Verified);
        let rules = verified.filter_map(|(agent, _)| Rule::new(agent, ranges)).collect();
        Ok(Rules { suggestion: self, rules }.render()?)
    }
}

/// Rules for a server against verified crawlers.
#[derive(Template)]
#[template(path = "rules.txt")]
struct Rules<'a> {
    suggestion: Suggestion,
    rules: Vec<Rule<'a>>,
}

struct Rule<'a> {
    token: &'static str,
    operator: &'static str,
    networks: Vec<Prefix>,
    date: &'a str,
}

impl<'a> Rule<'a> {
    /// Returns the rule against a crawler. Returns `None` if the token has a special character of any supported syntax.
    fn new(agent: &'static KnownAgent, ranges: &'a Ranges) -> Option<Rule<'a>> {
        let token = agent.token();
        let is_plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        (is_plain && !token.is_empty()).then(|| Rule {
            token,
            operator: agent.operator(),
            networks: ranges.lists_of(token).flat_map(|list| list.prefixes()).copied().collect(),
            date: ranges.lists_of(token).map(|list| list.date()).min().unwrap_or_default(),
        })
    }

    /// Returns the token in a form that can be part of identifiers.
    fn name(&self) -> String {
        self.token.to_ascii_lowercase().replace('-', "_")
    }
}

/// Returns a robots.txt for the crawlers that follow one. Its comments name the other crawlers.
fn robots(agents: Vec<&KnownAgent>) -> Result<String, InvalidRecord> {
    let honours = |agent: &&KnownAgent| agent.robots_txt() == Compliance::Honours;
    let (honouring, others): (Vec<&KnownAgent>, Vec<&KnownAgent>) = agents.into_iter().partition(honours);
    let mut builder = Builder::new();
    if honouring.is_empty() {
        builder = builder.comment("No crawler that honours robots.txt asked for what was disallowed.");
    }
    for agent in others {
        let about = format!(
            "Left out, since its operator does not say that it honours robots.txt: {}",
            agent.token()
        );
        builder = builder.comment(&about);
    }
    for agent in honouring {
        let about = format!("{}: {}, {}", agent.token(), agent.operator(), agent.purpose().title());
        builder = builder.comment(&about).group([agent.token()])?.disallow("/")?;
    }
    Ok(builder.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::request::RobotsSource;
    use crate::tally::Tally;

    fn written(suggestion: Suggestion, identity: Identity, token: &str) -> String {
        let ranges = Ranges::parse(
            "list a\noperator OpenAI\ntokens GPTBot\nfrom https://openai.com/gptbot.json\ndate 2026-11-20\nsourcing verified\n\
             203.0.113.0/24 2001:db8::/32\n",
        )
        .unwrap();
        let history = History::new(RobotsSource::text("", ""), Default::default()).unwrap();
        let tally = Tally { disallowed: 3, ..Tally::default() };
        let row = LogRow::new(agents::known(token).unwrap(), identity, None, &tally, &history);
        suggestion.rules(&[row], &ranges).unwrap()
    }

    #[test]
    fn only_verified_crawlers_are_kept_out_by_a_server() {
        for (_, suggestion) in Suggestion::ALL.into_iter().skip(1) {
            let text = written(suggestion, Identity::Verified, "GPTBot");
            assert!(text.contains("203.0.113.0/24") && text.contains("2001:db8::/32"), "{text}");
            assert!(text.to_ascii_lowercase().contains("gptbot"), "{text}");
            for (identity, token) in [
                (Identity::Unknown, "GPTBot"),
                (Identity::Outside, "GPTBot"),
                (Identity::Verified, "ChatGPT-User"),
            ] {
                let text = written(suggestion, identity, token);
                assert!(text.starts_with("# No crawler") && !text.contains("203.0.113"), "{text}");
            }
        }
    }

    #[test]
    fn a_crawler_whose_addresses_are_not_published_gets_no_rule() {
        for (_, suggestion) in Suggestion::ALL.into_iter().skip(1) {
            let text = written(suggestion, Identity::Verified, "MojeekBot");
            assert!(text.lines().all(|line| line.starts_with("# MojeekBot: ")), "{text}");
        }
    }

    #[test]
    fn a_robots_txt_names_the_crawlers_and_reads_back() {
        let text = written(Suggestion::Robots, Identity::Unknown, "CCBot");
        let robots = comity::robots::RobotsTxt::parse(&text);
        let allows =
            |token: &str| robots.rules_for(&comity::robots::Agent::token(token)).is_allowed("/").unwrap();
        assert!(!allows("CCBot") && allows("GPTBot"), "{text}");
        // The operator does not document whether the crawler follows robots.txt.
        let silent = agents::all()
            .iter()
            .find(|agent| agent.robots_txt() == Compliance::Unknown && agent.purpose() == Purpose::Training);
        let token = silent.unwrap().token();
        let text = written(Suggestion::Robots, Identity::Unknown, token);
        assert!(text.contains(&format!(": {token}")) && !text.contains("User-agent"), "{text}");
        let none = written(Suggestion::Robots, Identity::Outside, "GPTBot");
        assert!(none.starts_with("# No crawler"), "{none}");
    }
}
