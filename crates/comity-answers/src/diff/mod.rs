//! `diff`: the effects of a change of a robots.txt.
//!
//! Two files are equivalent for a crawler if its rules and delays are equal. So these are collected from both files for
//! each crawler. Rules are compared as sets, or in order if the first match decides; the layout of the files does not
//! matter. Crawlers with equal changes are grouped.

mod change;
mod request;

use std::collections::BTreeMap;

use comity::robots::{Agent, Decision, Record, RecordKind, RobotsTxt, Rules};
use comity::shown;
use serde::{Deserialize, Serialize};

pub use self::change::{Change, Pace, Pacing, RuleLine};
pub use self::request::{DiffOperation, DiffRequest};
use crate::notice::Notice;
use crate::provenance::Provenance;
use crate::row::DecisionJson;
use crate::url::{self, UrlProblem};

/// Maximum number of records to read for all crawlers together. The most expensive of 7,881 real files needs a quarter
/// of this number when it is compared with itself.
const MOST_READINGS: usize = 10_000_000;

/// Maximum number of rules that are reported as lost or gained. Also the maximum number of other lines, except delays
/// and sitemaps. Such a line counts once for every crawler that its group names.
const MOST_LINES: usize = 250_000;

/// Maximum size of lines other than rules, delays and sitemaps, in bytes. They are kept in memory.
const MAX_OTHER_BYTES: usize = 16 << 20;

/// The error for a comparison that would take too long. Real files do not cause it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// There are too many crawlers for files of this length.
    #[error("{crawlers} crawlers are too many for files with {records} records; name fewer crawlers")]
    Crawlers {
        /// The number of crawlers.
        crawlers: usize,
        /// The number of records in both files.
        records: usize,
    },
    /// The crawlers lose and gain too many rules in total.
    #[error("{crawlers} crawlers lose and gain more than {MOST_LINES} rules together; name fewer crawlers")]
    Changes {
        /// The number of crawlers.
        crawlers: usize,
    },
    /// A file has too many other lines for the crawlers that it names.
    #[error(
        "a file has {lines} lines other than rules, delays and sitemaps, counted for every crawler of their groups; at \
         most {MOST_LINES} are compared"
    )]
    OtherLines {
        /// The number of lines, each counted for every crawler that its group names.
        lines: usize,
    },
    /// The lines other than rules, delays and sitemaps are too long in total.
    #[error(
        "a file has {bytes} bytes in lines other than rules, delays and sitemaps, counted for every crawler of their groups; at \
         most {MAX_OTHER_BYTES} are compared"
    )]
    OtherBytes {
        /// The number of bytes, each counted for every crawler that its group names.
        bytes: usize,
    },
}

/// Both files.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The file before the change.
    pub old: RobotsTxt<'a>,
    /// The file after the change.
    pub new: RobotsTxt<'a>,
}

impl Pair<'_> {
    /// Returns the default crawlers to compare for: `*` and all crawlers that either file names.
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
        std::iter::once("*".to_owned()).chain(names.into_values()).map(Agent::unchecked_token).collect()
    }

    /// Returns the notices about the names of crawlers. A name in one of the files is not a misspelling.
    pub fn notices(&self, agents: &[Agent]) -> Vec<Notice> {
        let old = Notice::of_agents(agents, Some(&self.old));
        let mut notices = Notice::of_agents(agents, Some(&self.new));
        notices.retain(|notice| old.iter().any(|other| other.agent == notice.agent));
        notices
    }

    /// Returns an error if the files are too long to compare for this number of crawlers.
    fn check(&self, crawlers: usize) -> Result<(), TooLarge> {
        let records = self.old.known_records().len() + self.new.known_records().len();
        if crawlers.saturating_mul(records) > MOST_READINGS {
            return Err(TooLarge::Crawlers { crawlers, records });
        }
        for (lines, bytes) in [&self.old, &self.new].map(count_other_lines) {
            if lines > MOST_LINES {
                return Err(TooLarge::OtherLines { lines });
            }
            if bytes > MAX_OTHER_BYTES {
                return Err(TooLarge::OtherBytes { bytes });
            }
        }
        Ok(())
    }
}

/// The changes, except for those of single URLs.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Changes"))]
pub struct Report {
    /// The changes for crawlers.
    pub agents: Vec<AgentsChange>,
    /// The sitemaps that were added and removed.
    pub sitemaps: Lists,
    /// Lines other than user-agents, rules, delays, rates, hours and sitemaps.
    pub other: Lists,
}

/// A change and its crawlers.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Change"))]
pub struct AgentsChange {
    /// The crawlers.
    pub agents: Vec<String>,
    /// The change for them.
    #[serde(flatten)]
    pub change: Change,
}

/// Added and removed items.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lists {
    /// Items that only the old file has.
    pub lost: Vec<String>,
    /// Items that only the new file has.
    pub gained: Vec<String>,
}

impl Report {
    /// Compares the files for each crawler. `step` is called once for each crawler.
    ///
    /// # Errors
    ///
    /// Returns [`TooLarge`] if that would take too long.
    pub fn new(pair: &Pair<'_>, agents: &[Agent], mut step: impl FnMut()) -> Result<Self, TooLarge> {
        pair.check(agents.len())?;
        let mut found: Vec<AgentsChange> = Vec::new();
        let mut lines = 0;
        for agent in agents {
            step();
            let Some(change) = Change::new(&pair.old.rules_for(agent), &pair.new.rules_for(agent)) else {
                continue;
            };
            let name = agent.as_str().to_owned();
            match found.iter_mut().find(|known| known.change.is_same(&change)) {
                Some(known) => known.agents.push(name),
                None => {
                    lines += change.lost.len() + change.gained.len();
                    if lines > MOST_LINES {
                        return Err(TooLarge::Changes { crawlers: agents.len() });
                    }
                    found.push(AgentsChange { agents: vec![name], change });
                }
            }
        }
        Ok(Report {
            agents: found,
            sitemaps: Lists::new(pair, |robots| robots.sitemaps().map(|url| url.into_owned()).collect()),
            other: Lists::new(pair, other_lines),
        })
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

/// Returns the records that a report does not cover elsewhere: usage signals, hosts, parameters, unknown keys.
fn other_records<'r>(robots: &'r RobotsTxt<'_>) -> impl Iterator<Item = Record<'r>> {
    robots.records().filter(|record| {
        let kind = record.kind();
        let is_covered = kind.is_rule()
            || matches!(
                kind,
                RecordKind::UserAgent
                    | RecordKind::Sitemap
                    | RecordKind::CrawlDelay
                    | RecordKind::RequestRate
                    | RecordKind::VisitTime
            );
        !is_covered
    })
}

/// Returns the number of lines that [`other_lines`] returns, and about the number of their bytes.
fn count_other_lines(robots: &RobotsTxt<'_>) -> (usize, usize) {
    let named = robots.groups().map(|group| {
        let lengths = group.agents().map(|agent| agent.value().len());
        lengths.fold((0_usize, 0_usize), |(agents, bytes), length| (agents + 1, bytes + length))
    });
    let named: Vec<(usize, usize)> = named.collect();
    other_records(robots).fold((0_usize, 0_usize), |(lines, bytes), record| {
        let length = record.key().len() + record.value().len();
        let (agents, names) = record.group().and_then(|group| named.get(group)).copied().unwrap_or((1, 0));
        (
            lines.saturating_add(agents),
            bytes.saturating_add(agents.saturating_mul(length).saturating_add(names)),
        )
    })
}

/// Returns the records of [`other_records`] as lines, once for each crawler that the group of the record names.
fn other_lines(robots: &RobotsTxt<'_>) -> Vec<String> {
    let groups: Vec<_> = robots.groups().collect();
    let mut lines = Vec::new();
    for record in other_records(robots) {
        let (kind, value) = (record.kind(), record.value_text());
        let key = match kind {
            RecordKind::Unknown => shown::bytes(record.key()).to_lowercase(),
            kind => kind.label().to_owned(),
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

/// The rules of both files for all crawlers, to decide URLs.
#[derive(Debug)]
pub struct PairRules<'a> {
    sides: Vec<(&'a Agent, Rules, Rules)>,
}

/// A crawler for which only one of the files allows a URL, and the decisions before and after.
pub type VerdictChange<'t> = (&'t Agent, Decision<'t>, Decision<'t>);

impl<'a> PairRules<'a> {
    /// Collects the rules for each crawler.
    pub fn new(pair: &Pair<'_>, agents: &'a [Agent]) -> Self {
        let rules = |agent: &'a Agent| (agent, pair.old.rules_for(agent), pair.new.rules_for(agent));
        PairRules { sides: agents.iter().map(rules).collect() }
    }

    /// Returns the crawlers for which only one of the files allows a URL.
    ///
    /// # Errors
    ///
    /// Returns [`UrlProblem`] if the text is not a URL.
    pub fn verdict_changes(&self, url: &[u8]) -> Result<Vec<VerdictChange<'_>>, UrlProblem> {
        let mut verdict_changes = Vec::new();
        for (agent, old, new) in &self.sides {
            let (old, new) = (url::decide(old, url)?, url::decide(new, url)?);
            if old.is_allowed() != new.is_allowed() {
                verdict_changes.push((*agent, old, new));
            }
        }
        Ok(verdict_changes)
    }
}

/// The JSON form of a URL that only one of the files allows.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChangedUrl"))]
pub struct UrlChange {
    /// The URL.
    pub url: String,
    /// The crawler.
    pub agent: String,
    /// The decision before the change.
    pub old: DecisionJson,
    /// The decision after the change.
    pub new: DecisionJson,
}

impl UrlChange {
    /// Creates the row. Bytes of the URL that are not UTF-8 are replaced.
    pub fn new(url: &[u8], (agent, old, new): &VerdictChange<'_>) -> Self {
        UrlChange {
            url: String::from_utf8_lossy(url).into_owned(),
            agent: agent.as_str().to_owned(),
            old: old.to_record().into(),
            new: new.to_record().into(),
        }
    }
}

/// The JSON form of the whole report.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DiffRow"))]
pub struct DiffDocument {
    /// The source of the old file.
    pub old: Provenance,
    /// The source of the new file.
    pub new: Provenance,
    /// The changes.
    #[serde(flatten)]
    pub report: Report,
    /// The requested URLs that only one of the files allows.
    pub urls: Vec<UrlChange>,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn compare(old: &str, new: &str) -> Result<Report, TooLarge> {
        let pair = Pair { old: RobotsTxt::parse(old), new: RobotsTxt::parse(new) };
        Report::new(&pair, &pair.named(), || {})
    }

    fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
        (0..count).fold(String::new(), |mut text, number| {
            let _ = writeln!(text, "{}", line(number));
            text
        })
    }

    #[test]
    fn files_that_were_made_to_take_long_are_refused() {
        let names = repeated(10_000, |number| format!("User-agent: {number:x}"));
        let rules = repeated(10_000, |number| format!("Disallow: /{number:x}"));
        let error = compare(&[names.as_str(), &rules].concat(), "").unwrap_err();
        assert_eq!(error, TooLarge::Crawlers { crawlers: 10_001, records: 20_000 });
        let names = repeated(400, |number| format!("User-agent: {number:x}"));
        let others = repeated(10_000, |number| format!("x: {number:x}"));
        let error = compare(&[names.as_str(), &others, "Disallow: /\n"].concat(), "").unwrap_err();
        assert_eq!(error, TooLarge::OtherLines { lines: 4_000_000 });
        let names = repeated(2_000, |number| format!("User-agent: {number:x}"));
        let long = format!("x: {}\n", "y".repeat(300_000));
        let error = compare(&[names.as_str(), &long].concat(), "").unwrap_err();
        // The reader cuts long lines.
        assert!(matches!(error, TooLarge::OtherBytes { bytes: 30_000_000..40_000_000 }), "{error}");
        let names = repeated(300, |number| format!("User-agent: {number:x}"));
        let rules = repeated(1_000, |number| format!("Disallow: /{number:x}"));
        let own = repeated(300, |number| format!("User-agent: {number:x}\nAllow: /own/{number:x}\n"));
        let error = compare(&[names, rules, own].concat(), "").unwrap_err();
        assert_eq!(error, TooLarge::Changes { crawlers: 301 });
    }

    #[test]
    fn files_as_large_as_the_largest_real_ones_are_compared() {
        let groups = repeated(1_100, |number| format!("User-agent: bot{number}\nDisallow: /\n"));
        let report = compare(&groups, &groups.replace("bot77\n", "bot77\nAllow: /a\n")).unwrap();
        assert_eq!(report.agents.len(), 1);
        assert_eq!(report.agents[0].agents, ["bot77"]);
    }
}
