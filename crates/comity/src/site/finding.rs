//! Findings about a site, and the collector that merges equal findings.

use std::collections::HashMap;

use crate::finding::{Kind, Severity};

/// Maximum number of URLs that a finding lists; the others are only counted.
const URLS: usize = 20;

/// Maximum length of a stored URL, in bytes. A URL can have 16 KiB, and all findings together can list thousands of
/// URLs.
const MAX_URL: usize = 1_000;

/// Maximum number of findings that are stored. Further findings are merged by kind and severity.
const FINDINGS: usize = 1_000;

/// The message of a finding that represents others of its kind.
const MORE: &str = "further findings of this kind, on other lines or for other crawlers";

/// Returns the URL if it is short, and its start otherwise.
fn shortened(url: String) -> String {
    match crate::shown::cut(url.as_bytes(), MAX_URL).len() {
        end if end == url.len() => url,
        end => format!("{}...", url.get(..end).unwrap_or_default()),
    }
}

/// Key by which findings are merged: code, severity, message, crawlers.
type Key = (String, Severity, String, Vec<String>);

/// A problem of a site, with the number of affected URLs and the first of them.
///
/// All fields are owned, so that a finding can be stored and deserialized.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SiteFinding {
    /// The code of the finding's kind.
    pub code: String,
    /// The severity of this finding, which may differ from the severity of its kind.
    pub severity: Severity,
    /// The problem: lower case, no full stop, text of the site in backticks.
    pub message: String,
    /// The advice on how to resolve it.
    pub help: String,
    /// The affected crawlers; empty if all of them are affected.
    pub agents: Vec<String>,
    /// The deciding line of robots.txt; for a finding in a sitemap, the line where it first occurs.
    pub line: Option<u64>,
    /// The number of affected URLs.
    pub count: u64,
    /// The first affected URLs: pages or sitemaps, at most 20. Of a URL with more than 1,000 bytes, only the start is
    /// stored, with `...` at its end.
    pub urls: Vec<String>,
}

/// A collector of findings that merges equal findings about several URLs.
#[derive(Debug, Default)]
pub(super) struct SiteFindings {
    findings: Vec<SiteFinding>,
    /// The index of each finding in `findings`, by key.
    places: HashMap<Key, usize>,
}

impl SiteFinding {
    fn key(&self) -> Key {
        (self.code.clone(), self.severity, self.message.clone(), self.agents.clone())
    }
}

impl SiteFindings {
    /// Adds a finding, or its URLs if an equal finding exists. Beyond the limit, one finding of each kind and severity
    /// represents the others.
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
                known.urls.extend(finding.urls.into_iter().take(room).map(shortened));
            }
            None => {
                finding.urls = finding.urls.into_iter().take(URLS).map(shortened).collect();
                self.places.insert(key, self.findings.len());
                self.findings.push(finding);
            }
        }
    }

    /// Returns the findings in descending order of severity, then by kind, then in descending order of affected URLs.
    pub(super) fn sorted(mut self) -> Vec<SiteFinding> {
        let order = |code: &str| Kind::all().position(|kind| kind.code() == code);
        self.findings.sort_by_cached_key(|found| {
            let (severity, count) = (std::cmp::Reverse(found.severity), std::cmp::Reverse(found.count));
            (severity, order(&found.code), count, found.message.clone())
        });
        self.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_url_is_stored_shortened() {
        let url = |letter: &str| format!("https://example.com/a{}", letter.repeat(9_000));
        let finding = |url: String| SiteFinding {
            code: "code".to_owned(),
            severity: Severity::Warning,
            message: "message".to_owned(),
            help: String::new(),
            agents: Vec::new(),
            line: None,
            count: 1,
            urls: vec![url],
        };
        let mut findings = SiteFindings::default();
        for letter in ["x", "\u{e9}"] {
            findings.add(finding(url(letter)));
        }
        let found = findings.sorted();
        assert_eq!(found[0].urls.len(), 2);
        for url in &found[0].urls {
            assert!(url.len() <= MAX_URL + 3 && url.ends_with("...") && !url.contains('\u{fffd}'), "{url}");
        }
    }
}
