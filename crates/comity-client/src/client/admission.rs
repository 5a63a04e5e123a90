//! Admissions for programs that send requests with another HTTP stack: the [steps](super::steps) before a request, and
//! the report of its result.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::shown::{hide_credentials, without_credentials};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::Client;
use super::error::Cause;
use super::held_turn::HeldTurn;
use super::steps::{self, AdmittedUrl, Steps};
use crate::Origin;
use crate::breaker::Permit;
use crate::job::Job;

/// The permission to send one request now. The guard, the circuit breaker, robots.txt and the pace have admitted the
/// request.
///
/// It holds one of the origin's permits until it is [released](Admission::release) or dropped, so keep it until the
/// body is read. A permit that is held for longer than [`FetchOptions::timeout`](crate::FetchOptions::timeout) and
/// [`FetchOptions::body_timeout`](crate::FetchOptions::body_timeout) together is released, with a warning through
/// `tracing`. Report the result with [`answered`](Admission::answered) or [`failed`](Admission::failed). Without a
/// report, the circuit breaker and `Retry-After` have no effect.
#[derive(Debug)]
#[must_use = "the right to send is given back when it is dropped"]
pub struct Admission {
    client: Client,
    url: Url,
    origin: Origin,
    addresses: Vec<SocketAddr>,
    decision: DecisionRecord,
    waited: Duration,
    held: Arc<HeldTurn>,
    permit: Option<Permit>,
}

impl Client {
    /// Waits until a request for a URL may be sent, for at most `max_wait` or, without it, for the client's
    /// [`FetchOptions::max_wait`](crate::FetchOptions::max_wait).
    ///
    /// A redirect in the answer is another request, which must be admitted again. Send the request with the client's
    /// [`user_agent`](Client::user_agent), so that the site can recognize the crawler.
    ///
    /// # Errors
    ///
    /// [`Cause`] names the step that refused the request.
    ///
    /// ```no_run
    /// # async fn send_with_my_own_stack(_: &[std::net::SocketAddr]) -> http::Response<()> { http::Response::new(()) }
    /// # async fn example(client: comity_client::Client) -> Result<(), comity_client::Cause> {
    /// let mut admission = client.admit("https://example.com/page", None).await?;
    /// // Dial these addresses and no others, and send `client.user_agent()`.
    /// let response = send_with_my_own_stack(admission.addresses()).await;
    /// admission.answered(response.status(), response.headers()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn admit(&self, url: impl AsRef<str>, max_wait: Option<Duration>) -> Result<Admission, Cause> {
        let begun = self.inner.clock.moment();
        let admitted = match steps::parse(url.as_ref()) {
            Ok(url) => self.try_admit(&url, max_wait).await,
            Err(cause) => Err(cause),
        };
        if let Err(cause) = &admitted {
            let url = &*hide_credentials(url.as_ref());
            tracing::info!(url, outcome = cause.outcome().as_str(), "not admitted: {cause}");
            self.inner.report_refusal(url, cause, begun);
        }
        admitted
    }

    async fn try_admit(&self, url: &Url, max_wait: Option<Duration>) -> Result<Admission, Cause> {
        let in_flight = self.inner.draining.begin_operation();
        let job = Job::default();
        let fetch = &self.inner.fetch;
        let max_wait = max_wait.or(fetch.max_wait).unwrap_or(Duration::MAX);
        let mut steps = Steps::new(&self.inner, &job, url, max_wait);
        let admitted = steps.admit().await?;
        let turn = steps.enter(&admitted).await?;
        let AdmittedUrl { origin, addresses, decision, permit, .. } = admitted;
        let (waited, bound) = (turn.waited(), fetch.timeout.saturating_add(fetch.body_timeout));
        let request = (without_credentials(url).to_string(), "an admission");
        let held = HeldTurn::new(&self.inner, request, (turn, in_flight), bound);
        Ok(Admission {
            client: self.clone(),
            url: url.clone(),
            origin,
            addresses,
            decision,
            waited,
            held,
            permit: Some(permit),
        })
    }
}

impl Admission {
    /// Returns the addresses that the guard checked. A connection to any other address bypasses the guard. The list is
    /// empty if only the proxy can resolve the name.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns the checked URL in the form that must be sent: as the URL standard serializes it, with dot segments
    /// resolved and without the default port and the fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Names the call that holds the admission, such as `a response of requests`, for the warning that is logged if
    /// another request waits for it. The default is `an admission`.
    pub fn set_call(&self, call: impl Into<String>) {
        self.held.describe(without_credentials(&self.url).to_string(), call.into().into());
    }

    /// Returns the decision by robots.txt.
    pub fn decision(&self) -> &DecisionRecord {
        &self.decision
    }

    /// Returns the length of the wait for the turn.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Releases the permit, so that the next request to the origin may begin: the body was read, or is not needed.
    pub fn release(&self) {
        self.held.release();
    }

    /// Reports the answer to the request.
    ///
    /// # Errors
    ///
    /// [`Cause::Store`] if a `Retry-After` could not be written to the store.
    pub async fn answered(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), Cause> {
        let inner = &*self.client.inner;
        let ended = inner.ended(status, headers);
        // The result counts even if the store fails.
        if let Some(permit) = self.permit.take() {
            permit.settle(&ended, inner.clock.now());
        }
        inner.settle(&self.origin, &ended).await
    }

    /// Reports that the request got no answer.
    pub fn failed(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.failure(self.client.inner.clock.now());
        }
    }
}
