//! Reads the robots.txt of one site.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::{Policy, Treatment};
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

use super::{SiteError, Sites, SourceError, Sources};
use crate::provenance::Provenance;
use crate::site::{self, SiteFile};
use crate::url::web_url;

/// A client, with limits on its use.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) client: Client,
    pub(super) admission: Option<Arc<dyn Admission>>,
}

impl Live {
    /// Returns the time after which the caller may contact an origin, if it may not do so now.
    pub(super) fn admit(&self, origin: &Origin) -> Result<(), Duration> {
        self.admission.as_ref().map_or(Ok(()), |admission| admission.admit(origin))
    }
}

/// A limit on the origins that a caller may have contacted, for services with untrusted callers.
pub trait Admission: Debug + Send + Sync {
    /// Admits a request to an origin. It counts against the caller's limit if the origin is new.
    ///
    /// # Errors
    ///
    /// Returns the time after which the caller may repeat the request.
    fn admit(&self, origin: &Origin) -> Result<(), Duration>;
}

impl Sources {
    /// Creates sources that contact sites through a client.
    pub fn live(client: Client) -> Sources {
        Sources { live: Some(Live { client, admission: None }) }
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

impl SiteFile {
    /// Returns the file behind a policy.
    ///
    /// # Errors
    ///
    /// Returns [`Cause::Store`] if the store fails.
    pub async fn of(
        client: &Client,
        origin: &Origin,
        policy: &Policy,
        now: SystemTime,
    ) -> Result<SiteFile, Cause> {
        let decision = policy.decide("/", now).map_err(|error| Cause::Url(error.into()))?;
        let url = Some(robots_txt(origin));
        let provenance = Provenance { url, ..Provenance::of_decision(&decision, now) };
        let is_read = matches!(decision.treatment(), Some(Treatment::ReadRules | Treatment::LastGood));
        let robots = client.robots();
        let body = if is_read { robots.body(origin).await.map_err(Cause::Store)? } else { None };
        let has_body = body.is_some();
        let charset = if has_body { robots.charset(origin).await.map_err(Cause::Store)? } else { None };
        let page = match !has_body && site::is_page(&decision) {
            true => robots.served(origin).await.map_err(Cause::Store)?,
            false => None,
        };
        let [body, page] = [body, page].map(|bytes| bytes.map(|bytes| bytes.to_vec()));
        let origin = origin.as_str().to_owned();
        Ok(SiteFile { origin, decision: decision.to_record(), provenance, body, charset, page })
    }
}

/// Returns the URL of an origin's robots.txt, without parsing it as [`Origin::robots_txt`] does.
pub(super) fn robots_txt(origin: &Origin) -> String {
    [origin.as_str(), "/robots.txt"].concat()
}

/// Returns the policy of an origin's robots.txt for each crawler, in their order. The client requests the file under its own
/// name, unless its cache has a fresh answer.
///
/// # Errors
///
/// Returns [`Cause`] if the client could not send the request: guard, store. A robots.txt that cannot be fetched is not an error:
/// it leads to a policy.
pub async fn policies(client: &Client, origin: &Origin, agents: &[Agent]) -> Result<Vec<Arc<Policy>>, Cause> {
    // The guard's refusal is an error here. Without this, robots.txt would only count as unreachable.
    client.decide(&origin.robots_txt()).await?;
    let mut policies = Vec::with_capacity(agents.len());
    for agent in agents {
        policies.push(client.robots().policy_for(origin, agent).await.map_err(Cause::Store)?);
    }
    Ok(policies)
}

/// Returns the policies in the form of [`policies`] if all are in memory and fresh.
pub fn known_policies(
    client: &Client,
    origin: &Origin,
    agents: &[Agent],
    now: SystemTime,
) -> Option<Vec<Arc<Policy>>> {
    agents.iter().map(|agent| client.robots().known_for(origin, agent, now)).collect()
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
