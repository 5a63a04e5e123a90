//! A finding about a site, and the collector that puts equal ones together.

use std::collections::HashMap;

use crate::finding::{Kind, Severity};

/// So many URLs of a finding are named; the others are counted.
const URLS: usize = 20;

/// So many findings are kept; the others are counted by their kinds.
const FINDINGS: usize = 1_000;

/// The message of a finding that stands for others of its kind.
const MORE: &str = "more like this, each by another line or for other crawlers";

/// What is the same in findings that become one: code, severity, message, crawlers.
type Key = (String, Severity, String, Vec<String>);

/// Something that a site says in contradiction to itself, with all URLs of which that is true.
///
/// It is owned text throughout, so that it can be kept beside a result and read again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SiteFinding {
    /// The name of its kind.
    pub code: String,
    /// The severity at this place.
    pub severity: Severity,
    /// The problem: lower case, no full stop, the words of the site in backticks.
    pub message: String,
    /// The way out.
    pub help: String,
    /// The crawlers that it is about; empty if it is about all of them.
    pub agents: Vec<String>,
    /// The line that decides, in robots.txt; in a sitemap, the line of the first place.
    pub line: Option<u64>,
    /// The number of URLs that it is about.
    pub count: u64,
    /// The first of them: pages, or sitemaps. At most 20.
    pub urls: Vec<String>,
}

/// Collects findings. Those that say the same of several URLs become one.
#[derive(Debug, Default)]
pub(super) struct Collected {
    findings: Vec<SiteFinding>,
    /// The places of findings, by what they say.
    places: HashMap<Key, usize>,
}

impl SiteFinding {
    fn key(&self) -> Key {
        (self.code.clone(), self.severity, self.message.clone(), self.agents.clone())
    }
}

impl Collected {
    /// Adds a finding, or the URLs of one that says the same. Beyond the limit, one finding of each kind stands for the others.
    pub(super) fn add(&mut self, mut finding: SiteFinding) {
        let mut key = finding.key();
        if self.findings.len() >= FINDINGS && !self.places.contains_key(&key) {
            finding = SiteFinding { message: MORE.to_owned(), agents: Vec::new(), line: None, ..finding };
            key = finding.key();
        }
        let place = self.places.get(&key).copied();
        match place.and_then(|place| self.findings.get_mut(place)) {
            Some(known) => {
                known.count += finding.count;
                let room = URLS.saturating_sub(known.urls.len());
                known.urls.extend(finding.urls.into_iter().take(room));
            }
            None => {
                self.places.insert(key, self.findings.len());
                self.findings.push(finding);
            }
        }
    }

    /// Returns the findings, the gravest first, and those of one kind by how many URLs they are about.
    pub(super) fn sorted(mut self) -> Vec<SiteFinding> {
        let order = |code: &str| Kind::all().position(|kind| kind.code() == code);
        self.findings.sort_by_cached_key(|found| {
            let (severity, count) = (std::cmp::Reverse(found.severity), std::cmp::Reverse(found.count));
            (severity, order(&found.code), count, found.message.clone())
        });
        self.findings
    }
}
