//! The reasons why a fetch led to no page, each with the record of how far it got.

use std::fmt;

use comity::decision::DecisionRecord;
use comity::policy::Failure;

use crate::breaker::CircuitOpen;
use crate::guard::GuardRefusal;
use crate::pace::TooLong;
use crate::retrieval::{FetchOutcome, FetchRecord};
use crate::store::StoreError;
use crate::transport::TransportError;

/// The error of a fetch that led to no page, with the record of how far it got.
#[derive(Debug)]
pub struct FetchError {
    cause: Cause,
    record: Box<FetchRecord>,
}

/// The reason why a fetch led to no page.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The text is not a URL that can be fetched.
    Url(String),
    /// The guard refused the URL or one of its addresses.
    Guard(GuardRefusal),
    /// The origin failed too often and is left alone for a while.
    Circuit(CircuitOpen),
    /// robots.txt forbids it, or no answer about robots.txt came and the preset forbids it.
    Robots(Box<DecisionRecord>),
    /// The wait would have been longer than allowed.
    Wait(TooLong),
    /// The store could not be used.
    Store(StoreError),
    /// There was no answer.
    Transport(TransportError),
    /// The redirects led to no page.
    Redirects(String),
    /// The type of the answer is not among those wanted. Holds the type.
    Content(String),
    /// Only a better form of the page was wanted, and there is none that may be fetched.
    NoAlternative,
    /// The client is [drained](crate::Client::drain), so that no new request begins.
    Drained,
}

impl Cause {
    /// Returns the outcome that the record has for this cause.
    pub fn outcome(&self) -> FetchOutcome {
        match self {
            Cause::Url(_) => FetchOutcome::UrlRefused,
            Cause::Guard(_) => FetchOutcome::GuardRefused,
            Cause::Circuit(_) => FetchOutcome::CircuitOpen,
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

    /// Returns the decision, if robots.txt refused.
    pub(crate) fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            Cause::Robots(decision) => Some(decision),
            _ => None,
        }
    }

    /// Returns true if the failure is local, so that the site was never reached: by the request itself, or by the one
    /// for robots.txt.
    pub fn is_local(&self) -> bool {
        match self {
            Cause::Transport(error) => error.failure() == Failure::Local,
            Cause::Robots(decision) => {
                decision.evidence.as_ref().is_some_and(|evidence| evidence.failure() == Some(Failure::Local))
            }
            _ => false,
        }
    }

    /// Returns the name of the step that refused, for counters.
    pub(crate) fn step(&self) -> &'static str {
        match self {
            Cause::Url(_) => "url",
            Cause::Guard(_) => "guard",
            Cause::Circuit(_) => "circuit",
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

impl FetchError {
    pub(crate) fn new(cause: Cause, record: FetchRecord) -> Self {
        FetchError { cause, record: Box::new(record) }
    }

    /// Returns the reason.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Returns the record of how far the fetch got.
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

    /// Returns true if the client itself refused, in contrast to a failure of the network or the machine. Asking again
    /// would change nothing.
    pub fn is_refusal(&self) -> bool {
        !self.cause.is_local()
            && !matches!(
                self.cause,
                Cause::Transport(_) | Cause::Store(_) | Cause::Circuit(_) | Cause::Wait(_) | Cause::Drained
            )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Url(message) | Cause::Redirects(message) => f.write_str(message),
            Cause::Guard(refusal) => refusal.fmt(f),
            Cause::Circuit(open) => open.fmt(f),
            Cause::Robots(decision) => write_decision(decision, f),
            Cause::Wait(wait) => wait.fmt(f),
            Cause::Store(error) => error.fmt(f),
            Cause::Transport(error) => error.fmt(f),
            Cause::NoAlternative => f.write_str("there is no better form of the page that may be fetched"),
            Cause::Drained => f.write_str("the client is drained: no request begins any more"),
            Cause::Content(found) => write!(f, "the answer is {found}, which is not wanted"),
        }
    }
}

/// Writes `robots.txt:3: Disallow: /private (group *)`, or why no rules are known.
fn write_decision(decision: &DecisionRecord, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(rule) = &decision.rule {
        let group = decision.group.as_deref().unwrap_or_default();
        return write!(f, "robots.txt:{}: {rule} (group {group})", rule.line);
    }
    match &decision.evidence {
        Some(evidence) => write!(f, "{} (robots.txt: {})", decision.verdict, evidence.kind().label()),
        None => write!(f, "{}", decision.verdict),
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.record.final_url, self.cause)
    }
}

/// The sources are those of the inner error, since `Display` already shows the inner error itself.
impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Cause::Guard(refusal) => refusal.source(),
            Cause::Circuit(open) => open.source(),
            Cause::Wait(wait) => wait.source(),
            Cause::Store(error) => error.source(),
            Cause::Transport(error) => error.source(),
            Cause::Url(_)
            | Cause::Robots(_)
            | Cause::Redirects(_)
            | Cause::Content(_)
            | Cause::NoAlternative
            | Cause::Drained => None,
        }
    }
}

/// As for [`Cause`].
impl std::error::Error for FetchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}
