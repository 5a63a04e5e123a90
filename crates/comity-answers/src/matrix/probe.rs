//! How a site answers us, beside what its robots.txt says to each crawler.

use comity::usage::Refusal;
use serde::Serialize;

/// The answers of the site to this client.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// Our product token.
    pub agent: String,
    /// Our whole `User-Agent` header.
    pub user_agent: String,
    /// The pages that were asked for.
    pub pages: Vec<Probed>,
}

/// The answer of the site to this client for one page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probed {
    /// The page.
    pub url: String,
    /// Where redirects led.
    pub final_url: String,
    /// The outcome, as the client's record names it: `fetched`, `robots_refused`, `transport_failed`, and so on.
    pub outcome: &'static str,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// The terms that a refusal names.
    pub refusal: Option<Refusal>,
    /// Why there is no answer.
    pub error: Option<String>,
}

comity::words! {
    /// The answer in a word.
    pub enum Word {
        /// The server refused the page.
        Refused = "refused",
        /// It gave another answer.
        Answered = "answered",
        /// robots.txt does not let us ask.
        NotAsked = "not asked",
        /// No answer came.
        Failed = "failed",
    }
}

impl Probe {
    /// Returns how many pages were refused.
    pub fn refused(&self) -> usize {
        self.pages.iter().filter(|page| page.word() == Word::Refused).count()
    }
}

impl Probed {
    /// Returns the answer in a word.
    pub fn word(&self) -> Word {
        match (&self.refusal, self.outcome) {
            (Some(_), _) => Word::Refused,
            (None, "fetched") => Word::Answered,
            (None, "robots_refused" | "robots_unreadable") => Word::NotAsked,
            (None, _) => Word::Failed,
        }
    }
}
