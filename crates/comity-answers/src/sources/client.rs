//! The client that asks sites, and what it knows of one of them.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::{Policy, Treatment};
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

use crate::provenance::Provenance;
use crate::site::{self, SiteFile};

/// A client, and who may use it for what.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) client: Client,
    pub(super) admission: Option<Arc<dyn Admission>>,
}

impl Live {
    /// Returns the time after which the caller may ask an origin, if that is not now.
    pub(super) fn admit(&self, origin: &Origin) -> Result<(), Duration> {
        self.admission.as_ref().map_or(Ok(()), |admission| admission.admit(origin))
    }
}

/// A limit of the origins that a caller may have asked, for services that answer strangers.
pub trait Admission: Debug + Send + Sync {
    /// Admits a question to an origin, which counts against the caller's limit if the origin is new.
    ///
    /// # Errors
    ///
    /// The time after which the caller may ask.
    fn admit(&self, origin: &Origin) -> Result<(), Duration>;
}

impl SiteFile {
    /// Returns the file that a policy rests on.
    ///
    /// # Errors
    ///
    /// [`Cause::Store`] if the store fails.
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

/// Returns what an origin's robots.txt means to each crawler, in their order. The client asks the origin under its own name, unless its
/// cache has a fresh answer.
///
/// # Errors
///
/// [`Cause`] if the client could not ask: guard, store. A robots.txt that cannot be fetched is not an error: it leads to a policy.
pub async fn policies(client: &Client, origin: &Origin, agents: &[Agent]) -> Result<Vec<Arc<Policy>>, Cause> {
    // The guard's refusal is an error here. Without this, robots.txt would only count as unreachable.
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
