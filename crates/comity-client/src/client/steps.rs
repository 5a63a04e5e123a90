//! The steps before a request, as the pipeline, the layer and a bare decision share them.

use std::net::SocketAddr;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::shown::{self, hide_credentials, without_credentials};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::Inner;
use super::error::Cause;
use crate::Origin;
use crate::crawl::Job;
use crate::guard::ResolveError;
use crate::observe::Event;
use crate::pace::{Interval, RetryAfter};

impl Inner {
    /// The guard: the origin of a URL that may be dialled, and the addresses to dial. Somebody else's proxy resolves
    /// names by itself; then there may be none.
    pub(super) async fn admit(&self, url: &Url) -> Result<(Origin, Vec<SocketAddr>), Cause> {
        self.guard.check_url(url).map_err(Cause::Guard)?;
        let origin = Origin::of(url)
            .ok_or_else(|| Cause::Url(format!("`{}` is no URL of the web", without_credentials(url))))?;
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        match self.guard.resolve(host, port).await {
            Ok(addresses) => Ok((origin, addresses)),
            Err(ResolveError::Refused(refusal)) => Err(Cause::Guard(refusal)),
            Err(_) if self.is_proxied => Ok((origin, Vec::new())),
            Err(error) => Err(Cause::Transport(error.into())),
        }
    }

    /// robots.txt: what it says about a URL, and how far apart requests to the origin have to be.
    pub(super) async fn decide(
        &self,
        url: &Url,
        origin: &Origin,
        max_wait: Duration,
        job: &Job,
    ) -> Result<(DecisionRecord, Interval), Cause> {
        let policy = self.robots.policy_within(job, origin, max_wait).await?;
        let now = self.clock.now();
        let decision = policy
            .decide(url.as_str(), now)
            .map_err(|error| Cause::Url(format!("`{}`: {error}", without_credentials(url))))?
            .to_record();
        let (verdict, blocked) = (decision.verdict, decision.blocked);
        self.observers.on(&Event::Decided { origin, verdict, blocked });
        Ok((decision, Interval::new(&self.pace_options, policy.rules(now), now)))
    }

    /// How long an origin asks to be left alone: `Retry-After` with 429 and 503.
    pub(super) fn retry_after(&self, status: StatusCode, headers: &HeaderMap) -> Option<RetryAfter> {
        if !matches!(status.as_u16(), 429 | 503) {
            return None;
        }
        RetryAfter::read(headers, self.clock.now(), self.pace_options.max_retry_after)
    }

    /// Keeps everybody away from an origin for as long as it asks: `Retry-After` with 429 and 503.
    pub(super) async fn hold(
        &self,
        origin: &Origin,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<Option<RetryAfter>, Cause> {
        let retry_after = self.retry_after(status, headers);
        if let Some(retry_after) = &retry_after {
            self.pace.hold(origin, retry_after).await.map_err(Cause::Store)?;
        }
        Ok(retry_after)
    }
}

/// A URL of the web, without its fragment, which is never sent.
pub(super) fn parse(text: &str) -> Result<Url, Cause> {
    let refused =
        |error| Cause::Url(format!("`{}` is no URL: {error}", hide_credentials(&shown::text(text))));
    let mut url: Url = text.parse().map_err(refused)?;
    url.set_fragment(None);
    Ok(url)
}
