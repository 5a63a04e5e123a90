//! Admissions for programs with their own HTTP stack: the [steps](super::steps) before a request, and the report after
//! it.

use std::net::SocketAddr;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::shown::{hide_credentials, without_credentials};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::Client;
use super::error::Cause;
use super::steps::{self, AdmittedUrl, Steps};
use crate::Origin;
use crate::breaker::Permit;
use crate::draining::InFlight;
use crate::job::Job;
use crate::observe::Event;
use crate::pace::{HolderEntry, Turn};

/// The right to send one request now. Guard, circuit breaker, robots.txt and pace have admitted it.
///
/// It holds one of the origin's permits until it is dropped, so keep it until the body is read. Report the result with
/// [`answered`](Admission::answered) or [`failed`](Admission::failed). Without a report, the circuit breaker and
/// `Retry-After` have no effect.
#[derive(Debug)]
#[must_use = "the right to send is given back when it is dropped"]
pub struct Admission {
    client: Client,
    url: Url,
    origin: Origin,
    addresses: Vec<SocketAddr>,
    decision: DecisionRecord,
    turn: Turn,
    holder: HolderEntry,
    permit: Option<Permit>,
    _in_flight: InFlight,
}

impl Client {
    /// Waits until a request for a URL may be sent.
    ///
    /// A redirect in the answer is another request, which must be admitted again.
    ///
    /// # Errors
    ///
    /// [`Cause`] names the step that refused the request.
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
        let begun = self.inner.clock.moment();
        let admitted = match steps::parse(url.as_ref()) {
            Ok(url) => self.try_admit(&url, max_wait).await,
            Err(cause) => Err(cause),
        };
        if let Err(cause) = &admitted {
            let took = self.inner.clock.moment().since(begun);
            let url = &*hide_credentials(url.as_ref());
            tracing::info!(url, outcome = cause.outcome().as_str(), "not admitted: {cause}");
            self.inner.observers.on(&Event::Refused { step: cause.step(), url, took });
        }
        admitted
    }

    async fn try_admit(&self, url: &Url, max_wait: Option<Duration>) -> Result<Admission, Cause> {
        let in_flight = self.inner.draining.begin_operation();
        let job = Job::default();
        let mut steps = Steps::new(&self.inner, &job, url, max_wait.unwrap_or(Duration::MAX));
        let admitted = steps.admit().await?;
        let turn = steps.enter(&admitted).await?;
        let AdmittedUrl { origin, addresses, decision, permit, .. } = admitted;
        let holder = turn.hold_for("an admission".to_owned(), without_credentials(url).to_string());
        Ok(Admission {
            client: self.clone(),
            url: url.clone(),
            origin,
            addresses,
            decision,
            turn,
            holder,
            permit: Some(permit),
            _in_flight: in_flight,
        })
    }
}

impl Admission {
    /// Returns the addresses that the guard checked. Dialling any other address bypasses the guard. The list is empty
    /// if a proxy resolves names.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns the decided URL in the form that must be sent: as the URL standard serializes it, with dot segments
    /// resolved and without the default port and the fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Names the call that holds the admission, such as `a response of requests`, for the warning that is logged if
    /// another request waits for it. The default is `an admission`.
    pub fn set_call(&mut self, call: impl Into<String>) {
        self.holder = self.turn.hold_for(call.into(), without_credentials(&self.url).to_string());
    }

    /// Returns the decision by robots.txt.
    pub fn decision(&self) -> &DecisionRecord {
        &self.decision
    }

    /// Returns the length of the wait for the turn.
    pub fn waited(&self) -> Duration {
        self.turn.waited()
    }

    /// Reports an answer.
    ///
    /// # Errors
    ///
    /// [`Cause::Store`] if a `Retry-After` could not be written to the store.
    pub async fn answered(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), Cause> {
        let inner = &*self.client.inner;
        let ended = inner.ended(status, headers);
        inner.settle(&self.origin, &ended).await?;
        if let Some(permit) = self.permit.take() {
            permit.settle(&ended, inner.clock.now());
        }
        Ok(())
    }

    /// Reports a request without an answer.
    pub fn failed(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.failure(self.client.inner.clock.now());
        }
    }
}
