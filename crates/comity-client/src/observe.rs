//! Events of a client, for observers, and counters of events.
//!
//! The client writes spans and log events with `tracing`. Events that can be counted are passed to [`Observer`]s. Each
//! client has [`Counters`]. A custom observer can pass the events to a metrics library.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use comity::policy::{AnswerKind, Availability, Verdict};
use url::Url;

use crate::Origin;

/// An event of a client.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The rules of an origin were found in memory.
    RobotsHit {
        /// The origin.
        origin: &'a Origin,
    },
    /// The answer of an origin was found in the store.
    RobotsStoreHit {
        /// The origin.
        origin: &'a Origin,
    },
    /// A robots.txt was requested.
    RobotsFetched {
        /// The origin.
        origin: &'a Origin,
        /// The kind of the answer.
        kind: AnswerKind,
        /// The availability that results from the answer.
        availability: Availability,
        /// The duration of the request.
        took: Duration,
    },
    /// robots.txt was evaluated for a URL.
    Decided {
        /// The origin.
        origin: &'a Origin,
        /// The URL.
        url: &'a Url,
        /// The verdict.
        verdict: Verdict,
        /// True if the fetch is blocked.
        blocked: bool,
    },
    /// A fetch has waited, or a slot was reserved for a later time.
    Waited {
        /// The origin.
        origin: &'a Origin,
        /// The URL.
        url: &'a Url,
        /// The length of the wait.
        duration: Duration,
        /// The reason: `crawl_delay`, `retry_after`, ….
        reason: &'static str,
    },
    /// A fetch was refused or failed.
    Refused {
        /// The step: `guard`, `circuit`, `robots`, `robots_unreadable`, `wait`, `transport`, ….
        step: &'static str,
        /// The URL at which the fetch ended, without credentials: the first URL, or the target of a redirect.
        url: &'a str,
        /// The time from the start of the fetch, waits included.
        took: Duration,
    },
    /// A request will be repeated.
    Retried {
        /// The origin.
        origin: &'a Origin,
        /// The URL.
        url: &'a Url,
        /// The delay before the repeated request.
        after: Duration,
    },
    /// The transport sent a request twice, because the first connection was closed gracefully without an answer.
    Resent {
        /// The origin.
        origin: &'a Origin,
        /// The URL.
        url: &'a Url,
    },
    /// A page was fetched.
    Fetched {
        /// The origin.
        origin: &'a Origin,
        /// The URL of the page, without credentials.
        url: &'a str,
        /// The status code.
        status: u16,
        /// The size of the body in bytes.
        bytes: u64,
        /// The duration of the fetch, waits included.
        took: Duration,
    },
}

/// A receiver of [`Event`]s. It is called during a fetch, so it must return quickly.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Receives an event.
    fn on(&self, event: &Event<'_>);
}

/// Returns an observer that calls a function.
///
/// ```
/// use comity_client::{Client, observe};
///
/// let observer = observe::from_fn(|event| println!("{event:?}"));
/// let client = Client::builder("ExampleBot").observer(observer).build()?;
/// # Ok::<(), comity_client::ClientBuildError>(())
/// ```
pub fn from_fn<F: Fn(&Event<'_>) + Send + Sync + 'static>(function: F) -> impl Observer {
    FnObserver(function)
}

struct FnObserver<F>(F);

impl<F> fmt::Debug for FnObserver<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnObserver")
    }
}

impl<F: Fn(&Event<'_>) + Send + Sync + 'static> Observer for FnObserver<F> {
    fn on(&self, event: &Event<'_>) {
        (self.0)(event);
    }
}

/// Counters of a client's events.
#[derive(Debug, Default)]
pub struct Counters {
    robots_hits: AtomicU64,
    robots_store_hits: AtomicU64,
    robots_fetches: [AtomicU64; AnswerKind::ALL.len()],
    verdicts: [AtomicU64; Verdict::ALL.len()],
    blocked: AtomicU64,
    waits: AtomicU64,
    waited_micros: AtomicU64,
    retries: AtomicU64,
    resent: AtomicU64,
    pages: AtomicU64,
    page_bytes: AtomicU64,
    refusals: [AtomicU64; STEPS.len()],
}

/// The steps at which a fetch can end.
pub(crate) const STEPS: [&str; 12] = [
    "url",
    "guard",
    "circuit",
    "robots",
    "robots_unreadable",
    "wait",
    "store",
    "transport",
    "redirects",
    "content",
    "deadline",
    "drain",
];

fn add(counter: Option<&AtomicU64>, number: u64) {
    if let Some(counter) = counter {
        counter.fetch_add(number, Ordering::Relaxed);
    }
}

impl Observer for Counters {
    fn on(&self, event: &Event<'_>) {
        match *event {
            Event::RobotsHit { .. } => add(Some(&self.robots_hits), 1),
            Event::RobotsStoreHit { .. } => add(Some(&self.robots_store_hits), 1),
            Event::RobotsFetched { kind, .. } => {
                let index = AnswerKind::ALL.iter().position(|other| *other == kind);
                add(index.and_then(|index| self.robots_fetches.get(index)), 1);
            }
            Event::Decided { verdict, blocked, .. } => {
                let index = Verdict::ALL.iter().position(|other| *other == verdict);
                add(index.and_then(|index| self.verdicts.get(index)), 1);
                add(Some(&self.blocked), blocked.into());
            }
            Event::Waited { duration, .. } => {
                add(Some(&self.waits), 1);
                add(Some(&self.waited_micros), u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
            }
            Event::Refused { step, .. } => {
                let index = STEPS.iter().position(|other| *other == step);
                add(index.and_then(|index| self.refusals.get(index)), 1);
            }
            Event::Retried { .. } => add(Some(&self.retries), 1),
            Event::Resent { .. } => add(Some(&self.resent), 1),
            Event::Fetched { bytes, .. } => {
                add(Some(&self.pages), 1);
                add(Some(&self.page_bytes), bytes);
            }
        }
    }
}

impl Counters {
    /// Returns all counters that are not zero, by their names. The names are stable: `robots_hits`,
    /// `robots_answers_not_found`, `verdicts_allowed_implicit`, `refused_by_guard`, `waited_microseconds`, ….
    pub fn snapshot(&self) -> BTreeMap<String, u64> {
        let mut counters = BTreeMap::new();
        let mut take = |name: String, counter: &AtomicU64| {
            let number = counter.load(Ordering::Relaxed);
            if number > 0 {
                counters.insert(name, number);
            }
        };
        take("robots_hits".to_owned(), &self.robots_hits);
        take("robots_store_hits".to_owned(), &self.robots_store_hits);
        for (kind, counter) in AnswerKind::ALL.iter().zip(&self.robots_fetches) {
            take(format!("robots_answers_{kind}"), counter);
        }
        for (verdict, counter) in Verdict::ALL.iter().zip(&self.verdicts) {
            take(format!("verdicts_{verdict}"), counter);
        }
        take("blocked".to_owned(), &self.blocked);
        take("waits".to_owned(), &self.waits);
        take("waited_microseconds".to_owned(), &self.waited_micros);
        take("retries".to_owned(), &self.retries);
        take("resent".to_owned(), &self.resent);
        take("pages".to_owned(), &self.pages);
        take("page_bytes".to_owned(), &self.page_bytes);
        for (step, counter) in STEPS.iter().zip(&self.refusals) {
            take(format!("refused_by_{step}"), counter);
        }
        counters
    }

    /// Returns how often the rules of an origin were found in memory.
    pub fn robots_hits(&self) -> u64 {
        self.robots_hits.load(Ordering::Relaxed)
    }

    /// Returns the number of requests for robots.txt.
    pub fn robots_fetches(&self) -> u64 {
        self.robots_fetches.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }
}

/// The counters of a client, and the observer of the caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observers {
    pub counters: std::sync::Arc<Counters>,
    pub other: Option<std::sync::Arc<dyn Observer>>,
}

impl Observers {
    pub(crate) fn on(&self, event: &Event<'_>) {
        self.counters.on(event);
        if let Some(other) = &self.other {
            other.on(event);
        }
    }
}
