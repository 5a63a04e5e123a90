//! What many sites say to the crawlers of a request, each asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use comity::robots::{Agent, Dialect};
use comity_client::{Cause, Origin};
use thiserror::Error;
use tokio::sync::{OnceCell, Semaphore};

use super::client::{Live, known_policies, policies, robots_txt};
use crate::provenance::Provenance;
use crate::site::{Site, SiteFile};
use crate::url::{UrlProblem, web_url};

/// Maximum number of origins that are remembered between URLs. The client's own cache remembers more.
const MAX_REMEMBERED: usize = 4_096;

/// The policies of many sites for the crawlers of a request. Each site is asked once.
#[derive(Debug)]
pub struct Sites {
    live: Live,
    agents: Arc<[Agent]>,
    needs_file: bool,
    /// True if URLs come in a stream, so that origins come back and limits are waited for.
    is_stream: bool,
    window: Option<Semaphore>,
    known: Mutex<HashMap<Origin, Answer>>,
}

/// The answer of an origin, or the reason why the client could not ask it.
type Answer = Arc<OnceCell<Result<Arc<Site>, Arc<Cause>>>>;

/// An error that leaves the policy of a site unknown.
#[derive(Clone, Debug, Error)]
pub enum SiteError {
    /// The text is not a URL whose site can be asked.
    #[error(transparent)]
    Url(#[from] UrlProblem),
    /// The client could not ask.
    #[error("{cause}")]
    Client {
        /// URL of the robots.txt.
        robots_txt: String,
        /// The reason.
        cause: Arc<Cause>,
    },
    /// The caller has asked for too many new origins.
    #[error("too many new origins are asked for")]
    TooManyOrigins {
        /// Time after which the caller may ask again.
        retry_in: Duration,
    },
}

impl SiteError {
    /// Returns the origin of the robots.txt that could not be fetched.
    pub fn provenance(&self) -> Provenance {
        match self {
            SiteError::Client { robots_txt, .. } => {
                Provenance { url: Some(robots_txt.clone()), ..Provenance::default() }
            }
            _ => Provenance::default(),
        }
    }
}

impl Sites {
    pub(super) fn new(live: Live, agents: Arc<[Agent]>, needs_file: bool) -> Sites {
        let known = Mutex::default();
        Sites { live, agents, needs_file, is_stream: false, window: None, known }
    }

    /// Prepares for a stream of URLs: origins that were asked are remembered, and a limit of new origins is waited for instead of being an
    /// error.
    #[must_use]
    pub fn for_stream(self) -> Sites {
        Sites { is_stream: true, ..self }
    }

    /// Limits the number of origins that are asked at once.
    #[must_use]
    pub fn at_once(self, origins: usize) -> Sites {
        Sites { window: Some(Semaphore::new(origins)), ..self }
    }

    /// Returns what the site of a URL says.
    ///
    /// # Errors
    ///
    /// [`SiteError`]. A robots.txt that cannot be fetched is not an error: it leads to a policy.
    pub async fn site(&self, url: &[u8]) -> Result<Arc<Site>, SiteError> {
        let (_, origin) = web_url(url)?;
        let answer = match self.remembered(&origin) {
            Some(answer) => answer,
            None => {
                while let Err(retry_in) = self.live.admit(&origin) {
                    if !self.is_stream {
                        return Err(SiteError::TooManyOrigins { retry_in });
                    }
                    tokio::time::sleep(retry_in).await;
                }
                self.remember(&origin)
            }
        };
        let asked = answer.get_or_init(|| Box::pin(self.ask(&origin))).await;
        asked.clone().map_err(|cause| SiteError::Client { robots_txt: robots_txt(&origin), cause })
    }

    /// Returns what the site of a URL says if that is in memory. Never waits.
    pub fn known(&self, url: &str) -> Option<Arc<Site>> {
        let origin: Origin = url.parse().ok()?;
        // A stream comes back to an origin often, and remembers it. Other requests are about few URLs.
        if self.is_stream {
            return self.remembered(&origin)?.get()?.as_ref().ok().cloned();
        }
        if self.needs_file {
            return None;
        }
        let policies = known_policies(&self.live.client, &origin, &self.agents, SystemTime::now())?;
        Some(Arc::new(Site::new(robots_txt(&origin), policies, None, self.dialect())))
    }

    fn dialect(&self) -> Dialect {
        self.live.client.preset().dialect()
    }

    /// Returns the answer of an origin that was asked before, unless it is no longer fresh. A refusal counts for the rest of the stream.
    fn remembered(&self, origin: &Origin) -> Option<Answer> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = known.get(origin)?;
        let is_fresh = match answer.get() {
            Some(Ok(site)) => site.is_fresh(SystemTime::now()),
            _ => true,
        };
        is_fresh.then(|| Arc::clone(answer))
    }

    fn remember(&self, origin: &Origin) -> Answer {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Another URL of the origin may have come first.
        if let Some(answer) = known.get(origin).filter(|answer| answer.get().is_none()) {
            return Arc::clone(answer);
        }
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        let answer = Answer::default();
        known.insert(origin.clone(), Arc::clone(&answer));
        answer
    }

    async fn ask(&self, origin: &Origin) -> Result<Arc<Site>, Arc<Cause>> {
        let _permit = match &self.window {
            // The semaphore is never closed, and its queue is in the order of the URLs.
            Some(window) => window.acquire().await.ok(),
            None => None,
        };
        let client = &self.live.client;
        let policies = policies(client, origin, &self.agents).await?;
        let file = match policies.first().filter(|_| self.needs_file) {
            Some(policy) => Some(SiteFile::of(client, origin, policy, SystemTime::now()).await?),
            None => None,
        };
        Ok(Arc::new(Site::new(robots_txt(origin), policies, file, self.dialect())))
    }
}
