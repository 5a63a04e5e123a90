//! The progress of a crawl.

use std::sync::Arc;

use super::Jobs;

/// The progress of a crawl: the number of URLs in each state. A URL that was read from the source is `queued`,
/// `waiting`, `under_way`, `done` or `failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// URLs whose fetch has not begun.
    pub queued: usize,
    /// URLs whose fetch has begun and now waits: for its turn at an origin, for another task's request for robots.txt,
    /// or for a retry. A waiting fetch does not count as a job.
    pub waiting: usize,
    /// URLs whose fetch is active.
    pub under_way: usize,
    /// URLs whose result is a page.
    pub done: u64,
    /// URLs whose result is an error.
    pub failed: u64,
    /// Number of results in `done` and `failed` that the caller has not read yet.
    pub ready: usize,
}

impl Progress {
    /// Returns the number of URLs that were read from the source.
    pub fn pulled(&self) -> u64 {
        let open = self.queued.saturating_add(self.waiting).saturating_add(self.under_way);
        self.done.saturating_add(self.failed).saturating_add(u64::try_from(open).unwrap_or(u64::MAX))
    }

    /// Returns the number of results that the caller has read.
    pub fn taken(&self) -> u64 {
        let ready = u64::try_from(self.ready).unwrap_or(u64::MAX);
        self.done.saturating_add(self.failed).saturating_sub(ready)
    }
}

/// Handle for the progress of a crawl. It can be used from any thread, and after the end of the crawl.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(crate) jobs: Arc<Jobs>,
}

impl Watch {
    /// Returns the current progress.
    pub fn progress(&self) -> Progress {
        self.jobs.progress()
    }
}
