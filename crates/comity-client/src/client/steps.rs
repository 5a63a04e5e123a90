//! The steps of a request, which fetches, admissions and reservations share. Their order is: admit the URL (guard,
//! circuit breaker, robots.txt), wait for the turn, send the request, and report the result.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::policy::Failure;
use comity::shown::{self, hide_credentials, without_credentials};
use http::{HeaderMap, Method, StatusCode};
use url::Url;

use super::Inner;
use super::error::Cause;
use crate::Origin;
use crate::breaker::Permit;
use crate::guard::ResolveError;
use crate::job::Job;
use crate::observe::Event;
use crate::pace::{Interval, PaceError, RetryAfter, Turn};
use crate::retrieval::{Attempt, Hop, SignedBy, WaitRecord};
use crate::retry::{AttemptEnd, Delay, DelayReason, is_server_failure};
use crate::runtime;
use crate::signing::{Challenge, SignatureFields};
use crate::store::Lane;
use crate::transport::{Response, TransportError};

/// The steps of one URL, with the data for its record.
#[derive(Debug)]
pub(super) struct Steps<'c> {
    client: &'c Inner,
    /// The job that is paused during waits.
    job: &'c Job,
    url: &'c Url,
    /// Longest total wait of the URL for politeness.
    max_wait: Duration,
    waited: Duration,
    waits: Vec<WaitRecord>,
    attempts: Vec<Attempt>,
}

/// A URL that was admitted by the guard, the circuit breaker and robots.txt. Its request must still wait for its turn.
#[derive(Debug)]
pub(super) struct AdmittedUrl {
    pub(super) origin: Origin,
    /// The addresses that may be dialled.
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) decision: DecisionRecord,
    pub(super) permit: Permit,
    pub(super) interval: Interval,
}

impl<'c> Steps<'c> {
    pub(super) fn new(client: &'c Inner, job: &'c Job, url: &'c Url, max_wait: Duration) -> Self {
        let (waits, attempts) = (Vec::new(), Vec::new());
        Steps { client, job, url, max_wait, waited: Duration::ZERO, waits, attempts }
    }

    /// Returns the total wait for politeness so far.
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }

    fn wait_left(&self) -> Duration {
        self.max_wait.saturating_sub(self.waited)
    }

    /// Runs steps 1 to 3: guard, circuit breaker and robots.txt.
    pub(super) async fn admit(&mut self) -> Result<AdmittedUrl, Cause> {
        let client = self.client;
        if client.draining.is_begun() {
            return Err(Cause::Drained);
        }
        let (origin, addresses) = client.guard_url(self.url).await?;
        let permit = client.breaker.admit(&origin, client.clock.now()).map_err(Cause::Circuit)?;
        let begun = client.clock.moment();
        let deciding = client.decide(self.url, &origin, self.wait_left(), self.job);
        let decided = client.draining.unless_begun(pin!(deciding)).await;
        let spent = client.clock.moment().since(begun);
        self.waited += spent.saturating_sub(client.robots.timeout());
        let (decision, interval) = decided.ok_or(Cause::Drained)??;
        if decision.blocked {
            return Err(Cause::of_decision(decision));
        }
        Ok(AdmittedUrl { origin, addresses, decision, permit, interval })
    }

    /// Runs step 4: waits for the turn.
    pub(super) async fn enter(&mut self, admitted: &AdmittedUrl) -> Result<Turn, Cause> {
        let AdmittedUrl { origin, interval, .. } = admitted;
        let client = self.client;
        let entering = client.pace.enter_as(self.job, (origin, Lane::Pages), interval, self.wait_left());
        let turn = client.draining.unless_begun(pin!(entering)).await.ok_or(Cause::Drained)??;
        self.job.begin();
        self.waited += turn.waited();
        if let Some(reason) = turn.reason() {
            let (url, duration) = (self.url, turn.waited());
            client.observers.on(&Event::Waited { origin, url, duration, reason: reason.as_str() });
        }
        self.waits.push(WaitRecord { wait: turn.wait(), interval: *interval });
        Ok(turn)
    }

    /// Records an attempt that began at `began_at`, and its signature. Returns true if the transport sent the request
    /// twice.
    pub(super) fn note(
        &mut self,
        origin: &Origin,
        began_at: SystemTime,
        signed: Option<&SignatureFields>,
        sent: &Result<Response, TransportError>,
    ) -> bool {
        let was_resent = match sent {
            Ok(response) => response.was_resent,
            Err(error) => error.was_resent(),
        };
        if was_resent {
            self.client.observers.on(&Event::Resent { origin, url: self.url });
        }
        let now = self.client.clock.now();
        let took = now.duration_since(began_at).unwrap_or_default();
        let (response, error) = (sent.as_ref().ok(), sent.as_ref().err());
        self.attempts.push(Attempt {
            began_at,
            took,
            connecting: response.map(|response| response.connecting),
            remote: response.and_then(|response| response.remote),
            status: response.map(|response| response.status.as_u16()),
            retry_after: response
                .and_then(|response| self.client.retry_after(response.status, &response.headers, now)),
            failure: error.map(TransportError::failure),
            error: error.map(ToString::to_string),
            signed: signed.map(SignedBy::from),
            was_resent,
            retried: None,
        });
        was_resent
    }

    /// Returns the delay before the next attempt, or `None` if no attempt follows.
    pub(super) fn retry(&self, ended: &AttemptEnd) -> Option<Delay> {
        let was_challenged =
            |attempt: &&Attempt| attempt.retried.is_some_and(|delay| delay.reason == DelayReason::Challenge);
        let attempts = self.attempts.len() - self.attempts.iter().filter(was_challenged).count();
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        self.client.retry.next(attempts, ended).filter(|delay| delay.duration <= self.wait_left())
    }

    /// Returns the signature that the server requires, and the delay before the signed request. Returns `None` if the
    /// server requires none that the client can create, or if the delay exceeds the remaining wait of the URL.
    pub(super) fn challenge(
        &self,
        origin: &Origin,
        response: &Response,
        was_signed: bool,
    ) -> Option<(Challenge, Delay)> {
        let Inner { signer, clock, pace_options, .. } = self.client;
        let answer = (response.status, &response.headers);
        let challenge = signer.as_ref()?.challenge(origin, answer, was_signed)?;
        let asked = RetryAfter::read(&response.headers, clock.now(), pace_options.max_retry_after);
        let duration = asked.map_or(Duration::ZERO, |asked| asked.duration);
        let delay = Delay { duration, reason: DelayReason::Challenge };
        (duration <= self.wait_left()).then_some((challenge, delay))
    }

    /// Waits before another attempt.
    pub(super) async fn pause(&mut self, origin: &Origin, delay: &Delay) -> Result<(), Cause> {
        self.client.observers.on(&Event::Retried { origin, url: self.url, after: delay.duration });
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.retried = Some(*delay);
            let (url, seconds) = (without_credentials(self.url), delay.duration.as_secs_f64());
            let reason = match (attempt.status, &attempt.error) {
                (Some(status), _) => {
                    let asked = attempt.retry_after.map(|asked| format!(", {asked}")).unwrap_or_default();
                    format!("the status code was {status}{asked}")
                }
                (None, error) => error.clone().unwrap_or_default(),
            };
            tracing::info!(%url, "retries in {seconds:.1} s: {reason}");
        }
        let sleeping = self.job.without_permit(self.client.clock.sleep(delay.duration));
        let slept = self.client.draining.unless_begun(pin!(sleeping)).await;
        self.waited += delay.duration;
        slept.ok_or(Cause::Drained)
    }

    /// Returns the record of the finished hop.
    pub(super) fn into_hop(
        self,
        method: &Method,
        decision: Option<DecisionRecord>,
        location: Option<&Url>,
    ) -> Hop {
        let shown = |url| without_credentials(url).to_string();
        let (method, waits, attempts) = (method.to_string(), self.waits, self.attempts);
        Hop { url: shown(self.url), method, decision, waits, attempts, location: location.map(shown) }
    }
}

impl Inner {
    /// Checks a URL with the guard. Returns its origin, and the addresses to dial. The list is empty if only the proxy
    /// can resolve the name.
    pub(super) async fn guard_url(&self, url: &Url) -> Result<(Origin, Vec<SocketAddr>), Cause> {
        runtime::check()
            .map_err(|error| Cause::Transport(TransportError::new(Failure::Local, error.to_string())))?;
        self.guard.check_url(url).map_err(Cause::Guard)?;
        let origin = Origin::of(url)
            .ok_or_else(|| Cause::Url(format!("`{}` is not a web URL", without_credentials(url)).into()))?;
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        match self.guard.resolve(host, port).await {
            Ok(addresses) => Ok((origin, addresses)),
            Err(ResolveError::Refused(refusal)) => Err(Cause::Guard(refusal)),
            Err(_) if self.is_proxied => Ok((origin, Vec::new())),
            Err(error) => Err(Cause::Transport(error.into())),
        }
    }

    /// Checks a URL with robots.txt. Returns the decision, and the interval between requests to the origin.
    pub(super) async fn decide(
        &self,
        url: &Url,
        origin: &Origin,
        max_wait: Duration,
        job: &Job,
    ) -> Result<(DecisionRecord, Interval), Cause> {
        let policy = match self.robots.policy_within(job, origin, max_wait).await {
            // A drained client does not request robots.txt, which the cache reports as an error of the store.
            Err(PaceError::Store(_)) if self.draining.is_begun() => return Err(Cause::Drained),
            policy => policy?,
        };
        let now = self.clock.now();
        let decision = policy
            .decide(url.as_str(), now)
            .map_err(|error| Cause::of_url(format!("`{}`", without_credentials(url)), error))?
            .to_record();
        let (verdict, blocked) = (decision.verdict, decision.blocked);
        self.observers.on(&Event::Decided { origin, url, verdict, blocked });
        Ok((decision, Interval::new(&self.pace_options, policy.rules(now), now)))
    }

    /// Returns the result of an attempt with this answer.
    pub(super) fn ended(&self, status: StatusCode, headers: &HeaderMap) -> AttemptEnd {
        AttemptEnd::Answered(status, self.retry_after(status, headers, self.clock.now()))
    }

    /// Returns the `Retry-After` of an answer that arrived at `now`, if it applies.
    fn retry_after(&self, status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Option<RetryAfter> {
        let most = self.pace_options.max_retry_after;
        RetryAfter::applies_to(status).then(|| RetryAfter::read(headers, now, most)).flatten()
    }

    /// Applies the result of an attempt to the whole origin: a status below 500 marks the site as reachable, and a
    /// `Retry-After` delays all its page requests.
    pub(super) async fn settle(&self, origin: &Origin, ended: &AttemptEnd) -> Result<(), Cause> {
        let AttemptEnd::Answered(status, retry_after) = ended else { return Ok(()) };
        if !is_server_failure(*status) {
            self.robots.set_site_is_reachable(origin, true);
        }
        if let Some(retry_after) = retry_after {
            self.pace.hold(origin, retry_after).await.map_err(Cause::Store)?;
        }
        Ok(())
    }
}

/// Parses a URL of any scheme. The fragment is removed, since it is never sent.
pub(super) fn parse(text: &str) -> Result<Url, Cause> {
    let subject = || format!("`{}` is not a URL", hide_credentials(&shown::text(text)));
    let mut url: Url = text.parse().map_err(|error: url::ParseError| Cause::of_url(subject(), error))?;
    url.set_fragment(None);
    Ok(url)
}

impl From<PaceError> for Cause {
    fn from(error: PaceError) -> Self {
        match error {
            PaceError::TooLong(too_long) => Cause::Wait(too_long),
            PaceError::Store(error) => Cause::Store(error),
        }
    }
}
