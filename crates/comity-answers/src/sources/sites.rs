//! The answers of many sites for the crawlers of a request. Each site is contacted once while its answer is fresh.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use comity::robots::{Agent, Dialect};
use comity_client::{Cause, Origin};
use thiserror::Error;
use tokio::sync::{OnceCell, Semaphore};

use super::client::{LimitedClient, known_policies, policies, robots_txt};
use crate::provenance::Provenance;
use crate::site::{Site, SiteFile};
use crate::url::{UrlProblem, web_url};

/// Maximum number of origins that are cached between URLs.
const MAX_REMEMBERED: usize = 4_096;

/// The policies of many sites for the crawlers of a request.
#[derive(Debug)]
pub struct Sites {
    live: LimitedClient,
    agents: Arc<[Agent]>,
    needs_file: bool,
    /// True for a stream of URLs, in which origins repeat, and requests over a limit wait.
    is_stream: bool,
    window: Option<Semaphore>,
    known: Mutex<HashMap<Origin, Answer>>,
}

/// The answer of an origin, or the reason why the client could not contact it.
type Answer = Arc<OnceCell<Result<Arc<Site>, Arc<Cause>>>>;

/// An error that leaves the policy of a site unknown.
#[derive(Clone, Debug, Error)]
pub enum SiteError {
    /// The text is not a URL whose site can be contacted.
    #[error(transparent)]
    Url(#[from] UrlProblem),
    /// The client could not send the request.
    #[error("{cause}")]
    Client {
        /// URL of the robots.txt.
        robots_txt: String,
        /// The reason.
        cause: Arc<Cause>,
    },
    /// The caller has contacted too many new origins.
    #[error("too many new origins are requested")]
    TooManyOrigins {
        /// Time after which the caller may retry.
        retry_in: Duration,
    },
}

impl SiteError {
    /// Returns the source of the robots.txt that could not be fetched.
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
    pub(super) fn new(live: LimitedClient, agents: Arc<[Agent]>, needs_file: bool) -> Sites {
        let known = Mutex::default();
        Sites { live, agents, needs_file, is_stream: false, window: None, known }
    }

    /// Prepares for a stream of URLs: [`known`](Sites::known) uses the answers that `site` cached, and a limit on new origins
    /// causes a wait instead of an error.
    #[must_use]
    pub fn for_stream(self) -> Sites {
        Sites { is_stream: true, ..self }
    }

    /// Limits the number of origins that are contacted at once.
    #[must_use]
    pub fn at_once(self, origins: usize) -> Sites {
        Sites { window: Some(Semaphore::new(origins)), ..self }
    }

    /// Returns the policies of the site of a URL.
    ///
    /// # Errors
    ///
    /// Returns [`SiteError`]. An unreachable robots.txt is not an error: it has a policy, too.
    pub async fn site(&self, url: &[u8]) -> Result<Arc<Site>, SiteError> {
        let (_, origin) = web_url(url)?;
        let answer = match self.cached_answer(&origin) {
            Some(answer) => answer,
            None => {
                while let Err(retry_in) = self.live.admit(&origin) {
                    if !self.is_stream {
                        return Err(SiteError::TooManyOrigins { retry_in });
                    }
                    tokio::time::sleep(retry_in).await;
                }
                self.cache_entry(&origin)
            }
        };
        let result = answer.get_or_init(|| Box::pin(self.fetch(&origin))).await;
        result.clone().map_err(|cause| SiteError::Client { robots_txt: robots_txt(&origin), cause })
    }

    /// Returns the policies of the site of a URL if they are in memory. Never waits.
    pub fn known(&self, url: &str) -> Option<Arc<Site>> {
        let origin: Origin = url.parse().ok()?;
        // In a stream, origins often repeat, so they are cached here. Other requests have few URLs.
        if self.is_stream {
            return self.cached_answer(&origin)?.get()?.as_ref().ok().cloned();
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

    /// Returns the cached answer of an origin if it is still fresh. An error does not expire.
    fn cached_answer(&self, origin: &Origin) -> Option<Answer> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = known.get(origin)?;
        let is_fresh = match answer.get() {
            Some(Ok(site)) => site.is_fresh(SystemTime::now()),
            _ => true,
        };
        is_fresh.then(|| Arc::clone(answer))
    }

    fn cache_entry(&self, origin: &Origin) -> Answer {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Another task may have added an entry for the origin in the meantime.
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

    async fn fetch(&self, origin: &Origin) -> Result<Arc<Site>, Arc<Cause>> {
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
