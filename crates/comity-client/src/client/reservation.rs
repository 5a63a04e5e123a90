//! Reservations for requests that other programs send. A reservation runs the [steps](super::steps) and reserves a
//! slot, but does not wait for it. The program then reports the answer.
//!
//! This process keeps no state between the two calls: the slot is in the store, and a report concerns only an origin.
//! So if several services share a store, each call may go to a different service.

use std::net::SocketAddr;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::shown::hide_credentials;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::Client;
use super::error::Cause;
use super::steps::{self, AdmittedUrl, Steps};
use crate::Origin;
use crate::job::Job;
use crate::observe::Event;
use crate::pace::{Interval, ReservedSlot, RetryAfter, Wait};
use crate::retry::AttemptEnd;

/// The permission for another program to send one request. The request must begin after [`wait`](Reservation::wait) and
/// at most [`window`](Reservation::window) later. The guard, the circuit breaker and robots.txt have admitted it, and
/// its slot is reserved in the store.
#[derive(Clone, Debug)]
pub struct Reservation {
    url: Url,
    addresses: Vec<SocketAddr>,
    decision: DecisionRecord,
    interval: Interval,
    slot: ReservedSlot,
}

impl Client {
    /// Reserves the slot of a request that another program sends. Does not wait for the slot.
    ///
    /// If the answer is a redirect, the request for its target needs its own slot. A program that cannot begin in time
    /// must reserve another slot. The unused slot is not given to other requests.
    /// [`PaceOptions::concurrency`](crate::pace::PaceOptions::concurrency) does not apply, since the end of the request
    /// is not reported.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # async fn example(client: comity_client::Client) -> Result<(), comity_client::Cause> {
    /// let reserved = client.reserve("https://example.com/page", Duration::from_secs(60)).await?;
    /// println!("in {:?}, to {:?}", reserved.wait().duration, reserved.addresses());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Cause`] names the step that refused the request. [`Cause::Wait`] if the slot is further off than `max_wait`;
    /// then no slot is reserved.
    pub async fn reserve(&self, url: impl AsRef<str>, max_wait: Duration) -> Result<Reservation, Cause> {
        let begun = self.inner.clock.moment();
        let reserved = match steps::parse(url.as_ref()) {
            Ok(url) => self.try_reserve(url, max_wait).await,
            Err(cause) => Err(cause),
        };
        if let Err(cause) = &reserved {
            self.inner.report_refusal(&hide_credentials(url.as_ref()), cause, begun);
        }
        reserved
    }

    async fn try_reserve(&self, url: Url, max_wait: Duration) -> Result<Reservation, Cause> {
        let _in_flight = self.inner.draining.begin_operation();
        let job = Job::default();
        let admitted = Steps::new(&self.inner, &job, &url, max_wait).admit().await?;
        // The breaker's permit is dropped, since the result comes from a later report, if any.
        let AdmittedUrl { origin, addresses, decision, interval, .. } = admitted;
        let slot = self.inner.pace.reserve(&origin, &interval, max_wait).await?;
        if let Some(reason) = slot.wait.reason {
            let (origin, url, duration) = (&origin, &url, slot.wait.duration);
            self.inner.observers.on(&Event::Waited { origin, url, duration, reason: reason.as_str() });
        }
        Ok(Reservation { url, addresses, decision, interval, slot })
    }

    /// Records the answer that another program received. The circuit breaker counts the status. A `Retry-After` with
    /// 429 or 503 delays all page requests that share the pace, for at most the time in the settings. Returns the
    /// length of this delay.
    ///
    /// # Errors
    ///
    /// [`Cause::Url`] or [`Cause::Guard`] if the URL may not be requested; [`Cause::Store`] if a `Retry-After` could
    /// not be written to the store.
    pub async fn report(
        &self,
        url: impl AsRef<str>,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<Option<RetryAfter>, Cause> {
        let inner = &*self.inner;
        let url = steps::parse(url.as_ref())?;
        inner.guard.check_url(&url).map_err(Cause::Guard)?;
        let origin = Origin::of(&url).ok_or_else(|| Cause::Url("the URL is not a web URL".into()))?;
        let ended = inner.ended(status, headers);
        let now = inner.clock.now();
        // The result counts even if the store fails.
        if let Ok(permit) = inner.breaker.admit(&origin, now) {
            permit.settle(&ended, now);
        }
        inner.settle(&origin, &ended).await?;
        match ended {
            AttemptEnd::Answered(_, retry_after) => Ok(retry_after),
            AttemptEnd::Failed(_) => Ok(None),
        }
    }
}

impl Reservation {
    /// Returns the wait until the request may begin, and its reason.
    pub fn wait(&self) -> Wait {
        self.slot.wait
    }

    /// Returns the time after the wait within which the request must begin.
    pub fn window(&self) -> Duration {
        self.slot.window
    }

    /// Returns the interval between requests to the origin.
    pub fn interval(&self) -> &Interval {
        &self.interval
    }

    /// Returns the addresses that the guard checked. A connection to any other address bypasses the guard. The list is
    /// empty if only the proxy can resolve the name.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns the checked URL in the form that must be sent, without its fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the decision by robots.txt.
    pub fn decision(&self) -> &DecisionRecord {
        &self.decision
    }
}
