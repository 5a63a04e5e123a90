//! Requests the robots.txt of one site through the client, subject to a limit per caller.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::{Policy, Treatment};
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

use crate::provenance::Provenance;
use crate::site::{self, SiteFile};

/// A client, and the limit of the caller.
#[derive(Clone, Debug)]
pub(super) struct LimitedClient {
    pub(super) client: Client,
    pub(super) admission: Option<Arc<dyn Admission>>,
}

impl LimitedClient {
    /// Returns an error with the time to wait, if the caller may not contact the origin yet.
    pub(super) fn admit(&self, origin: &Origin) -> Result<(), Duration> {
        self.admission.as_ref().map_or(Ok(()), |admission| admission.admit(origin))
    }
}

/// A limit on the number of origins that a caller can contact, for services that answer untrusted callers.
pub trait Admission: Debug + Send + Sync {
    /// Admits a request to an origin. A new origin counts against the limit of the caller.
    ///
    /// # Errors
    ///
    /// Returns the time after which the caller may retry.
    fn admit(&self, origin: &Origin) -> Result<(), Duration>;
}

impl SiteFile {
    /// Returns the file behind a policy.
    ///
    /// # Errors
    ///
    /// Returns [`Cause::Store`] if the store fails, and [`Cause::Url`] if the dialect rejects `/`.
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

/// Returns the policies of an origin's robots.txt, one for each crawler, in the order of `agents`. The client requests
/// robots.txt under its own name, unless its cache has a fresh answer.
///
/// # Errors
///
/// Returns [`Cause`] if the client could not send the request, because of the guard or the store. An unreachable
/// robots.txt is not an error: it has a policy, too.
pub async fn policies(client: &Client, origin: &Origin, agents: &[Agent]) -> Result<Vec<Arc<Policy>>, Cause> {
    // Returns a refusal by the guard as an error. In a policy, it would only count as an unreachable robots.txt.
    client.decide(&origin.robots_txt()).await?;
    let mut policies = Vec::with_capacity(agents.len());
    for agent in agents {
        policies.push(client.robots().policy_for(origin, agent).await.map_err(Cause::Store)?);
    }
    Ok(policies)
}

/// Returns the policies of [`policies`] if all are in memory and fresh.
pub fn known_policies(
    client: &Client,
    origin: &Origin,
    agents: &[Agent],
    now: SystemTime,
) -> Option<Vec<Arc<Policy>>> {
    agents.iter().map(|agent| client.robots().known_for(origin, agent, now)).collect()
}
