//! One fetch: guard → circuit breaker → robots → pace → fetch, for the first URL and again for every redirect.

use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use comity::policy::Failure;
use comity::shown::{hide_credentials, without_credentials};
use http::{HeaderMap, header};
use tracing::{debug, instrument};
use url::Url;

use super::error::{Cause, FetchError};
use super::options::FetchOptions;
use super::{Client, Inner, steps};
use crate::Origin;
use crate::crawl::Job;
use crate::observe::Event;
use crate::pace::{Interval, Turn};
use crate::retrieval::{Attempt, Hop, Outcome, Page, Record, Selection, Wait, Warning};
use crate::retry::{Attempt as Ended, Delay};
use crate::robots_cache::location;
use crate::store::Lane;
use crate::transport::{Request, Response, TransportError};

/// Fetches a URL, whatever that takes.
#[instrument(level = "debug", skip_all, fields(url = %hide_credentials(url)))]
pub(super) async fn fetch(
    client: &Client,
    url: &str,
    options: &FetchOptions,
    selection: Selection,
    job: &Job,
) -> Result<Page, FetchError> {
    let mut run = Run::begin(&client.inner, url, options, selection, job);
    match run.follow(url).await {
        Ok(answer) => {
            let Answer { origin, response, body, is_cut } = answer;
            let mut page = Page::new(response, body, is_cut, run.end(Outcome::Fetched));
            let inner = &client.inner;
            if options.reads_use {
                let now = inner.clock.now();
                page.read_use(&inner.agent, options.profile, (&inner.robots, &origin), now).await;
            }
            let (status, bytes) = (page.status().as_u16(), page.body().len() as u64);
            inner.observers.on(&Event::Fetched { origin: &origin, status, bytes });
            Ok(page)
        }
        Err(cause) => {
            client.inner.observers.on(&Event::Refused { step: cause.step() });
            debug!(outcome = cause.outcome().as_str(), %cause, "not fetched");
            run.record.error = Some(cause.to_string());
            let outcome = cause.outcome();
            Err(FetchError::new(cause, run.end(outcome)))
        }
    }
}

/// What a fetch is in the middle of.
struct Run<'c> {
    client: &'c Inner,
    options: &'c FetchOptions,
    /// Let go of while it waits.
    job: &'c Job,
    record: Record,
}

/// An answer whose body is yet to be read.
struct Sent {
    response: Response,
    turn: Turn,
    ended: Ended,
}

/// An answer whose body was read.
struct Answer {
    origin: Origin,
    response: Response,
    body: Bytes,
    is_cut: bool,
}

impl<'c> Run<'c> {
    fn begin(
        client: &'c Inner,
        url: &str,
        options: &'c FetchOptions,
        selected: Selection,
        job: &'c Job,
    ) -> Self {
        let record = Record { selected, ..client.empty_record(url) };
        Run { client, options, job, record }
    }

    fn end(self, outcome: Outcome) -> Record {
        let ended_at = self.client.clock.now();
        let seconds = ended_at.duration_since(self.record.began_at).unwrap_or_default();
        Record { outcome, ended_at, seconds, ..self.record }
    }

    /// Follows redirects to an answer that is none.
    async fn follow(&mut self, url: &str) -> Result<Answer, Cause> {
        let mut url = steps::parse(url)?;
        let mut first: Option<Origin> = None;
        loop {
            self.record.final_url = without_credentials(&url).to_string();
            self.record.hops.push(Hop::new(&url));
            let (origin, _) = self.client.admit(&url).await?;
            let permit =
                self.client.breaker.admit(&origin, self.client.clock.now()).map_err(Cause::Circuit)?;
            let interval = self.decide(&url, &origin).await?;
            // What a caller adds to the header is meant for the site that was asked for.
            let headers = self.headers(*first.get_or_insert_with(|| origin.clone()) == origin);
            let Sent { mut response, turn, ended } = match self.send(&url, &origin, headers, &interval).await
            {
                Ok(sent) => sent,
                Err(cause) => {
                    if let Cause::Transport(error) = &cause {
                        permit.settle(&Ended::Failed(error.failure()), self.client.clock.now());
                    }
                    return Err(cause);
                }
            };
            let Some(next) = location(&response, &url) else {
                let read = self.read(&mut response).await;
                // An origin that always breaks off in the middle fails, too.
                let ended = match &read {
                    Err(Cause::Transport(error)) => Ended::Failed(error.failure()),
                    _ => ended,
                };
                permit.settle(&ended, self.client.clock.now());
                drop(turn);
                let (body, is_cut) = read?;
                return Ok(Answer { origin, response, body, is_cut });
            };
            permit.settle(&ended, self.client.clock.now());
            let next = next.map_err(|error| Cause::Redirects(error.to_string()))?;
            self.redirect(&url, &next)?;
            if Origin::of(&next).as_ref() != Some(&origin) {
                self.job.leave();
            }
            url = next;
        }
    }

    /// Step 3: what robots.txt says, about the URL and about the pace.
    async fn decide(&mut self, url: &Url, origin: &Origin) -> Result<Interval, Cause> {
        let begun = self.client.clock.moment();
        let decided = self.client.decide(url, origin, self.wait_left(), self.job).await;
        let spent = self.client.clock.moment().since(begun);
        self.record.waited_seconds += spent.saturating_sub(self.client.robots.timeout());
        let (decision, interval) = decided?;
        let refused = decision.blocked.then(|| Cause::Robots(Box::new(decision.clone())));
        let warning = Warning::of_decision(origin, &decision);
        if let Some(hop) = self.record.hops.last_mut() {
            hop.decision = Some(decision);
        }
        // Redirects within an origin meet the same robots.txt.
        if let Some(warning) = warning
            && !self.record.warnings.contains(&warning)
        {
            self.record.warnings.push(warning);
        }
        refused.map_or(Ok(interval), Err)
    }

    fn headers(&self, with_callers: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if with_callers {
            self.options.put_headers(&mut headers);
        }
        headers.insert(header::USER_AGENT, self.client.user_agent.clone());
        headers.entry(header::ACCEPT).or_insert(http::HeaderValue::from_static(
            "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8",
        ));
        headers
    }

    /// Steps 4 and 5: waits for its turn and sends, again if that is worth it. Whoever has the turn keeps it until the
    /// body is read.
    async fn send(
        &mut self,
        url: &Url,
        origin: &Origin,
        headers: HeaderMap,
        interval: &Interval,
    ) -> Result<Sent, Cause> {
        let client = self.client;
        let (mut attempt, mut was_resent) = (0, false);
        loop {
            attempt += 1;
            let turn = self.enter(origin, interval).await?;
            let began_at = client.clock.now();
            let mut request = Request::get(url.clone(), headers.clone(), self.options.timeout);
            request.cookies = true;
            request.may_resend = !was_resent;
            let result = client.transport.send(request).await;
            was_resent |= self.note(origin, began_at, &result);
            client.pace.went_out(&turn, &result).await;
            if let Err(error) = &result
                && let Some(refusal) = error.refusal()
            {
                return Err(Cause::Guard(refusal.clone()));
            }
            let ended = match &result {
                Ok(response) => {
                    // If the origin asks to be left alone, everybody keeps away.
                    // Read before anything is waited for: the body of an answer is nobody else's, so the answer cannot
                    // be borrowed across a wait.
                    let (status, asked) =
                        (response.status, client.retry_after(response.status, &response.headers));
                    if let Some(retry_after) = &asked {
                        client.pace.hold(origin, retry_after).await.map_err(Cause::Store)?;
                    }
                    Ended::Answered(status, asked)
                }
                Err(error) => Ended::Failed(error.failure()),
            };
            let delay = client.retry.next(attempt, &ended).filter(|delay| delay.duration <= self.wait_left());
            let Some(delay) = delay else {
                if result.as_ref().is_ok_and(|response| !response.status.is_server_error()) {
                    client.robots.set_site_is_reachable(origin, true);
                }
                return result.map(|response| Sent { response, turn, ended }).map_err(Cause::Transport);
            };
            drop(turn);
            self.pause(origin, &delay).await;
        }
    }

    /// Waits before another attempt.
    async fn pause(&mut self, origin: &Origin, delay: &Delay) {
        self.client.observers.on(&Event::Retried { origin });
        if let Some(attempt) = self.record.hops.last_mut().and_then(|hop| hop.attempts.last_mut()) {
            attempt.retried = Some(*delay);
        }
        self.job.aside(self.client.clock.sleep(delay.duration)).await;
        self.record.waited_seconds += delay.duration;
    }

    /// Waits for the turn.
    async fn enter(&mut self, origin: &Origin, interval: &Interval) -> Result<Turn, Cause> {
        let max_wait = self.wait_left();
        let turn = self.client.pace.enter_as(self.job, (origin, Lane::Pages), interval, max_wait).await?;
        self.job.begin();
        self.record.waited_seconds += turn.waited();
        if let Some(reason) = turn.reason() {
            let duration = turn.waited();
            self.client.observers.on(&Event::Waited { origin, duration, reason: reason.as_str() });
        }
        if let Some(hop) = self.record.hops.last_mut() {
            hop.waits.push(Wait { wait: turn.wait(), interval: *interval });
        }
        Ok(turn)
    }

    fn wait_left(&self) -> Duration {
        match self.options.max_wait {
            Some(most) => most.saturating_sub(self.record.waited_seconds),
            None => Duration::MAX,
        }
    }

    /// Writes an attempt down. Says whether the transport had to send the request twice.
    fn note(
        &mut self,
        origin: &Origin,
        began_at: SystemTime,
        result: &Result<Response, TransportError>,
    ) -> bool {
        let was_resent = match result {
            Ok(response) => response.was_resent,
            Err(error) => error.was_resent(),
        };
        if was_resent {
            self.client.observers.on(&Event::Resent { origin });
        }
        let seconds = self.client.clock.now().duration_since(began_at).unwrap_or_default();
        let response = result.as_ref().ok();
        let error = result.as_ref().err();
        if let Some(hop) = self.record.hops.last_mut() {
            hop.attempts.push(Attempt {
                began_at,
                seconds,
                connecting: response.map(|response| response.connecting),
                remote: response.and_then(|response| response.remote),
                status: response.map(|response| response.status.as_u16()),
                failure: error.map(TransportError::failure),
                error: error.map(ToString::to_string),
                was_resent,
                retried: None,
            });
        }
        was_resent
    }

    fn redirect(&mut self, from: &Url, to: &Url) -> Result<(), Cause> {
        let (from, to) = (&*without_credentials(from), &*without_credentials(to));
        if let Some(hop) = self.record.hops.last_mut() {
            hop.location = Some(to.to_string());
        }
        if from.scheme() == "https" && to.scheme() == "http" {
            let message = format!("{from} redirects to {to}: what comes may have been changed on the way");
            self.record.warnings.push(Warning { kind: "redirect", name: "downgrade".to_owned(), message });
        }
        if self.record.hops.iter().any(|hop| hop.url == to.as_str()) {
            return Err(Cause::Redirects(format!("{from} redirects in a circle, to {to}")));
        }
        if self.record.hops.len() > self.options.max_redirects {
            let most = self.options.max_redirects;
            return Err(Cause::Redirects(format!("more than {most} redirects, the last to {to}")));
        }
        Ok(())
    }

    /// The body, up to the limit, and whether there is more of it.
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
                let message = format!("the body was not there after {seconds} s");
                return Err(Cause::Transport(TransportError::new(Failure::Timeout, message)));
            }
        };
        Ok((body.freeze(), is_cut))
    }
}
