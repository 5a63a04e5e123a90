//! Errors of fetches.

use std::fmt;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::policy::{Evidence, Failure, Verdict};

use crate::breaker::CircuitOpen;
use crate::guard::GuardRefusal;
use crate::pace::TooLong;
use crate::remedy::Remedy;
use crate::retrieval::{FetchOutcome, FetchRecord};
use crate::retry::{Transient, USUAL_DELAY};
use crate::store::StoreError;
use crate::transport::TransportError;

/// The error of a fetch that returned no page. It contains the record of the steps so far.
#[derive(Debug)]
pub struct FetchError {
    ended: Box<EndedFetch>,
}

/// The content of a [`FetchError`], which is boxed, so that results of fetches are small values.
#[derive(Debug)]
struct EndedFetch {
    cause: Cause,
    record: FetchRecord,
}

/// Suggested delay before a retry if another operation is in progress.
const SOON: Duration = Duration::from_secs(1);

/// An error of any type.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error with the URL that it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{subject}: {source}")]
struct UrlFault {
    subject: String,
    source: BoxError,
}

/// The reason why a fetch returned no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The text is not a URL that can be fetched.
    #[error(transparent)]
    Url(BoxError),
    /// The guard refused the URL or one of its addresses.
    #[error(transparent)]
    Guard(GuardRefusal),
    /// The circuit breaker is open: the origin failed too often.
    #[error(transparent)]
    Circuit(CircuitOpen),
    /// robots.txt forbids the URL, by a rule or by an answer that counts as a refusal of every URL.
    #[error(fmt = write_decision)]
    Robots(Box<DecisionRecord>),
    /// robots.txt could not be read, so the preset denies every URL. The site may be down for a short time.
    #[error(transparent)]
    Unreachable(Box<RobotsUnreachable>),
    /// The wait would have been longer than allowed.
    #[error(transparent)]
    Wait(TooLong),
    /// The store could not be used.
    #[error(transparent)]
    Store(StoreError),
    /// The request got no answer, or an incomplete one.
    #[error(transparent)]
    Transport(TransportError),
    /// The redirects did not lead to a page.
    #[error(transparent)]
    Redirects(BoxError),
    /// The media type of the answer is not in the list of wanted types. Contains the type.
    #[error("the answer is {0}, which is not wanted")]
    Content(String),
    /// Only a better form of the page was wanted, and none could be fetched.
    #[error("there is no better form of the page that may be fetched")]
    NoAlternative,
    /// The fetch was not finished within its [deadline](crate::FetchOptions::deadline). Contains the deadline.
    #[error("the fetch was not finished within its deadline of {} s", .0.as_secs_f64())]
    Deadline(Duration),
    /// The client is [drained](crate::Client::drain), so no new request begins.
    #[error("the client is drained and sends no new requests")]
    Drained,
}

/// The error for a robots.txt that could not be fetched or read, so the preset denies every URL of its origin.
///
/// Its source is the [`TransportError`], if the request for robots.txt got no answer.
///
/// ```
/// use comity::policy::Failure;
/// use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
/// use comity_client::{Cause, Client, guard::Guard};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let web = FakeTransport::new();
/// web.on("https://down.example/robots.txt", FakeReply::failure(Failure::Connection));
/// let guard = Guard::new().with_resolver(FakeResolver::new());
/// let client = Client::builder("ExampleBot").guard(guard).transport(web).build()?;
/// let error = client.fetch("https://down.example/page").await.unwrap_err();
/// assert!(error.is_connect() && !error.is_refusal());
/// let Cause::Unreachable(unreachable) = error.cause() else { panic!("{error}") };
/// assert!(unreachable.retry_at().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("robots.txt could not be read: {}", decision.answer())]
pub struct RobotsUnreachable {
    decision: DecisionRecord,
    source: Option<TransportError>,
}

impl RobotsUnreachable {
    fn new(decision: DecisionRecord) -> Self {
        let source = decision.evidence.as_ref().and_then(TransportError::of_evidence);
        RobotsUnreachable { decision, source }
    }

    /// Returns the decision.
    pub fn decision(&self) -> &DecisionRecord {
        &self.decision
    }

    /// Returns the answer to the request for robots.txt, or its failure.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.decision.evidence.as_ref()
    }

    /// Returns the time of the next request for robots.txt. Returns `None` if robots.txt is not requested again while
    /// the program runs.
    pub fn retry_at(&self) -> Option<SystemTime> {
        match &self.decision.outage {
            Some(outage) => outage.retry_at,
            None => self.evidence()?.fresh_until(),
        }
    }
}

impl Cause {
    /// Creates the cause for a decision that blocks a URL: [`Cause::Unreachable`] if robots.txt could not be read, and
    /// otherwise [`Cause::Robots`].
    pub fn of_decision(decision: DecisionRecord) -> Cause {
        match decision.verdict {
            Verdict::UnknownUnreachable | Verdict::UnknownParseError => {
                Cause::Unreachable(Box::new(RobotsUnreachable::new(decision)))
            }
            _ => Cause::Robots(Box::new(decision)),
        }
    }

    /// Creates the cause for an error of `subject`, which contains the URL.
    pub(crate) fn of_url(subject: String, source: impl Into<BoxError>) -> Cause {
        Cause::Url(Box::new(UrlFault { subject, source: source.into() }))
    }

    /// Returns the outcome that the record contains for this cause.
    pub fn outcome(&self) -> FetchOutcome {
        self.kind().0
    }

    /// Returns the decision, if robots.txt denied the URL or could not be read.
    pub fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            Cause::Robots(decision) => Some(decision),
            Cause::Unreachable(unreachable) => Some(&unreachable.decision),
            _ => None,
        }
    }

    /// Returns the kind of failure, if the request or the request for robots.txt got no complete answer.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Cause::Transport(error) => Some(error.failure()),
            Cause::Unreachable(unreachable) => unreachable.evidence()?.failure(),
            _ => None,
        }
    }

    /// Returns true if another attempt would be refused again, for the same reason. Returns false for a failure of the
    /// network, the site or the machine, for a wait, for the deadline, and for a drained client.
    pub fn is_refusal(&self) -> bool {
        match self {
            Cause::Url(_)
            | Cause::Guard(_)
            | Cause::Robots(_)
            | Cause::Redirects(_)
            | Cause::Content(_)
            | Cause::NoAlternative => true,
            Cause::Unreachable(_)
            | Cause::Circuit(_)
            | Cause::Wait(_)
            | Cause::Store(_)
            | Cause::Transport(_)
            | Cause::Deadline(_)
            | Cause::Drained => false,
        }
    }

    /// Returns true if a local failure kept the request, or the request for robots.txt, from reaching the site.
    pub fn is_local(&self) -> bool {
        self.failure() == Some(Failure::Local)
    }

    /// Returns true if the site did not answer in time, or if the fetch exceeded its deadline.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Cause::Deadline(_)) || self.failure() == Some(Failure::Timeout)
    }

    /// Returns true if no connection to the site could be made or kept: its name has no address, or it refused or
    /// reset the connection.
    pub fn is_connect(&self) -> bool {
        matches!(self.failure(), Some(Failure::Dns | Failure::Connection))
    }

    /// Returns true if TLS failed, for example because the certificate was rejected.
    pub fn is_tls(&self) -> bool {
        self.failure() == Some(Failure::Tls)
    }

    /// Returns the delay before a retry if the cause is temporary: a wait, an open circuit, an unreadable robots.txt, a
    /// timeout, a lost connection, a local failure, a failed store, or a deadline. `None` means that this client would
    /// probably fail again. A drained client sends no more requests, so only another client can fetch the URL.
    pub fn retry_after(&self, now: SystemTime) -> Option<Duration> {
        match self {
            Cause::Wait(wait) => Some(wait.needed.map_or(SOON, |needed| needed.saturating_sub(wait.allowed))),
            Cause::Circuit(open) => Some(open.retry_in.unwrap_or(SOON)),
            Cause::Unreachable(unreachable) => {
                let left = unreachable.retry_at().map(|at| at.duration_since(now).unwrap_or_default());
                Some(left.unwrap_or(USUAL_DELAY).max(SOON))
            }
            Cause::Transport(error) => {
                let is_transient = Transient::of(error.failure()).is_some_and(Transient::is_usual);
                is_transient.then_some(USUAL_DELAY)
            }
            Cause::Store(_) | Cause::Deadline(_) => Some(USUAL_DELAY),
            _ => None,
        }
    }

    /// Returns the setting that would allow the request, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Cause::Guard(refusal) => Remedy::of_refusal(refusal),
            Cause::Transport(error) => match (error.refusal(), error.certificate()) {
                (Some(refusal), _) => Remedy::of_refusal(refusal),
                (None, Some(fault)) => Remedy::of_certificate(fault),
                (None, None) => None,
            },
            Cause::Unreachable(unreachable) => Remedy::of_certificate(unreachable.evidence()?.certificate()?),
            Cause::Wait(_) => Remedy::new("fetch.max_wait_seconds", None, "sets the longest wait"),
            Cause::Deadline(_) => Remedy::new("fetch.deadline_seconds", None, "sets the deadline"),
            Cause::Store(_) => Remedy::new("store.location", Some("memory"), "uses no shared store"),
            _ => None,
        }
    }

    /// Returns the name of the step that refused the request, for counters.
    pub(crate) fn step(&self) -> &'static str {
        self.kind().1
    }

    /// Returns the outcome of a fetch, and the step of a request, that this cause ended.
    fn kind(&self) -> (FetchOutcome, &'static str) {
        match self {
            Cause::Url(_) => (FetchOutcome::UrlRefused, "url"),
            Cause::Guard(_) => (FetchOutcome::GuardRefused, "guard"),
            Cause::Circuit(_) => (FetchOutcome::CircuitOpen, "circuit"),
            Cause::Robots(_) => (FetchOutcome::RobotsRefused, "robots"),
            Cause::Unreachable(_) => (FetchOutcome::RobotsUnreadable, "robots_unreadable"),
            Cause::Wait(_) => (FetchOutcome::WaitTooLong, "wait"),
            Cause::Store(_) => (FetchOutcome::StoreFailed, "store"),
            Cause::Transport(_) => (FetchOutcome::TransportFailed, "transport"),
            Cause::Redirects(_) => (FetchOutcome::RedirectsFailed, "redirects"),
            Cause::Content(_) => (FetchOutcome::ContentRefused, "content"),
            Cause::NoAlternative => (FetchOutcome::NoAlternative, "content"),
            Cause::Deadline(_) => (FetchOutcome::DeadlineExceeded, "deadline"),
            Cause::Drained => (FetchOutcome::Drained, "drain"),
        }
    }
}

impl FetchError {
    pub(crate) fn new(cause: Cause, record: FetchRecord) -> Self {
        FetchError { ended: Box::new(EndedFetch { cause, record }) }
    }

    /// Returns the reason.
    pub fn cause(&self) -> &Cause {
        &self.ended.cause
    }

    /// Returns the record of the steps so far.
    pub fn record(&self) -> &FetchRecord {
        &self.ended.record
    }

    #[cfg(feature = "llms")]
    pub(crate) fn record_mut(&mut self) -> &mut FetchRecord {
        &mut self.ended.record
    }

    /// Returns the cause and the record.
    pub fn into_parts(self) -> (Cause, FetchRecord) {
        (self.ended.cause, self.ended.record)
    }

    /// See [`Cause::is_refusal`].
    pub fn is_refusal(&self) -> bool {
        self.ended.cause.is_refusal()
    }

    /// See [`Cause::is_timeout`].
    pub fn is_timeout(&self) -> bool {
        self.ended.cause.is_timeout()
    }

    /// See [`Cause::is_connect`].
    pub fn is_connect(&self) -> bool {
        self.ended.cause.is_connect()
    }

    /// See [`Cause::is_tls`].
    pub fn is_tls(&self) -> bool {
        self.ended.cause.is_tls()
    }
}

/// Writes the rule, such as `robots.txt:3: Disallow: /private (group *)`, or the reason why there are no rules.
fn write_decision(decision: &DecisionRecord, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(rule) = &decision.rule {
        let group = decision.group.as_deref().unwrap_or_default();
        return write!(f, "robots.txt:{}: {rule} (group {group})", rule.line);
    }
    match &decision.evidence {
        Some(_) => write!(f, "{} (robots.txt: {})", decision.verdict, decision.answer()),
        None => fmt::Display::fmt(decision, f),
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.ended.record.final_url, self.ended.cause)
    }
}

/// `source` skips the cause, since `Display` prints the cause.
impl std::error::Error for FetchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.ended.cause.source()
    }
}
