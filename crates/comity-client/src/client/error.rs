//! Why a fetch did not happen: typed, with the record of how far it got.

use std::fmt;

use comity::decision::DecisionRecord;
use comity::policy::Failure;

use crate::breaker::Open;
use crate::guard::Refusal;
use crate::pace::TooLong;
use crate::retrieval::{Outcome, Record};
use crate::store::StoreError;
use crate::transport::TransportError;

/// A fetch that led to no page, and what happened up to there.
#[derive(Debug)]
pub struct FetchError {
    cause: Cause,
    record: Box<Record>,
}

/// Why a fetch led to no page.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// It is no URL that can be fetched.
    Url(String),
    /// The guard does not dial there.
    Guard(Refusal),
    /// The origin failed too often, and is left alone for a while.
    Circuit(Open),
    /// robots.txt, or the lack of an answer about it, forbids it: the decision.
    Robots(Box<DecisionRecord>),
    /// The wait would have been longer than allowed.
    Wait(TooLong),
    /// The store could not be used.
    Store(StoreError),
    /// There was no answer.
    Transport(TransportError),
    /// Redirects led nowhere.
    Redirects(String),
    /// The answer's type is not among those wanted: the type.
    Content(String),
    /// There is no better form of the page that may be fetched, and nothing else was wanted.
    NoAlternative,
    /// The client is [drained](crate::Client::drain): no request begins any more.
    Drained,
}

impl Cause {
    /// How the record calls it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Cause::Url(_) => Outcome::UrlRefused,
            Cause::Guard(_) => Outcome::GuardRefused,
            Cause::Circuit(_) => Outcome::CircuitOpen,
            Cause::Robots(_) => Outcome::RobotsRefused,
            Cause::Wait(_) => Outcome::WaitTooLong,
            Cause::Store(_) => Outcome::StoreFailed,
            Cause::Transport(_) => Outcome::TransportFailed,
            Cause::Redirects(_) => Outcome::RedirectsFailed,
            Cause::Content(_) => Outcome::ContentRefused,
            Cause::NoAlternative => Outcome::NoAlternative,
            Cause::Drained => Outcome::Drained,
        }
    }

    /// The decision that refused.
    pub(crate) fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            Cause::Robots(decision) => Some(decision),
            _ => None,
        }
    }

    /// Returns whether it failed on our own side, so that the site was not heard: the request itself, or the one for
    /// robots.txt.
    pub fn is_local(&self) -> bool {
        match self {
            Cause::Transport(error) => error.failure() == Failure::Local,
            Cause::Robots(decision) => {
                decision.evidence.as_ref().is_some_and(|evidence| evidence.failure() == Some(Failure::Local))
            }
            _ => false,
        }
    }

    /// The step that refused, for counters.
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
    pub(crate) fn new(cause: Cause, record: Record) -> Self {
        FetchError { cause, record: Box::new(record) }
    }

    /// Why.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// What happened up to there.
    pub fn record(&self) -> &Record {
        &self.record
    }

    pub(crate) fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Both parts.
    pub fn into_parts(self) -> (Cause, Record) {
        (self.cause, *self.record)
    }

    /// Returns whether it is a refusal of ours, and not a failure of the network or of our own machine: asking again changes
    /// nothing.
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

/// `robots.txt:3: Disallow: /private (group *)`, or why nothing is known.
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

/// The sources are those of what refused: what refused speaks for itself already.
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
