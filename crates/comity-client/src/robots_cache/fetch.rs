//! Requests the robots.txt of an origin: follows redirects, applies limits, and sends conditional requests.
//!
//! The request uses the same transport as pages, with the same TLS, proxy and User-Agent, and every hop passes the
//! guard. Each hop waits for a slot of the origin that it requests. Requests for robots.txt have their own lane. All
//! origins that redirect to one target share the lane of the target. The next request for a page keeps the minimum
//! interval from the request for robots.txt.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::BytesMut;
use comity::policy::{Evidence, Failure, Policy, Reply};
use comity::shown::{self, without_credentials};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use tracing::debug;
use url::Url;

use super::Parts;
use super::answer::KeptAnswer;
use super::drained;
use super::hop::RobotsHop;
use super::targets::Targets;
use crate::Origin;
use crate::job::Job;
use crate::pace::{FirstSlot, Interval, PaceError, RetryAfter, TooLong, Turn, WaitReason};
use crate::signing::Challenge;
use crate::store::{Lane, StoreError};
use crate::transport::{Request, Response, TransportError};

/// The validators of a stored robots.txt, for a conditional request (RFC 9110 §13.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Validators {
    /// The URL that returned the file. After redirects, it differs from the requested URL.
    source: Option<String>,
    etag: Option<Vec<u8>>,
    last_modified: Option<Vec<u8>>,
}

impl Validators {
    pub(crate) fn of(copy: &KeptAnswer) -> Option<Box<Self>> {
        let (etag, last_modified) = (copy.field("etag"), copy.field("last-modified"));
        (etag.is_some() || last_modified.is_some()).then(|| {
            Box::new(Validators {
                source: copy.redirects.last().cloned(),
                etag: etag.map(<[u8]>::to_vec),
                last_modified: last_modified.map(<[u8]>::to_vec),
            })
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let bytes = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
        size_of::<Self>()
            + self.source.as_ref().map_or(0, String::len)
            + bytes(&self.etag)
            + bytes(&self.last_modified)
    }

    /// Returns true if this URL returned the file.
    fn are_of(&self, url: &Url, is_first: bool) -> bool {
        match &self.source {
            Some(source) => source == url.as_str(),
            None => is_first,
        }
    }

    fn add_to(&self, headers: &mut HeaderMap) {
        let fields = [(header::IF_NONE_MATCH, &self.etag), (header::IF_MODIFIED_SINCE, &self.last_modified)];
        for (name, value) in fields {
            if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_bytes) {
                headers.insert(name, value);
            }
        }
    }
}

/// The result of a request for robots.txt.
#[derive(Debug)]
pub(super) enum AnswerOrDelay {
    /// An answer or a failure.
    Answer(KeptAnswer),
    /// No answer: the next slot of an origin in the redirect chain begins only after this time.
    TooEarly(Duration),
}

/// The origin and lane whose slot a request uses.
#[derive(Clone, Copy, Debug)]
enum SlotOwner<'a> {
    /// A slot of the origin whose robots.txt is requested.
    Own(&'a Origin),
    /// A slot of the target of a redirect, in its lane for robots.txt.
    Target(&'a Origin, Interval),
}

impl SlotOwner<'_> {
    fn origin(&self) -> &Origin {
        match self {
            SlotOwner::Own(origin) | SlotOwner::Target(origin, _) => origin,
        }
    }
}

/// The result of one hop, before the request is repeated with a signature.
struct HopReply {
    hop: RobotsHop,
    /// The signature that the server requires, and the delay before the signed request.
    challenge: Option<(Challenge, Duration)>,
}

/// The remaining time of a request for robots.txt.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// Remaining time for HTTP requests.
    requests: Duration,
    /// Remaining time for waits for slots.
    waits: Duration,
}

/// The environment and the limits of a request for robots.txt.
#[derive(Clone, Copy, Debug)]
pub(super) struct RobotsRequest<'a> {
    pub(super) parts: &'a Parts,
    /// The job that is paused during waits.
    pub(super) job: &'a Job,
    pub(super) targets: &'a Targets,
    /// The policy before robots.txt is requested.
    pub(super) unasked: &'a Policy,
    /// Maximum number of body bytes that are evaluated.
    pub(super) body_limit: usize,
    /// Minimum interval between requests for robots.txt, and between such a request and the next request for a page.
    pub(super) spacing: Interval,
    /// Maximum wait for a slot. If the slot begins later, the result is [`AnswerOrDelay::TooEarly`].
    pub(super) max_slot_wait: Duration,
}

impl RobotsRequest<'_> {
    /// Requests the robots.txt of an origin. `first` is a slot that was reserved earlier; without it, the request waits
    /// for a slot. Waits for slots do not count towards the timeout of requests.
    pub(super) async fn ask(
        &self,
        origin: &Origin,
        validators: Option<&Validators>,
        mut first: Option<FirstSlot>,
    ) -> Result<AnswerOrDelay, StoreError> {
        let mut budget = Budget { requests: self.parts.timeout, waits: self.max_slot_wait };
        let mut redirects: Vec<String> = Vec::new();
        let mut url = origin.robots_txt();
        let asked = loop {
            let is_own = Origin::of(&url).as_ref() == Some(origin);
            let hop = match is_own {
                true => {
                    let (is_first, slot) = (redirects.is_empty(), first.take());
                    self.exchange(&url, (validators, is_first), &SlotOwner::Own(origin), slot, &mut budget)
                        .await
                }
                false => self.ask_target(origin, &url, validators, &mut budget).await,
            };
            let to = match hop {
                Ok(RobotsHop::Answer(answer)) => break answer,
                Ok(RobotsHop::Redirect { to, .. }) => to,
                Err(PaceError::TooLong(too_long)) => {
                    return Ok(AnswerOrDelay::TooEarly(too_long.needed.unwrap_or(self.max_slot_wait)));
                }
                Err(PaceError::Store(error)) => return Err(error),
            };
            let now = self.parts.clock.now();
            let is_seen =
                url == to || redirects.iter().any(|seen| *seen == without_credentials(&to).as_str());
            if is_seen || to == origin.robots_txt() {
                debug!(%origin, to = %without_credentials(&to), "the redirects of robots.txt are a loop");
                break KeptAnswer::failure(Failure::Redirects, now, Vec::new());
            }
            if redirects.len() >= self.parts.options.max_redirects {
                break KeptAnswer::failure(Failure::Redirects, now, Vec::new());
            }
            redirects.push(without_credentials(&to).to_string());
            url = to;
        };
        Ok(AnswerOrDelay::Answer(KeptAnswer { redirects, ..asked.after_redirects() }))
    }

    /// Requests the target of a redirect of `origin` to another origin. Returns the cached answer if the target was
    /// requested recently.
    async fn ask_target(
        &self,
        origin: &Origin,
        url: &Url,
        validators: Option<&Validators>,
        budget: &mut Budget,
    ) -> Result<RobotsHop, PaceError> {
        let key: Arc<str> = url.as_str().into();
        let known = || self.targets.get(&key, self.parts.clock.now());
        if let Some(hop) = known() {
            return Ok(hop);
        }
        // Many origins may wait here for one target.
        let begun = self.parts.clock.now();
        let entering = pin!(tokio::time::timeout(budget.waits, self.targets.enter(&key)));
        let entered = self.job.without_permit(self.parts.draining.unless_begun(entering)).await;
        let Ok(_passage) = entered.ok_or_else(drained)? else {
            let (reason, allowed) = (WaitReason::RobotsTxt, budget.waits);
            return Err(TooLong { origin: origin.clone(), needed: None, allowed, reason }.into());
        };
        let waited = self.parts.clock.now().duration_since(begun).unwrap_or_default();
        budget.waits = budget.waits.saturating_sub(waited);
        if let Some(hop) = known() {
            return Ok(hop);
        }
        let Some(target) = Origin::of(url) else {
            // The guard refuses this URL, and `request` returns the refusal as a failure.
            return Ok(self.request(url, (None, false), None, None, budget).await.hop);
        };
        let minute = Duration::from_secs(60);
        let least = minute / self.parts.options.redirected_per_minute.get();
        let place = SlotOwner::Target(&target, self.spacing.at_least(least));
        let validators = validators.filter(|validators| validators.are_of(url, false));
        let hop = self.exchange(url, (validators, false), &place, None, budget).await?;
        // The answer to a conditional request is not cached, since other origins have other validators.
        if validators.is_none() {
            self.targets.insert(&key, hop.clone(), self.fresh_until(&hop));
        }
        Ok(hop)
    }

    /// Returns the time until which a policy that is computed from an answer is fresh, if it is limited.
    fn fresh_until(&self, hop: &RobotsHop) -> Option<SystemTime> {
        let RobotsHop::Answer(answer) = hop else { return None };
        let (preset, mut policy) = (self.parts.preset, self.unasked.clone());
        let answer = answer.clone().after_redirects();
        answer.read(|answer| policy.update(&preset.read(answer), &self.parts.agent));
        policy.evidence().and_then(Evidence::fresh_until)
    }

    /// Requests a URL after waiting for its turn. If the server requires a signature, sends a signed request in another
    /// turn. If the second turn is too far off, returns the first answer.
    async fn exchange(
        &self,
        url: &Url,
        validators: (Option<&Validators>, bool),
        place: &SlotOwner<'_>,
        slot: Option<FirstSlot>,
        budget: &mut Budget,
    ) -> Result<RobotsHop, PaceError> {
        let turn = self.enter(place, slot, budget).await?;
        let HopReply { hop, challenge } =
            self.request(url, validators, Some((place.origin(), &turn)), None, budget).await;
        drop(turn);
        let Some((challenge, wait)) = challenge.filter(|(_, wait)| *wait <= budget.waits) else {
            return Ok(hop);
        };
        let sleeping = self.job.without_permit(self.parts.clock.sleep(wait));
        self.parts.draining.unless_begun(pin!(sleeping)).await.ok_or_else(drained)?;
        budget.waits = budget.waits.saturating_sub(wait);
        let turn = match self.enter(place, None, budget).await {
            Ok(turn) => turn,
            Err(PaceError::TooLong(_)) => return Ok(hop),
            Err(error) => return Err(error),
        };
        let sent = Some((place.origin(), &turn));
        Ok(self.request(url, validators, sent, Some(challenge), budget).await.hop)
    }

    /// Waits for a turn. Returns an error if the remaining time for waits is too short.
    async fn enter(
        &self,
        place: &SlotOwner<'_>,
        slot: Option<FirstSlot>,
        budget: &mut Budget,
    ) -> Result<Turn, PaceError> {
        let (pace, waits) = (&self.parts.pace, budget.waits);
        let turn = match place {
            SlotOwner::Own(origin) => {
                let entering = pace.enter_for_robots_txt(self.job, origin, &self.spacing, waits, slot);
                self.unless_drained(pin!(entering)).await?
            }
            SlotOwner::Target(origin, interval) => {
                let entering = pace.enter_as(self.job, (origin, Lane::RobotsTxt), interval, waits);
                self.unless_drained(pin!(entering)).await?
            }
        };
        budget.waits = waits.saturating_sub(turn.waited());
        Ok(turn)
    }

    /// Waits for a turn. Returns an error if the client is drained in the meantime, since a drained client sends no new
    /// requests.
    async fn unless_drained(
        &self,
        entering: Pin<&mut impl Future<Output = Result<Turn, PaceError>>>,
    ) -> Result<Turn, PaceError> {
        let entered = self.parts.draining.unless_begun(entering).await;
        entered.unwrap_or_else(|| Err(drained().into()))
    }

    /// Sends one request. Its timeout is the remaining time for requests.
    async fn request(
        &self,
        url: &Url,
        validators: (Option<&Validators>, bool),
        turn: Option<(&Origin, &Turn)>,
        challenge: Option<Challenge>,
        budget: &mut Budget,
    ) -> HopReply {
        let begun = tokio::time::Instant::now();
        let left = budget.requests;
        let replied = tokio::time::timeout(left, self.send(url, validators, turn, challenge, left)).await;
        budget.requests = left.saturating_sub(begun.elapsed());
        let at = self.parts.clock.now();
        let failed = match replied {
            Ok(Ok(replied)) => return replied,
            Ok(Err(error)) => {
                debug!(url = %without_credentials(url), failure = error.failure().as_str(), %error, "robots.txt could not be fetched");
                KeptAnswer::of_error(&error, at)
            }
            Err(_) => KeptAnswer::failure(Failure::Timeout, at, Vec::new()),
        };
        HopReply { hop: RobotsHop::Answer(failed), challenge: None }
    }

    async fn send(
        &self,
        url: &Url,
        (validators, is_first): (Option<&Validators>, bool),
        turn: Option<(&Origin, &Turn)>,
        challenge: Option<Challenge>,
        timeout: Duration,
    ) -> Result<HopReply, TransportError> {
        self.parts.guard.check_url(url).map_err(TransportError::refused)?;
        let mut headers = self.headers();
        if let Some(validators) = validators.filter(|validators| validators.are_of(url, is_first)) {
            validators.add_to(&mut headers);
        }
        let mut request = Request::get(url.clone(), headers, timeout);
        let signed = match turn {
            Some((origin, _)) => request.sign(self.parts.signer.as_ref(), origin, challenge)?,
            None => None,
        };
        let transport = &*self.parts.transport;
        let response = match turn {
            Some((_, turn)) => self.parts.pace.send(turn, transport, request).await?,
            None => transport.send(request).await?,
        };
        if let Some(to) = location(&response, url) {
            let at = self.parts.clock.now();
            return Ok(HopReply { hop: RobotsHop::Redirect { to: to?, at }, challenge: None });
        }
        let challenge = turn.and_then(|(origin, _)| self.challenge(origin, &response, signed.is_some()));
        let hop = RobotsHop::Answer(self.read(response).await?);
        Ok(HopReply { hop, challenge })
    }

    /// Returns the signature that the server requires, and the delay before the signed request.
    fn challenge(
        &self,
        origin: &Origin,
        response: &Response,
        was_signed: bool,
    ) -> Option<(Challenge, Duration)> {
        let Response { status, headers, .. } = response;
        let challenge = self.parts.signer.as_ref()?.challenge(origin, (*status, headers), was_signed)?;
        let most = self.parts.pace_options.max_retry_after;
        let asked = RetryAfter::read(headers, self.parts.clock.now(), most);
        Some((challenge, asked.map_or(Duration::ZERO, |asked| asked.duration)))
    }

    fn headers(&self) -> HeaderMap {
        let fields: [(HeaderName, HeaderValue); 2] = [
            (header::USER_AGENT, self.parts.user_agent.clone()),
            (header::ACCEPT, HeaderValue::from_static("text/plain, */*;q=0.5")),
        ];
        fields.into_iter().collect()
    }

    async fn read(&self, mut response: Response) -> Result<KeptAnswer, TransportError> {
        let mut body = BytesMut::new();
        let mut is_cut = false;
        if response.status.is_success() {
            while !is_cut && let Some(chunk) = response.body.chunk().await {
                let chunk = chunk?;
                let room = self.body_limit - body.len();
                is_cut = chunk.len() > room;
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            }
        }
        let (status, at) = (response.status.as_u16(), self.parts.clock.now());
        let answer = KeptAnswer::status(status, at, &response.headers, body.freeze(), Vec::new());
        Ok(if is_cut { answer.cut() } else { answer })
    }
}

/// Returns the target of a redirect. Returns `None` if the answer is not a redirect, and an error if its `Location` is
/// invalid.
pub(crate) fn location(response: &Response, from: &Url) -> Option<Result<Url, TransportError>> {
    if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    // A redirect without `Location` counts as a final answer.
    let value = response.headers.get(header::LOCATION)?;
    let sent = percent_encoded(value.as_bytes());
    let next = from.join(&sent).map(|mut next| {
        next.set_fragment(None);
        next
    });
    Some(next.map_err(|error| {
        let (from, text) = (without_credentials(from), shown::text(&sent));
        let text = shown::hide_credentials(&text);
        TransportError::new(
            Failure::Redirects,
            format!("{from} redirects to `{text}`, which is not a URL: {error}"),
        )
    }))
}

/// Percent-encodes the octets that are not valid UTF-8, so that the URL keeps the octets of the header (RFC 3986 §2.1).
fn percent_encoded(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len());
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|octet| format!("%{octet:02X}")));
    }
    text
}

/// Returns true if the answer is a 304 (Not Modified).
pub(crate) fn is_not_modified(answer: &KeptAnswer) -> bool {
    answer.reply == Reply::Status(304)
}
