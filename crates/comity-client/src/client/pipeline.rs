//! A fetch: runs the [steps](super::steps) of a request for the first URL and for each redirect.

use std::pin::pin;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity::shown::{hide_credentials, without_credentials};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use tracing::{Instrument as _, debug_span, info};
use url::Url;

use super::answer::{BodyLimits, Deadline, OpenAnswer, within};
use super::error::{Cause, FetchError};
use super::sent_request::SentRequest;
use super::steps::{self, AdmittedUrl, Steps};
use super::{Client, Inner};
use crate::job::Job;
use crate::observe::Event;
use crate::options::FetchOptions;
use crate::pace::Turn;
use crate::retrieval::{FetchOutcome, FetchRecord, Hop, Page, Selection, Warning};
use crate::retry::AttemptEnd;
use crate::robots_cache::{digest, location};
use crate::transport::{Request, Response};
use crate::{Moment, Origin};

/// Fetches a URL, following redirects.
pub(super) async fn fetch(
    client: &Client,
    url: &str,
    request: SentRequest,
    options: &FetchOptions,
    selection: Selection,
    job: &Job,
) -> Result<Page, FetchError> {
    let span = debug_span!("fetch", url = %hide_credentials(url));
    let inner = &*client.inner;
    // The future is boxed, so that futures that contain a fetch stay small, and their types are not too deep for the
    // compiler.
    let fetching = Box::pin(async {
        let _in_flight = inner.draining.begin_operation();
        let (mut record, mut answer) = open(inner, url, request, options, selection, job).await?;
        let read = answer.rest(&*inner.clock).await;
        let (origin, head) = answer.close(read.as_ref().err(), inner.clock.now());
        let (body, is_cut) = match read {
            Ok(read) => read,
            Err(cause) => return Err(inner.fail(record, cause)),
        };
        inner.end(&mut record);
        inner.note_refusal(&mut record, &head, &body);
        record.note_header(head.status, &head.headers);
        record.note_content(head.status, &head.headers, (body.len() as u64, digest(&body)), is_cut);
        inner.read_terms(&mut record, options, &origin, (&head, &body)).await;
        inner.report_page(&origin, head.status, body.len() as u64, &record);
        Ok(Page::new(head.status, head.headers, body, record))
    });
    fetching.instrument(span).await
}

/// Requests a URL, following redirects. Returns the answer when its header has arrived, and the record so far.
pub(super) async fn open(
    inner: &Inner,
    url: &str,
    request: SentRequest,
    options: &FetchOptions,
    selected: Selection,
    job: &Job,
) -> Result<(FetchRecord, Box<OpenAnswer>), FetchError> {
    let record = FetchRecord { selected, ..inner.empty_record(url) };
    let deadline = options.deadline.map(|length| Deadline::new(&*inner.clock, length));
    let mut run = FetchRun { client: inner, options, deadline, job, request, record, visits: Vec::new() };
    let followed = within(&*inner.clock, deadline, pin!(run.follow(url))).await;
    match followed {
        Ok(answer) => Ok((run.record, answer)),
        Err(cause) => Err(inner.fail(run.record, cause)),
    }
}

impl Inner {
    /// Sets the outcome and the times of a fetched page.
    pub(super) fn end(&self, record: &mut FetchRecord) {
        record.outcome = FetchOutcome::Fetched;
        record.ended_at = self.clock.now();
        record.took = record.ended_at.duration_since(record.began_at).unwrap_or_default();
    }

    /// Returns the error of a fetch that returned no page, and reports it.
    pub(super) fn fail(&self, mut record: FetchRecord, cause: Cause) -> FetchError {
        self.end(&mut record);
        info!(url = &*record.final_url, outcome = cause.outcome().as_str(), "not fetched: {cause}");
        record.outcome = cause.outcome();
        record.error = Some(cause.to_string());
        record.retry_after = cause.retry_after(record.ended_at);
        let (url, took) = (&*record.final_url, record.took);
        self.observers.on(&Event::Refused { step: cause.step(), url, took });
        FetchError::new(cause, record)
    }

    /// Reports the refusal of a request that began at the time `begun`.
    pub(super) fn report_refusal(&self, url: &str, cause: &Cause, begun: Moment) {
        let took = self.clock.moment().since(begun);
        self.observers.on(&Event::Refused { step: cause.step(), url, took });
    }

    /// Reports a fetched page to the observers.
    pub(super) fn report_page(&self, origin: &Origin, status: StatusCode, bytes: u64, record: &FetchRecord) {
        let (url, status, took) = (&*record.final_url, status.as_u16(), record.took);
        self.observers.on(&Event::Fetched { origin, url, status, bytes, took });
    }
}

/// A fetch in progress.
struct FetchRun<'c> {
    client: &'c Inner,
    options: &'c FetchOptions,
    deadline: Option<Deadline>,
    /// The job that is paused during waits.
    job: &'c Job,
    /// The request for the next hop.
    request: SentRequest,
    record: FetchRecord,
    visits: Vec<Visit>,
}

/// A requested URL with its method and its cookies.
type Visit = (Method, Url, Option<HeaderValue>);

/// A response with an unread body.
struct UnreadResponse {
    response: Response,
    turn: Turn,
    ended: AttemptEnd,
}

/// The reason why a request has no usable response.
struct SendFailure {
    cause: Cause,
    /// The result for the circuit breaker, if the request was sent.
    ended: Option<AttemptEnd>,
}

impl From<Cause> for SendFailure {
    fn from(cause: Cause) -> Self {
        let ended = match &cause {
            Cause::Transport(error) => Some(AttemptEnd::Failed(error.failure())),
            _ => None,
        };
        SendFailure { cause, ended }
    }
}

/// The result of a hop.
enum HopEnd {
    Redirect(Redirect),
    Answer(Box<OpenAnswer>),
}

/// A redirect.
struct Redirect {
    origin: Origin,
    to: Url,
    status: StatusCode,
    sets_cookies: bool,
}

impl<'c> FetchRun<'c> {
    /// Follows redirects until an answer is not a redirect.
    async fn follow(&mut self, url: &str) -> Result<Box<OpenAnswer>, Cause> {
        self.request.check()?;
        let mut url = steps::parse(url)?;
        let mut first: Option<Origin> = None;
        loop {
            self.record.final_url = without_credentials(&url).to_string();
            let visit = self.visit(&url);
            self.visits.push(visit);
            let (hop, waited, came) = self.hop(&url, &mut first).await;
            self.record.hops.push(hop);
            self.record.waited += waited;
            let redirect = match came? {
                HopEnd::Answer(answer) => return Ok(answer),
                HopEnd::Redirect(redirect) => redirect,
            };
            self.request.redirect(redirect.status);
            self.check_redirect(&url, &redirect)?;
            if Origin::of(&redirect.to).as_ref() != Some(&redirect.origin) {
                self.job.leave();
            }
            url = redirect.to;
        }
    }

    /// Returns the next request for a URL as an entry of the visits.
    fn visit(&self, url: &Url) -> Visit {
        (self.request.method.clone(), url.clone(), self.client.transport.cookies(url))
    }

    /// Runs all steps of one hop. Returns its record, the length of its waits, and its result.
    async fn hop(&mut self, url: &Url, first: &mut Option<Origin>) -> (Hop, Duration, Result<HopEnd, Cause>) {
        let max_wait = match self.options.max_wait {
            Some(most) => most.saturating_sub(self.record.waited),
            None => Duration::MAX,
        };
        let mut steps = Steps::new(self.client, self.job, url, max_wait);
        let (decision, came) = match steps.admit().await {
            Ok(admitted) => {
                self.warn_of(&admitted);
                // The caller's header fields are sent only to the first origin.
                let is_first = *first.get_or_insert_with(|| admitted.origin.clone()) == admitted.origin;
                let headers = self.headers(url, is_first);
                let (decision, came) = self.exchange(&mut steps, url, admitted, headers).await;
                (Some(decision), came)
            }
            Err(cause) => (cause.decision().cloned(), Err(cause)),
        };
        let location = match &came {
            Ok(HopEnd::Redirect(redirect)) => Some(&redirect.to),
            _ => None,
        };
        let waited = steps.waited();
        (steps.into_hop(&self.request.method, decision, location), waited, came)
    }

    fn warn_of(&mut self, admitted: &AdmittedUrl) {
        // Warn only once per origin, since redirects within an origin would repeat the warning.
        if let Some(warning) = Warning::of_decision(&admitted.origin, &admitted.decision)
            && !self.record.warnings.contains(&warning)
        {
            self.record.warnings.push(warning);
        }
    }

    fn headers(&self, url: &Url, with_callers: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if with_callers {
            self.options.put_headers(&mut headers);
        }
        if let Some(content_type) = &self.request.content_type {
            headers.insert(header::CONTENT_TYPE, content_type.clone());
        }
        headers.insert(header::USER_AGENT, self.client.user_agent.clone());
        headers.entry(header::ACCEPT).or_insert_with(|| self.options.accept());
        let is_read = matches!(self.request.method, Method::GET | Method::HEAD);
        if let Some(earlier) = self.options.earlier.as_ref().filter(|_| is_read) {
            earlier.put_headers(without_credentials(url).as_str(), &mut headers);
        }
        headers
    }

    /// Sends the request. Reports the result to the circuit breaker, unless the body of the answer is still to be read.
    async fn exchange(
        &self,
        steps: &mut Steps<'_>,
        url: &Url,
        admitted: AdmittedUrl,
        headers: HeaderMap,
    ) -> (DecisionRecord, Result<HopEnd, Cause>) {
        let sent = self.send(steps, url, &admitted, headers).await;
        let AdmittedUrl { origin, decision, permit, .. } = admitted;
        let now = self.client.clock.now();
        let UnreadResponse { response, turn, ended } = match sent {
            Ok(unread) => unread,
            Err(SendFailure { cause, ended }) => {
                if let Some(ended) = ended {
                    permit.settle(&ended, now);
                }
                return (decision, Err(cause));
            }
        };
        let came = match (location(&response, url), self.refusal(&response)) {
            (Some(Ok(to)), _) => {
                let sets_cookies = response.headers.contains_key(header::SET_COOKIE);
                Ok(HopEnd::Redirect(Redirect { origin, to, status: response.status, sets_cookies }))
            }
            (Some(Err(error)), _) => Err(Cause::Redirects(error.into())),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => {
                let limits = BodyLimits::new(self.options, self.deadline);
                let answer = OpenAnswer::new(origin, response, limits, (turn, permit, ended));
                return (decision, Ok(HopEnd::Answer(Box::new(answer))));
            }
        };
        drop(turn);
        permit.settle(&ended, now);
        (decision, came)
    }

    /// Returns the cause if the type of the answer is not wanted.
    fn refusal(&self, response: &Response) -> Option<Cause> {
        let content_type = response.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_refused = response.status.is_success() && !self.options.wants(content_type);
        is_refused.then(|| Cause::Content(content_type.unwrap_or("without a Content-Type").to_owned()))
    }

    /// Waits for the turn and sends the request. Repeats both steps for each retry, and once if the server requires a
    /// signature.
    async fn send(
        &self,
        steps: &mut Steps<'_>,
        url: &Url,
        admitted: &AdmittedUrl,
        headers: HeaderMap,
    ) -> Result<UnreadResponse, SendFailure> {
        let (client, origin) = (self.client, &admitted.origin);
        let (mut was_resent, mut was_challenged, mut challenge) = (false, false, None);
        loop {
            let turn = steps.enter(admitted).await?;
            let began_at = client.clock.now();
            let mut request = Request::get(url.clone(), headers.clone(), self.options.timeout);
            request.method = self.request.method.clone();
            request.body = self.request.body.clone();
            request.cookies = true;
            request.may_resend = !was_resent;
            let signed = request.sign(client.signer.as_ref(), origin, challenge.take());
            let (signed, result) = match signed {
                Ok(signed) => (signed, client.pace.send(&turn, &*client.transport, request).await),
                Err(error) => (None, Err(error)),
            };
            was_resent |= steps.note(origin, began_at, signed.as_ref(), &result);
            let ended = match &result {
                Ok(response) => client.ended(response.status, &response.headers),
                Err(error) => match error.refusal() {
                    Some(refusal) => return Err(Cause::Guard(refusal.clone()).into()),
                    None => AttemptEnd::Failed(error.failure()),
                },
            };
            if let Err(cause) = client.settle(origin, &ended).await {
                return Err(SendFailure { cause, ended: Some(ended) });
            }
            let asked = match &result {
                Ok(response) if !was_challenged => steps.challenge(origin, response, signed.is_some()),
                _ => None,
            };
            if let Some((asked, delay)) = asked {
                (was_challenged, challenge) = (true, Some(asked));
                drop((result, turn));
                steps.pause(origin, &delay).await?;
                continue;
            }
            let Some(delay) = steps.retry(&ended).filter(|_| self.request.may_be_repeated()) else {
                return result
                    .map(|response| UnreadResponse { response, turn, ended })
                    .map_err(|error| Cause::Transport(error).into());
            };
            drop(turn);
            steps.pause(origin, &delay).await?;
        }
    }

    /// Returns an error for a redirect loop and for too many redirects, and adds a warning for a redirect from HTTPS to
    /// HTTP. A loop is a second request with the same method, URL and cookies.
    fn check_redirect(&mut self, from: &Url, redirect: &Redirect) -> Result<(), Cause> {
        let visit = self.visit(&redirect.to);
        let (from, to) = (&*without_credentials(from), &*without_credentials(&redirect.to));
        if from.scheme() == "https" && to.scheme() == "http" {
            let message =
                format!("{from} redirects to {to}: the answer is not protected against changes on the way");
            self.record.warnings.push(Warning { kind: "redirect", name: "downgrade".to_owned(), message });
        }
        if self.visits.contains(&visit) {
            let hint = match redirect.sets_cookies && self.client.ignores_cookies {
                true => ", and sets a cookie that was not stored; set `network.cookies` to store cookies",
                false => "",
            };
            return Err(Cause::Redirects(format!("{from} redirects in a loop, to {to}{hint}").into()));
        }
        if self.record.hops.len() > self.options.max_redirects {
            let most = self.options.max_redirects;
            return Err(Cause::Redirects(format!("more than {most} redirects, the last to {to}").into()));
        }
        Ok(())
    }
}
