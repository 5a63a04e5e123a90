//! Asking an origin for its robots.txt: redirects, limits, revalidation.
//!
//! The request goes where pages go, through the same transport with the same TLS, proxy and User-Agent, and every hop
//! through the guard. Each hop waits for a slot of the origin that it goes to: requests for robots.txt have a lane of
//! their own, in which all who are redirected to one origin stand in line. The next page of an origin keeps the least
//! distance from its robots.txt.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use comity::policy::{Failure, Reply};
use comity::shown::{self, without_credentials};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use tracing::debug;
use url::Url;

use super::Parts;
use super::answer::KeptAnswer;
use super::drained;
use super::targets::Targets;
use crate::Origin;
use crate::job::Job;
use crate::pace::{First, Interval, PaceError, Turn};
use crate::store::{Lane, StoreError};
use crate::transport::{Request, Response, TransportError};

/// How to ask whether a copy is still good (RFC 9110 §13.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Validators {
    /// Where the copy came from: after redirects, another URL than the one asked for.
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

    /// Returns whether the copy came from this URL.
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

/// What one URL answered on the way to a robots.txt.
#[derive(Clone, Debug)]
pub(super) enum Hop {
    /// It led elsewhere.
    Redirect { to: Url, status: u16, at: SystemTime },
    /// It answered, or failed to.
    Answer(KeptAnswer),
}

impl Hop {
    /// When it came.
    pub(super) fn at(&self) -> SystemTime {
        match self {
            Hop::Redirect { at, .. } => *at,
            Hop::Answer(answer) => answer.at,
        }
    }

    /// Returns whether it is no answer with a good or a settled status.
    pub(super) fn is_failure(&self) -> bool {
        match self {
            Hop::Redirect { .. } => false,
            Hop::Answer(answer) => match answer.reply {
                Reply::Status(code) => code >= 500 || code == 429,
                _ => true,
            },
        }
    }
}

/// What came of asking.
#[derive(Debug)]
pub(super) enum Asked {
    /// An answer, or a failure, which is one, too.
    Answer(KeptAnswer),
    /// Nothing yet: the next request to an origin on the way may only begin after this long.
    TooEarly(Duration),
}

/// What is left of the time.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// For requests.
    requests: Duration,
    /// For waits for slots.
    waits: Duration,
}

/// What asking takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    pub(super) parts: &'a Parts,
    /// Let go of while it waits.
    pub(super) job: &'a Job,
    pub(super) targets: &'a Targets,
    /// As many bytes of a body as count.
    pub(super) body_limit: usize,
    /// How far apart requests for robots.txt are, and how far from it the next page is.
    pub(super) spacing: Interval,
    /// For how long a slot is waited for. What is further off is [`Asked::TooEarly`].
    pub(super) patience: Duration,
}

impl Asking<'_> {
    /// Asks for the robots.txt of an origin, in a slot that was taken before or in one that is waited for. Waits for slots count apart from the time that requests may take.
    pub(super) async fn ask(
        &self,
        origin: &Origin,
        validators: Option<&Validators>,
        mut first: Option<First>,
    ) -> Result<Asked, StoreError> {
        let mut budget = Budget { requests: self.parts.options.timeout, waits: self.patience };
        let mut redirects: Vec<String> = Vec::new();
        let mut url = origin.robots_txt();
        let asked = loop {
            let is_own = Origin::of(&url).as_ref() == Some(origin);
            let hop = match is_own {
                true => {
                    let (is_first, slot) = (redirects.is_empty(), first.take());
                    self.ask_origin(origin, &url, (validators, is_first), slot, &mut budget).await
                }
                false => self.ask_target(&url, validators, &mut budget).await,
            };
            let (to, status) = match hop {
                Ok(Hop::Answer(answer)) => break answer,
                Ok(Hop::Redirect { to, status, .. }) => (to, status),
                Err(PaceError::TooLong(too_long)) => {
                    return Ok(Asked::TooEarly(too_long.needed.unwrap_or(self.patience)));
                }
                Err(PaceError::Store(error)) => return Err(error),
            };
            let now = self.parts.clock.now();
            let is_seen =
                url == to || redirects.iter().any(|seen| *seen == without_credentials(&to).as_str());
            if is_seen || to == origin.robots_txt() {
                debug!(%origin, to = %without_credentials(&to), "robots.txt redirects to itself");
                break KeptAnswer::failure(Failure::Redirects, now, Vec::new());
            }
            if redirects.len() >= self.parts.options.max_redirects {
                break KeptAnswer::status(status, now, &HeaderMap::new(), Bytes::new(), Vec::new());
            }
            redirects.push(without_credentials(&to).to_string());
            url = to;
        };
        Ok(Asked::Answer(KeptAnswer { redirects, ..asked }))
    }

    /// A request to the origin itself: pages keep their distance from it.
    async fn ask_origin(
        &self,
        origin: &Origin,
        url: &Url,
        (validators, is_first): (Option<&Validators>, bool),
        slot: Option<First>,
        budget: &mut Budget,
    ) -> Result<Hop, PaceError> {
        let (pace, waits) = (&self.parts.pace, budget.waits);
        let entering = pace.enter_for_robots_txt(self.job, origin, &self.spacing, waits, slot);
        let lane = self.unless_drained(pin!(entering)).await?;
        budget.waits = waits.saturating_sub(lane.waited());
        Ok(self.request(url, (validators, is_first), Some(&lane), budget).await)
    }

    /// A request to another origin. Who asks for what somebody else asked for a moment ago is told what that one heard.
    async fn ask_target(
        &self,
        url: &Url,
        validators: Option<&Validators>,
        budget: &mut Budget,
    ) -> Result<Hop, PaceError> {
        let key: Arc<str> = url.as_str().into();
        let known = || self.targets.get(&key, self.parts.clock.now());
        if let Some(hop) = known() {
            return Ok(Hop::clone(&hop));
        }
        let _passage = self.job.aside(self.targets.enter(&key)).await;
        if let Some(hop) = known() {
            return Ok(Hop::clone(&hop));
        }
        let Some(target) = Origin::of(url) else {
            // The guard says why.
            return Ok(self.request(url, (None, false), None, budget).await);
        };
        let minute = Duration::from_secs(60);
        let least = minute / self.parts.options.redirected_per_minute.get();
        let lane = self.enter(&target, Lane::RobotsTxt, &self.spacing.at_least(least), budget).await?;
        let validators = validators.filter(|validators| validators.are_of(url, false));
        let hop = self.request(url, (validators, false), Some(&lane), budget).await;
        // What depends on conditions is this origin's alone.
        Ok(match validators {
            Some(_) => hop,
            None => Hop::clone(&self.targets.insert(&key, hop)),
        })
    }

    /// Waits for a turn, in what is left of the patience.
    async fn enter(
        &self,
        origin: &Origin,
        lane: Lane,
        interval: &Interval,
        budget: &mut Budget,
    ) -> Result<Turn, PaceError> {
        let entering = self.parts.pace.enter_as(self.job, (origin, lane), interval, budget.waits);
        let turn = self.unless_drained(pin!(entering)).await?;
        budget.waits = budget.waits.saturating_sub(turn.waited());
        Ok(turn)
    }

    /// Goes on with a wait, unless the client is drained meanwhile: then nothing new is sent.
    async fn unless_drained(
        &self,
        entering: Pin<&mut impl Future<Output = Result<Turn, PaceError>>>,
    ) -> Result<Turn, PaceError> {
        let entered = self.parts.draining.unless_begun(entering).await;
        entered.unwrap_or_else(|| Err(drained().into()))
    }

    /// One request in its turn, in what is left of the time.
    async fn request(
        &self,
        url: &Url,
        validators: (Option<&Validators>, bool),
        turn: Option<&Turn>,
        budget: &mut Budget,
    ) -> Hop {
        let begun = tokio::time::Instant::now();
        let left = budget.requests;
        let hop = tokio::time::timeout(left, self.send(url, validators, turn, left)).await;
        budget.requests = left.saturating_sub(begun.elapsed());
        let failure = match hop {
            Ok(Ok(hop)) => return hop,
            Ok(Err(error)) => {
                debug!(url = %without_credentials(url), failure = error.failure().as_str(), %error, "robots.txt could not be fetched");
                error.failure()
            }
            Err(_) => Failure::Timeout,
        };
        Hop::Answer(KeptAnswer::failure(failure, self.parts.clock.now(), Vec::new()))
    }

    async fn send(
        &self,
        url: &Url,
        (validators, is_first): (Option<&Validators>, bool),
        turn: Option<&Turn>,
        timeout: Duration,
    ) -> Result<Hop, TransportError> {
        self.parts.guard.check_url(url).map_err(TransportError::refused)?;
        let mut headers = self.headers();
        if let Some(validators) = validators.filter(|validators| validators.are_of(url, is_first)) {
            validators.add_to(&mut headers);
        }
        let request = Request::get(url.clone(), headers, timeout);
        let sent = self.parts.transport.send(request).await;
        if let Some(turn) = turn {
            self.parts.pace.went_out(turn, &sent).await;
        }
        let response = sent?;
        match location(&response, url) {
            Some(to) => {
                let (status, at) = (response.status.as_u16(), self.parts.clock.now());
                Ok(Hop::Redirect { to: to?, status, at })
            }
            None => self.read(response).await.map(Hop::Answer),
        }
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

/// Where a redirect leads: `None` if the answer is none, an error if it leads nowhere that exists.
pub(crate) fn location(response: &Response, from: &Url) -> Option<Result<Url, TransportError>> {
    if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    // A redirect without a place to go is an answer in itself.
    let value = response.headers.get(header::LOCATION)?;
    let sent = String::from_utf8_lossy(value.as_bytes());
    let next = from.join(sent.trim()).map(|mut next| {
        next.set_fragment(None);
        next
    });
    Some(next.map_err(|error| {
        let (from, text) = (without_credentials(from), shown::text(&sent));
        let text = shown::hide_credentials(&text);
        TransportError::new(
            Failure::Redirects,
            format!("{from} redirects to `{text}`, which is no URL: {error}"),
        )
    }))
}

/// Whether a status says that the copy at hand is still good.
pub(crate) fn is_not_modified(answer: &KeptAnswer) -> bool {
    answer.reply == Reply::Status(304)
}
