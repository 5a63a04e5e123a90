//! The answers of a site to this client, for comparison with the rules of its robots.txt.

use comity::usage::Refusal;
use serde::Serialize;

/// The answers of the site to this client.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// The product token of this client.
    pub agent: String,
    /// The full `User-Agent` header of this client.
    pub user_agent: String,
    /// The pages that were requested.
    pub pages: Vec<ProbedPage>,
}

/// The answer of the site to this client for one page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbedPage {
    /// The page.
    pub url: String,
    /// The URL after redirects.
    pub final_url: String,
    /// The outcome, by its name in the record of the client: `fetched`, `robots_refused`, `transport_failed`, and so on.
    pub outcome: &'static str,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// The terms in a refusal.
    pub refusal: Option<Refusal>,
    /// The reason why the page was not fetched.
    pub error: Option<String>,
}

comity::words! {
    /// The answer as one word.
    pub enum Word as "answer" {
        /// The server refused the page.
        Refused = "refused",
        /// The server sent any other answer.
        Answered = "answered",
        /// robots.txt does not allow the request.
        NotAsked = "not asked",
        /// The fetch failed for another reason.
        Failed = "failed",
    }
}

impl Probe {
    /// Returns the number of refused pages.
    pub fn refused(&self) -> usize {
        self.pages.iter().filter(|page| page.word() == Word::Refused).count()
    }
}

impl ProbedPage {
    /// Returns the answer as one word.
    pub fn word(&self) -> Word {
        match (&self.refusal, self.outcome) {
            (Some(_), _) => Word::Refused,
            (None, "fetched") => Word::Answered,
            (None, "robots_refused" | "robots_unreadable") => Word::NotAsked,
            (None, _) => Word::Failed,
        }
    }
}
