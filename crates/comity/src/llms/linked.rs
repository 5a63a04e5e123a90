//! Findings about the documents that links lead to.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::{LlmsTxt, kinds};
use crate::finding::{Channel, Finding, Findings, Kind, Place, quoted};

/// The answer to a request for the document of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "callers construct it")]
pub enum LinkAnswer {
    /// The server answered.
    Answered {
        /// The status code of the last answer.
        status: u16,
        /// The URL of the last answer, if redirects led to it.
        redirected_to: Option<Url>,
    },
    /// The document may not be fetched, for this reason.
    Disallowed(String),
    /// The server did not answer, for this reason.
    Failed(String),
}

impl LlmsTxt {
    /// Returns the http and https URLs of the links, without fragments, each once, in the order of the file.
    pub fn link_urls(&self) -> Vec<Url> {
        let mut known = HashSet::new();
        self.links()
            .filter_map(|link| document(link.url()?))
            .filter(|url| known.insert(url.clone()))
            .collect()
    }

    /// Returns the findings about the documents of the links, in the order of the file. `answers` has the answers for
    /// URLs of [`link_urls`](LlmsTxt::link_urls). Other links have no findings. A kind has at most
    /// [`LIMIT`](crate::finding::LIMIT) findings, and one more with the number of omitted findings.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use comity::llms::{LinkAnswer, LlmsTxt};
    ///
    /// let llms = LlmsTxt::parse("# Reed\n\n- [Start](https://example.com/start.md#first)\n");
    /// let url = llms.link_urls().remove(0);
    /// assert_eq!(url.as_str(), "https://example.com/start.md");
    ///
    /// let answers = HashMap::from([(url, LinkAnswer::Answered { status: 404, redirected_to: None })]);
    /// let findings = llms.link_findings(&answers);
    /// assert_eq!((findings[0].code(), findings[0].place().line), ("llms-link-missing", Some(3)));
    /// ```
    pub fn link_findings(&self, answers: &HashMap<Url, LinkAnswer>) -> Vec<Finding> {
        let mut findings = Findings::new();
        for link in self.links() {
            let Some(url) = link.url().and_then(document) else { continue };
            if let Some((kind, message)) = answers.get(&url).and_then(|answer| problem(&url, answer)) {
                findings.add(kind, Place::line(Channel::LlmsTxt, link.line()), || message);
            }
        }
        findings.sorted()
    }
}

/// Returns the URL to request for a link, or `None` if the link has another scheme.
fn document(url: &Url) -> Option<Url> {
    let mut url = url.clone();
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Returns the kind of problem that an answer shows, with a message.
fn problem(url: &Url, answer: &LinkAnswer) -> Option<(&'static Kind, String)> {
    let url = quoted(url.as_str());
    Some(match answer {
        LinkAnswer::Answered { status: 200..=299, redirected_to } => {
            let target = quoted(redirected_to.as_ref()?.as_str());
            (&kinds::LINK_REDIRECTED, format!("{url} redirects to {target}"))
        }
        LinkAnswer::Answered { status, .. } => {
            let kind = if matches!(status, 404 | 410) { &kinds::LINK_MISSING } else { &kinds::LINK_FAILING };
            (kind, format!("the server answers {status} for {url}"))
        }
        LinkAnswer::Disallowed(reason) => {
            (&kinds::LINK_DISALLOWED, format!("{url} may not be fetched: {reason}"))
        }
        LinkAnswer::Failed(reason) => (&kinds::LINK_FAILING, format!("{url} cannot be fetched: {reason}")),
    })
}
