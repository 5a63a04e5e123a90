//! For people with their own HTTP stack: everything that comes before a request, and what is learnt after it.

use std::net::SocketAddr;
use std::time::Duration;

use comity::decision::DecisionRecord;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::error::Cause;
use super::{Client, steps};
use crate::Origin;
use crate::breaker::Permit;
use crate::crawl::Job;
use crate::observe::Event;
use crate::pace::{PaceError, Turn};
use crate::retry::Attempt as Ended;

/// The right to send one request now: guard, circuit breaker, robots.txt and pace have agreed.
///
/// It holds one of the origin's permits until it is dropped: keep it until the body is read. Say how it went with
/// [`answered`](Admission::answered) or [`failed`](Admission::failed), or the circuit breaker and `Retry-After` do
/// nothing.
#[derive(Debug)]
#[must_use = "the right to send is given back when it is dropped"]
pub struct Admission {
    client: Client,
    url: Url,
    origin: Origin,
    addresses: Vec<SocketAddr>,
    decision: DecisionRecord,
    turn: Turn,
    permit: Option<Permit>,
}

impl Client {
    /// Waits until a request for a URL may be sent by whatever means.
    ///
    /// A redirect that comes back is another request: it has to be admitted again.
    ///
    /// # Errors
    ///
    /// [`Cause`]: which step refused.
    ///
    /// ```no_run
    /// # async fn send_with_my_own_stack(_: &[std::net::SocketAddr]) -> http::Response<()> { http::Response::new(()) }
    /// # async fn example(client: comity_client::Client) -> Result<(), comity_client::Cause> {
    /// let mut admission = client.admit("https://example.com/page", None).await?;
    /// // Dial these addresses and no others.
    /// let response = send_with_my_own_stack(admission.addresses()).await;
    /// admission.answered(response.status(), response.headers()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn admit(&self, url: impl AsRef<str>, max_wait: Option<Duration>) -> Result<Admission, Cause> {
        let admitted = self.try_admit(url.as_ref(), max_wait).await;
        if let Err(cause) = &admitted {
            self.inner.observers.on(&Event::Refused { step: cause.step() });
        }
        admitted
    }

    async fn try_admit(&self, url: &str, max_wait: Option<Duration>) -> Result<Admission, Cause> {
        let inner = &*self.inner;
        let max_wait = max_wait.unwrap_or(Duration::MAX);
        let url = steps::parse(url)?;
        let (origin, addresses) = inner.admit(&url).await?;
        let permit = inner.breaker.admit(&origin, inner.clock.now()).map_err(Cause::Circuit)?;
        let (decision, interval) = inner.decide(&url, &origin, max_wait, &Job::default()).await?;
        if decision.blocked {
            return Err(Cause::Robots(Box::new(decision)));
        }
        let turn = inner.pace.enter(&origin, &interval, max_wait).await.map_err(Cause::from)?;
        if let Some(reason) = turn.reason() {
            let duration = turn.waited();
            inner.observers.on(&Event::Waited { origin: &origin, duration, reason: reason.as_str() });
        }
        Ok(Admission { client: self.clone(), url, origin, addresses, decision, turn, permit: Some(permit) })
    }
}

impl Admission {
    /// The addresses that the guard checked. To dial any other is to go round it. Empty if a proxy resolves names.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The URL that was decided on, in the form in which it has to be sent: as the URL standard writes it, dot segments
    /// resolved, the default port and the fragment left out.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// What robots.txt says.
    pub fn decision(&self) -> &DecisionRecord {
        &self.decision
    }

    /// How long it was waited for.
    pub fn waited(&self) -> Duration {
        self.turn.waited()
    }

    /// There is an answer.
    ///
    /// # Errors
    ///
    /// [`Cause::Store`] if a `Retry-After` could not be told to those who share the store.
    pub async fn answered(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), Cause> {
        let inner = &*self.client.inner;
        let retry_after = inner.hold(&self.origin, status, headers).await?;
        if let Some(permit) = self.permit.take() {
            permit.settle(&Ended::Answered(status, retry_after), inner.clock.now());
        }
        if !status.is_server_error() {
            inner.robots.set_site_is_reachable(&self.origin, true);
        }
        Ok(())
    }

    /// There is none.
    pub fn failed(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.failure(self.client.inner.clock.now());
        }
    }
}

impl From<PaceError> for Cause {
    fn from(error: PaceError) -> Self {
        match error {
            PaceError::TooLong(too_long) => Cause::Wait(too_long),
            PaceError::Store(error) => Cause::Store(error),
        }
    }
}
