//! Notices: remarks for users about a request and its answer. They never change a decision.
//!
//! All front ends report the same notices. The command prints them as warnings, the service sends them as `notices`,
//! and Python raises them as warnings.

use std::collections::HashSet;
use std::fmt;

use comity::agents::{self, Status};
use comity::decision::DecisionRecord;
use comity::policy::Mode;
use comity::robots::{Agent, RobotsTxt};
use comity::shown::short;
use serde::{Deserialize, Serialize};

use crate::near_miss::NearMiss;
use crate::url::has_web_scheme;

comity::words! {
    /// The kind of a notice.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum NoticeKind as "kind of notice" {
        /// The name of a crawler resembles a known one, or one in the robots.txt.
        SimilarName = "similar_name",
        /// The crawler with this name is retired.
        RetiredName = "retired_name",
        /// One robots.txt decided the URLs of several sites.
        OneFileForManySites = "one_file_for_many_sites",
        /// The mode allows URLs that robots.txt disallows, or whose robots.txt was not read.
        ModeBlocksNothing = "mode_blocks_nothing",
        /// A path begins with two slashes, so that it may be a URL without its scheme.
        DoubleSlashPath = "double_slash_path",
        /// A site serves a page instead of a robots.txt, and the page is read as an empty file.
        PageReadAsEmpty = "page_read_as_empty",
    }
}

/// A remark for users about a request and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Notice {
    /// The kind.
    pub kind: NoticeKind,
    /// The remark, as a sentence.
    pub message: String,
    /// The crawler that the notice is about.
    pub agent: Option<String>,
    /// The name or URL that was probably meant, or the crawlers that replace a retired one.
    pub name: Option<String>,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Notice {
    fn new(kind: NoticeKind, message: String) -> Notice {
        Notice { kind, message, agent: None, name: None }
    }

    /// Returns the notices about the names of crawlers and of their fallbacks: misspellings of a name in the robots.txt or of a
    /// known crawler, and retired crawlers.
    ///
    /// ```
    /// use comity::robots::Agent;
    /// use comity_answers::notice::Notice;
    ///
    /// let agents = ["googelbot", "ExampleBot"].map(Agent::unchecked_token);
    /// let notices = Notice::of_agents(&agents, None);
    /// assert_eq!(notices.len(), 1);
    /// assert_eq!(notices[0].name.as_deref(), Some("Googlebot"));
    /// ```
    pub fn of_agents<'a>(
        agents: impl IntoIterator<Item = &'a Agent>,
        robots: Option<&RobotsTxt<'_>>,
    ) -> Vec<Notice> {
        let agents = agents.into_iter();
        let is_alone = agents.size_hint().1 == Some(1);
        let (mut seen, mut notices) = (HashSet::new(), Vec::new());
        for agent in agents {
            // The set finds repeated names. With only one agent, its name cannot repeat.
            if is_alone || seen.insert(agent.as_str()) {
                notices.extend(Notice::of_agent(agent, robots));
            }
            for token in agent.fallbacks() {
                if token != agent.as_str() && seen.insert(token) {
                    notices.extend(Notice::of_agent(&Agent::unchecked_token(token), robots));
                }
            }
        }
        notices
    }

    /// Returns true if the notice is about the name of this crawler.
    pub fn is_about(&self, agent: &Agent) -> bool {
        self.agent.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(agent.as_str()))
    }

    fn of_agent(agent: &Agent, robots: Option<&RobotsTxt<'_>>) -> Option<Notice> {
        let known = if agent.is_header() { None } else { agents::known(agent.as_str()) };
        let near_miss = match known {
            Some(_) => NearMiss::in_file(agent, robots),
            None => NearMiss::of(agent, robots),
        };
        if let Some(near_miss) = near_miss {
            return Some(Notice {
                agent: Some(short(agent.as_str().as_bytes(), 200).into_owned()),
                name: Some(near_miss.name().to_owned()),
                ..Notice::new(NoticeKind::SimilarName, near_miss.to_string())
            });
        }
        let known = known.filter(|known| known.status() == Status::Retired)?;
        let since = known.retired_since().map(|since| format!(" since {since}")).unwrap_or_default();
        let successors = known.successors().join(", ");
        let message = match successors.as_str() {
            "" => format!("`{}` is retired{since}", known.token()),
            names => format!("`{}` is retired{since}; its operator now uses {names}", known.token()),
        };
        let name = (!successors.is_empty()).then_some(successors);
        Some(Notice {
            agent: Some(known.token().to_owned()),
            name,
            ..Notice::new(NoticeKind::RetiredName, message)
        })
    }

    /// Returns the notice that a site serves a page in place of a robots.txt, and that the page is read as an empty
    /// file.
    pub fn of_page(name: &str) -> Notice {
        let name = short(name.as_bytes(), 200);
        let message = format!("`{name}` is a page and not a robots.txt; it is read as an empty file");
        Notice::new(NoticeKind::PageReadAsEmpty, message)
    }
}

/// An answer with the notices about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithNotices<T> {
    /// The answer.
    #[serde(flatten)]
    pub answer: T,
    /// The remarks for users about the request and its answer.
    pub notices: Vec<Notice>,
}

impl<T> From<T> for WithNotices<T> {
    fn from(answer: T) -> WithNotices<T> {
        WithNotices { answer, notices: Vec::new() }
    }
}

/// A collector of facts for the notices at the end of an answer.
#[derive(Debug, Default)]
pub struct NoticeLog {
    sites: HashSet<String>,
    has_more_sites: bool,
    disallowed: usize,
    unknown: usize,
    double_slash: Option<String>,
}

/// Maximum number of sites that are counted.
const MAX_SITES: usize = 10_000;

impl NoticeLog {
    /// Records a URL that one robots.txt decided.
    pub fn add_url(&mut self, url: &[u8]) {
        if url.starts_with(b"//") {
            if self.double_slash.is_none() {
                self.double_slash = Some(short(url, 200).into_owned());
            }
            return;
        }
        if !has_web_scheme(url) {
            return;
        }
        let authority = url.iter().position(|&byte| byte == b':').map_or(0, |at| at + 3);
        let rest = url.get(authority..).unwrap_or_default();
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
        let site = String::from_utf8_lossy(&url[..authority + end]);
        if self.sites.contains(&*site) {
            return;
        }
        let site = site.to_ascii_lowercase();
        if self.sites.len() < MAX_SITES {
            self.sites.insert(site);
        } else if !self.sites.contains(&site) {
            self.has_more_sites = true;
        }
    }

    /// Records a decision.
    pub fn add_decision(&mut self, decision: &DecisionRecord) {
        match decision.mode {
            Some(Mode::ReportOnly) if !decision.recommendation.allows() => self.disallowed += 1,
            Some(Mode::Ignore) => self.unknown += 1,
            _ => {}
        }
    }

    /// Returns the notices. `file` is the name of the robots.txt that decided all URLs, if one was given.
    pub fn into_notices(self, file: Option<&str>) -> Vec<Notice> {
        let mut notices = Vec::new();
        if let (Some(file), true) = (file, self.sites.len() > 1) {
            let more = if self.has_more_sites { "more than " } else { "" };
            let message = format!(
                "`{}` decided the URLs of {more}{} sites; each site has its own robots.txt",
                short(file.as_bytes(), 200),
                self.sites.len()
            );
            notices.push(Notice::new(NoticeKind::OneFileForManySites, message));
        }
        if let Some(path) = self.double_slash {
            let message = format!("`{path}` begins with two slashes and is decided as a path");
            let name = Some(format!("https:{path}"));
            notices.push(Notice { name, ..Notice::new(NoticeKind::DoubleSlashPath, message) });
        }
        let urls = |count| if count == 1 { "1 URL".to_owned() } else { format!("{count} URLs") };
        if self.disallowed > 0 {
            let message = format!(
                "the mode report_only blocks nothing: it permits {} although fetching is not recommended",
                urls(self.disallowed)
            );
            notices.push(Notice::new(NoticeKind::ModeBlocksNothing, message));
        }
        if self.unknown > 0 {
            let message =
                format!("the mode ignore reads no robots.txt: it decided {} without one", urls(self.unknown));
            notices.push(Notice::new(NoticeKind::ModeBlocksNothing, message));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_without_resemblance_has_no_notice() {
        let agents = ["ExampleBot", "Googlebot", "*", "mycrawler"].map(Agent::unchecked_token);
        assert_eq!(Notice::of_agents(&agents, None), []);
    }

    #[test]
    fn misspelt_fallback_of_two_agents_has_one_notice() {
        let agents =
            ["ExampleBot", "OtherBot"].map(|name| Agent::unchecked_token(name).or_token("googelbot"));
        let notices = Notice::of_agents(&agents, None);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert_eq!(
            (notices[0].agent.as_deref(), notices[0].name.as_deref()),
            (Some("googelbot"), Some("Googlebot"))
        );
    }

    #[test]
    fn name_in_the_file_is_suggested_before_a_known_name() {
        let robots = RobotsTxt::parse("User-agent: EmptyBot\nDisallow: /\n");
        let agents = [Agent::unchecked_token("EmtpyBot"), Agent::unchecked_token("EmtpyBot")];
        let notices = Notice::of_agents(&agents, Some(&robots));
        assert_eq!(notices.len(), 1);
        assert_eq!(
            (notices[0].kind, notices[0].name.as_deref()),
            (NoticeKind::SimilarName, Some("EmptyBot"))
        );
    }

    #[test]
    fn retired_name_has_notice_with_successors() {
        let retired = agents::all()
            .iter()
            .find(|known| known.status() == Status::Retired && !known.successors().is_empty());
        let retired = retired.expect("the catalogue has a retired crawler with a successor");
        let notices = Notice::of_agents(&[Agent::unchecked_token(retired.token().to_lowercase())], None);
        assert_eq!(notices[0].kind, NoticeKind::RetiredName);
        assert!(notices[0].message.contains(retired.successors()[0]));
    }

    #[test]
    fn file_for_several_sites_has_one_notice() {
        let mut log = NoticeLog::default();
        for url in ["https://a.example/x", "HTTPS://A.example/y", "/z", "https://b.example:8080?q"] {
            log.add_url(url.as_bytes());
        }
        let notices = log.into_notices(Some("robots.txt"));
        assert_eq!(notices.len(), 1);
        assert!(notices[0].message.contains("2 sites"), "{}", notices[0]);
    }

    #[test]
    fn site_beyond_limit_is_counted_as_more() {
        let mut log = NoticeLog::default();
        let urls = (0..MAX_SITES).map(|site| format!("https://{site}.example/"));
        urls.chain(["HTTPS://0.Example/x".to_owned()]).for_each(|url| log.add_url(url.as_bytes()));
        let message = |log: NoticeLog| log.into_notices(Some("robots.txt")).remove(0).message;
        let mut more = NoticeLog { sites: log.sites.clone(), ..NoticeLog::default() };
        more.add_url(b"https://new.example/");
        assert!(message(log).contains("the URLs of 10000 sites"));
        assert!(message(more).contains("the URLs of more than 10000 sites"));
    }

    #[test]
    fn path_with_two_slashes_has_notice_with_url() {
        let mut log = NoticeLog::default();
        log.add_url(b"//example.com/x");
        log.add_url(b"//example.com/y");
        let notices = log.into_notices(None);
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0].name.as_deref(), Some("https://example.com/x"));
    }
}
