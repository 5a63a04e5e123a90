//! A fetch: runs the [steps](super::steps) of a request for the first URL and for each redirect.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use comity::decision::DecisionRecord;
use comity::policy::Failure;
use comity::shown::{hide_credentials, without_credentials};
use futures_util::future::{Either, select};
use http::{HeaderMap, HeaderValue, header};
use tracing::{info, instrument};
use url::Url;

use super::error::{Cause, FetchError};
use super::steps::{self, AdmittedUrl, Steps};
use super::{Client, Inner};
use crate::Origin;
use crate::job::Job;
use crate::observe::Event;
use crate::options::FetchOptions;
use crate::pace::Turn;
use crate::retrieval::{FetchOutcome, FetchRecord, Hop, Page, Selection, Warning};
use crate::retry::AttemptEnd;
use crate::robots_cache::location;
use crate::transport::{Request, Response, TransportError};

/// Fetches a URL, following redirects.
#[instrument(level = "debug", skip_all, fields(url = %hide_credentials(url)))]
pub(super) async fn fetch(
    client: &Client,
    url: &str,
    options: &FetchOptions,
    selection: Selection,
    job: &Job,
) -> Result<Page, FetchError> {
    let inner = &*client.inner;
    let _in_flight = inner.draining.begin_operation();
    let mut run = FetchRun::begin(inner, url, options, selection, job);
    let expiry = match options.deadline {
        Some(deadline) => inner.clock.sleep(deadline),
        None => Box::pin(pending()),
    };
    let followed = match select(pin!(run.follow(url)), expiry).await {
        Either::Left((followed, _)) => followed,
        Either::Right(_) => Err(Cause::Deadline(options.deadline.unwrap_or_default())),
    };
    match followed {
        Ok(answer) => {
            let ReadResponse { origin, response, body, is_cut } = answer;
            let mut page = Page::new(response, body, is_cut, run.end(FetchOutcome::Fetched));
            if options.reads_use {
                let now = inner.clock.now();
                page.read_use(&inner.agent, options.profile, (&inner.robots, &origin), now).await;
            }
            let (status, bytes, record) = (page.status().as_u16(), page.body().len() as u64, page.record());
            let (url, took) = (&*record.final_url, record.seconds);
            inner.observers.on(&Event::Fetched { origin: &origin, url, status, bytes, took });
            Ok(page)
        }
        Err(cause) => {
            let url = &*run.record.final_url;
            info!(url, outcome = cause.outcome().as_str(), "not fetched: {cause}");
            run.record.error = Some(cause.to_string());
            run.record.retry_after = cause.retry_after(inner.clock.now());
            let record = run.end(cause.outcome());
            let (url, took) = (&*record.final_url, record.seconds);
            inner.observers.on(&Event::Refused { step: cause.step(), url, took });
            Err(FetchError::new(cause, record))
        }
    }
}

/// A fetch in progress.
struct FetchRun<'c> {
    client: &'c Inner,
    options: &'c FetchOptions,
    /// The job that is paused during waits.
    job: &'c Job,
    record: FetchRecord,
    /// The requested URLs, each with the cookies that were sent with it.
    visits: Vec<(Url, Option<HeaderValue>)>,
}

/// A response with an unread body.
struct UnreadResponse {
    response: Response,
    turn: Turn,
    ended: AttemptEnd,
}

/// The result of a hop.
enum HopEnd {
    Redirect(Redirect),
    Response(ReadResponse),
}

/// A redirect.
struct Redirect {
    origin: Origin,
    to: Url,
    sets_cookies: bool,
}

/// A response with its body.
struct ReadResponse {
    origin: Origin,
    response: Response,
    body: Bytes,
    is_cut: bool,
}

impl<'c> FetchRun<'c> {
    fn begin(
        client: &'c Inner,
        url: &str,
        options: &'c FetchOptions,
        selected: Selection,
        job: &'c Job,
    ) -> Self {
        let record = FetchRecord { selected, ..client.empty_record(url) };
        FetchRun { client, options, job, record, visits: Vec::new() }
    }

    fn end(self, outcome: FetchOutcome) -> FetchRecord {
        let ended_at = self.client.clock.now();
        let seconds = ended_at.duration_since(self.record.began_at).unwrap_or_default();
        FetchRecord { outcome, ended_at, seconds, ..self.record }
    }

    /// Follows redirects until an answer is not a redirect.
    async fn follow(&mut self, url: &str) -> Result<ReadResponse, Cause> {
        let mut url = steps::parse(url)?;
        let mut first: Option<Origin> = None;
        loop {
            self.record.final_url = without_credentials(&url).to_string();
            self.visits.push((url.clone(), self.client.transport.cookies(&url)));
            let (hop, waited, came) = self.hop(&url, &mut first).await;
            self.record.hops.push(hop);
            self.record.waited_seconds += waited;
            let redirect = match came? {
                HopEnd::Response(answer) => return Ok(answer),
                HopEnd::Redirect(redirect) => redirect,
            };
            self.check_redirect(&url, &redirect)?;
            if Origin::of(&redirect.to).as_ref() != Some(&redirect.origin) {
                self.job.leave();
            }
            url = redirect.to;
        }
    }

    /// Runs all steps of one hop. Returns its record, the length of its waits, and its result.
    async fn hop(&mut self, url: &Url, first: &mut Option<Origin>) -> (Hop, Duration, Result<HopEnd, Cause>) {
        let max_wait = match self.options.max_wait {
            Some(most) => most.saturating_sub(self.record.waited_seconds),
            None => Duration::MAX,
        };
        let mut steps = Steps::new(self.client, self.job, url, max_wait);
        let (decision, came) = match steps.admit().await {
            Ok(admitted) => {
                self.warn_of(&admitted);
                // The caller's header fields are sent only to the first origin.
                let is_first = *first.get_or_insert_with(|| admitted.origin.clone()) == admitted.origin;
                let headers = self.headers(is_first);
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
        (steps.into_hop(decision, location), waited, came)
    }

    fn warn_of(&mut self, admitted: &AdmittedUrl) {
        // Warn only once per origin, since redirects within an origin would repeat the warning.
        if let Some(warning) = Warning::of_decision(&admitted.origin, &admitted.decision)
            && !self.record.warnings.contains(&warning)
        {
            self.record.warnings.push(warning);
        }
    }

    fn headers(&self, with_callers: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if with_callers {
            self.options.put_headers(&mut headers);
        }
        headers.insert(header::USER_AGENT, self.client.user_agent.clone());
        headers
            .entry(header::ACCEPT)
            .or_insert(HeaderValue::from_static("text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8"));
        headers
    }

    /// Sends the request, reads the answer, and reports the result to the circuit breaker.
    async fn exchange(
        &self,
        steps: &mut Steps<'_>,
        url: &Url,
        admitted: AdmittedUrl,
        headers: HeaderMap,
    ) -> (DecisionRecord, Result<HopEnd, Cause>) {
        let sent = self.send(steps, url, &admitted, headers).await;
        let AdmittedUrl { origin, decision, permit, .. } = admitted;
        let (ended, came) = match sent {
            // An incomplete body counts as a failure of the origin.
            Err(Cause::Transport(error)) => {
                (Some(AttemptEnd::Failed(error.failure())), Err(Cause::Transport(error)))
            }
            Err(cause) => (None, Err(cause)),
            Ok(UnreadResponse { mut response, turn, ended }) => {
                // The turn is dropped after the body is read.
                let _turn = turn;
                match location(&response, url) {
                    Some(Ok(to)) => {
                        let sets_cookies = response.headers.contains_key(header::SET_COOKIE);
                        (Some(ended), Ok(HopEnd::Redirect(Redirect { origin, to, sets_cookies })))
                    }
                    Some(Err(error)) => (Some(ended), Err(Cause::Redirects(error.into()))),
                    None => match self.read(&mut response).await {
                        Ok((body, is_cut)) => (
                            Some(ended),
                            Ok(HopEnd::Response(ReadResponse { origin, response, body, is_cut })),
                        ),
                        Err(Cause::Transport(error)) => {
                            (Some(AttemptEnd::Failed(error.failure())), Err(Cause::Transport(error)))
                        }
                        Err(cause) => (Some(ended), Err(cause)),
                    },
                }
            }
        };
        if let Some(ended) = ended {
            permit.settle(&ended, self.client.clock.now());
        }
        (decision, came)
    }

    /// Waits for the turn and sends the request. Repeats both steps for each retry, and once if the server requires a
    /// signature.
    async fn send(
        &self,
        steps: &mut Steps<'_>,
        url: &Url,
        admitted: &AdmittedUrl,
        headers: HeaderMap,
    ) -> Result<UnreadResponse, Cause> {
        let (client, origin) = (self.client, &admitted.origin);
        let (mut was_resent, mut was_challenged, mut challenge) = (false, false, None);
        loop {
            let turn = steps.enter(admitted).await?;
            let began_at = client.clock.now();
            let mut request = Request::get(url.clone(), headers.clone(), self.options.timeout);
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
                    Some(refusal) => return Err(Cause::Guard(refusal.clone())),
                    None => AttemptEnd::Failed(error.failure()),
                },
            };
            client.settle(origin, &ended).await?;
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
            let Some(delay) = steps.retry(&ended) else {
                return result
                    .map(|response| UnreadResponse { response, turn, ended })
                    .map_err(Cause::Transport);
            };
            drop(turn);
            steps.pause(origin, &delay).await?;
        }
    }

    /// Returns an error for a redirect loop and for too many redirects, and adds a warning for a redirect from HTTPS to
    /// HTTP. A loop is a second request for a URL with the same cookies.
    fn check_redirect(&mut self, from: &Url, redirect: &Redirect) -> Result<(), Cause> {
        let visit = (redirect.to.clone(), self.client.transport.cookies(&redirect.to));
        let (from, to) = (&*without_credentials(from), &*without_credentials(&redirect.to));
        if from.scheme() == "https" && to.scheme() == "http" {
            let message =
                format!("{from} redirects to {to}: the answer is not protected against changes on the way");
            self.record.warnings.push(Warning { kind: "redirect", name: "downgrade".to_owned(), message });
        }
        if self.visits.contains(&visit) {
            let hint = match redirect.sets_cookies {
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

    /// Reads the body up to the limit. Returns the body, and true if it was cut.
    async fn read(&self, response: &mut Response) -> Result<(Bytes, bool), Cause> {
        let content_type = response.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if response.status.is_success() && !self.options.wants(content_type) {
            return Err(Cause::Content(content_type.unwrap_or("without a Content-Type").to_owned()));
        }
        let limit = self.options.max_bytes;
        let mut body = BytesMut::new();
        let all = async {
            while let Some(chunk) = response.body.chunk().await {
                let chunk = chunk?;
                let room = limit - body.len();
                if chunk.len() > room {
                    body.extend_from_slice(chunk.get(..room).unwrap_or_default());
                    return Ok(true);
                }
                body.extend_from_slice(&chunk);
            }
            Ok(false)
        };
        let is_cut = match tokio::time::timeout(self.options.body_timeout, all).await {
            Ok(read) => read.map_err(Cause::Transport)?,
            Err(_) => {
                let seconds = self.options.body_timeout.as_secs_f64();
                let message = format!("the body was incomplete after {seconds} s");
                return Err(Cause::Transport(TransportError::new(Failure::Timeout, message)));
            }
        };
        if is_cut {
            let url = &*self.record.final_url;
            info!(url, "the body was cut after {limit} bytes, the limit of fetch.max_bytes");
        }
        Ok((body.freeze(), is_cut))
    }
}
