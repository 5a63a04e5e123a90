//! Jobs: permits for active fetches. [`CrawlOptions::jobs`](crate::crawl::CrawlOptions::jobs) limits their number.
//!
//! A fetch of a crawl holds a permit while it is active (requests a robots.txt, resolves a name, connects, reads). It
//! releases the permit while it waits for its turn at an origin, for another task's request for the same robots.txt, or
//! for a retry. So a waiting fetch does not block other fetches.
//!
//! After its wait, a fetch re-acquires a permit. Such fetches get permits in the order of their requests, and before a
//! new fetch begins. A fetch never holds a permit while it waits for an operation that needs a permit, or for the
//! caller to read its result. So every fetch that waits for a permit gets one.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::Origin;
use crate::lock::lock;

mod progress;

pub use progress::{Progress, Watch};

/// The origin of a queued URL, or `None` for text that is not a web URL. Such text stays in the queue until its turn
/// and is then refused.
pub(crate) type Key = Option<Origin>;

/// The permits of a crawl, and its counters.
#[derive(Debug)]
pub(crate) struct Jobs {
    permits: Arc<Semaphore>,
    progress: Mutex<Progress>,
    /// Waker of the crawl. It is woken when a fetch releases its permit, so that another fetch can begin.
    crawl: AtomicWaker,
}

impl Jobs {
    pub(crate) fn new(jobs: usize) -> Self {
        let permits = Arc::new(Semaphore::new(jobs.min(Semaphore::MAX_PERMITS)));
        Jobs { permits, progress: Mutex::default(), crawl: AtomicWaker::new() }
    }

    /// Returns a permit if one is free and no paused fetch waits for it.
    pub(crate) fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    pub(crate) fn progress(&self) -> Progress {
        *lock(&self.progress)
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut lock(&self.progress));
    }

    pub(crate) fn wake(&self, crawl: &Waker) {
        self.crawl.register(crawl);
    }
}

/// An event of a fetch, which is reported to the queue of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginEvent {
    /// The first request has begun, or the fetch has ended without a request.
    Begun,
    /// The fetch has ended, or a redirect led it to another origin.
    Left,
}

/// A wait for an origin, before the fetch of a queued URL or before the origin's next request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OriginWait {
    /// The length of the wait.
    pub(crate) duration: Duration,
    /// True if a `Retry-After` causes the wait, false if the interval does.
    pub(crate) is_held: bool,
}

/// The job of a fetch: its permit and its events. Clones share the job. The default is the job of a fetch outside of a
/// crawl, which needs no permit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    job: Option<Arc<JobState>>,
}

#[derive(Debug)]
struct JobState {
    jobs: Arc<Jobs>,
    lane: Key,
    events: UnboundedSender<(Key, OriginEvent)>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    permit: Option<OwnedSemaphorePermit>,
    reported: Option<OriginEvent>,
    waited: OriginWait,
    is_over: bool,
}

impl Job {
    /// Creates the job of a new fetch.
    pub(crate) fn new(
        jobs: &Arc<Jobs>,
        permit: OwnedSemaphorePermit,
        lane: Key,
        waited: OriginWait,
        events: UnboundedSender<(Key, OriginEvent)>,
    ) -> Self {
        jobs.count(|progress| {
            progress.queued -= 1;
            progress.under_way += 1;
        });
        let state = State { permit: Some(permit), reported: None, waited, is_over: false };
        Job {
            job: Some(Arc::new(JobState { jobs: Arc::clone(jobs), lane, events, state: Mutex::new(state) })),
        }
    }

    /// Returns the wait before the fetch began. A second call returns zero, so that the wait is counted only once.
    pub(crate) fn take_waited(&self) -> OriginWait {
        self.job.as_ref().map(|job| std::mem::take(&mut lock(&job.state).waited)).unwrap_or_default()
    }

    /// Releases the permit before a wait. The caller must call [`resume`](Job::resume) after the wait.
    pub(crate) fn pause(&self) {
        let Some(job) = &self.job else { return };
        let mut state = lock(&job.state);
        let Some(permit) = state.permit.take() else { return };
        job.jobs.count(|progress| {
            progress.under_way -= 1;
            progress.waiting += 1;
        });
        drop((state, permit));
        job.jobs.crawl.wake();
    }

    /// Waits for a permit, if the job has released it.
    pub(crate) async fn resume(&self) {
        let Some(job) = &self.job else { return };
        if !job.is_idle() {
            return;
        }
        let permit = never_closed(Arc::clone(&job.jobs.permits).acquire_owned().await);
        let mut state = lock(&job.state);
        // A request for robots.txt may continue after the fetch that began it has ended. Then it needs no permit.
        if state.permit.is_none() && !state.is_over {
            job.jobs.count(|progress| {
                progress.waiting -= 1;
                progress.under_way += 1;
            });
            state.permit = Some(permit);
        }
        drop(state);
        job.jobs.crawl.wake();
    }

    /// Awaits a future. Releases the permit during the wait, unless the future is ready at once.
    pub(crate) async fn without_permit<T>(&self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if let Poll::Ready(value) = poll_fn(|cx| Poll::Ready(wait.as_mut().poll(cx))).await {
            return value;
        }
        self.pause();
        let value = wait.await;
        self.resume().await;
        value
    }

    /// Reports that a request begins.
    pub(crate) fn begin(&self) {
        self.report(OriginEvent::Begun);
    }

    /// Reports that a redirect led to another origin. The next URL of the first origin then no longer waits for this
    /// fetch.
    pub(crate) fn leave(&self) {
        self.report(OriginEvent::Left);
    }

    /// Reports that the fetch has ended.
    pub(crate) fn end(&self, has_failed: bool) {
        let Some(job) = &self.job else { return };
        job.end(has_failed);
        self.report(OriginEvent::Left);
    }

    fn report(&self, event: OriginEvent) {
        if let Some(job) = &self.job {
            job.report(event);
        }
    }
}

impl JobState {
    /// Returns true if the job has released its permit and will need it again.
    fn is_idle(&self) -> bool {
        let state = lock(&self.state);
        state.permit.is_none() && !state.is_over
    }

    /// Reports each event once, and in order.
    fn report(&self, event: OriginEvent) {
        let mut state = lock(&self.state);
        let unreported: &[OriginEvent] = match (state.reported, event) {
            (None, OriginEvent::Begun) => &[OriginEvent::Begun],
            (None, OriginEvent::Left) => &[OriginEvent::Begun, OriginEvent::Left],
            (Some(OriginEvent::Begun), OriginEvent::Left) => &[OriginEvent::Left],
            _ => return,
        };
        state.reported = Some(event);
        for event in unreported {
            // The send fails if the crawl was dropped.
            let _ = self.events.send((self.lane.clone(), *event));
        }
    }

    fn end(&self, has_failed: bool) {
        let mut state = lock(&self.state);
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        let permit = state.permit.take();
        self.jobs.count(|progress| {
            *(if permit.is_some() { &mut progress.under_way } else { &mut progress.waiting }) -= 1;
            *(if has_failed { &mut progress.failed } else { &mut progress.done }) += 1;
            progress.ready += 1;
        });
    }
}

/// Ends the job if the fetch panics, for example in a transport. The caller that reads the results gets the panic.
impl Drop for JobState {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.end(true);
            self.report(OriginEvent::Left);
        }
    }
}

#[allow(clippy::unwrap_used, reason = "the semaphores of crawls and lanes are never closed")]
pub(crate) fn never_closed(permit: Result<OwnedSemaphorePermit, AcquireError>) -> OwnedSemaphorePermit {
    permit.unwrap()
}
