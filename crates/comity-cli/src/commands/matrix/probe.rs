//! `--probe`: how the site answers us, beside what its robots.txt says to each crawler.
//!
//! A page is asked for as everything is: under our own name, and only if robots.txt lets us. So a refusal is a fact about us,
//! which the views show in a part of its own and never in a crawler's row.

use comity::usage::Refusal;
#[cfg(feature = "live")]
use comity_client::retrieval::FetchRecord;
use serde::Serialize;
use url::Url;

use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::sites::Session;

/// How the site answers us.
#[derive(Serialize)]
pub(super) struct Probe {
    /// Our product token.
    pub(super) agent: String,
    /// Our whole `User-Agent` header.
    pub(super) user_agent: String,
    pub(super) pages: Vec<Probed>,
}

/// How the site answers us for one page.
#[derive(Serialize)]
pub(super) struct Probed {
    pub(super) url: String,
    /// Where redirects led.
    pub(super) final_url: String,
    /// How it ended, as the client's record names it: `fetched`, `robots_refused`, `transport`, and so on.
    pub(super) outcome: &'static str,
    pub(super) status: Option<u16>,
    pub(super) refusal: Option<Refusal>,
    pub(super) error: Option<String>,
}

/// The answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The server refused the page.
    Refused,
    /// It gave another answer.
    Answered,
    /// robots.txt does not let us ask.
    NotAsked,
    /// No answer came.
    Failed,
}

impl Word {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Word::Refused => "refused",
            Word::Answered => "answered",
            Word::NotAsked => "not asked",
            Word::Failed => "failed",
        }
    }
}

impl Probe {
    /// Returns how many pages were refused.
    pub(super) fn refused(&self) -> usize {
        self.pages.iter().filter(|page| page.word() == Word::Refused).count()
    }
}

impl Probed {
    pub(super) fn word(&self) -> Word {
        match (&self.refusal, self.outcome) {
            (Some(_), _) => Word::Refused,
            (None, "fetched") => Word::Answered,
            (None, "robots_refused") => Word::NotAsked,
            (None, _) => Word::Failed,
        }
    }

    #[cfg(feature = "live")]
    fn of(record: &FetchRecord) -> Self {
        Probed {
            url: record.requested_url.clone(),
            final_url: record.final_url.clone(),
            outcome: record.outcome.as_str(),
            status: record.content.as_ref().map(|content| content.status),
            refusal: record.refusal.clone(),
            error: record.error.clone(),
        }
    }
}

/// Asks the site for pages.
#[cfg(feature = "live")]
pub(super) fn ask(session: &Session, pages: &[Url], output: &mut Output) -> (Probe, Exit) {
    let client = session.client();
    let mut probe = Probe { agent: String::new(), user_agent: String::new(), pages: Vec::new() };
    let mut exit = Exit::Success;
    for url in pages {
        let record = match session.wait(crate::sites::page::look(client, url.as_str())) {
            Ok(page) => page.record().clone(),
            Err(error) => {
                let record = error.record().clone();
                let trouble = crate::sites::trouble::Trouble::from(error);
                // That robots.txt does not let us ask is said with the page.
                if trouble.exit != Exit::Objection {
                    exit = exit.max(trouble.report(output));
                }
                record
            }
        };
        probe.agent.clone_from(&record.agent);
        probe.user_agent.clone_from(&record.user_agent);
        probe.pages.push(Probed::of(&record));
    }
    (probe, exit)
}

/// Asks for nothing: there is no session in a build without the network.
#[cfg(not(feature = "live"))]
pub(super) fn ask(session: &Session, _: &[Url], _: &mut Output) -> (Probe, Exit) {
    match *session {}
}

/// The addresses of the pages that the URLs name, each once; without URLs, that of the site's root.
pub(super) fn pages(location: &Location, urls: &[Vec<u8>]) -> Result<Vec<Url>, Failure> {
    let base: Option<Url> = match location {
        Location::Site { url, .. } => url.parse().ok(),
        _ => None,
    };
    let nowhere = |what: &str| {
        Failure::new(format!("nothing says on which site {what} is"))
            .hint("write URLs with https://, or name the site: comity matrix --probe https://example.com")
    };
    if urls.is_empty() {
        let root = base.and_then(|base| base.join("/").ok());
        return root.map(|root| vec![root]).ok_or_else(|| nowhere("the page to ask for"));
    }
    let mut pages: Vec<Url> = Vec::new();
    for url in urls {
        let text = String::from_utf8_lossy(url);
        let page = match &base {
            _ if crate::location::has_scheme(url) => text.parse().ok(),
            Some(base) => base.join(&text).ok(),
            None => None,
        };
        let page = page.ok_or_else(|| nowhere(&format!("`{text}`")))?;
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    Ok(pages)
}
