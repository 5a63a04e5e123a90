//! Sources of robots.txt bodies: the text in a request, or the answer of a site.
//!
//! | module | content |
//! |---|---|
//! | `client` | one robots.txt of a site (feature `live`) |
//! | `live` | sources that contact sites (feature `live`) |
//! | `sites` | the answers of many sites for the crawlers of a request, which are cached (feature `live`) |

#[cfg(feature = "live")]
mod client;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod sites;

use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::policy::Treatment;
use thiserror::Error;

#[cfg(feature = "live")]
pub use self::client::{Admission, known_policies, policies};
#[cfg(feature = "live")]
pub use self::sites::{SiteError, Sites};
use crate::notice::Notice;
use crate::provenance::Provenance;
use crate::request::{FileRequest, RequestError};
use crate::robots_file::RobotsFile;
use crate::site::SiteFile;
use crate::url::UrlProblem;

/// The source of robots.txt bodies for operations: requests themselves, and sites if there is a client.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    #[cfg(feature = "live")]
    live: Option<client::LimitedClient>,
}

/// An error that prevents reading a robots.txt.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The request cannot be answered.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The text that names the site is not a URL.
    #[error(transparent)]
    Url(#[from] UrlProblem),
    /// The sources have no client.
    #[error("sites cannot be contacted here: give the text of the robots.txt")]
    Offline,
    /// The site has no robots.txt that can be read.
    #[error(transparent)]
    Unreadable(Box<Unreadable>),
    /// The client could not contact the site.
    #[cfg(feature = "live")]
    #[error("{cause}")]
    Client {
        /// URL of the robots.txt.
        robots_txt: String,
        /// The reason.
        cause: std::sync::Arc<comity_client::Cause>,
    },
    /// The caller has contacted too many new origins.
    #[error("too many new origins are requested")]
    TooManyOrigins {
        /// Time after which the caller may retry.
        retry_in: Duration,
    },
}

/// A robots.txt that cannot be read: the site sent no file, or the mode ignores robots.txt.
#[derive(Clone, Debug, Error)]
#[error("cannot read a robots.txt at `{name}` ({}): {}", self.answer(), self.consequence())]
pub struct Unreadable {
    /// URL of the robots.txt.
    pub name: String,
    /// Decision of the preset about `/`.
    pub decision: DecisionRecord,
    /// Source of the answer.
    pub provenance: Provenance,
}

impl Unreadable {
    fn answer(&self) -> String {
        let status = self.provenance.status.map(|status| status.to_string());
        let failure = || self.provenance.failure.map(|failure| failure.to_string());
        status.or_else(failure).unwrap_or_else(|| "not requested".to_owned())
    }

    /// Returns the treatment of the answer in words.
    pub fn consequence(&self) -> &'static str {
        consequence(self.decision.treatment)
    }
}

/// Returns the treatment of an answer in words; `None` means that robots.txt is ignored.
pub fn consequence(treatment: Option<Treatment>) -> &'static str {
    match treatment {
        None => "robots.txt is ignored",
        Some(Treatment::AllowAll) => "there are no rules, so everything is allowed",
        Some(Treatment::DisallowAll) => "the answer disallows everything",
        Some(Treatment::Stop) => "the rules are unknown, so no URL is fetched",
        Some(Treatment::Warn) => "it is not a robots.txt: everything is allowed, with a warning",
        Some(Treatment::FailOpen) => "the rules are unknown, and the preset fails open",
        Some(Treatment::FailOpenUnwarned) => "the rules are unknown, and everything is allowed",
        Some(Treatment::HandToCaller) => {
            "the rules are unknown, and the preset leaves the decision to the caller; no URL is fetched"
        }
        Some(_) => "the rules decide",
    }
}

impl Sources {
    /// Creates sources that contact no sites.
    pub fn offline() -> Sources {
        Sources::default()
    }

    /// Returns the robots.txt of a request: the text in it, or the file of a site. `name` is the name of the text in answers.
    ///
    /// A missing robots.txt (404) is returned as an empty file. If the site serves a page instead, the page is returned
    /// ([`RobotsFile::is_page`]).
    ///
    /// # Errors
    ///
    /// Returns [`SourceError`] if the request has neither a text nor a site, if it has both, or if the site has no
    /// readable robots.txt.
    pub async fn robots_file(&self, request: FileRequest, name: &str) -> Result<RobotsFile, SourceError> {
        match (request.robots, request.site) {
            (Some(text), None) => Ok(RobotsFile::of_text(name, text)),
            (None, Some(site)) => {
                let file = self.site_file(site.as_bytes()).await?;
                file.into_robots_file().map_err(SourceError::Unreadable)
            }
            _ => {
                let message = "give either `robots`, the text, or `site`, a URL of the site";
                Err(RequestError::invalid(message).into())
            }
        }
    }

    /// Returns the robots.txt of a request for operations that use its rules: a page instead of a robots.txt becomes an empty
    /// file, with a notice.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Sources::robots_file`].
    pub async fn rules_file(
        &self,
        request: FileRequest,
        name: &str,
    ) -> Result<(RobotsFile, Option<Notice>), SourceError> {
        let mut file = self.robots_file(request, name).await?;
        let notice = file.remove_page();
        Ok((file, notice))
    }

    /// Returns an error, since sites can be contacted only with the feature `live`.
    ///
    /// # Errors
    ///
    /// Always returns [`SourceError::Offline`].
    #[cfg(not(feature = "live"))]
    #[expect(clippy::unused_async, reason = "the version with the feature `live` is asynchronous")]
    pub async fn site_file(&self, _: &[u8]) -> Result<SiteFile, SourceError> {
        Err(SourceError::Offline)
    }
}

impl SiteFile {
    /// Returns the robots.txt, or the page that the site serves instead. A missing file is returned as an empty one.
    ///
    /// # Errors
    ///
    /// Returns [`Unreadable`] if the file could not be fetched, or if the mode ignores it.
    pub fn into_robots_file(self) -> Result<RobotsFile, Box<Unreadable>> {
        let name = self.url();
        let allows_all = self.allows_all();
        let SiteFile { decision, provenance, body, charset, page, .. } = self;
        let is_page = body.is_none() && page.is_some();
        match body.or(page).or_else(|| allows_all.then(Vec::new)) {
            Some(body) => Ok(RobotsFile { charset, is_page, ..RobotsFile::new(name, body, provenance) }),
            None => Err(Box::new(Unreadable { name, decision, provenance })),
        }
    }
}
