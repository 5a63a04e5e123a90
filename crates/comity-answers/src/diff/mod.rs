//! What a change of a robots.txt changes in meaning.
//!
//! Two files say the same to a crawler if it ends up with the same rules. So each crawler's rules are collected from both
//! files and compared as sets; how the files are laid out never enters. Crawlers to whom the same happens stand together.

mod change;

use std::collections::BTreeMap;

use comity::robots::{Agent, Decision, RecordKind, RobotsTxt, Rules, UrlError};
use comity::shown;
use serde::Serialize;

pub use self::change::{Change, Pace, Pacing, RuleLine};
use crate::provenance::Provenance;
use crate::row::DecisionJson;

/// Both files.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The file before the change.
    pub old: RobotsTxt<'a>,
    /// The file after it.
    pub new: RobotsTxt<'a>,
}

impl Pair<'_> {
    /// Returns the crawlers to compare for, if nobody names some: `*` and everyone that either file names.
    pub fn named(&self) -> Vec<Agent> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for robots in [&self.old, &self.new] {
            for record in robots.records().filter(|record| record.kind() == RecordKind::UserAgent) {
                let name = record.value_text();
                if !name.is_empty() && name != "*" {
                    names.entry(name.to_lowercase()).or_insert_with(|| name.into_owned());
                }
            }
        }
        std::iter::once("*".to_owned()).chain(names.into_values()).map(Agent::token).collect()
    }
}

/// The changes, apart from those of single URLs.
#[derive(Debug, Serialize)]
pub struct Report {
    /// What changes for crawlers.
    pub agents: Vec<AgentsChange>,
    /// The sitemaps that were added and removed.
    pub sitemaps: Lists,
    /// Lines that are neither rules nor delays nor sitemaps.
    pub other: Lists,
}

/// The same change for some crawlers.
#[derive(Debug, Serialize)]
pub struct AgentsChange {
    /// The crawlers.
    pub agents: Vec<String>,
    /// What changes for them.
    #[serde(flatten)]
    pub change: Change,
}

/// The things that were added and removed.
#[derive(Debug, Serialize)]
pub struct Lists {
    /// Those that only the old file has.
    pub lost: Vec<String>,
    /// Those that only the new file has.
    pub gained: Vec<String>,
}

impl Report {
    /// Compares the files for each crawler. `step` is called once for each of them.
    pub fn new(pair: &Pair<'_>, agents: &[Agent], mut step: impl FnMut()) -> Self {
        let mut found: Vec<AgentsChange> = Vec::new();
        for agent in agents {
            step();
            let Some(change) = Change::new(&pair.old.rules_for(agent), &pair.new.rules_for(agent)) else {
                continue;
            };
            let name = agent.as_str().to_owned();
            match found.iter_mut().find(|known| known.change.is_same(&change)) {
                Some(known) => known.agents.push(name),
                None => found.push(AgentsChange { agents: vec![name], change }),
            }
        }
        Report {
            agents: found,
            sitemaps: Lists::new(pair, |robots| robots.sitemaps().map(|url| url.into_owned()).collect()),
            other: Lists::new(pair, other_lines),
        }
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.sitemaps.is_empty() && self.other.is_empty()
    }
}

impl Lists {
    fn new(pair: &Pair<'_>, list: impl Fn(&RobotsTxt<'_>) -> Vec<String>) -> Self {
        let (mut old, mut new) = (list(&pair.old), list(&pair.new));
        for lines in [&mut old, &mut new] {
            lines.sort();
            lines.dedup();
        }
        let without = |a: &[String], b: &[String]| {
            a.iter().filter(|line| b.binary_search(line).is_err()).cloned().collect::<Vec<_>>()
        };
        Lists { lost: without(&old, &new), gained: without(&new, &old) }
    }

    /// Returns whether nothing was added or removed.
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.gained.is_empty()
    }
}

/// Lines that matter to somebody but not to fetching: usage signals, hosts, parameters. With the names of their group.
fn other_lines(robots: &RobotsTxt<'_>) -> Vec<String> {
    let groups: Vec<_> = robots.groups().collect();
    let mut lines = Vec::new();
    for record in robots.records() {
        let (kind, value) = (record.kind(), record.value_text());
        let is_covered = kind.is_rule()
            || matches!(
                kind,
                RecordKind::UserAgent
                    | RecordKind::Sitemap
                    | RecordKind::CrawlDelay
                    | RecordKind::RequestRate
                    | RecordKind::VisitTime
            );
        if is_covered {
            continue;
        }
        let key = match kind {
            RecordKind::Unknown => shown::bytes(record.key()).to_lowercase(),
            kind => kind.canonical_name().to_owned(),
        };
        match record.group().and_then(|group| groups.get(group)) {
            Some(group) => lines.extend(
                group
                    .agents()
                    .map(|agent| format!("{key}: {value}  (for {})", agent.value_text().to_lowercase())),
            ),
            None => lines.push(format!("{key}: {value}")),
        }
    }
    lines
}

/// Decides URLs by both files for all crawlers.
#[derive(Debug)]
pub struct Sides<'a> {
    sides: Vec<(&'a Agent, Rules, Rules)>,
}

/// A crawler for whom a URL's verdict changes, and the decisions before and after.
pub type Turn<'t> = (&'t Agent, Decision<'t>, Decision<'t>);

impl<'a> Sides<'a> {
    /// Reads the rules of each crawler.
    pub fn new(pair: &Pair<'_>, agents: &'a [Agent]) -> Self {
        let rules = |agent: &'a Agent| (agent, pair.old.rules_for(agent), pair.new.rules_for(agent));
        Sides { sides: agents.iter().map(rules).collect() }
    }

    /// Returns the crawlers for whom the verdict on a URL changes.
    ///
    /// # Errors
    ///
    /// The dialect's, if the text is no URL to it.
    pub fn turns(&self, url: &[u8]) -> Result<Vec<Turn<'_>>, UrlError> {
        let mut turns = Vec::new();
        for (agent, old, new) in &self.sides {
            let (old, new) = (old.decide(url)?, new.decide(url)?);
            if old.is_allowed() != new.is_allowed() {
                turns.push((*agent, old, new));
            }
        }
        Ok(turns)
    }
}

/// A URL whose verdict differs, as JSON.
#[derive(Debug, Serialize)]
pub struct UrlChange {
    /// The URL.
    pub url: String,
    /// The crawler.
    pub agent: String,
    /// The decision before the change.
    pub old: DecisionJson,
    /// The decision after it.
    pub new: DecisionJson,
}

impl UrlChange {
    /// Creates the row. Bytes of the URL that are not UTF-8 are replaced.
    pub fn new(url: &[u8], (agent, old, new): &Turn<'_>) -> Self {
        UrlChange {
            url: String::from_utf8_lossy(url).into_owned(),
            agent: agent.as_str().to_owned(),
            old: old.to_record().into(),
            new: new.to_record().into(),
        }
    }
}

/// The whole report as JSON.
#[derive(Debug, Serialize)]
pub struct DiffDocument<'j> {
    /// Where the old file is from.
    pub old: &'j Provenance,
    /// Where the new file is from.
    pub new: &'j Provenance,
    /// The changes.
    #[serde(flatten)]
    pub report: &'j Report,
    /// The URLs whose verdict differs, among those that were named.
    pub urls: Vec<UrlChange>,
}
