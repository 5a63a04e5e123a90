//! Sources that contact sites through a client.

use std::sync::Arc;
use std::time::SystemTime;

use comity::robots::Agent;
use comity_client::Client;

use super::client::{Admission, LimitedClient, policies, robots_txt};
use super::{SiteError, Sites, SourceError, Sources};
use crate::site::SiteFile;
use crate::url::web_url;

impl Sources {
    /// Creates sources that contact sites through a client.
    pub fn live(client: Client) -> Sources {
        Sources { live: Some(LimitedClient { client, admission: None }) }
    }

    /// Limits the origins that are contacted.
    #[must_use]
    pub fn admitting(mut self, admission: Arc<dyn Admission>) -> Sources {
        if let Some(live) = &mut self.live {
            live.admission = Some(admission);
        }
        self
    }

    /// Returns the sites for a request with these crawlers. `needs_file` is true if the operation needs the robots.txt itself.
    ///
    /// # Errors
    ///
    /// Returns [`SourceError::Offline`] if the sources have no client.
    pub fn sites(&self, agents: Arc<[Agent]>, needs_file: bool) -> Result<Sites, SourceError> {
        let live = self.live.clone().ok_or(SourceError::Offline)?;
        Ok(Sites::new(live, agents, needs_file))
    }

    /// Returns the robots.txt of the site of a URL, as the client's own crawler receives it.
    ///
    /// # Errors
    ///
    /// Returns [`SourceError`] if the text is not a URL, or if the client could not send the request.
    pub async fn site_file(&self, url: &[u8]) -> Result<SiteFile, SourceError> {
        let live = self.live.as_ref().ok_or(SourceError::Offline)?;
        let (_, origin) = web_url(url)?;
        live.admit(&origin).map_err(|retry_in| SourceError::TooManyOrigins { retry_in })?;
        let agents = std::slice::from_ref(live.client.agent());
        let failed = |cause| SourceError::Client { robots_txt: robots_txt(&origin), cause: Arc::new(cause) };
        let policies = policies(&live.client, &origin, agents).await.map_err(failed)?;
        let [policy] = policies.as_slice() else { return Err(SourceError::Offline) };
        SiteFile::of(&live.client, &origin, policy, SystemTime::now()).await.map_err(failed)
    }
}

impl From<SiteError> for SourceError {
    fn from(error: SiteError) -> SourceError {
        match error {
            SiteError::Url(problem) => SourceError::Url(problem),
            SiteError::Client { robots_txt, cause } => SourceError::Client { robots_txt, cause },
            SiteError::TooManyOrigins { retry_in } => SourceError::TooManyOrigins { retry_in },
        }
    }
}
