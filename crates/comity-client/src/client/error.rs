//! Errors of fetches.

use std::fmt;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::policy::{Failure, Verdict};

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
    cause: Cause,
    record: Box<FetchRecord>,
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
    /// robots.txt forbids the URL, or it could not be read and the preset then denies.
    #[error(fmt = write_decision)]
    Robots(Box<DecisionRecord>),
    /// The wait would have been longer than allowed.
    #[error(transparent)]
    Wait(TooLong),
    /// The store could not be used.
    #[error(transparent)]
    Store(StoreError),
    /// The request got no answer.
    #[error(transparent)]
    Transport(TransportError),
    /// The redirects did not lead to a page.
    #[error(transparent)]
    Redirects(BoxError),
    /// The media type of the answer is not in the list of wanted types. Contains the type.
    #[error("the answer is {0}, which is not wanted")]
    Content(String),
    /// Only a better form of the page was wanted, and the site has no such form that may be fetched.
    #[error("there is no better form of the page that may be fetched")]
    NoAlternative,
    /// The client is [drained](crate::Client::drain), so that no new request begins.
    #[error("the client is drained and sends no new requests")]
    Drained,
}

impl Cause {
    /// Creates the cause for an error of `subject`, which contains the URL.
    pub(crate) fn of_url(subject: String, source: impl Into<BoxError>) -> Cause {
        Cause::Url(Box::new(UrlFault { subject, source: source.into() }))
    }

    /// Returns the outcome that the record contains for this cause.
    pub fn outcome(&self) -> FetchOutcome {
        match self {
            Cause::Url(_) => FetchOutcome::UrlRefused,
            Cause::Guard(_) => FetchOutcome::GuardRefused,
            Cause::Circuit(_) => FetchOutcome::CircuitOpen,
            Cause::Robots(decision) if is_unreadable(decision) => FetchOutcome::RobotsUnreadable,
            Cause::Robots(_) => FetchOutcome::RobotsRefused,
            Cause::Wait(_) => FetchOutcome::WaitTooLong,
            Cause::Store(_) => FetchOutcome::StoreFailed,
            Cause::Transport(_) => FetchOutcome::TransportFailed,
            Cause::Redirects(_) => FetchOutcome::RedirectsFailed,
            Cause::Content(_) => FetchOutcome::ContentRefused,
            Cause::NoAlternative => FetchOutcome::NoAlternative,
            Cause::Drained => FetchOutcome::Drained,
        }
    }

    /// Returns the decision, if robots.txt denied the URL.
    pub(crate) fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            Cause::Robots(decision) => Some(decision),
            _ => None,
        }
    }

    /// Returns true if a local failure kept the request, or the request for robots.txt, from reaching the site.
    pub fn is_local(&self) -> bool {
        match self {
            Cause::Transport(error) => error.failure() == Failure::Local,
            Cause::Robots(decision) => {
                decision.evidence.as_ref().is_some_and(|evidence| evidence.failure() == Some(Failure::Local))
            }
            _ => false,
        }
    }

    /// Returns the delay before a retry if the cause is temporary: a wait, an open circuit, a robots.txt that could not
    /// be read, a missing answer, or a failed store. `None` means that the same request would be refused again.
    pub fn retry_after(&self, now: SystemTime) -> Option<Duration> {
        match self {
            Cause::Wait(wait) => Some(wait.needed.map_or(SOON, |needed| needed.saturating_sub(wait.allowed))),
            Cause::Circuit(open) => Some(open.retry_in.unwrap_or(SOON)),
            Cause::Robots(decision) if is_unreadable(decision) => {
                let latest = decision.outage.as_ref().map(|outage| outage.retry_at);
                let next = latest.or_else(|| Some(decision.evidence.as_ref()?.fresh_until()));
                let left = next.flatten().map(|at| at.duration_since(now).unwrap_or_default());
                Some(left.unwrap_or(USUAL_DELAY).max(SOON))
            }
            Cause::Transport(error) => {
                let is_transient = Transient::of(error.failure()).is_some_and(Transient::is_usual);
                is_transient.then_some(USUAL_DELAY)
            }
            Cause::Store(_) | Cause::Drained => Some(USUAL_DELAY),
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
            Cause::Robots(decision) => Remedy::of_certificate(decision.evidence.as_ref()?.certificate()?),
            Cause::Wait(_) => Remedy::new("fetch.max_wait_seconds", None, "sets the longest wait"),
            Cause::Store(_) => Remedy::new("store.location", Some("memory"), "uses no shared store"),
            _ => None,
        }
    }

    /// Returns the name of the step that refused the request, for counters.
    pub(crate) fn step(&self) -> &'static str {
        match self {
            Cause::Url(_) => "url",
            Cause::Guard(_) => "guard",
            Cause::Circuit(_) => "circuit",
            Cause::Robots(decision) if is_unreadable(decision) => "robots_unreadable",
            Cause::Robots(_) => "robots",
            Cause::Wait(_) => "wait",
            Cause::Store(_) => "store",
            Cause::Transport(_) => "transport",
            Cause::Redirects(_) => "redirects",
            Cause::Content(_) | Cause::NoAlternative => "content",
            Cause::Drained => "drain",
        }
    }
}

/// Returns true if the URL could not be decided because robots.txt could not be read.
fn is_unreadable(decision: &DecisionRecord) -> bool {
    matches!(decision.verdict, Verdict::UnknownUnreachable | Verdict::UnknownParseError)
}

impl FetchError {
    pub(crate) fn new(cause: Cause, record: FetchRecord) -> Self {
        FetchError { cause, record: Box::new(record) }
    }

    /// Returns the reason.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Returns the record of the steps so far.
    pub fn record(&self) -> &FetchRecord {
        &self.record
    }

    pub(crate) fn record_mut(&mut self) -> &mut FetchRecord {
        &mut self.record
    }

    /// Returns the cause and the record.
    pub fn into_parts(self) -> (Cause, FetchRecord) {
        (self.cause, *self.record)
    }

    /// Returns true if the client itself refused, in contrast to a failure of the network or the machine.
    /// [`Cause::retry_after`] returns a time if the refusal is temporary.
    pub fn is_refusal(&self) -> bool {
        !self.cause.is_local()
            && !matches!(
                self.cause,
                Cause::Transport(_) | Cause::Store(_) | Cause::Circuit(_) | Cause::Wait(_) | Cause::Drained
            )
    }
}

/// Writes the rule, such as `robots.txt:3: Disallow: /private (group *)`, or the reason why there are no rules.
fn write_decision(decision: &DecisionRecord, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(rule) = &decision.rule {
        let group = decision.group.as_deref().unwrap_or_default();
        return write!(f, "robots.txt:{}: {rule} (group {group})", rule.line);
    }
    match &decision.evidence {
        Some(evidence) => write!(f, "{} (robots.txt: {})", decision.verdict, evidence.summary()),
        None => fmt::Display::fmt(decision, f),
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.record.final_url, self.cause)
    }
}

/// `source` skips the cause, since `Display` prints the cause.
impl std::error::Error for FetchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}
