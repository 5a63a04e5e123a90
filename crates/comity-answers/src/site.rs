//! What sites serve, asked for through the client.

use std::sync::Arc;
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::policy::{AnswerKind, Decision, Policy, Treatment};
use comity::robots::{Agent, UrlError};
use comity_client::{Cause, Client, Origin};

use crate::provenance::Provenance;

/// Returns what an origin's robots.txt means to each crawler, in their order. The origin is asked, if the cache does not
/// know, under the client's own name.
///
/// # Errors
///
/// What kept us from asking: the guard, the store. A robots.txt that cannot be fetched is not an error: it leads to a policy.
pub async fn policies(client: &Client, origin: &Origin, agents: &[Agent]) -> Result<Vec<Arc<Policy>>, Cause> {
    // The guard's refusal is an error here. Without this, robots.txt would only count as unreachable.
    client.decide(&origin.robots_txt()).await?;
    let mut policies = Vec::with_capacity(agents.len());
    for agent in agents {
        policies.push(client.robots().policy_for(origin, agent).await.map_err(Cause::Store)?);
    }
    Ok(policies)
}

/// Returns the same if all of it is in memory and fresh. It never waits.
pub fn known_policies(
    client: &Client,
    origin: &Origin,
    agents: &[Agent],
    now: SystemTime,
) -> Option<Vec<Arc<Policy>>> {
    agents.iter().map(|agent| client.robots().known_for(origin, agent, now)).collect()
}

/// The robots.txt of a site, as far as there is one.
#[derive(Clone, Debug)]
pub struct SiteFile {
    /// How it came.
    pub provenance: Provenance,
    /// The decision about `/` that follows from it.
    pub decision: DecisionRecord,
    /// The text that is read; `None` if no rules decide.
    pub body: Option<Vec<u8>>,
    /// The charset in the `Content-Type` that it came with.
    pub charset: Option<String>,
    /// The page that stands in its place.
    pub page: Option<Vec<u8>>,
    /// The URLs that redirects led to, in order.
    pub redirects: Vec<String>,
}

/// The reason why a [`SiteFile`] cannot be told.
#[derive(Debug)]
pub enum SiteError {
    /// The store failed.
    Client(Cause),
    /// The dialect finds no path in `/`.
    Url(UrlError),
}

impl SiteFile {
    /// Returns the file that a policy rests on.
    ///
    /// # Errors
    ///
    /// [`SiteError`] if the store fails.
    pub async fn of(
        client: &Client,
        origin: &Origin,
        policy: &Policy,
        now: SystemTime,
    ) -> Result<SiteFile, SiteError> {
        let decision = policy.decide("/", now).map_err(SiteError::Url)?;
        let provenance = Provenance::of_site(origin, &decision, now);
        let is_read = matches!(decision.treatment(), Some(Treatment::ReadRules | Treatment::LastGood));
        let is_page = stands_for_a_page(&decision);
        let store = |error| SiteError::Client(Cause::Store(error));
        let robots = client.robots();
        let body = if is_read { robots.body(origin).await.map_err(store)? } else { None };
        let is_there = body.is_some();
        let charset = if is_there { robots.charset(origin).await.map_err(store)? } else { None };
        let page = if !is_there && is_page { robots.served(origin).await.map_err(store)? } else { None };
        let [body, page] = [body, page].map(|bytes| bytes.map(|bytes| bytes.to_vec()));
        let redirects = decision.evidence().map_or_else(Vec::new, |evidence| evidence.redirects().to_vec());
        Ok(SiteFile { provenance, decision: decision.to_record(), body, charset, page, redirects })
    }

    /// Returns whether everything is allowed because there is no file, as with an empty one.
    pub fn allows_all(&self) -> bool {
        self.decision.treatment == Some(Treatment::AllowAll)
    }
}

fn stands_for_a_page(decision: &Decision<'_>) -> bool {
    decision.evidence().is_some_and(|evidence| {
        let kind = evidence.kind();
        matches!(kind, AnswerKind::HtmlSoft404 | AnswerKind::XmlSoft404 | AnswerKind::JsonSoft404)
    })
}
